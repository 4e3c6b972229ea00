#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# syntrace-decode watch --against and syntrace record --trigger odd=MODEL, on examples/shop while it runs: each fault causes one
# alarm with its function, also while the request has no answer, like requests cause few alarms, and another mix of requests
# causes an alarm. The memory of watch does not depend on the length of the run or of a request.
. "$(dirname "$0")/lib.sh"
[ -n "${SYNTRACE_TEST_LONG:-}" ] || skip "takes a minute; only in the long form"
program=$top_builddir/examples/shop
nr=2000

# NAME OPTION...: begins to trace the tiers into $dir/NAME.data.
serve()
{
	serve_name=$1
	shift
	mkdir "$dir/$serve_name"
	port=$(free_port)
	start "$serve_name.data" "$serve_name.out" "$program" --directory="$dir/$serve_name" --port="$port" "$@" serve
	server=$started
	within 20 listening "$port" || fail "$serve_name: the front does not listen"
}

# NAME OPTION...: the client, which also ends the tiers.
ask()
{
	ask_name=$1
	shift
	status 0 "$program" --directory="$dir/$ask_name" --port="$port" "$@" client
	wait "$server" || fail "$ask_name: the server: exit status $?"
}

# NAME OPTION...: a run under watch, whose alarms are in $dir/NAME.alarms.
watched()
{
	watched_name=$1
	shift
	serve "$watched_name" "$@"
	timeout -k 5 300 "$decode" watch --against="$dir/shop.workload" --one-in=1000 --format=jsonl "$dir/$watched_name.data" \
		>"$dir/$watched_name.alarms" 2>"$dir/$watched_name.err" &
	watcher=$!
	ask "$watched_name" "$@"
	wait $watcher || fail "$watched_name: watch: exit status $?"
	cut -c1-400 "$dir/$watched_name.alarms"
	cat "$dir/$watched_name.err"
}

for seed in 1 2 3; do
	serve run$seed --seed=$seed --requests=$nr
	ask run$seed --seed=$seed --requests=$nr
done
"$decode" workload --save="$dir/shop.workload" "$dir/run1.data" "$dir/run2.data" "$dir/run3.data" || fail "no model"

# The faults: each of them once, with its function.
watched faults --seed=4 --requests=$nr --fault=read:700 --fault=sleep:1400
for function in reload_prices back_off; do
	[ "$(grep -c "\"kind\":\"odd\",\"over\":true.*\"symbol\":\"[^\"]*;$function;" "$dir/faults.alarms")" -eq 1 ] ||
		fail "not one alarm about $function"
done
# A finished trace has the same alarms as the verb requests.
"$decode" watch --against="$dir/shop.workload" --one-in=1000 --format=jsonl "$dir/faults.data" >"$dir/later" || fail "watch on a finished trace"
"$decode" requests --against="$dir/shop.workload" --one-in=1000 --format=jsonl "$dir/faults.data" >"$dir/requests"
[ "$(grep -c '"kind":"odd"' "$dir/later")" -eq "$(grep -c '"type":"request"' "$dir/requests")" ] ||
	fail "watch and requests find different requests"

# A request makes an unusual call and then hangs: it has one alarm, before its answer. A request that only hangs is usual so
# far, so its alarm comes after its answer.
watched hang --seed=4 --requests=$nr --rate=400 --fault=read:700 --fault=hang:700
grep '"kind":"odd","over":false' "$dir/hang.alarms" >"$dir/hang.open"
[ "$(grep -c '"symbol":"[^"]*;reload_prices;' "$dir/hang.open")" -eq 1 ] || fail "not one alarm about the open request"
[ "$(wc -l <"$dir/hang.open")" -eq 1 ] || fail "other open requests have alarms"
received=$(sed 's/.*"received":"\([0-9.]*\)".*/\1/' "$dir/hang.open")
[ "$(grep -c "\"received\":\"$received\"" "$dir/hang.alarms")" -eq 1 ] || fail "several alarms about the request $received"
watched usual --seed=4 --requests=$nr --rate=400 --fault=hang:700 --hang=4
grep '"kind":"odd","over":false' "$dir/usual.alarms" && fail "an alarm about a usual open request"
[ "$(grep -c '"kind":"odd","over":true.*"symbol":"[^"]*;wait_for_supplier;' "$dir/usual.alarms")" -eq 1 ] ||
	fail "not one alarm about the request that hung"

# Like requests. A loaded machine changes CPU times, so only departures by steps are counted.
watched like --seed=5 --requests=$nr
[ "$(grep -c '"kind":"odd".*"change":"\(extra\|other\|missing\)"' "$dir/like.alarms")" -le 6 ] || fail "too many alarms"
grep -q '"kind":"shift"' "$dir/like.alarms" && fail "a shift of an unchanged mix"

# The file of the program is removed, as by an upgrade: its functions have no names, so its requests are not compared.
cp "$program" "$dir/upgraded"
program=$dir/upgraded
serve upgrade --seed=5 --requests=$nr
program=$top_builddir/examples/shop
rm "$dir/upgraded"
"$decode" watch --against="$dir/shop.workload" --one-in=1000 "$dir/upgrade.data" >"$dir/upgrade.alarms" 2>"$dir/upgrade.err" &
watcher=$!
ask upgrade --seed=5 --requests=$nr
wait $watcher || fail "upgrade: watch: exit status $?"
grep -q 'leaves out requests: a file of the program is not the file that ran' "$dir/upgrade.err" || fail "upgrade: no message"
[ ! -s "$dir/upgrade.alarms" ] || fail "alarms about a file that was replaced: $(wc -l <"$dir/upgrade.alarms")"

# A model of another mix: the most frequent kind has ten times its share.
sed '0,/^cluster\t[0-9]*/s//cluster\t20000/' "$dir/shop.workload" >"$dir/other.workload"
status 0 "$decode" watch --against="$dir/other.workload" --one-in=1000 "$dir/like.data" >"$dir/shift"
[ "$(grep -c '^shift: the mix of requests has shifted: ' "$dir/shift")" -eq 1 ] || fail "not one shift: $(cat "$dir/shift")"

# Bounded memory: a request is open for 20 s, while others make two million events.
serve long --seed=6 --requests=69000 --fault=hang:100 --hang=20
"$decode" watch --against="$dir/shop.workload" --one-in=3000 --window=100ms "$dir/long.data" >/dev/null 2>"$dir/long.err" &
watcher=$!
"$program" --directory="$dir/long" --port="$port" --seed=6 --requests=69000 --rate=3000 client &
client=$!
most=0
while kill -0 $client 2>/dev/null; do
	anonymous=$(sed -n 's/^RssAnon:[[:space:]]*\([0-9]*\) kB/\1/p' /proc/$watcher/status 2>/dev/null)
	[ "${anonymous:-0}" -le $most ] || most=$anonymous
	sleep 0.1
done
wait "$server" || fail "long: the server: exit status $?"
wait $watcher || fail "long: watch: exit status $?"
echo "at most $most KiB of memory"
[ $most -le 524288 ] || fail "watch needed $most KiB"

# The trigger copies the trace.
mkdir "$dir/trigger"
port=$(free_port)
"$top_builddir/syntrace" record -q -o "$dir/trigger.data" --trigger "odd=$dir/shop.workload:200" -- \
	"$program" --directory="$dir/trigger" --port="$port" --seed=7 --requests=$nr --fault=sleep:200 serve 2>"$dir/said" &
server=$!
within 20 listening "$port" || fail "trigger: the front does not listen"
# the tiers run until their client closes its four connections: long enough for the alarm
python3 - "$port" <<'END' || fail "trigger: the client"
import socket, sys, time
fronts = [socket.create_connection(("127.0.0.1", int(sys.argv[1]))) for _ in range(4)]
for number in range(1, 401):
    front = fronts[number % 4]
    front.sendall(b"GET /home?id=%d\n" % number)
    answer = b""
    while not answer.endswith(b"\n"):
        answer += front.recv(4096)
time.sleep(10)
END
wait "$server" || fail "trigger: exit status $?"
cat "$dir/said"
grep -qE '^syntrace: (odd|shift): .*: copied into .*trigger\.data\.1; next: syntrace-decode requests ' "$dir/said" || fail "no copy"
[ -d "$dir/trigger.data.1" ] || fail "the copy is missing"

status 2 "$decode" watch --against="$dir/shop.workload" --one-in=0 "$dir/like.data" 2>/dev/null
status 4 "$decode" watch --against="$dir/nothing" "$dir/like.data" 2>/dev/null
status 125 "$top_builddir/syntrace" record --trigger odd="$dir/nothing" true 2>/dev/null
finish
