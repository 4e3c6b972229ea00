#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# Inferred hand-offs (syntrace-decode edges --kind=handoff), compared with programs that log which
# thread put and which thread took each item. In a first-in-first-out queue no hand-off may be
# wrong. If the counts are not decisive, there may be none.
. "$(dirname "$0")/../lib.sh"
need python3
here=$top_srcdir/tests/handoff

# NAME OPTION... -- PROGRAM...: traces it, and compares the inferred hand-offs with the log.
try()
{
	try_name=$1 try_options=
	shift
	while [ "$1" != -- ]; do
		try_options="$try_options $1"
		shift
	done
	shift
	timeout -k 5 120 env SYNTRACE_DIR="$dir/$try_name" LD_PRELOAD="$lib" "$@" || {
		try_status=$?
		[ $try_status != 77 ] || return 77
		fail "$try_name: the program's exit status is $try_status"
	}
	look "$try_name"
}

# NAME: checks the requirements in $try_options on the trace.
look()
{
	"$decode" events --no-stacks --format=jsonl "$dir/$1" >"$dir/events" || fail "$1: events"
	"$decode" edges --kind=handoff --format=jsonl "$dir/$1" >"$dir/edges" || fail "$1: edges"
	"$decode" edges --inferred --verify "$dir/$1" >"$dir/out" || fail "$1: $(cat "$dir/out")"
	printf '%s: ' "$1"
	# shellcheck disable=SC2086 # words
	python3 "$here/truth.py" "$dir/events" "$dir/edges" $try_options || fail "$1: see above"
}

${CC:-cc} -O1 -g -I "$here" -o "$dir/pool" "$here/pool.c" -lpthread || exit 99
for how in inside after needed bounded broadcast sem event drain; do
	try pool-$how --precision=1 --recall=1 -- "$dir/pool" $how
done
# Several at once: the numbers do not agree, unless a worker that takes all there is found one only.
try pool-batch --precision=1 -- "$dir/pool" batch
try pool-pairs --none -- "$dir/pool" pairs
# Another order: only an item that was alone in the queue is certain.
try pool-lifo --alone --precision=1 -- "$dir/pool" lifo
try pool-random --alone --precision=1 -- "$dir/pool" random

# Inferred hand-offs make no pair certain, and appear only on request.
"$decode" edges --format=jsonl "$dir/pool-drain" >"$dir/proven" || fail "edges"
! grep -q inferred "$dir/proven" || fail "inferred edges among the others"
[ "$("$decode" edges --inferred --format=jsonl "$dir/pool-drain" | grep -c '"class":"inferred"')" = 300 ] ||
	fail "not 300 inferred edges"
"$decode" edges --kind=handoff --format=jsonl "$dir/pool-drain" |
	sed -n '100s/.*"from":"\([0-9.]*\)","to":"\([0-9.]*\)".*/--from=\1 --to=\2/p' >"$dir/question"
# shellcheck disable=SC2046 # words
"$decode" edges --inferred $(cat "$dir/question") "$dir/pool-drain" >"$dir/answer"
grep -qE '^(yes|perhaps): .* by 1 hand-off' "$dir/answer" || fail "no answer: $(cat "$dir/question" "$dir/answer")"

if command -v "${CXX:-c++}" >/dev/null; then
	${CXX:-c++} -O1 -g -I "$here" -o "$dir/pool++" "$here/pool.cc" -lpthread || exit 99
	try c++ --precision=1 --recall=1 -- "$dir/pool++"
	# Not optimized, the library's own functions stand between the pool and the lock.
	${CXX:-c++} -O0 -g -I "$here" -o "$dir/pool++" "$here/pool.cc" -lpthread || exit 99
	try c++-plain --precision=1 --recall=1 -- "$dir/pool++"
fi

# CPython's locks are semaphores, its interpreter's lock is a mutex with a cond; and its call stacks are all alike.
try python-queue --none -- python3 "$here/queues.py" queue
try python-executor --none -- python3 "$here/queues.py" executor

${CC:-cc} -O1 -g -I "$here" -o "$dir/uv" "$here/uv.c" -ldl || exit 99
# The sections of the first items follow the start of the threads: how many depends on the machine's
# other load.
try libuv --precision=1 --recall=0.5 -- "$dir/uv" || echo "libuv: not installed"

# Its connections go from the thread that accepts to one of four workers.
if command -v memcached >/dev/null && command -v memcslap >/dev/null; then
	port=$(free_port)
	start memcached server.log memcached -u "$(id -un)" -l 127.0.0.1 -p "$port" -U 0 -t 4
	server=$started
	if within 20 listening "$port"; then
		for round in 1 2 3 4 5 6; do
			timeout -k 5 60 memcslap --servers="127.0.0.1:$port" --concurrency=4 --execute-number=10 \
				--initial-load=10 --test=get >"$dir/load.log" || fail "memcslap: round $round"
		done
		kill -TERM "$server"
		wait "$server"
		try_options="--accepts --precision=1 --recall=1"
		look memcached
	else
		cat "$dir/server.log"
		fail "memcached does not listen"
	fi
fi
finish
