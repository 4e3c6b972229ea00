#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# The edges of futexes. tests/calls/futex.c: each edge. tests/calls/waits.cc: one edge for each
# thread that was woken while it slept, and a source for each wait of thousands of threads that wake
# each other.
. "$(dirname "$0")/../lib.sh"
: "${CXX:=c++}"

# "THREAD CALL > THREAD CALL CLASS" of each futex edge in directory $1; "~": an ambiguous edge.
edges()
{
	"$decode" edges --kind=futex "$dir/$1" >"$dir/edges" || fail "exit status $? of syntrace-decode edges"
	sed -E 's/^[0-9.]+ futex +([0-9]+\.[0-9]+)\.[0-9]+ ([a-z_]+) .*(--|\.\.|~~)> ([0-9]+\.[0-9]+)\.[0-9]+ ([a-z_]+) .*/\1 \2 \3 \4 \5/' \
		"$dir/edges" | sort
}

timeout -k 5 60 env SYNTRACE_DIR="$dir/calls" LD_PRELOAD="$lib" "$top_builddir/tests/calls/futex.call" >"$dir/said" ||
	fail "exit status $? of futex.call"
{
	cat <<'END'
0.0 futex_wake -- 0.1 futex_wait
0.0 futex_wake -- 0.2 futex_wait
0.0 futex_wake -- 0.3 futex_wait
0.0 futex_requeue -- 0.4 futex_wait
0.0 futex_wake_op -- 0.5 futex_wait
0.0 futex_unlock_pi .. 0.6 futex_lock_pi
0.6 futex_unlock_pi .. 0.0 futex_trylock_pi
0.0 futex_unlock_pi .. 0.7 futex_wait_requeue_pi
0.0 futex_cmp_requeue_pi -- 0.7 futex_wait_requeue_pi
0.0 futex_wake -- 1.0 futex_wait
END
	grep -q 'no futex_waitv' "$dir/said" || {
		echo '0.0 futex_wake -- 0.8 futex_waitv'
		grep -q 'no futex_wake' "$dir/said" || echo '0.0 futex_wake -- 0.9 futex_wait'
	}
} | sort >"$dir/wanted"
edges calls | diff "$dir/wanted" - || fail "other edges than these"

if ! command -v "$CXX" >/dev/null || ! "$CXX" -std=c++20 -g -o "$dir/waits" "$top_srcdir/tests/calls/waits.cc" -pthread; then
	echo "waits.cc: not tested, there is no compiler for C++20"
	finish
fi
timeout -k 5 60 "$dir/waits" >"$dir/untraced" || fail "exit status $? without the recorder"
timeout -k 5 60 env SYNTRACE_DIR="$dir/waits.trace" LD_PRELOAD="$lib" "$dir/waits" >"$dir/traced" ||
	fail "exit status $? with the recorder"
diff "$dir/untraced" "$dir/traced" || fail "it says something else with the recorder"
cat "$dir/traced"
edges waits.trace >"$dir/all"
for thread in 1 2 3 4 5 6 7 8; do
	grep -q "^0\.0 futex_wake -- 0\.$thread futex_wait" "$dir/all" || fail "no edge for the wake-up of thread $thread"
done
"$decode" edges --verify "$dir/waits.trace" || fail "edges --verify"
check_trace "$dir/waits.trace"
"$decode" stat "$dir/waits.trace" | tail -7 | tr '\n' ' ' >"$dir/stat"
cat "$dir/stat"
grep -q ' 0 lost or overwritten\.  *The unlock, wake-up or send before 0 of .* is unknown\.  *No  *blind spots\.' "$dir/stat" || fail "waits without a cause"
finish
