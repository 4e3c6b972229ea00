#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# syntrace-decode model, on an event loop that passes ready connections to workers: a task is one request of one connection,
# with the turn of the event loop that found it. If the connections pass through an atomic variable, the model says so.
. "$(dirname "$0")/lib.sh"

for way in queue atomic; do
	mkfifo "$dir/port"
	SYNTRACE_DIR=$dir/$way LD_PRELOAD=$lib timeout 60 "$top_builddir/tests/report/turns" $way 5 >"$dir/port" &
	server=$!
	read -r port <"$dir/port"
	timeout 60 python3 "$report_tests/model-turns.py" client "$port" 5 20 || fail "$way: the client fails"
	wait $server || fail "$way: exit status $?"
	rm "$dir/port"
	"$decode" model --format=jsonl --instances "$dir/$way" >"$dir/model" || fail "model: exit status $?"
	"$decode" events --format=jsonl "$dir/$way" >"$dir/events"
	python3 "$report_tests/model-turns.py" $way "$dir/model" "$dir/events" 100 || fail "$way: see above"
	"$decode" model "$dir/$way" >"$dir/text"
	cat "$dir/text"
	unwrap <"$dir/text" | grep -c '^Hidden hand-offs: [1-9][0-9]* times, .*serve;read' >"$dir/count"
	[ "$(cat "$dir/count")" = "$([ $way = atomic ] && echo 1 || echo 0)" ] || fail "$way: the text about hidden hand-offs"
	for format in svg dot; do
		"$decode" model --format=$format "$dir/$way" | grep -c 'Hidden hand-offs, not drawn: [1-9]' >"$dir/drawn"
		cmp "$dir/count" "$dir/drawn" || fail "$way: $format: the hidden hand-offs"
	done
	"$decode" report "$dir/$way" >"$dir/page" || fail "$way: report: exit status $?"
	grep -c '^<p>Hidden hand-offs: [1-9][0-9]* times, .*serve;read' "$dir/page" >"$dir/drawn"
	cmp "$dir/count" "$dir/drawn" || fail "$way: the page: the hidden hand-offs"
done
finish
