#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# A program that counts its own calls is killed at random times, and ends in every other sudden way.
# Each thread's trace has every counted call, and at most one more, which was running.
#
# In stream mode all of them must be decodable; in ring mode, where the oldest are overwritten, the
# thread's numbering must account for them.
. "$(dirname "$0")/../lib.sh"

need jq
worker=$top_builddir/tests/robustness/killed
runs=4
[ -z "${SYNTRACE_TEST_LONG:-}" ] || runs=100
seed=$(date +%s)
echo "seed $seed"

# Besides the counted calls, a thread starts, and makes a semaphore and a pipe.
others=3

# "tid recorded decoded" of each thread of $dir/trace, from the events themselves.
from_events()
{
	"$decode" events --format=jsonl --no-stacks "$dir/trace" | awk '
		{
			match($0, /"id":"[^"]*"/)
			n = substr($0, RSTART + 6, RLENGTH - 7)
			sub(/.*\./, "", n)
			match($0, /"tid":[0-9]+/)
			tid = substr($0, RSTART + 6, RLENGTH - 6)
			if (n != nr[tid] + 0)
				print "event number", n, "of tid", tid, "follows", nr[tid] - 1
			nr[tid] = n + 1
		}
		END {
			for (tid in nr)
				print tid, nr[tid], nr[tid]
		}'
}

# The same from the account of `stat`: the ring holds far more events than it is worth to print.
from_stat()
{
	"$decode" stat --format=jsonl "$dir/trace" | jq -r '
		select(.type == "thread") | "\(.tid) \(.first + .events + .missing) \(.events)"'
}

# Every thread has lost its oldest events.
rings_are_full()
{
	sleep 0.5
	from_stat 2>/dev/null | awk '$2 > $3 { n++ } END { exit n < 4 }'
}

# check MODE WHAT: the tallies in $dir/tally against the trace in $dir/trace.
check()
{
	case $1 in
	stream) from_events ;;
	ring) from_stat ;;
	esac >"$dir/recorded" 2>"$dir/err"
	od -An -v -t u8 -w16 "$dir/tally" | awk '$2 { print $2, $1 }' >"$dir/tallies"
	awk -v what="$2" -v others=$others '
		NR == FNR {
			if (NF != 3) {
				print what ": " $0
				bad = 1
			}
			recorded[$1] = $2
			decoded[$1] = $3
			next
		}
		{
			calls += $2
			there += decoded[$1]
			gone += recorded[$1] - decoded[$1]
			more = recorded[$1] - others - $2
			if (more < 0 || more > 1) {
				printf "%s: tid %s counted %d calls, %d are recorded\n", what, $1, $2,
					recorded[$1] - others
				bad = 1
			}
		}
		END {
			printf "%s: %d calls counted, %d events decoded, %d overwritten\n", what, calls, there, gone
			exit bad
		}' "$dir/recorded" "$dir/tallies" || fail "$2: $(cat "$dir/err")"
	[ "$(wc -l <"$dir/tallies")" = 4 ] || echo "note: not all threads ran"
	[ ! -s "$dir/err" ] || cat "$dir/err"
	check_trace "$dir/trace"
}

# begin HOW MS: the worker in the background, traced as $mode says.
begin()
{
	rm -rf "$dir/trace" "$dir/tally"
	env SYNTRACE_DIR="$dir/trace" SYNTRACE_MODE="$mode" SYNTRACE_RING=32K LD_PRELOAD="$lib" \
		"$worker" "$dir/tally" "$@" $loops 2>/dev/null &
	pid=$!
	remember
}

for mode in stream ring; do
	[ $mode = stream ] && loops=10000 || loops=0
	run=0
	while [ $run -lt $runs ]; do
		delay=$(awk -v seed="$((seed % 100000))$run" 'BEGIN { srand(seed); printf "%.3f", 0.01 + rand() * 0.1 }')
		begin wait 1
		within 10 test -s "$dir/tally"
		sleep "$delay"
		kill -KILL $pid
		wait $pid 2>/dev/null
		check $mode "$mode, killed after $delay s"
		run=$((run + 1))
	done
	if [ $mode = ring ]; then
		begin wait 1
		within 6 rings_are_full || fail "after 120 looks, a ring is not full"
		kill -KILL $pid
		wait $pid 2>/dev/null
		check $mode "$mode, killed after every ring was full"
	fi
	for how in _exit quick_exit abort segv; do
		begin $how 80
		wait $pid 2>/dev/null
		ended=$?
		case $how in
		abort) wanted=134 ;;
		segv) wanted=139 ;;
		*) wanted=0 ;;
		esac
		[ $ended = $wanted ] || fail "$mode, $how: exit status $ended instead of $wanted"
		check $mode "$mode, $how"
	done
done
finish
