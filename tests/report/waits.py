# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
"""waits.py REPORT.jsonl: in what `waits` says the parts are the whole."""
import sys

from whole import bad, finish, near, read

of = read(sys.argv[1], "waits")
total = of["waits"][0]
for x in [total] + of["thread"]:
    name = x.get("thread", "all")
    waited = sum(x["waited_ns"].values())
    near(name, x["on_cpu_ns"] + x["off_cpu_ns"] + x["unmeasured_ns"] + waited, x["wall_ns"], 6)
    near(name + " reasons", sum(x["by_reason_ns"].values()), waited, len(x["by_reason_ns"]))
    for c in x["waited_ns"]:
        kinds = x["by_kind_ns"].values()
        near(f"{name} {c}", sum(k[c] for k in kinds), x["waited_ns"][c], len(kinds))
near("threads", sum(x["wall_ns"] for x in of["thread"]), total["wall_ns"], len(of["thread"]))
for kind in ("path", "wait"):
    for c in total["waited_ns"]:
        mine = [x for x in of[kind] if x["class"] == c]
        near(f"{kind} {c}", sum(x["wait_ns"] for x in mine), total["waited_ns"][c], len(mine))
    for x in of[kind]:
        if not 0 < x["max_ns"] <= x["wait_ns"] <= x["of_ns"] + 1:
            bad(f"{kind}: {x}")
        if x["wait"] and not x["stack"]:
            bad(f"{kind}: no stack: {x}")
if len({x["thread"] for x in of["thread"]}) != total["threads"]:
    bad("threads")
finish()
