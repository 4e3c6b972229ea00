#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# The reports and exports of a trace of three hosts. A client on the host web asks a server on app, which asks a server on db.
# One clock timed all three, so the true times are known: tests/lib/rehost has moved the clocks of app and db afterwards.
. "$(dirname "$0")/../real/hosts-lib.sh"
need python3
rehost=$top_builddir/tests/lib/rehost

hosts 3
join 1 2
join 2 3
on 3 timeout 60 "$top_builddir/syntrace" record -q -o "$dir/true-db" -- "$talk" --accept=1 5000 >"$dir/db.log" 2>&1 &
db=$!
remember
on 2 timeout 60 "$top_builddir/syntrace" record -q -o "$dir/true-app" -- "$talk" --accept=1 --behind="$(address 3):5000" 5000 >"$dir/app.log" 2>&1 &
app=$!
remember
on 1 timeout 60 "$top_builddir/syntrace" record -q -o "$dir/true-web" -- "$talk" --rate=200 --seconds=1 5000 "$(address 2):5000" >"$dir/web.log" 2>&1 ||
	fail "web: exit status $?"
wait $app || fail "app: exit status $?"
wait $db || fail "db: exit status $?"
"$rehost" --boot-add 1 --trace-id 71 --host web "$dir/true-web" "$dir/web" >"$dir/log" || fail "rehost web"
"$rehost" --boot-add 2 --trace-id 72 --host app --offset 81204113000000 --drift -23.1 "$dir/true-app" "$dir/app" >"$dir/log" || fail "rehost app"
"$rehost" --boot-add 3 --trace-id 73 --host db --offset 500000000000 --drift 40 "$dir/true-db" "$dir/db" >"$dir/log" || fail "rehost db"
one="$dir/true-web $dir/true-app $dir/true-db"
three="$dir/web $dir/app $dir/db"

# INTO REPORT [OPTION...]: the report of one host in $dir/one.INTO, that of three hosts in $dir/three.INTO, both as JSON.
both()
{
	both_into=$1
	shift
	# shellcheck disable=SC2086 # words
	"$decode" "$@" --format=jsonl $one >"$dir/one.$both_into" || fail "$*: one host: exit status $?"
	# shellcheck disable=SC2086 # words
	"$decode" "$@" --format=jsonl $three >"$dir/three.$both_into" || fail "$*: three hosts: exit status $?"
}

# PATTERN REPORT [OPTION...]: the text of three hosts has PATTERN, that of one host does not.
only_hosts()
{
	only_pattern=$1
	shift
	# shellcheck disable=SC2086 # words
	"$decode" "$@" $three >"$dir/text" || fail "$*: three hosts: exit status $?"
	unwrap <"$dir/text" | grep -qE -- "$only_pattern" || fail "$*: no '$only_pattern' in: $(tail -n 30 "$dir/text")"
	# shellcheck disable=SC2086 # words
	"$decode" "$@" $one >"$dir/text" || fail "$*: one host: exit status $?"
	! unwrap <"$dir/text" | grep -qE -- "$only_pattern" || fail "$*: '$only_pattern' for one host in: $(tail -n 30 "$dir/text")"
}

both stat stat
both edges edges
both events events --limit=3000
both paths critical-path
both requests critical-path --requests --all
both path critical-path --request=slowest:100
both list requests --all
both steps requests --show=slowest
both check check
both why why --request=slowest
both apart stat --apart
both model model --instances
python3 "$top_srcdir/tests/host/reports.py" "$dir" || fail "see above"

time='[0-9.]+ [um]?s ±[0-9.]+'
only_hosts "^Critical path: $time from event .* to event " critical-path --request=slowest
only_hosts " $time +[0-9.]+ .*hand-off " critical-path --request=slowest:100
only_hosts " $time +$time .* [0-9.]+:[0-9]+ " critical-path --requests
only_hosts "^Request [0-9]+: $time, " requests --show=slowest
only_hosts " talk@db 2\.1 .* by stream, $time on its way" requests --show=slowest
only_hosts " ended $time after .* of talk@(web|app|db) " why --request=slowest
only_hosts "^ +talk@db " requests
only_hosts "^hosts: confirmed by clocks [0-9]+, clocks 3, hosts apart 0, bounds [1-9]" check
only_hosts "^  web +(reference|joined by app: .* at most [0-9.]+ [um]?s earlier and [0-9.]+ [um]?s later)" stat
only_hosts ": mean $time, p50 $time, p99 $time; in " model
only_hosts "Hosts that are apart: web, app, db \(placed by wall clock, no order is certain\)\." stat --apart
# shellcheck disable=SC2086 # words
"$decode" report -o "$dir/one.html" $one >"$dir/log" || fail "report of one host: exit status $?"
# shellcheck disable=SC2086 # words
"$decode" report -o "$dir/three.html" $three >"$dir/log" || fail "report of three hosts: exit status $?"
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome)
PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$top_srcdir/tests/report python3 "$top_srcdir/tests/host/page.py" "$dir" ${browser:+"$browser"} ||
	fail "page: see above"

# INTO TRACE...: the exports of the traces, with the prefix $dir/INTO.
exports()
{
	exports_into=$dir/$1
	shift
	for exports_format in sqlite ctf pftrace; do
		"$decode" export -o "$exports_into.$exports_format" "$@" >"$dir/log" || fail "export of $exports_format: exit status $?"
	done
	protoc --decode=perfetto.Trace -I"$top_srcdir" decoder/export/perfetto.proto <"$exports_into.pftrace" >"$exports_into.perfetto" ||
		fail "protoc cannot decode $exports_into.pftrace"
	[ -z "$has_babeltrace" ] || babeltrace2 "$exports_into.ctf" >"$exports_into.babeltrace" || fail "babeltrace2: exit status $?"
}

if command -v protoc >/dev/null; then
	has_babeltrace=$(command -v babeltrace2)
	# shellcheck disable=SC2086 # words
	exports one $one
	# shellcheck disable=SC2086 # words
	exports three $three
	PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$top_srcdir/tests/export python3 "$top_srcdir/tests/host/exports.py" "$dir" || fail "exports: see above"
fi
finish
