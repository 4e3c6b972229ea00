#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# A day of windows without a change has no level shift, and few odd requests: a model of five runs of examples/shop, and twenty more
# runs of the same program. The rule for a shift is that of watch: two consecutive windows of 200 requests. Only the long form
# (make check-long) runs this test.
#
#   NR=3 tests/report/requests-windows.sh    # three runs instead of twenty
. "$(dirname "$0")/lib.sh"
[ -n "${SYNTRACE_TEST_LONG:-}${NR:-}" ] || skip "only in the long form"
: "${NR:=20}"
program=$top_builddir/examples/shop
one_in=100

# NAME SEED: traces the tiers into $dir/NAME.
record()
{
	mkdir -p "$dir/logs"
	port=$(free_port)
	start "$1" "$1.out" "$program" --directory="$dir/logs" --port="$port" serve
	record_server=$started
	within 20 listening "$port" || fail "$1: the front does not listen: $(cat "$dir/$1.out")"
	status 0 "$program" --directory="$dir/logs" --port="$port" --requests=4000 --seed="$2" client
	wait "$record_server" || fail "$1: the server: exit status $?"
}

set --
for n in 1 2 3 4 5; do
	record "learnt.$n" "$n"
	set -- "$@" "$dir/learnt.$n"
done
timeout -k 5 120 "$decode" workload --save="$dir/model" "$@" || fail "workload --save: exit status $?"
rm -rf "$@"

n=0
set --
while [ $n -lt "$NR" ]; do
	n=$((n + 1))
	record "run.$n" $((n + 5))
	timeout -k 5 120 "$decode" requests --against="$dir/model" --one-in=$one_in --all --format=jsonl "$dir/run.$n" >"$dir/run.$n.jsonl"
	case $? in
	0 | 1) ;;
	*) fail "run $n: requests --against: exit status $?" ;;
	esac
	rm -rf "$dir/run.$n"
	set -- "$@" "$dir/run.$n.jsonl"
done
python3 "$report_tests/requests_windows.py" "$dir/model" $one_in "$@" || fail "see above"
finish
