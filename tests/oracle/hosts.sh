#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# The programs of the mode `hosts` (doc/oracle.md) on four hosts: each process has its own network namespace and its own trace.
# No edge may be false, and no order may be missing. All hosts have loopback connections with
# equal addresses; an edge between two hosts over loopback is false. The same traces with
# other clocks have no other edges, and their events lie within the limits of error.
#
#   SEEDS="7 8 9" tests/oracle/hosts.sh    # only these
[ -n "${SYNTRACE_TEST_LONG:-}${SEEDS:-}" ] || {
	echo "skipped: only in the long form"
	exit 77
}
. "$(dirname "$0")/../real/hosts-lib.sh"
need python3
here=$top_builddir/tests/oracle
rehost=$top_builddir/tests/lib/rehost
[ -x "$here/judge" ] || skip "the judge is not built"
hosts 4
for pair in 1:2 1:3 1:4 2:3 2:4 3:4; do
	join ${pair%:*} ${pair#*:}
done
# Copies the trace of each host twice: with the clock of the recording, and with a clock that the seed determines. The first
# host keeps its clock, so its time is the truth. Equal numbers of traces give equal ids of events.
move()
{
	rm -rf "$dir/true" "$dir/moved"
	mkdir "$dir/true" "$dir/moved"
	for n in 1 2 3 4; do
		"$rehost" --trace-id $n "$dir/trace/$n" "$dir/true/$n" >"$dir/rehost" || fail "seed $seed: rehost"
		[ $n -gt 1 ] || {
			"$rehost" --trace-id $n "$dir/trace/$n" "$dir/moved/$n" >"$dir/rehost"
			continue
		}
		"$rehost" --trace-id $n --boot-add $((n * 10)) --host "host$n" --offset $(((seed * 7919 + n * 104729) % 86400 * 1000000007)) \
			--drift $(((seed * 31 + n * 17) % 100 - 50)) "$dir/trace/$n" "$dir/moved/$n" >"$dir/rehost" || fail "seed $seed: rehost"
	done
}

# shellcheck disable=SC2046 # words
for seed in ${SEEDS:-$(seq 1 20)}; do
	rm -rf "$dir/trace" "$dir/log"
	mkdir "$dir/trace"
	"$here/oracle" "$seed" "$dir/log" 0 hosts || fail "seed $seed: no plan"
	pids=
	for n in 1 2 3 4; do
		on $n env SYNTRACE_DIR="$dir/trace/$n" LD_PRELOAD="$lib" \
			timeout -k 5 100 "$here/oracle" "$seed" "$dir/log" 0 host $((n - 1)) "$(address $n)" >"$dir/said.$n" 2>&1 &
		pids="$pids $!"
		remember
	done
	for pid in $pids; do
		wait "$pid" || fail "seed $seed: a host's exit status is $?: $(cat "$dir"/said.*)"
	done
	timeout -k 5 100 "$here/judge" whole "$dir/log" "$dir"/trace/* >"$dir/verdict" || {
		fail "seed $seed"
		cat "$dir/verdict"
	}
	tail -n 1 "$dir/verdict"
	move
	# shellcheck disable=SC2046 # words
	python3 "$top_srcdir/tests/oracle/hosts.py" "$decode" "$dir"/true/* -- "$dir"/moved/* || fail "seed $seed: moved clocks"
done
finish
