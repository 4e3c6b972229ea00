#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# An oracle decides (doc/oracle.md): programs made from seeds write down which of their calls came
# before which. The decoder's order of their traces must contradict no pair and miss no pair. The
# same with rings that overwrite, with killed processes, with damaged blocks, with pauses, and with
# snapshots: then no edge may be false, and missing pairs are counted.
#
#   MODE=whole|hosts|ring|killed|damaged|paused|deep|snapshot SEEDS="7 8 9" tests/oracle/oracle.sh    # only these
. "$(dirname "$0")/../lib.sh"
here=$top_builddir/tests/oracle
noise=6000
need setsid pgrep
[ -x "$here/judge" ] || skip "the judge is not built"

# The program of seed $1, with $2 calls of noise now and then; more variables for its environment follow.
run()
{
	run_seed=$1 run_noise=$2
	shift 2
	rm -rf "$dir/trace" "$dir/trace.old" "$dir"/log*
	env SYNTRACE_DIR="$dir/trace" LD_PRELOAD="$lib" "$@" \
		timeout -k 5 100 "$here/oracle" "$run_seed" "$dir/log" "$run_noise" >"$dir/said" 2>&1 || {
		run_status=$?
		fail "seed $run_seed: the program's exit status is $run_status"
		cat "$dir/said"
	}
}

# judge MODE [TRACE...]: prints the judgement of the last program, with all errors; keeps the trace if KEEP is
# set.
judge()
{
	judge_as=$1
	shift
	[ $# != 0 ] || set -- "$dir/trace"
	timeout -k 5 100 "$here/judge" "$judge_as" "$dir/log" "$@" >"$dir/verdict" 2>"$dir/judge.err" || {
		fail "$mode $seed"
		cat "$dir/verdict"
		[ -z "${KEEP:-}" ] || cp -r "$dir/trace" "$dir/log" "$dir/failed.$mode.$seed" 2>/dev/null ||
			{ mkdir "$dir/failed.$mode.$seed" && cp -r "$dir/trace" "$dir/log" "$dir/failed.$mode.$seed"; }
	}
	tail -n 1 "$dir/verdict" >>"$dir/verdicts"
}

# Every fifth with the launcher, which asks the kernel for the pairs of unix sockets.
whole()
{
	if [ $(($1 % 5)) = 0 ]; then
		rm -rf "$dir/trace" "$dir/trace.old" "$dir"/log*
		timeout -k 5 100 "$top_builddir/syntrace" record -o "$dir/trace" -- "$here/oracle" "$1" "$dir/log" 0 \
			>"$dir/said" 2>&1 || fail "seed $1: recorded, the program's exit status is $?: $(cat "$dir/said")"
	else
		run "$1" 0
	fi
	judge whole
}

# Four processes that no common parent made and that have one trace each; only TCP joins them.
hosts()
{
	rm -rf "$dir/trace" "$dir"/log*
	mkdir "$dir/trace"
	"$here/oracle" "$1" "$dir/log" 0 hosts || fail "seed $1: no plan"
	hosts_pids=
	for n in 0 1 2 3; do
		env SYNTRACE_DIR="$dir/trace/$n" LD_PRELOAD="$lib" \
			timeout -k 5 100 "$here/oracle" "$1" "$dir/log" 0 host $n "127.0.0.$((n + 1))" >"$dir/said.$n" 2>&1 &
		hosts_pids="$hosts_pids $!"
		remember
	done
	for pid in $hosts_pids; do
		wait "$pid" || fail "seed $1: a host's exit status is $?: $(cat "$dir"/said.*)"
	done
	judge whole "$dir/trace/0" "$dir/trace/1" "$dir/trace/2" "$dir/trace/3"
}

ring()
{
	run "$1" 30000 SYNTRACE_RING=64K
	judge lossy
}

# All processes at once, or first one of them, at some moment.
killed()
{
	rm -rf "$dir/trace" "$dir/trace.old" "$dir"/log*
	env SYNTRACE_DIR="$dir/trace" LD_PRELOAD="$lib" setsid "$here/oracle" "$1" "$dir/log" 200 >/dev/null 2>&1 &
	killed_group=$!
	remember
	sleep "0.$(printf %03d $(($1 * 7919 % 400 + 20)))"
	if [ $(($1 % 2)) = 1 ]; then
		killed_pids=$(pgrep -s $killed_group)
		killed_nr=$(echo "$killed_pids" | wc -l)
		killed_one=$(echo "$killed_pids" | sed -n "$(($1 / 2 % killed_nr + 1))p")
		[ -z "$killed_one" ] || kill -KILL "$killed_one" 2>/dev/null
		sleep 0.1
	fi
	kill -KILL -$killed_group 2>/dev/null
	wait $killed_group 2>/dev/null
	# killed before it has begun
	[ -s "$dir/log" ] && [ -d "$dir/trace" ] || return 0
	"$here/oracle" "$1" "$dir/log" 200 remove
	judge killed
}

damaged()
{
	run "$1" $noise
	"$here/hurt" "$1" "$dir"/trace/*.dump >"$dir/hurt" || fail "hurt: exit status $?"
	judge lossy
}

# Recording is paused and goes on, now and then; of each second program the launcher begins with a pause. deep: the bytes of the
# pauses are not counted.
deep()
{
	paused "$1" --deep
}

paused()
{
	rm -rf "$dir/trace" "$dir/trace.old" "$dir"/log*
	if [ $(($1 % 2)) = 0 ]; then
		timeout -k 5 100 "$top_builddir/syntrace" record --paused -o "$dir/trace" -- \
			"$here/oracle" "$1" "$dir/log" $noise >"$dir/said" 2>&1 &
	else
		env SYNTRACE_DIR="$dir/trace" LD_PRELOAD="$lib" timeout -k 5 100 \
			"$here/oracle" "$1" "$dir/log" $noise >"$dir/said" 2>&1 &
	fi
	paused_pid=$!
	remember
	while kill -0 $paused_pid 2>/dev/null; do
		# it fails until the trace is there
		"$top_builddir/syntrace" resume "$dir/trace" 2>/dev/null
		sleep "0.$(printf %03d $(($1 * 7919 % 61)))"
		# shellcheck disable=SC2086 # no option is no word
		"$top_builddir/syntrace" pause ${2:-} "$dir/trace" 2>/dev/null
		sleep "0.$(printf %03d $(($1 * 7907 % 17)))"
	done
	wait $paused_pid || fail "seed $1: the program's exit status is $?: $(cat "$dir/said")"
	judge lossy
}

# A copy of the trace, made while it is recorded; of each second program with rings that overwrite.
snapshot()
{
	snapshot_ring=64M snapshot_noise=$noise
	[ $(($1 % 2)) = 0 ] || snapshot_ring=64K snapshot_noise=30000
	rm -rf "$dir/trace" "$dir/trace.old" "$dir/copy" "$dir/copy.old" "$dir"/log*
	env SYNTRACE_DIR="$dir/trace" SYNTRACE_RING=$snapshot_ring LD_PRELOAD="$lib" timeout -k 5 100 \
		"$here/oracle" "$1" "$dir/log" $snapshot_noise >"$dir/said" 2>&1 &
	snapshot_pid=$!
	remember
	sleep "0.$(printf %03d $(($1 * 7919 % 250)))"
	# fails as long as the trace is empty
	"$top_builddir/syntrace" snapshot -o "$dir/copy" "$dir/trace" 2>"$dir/said.snapshot"
	wait $snapshot_pid || fail "seed $1: the program's exit status is $?: $(cat "$dir/said")"
	ls "$dir"/copy/*.dump >/dev/null 2>&1 || return 0
	rm -rf "$dir/trace"
	mv "$dir/copy" "$dir/trace"
	judge lossy
}

# each MODE SEED...
each()
{
	mode=$1
	shift
	: >"$dir/verdicts"
	for seed; do
		"$mode" "$seed"
	done
	awk -v mode="$mode" '
		{
			gsub(/[(:,;]/, "")
			for (n = 2; n <= NF; n++)
				if ($n ~ /^[0-9]+$/) {
					what = $(n + 1)
					if (what == "by")
						what = n > 20 ? "named" : "implied"
					sum[what] += $n
				}
			gone += $0 !~ / 0 events gone/
		}
		END {
			printf "%s: %d programs, %d calls, %d pairs and %d that follow, %d only perhaps; %d edges, " \
				"%d checks by name; %d missed, %d events gone from %d traces; %d wrong\n", mode, NR,
				sum["calls"], sum["pairs"], sum["implied"], sum["only"], sum["edges"], sum["named"],
				sum["missed"], sum["events"], gone, sum["wrong"]
		}' "$dir/verdicts"
}

if [ -n "${SEEDS:-}" ]; then
	# shellcheck disable=SC2086 # words
	each "${MODE:-whole}" $SEEDS
	finish
fi
for mode in whole hosts ring killed damaged paused deep snapshot; do
	# shellcheck disable=SC2046 # words
	set -- $(sed -n "s/^$mode  *\([0-9]*\) .*/\1/p" "$top_srcdir/tests/oracle/seeds")
	if [ -n "${SYNTRACE_TEST_LONG:-}" ]; then
		most=200
		[ $mode != whole ] || most=1000
	else
		most=2
		[ $mode != whole ] || most=10
	fi
	# shellcheck disable=SC2046 # words
	each $mode "$@" $(seq 1 $most)
done
finish
