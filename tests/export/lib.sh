# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
# shellcheck shell=sh
#
# For the tests of export: the traces on which every format is tried, and the facts in their JSON
# lines.
#
#   . "$(dirname "$0")/lib.sh"
#   for_traces FUNCTION     (called with the trace; beside it are events, edges and tasks)

. "$(dirname "$0")/../lib.sh"
need python3 xz
export_tests=$top_srcdir/tests/export
PYTHONDONTWRITEBYTECODE=1
export PYTHONDONTWRITEBYTECODE

# record NAME CMD...: into $dir/NAME.data. A program that is killed, or hangs and is then killed,
# leaves a trace, too.
record()
{
	record_into=$dir/$1.data
	shift
	timeout -k 1 -s KILL 20 env SYNTRACE_DIR="$record_into" LD_PRELOAD="$lib" "$@" >/dev/null 2>&1
}

tell() # TRACE
{
	for tell_verb in events edges tasks stat; do
		timeout -k 5 60 "$decode" $tell_verb --format=jsonl "$1" >"$1.$tell_verb" 2>"$dir/errors" ||
			fail "$tell_verb of $1: exit status $?"
	done
	"$decode" events --no-stacks --limit=1 --wall-clock --format=jsonl "$1" >"$1.wall" || fail "--wall-clock: exit status $?"
}

# A process that forks, pipes, threads; locks in a queue; rounds of barriers; handlers that
# synchronize inside of calls; a deadlock, whose calls never return.
for_traces()
{
	tar -xJf "$top_srcdir/tests/golden/0.1.0/pipeline.tar.xz" -C "$dir" || exit 99
	record deadlock timeout -s KILL 2 "$top_builddir/examples/deadlock" sick &
	traces_deadlock=$!
	record convoy "$top_builddir/examples/convoy" sick
	record barrier "$top_builddir/tests/export/rounds"
	for traces_name in pipeline convoy barrier deadlock; do
		[ $traces_name != deadlock ] || wait $traces_deadlock
		tell "$dir/$traces_name.data"
		"$1" "$dir/$traces_name.data"
	done
}

# export_to FORMAT FILE TRACE [OPTION...]: exports, and compares the summary with the verb stat.
export_to()
{
	to_format=$1 to_file=$2 to_trace=$3
	shift 3
	timeout -k 5 120 "$decode" export --format=jsonl --to="$to_format" -o "$to_file" "$@" "$to_trace" \
		>"$dir/summary" 2>"$dir/errors" || {
		fail "export --to=$to_format of $to_trace: exit status $?"
		cat "$dir/errors"
	}
	grep -q '"type":"coverage"' "$dir/summary" || fail "no coverage line"
	grep -q "\"to\":\"$to_format\".*\"events\":$(wc -l <"$to_trace.events"),\"tasks\":$(wc -l <"$to_trace.tasks")," \
		"$dir/summary" || fail "the summary of $to_format differs from the counts of the other verbs"
	for to_file in "$to_file".[0-9]*; do
		[ ! -e "$to_file" ] || fail "$to_file is left"
	done
}
