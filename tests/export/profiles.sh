#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# export --to folded and --to pprof have the sums of the verbs events and contention; Go's pprof
# reads them.
. "$(dirname "$0")/lib.sh"
need protoc

decode_file()
{
	gzip -dc "$1" | protoc --decode=pprof.Profile -I"$top_srcdir" base/profile.proto ||
		fail "$1 cannot be decoded"
}

try()
{
	export_to folded "$1.folded" "$1"
	export_to pprof "$1.pb.gz" "$1"
	decode_file "$1.pb.gz" >"$1.pprof"
	export_to pprof "$1.contention.pb.gz" "$1" --what=contention
	decode_file "$1.contention.pb.gz" >"$1.contention.pprof"
	"$decode" contention --format=jsonl "$1" >"$1.contention" 2>/dev/null || fail "contention: exit status $?"
	python3 "$export_tests/profiles.py" "$1" || fail "$1: see above"
}

for_traces try
grep -q ';work;write_line;pthread_mutex_lock [0-9]*$' "$dir/convoy.data.folded" || fail "no path to the lock"
"$decode" export --to=folded --what=contention "$dir/convoy.data" |
	grep -q ';write_line;pthread_mutex_lock;\[mutex:logs\[0\]\.mutex: call\];.*;write_line;usleep [0-9]*$' ||
	fail "no call path is blamed"
"$decode" export --no-stacks --to=folded "$dir/convoy.data" | grep -q '^[^;]*;pthread_mutex_lock [0-9]*$' ||
	fail "--no-stacks"
# Two processes, and two places in one function, wait in the same call stack: one line. A ';' in the name of a
# function, as Java methods have, does not end its frame: neither in these lines nor in the call paths of other verbs.
if command -v objcopy >/dev/null; then
	objcopy -g --redefine-sym 'write_line=Lwrite;::line' "$top_builddir/examples/convoy" "$dir/java" || fail "objcopy: $?"
	record java sh -c "$dir/java sick; $dir/java sick"
	for what in wait contention; do
		"$decode" export --to=folded --what=$what "$dir/java.data" | sed '1d; s/ [0-9]*$//' >"$dir/frames"
		[ -z "$(sort "$dir/frames" | uniq -d)" ] || fail "$what: two lines of one call stack: $(sort "$dir/frames" | uniq -d)"
		grep -q ';Lwrite:::line;pthread_mutex_lock' "$dir/frames" || fail "$what: a ; splits a frame: $(cat "$dir/frames")"
		grep -q 'Lwrite;' "$dir/frames" && fail "$what: a ; splits a frame"
	done
	"$decode" contention --format=jsonl "$dir/java.data" | grep -q '"path":"[^"]*;Lwrite:::line;pthread_mutex_lock"' ||
		fail "contention: a ; splits a frame"
	"$decode" events --format=jsonl "$dir/java.data" | grep -q '"fn":"Lwrite;::line"' || fail "events: not the name itself"
else
	echo "objcopy is not installed: no name contains a ;"
fi
status 2 "$decode" export --to=perfetto --what=wait "$dir/convoy.data" 2>/dev/null
status 2 "$decode" export --to=pprof --what=other "$dir/convoy.data" 2>/dev/null
status 2 "$decode" export --to=pprof --what=contention --no-stacks "$dir/convoy.data" 2>/dev/null

if command -v go >/dev/null && go tool pprof -h >/dev/null 2>&1; then
	HOME=$dir go tool pprof -raw "$dir/convoy.data.contention.pb.gz" >"$dir/raw" 2>&1 || fail "pprof: exit status $?"
	grep -q '^ *contentions/count delay/nanoseconds' "$dir/raw" || fail "pprof sees other types"
	grep -q 'culprit:.*write_line;usleep' "$dir/raw" || fail "pprof sees no culprit"
	grep -q 'write_line .*convoy.c:[0-9]' "$dir/raw" || fail "pprof sees no lines"
else
	echo "go is not installed: the profiles are not read by another tool"
fi
finish
