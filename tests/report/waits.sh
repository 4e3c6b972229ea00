#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# syntrace-decode waits, on programs with one known disease each: names the culprit in its first ten lines, and is quiet
# about the same program without the disease.
. "$(dirname "$0")/lib.sh"

try waits slow-consumer '^[12]\. .* waited .* for a wake-up by another thread, .* in sem_wait in put .*: the thread waited for the answer to its own request' \
	' was in usleep in store .*; the wait was ended by sem_post in take ' \
	'^[12]\. .* waited .* in usleep in store .*: another thread waited for this thread at the same time'
[ -z "${SYNTRACE_TEST_LONG:-}" ] ||
	try waits flow-control '^[12]\. .* waited .* in sem_wait in main .*: the thread waited for the answer to its own request' ' was in usleep in hold_back '
try waits convoy '^1\. .* threads waited .* for a lock, .* in pthread_mutex_lock in write_line ' 'was in usleep in write_line .*, across which the lock was held since '

# Selection, and colours, which are for terminals only.
sick=$dir/slow-consumer-sick
"$decode" waits --thread=0.1 "$sick" >"$dir/report"
grep -q '^The 1 thread existed for ' "$dir/report" || fail "--thread shows others"
grep -q 'sem_wait in put' "$dir/report" && fail "--thread shows others' waits"
"$decode" waits --pid=1 "$sick" | grep -q '^The 0 threads existed for ' || fail "--pid shows others"
"$decode" waits --limit=1 "$sick" | grep -q '^2\. ' && fail "--limit shows more"
"$decode" waits --least=100 "$sick" | grep -q '^No wait stands out: .* 100.0 %' || fail "--least=100"
"$decode" waits --stacks "$sick" | grep -q '^ *store at .*slow-consumer.c:[0-9]*$' || fail "--stacks"
esc=$(printf '\033')
"$decode" waits "$sick" | grep -q "$esc" && fail "colours in a file"
"$decode" waits --color "$sick" | grep -q "$esc" || fail "no colours with --color"
for wrong in --least=101 --least=x --limit=0 --limit=x --thread=x --thread=1.x --thread=.1 --pid=x; do
	status 2 "$decode" waits "$wrong" "$sick" 2>/dev/null
done
finish
