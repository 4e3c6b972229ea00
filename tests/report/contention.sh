#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# syntrace-decode contention, on programs with one known disease each: names the culprit in its first ten lines, and is
# quiet about the same program without the disease.
. "$(dirname "$0")/lib.sh"

try contention convoy '^1\. mutex:.*a convoy: ' 'held since .*write_line;pthread_mutex_lock, by one who was in .*write_line;usleep'
try contention long-hold '^1\. mutex:' 'held since .*refresh;pthread_mutex_lock, by one who waited for a thread in .*answer;usleep'
try contention priority '^1\. mutex:' 'held since .*log_sample;pthread_mutex_lock, by one who waited for a thread in .*crunch;usleep'
try contention herd '^1\. cond:.*a thundering herd: 2[56] broadcasts woke 20[08] threads' 'woken by .*submit;'

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
