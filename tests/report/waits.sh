#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# syntrace-decode waits, on programs with one known disease each: names the culprit in its first ten lines, and is quiet
# about the same program without the disease.
. "$(dirname "$0")/lib.sh"

try waits slow-consumer '^[12]\. .*put;sem_wait waited .* to be signalled, .*: it waited for what it had asked for' \
	'a thread was in .*store;usleep; ended by .*take;sem_post' \
	'^[12]\. .*store;usleep waited .*: it waited while somebody waited for it'
try waits flow-control '^[12]\. .*main;sem_wait waited .*: it waited for what it had asked for' 'a thread was in .*hold_back;usleep'
try waits convoy '^1\. .*write_line;pthread_mutex_lock waited .* for a lock' 'a thread was in .*write_line;usleep; held since '

# What is selected, and colours, which are for terminals only.
sick=$dir/slow-consumer-sick
"$decode" waits --thread=0.1 "$sick" >"$dir/report"
grep -q '^Time of 1 threads: ' "$dir/report" || fail "--thread shows others"
grep -q 'put;sem_wait' "$dir/report" && fail "--thread shows others' waits"
"$decode" waits --pid=1 "$sick" | grep -q '^Time of 0 threads: ' || fail "--pid shows others"
"$decode" waits --limit=1 "$sick" | grep -q '^2\. ' && fail "--limit shows more"
"$decode" waits --least=100 "$sick" | grep -q '^Nothing stands out: .* 100.0 %' || fail "--least=100"
"$decode" waits --stacks "$sick" | grep -q '^ *store at .*slow-consumer.c:[0-9]*$' || fail "--stacks"
esc=$(printf '\033')
"$decode" waits "$sick" | grep -q "$esc" && fail "colours in a file"
"$decode" waits --color "$sick" | grep -q "$esc" || fail "no colours with --color"
for wrong in --least=101 --least=x --limit=0 --limit=x --thread=x --thread=1.x --thread=.1 --pid=x; do
	status 2 "$decode" waits "$wrong" "$sick" 2>/dev/null
done
finish
