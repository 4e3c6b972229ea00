#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# memcached with four worker threads and a load generator with two threads of its own.
. "$(dirname "$0")/load.sh"
need memcached memcslap python3

port=$(free_port)
start both server.log memcached -u "$(id -un)" -l 127.0.0.1 -p "$port" -U 0 -t 4
server=$started
within 20 listening "$port" || {
	cat "$dir/server.log"
	fail "memcached does not listen"
	finish
}
status 0 env SYNTRACE_DIR="$dir/both" LD_PRELOAD="$lib" memcslap --servers="127.0.0.1:$port" \
	--concurrency="$(load 2 8)" --execute-number="$(load 500 20000)" --initial-load=500 --test=get
kill -TERM "$server"
wait "$server"
server_status=$?
# Its handler makes the event loop end: the exit status is 0.
[ $server_status = 0 ] || fail "memcached ended with $server_status on SIGTERM"
judge_each both --images 2 --edges stream=1000 --edges ready=300 --edges connect=2 --edges create=6 --edges mutex=100
finish
