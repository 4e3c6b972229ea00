#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# Three tasks that share one thread-local memory record at the same time (tests/calls/clone.c): every event of each
# is in the trace, whole, and in order. CLONE_ROUNDS: pairs of events for each (default 100000).
. "$(dirname "$0")/../lib.sh"
rounds=${CLONE_ROUNDS:-100000}

timeout -k 5 240 env SYNTRACE_DIR="$dir/trace" SYNTRACE_MODE=stream LD_PRELOAD="$lib" \
	"$top_builddir/tests/calls/clone.call" "$rounds" >"$dir/said" || fail "exit status $?"
"$decode" stat --fail-on-loss "$dir/trace" >"$dir/stat" || fail "the trace is not whole"
cat "$dir/stat"
for thread in 0.2 0.3; do
	grep -qE "^ *$thread +[0-9]+ +$((2 * rounds + 2))( |$)" "$dir/stat" ||
		fail "thread $thread has not $((2 * rounds + 2)) events"
done
# Each event of a thread must have the thread's own mutex: an event of another thread would have
# another.
timeout -k 5 240 "$decode" events --format=jsonl --no-stacks "$dir/trace" >"$dir/events" ||
	fail "exit status $? of syntrace-decode events"
awk -F'"' -v rounds="$rounds" '
/"call":"pthread_mutex_(un)?lock"/ {
	thread = $0; sub(/.*"id":"/, "", thread); sub(/\.[0-9]+".*/, "", thread)
	object = $0; sub(/.*"object":"/, "", object); sub(/".*/, "", object)
	nr[thread " " object]++
}
END {
	for (i in nr)
		if (nr[i] == 2 * rounds) {
			split(i, words, " "); threads[words[1]] = 1; objects[words[2]] = 1
		} else if (nr[i] > 4) {
			print i ": " nr[i]; bad = 1
		}
	for (i in threads) nr_threads++
	for (i in objects) nr_objects++
	exit bad || nr_threads != 3 || nr_objects != 3
}' "$dir/events" || fail "events of one thread are among those of another"
"$decode" edges --verify "$dir/trace" || fail "edges --verify"
check_trace "$dir/trace"
finish
