#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# export --to sqlite agrees with the other verbs, and doc/sqlite.md describes every table and
# column.
. "$(dirname "$0")/lib.sh"
python3 -c 'import sqlite3' 2>/dev/null || skip "python3 has no sqlite3"

try()
{
	export_to sqlite "$1.sqlite" "$1"
	"$decode" contention --format=jsonl "$1" >"$1.contention" 2>/dev/null || fail "contention: exit status $?"
	"$decode" critical-path --format=jsonl "$1" >"$1.path" 2>/dev/null || fail "critical-path: exit status $?"
	"$decode" critical-path --requests --all --format=jsonl "$1" >"$1.requests" 2>/dev/null ||
		fail "--requests: exit status $?"
	"$decode" requests --all --format=jsonl "$1" >"$1.extents" 2>/dev/null || fail "requests: exit status $?"
	"$decode" workload --format=jsonl "$1" >"$1.workload" 2>/dev/null || fail "workload: exit status $?"
	"$decode" requests --show=slowest --format=jsonl "$1" >"$1.trail" 2>/dev/null || : >"$1.trail"
	python3 "$export_tests/sqlite.py" "$1" "$top_srcdir/doc/sqlite.md" || fail "$1: see above"
}

# A server, because other programs of this test have no requests.
serve()
{
	port=$(free_port)
	SYNTRACE_DIR=$dir/server.data LD_PRELOAD=$lib "$top_builddir/tests/report/requests" serve "$port" >/dev/null 2>&1 &
	server=$!
	children="$children $server"
	SYNTRACE_DIR=$dir/server.data LD_PRELOAD=$lib timeout -k 5 60 "$top_builddir/tests/report/requests" ask "$port" ||
		fail "the client: exit status $?"
	wait $server || fail "the server: exit status $?"
	tell "$dir/server.data"
}

# A server of three processes, whose requests pass through a queue.
shop()
{
	mkdir "$dir/shop"
	record shop "$top_builddir/examples/shop" --directory="$dir/shop" --requests=60 --fault=sleep:30
	tell "$dir/shop.data"
}

for_traces try
serve
try "$dir/server.data"
grep -q '"type":"request"' "$dir/server.data.requests" || fail "no requests"
shop
try "$dir/shop.data"
[ "$(grep -c '"type":"step"' "$dir/shop.data.trail")" -gt 5 ] || fail "no steps"
"$decode" export --no-stacks -o "$dir/shop.data.sqlite" "$dir/shop.data" >/dev/null || fail "shop: --no-stacks"
python3 -c 'import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
nr = [db.execute("SELECT count(" + what).fetchone()[0] for what in
      ("*) FROM requests", "cluster) FROM requests", "*) FROM request_step", "*) FROM request_component")]
sys.exit(0 if nr[0] >= 60 and not any(nr[1:]) else repr(nr))' "$dir/shop.data.sqlite" || fail "shop: --no-stacks: see above"
"$decode" export --no-stacks -o "$dir/convoy.data.sqlite" "$dir/convoy.data" >/dev/null || fail "not over an old one"
status 4 "$decode" export --to=sqlite -o /dev/null "$dir/convoy.data" 2>/dev/null
status 2 "$decode" export --to=sqlite -o - "$dir/convoy.data" 2>/dev/null
# as many lost as no database can count (`lost` is in the header, at byte 248: doc/format.md)
cp -R "$dir/convoy.data" "$dir/lost.data"
for dump in "$dir"/lost.data/*.dump; do
	printf '\377\377\377\377\377\377\377\377' | dd of="$dump" bs=1 seek=248 conv=notrunc 2>/dev/null
done
"$decode" export -o "$dir/lost.sqlite" "$dir/lost.data" >/dev/null || fail "2^64 - 1 lost events: no error"
# a full disk: no file is left
(ulimit -f 8 && trap '' XFSZ && timeout 60 "$decode" export -o "$dir/full.sqlite" "$dir/convoy.data") >/dev/null 2>&1
[ $? = 4 ] || fail "a full disk: no error"
[ -z "$(find "$dir" -name 'full.sqlite*')" ] || fail "a full disk: half a database"
finish
