# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
"""hosts.py DECODE TRUE... -- MOVED...: the traces MOVED are the traces TRUE with other clocks, except for the first. With the other
clocks, no edge is added, and the true time of each event lies within the limits that clocks states."""
import collections
import json
import subprocess
import sys

decode, *rest = sys.argv[1:]
true, moved = rest[: rest.index("--")], rest[rest.index("--") + 1 :]


def run(verb, traces, *options):
    p = subprocess.run([decode, verb, "--format=jsonl", *options, *traces], stdout=subprocess.PIPE, timeout=100, check=True)
    return [json.loads(line) for line in p.stdout.splitlines()]


def edges(traces):
    return collections.Counter((e["kind"], str(e["from"]), e["to"]) for e in run("edges", traces, "--reference=0") if e["type"] == "edge")


clocks = run("clocks", moved, "--reference=0")
hosts = [h for h in clocks if h["type"] == "host"]
places = collections.defaultdict(list)
for p in clocks:
    if p["type"] == "place":
        places[p["host"]].append(p)
of_process = {p: h["host"] for h in hosts for p in h["processes"]}
assert len(hosts) == len(true), hosts
component = {h["host"]: h["component"] for h in hosts}
(reference,) = (h["host"] for h in hosts if of_process[0] == h["host"])


def host_of(event):
    return of_process[int(event.split(".")[0])] if event else None


# The estimated offset may leave out edges (doc/clocks.md); it must not add any.
one, other = edges(true), edges(moved)
assert not other - one, list((other - one).items())[:5]
nr_missing = sum((one - other).values())


def events(traces):
    return [e for e in run("events", traces, "--no-stacks", "--reference=0") if e["type"] == "event"]


now = {e["id"]: e["ts"] for e in events(moved)}
nr, worst = 0, 0
for e in events(true):
    host = host_of(e["id"])
    if component[host] is None or component[host] != component[reference]:
        continue
    early = max(p["early"] for p in places[host]) if all(p["early"] is not None for p in places[host]) else float("inf")
    late = max(p["late"] for p in places[host]) if all(p["late"] is not None for p in places[host]) else float("inf")
    # the clock of one host follows the slewed CLOCK_MONOTONIC, the clocks of several hosts do not: allow 1 us
    wrong = now[e["id"]] - e["ts"]
    assert -late - 1000 <= wrong <= early + 1000, (e, wrong, early, late)
    nr, worst = nr + 1, max(worst, abs(wrong))
print(f"{nr} events within their limits, greatest error {worst} ns; {sum(other.values())} edges, {nr_missing} missing")
