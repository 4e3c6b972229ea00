#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# Counts the cost of a child that is forked and exits at once: page faults, system calls, room on the disk, and pages of a dump in
# memory.  Times depend on the machine: make bench measures them (tests/bench/op-processes.c).
TMPDIR=${top_builddir:-$PWD} # on a disk: a memory file system does no read-ahead
export TMPDIR
. "$(dirname "$0")/../lib.sh"

CHILDREN=50
FAULTS=17   # more than untraced
PIPED=20    # the same, if the process knows file descriptors
CALLS=21    # system calls more than untraced
BLOCKS=48   # of 512 bytes, of a dump
CACHED=32   # pages of a dump that has just begun
program=$top_builddir/tests/cost/processes

# ---- page faults ----

# count_faults HOW TRACE LIMIT
count_faults()
{
	plain=$("$program" $1 $CHILDREN) || fail "$1: the program ended with $?"
	traced=$(env LD_PRELOAD="$lib" SYNTRACE_DIR="$dir/$2" "$program" $1 $CHILDREN) || fail "$1: traced it ended with $?"
	echo "page faults of a child ($1): $plain untraced, $traced traced"
	[ "${plain:-0}" -gt 0 ] || fail "$1: no page fault untraced"
	[ $((traced - plain)) -le $3 ] || fail "$1: $((traced - plain)) page faults more than untraced"
}

count_faults fork trace $FAULTS
count_faults piped piped $PIPED

# ---- room on the disk ----

"$decode" stat "$dir/trace" >"$dir/stat" || fail "the trace cannot be decoded"
[ "$(grep -c '^  events  *2 recorded' "$dir/stat")" -ge $CHILDREN ] || fail "the children's events are not there"
for dump in "$dir"/trace/*.dump; do
	stat -c '%b' "$dump"
done | sort -n | tail -n 1 >"$dir/blocks"
echo "blocks of the largest dump: $(cat "$dir/blocks")"
[ "$(cat "$dir/blocks")" -le $BLOCKS ] || fail "a dump takes $(cat "$dir/blocks") blocks of the disk"

# ---- when they were started: mostly known without asking ----

env LD_PRELOAD="$lib" SYNTRACE_DIR="$dir/started" "$program" started $CHILDREN | sort >"$dir/told" ||
	fail "started: the program ended with $?"
"$decode" stat --format=jsonl "$dir/started" |
	sed -n 's/.*"type":"process".*"pid":\([0-9]*\),.*"start_time":\([0-9]*\),.*/\1 \2/p' | sort >"$dir/recorded"
[ "$(comm -12 "$dir/told" "$dir/recorded" | wc -l)" = $CHILDREN ] ||
	fail "start times differ: $(comm -23 "$dir/told" "$dir/recorded" | head -n 3)"

# ---- pages that were never written ----

start running log sleep 100
dump=
for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
	dump=$(find "$dir/running" -name '*.dump' -size +0 2>/dev/null)
	[ -z "$dump" ] || break
	sleep 0.1
done
sleep 0.2
cached=$("$program" cached "$dump") || fail "cached: the program ended with $?"
echo "pages of a dump that has just begun: $cached"
[ "${cached:-0}" -gt 0 ] || fail "no page of the dump is in memory"
[ "$cached" -le $CACHED ] || fail "$cached pages of a dump that has just begun"

# ---- system calls ----

# calls [LIB]: the smallest number of system calls that a child makes.  A child that is forked across a clock tick reads its
# start time from /proc, which takes three more.  On a slow machine, calls take so long that the recorder reads the CPU time after
# them; these readings do not count.
calls()
{
	rm -rf "$dir/trace"
	strace -f -qq -o "$dir/calls" ${1:+-E LD_PRELOAD="$1" -E SYNTRACE_DIR="$dir/trace"} "$program" fork 20 >/dev/null ||
		fail "fork: under strace the program ended with $?"
	awk 'NR == 1 { parent = $1 }
		{ nr[$1] += /^[0-9]+ +[a-z_0-9]+\(/ && !/CLOCK_THREAD_CPUTIME_ID/ }
		END {
			for (pid in nr)
				if (pid != parent && (!least || nr[pid] < least))
					least = nr[pid]
			print least
		}' "$dir/calls"
}

if command -v strace >/dev/null && strace -qq -o /dev/null true 2>/dev/null; then
	plain=$(calls)
	# on a slow machine, all children of a run may cross a tick
	for _ in 1 2 3 4 5; do
		traced=$(calls "$lib")
		[ $((traced - plain)) -gt $CALLS ] || break
	done
	echo "system calls of a child: $plain untraced, $traced traced"
	[ "${plain:-0}" -gt 0 ] || fail "no system call untraced"
	[ $((traced - plain)) -le $CALLS ] || fail "$((traced - plain)) system calls more than untraced"
else
	echo "system calls: not counted, strace may not trace here"
fi
finish
