#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# demo.sh BUILD: records redis-server (with I/O threads) and redis-benchmark, both unmodified, and shows
# the main reports about the trace.  Takes less than a minute.  ./demo builds, then calls this script.
set -u
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "${1:?the build directory}" && pwd)
PATH=$build:$PATH
lib=$build/.libs/libsyntrace.so
port=${DEMO_PORT:-27777}
out=${DEMO_DIR:-$PWD/demo.out}
trace=$out/syntrace.data
unset LD_PRELOAD SYNTRACE_SESSION SYNTRACE_DIR SYNTRACE_MODE SYNTRACE_RING SYNTRACE_MAX_SIZE SYNTRACE_DISABLE
SYNTRACE_CONFIG= # no user's configuration file changes the output
export SYNTRACE_CONFIG
server=

finish()
{
	[ -z "$server" ] || kill "$server" 2>/dev/null
}
trap finish EXIT
trap 'exit 130' INT TERM

bold=
plain=
if [ -t 1 ] && [ -z "${NO_COLOR:-}" ]; then
	bold=$(printf '\033[1m')
	plain=$(printf '\033[0m')
fi

# heading TITLE LINE...: a heading, and lines that explain the output below it.
heading()
{
	printf '\n%s== %s ==%s\n' "$bold" "$1" "$plain"
	shift
	[ $# = 0 ] || printf '%s\n' "$@"
	echo
}

fail()
{
	echo "demo: $*" >&2
	exit 1
}

# Cuts lines to the width of the terminal, so that no row of a table wraps.
narrow()
{
	cut -c "1-${COLUMNS:-120}"
}

# picture NAME OPTION...: draws the graph with these options as $out/NAME.svg.
picture()
{
	picture_name=$1
	shift
	syntrace-decode graph --format=dot "$@" "$trace" >"$out/$picture_name.dot" || fail "graph $*"
	dot -Tsvg -o "$out/$picture_name.svg" "$out/$picture_name.dot" 2>"$out/dot.log" ||
		fail "graphviz: see $out/dot.log"
	printf '  %-40s %s arcs\n' "$out/$picture_name.svg" "$(grep -c -e '->' "$out/$picture_name.dot")"
}

rm -rf "$out"
mkdir -p "$out" || exit 1

heading "1. Record" \
	"The launcher records the server. The client uses only LD_PRELOAD and records into the same trace:" "" \
	"  syntrace record -o $trace -- redis-server --io-threads 2 --io-threads-do-reads yes" \
	"  SYNTRACE_DIR=$trace LD_PRELOAD=libsyntrace.so redis-benchmark -t set,get -c 30 -n 3000"
: >"$out/server.log"
syntrace record -o "$trace" -- redis-server --port "$port" --bind 127.0.0.1 --save '' --appendonly no \
	--io-threads 2 --io-threads-do-reads yes >"$out/server.log" 2>&1 &
server=$!
tries=0
until grep -q 'Ready to accept connections' "$out/server.log"; do
	tries=$((tries + 1))
	[ $tries -lt 100 ] || fail "redis-server does not start: see $out/server.log"
	sleep 0.1
done
SYNTRACE_DIR=$trace LD_PRELOAD=$lib redis-benchmark -p "$port" -t set,get -c 30 -n 3000 --csv |
	cut -d, -f1,2 || fail "redis-benchmark"
SYNTRACE_DIR=$trace LD_PRELOAD=$lib redis-cli -p "$port" shutdown nosave
wait "$server"
server=
echo
grep -v '^[0-9]*:[A-Z] ' "$out/server.log" | tail -n 12

heading "2. Contents of the trace" \
	"Every recorded event is accounted for. The coverage line gives the events that were not seen or not explained."
syntrace-decode stat "$trace" | narrow

heading "3. Consistency" \
	"The properties of every correct trace (doc/invariants.md), proved for this trace."
syntrace-decode check "$trace" | awk '/^$/ {exit} {print}' | narrow

heading "4. Waits by object" \
	"The ten objects on which threads waited longest: sockets, mutexes, readiness (epoll)."
syntrace-decode stat --objects --sort=wait --limit=10 "$trace" |
	awk '/^ *OBJECT /, /^$/' | narrow

heading "5. One request, from the client's write through the server and back" \
	"Found by following happens-before edges, without knowledge of the protocol and without annotations." \
	"A stream edge connects the write of some bytes with the read of the same bytes."
FOLLOW_ID=$out/answer sh "$here/follow-request.sh" "$trace" | narrow
[ -s "$out/answer" ] || fail "no request could be followed"

heading "6. The causal graph as pictures" \
	"A node is a leaf task: the execution of a thread between two synchronization points. An arc is a cause." \
	"'all' shows the whole trace, with one node per label. 'request' shows the neighbourhood of the request above."
picture all --no-run-after --limit=40
picture request --around="$(cat "$out/answer")" --limit=40

# One dump of the trace is a trace too: without the dump of the client, a task begins when the server receives a request.
server_dump=$(echo "$trace"/0000.*.dump)
heading "7. The tasks of the server" \
	"A task is work that occurs again and again in the same way, for example a request. A task consists of leaf tasks and" \
	"of other tasks. The decoder finds the tasks in the causal graph, without annotations. The server alone:" "" \
	"  syntrace-decode model $server_dump" "" \
	"The benchmark sends 6,000 requests; most of them are occurrences of the first tasks, which consist of a read and a" \
	"write on a connection. redis passes the connections to its I/O threads by atomic operations, which no trace contains;" \
	"the line 'Hidden hand-offs' says so."
syntrace-decode model --limit=3 "$server_dump" | sed '/^Coverage: /,$d' | narrow
syntrace-decode model --format=svg --limit=5 "$server_dump" >"$out/tasks.svg" || fail "model --format=svg"
printf '  %-40s the same tasks as a picture; a browser shows it\n' "$out/tasks.svg"

heading "8. The requests, and what the threads did for each of them" \
	"The decoder follows each request over threads and programs. 'Cluster' is the kind of the request: equal steps, and" \
	"similar work. 'requests --show=N' prints the steps of one request." "" \
	"  syntrace-decode requests $server_dump"
syntrace-decode requests --limit=3 "$server_dump" | sed '/^For the steps of one request/,$d' | narrow

heading "Next steps" \
	"  syntrace-decode model --task='NAME' $server_dump    one task in detail" \
	"  syntrace-decode diagnose $trace    main findings of all reports" \
	"  syntrace-decode events $trace      every call with its stack" \
	"  syntrace-decode edges $trace       which event happened before which, and why" \
	"  syntrace-decode tasks $trace       leaf tasks" \
	"  man syntrace-decode"
