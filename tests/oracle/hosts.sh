#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# The programs of the mode `hosts` (doc/oracle.md) on four hosts: each process has its own network namespace and its own trace.
# No edge may be false, and no order may be missing. All hosts have loopback connections with
# equal addresses; an edge between two hosts over loopback is false. Then each host gets another clock. The same traces with
# these clocks have the same edges, except between hosts that are apart, and their events lie within the limits of error. Of
# 20,000 pairs of times per seed, no certain order is false. A seed takes half a second to two seconds, most recordings some 20 ms. The
# long form takes 500 seeds. Several slices of seeds can run in parallel.
#
#   SEEDS="7 8 9" tests/oracle/hosts.sh    # only these
. "$(dirname "$0")/../real/hosts-lib.sh"
here=$top_builddir/tests/oracle
[ -x "$here/judge" ] || skip "the judge is not built"
hosts 4
for pair in 1:2 1:3 1:4 2:3 2:4 3:4; do
	join ${pair%:*} ${pair#*:}
done
nr_seeds=4
[ -z "${SYNTRACE_TEST_LONG:-}" ] || nr_seeds=500
# shellcheck disable=SC2046 # words
for seed in ${SEEDS:-$(seq 1 "$nr_seeds")}; do
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
	move_clocks "$seed" "$dir"/trace/*
	"$here/moved" --seed="$seed" --pairs=20000 "$dir"/true/* -- "$dir"/moved/* >"$dir/moved.out" ||
		fail "seed $seed: moved clocks"
	cat "$dir/moved.out"
done
finish
