#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# The recorder with a sampler: the sampled trace of a program that always makes the same calls is compared with its full
# trace (compare.awk). SYNTRACE_SAMPLE_SHADOW=1 records all calls and marks them.
. "$(dirname "$0")/../lib.sh"
mixed=$top_builddir/tests/sample/mixed
list=$top_builddir/tests/sample/list-dump
[ -x "$mixed" ] && [ -x "$list" ] || skip "the check programs are not built"
[ "$(uname -m)" = x86_64 ] || skip "samplers are available on x86-64 only"
rounds=40
[ -z "${SYNTRACE_TEST_LONG:-}" ] || rounds=1000

# record NAME HOW VARIABLE...: records mixed into $dir/NAME and lists each dump as $dir/NAME.N.
record()
{
	name=$1
	how=$2
	shift 2
	rm -f "$dir/$name".*
	timeout -k 5 120 env "$@" SYNTRACE_DIR="$dir/$name" LD_PRELOAD="$lib" "$mixed" ${pairs:-$rounds} $how 2>"$dir/err"
	status=$?
	case $how in
	kill | race* | streams*) ;;
	*) [ $status = 0 ] || fail "$name: the status is $status" ;;
	esac
	n=0
	for dump in "$dir/$name"/*.dump; do
		"$list" "$dump" >"$dir/$name.$n" || fail "$name: cannot read $dump"
		n=$((n + 1))
	done
	rm -rf "${dir:?}/$name"
}

# compare FULL SAMPLED
compare()
{
	for full in "$dir/$1".*; do
		said=$(awk -f "$top_srcdir/tests/sample/compare.awk" "$full" "$dir/$2.${full##*.}" 2>&1) ||
			fail "$2: $said"
		echo "$2: $said events, ghosts, calls left out"
	done
}

for mode in stream ring; do
	for how in "" fork exec kill; do
		record full "$how" SYNTRACE_MODE=$mode
		grep -q '^dump major=1 ' "$dir/full.0" || fail "the version without a sampler"
		for sampler in p:0 p:1 p:0.2 bump bump:at=root bucket bucket:size=8,rate=5; do
			[ $mode = stream ] || [ -n "${SYNTRACE_TEST_LONG:-}" ] || [ $sampler = bump ] || continue
			record sampled "$how" SYNTRACE_MODE=$mode SYNTRACE_SAMPLE=$sampler
			grep -q '^dump major=3 minor=0' "$dir/sampled.0" || fail "$sampler: the version"
			grep -qxF "sampler $sampler" "$dir/sampled.0" || fail "$sampler: no text of the sampler"
			compare full sampled
		done
	done
done

# The entry of a function counts most calls alone. A kill at any time keeps the counts, except for the call in progress.
pairs=50000
for sampler in p:0 bump bucket streams:p:0 streams:bump; do
	what=race calls=pthread_mutex_lock,pthread_mutex_unlock
	case $sampler in
	streams:*) what=streams calls=write,read,sem_post,sem_wait pairs=30000 ;;
	esac
	record race "$what $dir/pairs" SYNTRACE_MODE=stream SYNTRACE_SAMPLE="${sampler#streams:}"
	awk -v pairs="$(od -An -t u8 -N 8 "$dir/pairs")" -v calls=$calls '
		function left_out() { return match($0, / left_out=[0-9]+/) ? substr($0, RSTART + 10, RLENGTH - 10) : 0 }
		$2 != "thread=0" { next }
		match($0, / call=[a-z_]+/) {
			call = substr($0, RSTART + 6, RLENGTH - 6)
			nr[call] += $1 == "out" ? left_out() : 1
		}
		$1 == "out" { out += left_out() }
		$1 == "event" || $1 == "rest" { told += left_out() }
		END {
			n = split(calls, names, ",")
			for (i = 1; i <= n; i++)
				if (nr[names[i]] < pairs || nr[names[i]] > pairs + 1)
					print nr[names[i]] + 0 " calls of " names[i] ", not " pairs
			if (out < told || out > told + 1)
				print out " calls are left out, the events tell of " told
			if (out < pairs / 2)
				print "only " out " calls are left out"
		}' "$dir/race.0" >"$dir/said"
	[ ! -s "$dir/said" ] || fail "race, $sampler: $(cat "$dir/said")"
done
pairs=

# p:1 leaves out no call, and p:0 selects none
record sampled "" SYNTRACE_SAMPLE=p:1 SYNTRACE_MODE=stream
! grep -q '^out' "$dir/sampled.0" || fail "p:1 leaves calls out"
record sampled "" SYNTRACE_SAMPLE=p:0 SYNTRACE_MODE=stream
! grep '^event' "$dir/sampled.0" | grep -v 'unsampled=WHOLE' | grep -q 'stack=[1-9]' || fail "p:0 selects calls"

# a shadow trace has all events, and marks them
record full "" SYNTRACE_MODE=stream
record shadow "" SYNTRACE_MODE=stream SYNTRACE_SAMPLE=bump SYNTRACE_SAMPLE_SHADOW=1
grep -q '^dump major=1 ' "$dir/shadow.0" || fail "the version of a shadow trace"
! grep -qE '^(out|rest)|left_out=' "$dir/shadow.0" || fail "a shadow trace leaves calls out"
sed 's/ \(decision\|crossed\)=[0-9]*//g; s/ ready=.*//' "$dir/shadow.0" >"$dir/unmarked.0"
compare full unmarked
for decision in 1 2; do
	grep -q " decision=$decision" "$dir/shadow.0" || fail "no event has the decision $decision"
done
! grep 'unsampled=WHOLE' "$dir/shadow.0" | grep -q decision= || fail "the begin or end of a thread is marked"
! grep 'unsampled=NONE' "$dir/shadow.0" | grep -q decision=2 || fail "a ghost of a call that needs none"
! grep 'unsampled=GHOST' "$dir/shadow.0" | grep -E 'call=(sem|pthread|send|dup)' | grep -q decision=1 ||
	fail "a call that needs a ghost would be left out"
grep -q 'ready=[0-9]*:1:[1-9]' "$dir/shadow.0" || fail "no position of a reader"

# a pause overrides the sampler
record paused "" SYNTRACE_SAMPLE=p:1 SYNTRACE_PAUSED=1
! grep -q 'call=pthread_mutex_lock' "$dir/paused.0" || fail "a pause does not override the sampler"

# the launcher
SYNTRACE_SAMPLE=p:0 "$top_builddir/syntrace" record -q --stream --sample=p:1 -o "$dir/launched" -- "$mixed" 2 2>"$dir/err" ||
	fail "record --sample: $(cat "$dir/err")"
"$list" "$dir/launched/"0000.*.dump >"$dir/launched.0"
grep -qx 'sampler p:1' "$dir/launched.0" || fail "record --sample does not override SYNTRACE_SAMPLE"
for sampler in p:nan bump:lambda=0.05 bump:lambda=2000 bucket:rate=nan x ''; do
	"$top_builddir/syntrace" record --sample="$sampler" -o "$dir/wrong" -- true 2>"$dir/err"
	[ $? = 125 ] && grep -q -- '--sample takes' "$dir/err" || fail "--sample=$sampler is not refused"
done

# an invalid sampler is ignored, as each invalid variable
record full "" SYNTRACE_SAMPLE=bump:lambda=nan
grep -q '^dump major=1' "$dir/full.0" || fail "an invalid sampler is not ignored"
finish
