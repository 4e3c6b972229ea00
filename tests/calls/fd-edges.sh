#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# Endpoints whose peers are hard to find (tests/calls/fd-edges.c): each must have exactly the edges
# listed here. FROM THREAD, CALL, TO THREAD, CALL, BYTES; `?`: one of several possible edges.
. "$(dirname "$0")/../lib.sh"
: "${CC:=cc}"
need "$CC"
"$CC" -g -o "$dir/ends" "$top_srcdir/tests/calls/fd-edges.c" -lpthread || fail "does not compile"
cd "$dir" || exit 99
apart= # a command before the traced one

# run PART KINDS: its edges of these kinds, in the file `edges`. False: this kernel does not have it.
run()
{
	rm -rf trace fifo
	# shellcheck disable=SC2086
	timeout 60 $apart env SYNTRACE_DIR="$dir/trace" LD_PRELOAD="$lib" ./ends "$1" >said
	rv=$?
	if [ $rv -eq 77 ]; then
		echo "$1: not available here"
		return 1
	fi
	[ $rv -eq 0 ] || fail "$1: exit status $rv"
	"$decode" edges --verify trace || fail "$1: edges --verify"
	# shellcheck disable=SC2086
	"$decode" edges $2 trace >text || fail "$1: exit status $? of syntrace-decode"
	sed -E 's/^[0-9.]+ [a-z]+ +0\.([0-9]+)\.[0-9]+ ([a-z_]+).* --> 0\.([0-9]+)\.[0-9]+ ([a-z_]+)[^,]*, [^,]*(, ([0-9]+) bytes)?(.*)$/\1 \2 \3 \4 \6\7/
		s/,? ?,? waited [^,]*//; s/, one of several possible causes/ ?/' text >edges
}

# part NAME: standard input says its edges.
part()
{
	cat >expected
	run "$1" "--kind=stream --kind=datagram" || return
	diff expected edges || fail "$1: other edges"
}

# A connection to itself; one pair of addresses used twice; a client of IPv4 and a server of IPv6.
part itself <<'END'
1 write 0 recv 3
END
part reuse <<'END'
1 write 0 recv 3
2 write 0 recv 4
END
part mapped <<'END'
1 write 0 recv 4
2 write 0 recv 5
END

# A redirected connection's ends name other addresses than each other's: unpaired, and said so.
cat >redirect <<'END'
ip link set lo up && nft add table ip t && nft 'add chain ip t out { type nat hook output priority -100; }' &&
	nft add rule ip t out tcp dport 7000 redirect to :7001 && exec "$@"
exit 77
END
if unshare -n sh redirect true 2>/dev/null; then
	apart="unshare -n sh redirect"
	part redirected </dev/null
	apart=
	"$decode" stat trace | grep -q "9 received bytes with an unknown sender: the process at the other end of the connection is not recorded" ||
		fail "redirected: its bytes are not counted as unmatched"
else
	echo "redirected: not available here (root, nft)"
fi

# The positions behind an urgent byte are unknown.
part urgent <<'END'
1 write 0 recv 2
2 send 0 recv 2
END
part inline <<'END'
1 write 0 recv 2
2 send 0 recv 2
END

# Bytes left in the FIFO do not reach a process that opens it again.
part fifo <<'END'
1 write 0 read 2
2 write 0 read 4
END

# Any receive of 100 bytes or less may have received a part of the send that becomes three datagrams
# of 100, or the send of 100.
part split <<'END'
1 sendto 0 recv 100 ?
2 sendto 0 recv 100 ?
1 sendto 0 recv 100 ?
2 sendto 0 recv 100 ?
1 sendto 0 recv 100 ?
2 sendto 0 recv 100 ?
1 sendto 0 recv 100 ?
2 sendto 0 recv 100 ?
1 sendto 0 recv 77 ?
3 sendto 0 recv 77 ?
END
part joined <<'END'
1 sendto 0 recv 300
1 sendto 0 recv 100 ?
2 sendto 0 recv 100 ?
1 sendto 0 recv 77 ?
3 sendto 0 recv 77 ?
END

# A wait for an eventfd that returns has an edge from the thread that wrote to it, and from no
# other.
waiters()
{
	run "$1" --kind=ready || return
	[ "$(cut -d' ' -f1,2,4 edges | sort -u)" = "0 eventfd_write epoll_wait" ] || fail "$1: other edges"
	[ "$(cut -d' ' -f3 edges | sort -u | wc -l)" = "$(cat said)" ] || {
		fail "$1: not $(cat said) waiters"
		cat text
	}
}
waiters level
waiters edge
waiters oneshot
waiters apart
waiters exclusive
finish
