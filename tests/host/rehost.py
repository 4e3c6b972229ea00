# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
"""rehost.py ORIGINAL COPY ORIGIN OFFSET DRIFT AMPLITUDE PERIOD: compares the events of a trace and of its copy. The times of
the copy differ by the function that tests/lib/rehost documents; all other members are equal."""
import json
import math
import sys

MOST_NS = 20  # rounding to ticks and to ns, and a clock rate that is only nominal

origin, offset, drift, amplitude, period = map(float, sys.argv[3:])


def moved(t):
    since = t - origin
    ahead = offset + drift * since / 1e6 + amplitude * math.sin(2 * math.pi * since / period)
    return t + ahead


failed = 0
worst = 0
with open(sys.argv[1]) as original, open(sys.argv[2]) as copy:
    for nr, (line, other_line) in enumerate(zip(original, copy, strict=True), 1):
        event, other = json.loads(line), json.loads(other_line)
        ts, dur = event.pop("ts"), event.pop("dur")
        other_ts, other_dur = other.pop("ts"), other.pop("dur")
        if event != other:
            print(f"event {nr} differs: {line}{other_line}")
            failed = 1
        # the stamp is the begin or the end of the call
        length = min((moved(ts + dur) - moved(ts), moved(ts) - moved(ts - dur)), key=lambda d: abs(d - other_dur))
        worst = max(worst, abs(other_ts - moved(ts)), abs(other_dur - length))
print(f"{nr} events, worst {worst:.1f} ns from the truth")
if worst > MOST_NS or nr < 12000:
    failed = 1
sys.exit(failed)
