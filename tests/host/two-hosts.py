# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
"""two-hosts.py ONE BOTH: the trace BOTH, which is two copies of the trace ONE, has the edges of ONE twice, and no edge between
the copies. NAME.edges has the edges of a trace, and NAME.info the list of its dumps."""
import collections
import json
import sys


def lines(path):
    with open(path) as file:
        yield from map(json.loads, file)


def images(name):
    """Returns the rank of each number of a process image."""
    numbers = sorted(line["process"] for line in lines(name + ".info") if line["type"] == "dump")
    return {str(number): rank for rank, number in enumerate(numbers)}


def edges(name, nr):
    """Returns the edges within each copy of NR images, without times, and the edges between copies."""
    ranks = images(name)
    within, between = collections.defaultdict(collections.Counter), []
    for edge in lines(name + ".edges"):
        if edge["type"] != "edge":
            continue
        copies = set()
        for end in "from", "to":
            image, _, event = edge[end].partition(".")
            if image in ranks:  # the other end is a round of a barrier
                copies.add(ranks[image] // nr)
                edge[end] = f"{ranks[image] % nr}.{event}"
        del edge["begin"], edge["end"]
        if len(copies) == 1:
            within[copies.pop()][json.dumps(edge)] += 1
        else:
            between.append(edge)
    return within, between


one, both = sys.argv[1:]
nr = len(images(one))
alone, _ = edges(one, nr)
copies, between = edges(both, nr)
failed = len(images(both)) != 2 * nr or len(alone) != 1
for edge in between:
    print("between the hosts:", edge)
    failed = 1
for copy in range(2):
    for what, counter in ("missing", alone[0] - copies[copy]), ("added", copies[copy] - alone[0]):
        for edge in counter:
            print(f"{what} on host {copy}:", edge)
            failed = 1
print(f"{nr} images, {alone[0].total()} edges, with the copy {sum(c.total() for c in copies.values())}")
sys.exit(failed)
