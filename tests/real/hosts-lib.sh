# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
# shellcheck shell=sh
#
# For tests with several hosts: one network namespace for each host, inside a namespace of the test. Nothing outside changes;
# everything vanishes when the processes of the test end. Host N has the address 10.77.0.N. All hosts share one kernel clock,
# so the true offset between them is 0.
#
#   . "$(dirname "$0")/hosts-lib.sh"
#   hosts 2; join 1 2
#   on 1 CMD...
#
# The test starts itself again in namespaces for the user and the network; it needs no root.
if [ -z "${HOSTS_INSIDE:-}" ]; then
	for hosts_program in ip unshare nsenter; do
		command -v $hosts_program >/dev/null || {
			echo "skipped: $hosts_program is not installed"
			exit 77
		}
	done
	# --kill-child: the hosts end with the test, whatever ends the test
	unshare -Urnmpf --kill-child true 2>/dev/null || {
		echo "skipped: no permission to make namespaces"
		exit 77
	}
	HOSTS_INSIDE=1 exec unshare -Urnmpf --kill-child --mount-proc sh "$0" "$@"
fi
. "$(dirname "$0")/../lib.sh"
wire=$top_builddir/tests/lib/wire
talk=$top_builddir/tests/real/talk
rehost=$top_builddir/tests/lib/rehost

# Prints the address of host N.
address()
{
	echo "10.77.0.$1"
}

# Prints the process that holds the namespace of host N.
holder()
{
	eval "echo \$holder_$1"
}

# on N CMD...: runs it on host N.
on()
{
	on_host=$1
	shift
	nsenter -t "$(holder "$on_host")" -n "$@"
}

has_own_network()
{
	[ "$(readlink "/proc/$1/ns/net")" != "$(readlink /proc/self/ns/net)" ]
}

# Makes hosts 1 to N, which are not connected.
hosts()
{
	hosts_n=0
	while [ $hosts_n -lt "$1" ]; do
		hosts_n=$((hosts_n + 1))
		unshare -n sleep 100000 &
		remember
		eval "holder_$hosts_n=$!"
		within 10 has_own_network $! || fail "host $hosts_n: no network namespace"
		on $hosts_n sh -c 'echo 1 >/proc/sys/net/ipv4/ip_forward; exec ip -batch -' <<-END
			link set lo up
			address add $(address $hosts_n)/32 dev lo
		END
	done
}

# device HOST DEVICE PEER: brings it up. The peer is at its other end.
device()
{
	on "$1" ip -batch - <<-END
		link set $2 addrgenmode none
		link set $2 up
		route add $(address "$3")/32 dev $2 src $(address "$1")
	END
}

# join A B: connects these hosts directly.
join()
{
	ip link add "to$2" netns "$(holder "$1")" type veth peer name "to$1" netns "$(holder "$2")" ||
		skip "no veth devices"
	device "$1" "to$2" "$2"
	device "$2" "to$1" "$1"
}

has_device()
{
	on "$1" ip link show "$2" >/dev/null 2>&1
}

# join_by_wire A B [OPTION...]: connects these hosts by a wire (tests/lib/wire.c); its first direction is from A to B.
# $wire_process is its process, $dir/wire.A.B its output.
join_by_wire()
{
	wire_a=$1 wire_b=$2
	shift 2
	[ -w /dev/net/tun ] || skip "no permission to use /dev/net/tun"
	"$wire" "$@" "$(holder "$wire_a")" "to$wire_b" "$(holder "$wire_b")" "to$wire_a" >"$dir/wire.$wire_a.$wire_b" &
	wire_process=$!
	remember
	within 10 has_device "$wire_b" "to$wire_a" || skip "no tun devices"
	device "$wire_a" "to$wire_b" "$wire_b"
	device "$wire_b" "to$wire_a" "$wire_a"
}

# join_chain N: connects hosts 1 to N in a chain, in which each host forwards packets.
join_chain()
{
	chain_a=1
	while [ $chain_a -lt "$1" ]; do
		join $chain_a $((chain_a + 1))
		chain_a=$((chain_a + 1))
	done
	chain_a=1
	while [ $chain_a -le "$1" ]; do
		chain_b=1
		while [ $chain_b -le "$1" ]; do
			chain_next=
			[ $chain_b -le $((chain_a + 1)) ] || chain_next=$((chain_a + 1))
			[ $chain_b -ge $((chain_a - 1)) ] || chain_next=$((chain_a - 1))
			[ -z "$chain_next" ] || on $chain_a ip route add "$(address $chain_b)/32" \
				via "$(address $chain_next)" dev "to$chain_next" onlink src "$(address $chain_a)"
			chain_b=$((chain_b + 1))
		done
		chain_a=$((chain_a + 1))
	done
}

# move_clocks SEED TRACE...: copies the traces of hosts that share a clock. The copies $dir/true/1, ... have this clock. The copies
# $dir/moved/1, ... have clocks that SEED determines: an offset of up to a day, and a drift of up to 100 ppm in either direction.
# Equal numbers of traces give equal ids of events.
move_clocks()
{
	move_seed=$1 move_n=0
	shift
	rm -rf "$dir/true" "$dir/moved"
	mkdir "$dir/true" "$dir/moved"
	for move_trace; do
		move_n=$((move_n + 1))
		# The first number of some generators hardly depends on the seed.
		move_clock=$(awk -v seed=$((move_seed * 100 + move_n)) 'BEGIN {
			srand(seed); rand()
			printf "--offset %.0f --drift %.3f", rand() * 86400e9, rand() * 200 - 100
		}')
		"$rehost" --trace-id $move_n "$move_trace" "$dir/true/$move_n" >"$dir/rehost" || fail "rehost $move_trace"
		# shellcheck disable=SC2086 # words
		"$rehost" --trace-id $move_n --boot-add $((move_n * 10)) --host "$(basename "$move_trace")" $move_clock \
			"$move_trace" "$dir/moved/$move_n" >"$dir/rehost" || fail "rehost $move_clock $move_trace"
	done
}
