#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# follow-request.sh TRACE [CLIENT [SERVER]]: picks one request in the middle of a trace of two processes,
# CLIENT (default redis-benchmark) and SERVER (default redis-server).  Follows its edges to the server and
# back, and prints each step with its call stack.  Shows how to query a trace with jq.
set -u
trace=${1:?a trace}
client=${2:-redis-benchmark}
server=${3:-redis-server}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
SYNTRACE_CONFIG= # no configuration file adds options to the commands below
export SYNTRACE_CONFIG

syntrace-decode stat --objects --format=jsonl "$trace" >"$work/stat" || exit
syntrace-decode edges --kind=stream --kind=ready --format=jsonl "$trace" >"$work/edges" || exit

# The steps, one per line: thread P.T, time in ns, event, text.
jq -r -n --arg client "$client" --arg server "$server" --slurpfile stat "$work/stat" '
	def process: split(".")[0] | tonumber;
	def thread: split(".")[:2] | join(".");
	def image($name):
		first($stat[] | select(.type == "process" and (.command | startswith($name))) | .process);
	def step($what; $id; $time): "\($id | thread) \($time) \($id) \($what)";

	image($client) as $c | image($server) as $s |
	([$stat[] | select(.type == "object" and .kind == "stream")]) as $sockets |
	# The name of the endpoint of the client, for the peer that the server calls $name.
	def other_end($name):
		first($sockets[] | select(.process == $s and .object == $name)) as $e |
		first($sockets[] | select(.process == $c and .local == $e.remote and .remote == $e.local)) | .object;

	[inputs] as $edges |
	[$edges[] | select(.kind == "ready")] as $ready |
	[$edges[] | select(.kind == "stream")] as $stream |
	# A request in the middle of which the server learned through epoll.
	first(
		[$stream[] | select((.from | process) == $c and (.to | process) == $s)] |
		.[(length / 2 | floor):][] as $there |
		first($ready[] | select(.from == $there.from and (.to | thread) == ($there.to | thread))) as $told |
		other_end($there.object) as $mine |
		first($stream[] | select(.object == $mine and .begin > $there.end)) as $back |
		first($ready[] | select(.from == $back.from and (.to | process) == $c)) as $noticed |
		[step("the client sends the request"; $there.from; $there.begin),
		 step("the server learns that there is something to read"; $told.to; $told.end),
		 step("the server reads the request"; $there.to; $there.end),
		 step("the server sends the answer"; $back.from; $back.begin),
		 step("the client learns that there is something to read"; $noticed.to; $noticed.end),
		 step("the client reads the answer"; $back.to; $back.end)]
	)[]' "$work/edges" >"$work/steps" || exit

[ -s "$work/steps" ] || {
	echo "$0: no request from $client to $server and back in $trace" >&2
	exit 1
}
first=
while read -r thread time id what; do
	: "${first:=$time}"
	printf '+%8s us  %s\n' "$(awk -v ns=$((time - first)) 'BEGIN { printf "%.1f", ns / 1000 }')" "$what"
	syntrace-decode events --thread="$thread" --from="$time" --to=$((time + 1)) "$trace" |
		awk -v id="$id" '/^[0-9]/ { on = $2 == id; $1 = "" } on' | sed 's/^ */             /'
	[ -z "${FOLLOW_ID:-}" ] || echo "$id" >"$FOLLOW_ID"
done <"$work/steps"
