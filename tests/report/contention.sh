#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# syntrace-decode contention, on programs with one known disease each (two of four in the short form): names the culprit in
# its first ten lines, and is quiet about the same program without the disease.
. "$(dirname "$0")/lib.sh"

try contention convoy '^1\. mutex:.*a lock convoy: ' 'held since pthread_mutex_lock in write_line .*, across usleep in write_line \(convoy.c:[0-9]+\)'
[ -z "${SYNTRACE_TEST_LONG:-}" ] || {
	try contention long-hold '^1\. mutex:' 'held since pthread_mutex_lock in refresh .* by a thread that waited for .*, which was in usleep in answer '
	try contention priority '^1\. mutex:' 'held since pthread_mutex_lock in log_sample .* by a thread that waited for .*, which was in usleep in crunch '
}
try contention herd '^1\. cond:.*a thundering herd: 2[56] broadcasts by .* in submit .* woke 20[08] threads'

# A wait that timed out has no signalling thread.
SYNTRACE_DIR="$dir/housekeeper" LD_PRELOAD="$lib" "$top_builddir/tests/report/diseases" housekeeper healthy
"$decode" contention "$dir/housekeeper" | tr '\n' ' ' >"$dir/said"
grep -q '10 waits for a condition variable timed out' "$dir/said" || fail "timeouts: $(cat "$dir/said")"
grep -q 'signalling thread is unknown' "$dir/said" && fail "a timed-out wait misses its signal: $(cat "$dir/said")"

# Selection, and colours, which are for terminals only.
sick=$dir/convoy-sick
"$decode" contention --object='cond:*' "$sick" | grep -q '^LOCK' && fail "--object shows others"
"$decode" contention --object='mutex:*' --limit=1 --least=0.1 "$sick" | grep -q '^1\. mutex:' || fail "--object prints no lock"
"$decode" contention --least=100 "$sick" | grep -q '^No lock stands out: .* 100.0 %' || fail "--least=100"
"$decode" contention --stacks "$sick" | grep -q '^ *write_line at .*convoy.c:[0-9]*$' || fail "--stacks"
esc=$(printf '\033')
"$decode" contention "$sick" | grep -q "$esc" && fail "colours in a file"
"$decode" contention --color "$sick" | grep -q "$esc" || fail "no colours with --color"
for wrong in --least=101 --least=x --least= --limit=0 --limit=x; do
	status 2 "$decode" contention "$wrong" "$sick" 2>/dev/null
done
finish
