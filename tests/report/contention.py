# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
"""contention.py REPORT.jsonl: in what `contention` says the parts are the whole."""
import sys

from whole import bad, finish, near, read

of = read(sys.argv[1], "contention")
total = of["contention"][0]
for lock in of["lock"]:
    name = lock["object"]
    mine = lambda kind: [x for x in of[kind] if (x["process"], x["object"]) == (lock["process"], name)]
    paths, blames = mine("path"), mine("blame")
    near(name + " waits", sum(x["wait"]["total_ns"] for x in paths), lock["wait"]["total_ns"], len(paths))
    near(name + " holds", sum(x["hold"]["total_ns"] for x in paths), lock["hold"]["total_ns"], len(paths))
    near(name + " charged", sum(lock["charged_ns"].values()), lock["wait"]["total_ns"], 6)
    near(name + " blame", sum(x["wait_ns"] for x in blames), lock["wait"]["total_ns"], len(blames))
    if sum(x["acquired"] for x in paths) != lock["acquired"]:
        bad(name + ": acquisitions")
    for x in [lock] + paths:
        for what in (x["wait"], x["hold"]):
            if not what["p50_ns"] <= what["p99_ns"] <= what["max_ns"] <= what["total_ns"]:
                bad(f"{name}: {what}")
    for x in blames:
        if x["kind"] in ("held", "call", "running") and not (x["culprit"] and x["culprit_stack"]):
            bad(f"{name}: no holder: {x}")
        if not x["waiter_stack"]:
            bad(f"{name}: no stack of the waiter: {x}")
near("all", sum(x["wait"]["total_ns"] for x in of["lock"]), total["wait_ns"], len(of["lock"]))
if sum(x["wait"]["count"] for x in of["lock"]) != total["waits"]:
    bad("waits")
finish()
