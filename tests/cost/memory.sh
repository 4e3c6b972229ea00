#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# The memory of the recorder for a thread that makes three events and then waits, as the kernel
# counts pages: the difference between a traced and an untraced process.
. "$(dirname "$0")/../lib.sh"

THREADS=400
LIMIT=$((32 * 1024)) # bytes a thread: the budget (tests/bench/budgets)

need awk
[ -r /proc/self/smaps_rollup ] || skip "no /proc/self/smaps_rollup"

# rss [LIB]: bytes that the threads take.
rss()
{
	timeout -k 5 60 env ${1:+LD_PRELOAD="$1"} SYNTRACE_DIR="$dir/trace" "$top_builddir/syntrace-bench-memory" idle \
		$THREADS alive | awk '/rss_bytes/ { print $3 }'
}

plain=$(rss)
traced=$(rss "$lib")
[ "${plain:-0}" -gt 0 ] && [ "${traced:-0}" -gt 0 ] || {
	fail "the program did not tell its memory: untraced '$plain', traced '$traced'"
	finish
}
each=$(((traced - plain) / THREADS))
echo "$each bytes for an idle thread"
[ $each -gt 8192 ] || fail "less than the dump's two pages: the threads were not traced"
[ $each -le $LIMIT ] || fail "more than $LIMIT bytes for an idle thread"
finish
