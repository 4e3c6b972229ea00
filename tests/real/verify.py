# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
"""
verify.py FORMAT-DIRECTORY DIRECTORY [--bytes=all|some] [--edges KIND=LEAST]... [--images LEAST]
          [--before FILE] [--only REASON]...

Checks the decoder's JSON lines (DIRECTORY/events, DIRECTORY/edges with --program, DIRECTORY/stat.jsonl)
without the decoder's code, from what the contract says alone:

  * every event has an id of its own; each thread's are numbered without a gap and in time order;
  * every edge joins two events, of different threads unless it is the program order, and no edge runs
    backwards between the two instants that its kind names;
  * the relation of all instants is acyclic;
  * every byte received on a stream or pipe has its edge (--bytes=all), and no byte has two;
  * acquires and bytes without a source are so for the reasons named, if any is, and nothing else is blind (--only);
  * there are as many edges of the kinds named, and process images, as the caller knows there must be;
  * for each line `before A B` of FILE, the sem_post on semaphore A comes before that on B, by a path of edges.
"""
import argparse
import collections
import json
import re
import sys

# Time in the JSON lines is cut to whole ns, and `in` is computed from two such numbers.
SLACK_NS = 2

# The instants that an edge joins, by kind; all others go from the source's in to the target's out.
INSTANTS = {"create": ("in", "in"), "fork": ("in", "in"), "exec": ("in", "in"),
            "join": ("out", "out"), "reap": ("out", "out"), "once": ("out", "out"),
            "program": ("out", "in")}

failed = 0


def fail(text):
    global failed
    failed += 1
    if failed <= 10:
        print("verify:", text)


def load_tables(directory):
    """The calls' shapes, and the shapes whose ordering stamp is `in`, from the shared tables."""
    shapes = dict(re.findall(r"^(?:CALL|FAST|HAND|OMP|MARK)\(\s*(\w+),\s*(\w+)",
                             open(directory + "/calls.def").read(), re.M))
    stamps = dict(re.findall(r"^SHAPE\((\w+),[^,]*,\s*(IN|OUT),",
                             open(directory + "/shapes.def").read(), re.M))
    if not set(shapes.values()) <= set(stamps):
        fail(f"no stamps of the shapes {set(shapes.values()) - set(stamps)}")
    return shapes, {shape for shape, stamp in stamps.items() if stamp == "IN"}


def lines(path):
    with open(path) as file:
        for number, line in enumerate(file, 1):
            try:
                yield json.loads(line)
            except ValueError as error:
                fail(f"{path}:{number}: not JSON: {error}")


def load_events(path, shapes, releases):
    """id -> event with `in` and `out`; checks numbering and order."""
    events, last_ts, numbers = {}, -1, {}
    for e in lines(path):
        ident = e["id"]
        if ident in events:
            fail(f"two events are called {ident}")
        if e["ts"] < last_ts:
            fail(f"event {ident} is printed after a later one")
        last_ts = e["ts"]
        thread, _, number = ident.rpartition(".")
        if thread in numbers and int(number) != numbers[thread] + 1:
            fail(f"event {ident} follows number {numbers[thread]}")
        numbers[thread] = int(number)
        dur = e.get("dur") or 0
        shape = shapes.get(e["call"])
        if shape is None:
            fail(f"event {ident}: no call {e['call']} in the table")
        if shape in releases:
            e["in"], e["out"] = e["ts"], e["ts"] + dur
        else:
            e["in"], e["out"] = e["ts"] - dur, e["ts"]
        e["shape"] = shape
        events[ident] = e
    return events


def thread_of(ident):
    return ident.rpartition(".")[0]


def check_edges(path, events):
    """Checks each edge; returns (counts by kind, bytes by receiver, arcs between instants)."""
    kinds, matched = collections.Counter(), collections.Counter()
    arcs = [((i, "in"), (i, "out")) for i in events]
    for x in lines(path):
        kind = x["kind"]
        kinds[kind] += 1
        begin, end = INSTANTS.get(kind, ("in", "out"))
        source, target = events.get(x["from"]), events.get(x["to"])
        for name, event in (("from", source), ("to", target)):
            if event is None and not (kind in ("barrier", "task") and "@" in x[name]):
                fail(f"edge {x}: no event {x[name]}")
        if source and target:
            if source[begin] > target[end] + SLACK_NS:
                fail(f"edge backwards in time by {source[begin] - target[end]} ns: {x}")
            if kind != "program" and thread_of(x["from"]) == thread_of(x["to"]) and \
                    kind not in ("stream", "datagram", "queue", "ready", "eof", "sem", "signal", "timer", "reap", "exec"):
                fail(f"edge within one thread: {x}")
        if "bytes" in x and not x.get("ambiguous"):
            matched[x["to"]] += x["bytes"]
        elif "bytes" in x:
            matched[x["to"]] = max(matched[x["to"]], events[x["to"]]["bytes"])
        arcs.append(((x["from"], begin if source else ""), (x["to"], end if target else "")))
    return kinds, matched, arcs


def add_thread_order(events, arcs):
    """What an event has between its begin and its end (tasks run in a wait, signal handlers)."""
    threads = collections.defaultdict(list)
    for ident, e in events.items():
        thread, _, row = ident.rpartition(".")
        threads[thread] += [(e["in"], int(row), "in", ident), (e["out"], int(row), "out", ident)]
    for instants in threads.values():
        # a begin that is stamped as another event ends comes after it, but for that event's own
        instants.sort(key=lambda i: (i[0], i[1], i[2] == "out"))
        for a, b in zip(instants, instants[1:]):
            arcs.append(((a[3], a[2]), (b[3], b[2])))


def check_before(path, events, follows, bit_of):
    posts = {e["object"].split(":")[1].split("#")[0]: ident
             for ident, e in events.items() if e["call"] == "sem_post"}
    pairs = 0
    for line in open(path):
        if line.startswith("before "):
            a, b = (posts[word] for word in line.split()[1:3])
            pairs += 1
            if not follows[(b, "out")] & bit_of[(a, "in")]:
                fail(f"no path from {a} to {b}")
    print(f"verify: {pairs} pairs have a path")


def check_acyclic(arcs, marks):
    """Removes what nothing precedes until nothing is left; returns which marks each instant follows."""
    after, degree = collections.defaultdict(list), collections.Counter()
    for a, b in arcs:
        after[a].append(b)
        degree[b] += 1
        degree[a] += 0
    ready = [n for n, d in degree.items() if d == 0]
    left = len(degree)
    follows = collections.defaultdict(int)
    while ready:
        left -= 1
        a = ready.pop()
        mine = follows[a] | marks.get(a, 0)
        for b in after[a]:
            follows[b] |= mine
            degree[b] -= 1
            if degree[b] == 0:
                ready.append(b)
    if left:
        fail(f"{left} instants lie on or after a cycle, "
             f"e.g. {[n for n, d in degree.items() if d > 0][:4]}")
    return follows


def check_bytes(events, matched, want_all):
    received = unmatched = 0
    for ident, e in events.items():
        # A transfer takes from its second object what it gives to its first.
        source = e.get("object2" if e["shape"] == "TRANSFER" else "object")
        kind = (source or "").split(":")[0]
        if e["shape"] not in ("RECV", "TRANSFER") or kind not in ("stream", "pipe"):
            continue
        size = e.get("bytes") or 0
        received += size
        if matched[ident] > size:
            fail(f"event {ident} received {size} bytes, its edges bring {matched[ident]}")
        if matched[ident] < size:
            unmatched += size - matched[ident]
            if want_all:
                fail(f"event {ident} ({e['call']} on {source}): {size - matched[ident]} of "
                     f"{size} bytes have no edge")
    share = 100 * (received - unmatched) / received if received else 100
    print(f"verify: {received} bytes received on streams and pipes, {share:.3f} % matched")


def check_reasons(path, only):
    (coverage,) = (x for x in lines(path) if x["type"] == "coverage")
    for member in "unattributed", "bytes_unmatched":
        others = {reason: nr for reason, nr in coverage[member].items() if reason not in only}
        if others:
            fail(f"{member}: {others}, expected only {only}")
    if coverage["blind"]:
        fail(f"blind: {coverage['blind']}")
    share = coverage["acquires"] - coverage["attributed"] - coverage["unneeded"]
    print(f"verify: {share} of {coverage['acquires']} acquires unattributed, all of them {only}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("format")
    parser.add_argument("directory")
    parser.add_argument("--bytes", choices=("all", "some"), default="all")
    parser.add_argument("--edges", action="append", default=[])
    parser.add_argument("--images", type=int, default=1)
    parser.add_argument("--before")
    parser.add_argument("--only", action="append")
    args = parser.parse_args()

    shapes, releases = load_tables(args.format)
    events = load_events(args.directory + "/events", shapes, releases)
    kinds, matched, arcs = check_edges(args.directory + "/edges", events)
    marks = {}
    if args.before:
        add_thread_order(events, arcs)
        marks = {(ident, "in"): 1 << n for n, ident in enumerate(events)
                 if events[ident]["call"] == "sem_post"}
    follows = check_acyclic(arcs, marks)
    if args.before:
        check_before(args.before, events, follows, marks)
    check_bytes(events, matched, args.bytes == "all")
    if args.only:
        check_reasons(args.directory + "/stat.jsonl", args.only)
    images = {i.split(".")[0] for i in events}
    if len(images) < args.images:
        fail(f"{len(images)} process images, expected {args.images}")
    for wanted in args.edges:
        kind, _, least = wanted.partition("=")
        if kinds[kind] < int(least):
            fail(f"{kinds[kind]} edges of kind {kind}, expected at least {least}")
    print(f"verify: {len(images)} images, {len({thread_of(i) for i in events})} threads, "
          f"{len(events)} events, edges: {dict(kinds.most_common())}")
    if failed:
        print(f"verify: {failed} findings")
    return 1 if failed else 0


sys.exit(main())
