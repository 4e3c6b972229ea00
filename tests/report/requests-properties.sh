#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# Properties of the verbs requests and workload that hold on each trace (examples/shop): the work of all requests adds up to the
# work of the trace; the lines have the order of the list, in several batches; the number of decoder threads and a second run change no
# byte; synthetic requests have the shares of the model.
. "$(dirname "$0")/lib.sh"
program=$top_builddir/examples/shop
properties=$report_tests/requests_properties.py
port=$(free_port)
nr=1500 # more than one batch of JSON lines

mkdir "$dir/logs"
start trace server.out "$program" --directory="$dir/logs" --port="$port" serve
server=$started
within 20 listening "$port" || fail "the front does not listen: $(cat "$dir/server.out")"
status 0 "$program" --directory="$dir/logs" --port="$port" --requests=$nr client
wait "$server" || fail "the server: exit status $?"
check_trace "$dir/trace"

# FILE ARGUMENT...: leaves the output of the decoder in $dir/FILE.
decode()
{
	decode_into=$dir/$1
	shift
	timeout -k 5 60 "$decode" "$@" >"$decode_into" || fail "syntrace-decode $*: exit status $?"
}

# WHAT FILE FILE
equal()
{
	cmp "$dir/$2" "$dir/$3" || fail "$1 change the output"
}

for jobs in 1 2; do
	decode "requests.$jobs" requests --all --format=jsonl --jobs=$jobs "$dir/trace"
	decode "workload.$jobs" workload --format=jsonl --jobs=$jobs "$dir/trace"
	decode nothing workload --save="$dir/model.$jobs" --jobs=$jobs "$dir/trace"
done
decode nothing workload --save="$dir/model.again" "$dir/trace"
equal "two threads" requests.1 requests.2
equal "two threads" workload.1 workload.2
equal "two threads" model.1 model.2
equal "a second run" model.1 model.again

decode limited requests --all --format=jsonl --limit=1200 "$dir/trace"
python3 "$properties" order "$dir/requests.1" $nr "$dir/limited" 1200 || fail "order: see above"
# The lines of the text are made in another order than that of the list.
for memory in 1M 1G; do
	decode list requests --all --limit=1200 --memory=$memory "$dir/trace"
	awk '$1 ~ /^[0-9]+[+]?$/ && $2 ~ /^[0-9.]+$/ && $3 ~ /s$/ { print $1 + 0 }' "$dir/list" >"$dir/list.numbers"
	sed -n 's/.*"type":"request","request":\([0-9]*\),.*/\1/p' "$dir/limited" | cmp - "$dir/list.numbers" ||
		fail "the text has another order with --memory=$memory"
done

decode stat stat --format=jsonl "$dir/trace"
python3 "$properties" amounts "$dir/requests.1" "$dir/stat" || fail "amounts: see above"

decode mix workload --generate=10000 --seed=1 "$dir/model.1"
decode mix.again workload --generate=10000 --seed=1 "$dir/model.1"
equal "two draws with one seed" mix mix.again
[ "$(wc -l <"$dir/mix")" = 10000 ] || fail "not 10000 requests were generated"
python3 "$properties" mix "$dir/mix" "$dir/model.1" || fail "mix: see above"
# The mix has no work, so clusters with equal steps become one. A model of the mix has its shares, and so has a mix of this model.
decode nothing workload --save="$dir/model.mix" --strings="$dir/mix"
decode mix.mix workload --generate=10000 --seed=2 "$dir/model.mix"
for mix in mix mix.mix; do
	decode shares workload --against="$dir/model.mix" --strings="$dir/$mix" --format=jsonl
	python3 "$properties" shares "$dir/shares" || fail "$mix: see above"
done

# automaton STRINGS LEFT_OUT UNMERGED TEXT: the automaton of STRINGS has these counters; the text has the line TEXT, or no such line.
automaton()
{
	decode automaton workload --automaton --strings="$1" --format=jsonl
	grep -qxE "\{\"v\":1,\"type\":\"automaton\",\"left_out\":$2,\"unmerged\":$3\}" "$dir/automaton" ||
		fail "$1: $(tail -n 1 "$dir/automaton")"
	decode automaton workload --automaton --strings="$1"
	[ "$(grep ^Incomplete "$dir/automaton")" = "${4:-}" ] || fail "$1: $(tail -n 1 "$dir/automaton")"
}

# A prefix tree has room for one of two strings of 60,000 steps, and for all short ones. A loop of 1000 turns that many requests
# run through takes more comparisons than the limit.
automaton "$dir/mix" 0 0
awk 'BEGIN { for (line = 0; line < 3; line++) { for (i = 0; i < 60000; i++) printf "%s ", line < 2 ? "a" : "b"; print "" } }' >"$dir/long"
automaton "$dir/long" 1 0 "Incomplete: 1 rare behaviour left out, 0 states not compared with all other states."
if [ -n "${SYNTRACE_TEST_LONG:-}" ]; then
	awk 'BEGIN { for (i = 0; i < 1000; i++) loop = loop "a "; for (i = 0; i < 1000; i++) print loop }' >"$dir/loop"
	automaton "$dir/loop" 0 "[1-9][0-9]*" \
		"Incomplete: 0 rare behaviours left out, 434 states not compared with all other states."
fi
finish
