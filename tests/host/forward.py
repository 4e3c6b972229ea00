# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
"""forward.py DECODE REHOST SEED TRACE...: each trace is of another host, and all have one clock. With clocks that the seed
determines, the traces have the same edges, except between hosts that are apart."""
import collections
import json
import os
import random
import subprocess
import sys

decode, rehost, seed, *traces = sys.argv[1:]
rng = random.Random(int(seed))


def copy(trace, name, *options):
    to = os.path.join(os.path.dirname(trace), "..", name + os.path.basename(trace))
    subprocess.run(["rm", "-rf", to], check=True)
    subprocess.run([rehost, *options, trace, to], check=True, stdout=subprocess.DEVNULL)
    return to


def run(verb, of):
    command = [decode, verb, "--format=jsonl", "--reference=0", *of]
    p = subprocess.run(command, stdout=subprocess.PIPE, timeout=100, check=True)
    return [json.loads(line) for line in p.stdout.splitlines()]


def edges(of):
    return collections.Counter((e["kind"], str(e["from"]), e["to"]) for e in run("edges", of) if e["type"] == "edge")


# equal numbers of traces give equal ids of events
true = [copy(t, "true", "--trace-id", str(n)) for n, t in enumerate(traces, 1)]
moved = [copy(traces[0], "moved", "--trace-id", "1")]
for n, trace in enumerate(traces[1:], 2):
    clock = ["--offset", str(rng.randrange(10**14)), "--drift", str(rng.uniform(-100, 100))]
    moved.append(copy(trace, "moved", "--trace-id", str(n), "--boot-add", str(n), "--host", f"host{n}", *clock))

clocks = [h for h in run("clocks", moved) if h["type"] == "host"]
component = {p: h["component"] if h["component"] is not None else -1 - h["host"] for h in clocks for p in h["processes"]}


def is_joined(edge):
    _, *ends = edge
    return len({component[int(end.split(".")[0])] for end in ends if end != "None"}) == 1


one, other = edges(true), edges(moved)
missing = [edge for edge in one - other if is_joined(edge)]
added = list(other - one)
between = sum(1 for _, begin, end in other if begin != "None" and begin.split(".")[0] != end.split(".")[0])
print(f"{sum(one.values())} edges with one clock, {len(missing)} missing, {len(added)} added; {between} between processes")
for what, all_of in ("missing", missing), ("added", added):
    for edge in all_of[:5]:
        print(what, *edge)
sys.exit(bool(missing or added))
