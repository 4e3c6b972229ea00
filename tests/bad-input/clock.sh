#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# The header's last clock pair is under no checksum: a damaged one is named with its position and left out, and the times
# stay right by the other pairs.
. "$(dirname "$0")/../lib.sh"
need python3
cd "$dir" || exit 99

# Three images, the last two 0.3 s later: their first pairs tell the rate of the clock.
SYNTRACE_DIR=whole LD_PRELOAD="$lib" sh -c 'sleep 0.3; "$1"; :' sh "$top_builddir/tests/calls/sem.call" >said ||
	fail "exit status $?"
"$decode" events --format=jsonl --no-stacks whole >events 2>err || fail "exit status $? of events"
[ ! -s err ] || fail "messages about a trace in order: $(cat err)"

# MEMBER OFFSET BIT: the trace with this bit of the first image's pair changed.
damaged()
{
	rm -rf bad
	cp -r whole bad
	python3 - "$2" "$3" bad/0000.*.dump <<'END' || fail "no dump to damage"
import sys
with open(sys.argv[3], "r+b") as f:
    f.seek(392 + int(sys.argv[1]))  # struct syt_file, latest
    value = int.from_bytes(f.read(8), "little") ^ 1 << int(sys.argv[2])
    f.seek(392 + int(sys.argv[1]))
    f.write(value.to_bytes(8, "little"))
END
	status 0 "$decode" events --format=jsonl --no-stacks bad >bad.events 2>err
	at=$(printf 'byte 0x%x' $((392 + $2)))
	grep -q "0000.*$at: latest.$1 contradicts the other clock pairs" err || {
		fail "bit $3 of latest.$1: no message with its position"
		cat err
	}
	python3 - "$1, bit $3" <<'END' || fail "times are wrong"
import json, sys
def stamps(name):
    return {e["id"]: e["ts"] for e in map(json.loads, open(name)) if "id" in e}
good, bad = stamps("events"), stamps("bad.events")
far = [i for i in good if abs(good[i] - bad.get(i, 0)) > 100000]
if not good or far:
    sys.exit(f"{sys.argv[1]}: {len(far)} of {len(good)} events are more than 100 us off, e.g. {far[:1]}")
END
	status 3 "$decode" events --fail-on-loss bad >bad.events 2>err
}

for bit in 30 34 40 62; do
	damaged ticks 0 $bit
	damaged mono_ns 8 $bit
done
finish
