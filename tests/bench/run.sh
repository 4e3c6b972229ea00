#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# run.sh [-r ROUNDS] [-o FILE] [-p PARTS] [-t TOOLS] [-q] [OPERATION...]: what tracing costs, beside the other
# tools that are installed.  Prints tables and which budgets were missed, and writes FILE (default bench.jsonl), one
# JSON object per line; doc/performance.md says what is in it, markdown.sh makes that document's tables of it.
#
#   -r ROUNDS   default 15
#   -p PARTS    some of "micro places processes off size worst memory servers", default all of them
#   -t TOOLS    some of those in tools.sh, default all that are installed
#   -q          very few operations: to see that all of it works, the figures mean nothing
#   OPERATION   only these of the micro-benchmarks
#
# All tools take turns within a round, in an order that changes from round to round, so that the machine's moods
# meet all of them; ratios are between medians.  A ratio means something only beside the number of
# events that were recorded: both are printed.  Nothing here passes or fails.
set -u
LC_ALL=C
export LC_ALL
here=$(cd "$(dirname "$0")" && pwd)
: "${top_builddir:=$PWD}"
rounds=15
out=bench.jsonl
parts="micro places processes off size worst memory servers"
wanted=
quick=
while getopts r:o:p:t:q option; do
	case $option in
	r) rounds=$OPTARG ;;
	o) out=$OPTARG ;;
	p) parts=$OPTARG ;;
	t) wanted=$OPTARG ;;
	q) quick=yes ;;
	*) exit 2 ;;
	esac
done
shift $((OPTIND - 1))

ops=$top_builddir/syntrace-bench-ops
worst=$top_builddir/syntrace-bench-worst
memory=$top_builddir/syntrace-bench-memory
load=$top_builddir/syntrace-bench-load
module=$top_builddir/.libs/bench-module.so
decode=$top_builddir/syntrace-decode
lib=$top_builddir/.libs/libsyntrace.so
# shellcheck disable=SC2034 # for tools.sh
bare=$top_builddir/.libs/bench-bare.so
for program in "$ops" "$worst" "$memory" "$load"; do
	[ -x "$program" ] || {
		echo "$0: $program is missing; run make bench in the build directory" >&2
		exit 2
	}
done
unset LD_PRELOAD SYNTRACE_SESSION SYNTRACE_MODE SYNTRACE_RING SYNTRACE_MAX_SIZE SYNTRACE_DISABLE
SYNTRACE_CONFIG= # no configuration file
export SYNTRACE_CONFIG
# In memory where there is room: the disk's moods are not what is measured.
if [ -z "${BENCH_DIR:-}" ] && [ "$(df -k --output=avail /dev/shm 2>/dev/null | tail -n 1)" -gt 4000000 ]; then
	BENCH_DIR=/dev/shm
fi
work=$(mktemp -d "${BENCH_DIR:-$top_builddir}/bench.XXXXXX") || exit 2
# What a process costs depends on the file system: on a disk's, too.
disk=$(mktemp -d "${BENCH_DISK:-$top_builddir}/bench-disk.XXXXXX") || exit 2
raw=$work/raw
: >"$raw"
# shellcheck source=tests/bench/tools.sh
. "$here/tools.sh"

finish()
{
	server_stop
	lttng_finish
	rm -rf "$work" "$disk"
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

left_out=
leave_out()
{
	left_out="$left_out${left_out:+, }$1"
	echo "left out, not installed: $1" >&2
}

# Succeeds unless -t has left TOOL out.
is_wanted()
{
	case " ${wanted:-$1} " in
	*" $1 "*) ;;
	*) return 1 ;;
	esac
}

tools_usable=
for tool in $tools_all; do
	is_wanted "$tool" || continue
	if "$(fn "$tool")_here"; then
		tools_usable="$tools_usable $tool"
	else
		leave_out "$tool"
	fi
done

# The tools, starting with another one in each round.
turn()
{
	nr_tools=$(echo "$tools" | wc -w)
	echo "$tools $tools" | tr -s ' ' '\n' | sed '/^$/d' | tail -n +$(($1 % nr_tools + 1)) |
		head -n "$nr_tools"
}

traces=$work

# Rounds of one benchmark: measure NAME CMD..., where CMD prints lines "BENCH METRIC VALUE [OPERATIONS]"; what BENCH
# is NAME or NAME-something is kept.
measure()
{
	name=$1
	shift
	for tool in $tools; do
		trace=$traces/trace.$tool
		"$(fn "$tool")_begin" || echo "$tool could not start, see its log" >&2
	done
	round=0
	while [ $round -lt "$rounds" ]; do
		for tool in $(turn $round); do
			trace=$traces/trace.$tool
			# no pipe: who is interrupted must know of the server that it has started
			"$@" >"$work/lines" 2>>"$work/stderr"
			awk -v tool="$tool" -v what="$name" '
				$1 == what || index($1, what "-") == 1 {
					print "value", $1, tool, $2, $3, $4
				}' "$work/lines" >>"$raw"
		done
		round=$((round + 1))
	done
	for tool in $tools; do
		trace=$traces/trace.$tool
		[ ! -e "$trace.$((round - 1))" ] || trace=$trace.$((round - 1))
		echo "events $name $tool $("$(fn "$tool")_end")" >>"$raw"
		[ "$traces" != "$work" ] || rm -rf "$trace"
	done
	printf '.' >&2
}

# title BENCH BASE WHAT...: what it is, and with what tool the others are compared
title()
{
	echo "title $*" >>"$raw"
}

# run_op OPERATION NAME [OPTION...]: prints "NAME ns <ns each> <operations>", and the same with the mean of the whole run
run_op()
{
	run_operation=$1 run_name=$2
	shift 2
	"$(fn "$tool")_run" "$ops" -c "$cpus" "$@" ${quick:+-b 1} "$run_operation" |
		awk -v name="$run_name" '{ print name, "ns", $2, $3; print name, "mean_ns", $4, $3 }'
}

# what_is OPERATION: the description of it
what_is()
{
	"$ops" | sed -n "s/^$1  *//p"
}

bench_micro()
{
	for op in $([ $# -gt 0 ] && echo "$@" || "$ops" | awk '{ print $1 }'); do
		title "$op" untraced "$(what_is "$op")"
		measure "$op" run_op "$op" "$op"
	done
}

# The round trips with each thread on its own CPU, and all operations with the trace on a disk. Waking another CPU takes long:
# two batches and few rounds are enough.
bench_places()
{
	tools="untraced syntrace"
	rounds_saved=$rounds
	[ "$rounds" -le 5 ] || rounds=5
	for op in cond sem sock tcp thread; do
		title "$op-apart" untraced "$(what_is "$op"), each thread on its own CPU"
		measure "$op-apart" run_op "$op" "$op-apart" -a -b 2
	done
	traces=$disk/places
	mkdir "$traces"
	for op in mutex cond sem sock tcp thread; do
		title "$op-disk" untraced "$(what_is "$op"), trace on a disk ($(df --output=fstype "$disk" | tail -n 1))"
		measure "$op-disk" run_op "$op" "$op-disk"
	done
	traces=$work
	rounds=$rounds_saved
}

# run_process OPERATION NAME: as run_op. Traces are kept until the end: where thousands of files were removed in the last
# minutes, ext4 takes up to a millisecond to make one.
run_process()
{
	trace=$traces/trace.$tool.$round
	run_op "$@"
}

# Processes that end at once, with the trace in memory and on a disk.
bench_processes()
{
	tools="untraced syntrace"
	for op in fork exec; do
		what="fork + exit + wait"
		[ $op = fork ] || what="fork + exec of a small program + wait"
		for place in memory disk; do
			traces=$work/$op
			where="trace in memory"
			[ $place = memory ] || {
				traces=$disk/$op
				where="trace on a disk ($(df --output=fstype "$disk" | tail -n 1))"
			}
			mkdir "$traces"
			title $op-$place untraced "$what, $where"
			measure $op-$place run_process $op $op-$place
		done
	done
	traces=$work
}

# What a call costs that is not recorded, against the least that a preloaded library can do.
bench_off()
{
	tools="untraced bare syntrace-disabled syntrace-paused"
	title off bare "uncontended mutex pair of which nothing is recorded"
	measure off run_op mutex off
}

run_size()
{
	size_begin=$(date +%s%N)
	"$(fn "$tool")_run" "$load" "$1"
	echo "size ns $((($(date +%s%N) - size_begin) / $1)) $1"
}

# Bytes on disk of more events than what each trace has once matters for.  They hardly differ from round to round.
bench_size()
{
	rounds_saved=$rounds
	[ "$rounds" -le 3 ] || rounds=3
	title size untraced "4 threads: locks, a condition variable, sockets"
	if [ -n "$quick" ]; then
		measure size run_size 10000
	else
		measure size run_size 2000000
	fi
	rounds=$rounds_saved
}

# As long as a recorded call takes, in ns: what the machine does to those who do nothing for that long.
CALL_NS=150

run_worst()
{
	case $tool in
	machine) nothing_ns=$CALL_NS ;;
	*) nothing_ns= ;;
	esac
	mkdir -p "$work/modules"
	"$(fn "$tool")_run" "$worst" ${quick:+-d 100} ${nothing_ns:+-i "$nothing_ns"} -c "${cpus%,*}" \
		-m "$module" -w "$work/modules"
}

# Single calls.
bench_worst()
{
	tools="untraced machine syntrace"
	title worst untraced "each single call: all of the following"
	title worst-seal untraced "each single call: the same lock and unlock, blocks fill up"
	title worst-stack untraced "each single call: from a new call stack each time"
	title worst-object untraced "each single call: on a new mutex each time"
	title worst-module untraced "each single call: the first two from a library just loaded"
	measure worst run_worst
}

# run_memory NAME THREADS HOW
run_memory()
{
	"$(fn "$tool")_run" "$memory" "$@"
	case $tool in
	syntrace) echo "$1 dump_bytes $(disk_bytes "$trace")" ;;
	esac
}

bench_memory()
{
	# they, too, hardly differ
	rounds_saved=$rounds
	[ "$rounds" -le 3 ] || rounds=3
	tools="untraced syntrace"
	many=10000
	few=1000
	[ -z "$quick" ] || { many=40 few=20; }
	for row in "idle $few alive" "alive $many alive" "turn $many turn"; do
		# shellcheck disable=SC2086
		set -- $row
		case $1 in
		turn) title "$1" untraced "$2 threads of 3 events each, one after another" ;;
		*) title "$1" untraced "$2 idle threads, 3 events each" ;;
		esac
		measure "$1" run_memory "$1" "$2" "$3"
	done
	rounds=$rounds_saved
}

bench_servers()
{
	for server in $servers_all; do
		"server_${server}_here" || {
			leave_out "$server or its load"
			continue
		}
		title "$server" untraced "$("server_${server}_title")"
		measure "$server" server_round "$server"
	done
}

# CPU time that the hypervisor gave to others, ms.
steal_ms()
{
	awk -v hz="$(getconf CLK_TCK)" '$1 == "cpu" { printf "%d", $9 * 1000 / hz }' /proc/stat
}

begin=$(date +%s)
steal=$(steal_ms)
for part in $parts; do
	tools=$tools_usable
	case $part in
	micro) bench_micro "$@" ;;
	places | processes | off | size | worst | memory | servers) "bench_$part" ;;
	*)
		echo "$0: no part '$part'" >&2
		exit 2
		;;
	esac
done
echo >&2
{
	echo "run cpu $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)"
	echo "run cpus $(nproc)"
	echo "run kernel $(uname -r | cut -d. -f1-2)"
	echo "run compiler $(readelf -p .comment "$lib" 2>/dev/null | sed -n 's/.*GCC: ([^)]*) /gcc /p' | head -n 1)"
	echo "run rounds $rounds"
	echo "run seconds $(($(date +%s) - begin))"
	echo "run steal_ms $(($(steal_ms) - steal))"
	echo "run left_out $left_out"
} >>"$raw"

[ -z "${BENCH_KEEP_RAW:-}" ] || cp "$raw" "$BENCH_KEEP_RAW"
awk -f "$here/json.awk" -f "$here/rows.awk" "$raw" >"$work/rows"
awk -f "$here/json.awk" -f "$here/budgets.awk" "$here/budgets" "$work/rows" >"$work/verdicts"
cat "$work/rows" "$work/verdicts" >"$out"
awk -f "$here/json.awk" -f "$here/report.awk" "$out"
echo "machine-readable: $out"
