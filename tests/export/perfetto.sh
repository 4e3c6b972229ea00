#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# export --to perfetto agrees with the other verbs, and decodes to the same events again.
. "$(dirname "$0")/lib.sh"
need protoc

decode_file()
{
	protoc --decode=perfetto.Trace -I"$top_srcdir" decoder/export/perfetto.proto <"$1"
}

try()
{
	export_to perfetto "$1.pftrace" "$1"
	decode_file "$1.pftrace" >"$1.text" || fail "protoc cannot decode $1.pftrace"
	python3 "$export_tests/perfetto.py" "$1" <"$1.text" || fail "$1: see above"
}

for_traces try
grep -q '^        fn\|function_names' "$dir/convoy.data.text" || fail "no functions"
python3 "$export_tests/perfetto.py" "$dir/deadlock.data" <"$dir/deadlock.data.text" | grep -q ' [23] calls without' ||
	fail "the deadlock is not drawn"

# The text of a trace that does not depend on this machine, without the known facts, which grow.
golden=$top_srcdir/tests/golden/0.1.0/pipeline.pftrace.text.xz
"$decode" export --no-stacks -o "$dir/pipeline.pftrace" "$dir/pipeline.data" >/dev/null || fail "--no-stacks: $?"
decode_file "$dir/pipeline.pftrace" | grep -v legacy_json_value >"$dir/golden"
[ "${1-}" != --update ] || xz -9 <"$dir/golden" >"$golden"
xz -dc "$golden" | diff - "$dir/golden" >"$dir/diff" || {
	fail "the text differs from the golden text (--update)"
	head -n 20 "$dir/diff"
}

# The format by its name, or by the file's; standard output; a path that is no file; no half-written
# file.
"$decode" export --no-stacks --to=perfetto -o - "$dir/pipeline.data" | cmp - "$dir/pipeline.pftrace" ||
	fail "standard output differs from a file"
"$decode" export --no-stacks --to=perfetto -o /dev/stdout "$dir/pipeline.data" 2>/dev/null | head -c 100 >/dev/null
"$decode" export --no-run-after -o "$dir/few.pftrace" "$dir/convoy.data" >/dev/null || fail "--no-run-after"
[ "$(wc -c <"$dir/few.pftrace")" -lt "$(wc -c <"$dir/convoy.data.pftrace")" ] || fail "--no-run-after leaves all"
"$decode" export --no-stacks --to=perfetto "$dir/pipeline.data" | cmp - "$dir/pipeline.pftrace" ||
	fail "no file is not standard output"
status 2 "$decode" export "$dir/pipeline.data" 2>/dev/null
status 2 "$decode" export -o "$dir/x.unknown" "$dir/pipeline.data" 2>/dev/null
status 2 "$decode" export --to=unknown -o "$dir/x" "$dir/pipeline.data" 2>/dev/null
status 4 "$decode" export -o "$dir/nowhere/x.pftrace" "$dir/pipeline.data" 2>/dev/null
status 4 "$decode" export --to=perfetto -o /dev/full "$dir/pipeline.data" 2>/dev/null
finish
