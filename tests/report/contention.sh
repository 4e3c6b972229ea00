#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# syntrace-decode contention, on programs with one known disease each: names the culprit in its first ten lines, and is
# quiet about the same program without the disease.
. "$(dirname "$0")/../lib.sh"
need python3

# EXAMPLE HOW: traces it into $dir/EXAMPLE-HOW, and leaves the report in $dir/report.
trace()
{
	trace_into=$dir/$1-$2
	timeout -k 5 60 env SYNTRACE_DIR="$trace_into" LD_PRELOAD="$lib" "$top_builddir/examples/$1" "$2" ||
		fail "$1 $2: exit status $?"
	check_trace "$trace_into"
	timeout -k 5 60 "$decode" contention "$trace_into" >"$dir/report" || fail "contention: exit status $?"
	cat "$dir/report"
	# whatever it says, its parts are the whole
	timeout -k 5 60 "$decode" contention --format=jsonl --stacks "$trace_into" >"$dir/report.jsonl" ||
		fail "contention --format=jsonl: exit status $?"
	python3 "$top_srcdir/tests/report/sums.py" "$dir/report.jsonl" || fail "$1 $2: see above"
}

# EXAMPLE PATTERN...: sick, it is told by these patterns in the first ten lines; healthy, nothing is.
try()
{
	example=$1
	shift
	trace "$example" sick
	for pattern; do
		head -n 10 "$dir/report" | grep -qE -- "$pattern" || fail "$example: no '$pattern' in the first ten lines"
	done
	grep -q '^Nothing stands out' "$dir/report" && fail "$example: it says that nothing stands out"
	head -n 1 "$dir/report" | grep -q '^Coverage: ' || fail "$example: coverage does not come first"
	trace "$example" healthy
	grep -qE '^[0-9]+\. ' "$dir/report" && fail "$example: something stands out in the healthy one"
	grep -q '^Nothing stands out' "$dir/report" || fail "$example: it does not say that nothing stands out"
}

try convoy '^1\. mutex:.*a convoy: ' 'held by .*write_line;pthread_mutex_lock, which was in .*write_line;usleep'
try long-hold '^1\. mutex:' 'held by .*refresh;pthread_mutex_lock, which waited for a thread in .*answer;usleep'
try priority '^1\. mutex:' 'held by .*log_sample;pthread_mutex_lock, which waited for a thread in .*crunch;usleep'
try herd '^1\. cond:.*a thundering herd: 2[56] broadcasts woke 20[08] threads' 'woken by .*submit;'

# What is selected, and colours, which are for terminals only.
sick=$dir/convoy-sick
"$decode" contention --object='cond:*' "$sick" | grep -q '^LOCK' && fail "--object shows others"
"$decode" contention --object='mutex:*' --limit=1 --least=0.1 "$sick" | grep -q '^1\. mutex:' || fail "--object shows nothing"
"$decode" contention --least=100 "$sick" | grep -q '^Nothing stands out: .* 100.0 %' || fail "--least=100"
"$decode" contention --stacks "$sick" | grep -q '^ *write_line at .*convoy.c:[0-9]*$' || fail "--stacks"
esc=$(printf '\033')
"$decode" contention "$sick" | grep -q "$esc" && fail "colours in a file"
"$decode" contention --color "$sick" | grep -q "$esc" || fail "no colours with --color"
for wrong in --least=101 --least=x --least= --limit=0 --limit=x; do
	status 2 "$decode" contention "$wrong" "$sick" 2>/dev/null
done
finish
