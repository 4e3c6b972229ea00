# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
"""
truth.py EVENTS EDGES [--precision=P] [--recall=R] [--none] [--alone] [--accepts]

Compares the hand-offs that were inferred (EDGES: syntrace-decode edges --kind=handoff --format=jsonl) with what
happened: the program's own marks in EVENTS (mark.h): item I is put in by the section that follows a write of 2 I + 1
bytes to a file, and taken out by the section before one of 2 I + 2 bytes.  With --accepts: an item is a connection,
put in by the section that follows its accept, and taken by the one before its first use by another thread.

--none: there must be no edge.  --alone: only those are looked at whose item was alone in the queue.

Prints the share of edges that are true (precision) and of items that have one (recall); fails when one is less than
wanted.  Edges from a section that puts in no item (a free place in a bounded queue, say) are counted apart.
"""
import argparse
import bisect
import collections
import json
import sys


def lines(path):
    with open(path) as file:
        return [json.loads(line) for line in file]


def place(ident):
    thread, _, number = ident.rpartition(".")
    return thread, int(number)


class Marks:
    """Per thread, the events that name an item, in order."""

    def __init__(self):
        self.at = collections.defaultdict(list)

    def add(self, ident, item):
        thread, number = place(ident)
        self.at[thread].append((number, item))

    def before(self, thread, number):
        marks = self.at[thread]
        i = bisect.bisect_left(marks, (number,))
        return marks[i - 1] if i else (-1, None)

    def after(self, thread, number):
        marks = self.at[thread]
        i = bisect.bisect_left(marks, (number,))
        return marks[i] if i < len(marks) else (-1, None)


def by_marks(events):
    puts, takes = Marks(), Marks()
    for e in events:
        if e["call"] == "pwrite" and (e.get("object") or "").startswith("file:"):
            item, is_taken = divmod(e["bytes"] - 1, 2)
            (takes if is_taken else puts).add(e["id"], item)
    return puts, takes


def by_accepts(events):
    puts, takes, accepted = Marks(), Marks(), {}
    for e in events:
        if e["call"] in ("accept", "accept4") and e["result"] >= 0:
            accepted[e["object"]] = place(e["id"])[0]
            puts.add(e["id"], e["object"])
        thread = accepted.get(e.get("object") or e.get("object2"))
        for name in (e.get("object"), e.get("object2")):
            if name in accepted and accepted[name] != place(e["id"])[0]:
                takes.add(e["id"], name)
                del accepted[name]
    return puts, takes


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("events")
    parser.add_argument("edges")
    parser.add_argument("--precision", type=float, default=0)
    parser.add_argument("--recall", type=float, default=0)
    parser.add_argument("--none", action="store_true")
    parser.add_argument("--alone", action="store_true")
    parser.add_argument("--accepts", action="store_true")
    args = parser.parse_args()

    events = sorted(lines(args.events), key=lambda e: place(e["id"]))
    events.sort(key=lambda e: e["ts"])
    edges = [x for x in lines(args.edges) if not args.alone or x["evidence"]["among"] == 1]
    puts, takes = (by_accepts if args.accepts else by_marks)(events)
    # acquisitions of each mutex by each thread
    locks = collections.defaultdict(list)
    for e in sorted(events, key=lambda e: place(e["id"])):
        thread, number = place(e["id"])
        for name in (e.get("object"), e.get("object2")):
            if name and name.startswith("mutex:") and "unlock" not in e["call"]:
                locks[thread, name].append(number)

    def nr_locks(thread, mutex, first, last):
        """Sections of THREAD that begin between two of its events."""
        mine = locks[thread, mutex]
        return bisect.bisect_left(mine, last) - bisect.bisect_right(mine, first)

    right = wrong = other = 0
    items = {item for marks in puts.at.values() for _, item in marks}
    found = set()
    for x in edges:
        thread, number = place(x["from"])
        marked, item = puts.before(thread, number)
        # the section of the unlock is the first one behind the mark; it may have waited for room
        if item is None or not is_first(locks[thread, x["object"]], events_of(events, thread), marked, number):
            other += 1
            continue
        thread, number = place(x["to"])
        marked, taken = takes.after(thread, number)
        if taken is not None and nr_locks(thread, x["object"], number, marked):
            taken = None
        if taken == item:
            right += 1
            found.add(item)
        else:
            wrong += 1
            if wrong <= 3:
                print(f"truth: item {item} was not taken there, but {taken}: {x}")
    total = right + wrong
    precision = right / total if total else 1
    recall = len(found) / len(items) if items else 0
    print(f"truth: {len(items)} items, {right} hand-offs right, {wrong} wrong, {other} of other things; "
          f"precision {precision:.3f}, recall {recall:.3f}")
    if args.none:
        return total != 0
    if not items:
        print("truth: no item was marked")
        return 1
    return precision < args.precision or recall < args.recall


def events_of(events, thread, cache={}):
    """The calls of a thread by number."""
    if thread not in cache:
        cache[thread] = {place(e["id"])[1]: e for e in events if place(e["id"])[0] == thread}
    return cache[thread]


def is_first(acquired, mine, marked, number):
    """Whether the unlock NUMBER ends the first section that begins behind MARKED."""
    between = [n for n in acquired[bisect.bisect_right(acquired, marked):] if n < number]
    return len([n for n in between if "wait" not in mine[n]["call"]]) == 1


sys.exit(main())
