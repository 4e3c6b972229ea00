#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# Python's socketserver with a thread for each connection, and a client with threads and a lock of its own.
. "$(dirname "$0")/load.sh"
python=/usr/bin/python3
need $python

port=$(free_port)
start both server.log $python "$(dirname "$0")/lines.py" server "$port"
server=$started
within 20 listening "$port" || {
	cat "$dir/server.log"
	fail "the server does not listen"
	finish
}
status 0 env SYNTRACE_DIR="$dir/both" LD_PRELOAD="$lib" $python "$(dirname "$0")/lines.py" client "$port" "$(load 4 8)" \
	"$(load 5 25)" "$(load 20 200)"
wait "$server"
server_status=$?
[ $server_status = 0 ] || fail "the server ended with $server_status"
cat "$dir/server.log"
judge_each both --images 2 --edges stream=800 --edges connect=20 --edges create=24 --edges sem=20
finish
