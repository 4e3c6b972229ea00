#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# syntrace-decode diagnose, which nobody has to choose a report for: of each program with a known disease it names the culprit in
# its first ten lines, and of the same program without it that report finds nothing, nor does any order of locks stand out.
. "$(dirname "$0")/../lib.sh"

# EXAMPLE HOW STATUS: traces it into $dir/trace, and leaves what is said in $dir/said.
diagnose()
{
	rm -rf "$dir/trace"
	timeout -k 5 60 env SYNTRACE_DIR="$dir/trace" LD_PRELOAD="$lib" "$top_builddir/examples/$1" "$2" >/dev/null
	timeout -k 5 60 "$decode" diagnose "$dir/trace" >"$dir/said"
	diagnose_status=$?
	cat "$dir/said"
	[ $diagnose_status = "$3" ] || fail "$1 $2: exit status $diagnose_status and not $3"
	coverage_is_last "$dir/said" "$1 $2"
	for report in lock-order contention waits critical-path; do
		[ "$(grep -c "(more: syntrace-decode $report)\$" "$dir/said")" = 1 ] || fail "$1 $2: $report says nothing, or twice"
	done
}

# VERB: it found nothing.
is_quiet()
{
	sed -n "/(more: syntrace-decode $1)/{n;p;}" "$dir/said" | grep -qE '^No (lock stands out|wait stands out|deadlock)'
}

# EXAMPLE STATUS VERB PATTERN...
try()
{
	example=$1 expected=$2 verb=$3
	shift 3
	diagnose "$example" sick "$expected"
	unwrap <"$dir/said" | head -n 10 >"$dir/first"
	head -n 1 "$dir/said" | grep -q "(more: syntrace-decode $verb)" || fail "$example: $verb does not come first"
	for pattern; do
		grep -qE -- "$pattern" "$dir/first" || fail "$example: no '$pattern' in the first ten lines"
	done
	# two threads that begin together may meet at a lock by chance, where no disease of locks was taken away; and whoever has
	# one may lose the processor: in one of five runs nobody does
	for number in 1 2 3 4 5; do
		diagnose "$example" healthy 0
		is_quiet contention && break
	done
	is_quiet lock-order || fail "$example: lock-order finds something in the healthy one"
	[ "$verb" != contention ] || is_quiet contention || fail "$example: contention finds something in the healthy one"
}

try deadlock 1 blocked '^1\. Hang: 2 threads wait for each other \(deadlock\)' 'read_index|write_index'
try inversion 1 lock-order '^1\. Lock-order inversion: 2 threads can deadlock' 'transfer at'
try convoy 0 contention '^1\. mutex:.*a lock convoy: ' 'held since .* in write_line'
try long-hold 0 contention 'held since .* in refresh .*usleep in answer'
try priority 0 contention 'held since .* in log_sample.*usleep in crunch'
try herd 0 contention 'a thundering herd: .* in submit '
try flow-control 0 waits 'usleep in hold_back'
try slow-consumer 0 waits ' was in usleep in store'

# as JSON lines, worst first, and without colours in what is no terminal
"$decode" diagnose --format=jsonl "$dir/trace" >"$dir/lines" || fail "--format=jsonl: exit status $?"
[ "$(sed -n 's/^{"v":1,"type":"\([a-z]*\)".*/\1/p' "$dir/lines" | tr '\n' ' ')" = 'coverage finding finding finding finding ' ] ||
	fail "JSON lines of other types: $(cat "$dir/lines")"
esc=$(printf '\033')
"$decode" diagnose "$dir/trace" | grep -q "$esc" && fail "colours in a file"
"$decode" diagnose --color "$dir/trace" | grep -q "$esc" || fail "no colours with --color"
# a trace without events
mkdir "$dir/empty"
status 4 "$decode" diagnose "$dir/empty" 2>/dev/null
finish
