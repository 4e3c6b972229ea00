#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# examples/shop does the same work with and without the recorder, according to its logs. Its trace contains the requests of its
# client, whether the client is traced or not.
. "$(dirname "$0")/lib.sh"
program=$top_builddir/examples/shop
nr=300

# NAME OPTION...: runs all tiers and the client, with the logs in $dir/NAME.
shop()
{
	mkdir "$dir/$1"
	shop_name=$1
	shift
	timeout -k 5 60 env ${trace:+"SYNTRACE_DIR=$trace" "LD_PRELOAD=$lib"} "$program" --directory="$dir/$shop_name" --requests=$nr "$@" ||
		fail "$shop_name: exit status $?"
}

# NAME: the logs in $dir/NAME and in $dir/untraced are equal, apart from ports and from the order of queries.
same()
{
	for same_name in untraced "$1"; do
		{
			cut -d ' ' -f 1,2,4,5 "$dir/$same_name/client.log"
			sort "$dir/$same_name/store.log" "$dir/$same_name/shop.log"
		} >"$dir/$same_name.logs"
	done
	[ "$(wc -l <"$dir/$1/client.log")" = $nr ] || fail "$1: the client made other than $nr requests"
	diff "$dir/untraced.logs" "$dir/$1.logs" || fail "$1: other work than untraced"
}

# NAME: the trace $dir/NAME.data has the requests of the logs in $dir/NAME.
requests()
{
	check_trace "$dir/$1.data"
	"$decode" critical-path --requests --all --format=jsonl "$dir/$1.data" >"$dir/$1.jsonl" || fail "$1: critical-path: exit status $?"
	python3 "$report_tests/shop.py" "$dir/$1" "$dir/$1.jsonl" || fail "$1: see above"
}

trace=
shop untraced
trace=$dir/traced.data
shop traced
same traced
requests traced

trace=
mkdir "$dir/apart"
port=$(free_port)
start apart.data log "$program" --directory="$dir/apart" --port="$port" serve
server=$started
within 20 listening "$port" || fail "the front does not listen: $(cat "$dir/log")"
status 0 "$program" --directory="$dir/apart" --port="$port" --requests=$nr client
wait "$server" || fail "the server: exit status $?"
same apart
requests apart

# Each fault changes one request.
shop faults --fault=read:10 --fault=sleep:20 --fault=query:30 --fault=spin:40
sort "$dir/faults/store.log" >"$dir/with"
sort "$dir/untraced/store.log" >"$dir/without"
[ "$(comm -23 "$dir/with" "$dir/without" | cut -d ' ' -f 1)" = 30 ] || fail "request 30 has no additional query"
[ -z "$(comm -13 "$dir/with" "$dir/without")" ] || fail "a fault removed a query"
for wrong in --requests=1000001 --fault=sleep --fault=sleep:0 --fault=slee:1 --fault= --seeds=1; do
	status 2 "$program" "$wrong" 2>/dev/null
done
finish
