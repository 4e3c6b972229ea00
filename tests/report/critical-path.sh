#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# syntrace-decode critical-path and why, on programs with one known disease each: the culprit stands in the first ten
# lines, and on the path of the same program without the disease it does not.
. "$(dirname "$0")/lib.sh"

# On a machine under load, a thread may begin so late that it meets no other thread: then one of five runs has the convoy.
for number in 1 2 3 4 5; do
	rm -rf "$dir/convoy"
	report_on critical-path convoy "$top_builddir/examples/convoy" sick
	unwrap <"$dir/report" | head -n 10 | grep -qE '^1\. .* write_line$' && break
done
tells convoy '^1\. .* write_line$'
tells convoy 'in .*write_line;usleep \(([4-9]|1[0-9])[0-9] times\)'
report_on critical-path convoy-healthy "$top_builddir/examples/convoy" healthy
tells convoy-healthy 'in .*write_line;usleep \(30 times\)'

# across two threads, by a socket
report_on critical-path long-hold "$top_builddir/examples/long-hold" sick
tells long-hold '^1\. .* answer$'
tells long-hold 'in .*answer;usleep \(10 times\)'

report_on critical-path priority "$top_builddir/examples/priority" sick
tells priority '^1\. .* crunch$'

# across processes
report_on critical-path shell sh -c 'sleep 0.2 & sleep 0.1; wait'
[ "$(grep '"type":"thread"' "$dir/report.jsonl" | grep -o '"process":[0-9]*' | sort -u | wc -l)" -ge 2 ] ||
	fail "the path of the shell does not lead into another process"

# Why one that waited for the lock had it when it had: one in the middle, as a busy machine may lengthen the longest.
id=$("$decode" events --format=jsonl --no-stacks --call=pthread_mutex_lock "$dir/priority" | python3 -c '
import json, sys
waits = sorted((e.get("dur", 0), e["id"]) for e in map(json.loads, sys.stdin))
long = [id for dur, id in waits if dur > 5000000]
print(long[len(long) // 2])')
"$decode" why "$id" "$dir/priority" >"$dir/why" || fail "why: exit status $?"
cat "$dir/why"
[ "$(wc -L <"$dir/why")" -le 100 ] || fail "why: a line has more than 100 columns"
unwrap <"$dir/why" >"$dir/sentences"
grep -q "^$id pthread_mutex_lock in report of .* took " "$dir/sentences" || fail "why: another event"
grep -q '^This call ended .* after .* pthread_mutex_unlock in log_sample of .* (happens-before edge: mutex, mutex:.*; mutual exclusion' "$dir/sentences" ||
	fail "why: not the holder of the lock"
grep -q 'sem_wait in .* ended .* after .* sem_post in ' "$dir/sentences" || fail "why: not the wait of the holder"
grep -q '^Root cause: crunch took [5-9][0-9].*, in calls' "$dir/sentences" || fail "why: not the root cause"
"$decode" why --format=jsonl "$id" "$dir/priority" >"$dir/why.jsonl" || fail "why --format=jsonl: exit status $?"
sed 1d "$dir/why.jsonl" >"$dir/why.path"
python3 "$report_tests/critical-path.py" "$dir/why.path" || fail "why: see above"
"$decode" why "$dir/priority" | grep -q '^0\.0\..* of priority (main thread) took' || fail "why without an event is not about the main thread"
"$decode" why 0.0.0 "$dir/priority" | grep -q ' did not wait' || fail "why 0.0.0 waited"

# Bounds.
"$decode" critical-path --format=jsonl --from="$id" --to="$id" "$dir/priority" >"$dir/one.jsonl" || fail "--from and --to"
python3 "$report_tests/critical-path.py" "$dir/one.jsonl" || fail "--from and --to: see above"
status 2 "$decode" critical-path --from=9.9.9 "$dir/priority" 2>/dev/null
status 2 "$decode" critical-path --from="$id" --to=0.0.0 "$dir/priority" 2>/dev/null
status 2 "$decode" critical-path --limit=0 "$dir/priority" 2>/dev/null
status 2 "$decode" why 9.9.9 "$dir/priority" 2>/dev/null
status 2 "$decode" why 0.0.0 2>/dev/null
"$decode" critical-path --stacks "$dir/priority" | grep -q '^ *crunch at .*priority.c:[0-9]*$' || fail "--stacks"
"$decode" critical-path --limit=1 "$dir/priority" | grep -q ' [0-9]* shorter' || fail "--limit"
esc=$(printf '\033')
"$decode" critical-path "$dir/priority" | grep -q "$esc" && fail "colours in a file"
"$decode" critical-path --color "$dir/priority" | grep -q "$esc" || fail "no colours with --color"
finish
