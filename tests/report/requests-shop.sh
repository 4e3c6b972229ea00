#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# syntrace-decode requests and workload, on examples/shop with an untraced client: each request has exactly its own work, and each
# of four faults is a finding with its function. The logs of the shop and of its client contain the truth.
. "$(dirname "$0")/lib.sh"
program=$top_builddir/examples/shop
nr=700 seeds='1 2'
[ -z "${SYNTRACE_TEST_LONG:-}" ] || nr=2000 seeds='1 2 3'

# NAME OPTION...: traces the tiers into $dir/NAME.data, with the logs in $dir/NAME.
record()
{
	record_name=$1
	shift
	mkdir "$dir/$record_name"
	port=$(free_port)
	start "$record_name.data" "$record_name.out" "$program" --directory="$dir/$record_name" --port="$port" "$@" serve
	record_server=$started
	within 20 listening "$port" || fail "$record_name: the front does not listen: $(cat "$dir/$record_name.out")"
	status 0 "$program" --directory="$dir/$record_name" --port="$port" --requests=$nr "$@" client
	wait "$record_server" || fail "$record_name: the server: exit status $?"
	check_trace "$dir/$record_name.data"
}

# STATUS FILE ARGUMENT...: leaves the output of the decoder in $dir/FILE.
decode()
{
	decode_wanted=$1 decode_into=$dir/$2
	shift 2
	timeout -k 5 120 "$decode" "$@" >"$decode_into"
	decode_got=$?
	[ $decode_got = "$decode_wanted" ] || fail "exit status $decode_got instead of $decode_wanted: syntrace-decode $*"
}

# STATUS NAME OPTION...: leaves the requests of $dir/NAME.data in $dir/requests.
requests()
{
	requests_status=$1 requests_trace=$dir/$2.data
	shift 2
	decode "$requests_status" requests requests --all --format=jsonl "$@" "$requests_trace"
	decode "$requests_status" one-job requests --all --format=jsonl --jobs=1 "$@" "$requests_trace"
	cmp "$dir/requests" "$dir/one-job" || fail "requests $*: another output with one job"
}

# VERB NAME ARGUMENT...
compare()
{
	compare_verb=$1 compare_name=$2
	shift 2
	python3 "$report_tests/requests_shop.py" "$compare_verb" "$dir/$compare_name" "$@" ||
		fail "$compare_name: $compare_verb: see above"
}

# NAME [FAULT:ID...]: the audit trails of one request of each kind, and of each fault, have the queries of the request.
trails()
{
	trails_name=$1
	shift
	compare sample "$trails_name" "$dir/requests" "$@" >"$dir/sample"
	[ -s "$dir/sample" ] || fail "$trails_name: no request to show"
	while read -r number id; do
		decode 0 steps requests --show="$number" --format=jsonl "$dir/$trails_name.data" </dev/null
		compare steps "$trails_name" "$id" "$dir/steps" "$@"
	done <"$dir/sample"
}

for seed in $seeds; do
	record run$seed --seed=$seed
	requests 0 run$seed
	compare work run$seed "$dir/requests"
done
trails run2
decode 0 workload workload --save="$dir/shop.workload" "$dir"/run*.data
cat "$dir/workload"

set -- read:200 sleep:330 query:460 spin:590
record faults --seed=4 --fault=read:200 --fault=sleep:330 --fault=query:460 --fault=spin:590
requests 0 faults
compare work faults "$dir/requests" "$@"
trails faults "$@"
requests 1 faults --against="$dir/shop.workload"
compare faults faults "$dir/requests" "$@"

# The text names the functions, too.
decode 1 text requests --against="$dir/shop.workload" "$dir/faults.data"
cat "$dir/text"
unwrap <"$dir/text" >"$dir/sentences"
for function in reload_prices back_off check_stock work_on; do
	grep -qE "^Request [0-9]+: .*\b$function\b" "$dir/sentences" || fail "the text does not name $function"
done
finish
