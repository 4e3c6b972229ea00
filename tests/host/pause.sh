#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# A pause of the recording on one host hides no edge of another host: it has the edges that it has alone.
. "$(dirname "$0")/../lib.sh"
rehost=$top_builddir/tests/lib/rehost

"$top_builddir/syntrace" record -q -o "$dir/web" -- sh -c 'while :; do sleep 0.1; done' &
web=$!
children="$children $web"
within 10 test -s "$dir/web/trace" || fail "no trace of web"
sleep 1.5 # longer than the programs below run, so that the period before the pause is analysed
status 0 "$top_builddir/syntrace" pause "$dir/web" 2>"$dir/err"
for program in cond sem fd-stream; do
	rm -rf "$dir/one" "$dir/db"
	SYNTRACE_DIR="$dir/one" LD_PRELOAD="$lib" timeout -k 5 60 "$top_builddir/tests/calls/$program.call" >/dev/null 2>&1
	"$rehost" --boot-add 1 --trace-id 77 --host other "$dir/one" "$dir/db" >/dev/null || fail "$program: rehost"
	for name in one db; do
		with=
		[ $name = one ] || with=$dir/web
		# shellcheck disable=SC2086 # a word or none
		"$decode" edges --format=jsonl "$dir/$name" $with >"$dir/edges" 2>"$dir/err" || fail "$program: edges"
		# web has edges of other kinds
		sed -n 's/.*"kind":"\(cond\|sem\|connect\|stream\)".*/\1/p' "$dir/edges" | sort | uniq -c >"$dir/$name.kinds"
	done
	grep -qE ' (cond|sem|stream)$' "$dir/one.kinds" || fail "$program: no edges: $(cat "$dir/one.kinds")"
	cmp "$dir/one.kinds" "$dir/db.kinds" || fail "$program: $(cat "$dir/db.kinds")"
done
# the pause counts on its own host
"$decode" stat "$dir/web" "$dir/db" >"$dir/out" 2>"$dir/err" || fail "stat"
grep -q 'paused 1 time' "$dir/out" || fail "stat: $(cat "$dir/out")"
kill "$web"
wait "$web" 2>/dev/null
finish
