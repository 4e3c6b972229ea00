#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# syntrace-decode critical-path --requests, and critical-path and why with --request, on a server of which it is known
# which function each slow request waits for: with its client in the trace, and without.
. "$(dirname "$0")/../lib.sh"
need python3
program=$top_builddir/tests/report/requests
port=$(free_port)

# TRACE CLIENT...: the server traced into $dir/TRACE, asked by CLIENT.
serve()
{
	serve_trace=$1
	shift
	start "$serve_trace" log "$program" serve "$port"
	server=$started
	# a client that begins its trace at the same moment may have a directory of its own
	within 20 listening "$port" || fail "the server does not listen: $(cat "$dir/log")"
	timeout -k 5 60 "$@" "$program" ask "$port" || fail "the client: exit status $?"
	wait "$server" || fail "the server: exit status $?"
	cat "$dir/log"
	check_trace "$dir/$serve_trace"
	"$decode" critical-path --requests "$dir/$serve_trace" >"$dir/list" || fail "--requests: exit status $?"
	cat "$dir/list"
}

# TRACE N PATTERN...: all of them are in what `why` says about request N.
why()
{
	"$decode" why --request="$2" "$dir/$1" >"$dir/why" || fail "why --request=$2: exit status $?"
	cat "$dir/why"
	unwrap <"$dir/why" >"$dir/sentences"
	why_what="$1: why --request=$2"
	shift 2
	for pattern; do
		grep -qE -- "$pattern" "$dir/sentences" || fail "$why_what: no '$pattern'"
	done
}

# The same of both: ten quick ones, then those that wait.
common()
{
	coverage_is_last "$dir/list" "$1"
	grep -q '^Requests: 15 answered; their durations: p50 .*, p99 .*, max ' "$dir/list" || fail "$1: not 15 are answered"
	grep -q '^Requests that are not counted: 1 closed without an answer; ' "$dir/list" || fail "$1: none is closed"
	grep -qE '^ *11 .* flush_log: in .*flush_log;.*sleep \(.*, blocked on a lock' "$dir/list" || fail "$1: 11 in the list"
	grep -qE '^ *12 .* work_elsewhere: in ' "$dir/list" || fail "$1: 12 in the list"
	why "$1" 11 '^Request 11 from 127\.0\.0\.1:.* took .*\. flush_log took ' \
		'pthread_mutex_lock in write_log of .* waited for mutex:.* until .* pthread_mutex_unlock in flush_log .* released it'
	why "$1" 12 '^Request 12 .* took .*\. work_elsewhere took ' '^The request ends with the answer: .* send in answer of ' \
		' ended .* after .* sendmsg in give of '
	# the process that answers is another one than that which received
	received=$(sed -n 's/.* later, the request is received: \([0-9]*\)\..* recv in .*/\1/p' "$dir/sentences")
	answered=$(sed -n 's/^The request ends with the answer: \([0-9]*\)\..*/\1/p' "$dir/sentences")
	[ -n "$received" ] && [ -n "$answered" ] && [ "$received" != "$answered" ] ||
		fail "$1: 12 was received by process '$received' and answered by process '$answered'"
	why "$1" 13 '^Request 13 .* took .*\. block_the_loop took '
	why "$1" 15 '^The request ends without an answer, .*: .* close in read_request of '
	"$decode" critical-path --request=11 "$dir/$1" >"$dir/path" || fail "--request=11: exit status $?"
	grep -q '^1\. .* flush_log$' "$dir/path" || fail "$1: no flush_log in the path of 11"
	for n in 11 12 14; do
		"$decode" critical-path --request=$n --format=jsonl "$dir/$1" >"$dir/path" || fail "--request=$n as JSON"
		grep -v '"type":"request"' "$dir/path" >"$dir/path.only"
		python3 "$top_srcdir/tests/report/critical-path.py" "$dir/path.only" || fail "$1: the path of $n"
	done
	"$decode" critical-path --requests --all --format=jsonl "$dir/$1" >"$dir/all" || fail "--all: exit status $?"
	python3 - "$dir/all" <<-'END' || fail "$1: see above"
	import json, sys
	lines = [json.loads(line) for line in open(sys.argv[1], encoding="utf-8")]
	assert [line["type"] for line in lines[:2]] == ["coverage", "requests"], lines[:2]
	total, each = lines[1], lines[2:]
	assert total["requests"] == len(each) == 16 and total["counted"] == 15, total
	assert sorted(r["request"] for r in each) == list(range(1, 17)), each
	begins = [r["ts"] for r in sorted(each, key=lambda r: r["request"])]
	assert begins == sorted(begins), begins
	counted = [r["dur"] for r in each if r["counted"]]
	assert counted == sorted(counted, reverse=True), counted
	assert total["max"] - 1 <= counted[0] <= total["max"] + 1 and total["p50"] <= total["p99"] <= total["max"], total
	assert each[-1]["end"] == "closed" and each[-1]["request"] == 15, each[-1]
	END
}

serve alone env
common alone
unwrap <"$dir/list" | grep -q 'The durations begin when a readiness call such as epoll_wait reports the requests' || fail "alone: it is not said when they begin"
why alone 14 '^The request begins when a readiness call such as epoll_wait reports it: .* epoll_wait in serve of ' \
	'may have waited in the socket for up to .*, since .* epoll_wait .*\. block_the_loop took ' \
	'^Meanwhile .* handled .* number 13\.'

serve both env SYNTRACE_DIR="$dir/both" LD_PRELOAD="$lib"
common both
unwrap <"$dir/list" | grep -q 'The durations begin when the clients send the requests\.' || fail "both: it is not said when they begin"
why both 14 '^Request 14 .*\. block_the_loop took ' '^The request begins when its client sends it: .* send in ask of ' \
	' later, the request is received: .* recv in ' '^Meanwhile .* handled .* number 13\.'
"$decode" why --request=slowest "$dir/both" | grep -q '^Request 1[1-4] ' || fail "--request=slowest is none of the slow ones"
"$decode" why --request=slowest:15 "$dir/both" | grep -q '^Request ' || fail "--request=slowest:15"
"$decode" critical-path --requests --limit=1 "$dir/both" | grep -q '^14 more' || fail "--limit"

# What there is not.
status 2 "$decode" why --request=17 "$dir/both" 2>"$dir/err"
grep -q 'there is no request 17: the last request is number 16' "$dir/err" || fail "no message about request 17"
status 2 "$decode" why --request=slowest:16 "$dir/both" 2>/dev/null
for wrong in 0 -1 x slowest: slowest:0 slowestx ''; do
	status 2 "$decode" critical-path --request="$wrong" "$dir/both" 2>/dev/null
done
status 2 "$decode" critical-path --request=1 --to=0.0.1 "$dir/both" 2>/dev/null
status 2 "$decode" critical-path --request=1 --requests "$dir/both" 2>/dev/null
status 2 "$decode" critical-path --all "$dir/both" 2>/dev/null
status 2 "$decode" critical-path --requests --stacks "$dir/both" 2>/dev/null
status 2 "$decode" why --request=1 0.0.1 "$dir/both" 2>/dev/null
env SYNTRACE_DIR="$dir/none" LD_PRELOAD="$lib" "$top_builddir/examples/convoy" healthy >/dev/null || fail "convoy"
status 0 "$decode" critical-path --requests "$dir/none" >"$dir/list"
grep -q '^No request has an answer' "$dir/list" || fail "nothing is said about a trace without requests"
status 0 "$decode" critical-path --requests --format=jsonl "$dir/none" >"$dir/list"
grep -q '"type":"requests","requests":0' "$dir/list" || fail "JSON of a trace without requests"
status 2 "$decode" critical-path --request=slowest "$dir/none" 2>"$dir/err"
grep -q 'there are no requests' "$dir/err" || fail "no message where there are no requests"
finish
