#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# export --to chrome says what the other verbs say.
. "$(dirname "$0")/lib.sh"

try()
{
	export_to chrome "$1.json" "$1"
	python3 "$export_tests/chrome.py" "$1" "$1.json" || fail "$1: see above"
}

for_traces try
grep -q '"name":"write_line","file":"[^"]*convoy.c","line":[0-9]*,"parent":"' "$dir/convoy.data.json" || fail "no functions"
grep -q 'write_line;pthread_mutex_lock' "$dir/convoy.data.json" || fail "no labels"
"$decode" export --no-stacks -o "$dir/x.json" "$dir/convoy.data" >/dev/null || fail "--no-stacks"
grep -q write_line "$dir/x.json" && fail "--no-stacks tells functions"
grep -q '"stackFrames":{}' "$dir/x.json" || fail "--no-stacks tells frames"
finish
