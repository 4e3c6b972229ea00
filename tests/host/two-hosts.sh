#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# A trace is decoded together with its copy from another host. Both have the same pids, addresses, cookies, inodes and
# numbers of objects, so each name that the decoder does not scope by host gives wrong results. The test requires the
# edges of the trace twice, in the same order, and none between the hosts. The short form takes a program for each way to
# identify objects, and all ways to identify hosts only for the first of them. The long form takes all programs
# of tests/calls, which use each kind of object.
. "$(dirname "$0")/../lib.sh"
need python3
rehost=$top_builddir/tests/lib/rehost
programs="fd-stream fd-datagram filelock shared signal sysv-sem"
if [ -n "${SYNTRACE_TEST_LONG:-}" ]; then
	programs=
	for program in "$top_builddir"/tests/calls/*.call; do
		programs="$programs $(basename "$program" .call)"
	done
fi

# NAME [OPTION VALUE]...
copy()
{
	copy_to=$dir/$1
	shift
	rm -rf "$copy_to"
	"$rehost" "$@" "$dir/trace" "$copy_to" >/dev/null || fail "rehost"
}

# NAME TRACE...
edges()
{
	edges_name=$dir/$1
	shift
	"$decode" edges --format=jsonl "$@" >"$edges_name.edges" || fail "$program: edges"
	"$decode" info --format=jsonl "$@" >"$edges_name.info" || fail "$program: info"
}

# WHAT TRACE...
together()
{
	together_what="$program: $1"
	shift
	edges both "$@"
	python3 "$top_srcdir/tests/host/two-hosts.py" "$dir/one" "$dir/both" || fail "$together_what"
	[ "$is_sound" -ne 0 ] || "$decode" check "$@" >"$dir/check.out" || {
		fail "$together_what: check"
		sed -n '/^Not proven/,$p' "$dir/check.out"
	}
}

# Prints the clock source of the trace.
clock_source()
{
	"$decode" clocks --format=jsonl "$dir/trace" | sed -n 's/.*"clock":"\([a-z]*\)".*/\1/p'
}

# WHAT: the trace and its copy have one clock.
one_clock()
{
	"$decode" clocks "$dir/trace" "$dir/other" >"$dir/clocks" || fail "$program: $1: clocks"
	grep -q '^All events have one clock' "$dir/clocks" || fail "$program: $1: $(cat "$dir/clocks")"
}

for program in $programs; do
	rm -rf "$dir/trace"
	SYNTRACE_DIR="$dir/trace" LD_PRELOAD="$lib" timeout -k 5 60 "$top_builddir/tests/calls/$program.call" \
		>/dev/null 2>&1
	[ $? -ne 77 ] || continue
	edges one "$dir/trace"
	"$decode" check "$dir/trace" >/dev/null
	is_sound=$?
	copy other --boot-add 1 --trace-id 77 --host other --offset 5000000000
	together "another host" "$dir/trace" "$dir/other"
	[ -n "${SYNTRACE_TEST_LONG:-}" ] || [ "$program" = fd-stream ] || continue
	# the same trace on two hosts, for example after a copy of the directory of a running trace
	copy other --boot-add 1 --host other
	together "another boot, same trace" "$dir/other" "$dir/trace"
	copy other --boot 0 --trace-id 77
	copy unknown --boot 0
	together "an unknown boot" "$dir/trace" "$dir/unknown"
	together "two unknown boots" "$dir/other" "$dir/unknown"

	# Clones of a virtual machine have one boot id. The clock pairs tell them apart.
	copy other --trace-id 77 --wall 100000000000
	together "a clone with a later CLOCK_REALTIME" "$dir/trace" "$dir/other"
	copy other --trace-id 77 --wall -100000000000
	together "a clone with an earlier CLOCK_REALTIME" "$dir/trace" "$dir/other"
	# also a time namespace, if the event clock is CLOCK_MONOTONIC
	copy other --trace-id 77 --offset 600000000000 --wall -600000000000
	together "a clone that was restored 10 minutes earlier" "$dir/other" "$dir/trace"
	if [ "$(clock_source)" = tsc ]; then
		copy other --trace-id 77 --ticks 1000000000000
		together "a clone with other ticks" "$dir/trace" "$dir/other"
		copy other --trace-id 77 --ticks 1000000000000 --wall 2000000000000 --offset 2000000000000
		together "a clone with other ticks at another time" "$dir/trace" "$dir/other"
	fi

	# One machine, 20 minutes later: the second trace has the clock of the first one.
	copy other --trace-id 77 --offset 1200000000000
	one_clock "a later trace"
	copy other --trace-id 77 --offset 1200000000000 --wall 3600000000000
	one_clock "a later trace, CLOCK_REALTIME stepped forward"
	copy other --trace-id 77 --offset 1200000000000 --wall -100000000
	one_clock "a later trace, CLOCK_REALTIME stepped back by 0.1 s"
	if [ "$(clock_source)" = tsc ]; then
		copy other --trace-id 77 --offset 1200000000000 --ticks 600000000000 --wall 600000000000
		one_clock "a later trace, the machine was suspended"
		copy other --trace-id 77 --ticks 600000000000 --offset -600000000000 --wall 600000000000
		one_clock "another time namespace"
	fi
done
finish
