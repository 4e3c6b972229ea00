#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# Programs that are hard to trace: each must print and return the same as untraced. The trace must
# be complete: no event lost, torn or out of number. The signals of a timer land in the middle of
# the recorder all the time.
. "$(dirname "$0")/../lib.sh"
need python3

churn=$top_builddir/tests/robustness/churn
many=1 signals=50000
[ -z "${SYNTRACE_TEST_LONG:-}" ] || many=10 signals=300000

# same WHAT N: traced as untraced; sets $dir/events.
same()
{
	timeout -k 5 100 "$churn" "$@" >"$dir/out.untraced" 2>&1
	same_wanted=$?
	rm -rf "$dir/$1"
	timeout -k 5 200 env SYNTRACE_DIR="$dir/$1" LD_PRELOAD="$lib" "$churn" "$@" >"$dir/out" 2>&1
	same_got=$?
	cat "$dir/out"
	[ $same_got = $same_wanted ] || fail "$*: exit status $same_got instead of $same_wanted"
	cmp "$dir/out.untraced" "$dir/out" || fail "$*: another output"
	"$decode" stat --fail-on-loss "$dir/$1" >"$dir/stat" 2>&1 || {
		cat "$dir/stat"
		fail "$*: stat --fail-on-loss"
	}
	check_trace "$dir/$1"
}

# counted WHAT CALL LEAST [MOST]: so many of CALL are in the trace.
counted()
{
	counted_n=$("$decode" events --format=jsonl --no-stacks --call="$2" "$dir/$1" | grep -c "\"call\":\"$2\"")
	if [ "$counted_n" -lt "$3" ] || [ "$counted_n" -gt "${4:-$3}" ]; then
		fail "$1: $counted_n events $2, expected $3${4:+ to $4}"
	fi
}

same forks $((20 * many))
counted forks fork $((20 * many))
counted forks pthread_create $((20 * many + 2))
same threads 1000
counted threads pthread_mutex_lock 2000
counted threads pthread_join 1000
same short $((4000 * many))
counted short pthread_create $((4000 * many))
counted short pthread_mutex_unlock $((4000 * many))
same signals $signals
counted signals pthread_mutex_lock $signals
counted signals sem_wait $signals $((signals + 20000))
same small 50
counted small pthread_mutex_lock 100
same deep 5000
counted deep pthread_mutex_lock 5000
same cancel 500
counted cancel pthread_join 500
same files 2000
counted files write 2000 2010
counted files read 2000 2100
for what in cancel forks; do
	verify $what
done
finish
