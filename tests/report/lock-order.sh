#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# syntrace-decode lock-order, on a program whose locks could deadlock, on one that does, and on both when they are
# healthy.
. "$(dirname "$0")/../lib.sh"

# EXAMPLE HOW STATUS OF-REPORT: traces it, which ends with STATUS, and leaves the report in $dir/report.
trace()
{
	trace_into=$dir/$1-$2
	timeout -k 5 120 env SYNTRACE_DIR="$trace_into" LD_PRELOAD="$lib" "$top_builddir/examples/$1" "$2"
	trace_status=$?
	[ $trace_status = "$3" ] || fail "$1 $2: exit status $trace_status instead of $3"
	check_trace "$trace_into"
	timeout -k 5 60 "$decode" lock-order "$trace_into" >"$dir/report"
	trace_status=$?
	[ $trace_status = "$4" ] || fail "$1 $2: lock-order ends with $trace_status instead of $4"
	cat "$dir/report"
	coverage_is_last "$dir/report" "$1"
}

# PATTERN: is in the first ten lines.
early()
{
	head -n 10 "$dir/report" | grep -qE -- "$1" || fail "no '$1' in the first ten lines"
}

quiet()
{
	grep -qE '^[0-9]+\. ' "$dir/report" && fail "something is told of the healthy one"
	grep -q '^No deadlock can result' "$dir/report" || fail "it does not say that there is nothing"
}

trace inversion sick 0 1
early '^1\. Lock-order inversion: 2 threads can deadlock, because they took mutex:'
early '^ *transfer at .*inversion\.c:'
for function in pay_rent pay_back; do
	# both stacks of both threads
	[ "$(grep -c "^ *$function at " "$dir/report")" = 2 ] || fail "not both stacks of $function"
done
trace inversion healthy 0 0
quiet

trace deadlock sick 3 1
early '^1\. Deadlock: 2 threads wait for each other'
early 'is blocked in pthread_mutex_lock on mutex:'
early '^ *(read|write)_index at .*deadlock\.c:'
for function in read_index write_index; do
	[ "$(grep -c "^ *$function at " "$dir/report")" = 2 ] || fail "not both stacks of $function"
done
grep -q '^Locks held to the end' "$dir/report" && fail "it is told twice"
trace deadlock healthy 0 0
quiet
grep -q '^Locks held to the end' "$dir/report" && fail "something is held to the end"

# Workers that wait for a condition for ever hold nothing, and no wait that has ended is one.
for how in sick healthy; do
	trace herd $how 0 0
	quiet
	grep -q '^Locks held to the end' "$dir/report" && fail "herd: something is held to the end"
done

"$decode" lock-order --format=jsonl "$dir/deadlock-sick" >"$dir/json"
grep -q '"type":"deadlock","length":2,"others":0,"threads":\[{.*"waits":{"call":"pthread_mutex_lock","object":"mutex:.*"has":\[{' "$dir/json" ||
	fail "JSON: $(cat "$dir/json")"
"$decode" lock-order --format=jsonl "$dir/inversion-sick" >"$dir/json"
grep -q '"type":"cycle","verdict":"possible","length":2,"similar":0,"arcs":\[' "$dir/json" || fail "JSON: $(cat "$dir/json")"
status 2 "$decode" lock-order --limit=0 "$dir/inversion-sick" 2>/dev/null
finish
