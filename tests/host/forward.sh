#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# Recordings of some 20 ms on four hosts: random programs of the oracle, which also wait for readiness, and whose hosts partly
# exchange messages in one direction only. The traces with other clocks have exactly the edges of those with one clock, except
# between hosts that are apart. The long form makes 200 recordings.
#
#   SEEDS="7 8 9" tests/host/forward.sh    # only these
. "$(dirname "$0")/../real/hosts-lib.sh"
need python3
oracle=$top_builddir/tests/oracle/oracle
[ -x "$oracle" ] || skip "the oracle is not built"
hosts 4
for pair in 1:2 1:3 1:4 2:3 2:4 3:4; do
	join ${pair%:*} ${pair#*:}
done
if [ -n "${SYNTRACE_TEST_LONG:-}" ]; then
	seeds=$(seq 1 200)
else
	seeds=$(seq 1 12)
fi

for seed in ${SEEDS:-$seeds}; do
	rm -rf "$dir/trace" "$dir/log"
	mkdir "$dir/trace"
	"$oracle" "$seed" "$dir/log" 0 hosts || fail "seed $seed: no plan"
	pids=
	for n in 1 2 3 4; do
		on $n env SYNTRACE_DIR="$dir/trace/$n" LD_PRELOAD="$lib" \
			timeout -k 5 100 "$oracle" "$seed" "$dir/log" 0 host $((n - 1)) "$(address $n)" >"$dir/said.$n" 2>&1 &
		pids="$pids $!"
		remember
	done
	for pid in $pids; do
		wait "$pid" || fail "seed $seed: a host's exit status is $?: $(cat "$dir"/said.*)"
	done
	python3 "$top_srcdir/tests/host/forward.py" "$decode" "$top_builddir/tests/lib/rehost" "$seed" "$dir"/trace/* ||
		fail "seed $seed"
done
finish
