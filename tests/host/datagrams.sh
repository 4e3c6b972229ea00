#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# UDP in several network namespaces. Each namespace has a loopback address of its own, so two namespaces with equal sockets
# have no edge between them. A datagram to an address of another namespace has its edge, also if most datagrams are lost.
. "$(dirname "$0")/../real/hosts-lib.sh"
need python3
script=$top_srcdir/tests/host/datagrams.py
python=$(python3 -c "import sys; print(sys.executable)") # python3 itself may be a script

# HOST NAME ARGUMENT...: records the script in the background, as $!.
record()
{
	record_host=$1 record_name=$2
	shift 2
	SYNTRACE_DIR="$dir/$record_name" LD_PRELOAD="$lib" on "$record_host" "$python" "$script" "$@" >"$dir/$record_name.log" 2>&1 &
	remember
}

# TRACE...: the number of edges between datagrams.
count()
{
	"$decode" edges --format=jsonl --kind=datagram "$@" | grep -c '"type":"edge"'
}

hosts 2
record 1 one local
one=$!
record 2 two local
wait $one || fail "local: exit status $?"
wait $! || fail "local: exit status $?"
[ "$(count "$dir/one")" = 30 ] || fail "one namespace: $(count "$dir/one") edges"
[ "$(count "$dir/one" "$dir/two")" = 60 ] || fail "two namespaces: $(count "$dir/one" "$dir/two") edges"

join 1 2
record 2 receiver receive "$(address 2)"
receiver=$!
within 10 grep -q bound "$dir/receiver.log" || fail "no receiver"
record 1 sender send "$(address 1)" "$(address 2)"
wait $! || fail "send: exit status $?"
wait $receiver || fail "receive: exit status $?"
"$decode" edges --format=jsonl --kind=datagram "$dir/sender" "$dir/receiver" >"$dir/edges"
"$decode" events --format=jsonl --no-stacks "$dir/sender" >"$dir/sends"
"$decode" events --format=jsonl --no-stacks "$dir/receiver" >"$dir/receives"
"$python" "$script" check "$dir/edges" "$dir/sends" "$dir/receives" || fail "edges between two namespaces"
status 0 "$decode" check "$dir/sender" "$dir/receiver" >"$dir/check.out"
finish
