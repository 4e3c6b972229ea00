#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# export of a part of the trace (--from, --to, --thread) and compressed (--compress, or a name with .gz).
. "$(dirname "$0")/lib.sh"
need protoc babeltrace2
python3 -c 'import sqlite3' 2>/dev/null || skip "python3 has no sqlite3"

# part TRACE [THREAD...]: the exports of this part contain its calls, tasks and edges, and no others.
part()
{
	part_of=$1.part
	"$decode" export -o "$1.sqlite" "$1" >/dev/null || fail "sqlite: exit status $?"
	ln -s "$1" "$part_of"
	part_options=$(python3 "$export_tests/part.py" "$@") || fail "$*: no part"
	# shellcheck disable=SC2086 # a list of options
	{
		export_to ctf "$part_of.ctf" "$part_of" $part_options
		export_to perfetto "$part_of.pftrace" "$part_of" $part_options
	}
	babeltrace2 --clock-cycles --color=never "$part_of.ctf" >"$dir/text" || fail "babeltrace2: exit status $?"
	python3 "$export_tests/ctf.py" "$part_of" <"$dir/text" || fail "ctf: $* $part_options"
	protoc --decode=perfetto.Trace -I"$top_srcdir" decoder/export/perfetto.proto <"$part_of.pftrace" >"$dir/text"
	python3 "$export_tests/perfetto.py" "$part_of" <"$dir/text" || fail "perfetto: $* $part_options"
	rm -r "$part_of.ctf" "$part_of"
}

record convoy "$top_builddir/examples/convoy" sick
tell "$dir/convoy.data"
part "$dir/convoy.data"
part "$dir/convoy.data" 0.1 0.4
[ "$(grep -c 'thread_name: \|track_descriptor' "$dir/text")" -lt 8 ] || fail "tracks of other threads"
record barrier "$top_builddir/tests/export/rounds"
tell "$dir/barrier.data"
part "$dir/barrier.data"

trace=$dir/convoy.data
for format in folded pprof sqlite; do
	status 2 "$decode" export --to=$format --from=+0.1s -o "$dir/x" "$trace" 2>/dev/null
	status 2 "$decode" export --to=$format --to=+0.1s -o "$dir/x" "$trace" 2>/dev/null
	status 2 "$decode" export --to=$format --thread=0.1 -o "$dir/x" "$trace" 2>/dev/null
done
status 2 "$decode" export --to=perfetto --to=never -o "$dir/x" "$trace" 2>/dev/null

# Compressed files have the same contents; a CTF trace is an archive.
"$decode" export -o "$dir/x.pftrace" "$trace" >/dev/null || fail "perfetto: exit status $?"
"$decode" export -o "$dir/y.pftrace.gz" "$trace" >/dev/null || fail "perfetto, compressed: exit status $?"
gzip -dc "$dir/y.pftrace.gz" | cmp - "$dir/x.pftrace" || fail "perfetto: other contents, compressed"
"$decode" export --to=perfetto --compress "$trace" | cmp - "$dir/y.pftrace.gz" || fail "standard output is not the same"
"$decode" export -o "$dir/x.folded" "$trace" >/dev/null || fail "folded: exit status $?"
"$decode" export --compress -o "$dir/y.folded" "$trace" >/dev/null || fail "folded, compressed: exit status $?"
gzip -dc "$dir/y.folded" | cmp - "$dir/x.folded" || fail "folded: other contents, compressed"
"$decode" export -o "$dir/x.ctf" "$trace" >/dev/null || fail "ctf: exit status $?"
"$decode" export -o "$dir/y.ctf.tar.gz" "$trace" >/dev/null || fail "ctf, compressed: exit status $?"
mkdir "$dir/unpacked"
tar -xzf "$dir/y.ctf.tar.gz" -C "$dir/unpacked" || fail "tar: exit status $?"
diff -r "$dir/unpacked/y.ctf" "$dir/x.ctf" >&2 || fail "ctf: other contents in the archive"
status 2 "$decode" export -o "$dir/y.sqlite.gz" "$trace" 2>/dev/null

# A full disk leaves no file, and a reader that stops is no error.
status 4 "$decode" export --to=perfetto --compress -o /dev/full "$trace" 2>/dev/null
for full in full.pftrace.gz full.ctf.tar.gz; do
	(ulimit -f 8 && trap '' XFSZ && timeout 60 "$decode" export -o "$dir/$full" "$trace") >/dev/null 2>&1
	[ $? = 4 ] || fail "$full: no error on a full disk"
done
[ -z "$(find "$dir" -name 'full.*' -o -name '*.d')" ] || fail "a full disk: a file is left: $(ls "$dir")"
"$decode" export --to=perfetto --compress "$trace" 2>"$dir/errors" | head -c 10 >"$dir/x"
[ "$(wc -c <"$dir/x")" = 10 ] && [ ! -s "$dir/errors" ] || fail "a reader that stops: $(cat "$dir/errors")"
finish
