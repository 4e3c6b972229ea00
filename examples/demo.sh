#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# demo.sh BUILD: records redis-server (with I/O threads) and redis-benchmark, both unmodified, and shows what
# the trace tells.  Takes less than a minute.  ./demo builds, then calls this.
set -u
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "${1:?the build directory}" && pwd)
PATH=$build:$PATH
lib=$build/.libs/libsyntrace.so
port=${DEMO_PORT:-27777}
out=${DEMO_DIR:-$PWD/demo.out}
trace=$out/syntrace.data
unset LD_PRELOAD SYNTRACE_SESSION SYNTRACE_DIR SYNTRACE_MODE SYNTRACE_RING SYNTRACE_MAX_SIZE SYNTRACE_DISABLE
SYNTRACE_CONFIG= # the same for everybody
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

# A heading, and what there is to see below it.
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

# Cuts lines to the terminal, so that tables stay tables.
narrow()
{
	cut -c "1-${COLUMNS:-120}"
}

# picture NAME OPTION...: $out/NAME.svg
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
	"The server under the launcher; the load with nothing but LD_PRELOAD, into the same trace:" "" \
	"  syntrace record -o $trace -- redis-server --io-threads 2 --io-threads-do-reads yes" \
	"  SYNTRACE_DIR=$trace LD_PRELOAD=libsyntrace.so redis-benchmark -t set,get -c 30 -n 3000"
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

heading "2. What is there" \
	"Every recorded event is accounted for; the coverage line says what could not be seen or explained."
syntrace-decode stat "$trace" | narrow

heading "3. Can it be trusted" \
	"What must hold in every trace, proven for this one: doc/invariants.md."
syntrace-decode check "$trace" | awk '/^$/ {exit} {print}' | narrow

heading "4. Who waited for what" \
	"The ten objects on which threads spent most time in calls: sockets, mutexes, readiness."
syntrace-decode stat --objects --sort=wait --limit=10 "$trace" |
	awk '/^ *OBJECT /, /^$/' | narrow

heading "5. One request, from the client's write through the server and back" \
	"Found by following happens-before edges only: no protocol knowledge, no annotation." \
	"A stream edge joins the write of certain bytes with the read of the same bytes."
FOLLOW_ID=$out/answer sh "$here/follow-request.sh" "$trace" | narrow
[ -s "$out/answer" ] || fail "no request could be followed"

heading "6. The same as a picture" \
	"Leaf tasks, which is what a thread does between two synchronization points, and their causal order:" \
	"all of the trace, those of one label taken together, and the neighbourhood of that one request."
picture all --no-run-after --limit=40
picture request --around="$(cat "$out/answer")" --limit=40

heading "Go on" \
	"  syntrace-decode diagnose $trace    what stands out, of all reports" \
	"  syntrace-decode events $trace      every call with its stack" \
	"  syntrace-decode edges $trace       who made whom go on, and why" \
	"  syntrace-decode tasks $trace       leaf tasks" \
	"  man syntrace-decode"
