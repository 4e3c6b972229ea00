#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# Very many threads, and very many events: their cost is bounded, and equals the numbers in
# doc/performance.md.
. "$(dirname "$0")/lib.sh"

program=$top_builddir/tests/robustness/many
nr_threads=2000 nr_short=8000 nr_rounds=50000
[ -z "${SYNTRACE_TEST_LONG:-}" ] || nr_threads=10000 nr_short=100000

# cost NAME N: runs it both ways; its stdout is the same; its stderr goes into $dir/cost.untraced
# and .traced.
cost()
{
	timeout -k 5 100 "$program" "$1" "$2" >"$dir/out.untraced" 2>"$dir/cost.untraced"
	cost_wanted=$?
	[ $cost_wanted != 77 ] || return 1
	rm -rf "${dir:?}/$1"
	timeout -k 5 200 env SYNTRACE_DIR="$dir/$1" LD_PRELOAD="$lib" "$program" "$1" "$2" >"$dir/out" 2>"$dir/cost.traced"
	cost_got=$?
	[ $cost_got = $cost_wanted ] || fail "$1: exit status $cost_got instead of $cost_wanted"
	cmp "$dir/out.untraced" "$dir/out" || fail "$1: another output"
	echo "$1 $2: untraced $(cat "$dir/cost.untraced"), traced $(cat "$dir/cost.traced")"
}

# more FIELD: by how much field FIELD of the cost is more when traced.
more()
{
	echo $(($(cut -d ' ' -f "$1" "$dir/cost.traced") - $(cut -d ' ' -f "$1" "$dir/cost.untraced")))
}

cost threads $nr_threads && {
	decoded threads --fail-on-loss
	counted pthread_mutex_lock $nr_threads
	counted pthread_join $nr_threads
	[ "$(more 2)" -lt $((nr_threads * 64 + 65536)) ] || fail "$(more 2) KiB more, that is over 64 for each thread"
	[ "$(more 4)" -lt $((nr_threads / 8 + 100)) ] || fail "$(more 4) mappings more"
}
cost short $nr_short && {
	decoded short --fail-on-loss
	counted pthread_mutex_lock $nr_short
	[ "$(more 4)" -lt 100 ] || fail "$(more 4) mappings more: states of threads that are gone are not used again"
	[ "$(more 2)" -lt 131072 ] || fail "$(more 2) KiB more: memory of threads that are gone is not used again"
}
cost steady $nr_rounds && {
	decoded steady --fail-on-loss
	cp "$dir/cost.traced" "$dir/cost.much"
	counted sem_post $((4 * nr_rounds))
	# no cost grows with the number of events
	cost steady 2000
	cp "$dir/cost.traced" "$dir/cost.untraced"
	cp "$dir/cost.much" "$dir/cost.traced"
	[ "$(more 2)" -lt 1024 ] && [ "$(more 2)" -gt -1024 ] || fail "$(more 2) KiB of data more by many events"
	[ "$(more 4)" -le 4 ] || fail "$(more 4) mappings more by many events"
}

# System calls: the calls of the program, and for each sealed block the calls for its calibration
# and its space.
if command -v strace >/dev/null && strace -o /dev/null true 2>/dev/null; then
	for how in untraced traced; do
		for nr in 2000 $nr_rounds; do
			rm -rf "$dir/trace"
			timeout -k 5 200 strace -f -qq -c -U name,calls -e '!futex' -o "$dir/calls" \
				$([ $how = untraced ] || echo "-E SYNTRACE_DIR=$dir/trace -E LD_PRELOAD=$lib") \
				"$program" steady $nr >/dev/null 2>&1 || fail "strace: exit status $?"
			grep -E '^ *[a-z_0-9]+ +[0-9]+ *$' "$dir/calls" | grep -vw total | sort >"$dir/calls.$how.$nr"
		done
	done
	# "call more-untraced more-traced": the calls of the additional rounds
	for how in untraced traced; do
		awk 'NR == FNR { few[$1] = $2; next } { print $1, $2 - few[$1] }' \
			"$dir/calls.$how.2000" "$dir/calls.$how.$nr_rounds" | sort >"$dir/added.$how"
	done
	join -a 2 -o 0,1.2,2.2 -e 0 "$dir/added.untraced" "$dir/added.traced" >"$dir/added"
	# A block has two calls for its calibration. It holds over 500 events, even if the machine is busy and each wait has a
	# CPU time.
	awk -v events=$((16 * (nr_rounds - 2000))) '
		$3 > $2 + 8 { print "added when traced by " events " events:", $1, $3 - $2; n += $3 - $2
			if ($1 !~ /^(clock_gettime|madvise)$/) bad = 1 }
		END { exit bad || n > events / 200 }' "$dir/added" || {
		fail "system calls that are not the sealing of blocks"
		cat "$dir/added"
	}
else
	echo "note: no strace; system calls are not counted"
fi
finish
