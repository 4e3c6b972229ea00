#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# syntrace-decode sampling: counts of calls, replayed samplers, the tuner against a grid, and the comparison of two runs, on a
# server with known rare requests (sampling.c) and on examples/shop.
. "$(dirname "$0")/lib.sh"

# NAME CMD...: the trace $dir/NAME.
record()
{
	record_name=$1
	shift
	timeout -k 5 60 env SYNTRACE_DIR="$dir/$record_name" LD_PRELOAD="$lib" SYNTRACE_MODE=stream "$@" >"$dir/out" ||
		fail "$*: exit status $?"
}

# TRACE OPTION...: JSON lines in $dir/lines.
lines()
{
	lines_trace=$dir/$1
	shift
	timeout -k 5 120 "$decode" sampling --format=jsonl "$@" "$lines_trace" >"$dir/lines" || fail "sampling $*: exit status $?"
}

judge()
{
	python3 "$report_tests/sampling.py" "$@" || fail "see above"
}

record server "$top_builddir/tests/report/sampling" 4000
record again "$top_builddir/tests/report/sampling" 4000
mkdir "$dir/logs"
record shop "$top_builddir/examples/shop" --requests=200 --directory="$dir/logs"

# Each call is a whole event: the counts are those of stat.
for trace in server shop; do
	timeout 60 "$decode" stat --format=jsonl "$dir/$trace" >"$dir/stat" || fail "stat: exit status $?"
	lines $trace
	judge counts "$dir/lines" "$dir/stat"
	cp "$dir/lines" "$dir/$trace.counts"
done

# The adaptive samplers keep all call paths, and p loses rare ones. p:1 keeps the whole trace, p:0 nothing.
lines server --replay=p:1,p:0,p:0.01,bump,bump:floor=0,at=root,bucket,bucket:size=2,rate=0.5,hops=0
judge samplers "$dir/lines"
judge turns "$dir/lines" "$dir/server.counts"
cp "$dir/lines" "$dir/first"
lines server --replay=p:1,p:0,p:0.01,bump,bump:floor=0,at=root,bucket,bucket:size=2,rate=0.5,hops=0 --jobs=1 --memory=1M --seed=1
cmp "$dir/lines" "$dir/first" || fail "another result with one job and less memory"
lines server --replay=p:1,p:0,p:0.01,bump,bump:floor=0,at=root,bucket,bucket:size=2,rate=0.5,hops=0 --seed=2
cmp -s "$dir/lines" "$dir/first" && fail "the seed has no effect"

# A mark passes sampling on to the thread, or the process, that receives.
lines shop --replay=p:0.1,hops=0,p:0.1,hops=1,p:0.1,hops=8
judge hops "$dir/lines"

# The tuner is as good as a grid, or at most 5 % worse.
for sampler in bump bucket; do
	lines server --tune=$sampler,at-most=30%
	cp "$dir/lines" "$dir/tuned"
	lines server --tune=$sampler,at-most=30%
	cmp "$dir/lines" "$dir/tuned" || fail "the result of the tuner is not reproducible"
	lines server --replay="$(judge grid $sampler)"
	judge tuned "$dir/tuned" "$dir/lines"
	lines server --replay="$(sed -n 's/.*"sampler":"\([^"]*\)".*/\1/p' "$dir/tuned")"
	judge repeated "$dir/tuned" "$dir/lines"
done
# No bucket keeps so little.
status 1 "$decode" sampling --tune=bucket,at-most=0.01% "$dir/server" >"$dir/out" 2>"$dir/err"
grep -q 'no parameters were found' "$dir/err" || fail "no message about the limit: $(cat "$dir/err")"

# A run has all call paths of itself, and a run of the same program has most.
lines server --against="$dir/server"
judge same "$dir/lines"
lines again --against="$dir/server"
judge similar "$dir/lines"
status 4 "$decode" sampling --against="$dir/none" "$dir/server" >"$dir/out" 2>"$dir/err"

# Text
timeout 60 "$decode" sampling "$dir/server" >"$dir/text" || fail "sampling: exit status $?"
cat "$dir/text"
coverage_is_last "$dir/text" sampling
grep -q '^CALL  *CALLS WHOLE GHOSTS LEFT OUT$' "$dir/text" || fail "no table of calls"
grep -qE '^poll +8001 +8001 +0 +0$' "$dir/text" || fail "poll has not 8001 calls"
[ "$(grep -cE ' +[0-9]+ +0 +0$' "$dir/text")" -le 20 ] || fail "the tables have more than 10 rows each"
timeout 60 "$decode" sampling --replay=bump,p:0.1 "$dir/server" >"$dir/text" || fail "sampling --replay: exit status $?"
cat "$dir/text"
coverage_is_last "$dir/text" 'sampling --replay'
grep -qE '^always +[0-9]+ +100.0 % +100.0 % +100.0 % ' "$dir/text" || fail "no line for the whole trace"
grep -qE '^bump:lambda=4,floor=0.01 +[0-9]+ +[0-9.]+ % +100.0 % ' "$dir/text" || fail "bump lost call paths"
timeout 60 "$decode" sampling --tune=bucket,at-most=30% "$dir/server" >"$dir/text" || fail "sampling --tune: exit status $?"
unwrap <"$dir/text" | sed -n 1,4p
unwrap <"$dir/text" | grep -qE '^The best of [0-9]+ samplers that keep [0-9]+ to [0-9]+ events is bucket:size=' || fail "no best sampler"
timeout 60 "$decode" sampling --against="$dir/server" "$dir/again" >"$dir/text" || fail "sampling --against: exit status $?"
unwrap <"$dir/text" | grep -qE ' of the [0-9]+ call paths of the full run occur ' || fail "no comparison"

# Wrong usage
for option in --replay=always --replay=bump:lambda=nan --replay=bump:lambda=0.01 --replay=p:2 --replay=p:0.1, --replay= \
	--tune=p:0.1 --tune=bump,at-most=0% --tune=bump,at-most=5 --tune=bump,bucket --against= --seed=0 '--replay=bump --tune=bump'; do
	# shellcheck disable=SC2086 # words
	status 2 "$decode" sampling $option "$dir/server" >"$dir/out" 2>"$dir/err"
	[ -s "$dir/err" ] || fail "no message about $option"
done
finish
