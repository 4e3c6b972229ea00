# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
"""two-traces.py ONE TWO BOTH: the traces ONE and TWO have the same edges together (BOTH) as alone. NAME.edges has the edges of a
trace, and NAME.info the list of its dumps. The decoder sorts the two traces by their trace ids."""
import collections
import json
import sys


def lines(path):
    with open(path) as file:
        yield from map(json.loads, file)


def edges(name, names):
    """Returns the edges between the dumps NAMES, which are in the order of their numbers."""
    found = collections.Counter()
    for edge in lines(name + ".edges"):
        if edge["type"] != "edge":
            continue
        ends = []
        for end in "from", "to":
            image, _, event = edge[end].partition(".")
            ends.append((names.get(image, image), event))  # a round of a barrier is in no dump
        found[edge["kind"], ends[0], ends[1]] += 1
    return found


def dumps(name):
    """Returns the path of the dump of each number of a process image."""
    return {str(line["process"]): line["dump"] for line in lines(name + ".info") if line["type"] == "dump"}


one, two, both = sys.argv[1:]
alone = edges(one, dumps(one)) + edges(two, dumps(two))
together = edges(both, dumps(both))
for what, counter in ("missing", alone - together), ("added", together - alone):
    for edge in counter:
        print(f"{what}: {edge}")
print(f"{alone.total()} edges alone, {together.total()} together")
sys.exit(alone != together or not alone)
