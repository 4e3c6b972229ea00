# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
"""critical-path.py PATH.jsonl: the segments of `critical-path` follow each other and are the whole."""
import sys

from whole import bad, finish, near, read

of = read(sys.argv[1], "path")
path, segments = of["path"][0], of["segment"]
if path["dur"] != path["end"] - path["begin"] or path["segments"] != len(segments):
    bad(f"{path}, but {len(segments)} segments")
at, thread = path["begin"], None
for n, s in enumerate(segments):
    where = (s["process"], s["thread"])
    if s["ts"] != at:
        bad(f"a gap before {s}")
    # while the lock of a waiter is free, the path is in the waiter's call, between two holdings of the lock
    is_lock = "lock" in (s if s["kind"] == "call" else segments[n - 1]).get("path", "").split(";")[-1]
    if thread not in (None, where) and s["kind"] != "hand-over" and not is_lock:
        bad(f"the thread changes without a hand-over before {s}")
    if s["kind"] == "hand-over":
        source = tuple(int(x) for x in s["source"].split(".")[:2])
        if source == where or thread not in (None, source):
            bad(f"handed over by another thread than what is before it: {s}")
        if s["class"] not in ("causal", "run-after"):
            bad(f"rests on what is inferred: {s}")
    at, thread = s["ts"] + s["dur"], where
if at != path["end"]:
    bad("does not end where the path ends")
if sum(s["dur"] for s in segments) != path["dur"]:
    bad("the segments are not the whole")

near("kinds", sum(path["by_kind_ns"].values()), path["dur"], 4)
near("functions", sum(x["ns"] for x in of["function"]), path["dur"], len(of["function"]))
near("threads", sum(x["ns"] for x in of["thread"]), path["dur"], len(of["thread"]))
near("classes", sum(path["handed_over_ns"].values()), path["by_kind_ns"]["hand-over"], 2)
for x in of["function"] + of["thread"]:
    near(str(x), sum(x["by_kind_ns"].values()), x["ns"], 4)
if sum(s["kind"] == "hand-over" for s in segments) != path["handovers"]:
    bad("hand-overs")
finish()
