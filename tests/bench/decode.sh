#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# decode.sh [-n MILLIONS] [-L LOADS] [-R ROUNDS] [-l MILLIONS] [-j JOBS] [-m SIZE] [-o FILE] [-p MILLIONS] [-r REQUESTS] [-c]
# [-x]: how fast traces are decoded.  Prints a table, the rates as ratios to babeltrace2, and which budgets are met (decode.awk),
# and writes FILE (default bench-decode.jsonl), one JSON object per line.
#
#   -n MILLIONS  sizes of the traces in millions of events, default "1 5"; "1 5 50 100" also measures the budgets of large traces
#   -L LOADS     loads of syntrace-bench-load to compare with babeltrace2, default "mixed uneven sockets"
#   -R ROUNDS    rounds of this comparison, default 3; babeltrace2 runs in each, and the median ratio counts
#   -l MILLIONS  up to which size verbs other than stat and tasks are measured, which look at every event, default 50
#   -j JOBS      numbers of threads, default "1 2"; as many CPUs are given
#   -m SIZE      --memory=SIZE for the decoder
#   -p MILLIONS  the same program's calls in the traces for the others' readers, default 5
#   -r REQUESTS  number of requests of examples/shop for the verbs requests and workload, at most a million, default 100000
#   -c           only the comparison with babeltrace2, of traces of the largest size
#   -x           only syntrace, not the others' readers (uftrace, LTTng)
#
# The traces are made by syntrace-bench-load and examples/shop, in BENCH_DIR (there they stay, and are used again), else in /dev/shm
# where there is room, else in the build directory.  Before each run, `measure -w` lets a hypervisor find the memory.  CPU time per event is what carries over to a machine with
# other work to do; rates are of the time that passed.  Nothing here passes or fails.
set -u
LC_ALL=C
export LC_ALL
: "${top_builddir:=$PWD}"
sizes="1 5"
loads="mixed uneven sockets"
rounds=3
size_others=5
size_all=50
requests=100000
jobs="1 2"
memory=
out=bench-decode.jsonl
others=yes
parts=all
while getopts n:L:R:l:j:m:o:p:r:cx option; do
	case $option in
	n) sizes=$OPTARG ;;
	L) loads=$OPTARG ;;
	R) rounds=$OPTARG ;;
	l) size_all=$OPTARG ;;
	j) jobs=$OPTARG ;;
	m) memory=$OPTARG ;;
	o) out=$OPTARG ;;
	p) size_others=$OPTARG ;;
	r) requests=$OPTARG ;;
	c) parts=comparison ;;
	x) others=no ;;
	*) exit 2 ;;
	esac
done
load=$top_builddir/syntrace-bench-load
measure=$top_builddir/syntrace-bench-measure
warm="-w 1000"
decode=$top_builddir/syntrace-decode
for program in "$load" "$measure" "$decode" "$top_builddir/syntrace-bench-model" "$top_builddir/examples/shop"; do
	[ -x "$program" ] || {
		echo "$0: $program is missing; run make bench-decode in the build directory" >&2
		exit 2
	}
done
unset LD_PRELOAD SYNTRACE_SESSION SYNTRACE_MODE SYNTRACE_RING SYNTRACE_MAX_SIZE SYNTRACE_DISABLE
SYNTRACE_CONFIG= # no configuration file
export SYNTRACE_CONFIG

if [ -n "${BENCH_DIR:-}" ]; then
	traces=$BENCH_DIR
	work=$(mktemp -d "$BENCH_DIR/bench.XXXXXX") || exit 2
else
	place=$top_builddir
	[ "$(df -k --output=avail /dev/shm 2>/dev/null | tail -n 1)" -le 8000000 ] || place=/dev/shm
	work=$(mktemp -d "$place/bench.XXXXXX") || exit 2
	traces=$work
fi
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM HUP
: >"$out"

# The first $1 of the CPUs that we may use.
cpus()
{
	awk -v wanted="$1" '/^Cpus_allowed_list/ {
		n = split($2, part, ",")
		for (i = 1; i <= n; i++) {
			split(part[i], range, "-")
			last = range[2] == "" ? range[1] : range[2]
			for (c = range[1]; c <= last && wanted-- > 0; c++)
				list = list (list == "" ? "" : ",") c
		}
		print list
	}' /proc/self/status
}

# One row: row TOOL VERB JOBS EVENTS [LOAD ROUND], with what measure printed on standard input.
row()
{
	awk -v tool="$1" -v verb="$2" -v jobs="$3" -v events="$4" -v of_load="${5:-mixed}" -v round="${6:-1}" -v out="$out" '
	{
		printf "%-12s %-24s %4d %9d %8.3f %8.1f %8.1f %9.2f %8.1f %8.1f %8.1f\n", tool, verb, jobs, events, $1,
		       1e9 * $2 / events, 1e9 * $3 / events, events / $1 / 1e6, $4 / 1024, $5 / 1024, $6 / 1024
		printf "{\"tool\":\"%s\",\"load\":\"%s\",\"round\":%d,\"verb\":\"%s\",\"jobs\":%d,\"events\":%d,\"seconds\":%s,\"user_s\":%s,\"sys_s\":%s,\"rss_kib\":%d,\"anonymous_kib\":%d,\"file_kib\":%d}\n",
		       tool, of_load, round, verb, jobs, events, $1, $2, $3, $4, $5, $6 >>out
	}'
}

events_of()
{
	"$decode" stat --format=jsonl "$1" | sed -n 's/.*"type":"process".*"decoded":\([0-9]*\).*/\1/p' |
		awk '{ n += $1 } END { printf "%.0f\n", n }'
}

# record NAME CMD...: makes the trace $trace, unless it is there.
record()
{
	trace=$traces/$1
	shift
	if [ ! -f "$trace/whole" ]; then
		rm -rf "$trace"
		env SYNTRACE_MODE=stream SYNTRACE_MAX_SIZE=64G SYNTRACE_DIR="$trace" \
			LD_PRELOAD="$top_builddir/.libs/libsyntrace.so" "$@" >"$work/stdout" || exit 2
		: >"$trace/whole"
	fi
	events=$(events_of "$trace")
}

# measure_verb TOOL VERB [LOAD ROUND]: rows of $trace for each number of threads, without the file of VERB.
measure_verb()
{
	for n in $jobs; do
		# shellcheck disable=SC2086
		taskset -c "$(cpus "$n")" "$measure" $warm "$decode" $2 ${memory:+"--memory=$memory"} \
			"$trace" 2>"$work/stderr" | row "$1" "${2%%=/*}" "$n" "$events" "${3:-}" "${4:-}"
	done
}

bench_syntrace()
{
	record "mixed-$1" "$load" "${1}000000"
	for verb in stat 'tasks --summary' 'edges --format=jsonl' check contention lock-order 'events --format=jsonl'; do
		[ "$verb" = stat ] || [ "$verb" = 'tasks --summary' ] || [ "$1" -le "$size_all" ] || continue
		measure_verb syntrace "$verb"
	done
}

# compare LOAD MILLIONS: the verbs, and babeltrace2 on an export of the same events, with all CPUs of -j.
compare()
{
	record "$1-$2" "$load" "${2}000000" "$1"
	every=$jobs
	jobs=$most_jobs
	of_trace=$events
	! command -v babeltrace2 >/dev/null ||
		"$decode" export --to=ctf --output="$work/ctf" "$trace" >"$work/stdout" || exit 2
	round=0
	while [ $((round += 1)) -le "$rounds" ]; do
		events=$of_trace
		for verb in stat lock-order check waits contention blocked critical-path 'events --format=jsonl' \
			'edges --format=jsonl' diagnose; do
			measure_verb compared "$verb" "$1" "$round"
		done
		[ -d "$work/ctf" ] || continue
		# shellcheck disable=SC2086
		taskset -c "$(cpus "$most_jobs")" "$measure" $warm -o "$work/messages" \
			babeltrace2 --component=sink.utils.counter --params=step=+0 "$work/ctf" >"$work/measured" || exit 2
		events=$(awk '/messages \(TOTAL\)/ { n = $1 } END { printf "%.0f\n", n }' "$work/messages")
		row babeltrace2 counter "$most_jobs" "$events" "$1" "$round" <"$work/measured"
	done
	jobs=$every
	rm -rf "$work/ctf"
}

# The verbs for requests, on a trace of a front, a pool, a store and their client. Reading the trace (stat) is the base of the ratios.
bench_requests()
{
	record "shop-$1" "$top_builddir/examples/shop" --directory="$work" --requests="$1"
	for verb in stat 'requests --limit=1' 'requests --all' 'workload --limit=1' "workload --save=$work/model"; do
		measure_verb shop "$verb"
	done
}

# The model of synthetic graphs without a trace: three rounds for each number of leaves.
bench_model()
{
	for leaves in 100000 1000000 10000000; do
		for round in 1 2 3; do
			taskset -c "$(cpus 2)" "$top_builddir/syntrace-bench-model" "$leaves" || exit 2
		done | sort -n | awk -v leaves="$leaves" -v out="$out" 'NR == 2 {
			printf "%-12s %-24s %4d %9d %8.3f %8.1f %8.1f %9.2f %8.1f\n", "model", "of " leaves " leaves", 2, leaves, $1,
			       1e9 * $2 / leaves, 1e9 * $3 / leaves, leaves / $1 / 1e6, $4 / 1024
			printf "{\"tool\":\"model\",\"leaves\":%d,\"seconds\":%s,\"user_s\":%s,\"sys_s\":%s,\"rss_kib\":%d}\n",
			       leaves, $1, $2, $3, $4 >>out
		}'
	done
}

# A GB or a little more: what was recorded, as often as that takes.
bench_first_output()
{
	bytes=$(du -sk "$trace" | awk '{ print 1024 * $1 }')
	[ "$bytes" -gt 10000000 ] || return
	set --
	all=0
	while [ "$all" -lt 1000000000 ]; do
		set -- "$@" "$trace"
		all=$((all + bytes))
	done
	seconds=$("$measure" -f "$decode" stat "$@" 2>"$work/stderr")
	printf 'first output of stat on %d bytes: %s s\n' "$all" "$seconds"
	printf '{"tool":"syntrace","verb":"first output","bytes":%d,"seconds":%s}\n' "$all" "$seconds" >>"$out"
}

# uftrace's and LTTng's recordings of the same program, read once.  A call makes two records (entry and exit) with uftrace.
bench_uftrace()
{
	command -v uftrace >/dev/null || {
		echo "left out, not installed: uftrace" >&2
		return
	}
	uftrace record --force --no-pager -d "$work/uftrace" "$load" "${1}000000" >/dev/null 2>&1
	events=$(find "$work/uftrace" -name '[0-9]*.dat' -printf '%s\n' | awk '{ n += $1 / 16 } END { print n + 0 }')
	[ "$events" -gt 0 ] || return
	"$measure" uftrace report --no-pager -d "$work/uftrace" | row uftrace report 1 "$events"
	"$measure" uftrace dump --no-pager -d "$work/uftrace" | row uftrace dump 1 "$events"
	rm -rf "$work/uftrace"
}

bench_lttng()
{
	# shellcheck disable=SC2034 # for tools.sh
	rounds=1
	trace=$work/lttng
	# shellcheck source=tests/bench/tools.sh
	. "$(dirname "$0")/tools.sh"
	if ! command -v babeltrace2 >/dev/null || ! lttng_here; then
		echo "left out, not installed: babeltrace2 or lttng" >&2
		return
	fi
	lttng_begin || return
	lttng_run "$load" "${1}000000" >/dev/null
	events=$(lttng_end | cut -d' ' -f1)
	lttng_finish
	case $events in
	'' | *[!0-9]* | 0) return ;;
	esac
	"$measure" babeltrace2 -c sink.utils.counter "$trace" | row lttng counter 1 "$events"
	"$measure" babeltrace2 "$trace" | row lttng text 1 "$events"
	rm -rf "$trace"
}

# The peak of all pages; of anonymous ones; how many were of files (the dump, and what is in TMPDIR) at the peak.
printf '%-12s %-24s %4s %9s %8s %8s %8s %9s %8s %8s %8s\n' tool verb jobs events seconds user/ev sys/ev Mevents/s 'RSS MiB' \
	anon file
size=$(printf '%s\n' $sizes | sort -n | tail -n 1)
most_jobs=$(printf '%s\n' $jobs | sort -n | tail -n 1)
command -v babeltrace2 >/dev/null ||
	echo "left out, not installed: babeltrace2 (package babeltrace2), so no rate is compared with it" >&2
for one in $loads; do
	compare "$one" "$size"
done
if [ $parts = all ]; then
	for size in $sizes; do
		bench_syntrace "$size"
	done
	bench_first_output
	bench_requests "$requests"
	bench_model
	if [ $others = yes ]; then
		bench_uftrace "$size_others"
		bench_lttng "$size_others"
	fi
fi
awk -f "$(dirname "$0")/json.awk" -f "$(dirname "$0")/decode.awk" "$out"
