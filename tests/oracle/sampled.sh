#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# Full traces of the oracle's programs are marked at random, as a sampler would select their calls. The decoder's events and edges
# of the sampled trace must be those of the full one. Wrong recorders and rules must be noticed.
#
#   SEEDS="7 8 9" tests/oracle/sampled.sh    # only these programs
. "$(dirname "$0")/../lib.sh"
here=$top_builddir/tests/oracle
[ -x "$here/sampled" ] || skip "the program that compares is not built"

# run PROGRAM...: records it.
run()
{
	rm -rf "$dir/trace" "$dir/log"
	SYNTRACE_DIR="$dir/trace" LD_PRELOAD="$lib" timeout -k 5 100 "$@" >"$dir/said" 2>&1 ||
		fail "$*: the program's exit status is $?: $(cat "$dir/said")"
}

# compare SEED OPTION...: marks the trace at random, and compares the marked trace with the full one.
compare()
{
	seed=$1
	shift
	timeout -k 5 100 "$here/sampled" --seed="$seed" "$@" "$dir/trace" >"$dir/verdict" 2>&1 || {
		fail "seed $seed, $*: exit status $?"
		cat "$dir/verdict"
	}
	tail -n 1 "$dir/verdict" >>"$dir/verdicts"
}

# expect_noticed SEED OPTION...: notes a wrong recorder or rule if the comparison finds it.
expect_noticed()
{
	timeout -k 5 100 "$here/sampled" --seed="$@" "$dir/trace" >/dev/null 2>&1
	[ $? != 1 ] || echo "$2" >>"$dir/noticed"
}

: >"$dir/noticed"
: >"$dir/verdicts"
most=8
[ -z "${SYNTRACE_TEST_LONG:-}" ] || most=200
for program in ${SEEDS:-$(seq 1 $most)}; do
	run "$here/oracle" "$program" "$dir/log" 0
	compare "$program" --per-mille=20 --length=30
	compare "$program" --per-mille=200 --length=5
	compare "$program" --per-mille=0
	for mutant in half ghost; do
		expect_noticed "$program" --mutant=$mutant --per-mille=200 --length=5
	done
done
# writes to a pipe that overlap
run "$here/crossing"
for seed in 1 2 3; do
	compare $seed --per-mille=100 --length=1
	expect_noticed $seed --mutant=crossed --per-mille=100 --length=1
done
for mutant in half crossed ghost; do
	[ -n "${SEEDS:-}" ] || grep -q "^--mutant=$mutant$" "$dir/noticed" || fail "the mutant $mutant was not noticed"
done
awk '{ calls += $1; whole += $3; ghosts += $5 } END { printf "%d calls, %d whole, %d ghosts\n", calls, whole, ghosts }' "$dir/verdicts"
finish
