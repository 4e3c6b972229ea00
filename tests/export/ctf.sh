#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# export --to ctf: babeltrace2 reads the export and prints the same facts as the other verbs.
. "$(dirname "$0")/lib.sh"

id_of()
{
	sed 's/.*"id":"\([^"]*\)".*/\1/' "$1"
}

try()
{
	export_to ctf "$1.ctf" "$1"
	grep -q 'coverage = "{\\"v\\":1,\\"type\\":\\"coverage\\"' "$1.ctf/metadata" || fail "no coverage"
	command -v babeltrace2 >/dev/null || return
	timeout -k 5 60 babeltrace2 --clock-cycles --color=never "$1.ctf" >"$1.text" 2>"$dir/errors" ||
		fail "babeltrace2: exit status $?"
	[ ! -s "$dir/errors" ] || fail "babeltrace2 complains: $(head -n 3 "$dir/errors")"
	# with the offset of the clock, babeltrace2 prints the wall-clock time
	[ "$(babeltrace2 --clock-gmt --clock-date "$1.ctf" | sed -n 's/^\[\([^ ]*\) \([^]]*\)\].* \(enter\|call\): .* id = "'"$(id_of "$1.wall")"'".*/\1T\2Z/p' | head -n 1)" = \
		"$(sed 's/.*"ts_wall":"\([^"]*\)".*/\1/' "$1.wall")" ] || fail "$1: another wall-clock time"
	python3 "$export_tests/ctf.py" "$1" <"$1.text" || fail "$1: see above"
}

for_traces try
"$decode" export --no-stacks -o "$dir/x.ctf" "$dir/convoy.data" >/dev/null || fail "--no-stacks"
grep -q write_line "$dir/x.ctf/metadata" && fail "--no-stacks tells functions"
# a directory with files in it stays, and no other output is left
status 4 "$decode" export -o "$dir/x.ctf" "$dir/convoy.data" 2>/dev/null
[ -s "$dir/x.ctf/stream" ] || fail "an old directory is gone"
[ -z "$(find "$dir" -name 'x.ctf.*')" ] || fail "half a directory is left"
status 2 "$decode" export --to=ctf "$dir/convoy.data" 2>/dev/null
[ $nr_failed = 0 ] || finish
need babeltrace2
finish
