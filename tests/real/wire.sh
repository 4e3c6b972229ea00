#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# The wire between two hosts of a test: no packet is early in either direction, packets keep their order, the seed alone
# decides which packets are lost, and a wire that is down loses all of them.
. "$(dirname "$0")/hosts-lib.sh"
need python3
hosts 2

# run OPTION...: sends 200 numbered datagrams each way over a wire, see datagrams.py.
run()
{
	join_by_wire 1 2 "$@"
	timeout 30 python3 "$top_srcdir/tests/real/datagrams.py" "$(holder 1)" "$(address 1)" "$(holder 2)" "$(address 2)" \
		>"$dir/out" || fail "datagrams.py: exit status $?"
	kill -TERM "$wire_process"
	wait "$wire_process" || fail "wire: exit status $?"
	cat "$dir/wire.1.2"
}

# arrived DIRECTION: prints the numbers of the datagrams that arrived. 1: from host 1 to host 2; 2: the other direction
arrived()
{
	sed -n "$1p" "$dir/out" | cut -d ' ' -f 3-
}

# at_least COLUMN A B: the values of a column of the output, in both directions, are at least A and B us.
at_least()
{
	awk -v column="$1" -v a="$2" -v b="$3" '$column < (NR == 1 ? a : b) { exit 1 } END { exit NR != 2 }' "$dir/out" ||
		fail "column $1 is not at least $2 and $3: $(cut -d ' ' -f 1,2 "$dir/out")"
}

run --delay=20000,5000 --jitter=1000
for n in 1 2; do
	[ "$(arrived $n)" = "$(seq -s ' ' 0 199)" ] || fail "direction $n: $(arrived $n)"
done
at_least 1 20000 5000

run --delay=50 --loss=20,50 --seed=7
first=$(cut -d ' ' -f 3- "$dir/out")
run --delay=500 --jitter=100 --loss=20,50 --seed=7
[ "$(cut -d ' ' -f 3- "$dir/out")" = "$first" ] || fail "the same seed lost other packets: $first, then $(cat "$dir/out")"
run --loss=20,50 --seed=8
[ "$(cut -d ' ' -f 3- "$dir/out")" != "$first" ] || fail "another seed lost the same packets"
for n in 1:130:190 2:70:130; do
	nr=$(arrived "${n%%:*}" | wc -w) limits=${n#*:}
	[ "$nr" -ge "${limits%:*}" ] && [ "$nr" -le "${limits#*:}" ] || fail "direction ${n%%:*}: $nr of 200 arrived"
done

run --down=0,200
at_least 2 200000 200000
finish
