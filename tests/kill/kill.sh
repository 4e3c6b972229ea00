#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# A program that counts its own calls is killed at random times, and ends in every other sudden way: each
# thread's trace has every call that was counted, and at most the one more that was under way.
#
# An event's number counts from the thread's first event, also over what the ring has overwritten, so the
# last number says how many were recorded; in stream mode all of them must also be there.
. "$(dirname "$0")/../lib.sh"

worker=$top_builddir/tests/kill/worker
runs=10
[ -z "${SYNTRACE_TEST_LONG:-}" ] || runs=100
seed=$(date +%s)
echo "seed $seed"

# check MODE WHAT: the tallies in $dir/tally against the trace in $dir/trace.
check()
{
	timeout 60 "$decode" events --format=jsonl --no-stacks "$dir/trace" >"$dir/events" 2>"$dir/err" ||
		fail "$2: exit status of syntrace-decode: $(cat "$dir/err")"
	od -An -v -t u8 -w16 "$dir/tally" >"$dir/tallies"
	awk -v mode="$1" -v what="$2" '
		function field(name) {
			match($0, "\"" name "\":\"?[^\",}]*")
			value = substr($0, RSTART, RLENGTH)
			sub(/^[^:]*:"?/, "", value)
			return value
		}
		BEGIN {
			counted = "^(pthread_mutex_lock|pthread_mutex_unlock|sem_post|sem_wait|write|read)$"
		}
		NR == FNR {
			if ($2) {
				calls[$2] = $1
				all += $1
			}
			next
		}
		{
			tid = field("tid")
			if (!(tid in calls))
				next
			n = field("id")
			sub(/.*\./, "", n)
			if (!(tid in first))
				first[tid] = n
			else if (n != last[tid] + 1) {
				printf "%s: tid %s: event %s follows %s\n", what, tid, n, last[tid]
				bad = 1
			}
			last[tid] = n
			if (field("call") ~ counted)
				decoded[tid]++
			else
				other[tid]++
		}
		END {
			for (tid in calls) {
				recorded = first[tid] + decoded[tid]
				if (mode == "stream" && first[tid] != 0) {
					printf "%s: tid %s begins with number %s\n", what, tid, first[tid]
					bad = 1
				}
				# The few other events stand at the beginning: in the ring they may be gone.
				least = calls[tid]
				most = calls[tid] + 1 + (first[tid] > 0 ? 8 : 0)
				if (recorded < least || recorded > most) {
					printf "%s: tid %s counted %d calls, %d are recorded, %d decoded\n",
						what, tid, calls[tid], recorded, decoded[tid]
					bad = 1
				}
				gone += first[tid]
				there += decoded[tid]
			}
			printf "%s: %d calls counted, %d decoded, %d overwritten\n", what, all, there, gone
			exit bad
		}' "$dir/tallies" "$dir/events" || fail "$2: see above"
	[ "$(awk '$2 { n++ } END { print n + 0 }' "$dir/tallies")" = 4 ] || echo "note: not all threads ran"
}

# begin HOW MS: the worker in the background, traced as $mode says.
begin()
{
	rm -rf "$dir/trace" "$dir/tally"
	env SYNTRACE_DIR="$dir/trace" SYNTRACE_MODE="$mode" SYNTRACE_RING=256K LD_PRELOAD="$lib" \
		"$worker" "$dir/tally" "$@" 2>"$dir/err" &
	pid=$!
	remember
}

for mode in stream ring; do
	run=0
	while [ $run -lt $runs ]; do
		delay=$(awk -v seed="$seed$run" 'BEGIN { srand(seed); printf "%.3f", 0.01 + rand() * 0.1 }')
		begin wait 1
		within 10 test -s "$dir/tally"
		sleep "$delay"
		kill -KILL $pid
		wait $pid 2>/dev/null
		check $mode "$mode, killed after $delay s"
		run=$((run + 1))
	done
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
