# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
"""Shared by the tests of reports: reads a report in JSON lines, and compares its parts with the whole."""
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


def read(path, verb):
    """The report's lines by their type; VERB: of the second line, behind the coverage."""
    with open(path, encoding="utf-8") as file:
        lines = [json.loads(line) for line in file]
    of = collections.defaultdict(list)
    for line in lines:
        if line["v"] != 1:
            bad("not version 1")
        of[line["type"]].append(line)
    if [line["type"] for line in lines[:2]] != ["coverage", verb]:
        bad("does not begin with what it covers")
    return of


def finish():
    sys.exit(failed)
