#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# Two hosts that exchange messages over TCP. One clock timed both, and tests/lib/rehost has moved the clock of the second
# host by a known function. The decoder finds this function within its own limits of error, pairs all bytes, and no edge
# runs backwards. Hosts without messages stay apart.
. "$(dirname "$0")/../real/hosts-lib.sh"
need python3

hosts 2
join 1 2
on 2 timeout 60 "$top_builddir/syntrace" record -q -o "$dir/db" -- "$talk" --rate=300 --seconds=1 --accept=1 5000 >"$dir/db.log" 2>&1 &
db=$!
remember
on 1 timeout 60 "$top_builddir/syntrace" record -q -o "$dir/web" -- "$talk" --rate=300 --seconds=1 5000 "$(address 2):5000" >"$dir/web.log" 2>&1 ||
	fail "web: exit status $?"
wait $db || fail "db: exit status $?"

"$decode" edges --format=jsonl "$dir/web" "$dir/db" >"$dir/one.jsonl" || fail "edges of one host"

# WHAT OFFSET_NS DRIFT_PPM OPTION VALUE...: the copy of db has this clock.
try()
{
	what=$1 offset=$2 drift=$3
	shift 3
	origin=$("$rehost" "$@" --trace-id 77 --host other --offset "$offset" --drift "$drift" "$dir/db" "$dir/$what" |
		sed -n 's/^origin //p')
	set -- "$what" "$offset" "$drift"
	for way in "$dir/web $dir/$1" "$dir/$1 $dir/web --reference=other"; do
		# shellcheck disable=SC2086 # words
		"$decode" clocks --format=jsonl $way >"$dir/clocks.jsonl" || fail "$1: clocks: exit status $?"
		# shellcheck disable=SC2086 # words
		"$decode" edges --format=jsonl --jobs=1 $way >"$dir/edges.jsonl" || fail "$1: edges: exit status $?"
		# shellcheck disable=SC2086 # words
		"$decode" edges --format=jsonl --jobs=2 $way | cmp - "$dir/edges.jsonl" || fail "$1: the number of workers changes the edges"
		python3 "$top_srcdir/tests/host/clocks.py" "$dir/one.jsonl" "$dir/clocks.jsonl" "$dir/edges.jsonl" "$origin" "$2" "$3" ||
			fail "$1: $way"
		# shellcheck disable=SC2086 # words
		status 0 "$decode" edges --verify $way >"$dir/verify"
		# shellcheck disable=SC2086 # words
		status 0 "$decode" check $way >"$dir/check"
	done
}

try days 81204113000000 -23.104 --boot-add 9
# The event clock begins when the machine boots: a later origin would be before this time.
try back "-$(awk '{ printf "%d", $1 / 2 }' /proc/uptime)000000000" 80 --boot-add 9
try equal 0 0 --boot-add 9
# A clone of a virtual machine has the same boot id.
try clone 3600000000000 5 --wall -3600000000000

# The first events of two hosts: the clocks prove their order if the gap is long enough. Two events that an edge connects.
for event in 0.0.1 0.0.2 0.0.3; do
	status 1 "$decode" edges --format=jsonl --from 1.0.1 --to $event "$dir/web" "$dir/days" >"$dir/order"
	sed -n 's/.*"by":\([a-z"]*\),"gap":\([0-9]*\),"needed":\([0-9]*\).*/\1 \2 \3/p' "$dir/order" |
		awk '{ good = ($1 == "null" && $2 <= $3) || ($1 == "\"clocks\"" && $2 > $3) } END { exit !good }' ||
		fail "order: $(cat "$dir/order")"
done
"$decode" edges --format=jsonl --kind=stream "$dir/web" "$dir/days" | sed -n 's/.*"from":"\([0-9.]*\)","to":"\([0-9.]*\)".*/\1 \2/p;' | head -1 >"$dir/edge"
read -r from to <"$dir/edge"
status 0 "$decode" edges --format=jsonl --from "$from" --to "$to" "$dir/web" "$dir/days" >"$dir/order"
grep -q '"order":"before","by":"edges"' "$dir/order" || fail "order by edges: $(cat "$dir/order")"
status 1 "$decode" edges --format=jsonl --from 1.0.1 --to 0.0.1 --apart "$dir/web" "$dir/days" >"$dir/order"
grep -q '"order":"undecided","by":null,"gap":[0-9]*,"needed":null' "$dir/order" || fail "order of hosts that are apart: $(cat "$dir/order")"

# A host without messages stays apart, and has no edge to another host.
status 0 "$decode" clocks --apart "$dir/web" "$dir/days" >"$dir/out"
[ "$(grep -c ' apart$' "$dir/out")" = 2 ] || fail "clocks --apart: $(cat "$dir/out")"
status 0 "$decode" edges --format=jsonl --apart "$dir/web" "$dir/days" >"$dir/out"
[ "$(grep -c '"kind":"stream"' "$dir/out")" = 0 ] || fail "edges between hosts that are apart"

# A copy of a trace on a third host: each connection has two candidates, so no edge between hosts is certain.
"$rehost" --boot-add 12 --trace-id 78 --host copy --offset 5000000 --drift 3 "$dir/db" "$dir/copy" >"$dir/out" || fail "rehost"
status 0 "$decode" edges --format=jsonl "$dir/web" "$dir/days" "$dir/copy" >"$dir/out"
[ "$(grep -c '"kind":"stream"' "$dir/out")" = 0 ] || fail "edges between hosts although a trace was copied"
status 0 "$decode" clocks --format=jsonl "$dir/web" "$dir/days" "$dir/copy" >"$dir/out"
[ "$(grep -c '"component":null' "$dir/out")" = 3 ] || fail "a copied trace joined hosts: $(cat "$dir/out")"

# The options for several hosts change no report of one host, in one or in two network namespaces.
for verb in stat events edges waits critical-path tasks requests; do
	for one in "$dir/web" "$dir/web $dir/db"; do
		# shellcheck disable=SC2086 # words
		status 0 "$decode" $verb --format=jsonl $one >"$dir/plain"
		# shellcheck disable=SC2086 # words
		status 0 "$decode" $verb --format=jsonl --apart --method=least-squares --segment=1s --wander=50 $one | cmp - "$dir/plain" ||
			fail "$verb: the options for several hosts change the report of one host"
	done
done
status 0 "$decode" clocks "$dir/web" >"$dir/out"
grep -q '^All events have one clock' "$dir/out" || fail "one clock: $(cat "$dir/out")"
finish
