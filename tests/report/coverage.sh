#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# The coverage line counts only bytes between recorded processes, and names others in one phrase. tests/report/loss.sh
# tests that it comes first in a trace with losses; the tests of the reports, that it comes last otherwise.
. "$(dirname "$0")/lib.sh"

trace() # NAME COMMAND
{
	timeout -k 5 60 env SYNTRACE_DIR="$dir/$1" LD_PRELOAD="$lib" sh -c "$2" >/dev/null || fail "$1: exit status"
	"$decode" stat "$dir/$1" | unwrap | grep -A 1 '^Coverage: ' >"$dir/line"
	cat "$dir/line"
}

# The client is not recorded: its 6 bytes lower no share, and the list of blind spots has them.
{
	sleep 0.5
	echo hello
} | trace client cat
grep -qE '^Coverage: the trace has [0-9]+ events, 0 lost or overwritten\.( The unlock, wake-up or send before 0 of [0-9]+ locks, waits and receives \(0\.00 %\) is unknown\.)?$' "$dir/line" ||
	fail "an unrecorded client lowers the shares, or a share has no bytes"
grep -qE '^Blind spots .*: [1-9] (waits?|receives?).* not recorded \(6 bytes, most on pipe:' "$dir/line" || fail "no phrase for the client"
"$decode" stat --format=jsonl "$dir/client" | grep -q '"bytes_received":6,"bytes_matched":0,"bytes_unmatched":{"UNTRACED_[A-Z]*":6}' ||
	fail "JSON lacks the bytes of the client"

# Both ends are recorded.
trace both 'cat | cat' <"$0"
grep -qE 'The sender of 100\.00 % of the bytes that recorded processes sent to each other is known\. No blind spots\.$' "$dir/line" ||
	fail "bytes between two recorded processes"

# No byte, no wait: no share.
trace neither true
grep -qx 'Coverage: the trace has [0-9]* events, 0 lost or overwritten\. No blind spots\.' "$dir/line" || fail "shares of no data"
finish
