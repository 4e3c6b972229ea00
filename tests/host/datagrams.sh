#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# UDP in several network namespaces. Each namespace has a loopback address of its own, so two namespaces with equal sockets
# have no edge between them. A datagram to an address of another namespace has its edge, also if most datagrams are lost. So it
# has if the namespace is another host, whose clock tests/lib/rehost has moved.
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

# A TCP connection joins the clocks of the two hosts, once they have two clocks.
rehost=$top_builddir/tests/lib/rehost
join 1 2
: >"$dir/receiver.log"
on 2 timeout 60 "$top_builddir/syntrace" record -q -o "$dir/db" -- sh -c '
	"$1" "$2" receive "$3" >"$4" &
	"$5" --rate=300 --seconds=2 --accept=1 5000
	wait' sh "$python" "$script" "$(address 2)" "$dir/receiver.log" "$talk" >"$dir/db.log" 2>&1 &
db=$!
remember
on 1 timeout 60 "$top_builddir/syntrace" record -q -o "$dir/web" -- "$talk" --rate=300 --seconds=2 5000 "$(address 2):5000" >"$dir/web.log" 2>&1 &
web=$!
remember
within 10 grep -q bound "$dir/receiver.log" || fail "no receiver"
record 1 sender send "$(address 1)" "$(address 2)"
wait $! || fail "send: exit status $?"
wait $web || fail "web: exit status $?"
wait $db || fail "db: exit status $?"
"$decode" events --format=jsonl --no-stacks "$dir/sender" >"$dir/sends"
"$decode" events --format=jsonl --no-stacks "$dir/db" >"$dir/receives"

# WHAT LEAST TRACE...
matches()
{
	what=$1 least=$2
	shift 2
	"$decode" edges --format=jsonl --kind=datagram --jobs=1 "$@" >"$dir/edges" || fail "$what: edges"
	"$decode" edges --format=jsonl --kind=datagram --jobs=2 "$@" | cmp - "$dir/edges" || fail "$what: the number of workers changes the edges"
	"$python" "$script" check "$dir/edges" "$dir/sends" "$dir/receives" "$least" || fail "$what: edges"
	status 0 "$decode" edges --verify "$@" >"$dir/verify"
	status 0 "$decode" check "$@" >"$dir/check.out"
}

matches "two namespaces" 10 "$dir/sender" "$dir/db"
for offset in 0 81204113000000 -500000000; do
	rm -rf "$dir/other"
	"$rehost" --boot-add 9 --host other --offset $offset "$dir/db" "$dir/other" >/dev/null || fail "rehost"
	matches "offset $offset" 8 "$dir/web" "$dir/other" "$dir/sender"
	matches "offset $offset, other order" 8 "$dir/sender" "$dir/other" "$dir/web"
	matches "offset $offset, apart" 0 "$dir/sender" "$dir/other"
	! grep -q '"type":"edge"' "$dir/edges" || fail "offset $offset: edges between hosts that are apart"
done
finish
