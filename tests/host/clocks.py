# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
"""clocks.py ONE CLOCKS EDGES ORIGIN OFFSET DRIFT: compares the output of clocks and edges for two hosts with the truth. ONE are
the edges with one clock. The clock of the second host is this clock + OFFSET + DRIFT (ppm) of the time since ORIGIN, in ns."""
import collections
import json
import sys

one, clocks, edges = ([json.loads(line) for line in open(name)] for name in sys.argv[1:4])
origin, offset, drift = int(sys.argv[4]), int(sys.argv[5]), float(sys.argv[6])


def kinds(lines):
    return collections.Counter(e["kind"] for e in lines if e["type"] == "edge")


assert kinds(one) == kinds(edges), (kinds(one), kinds(edges))
assert kinds(one)["stream"] >= 600, kinds(one)

hosts = {h["name"]: h for h in clocks if h["type"] == "host"}
assert len(hosts) == 2 and sum(h["reference"] for h in hosts.values()) == 1, hosts
pairs = [p for p in clocks if p["type"] == "pair"]  # one for each segment; a loaded machine makes several segments
assert pairs and min(sum(p["messages"][way] for p in pairs) for way in (0, 1)) >= 300, pairs

# by the clock that both recordings share; the first segment begins within some ms of the first edge
begin = min(e["begin"] for e in one if e["type"] == "edge") - min(p["begin"] for p in pairs)
for pair in pairs:
    assert pair["state"] == "joined", pair
    true = offset + drift * 1e-6 * (begin + pair["at"] - origin)
    if pair["hosts"][0] == hosts["other"]["host"]:
        true = -true
    wrong = pair["offset"] - true
    low, high = pair["bounds"]
    print(f"error {wrong / 1000:.3f} us, bounds {low / 1000:.1f} {high / 1000:.1f} us")
    assert low - 1000 <= -wrong <= high + 1000, (true, pair)
