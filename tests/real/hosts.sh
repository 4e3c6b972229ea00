#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# Traces of several hosts, as in sections 12 to 15 of Clément & Dagenais 2009: quiet hosts, loaded hosts, seven hops, and hosts
# whose connection is interrupted or that exchange nothing. One clock times all hosts, so the true offsets are 0 and the trace
# shows the true delays: no message may arrive before it was sent, and a wire may not be faster than its delay.
#
# Then tests/lib/rehost gives each host another clock, and tests/oracle/moved compares what the decoder finds by both methods
# with the truth. The last lines are rows of the table in doc/clocks.md.
#
#   TESTS="quiet hops" SECONDS_EACH=1800 RATE=1 KEEP=1 tests/real/hosts.sh    # these tests, as long as in the paper; keeps the traces
#   SEED=2 tests/real/hosts.sh                                                # other clocks
#
# Each test leaves one trace per host in $dir/TEST/HOST, and the truth in $dir/TEST.truth (see delays.py).
[ -n "${SYNTRACE_TEST_LONG:-}${KEEP:-}" ] || {
	echo "skipped: only in the long form"
	exit 77
}
. "$(dirname "$0")/hosts-lib.sh"
need python3
[ -x "$talk" ] || skip "tests/real/talk is not built"
seconds=${SECONDS_EACH:-4}
rate=${RATE:-100}
port=5000
judge=$top_builddir/tests/oracle/moved

# begin TEST: forgets the hosts of the last test.
begin()
{
	name=$1
	mkdir "$dir/$name"
	pids='' traces=''
	echo "== $name"
}

# record N HOST TALK_OPTION...: records talk on host N as HOST; peers follow the port.
record()
{
	record_n=$1 record_host=$2
	shift 2
	on "$record_n" timeout -k 5 $((seconds + 100)) "$top_builddir/syntrace" record -q -o "$dir/$name/$record_host" -- \
		"$talk" --rate="$rate" --seconds="$seconds" "$@" >"$dir/$name.$record_host.log" 2>&1 &
	pids="$pids $!"
	traces="$traces $dir/$name/$record_host"
	remember
}

# Waits for the hosts, and checks their traces and delays.
finish_hosts()
{
	for pid in $pids; do
		wait "$pid" || fail "$name: exit status $?: $(cat "$dir/$name".*.log)"
	done
	for trace in $traces; do
		status 0 "$decode" stat --fail-on-loss "$trace" >"$dir/stat"
		check_trace "$trace"
	done
	# shellcheck disable=SC2086 # words
	python3 "$top_srcdir/tests/real/delays.py" "$decode" $traces >"$dir/$name.truth" || fail "$name: delays.py: exit status $?"
	grep '"delays"' "$dir/$name.truth"
	# shellcheck disable=SC2086 # words
	status 0 "$decode" edges --verify $traces
	judge_clocks
}

# number NAME METHOD: prints this number of the judge's line for the method.
number()
{
	sed -n "s/.*$1 \([0-9.]*\) us.*/\1/p" "$dir/$name.$2"
}

# Moves the clocks of the hosts, and judges both methods. The number of workers does not change the output.
judge_clocks()
{
	# shellcheck disable=SC2086 # words
	move_clocks "${SEED:-1}" $traces
	for method in gap least-squares; do
		"$judge" --method=$method --pairs=200000 "$dir"/true/* -- "$dir"/moved/* >"$dir/$name.$method" ||
			fail "$name: $method: $(cat "$dir/$name.$method")"
		echo "$method: $(cat "$dir/$name.$method")"
		for verb in clocks edges; do
			"$decode" $verb --format=jsonl --method=$method --jobs=1 "$dir"/moved/* >"$dir/jobs" || fail "$name: $verb: exit status $?"
			"$decode" $verb --format=jsonl --method=$method --jobs=2 "$dir"/moved/* | cmp - "$dir/jobs" ||
				fail "$name: $verb: the number of workers changes the output"
		done
	done
	printf '| %s | %.1f | %.1f | %.1f | %.0f |\n' "$name" "$(number E_r gap)" "$(number error least-squares)" "$(number error gap)" \
		"$(number bounds gap)" >>"$dir/rows"
}

# value KEY FROM TO: prints it of this direction.
value()
{
	sed -n "s/.*\"from\": \"$2\", \"to\": \"$3\".*\"$1\": \([-0-9.]*\).*/\1/p" "$dir/$name.truth"
}

# exchanged A B [LEAST_US LEAST_US]: each request of A and each answer of B arrived complete, and none too early.
exchanged()
{
	for exchanged_way in "$1 $2 ${3:-0}" "$2 $1 ${4:-0}"; do
		# shellcheck disable=SC2086 # words
		set -- $exchanged_way
		[ "$(value messages "$1" "$2")" -ge $((rate * seconds)) ] ||
			fail "$name: from $1 to $2: '$(value messages "$1" "$2")' messages of $((rate * seconds))"
		[ "$(value unread "$1" "$2")" = 0 ] || fail "$name: from $1 to $2: $(value unread "$1" "$2") bytes were lost"
		[ "$(value negative "$1" "$2")" = 0 ] || fail "$name: from $1 to $2: messages arrived before they were sent"
		awk -v us="$(value least_us "$1" "$2")" -v least="$3" 'BEGIN { exit us < least }' ||
			fail "$name: from $1 to $2: $(value least_us "$1" "$2") us, less than $3"
	done
}

end_wire()
{
	kill -TERM "$wire_process"
	wait "$wire_process" || fail "$name: wire: exit status $?"
	cat "$dir/wire.1.2"
}

# two [OPTION...] -- [OPTION...]: the client "web" on host 1 and its server "db" on host 2, with options of talk for each.
two()
{
	two_client=
	while [ "$1" != -- ]; do
		two_client="$two_client $1"
		shift
	done
	shift
	# shellcheck disable=SC2086 # words
	record 1 web $two_client $port "$(address 2):$port"
	record 2 db --accept=1 "$@" $port
	finish_hosts
}

quiet()
{
	hosts 2
	join 1 2
	two --
	exchanged web db
}

loaded()
{
	hosts 2
	join 1 2
	two --load=2 -- --load=2
	exchanged web db
}

one_loaded()
{
	hosts 2
	join 1 2
	two --load=2 --
	exchanged web db
}

wire()
{
	hosts 2
	join_by_wire 1 2 --delay=150,300
	two --
	end_wire
	exchanged web db 150 300
}

# A chain of eight hosts: neighbours exchange messages, and the first and the last one, over seven hops.
hops()
{
	hosts 8
	join_chain 8
	record 1 node1 --accept=2 $port
	for n in 2 3 4 5 6 7; do
		record $n node$n --accept=1 $port "$(address $((n - 1))):$port"
	done
	record 8 node8 $port "$(address 7):$port" "$(address 1):$port"
	finish_hosts
	for n in 1 2 3 4 5 6 7; do
		exchanged node$((n + 1)) node$n
	done
	exchanged node8 node1
	[ "$(grep -c '"delays"' "$dir/$name.truth")" = 16 ] || fail "$name: other pairs than those that talked"
}

# The wire drops everything for half a second; TCP sends it again.
interrupted()
{
	hosts 2
	join_by_wire 1 2 --delay=100 --down=1000,1500
	two --
	end_wire
	exchanged web db 100 100
	awk -v us="$(value greatest_us db web)" -v other="$(value greatest_us web db)" 'BEGIN { exit us < 200000 && other < 200000 }' ||
		fail "$name: no message was late"
}

# Two components without any message between them.
apart()
{
	hosts 4
	join 1 2
	join 3 4
	record 1 web $port "$(address 2):$port"
	record 2 db --accept=1 $port
	record 3 batch $port "$(address 4):$port"
	record 4 store --accept=1 $port
	finish_hosts
	exchanged web db
	exchanged batch store
	[ "$(grep -c '"delays"' "$dir/$name.truth")" = 4 ] || fail "$name: other pairs than those that talked"
}

for test in ${TESTS:-quiet loaded one_loaded wire hops interrupted apart}; do
	begin "$test"
	"$test"
done
cat "$dir/rows"
finish
