#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
"""compare.py EXPECTED EVENTS: holds decoded events (JSON lines) against the lines of tests/calls/expect.h."""

import errno
import json
import sys

MARKS = {"process_start", "process_end", "thread_start", "thread_end"}
# These calls have an event only if they were long, which also depends on the load of the machine.
MARKS |= {"open", "openat", "__open_2", "__openat_2", "creat", "fopen"}


class Expected:
    def __init__(self, path):
        self.threads, self.ignore, self.only, self.images = {}, set(), set(), set()
        for number, line in enumerate(open(path), 1):
            words = line.split()
            if not words or line.startswith("#"):
                continue
            if words[0] == "ignore":
                self.ignore.update(words[1:])
            elif words[0] == "only":
                self.only.update(words[1:])
            elif words[0] == "image":
                self.images.add(words[1])
            elif len(words) < 4:
                sys.exit(f"{path}:{number}: not an expectation: {line.strip()}")
            else:
                self.threads.setdefault(words[0], []).append((number, words[1:]))
        self.marks = {w[0] for lines in self.threads.values() for _, w in lines} & MARKS

    def wants(self, event):
        call = event["call"]
        if event["id"].split(".")[0] in self.images or call in self.ignore:
            return False
        if call in MARKS and call not in self.marks:
            return False
        return not self.only or call in self.only


class Matcher:
    def __init__(self):
        self.names = {}
        self.taken = set()  # (kind, identity) that a name stands for

    def word(self, want, got):
        """One word; a `$name` takes the first value that it meets."""
        if want == "*":
            return True
        if want.startswith("$"):
            return self.names.setdefault(want, got) == got
        return want == got

    def object(self, want, got):
        if want == "-" or got is None:
            return want == "-" and got is None
        kind, _, identity = want.partition(":")
        got_kind, _, got_identity = got.partition(":")
        if "#" not in identity:
            got_identity = got_identity.partition("#")[0]
        if identity.startswith("$") and identity not in self.names:
            if (kind, got_identity) in self.taken:
                return False
            self.taken.add((kind, got_identity))
        return kind == got_kind and self.word(identity, got_identity)

    def ready(self, want, got):
        wants = want.split(",")
        if len(wants) != len(got):
            return False
        for one, entry in zip(wants, got):
            what, _, events = one.rpartition(":")
            if sorted(events.split("+")) != sorted(entry["events"]):
                return False
            if not self.object("-" if what == "?" else what, entry["object"]):
                return False
        return True

    def field(self, name, want, event):
        if name == "flag":
            return want in event.get("flags", [])
        if name == "noflag":
            return want not in event.get("flags", [])
        if name == "flags":
            return sorted(w for w in want.split(",") if w) == sorted(event.get("flags", []))
        if name not in event or event[name] is None:
            return want == "-"
        if name == "ready":
            return self.ready(want, event[name])
        if name == "errno" and not want.isdigit():
            return errno.errorcode.get(event[name]) == want
        if name == "object2":
            return self.object(want, event[name])
        return self.word(want, str(event[name]))

    def event(self, words, event):
        call, what, result, *fields = words
        return (
            call == event["call"]
            and self.object(what, event["object"])
            and self.word(result, str(event["result"]))
            and all(self.field(*f.split("=", 1), event) for f in fields)
        )


def short(event):
    rest = {k: v for k, v in event.items() if k not in ("v", "type", "id", "pid", "tid", "ts", "call", "object", "result")}
    return f"{event['id']} {event['call']} {event['object']} {event['result']} {rest}"


def main():
    expected, matcher = Expected(sys.argv[1]), Matcher()
    threads, bad = {}, 0
    for line in open(sys.argv[2]):
        event = json.loads(line)
        if expected.wants(event):
            threads.setdefault(event["id"].rpartition(".")[0], []).append(event)
    for name in sorted(set(threads) | set(expected.threads)):
        want, got = expected.threads.get(name, []), threads.get(name, [])
        for i in range(max(len(want), len(got))):
            if i < len(want) and i < len(got) and matcher.event(want[i][1], got[i]):
                continue
            bad += 1
            print(f"thread {name}, event {i}:")
            print("  expected", " ".join(want[i][1]) if i < len(want) else "nothing")
            print("  decoded ", short(got[i]) if i < len(got) else "nothing")
            break  # the rest would be noise
    nr = sum(len(lines) for lines in expected.threads.values())
    print(f"{nr} events expected in {len(expected.threads)} threads, {bad} threads differ")
    if not nr:
        sys.exit("nothing was expected")
    sys.exit(bad > 0)


main()
