# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
"""sums.py REPORT.jsonl: in what `contention` says the parts are the whole."""
import collections
import json
import sys

failed = 0


def bad(text):
    global failed
    print("FAILED:", text)
    failed = 1


def near(what, a, b, parts):
    """Each part is rounded down to ns."""
    if not a <= b + 1 or b - a > parts + 1:
        bad(f"{what}: the parts are {a} ns, the whole {b} ns")


lines = [json.loads(line) for line in open(sys.argv[1], encoding="utf-8")]
of = collections.defaultdict(list)
for line in lines:
    if line["v"] != 1:
        bad("not version 1")
    of[line["type"]].append(line)
if [line["type"] for line in lines[:2]] != ["coverage", "contention"]:
    bad("does not begin with what it covers")
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
            bad(f"{name}: nobody to blame: {x}")
        if not x["waiter_stack"]:
            bad(f"{name}: no stack of the waiter: {x}")
near("all", sum(x["wait"]["total_ns"] for x in of["lock"]), total["wait_ns"], len(of["lock"]))
if sum(x["wait"]["count"] for x in of["lock"]) != total["waits"]:
    bad("waits")
sys.exit(failed)
