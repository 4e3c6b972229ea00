#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# The decoder's events and edges of a sampled trace must be those of the full trace of the same run. Wrong recorders and rules must be
# noticed. There are two sources of sampled traces:
#   a full trace, marked at random, as a sampler would select its calls (mark.c);
#   a shadow recording, in which the recorder has marked the events that its sampler would leave out: of whole programs, with
#   rings that overwrite, and of killed programs.
# The judge of oracle.sh also reads sampled recordings: no edge may contradict the order that the programs have written down.
#
# All samplers but the crossing's have hops, so threads that marks reach record the rest of their turns.
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

# run_shadow SEED NOISE VARIABLE...: records a program; the recorder marks the calls that it would leave out.
run_shadow()
{
	program=$1 noise=$2
	shift 2
	rm -rf "$dir/trace" "$dir"/log*
	env "$@" SYNTRACE_SAMPLE_SHADOW=1 SYNTRACE_DIR="$dir/trace" LD_PRELOAD="$lib" \
		timeout -k 5 100 "$here/oracle" "$program" "$dir/log" "$noise" >"$dir/said" 2>&1 ||
		fail "program $program: its exit status is $?: $(cat "$dir/said")"
}

# compare_shadow WHAT: compares the trace with what --as-sampled reads.
compare_shadow()
{
	timeout -k 5 100 "$here/sampled" "$dir/trace" >"$dir/verdict" 2>&1 || {
		fail "program $program, $1: exit status $?"
		cat "$dir/verdict"
	}
	tail -n 1 "$dir/verdict" >>"$dir/shadows"
}

# judge_sampled SEED SAMPLER: records a program with a sampler. The programs know their order, so no edge may be false.
judge_sampled()
{
	rm -rf "$dir/trace" "$dir"/log*
	SYNTRACE_SAMPLE="$2" SYNTRACE_DIR="$dir/trace" LD_PRELOAD="$lib" \
		timeout -k 5 100 "$here/oracle" "$1" "$dir/log" 0 >"$dir/said" 2>&1 ||
		fail "program $1: its exit status is $?: $(cat "$dir/said")"
	timeout -k 5 100 "$here/judge" lossy "$dir/log" "$dir/trace" >"$dir/verdict" 2>"$dir/judge.err" || {
		fail "program $1, $2: the judge's exit status is $?"
		cat "$dir/verdict"
	}
}

# expect_spoilt_noticed: notes a wrong recorder or rule if the comparison finds it in the trace.
expect_spoilt_noticed()
{
	for mutant in half crossed ghost; do
		timeout -k 5 100 "$here/sampled" --mutant=$mutant "$dir/trace" >/dev/null 2>&1
		[ $? != 1 ] || echo "$mutant" >>"$dir/spoilt"
	done
}

# run_killed SEED SAMPLER: kills all processes of the program at some moment. Returns 1 if there is no trace.
run_killed()
{
	program=$1
	rm -rf "$dir/trace" "$dir"/log*
	env SYNTRACE_SAMPLE="$2" SYNTRACE_SAMPLE_SHADOW=1 SYNTRACE_DIR="$dir/trace" LD_PRELOAD="$lib" \
		setsid "$here/oracle" "$1" "$dir/log" 200 >/dev/null 2>&1 &
	killed_group=$!
	remember
	sleep "0.$(printf %03d $(($1 * 7919 % 400 + 20)))"
	kill -KILL -$killed_group 2>/dev/null
	wait $killed_group 2>/dev/null
	[ -s "$dir/log" ] && ls "$dir/trace"/*.dump >/dev/null 2>&1 || return 1
	"$here/oracle" "$1" "$dir/log" 200 remove
}

# expect_noticed SEED OPTION...: notes a wrong recorder or rule if the comparison finds it.
expect_noticed()
{
	timeout -k 5 100 "$here/sampled" --seed="$@" "$dir/trace" >/dev/null 2>&1
	[ $? != 1 ] || echo "$2" >>"$dir/noticed"
}

: >"$dir/noticed"
: >"$dir/verdicts"
most=4
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

# shadow recordings
: >"$dir/shadows"
: >"$dir/spoilt"
most=4
[ -z "${SYNTRACE_TEST_LONG:-}" ] || most=1000
for program in ${SEEDS:-$(seq 1 $most)}; do
	case $((program % 4)) in
	0) sampler=bump ;;
	1) sampler=p:0.1,hops=8 ;;
	2) sampler=bucket:hops=1 ;;
	3) sampler=bump:at=root ;;
	esac
	run_shadow $program 0 SYNTRACE_SAMPLE=$sampler
	compare_shadow "$sampler"
	[ -z "${SYNTRACE_TEST_LONG:-}" ] || [ $program -gt 100 ] || expect_spoilt_noticed
	judge_sampled $program $sampler
	[ -z "${SYNTRACE_TEST_LONG:-}" ] || [ $((program % 5)) = 0 ] || continue
	run_shadow $program 3000 SYNTRACE_SAMPLE=$sampler SYNTRACE_MODE=ring SYNTRACE_RING=64K
	compare_shadow "$sampler, ring"
	if run_killed $program $sampler; then
		compare_shadow "$sampler, killed"
	fi
	[ $((program % 100)) != 0 ] || echo "program $program"
done
rm -rf "$dir/trace"
SYNTRACE_SAMPLE=p:0.1 SYNTRACE_SAMPLE_SHADOW=1 SYNTRACE_DIR="$dir/trace" LD_PRELOAD="$lib" \
	timeout -k 5 100 "$here/crossing" || fail "crossing: the program's exit status is $?"
compare_shadow "crossing"
expect_spoilt_noticed
for mutant in half crossed ghost; do
	[ -n "${SEEDS:-}" ] || [ -z "${SYNTRACE_TEST_LONG:-}" ] || grep -q "^$mutant$" "$dir/spoilt" ||
		fail "the mutant $mutant of the recorder was not noticed"
done
cat "$dir/shadows" >>"$dir/verdicts"
awk '{ calls += $1; whole += $3; ghosts += $5 } END { printf "%d calls, %d whole, %d ghosts\n", calls, whole, ghosts }' "$dir/verdicts"
finish
