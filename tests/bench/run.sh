#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# run.sh [-r ROUNDS] [-o FILE] [-m] [-s] [OPERATION...]: what tracing costs, beside the other tools that
# are installed.  Prints a table, and writes FILE (default bench.jsonl), one JSON object per line.
#
#   -r ROUNDS   rounds of the operations (default 5); of the servers 3
#   -m, -s      only the micro-benchmarks; only the servers
#
# All tools take turns within a round, in an order that changes from round to round, so that the machine's moods
# meet all of them; ratios are between medians.  A ratio means something only beside the number of
# events that were recorded: both are printed.  Nothing here passes or fails.
set -u
LC_ALL=C
export LC_ALL
here=$(cd "$(dirname "$0")" && pwd)
: "${top_builddir:=$PWD}"
rounds=5
out=bench.jsonl
parts="micro servers"
while getopts r:o:ms option; do
	case $option in
	r) rounds=$OPTARG ;;
	o) out=$OPTARG ;;
	m) parts=micro ;;
	s) parts=servers ;;
	*) exit 2 ;;
	esac
done
shift $((OPTIND - 1))

ops=$top_builddir/syntrace-bench-ops
decode=$top_builddir/syntrace-decode
lib=$top_builddir/.libs/libsyntrace.so
[ -x "$ops" ] || {
	echo "$0: $ops is missing; run make bench in the build directory" >&2
	exit 2
}
unset LD_PRELOAD SYNTRACE_SESSION SYNTRACE_MODE SYNTRACE_RING SYNTRACE_MAX_SIZE SYNTRACE_DISABLE
# In memory where there is room: the disk's moods are not what is measured.
if [ -z "${BENCH_DIR:-}" ] && [ "$(df -k --output=avail /dev/shm 2>/dev/null | tail -n 1)" -gt 4000000 ]; then
	BENCH_DIR=/dev/shm
fi
work=$(mktemp -d "${BENCH_DIR:-$top_builddir}/bench.XXXXXX") || exit 2
raw=$work/raw
: >"$raw"
# shellcheck source=tests/bench/tools.sh
. "$here/tools.sh"

finish()
{
	server_stop
	lttng_finish
	rm -rf "$work"
}
trap finish EXIT
trap 'exit 130' INT TERM HUP

# The CPUs that we may use, last one first.
cpus=$(awk '/^Cpus_allowed_list/ {
	n = split($2, part, ",")
	for (i = n; i > 0; i--) {
		split(part[i], range, "-")
		last = range[2] == "" ? range[1] : range[2]
		for (c = last; c >= range[1]; c--)
			list = list (list == "" ? "" : ",") c
	}
	split(list, cpu, ",")
	print cpu[1] "," (cpu[2] == "" ? cpu[1] : cpu[2])
}' /proc/self/status)

# shellcheck source=tests/bench/servers.sh
. "$here/servers.sh"

# A tool's functions have _ where its name has -.
fn()
{
	echo "$1" | tr - _
}

tools=
for tool in $tools_all; do
	if "$(fn "$tool")_here"; then
		tools="$tools $tool"
	else
		echo "left out, not installed: $tool" >&2
	fi
done
nr_tools=$(echo "$tools" | wc -w)

# The tools, starting with another one in each round.
turn()
{
	echo "$tools $tools" | tr -s ' ' '\n' | sed '/^$/d' | tail -n +$(($1 % nr_tools + 1)) |
		head -n "$nr_tools"
}

# Rounds of one benchmark: measure NAME CMD..., where CMD prints "NAME value operations".
measure()
{
	name=$1
	shift
	for tool in $tools; do
		trace=$work/trace.$tool
		"$(fn "$tool")_begin" || echo "$tool could not start, see its log" >&2
	done
	round=0
	while [ $round -lt "$rounds" ]; do
		for tool in $(turn $round); do
			trace=$work/trace.$tool
			"$@" 2>>"$work/stderr" | awk -v tool="$tool" -v what="$name" \
				'$1 == what { print "value", what, tool, $2, $3 }' >>"$raw"
		done
		round=$((round + 1))
	done
	for tool in $tools; do
		trace=$work/trace.$tool
		echo "events $name $tool $("$(fn "$tool")_end")" >>"$raw"
		rm -rf "$trace"
	done
	printf '.' >&2
}

run_op()
{
	"$(fn "$tool")_run" "$ops" -c "$cpus" "$1"
}

begin=$(date +%s)
case $parts in
*micro*)
	for op in $([ $# -gt 0 ] && echo "$@" || "$ops" | awk '{ print $1 }'); do
		echo "title $op ns $("$ops" | sed -n "s/^$op  *//p")" >>"$raw"
		measure "$op" run_op "$op"
	done
	;;
esac
case $parts in
*servers*)
	rounds=3
	for server in $servers_all; do
		"server_${server}_here" || {
			echo "left out, not installed: $server or its load" >&2
			continue
		}
		echo "title $server rps $("server_${server}_title")" >>"$raw"
		measure "$server" server_round "$server"
	done
	;;
esac
echo >&2

[ -z "${BENCH_KEEP_RAW:-}" ] || cp "$raw" "$BENCH_KEEP_RAW"
awk -v out="$out" -v cpu="$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)" \
	-v nr_cpus="$(nproc)" -v kernel="$(uname -r | cut -d. -f1-2)" -v seconds=$(($(date +%s) - begin)) \
	-v rounds="$rounds" -f "$here/table.awk" "$raw"
echo "machine-readable: $out"
