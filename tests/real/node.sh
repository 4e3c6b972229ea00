#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# An HTTP server in node, which compresses by its thread pool, and a client with connections that it keeps.
. "$(dirname "$0")/load.sh"
need node python3

port=$(free_port)
start both server.log node "$(dirname "$0")/http.js" server "$port"
server=$started
within "$patience" listening "$port" || {
	cat "$dir/server.log"
	fail "the server does not listen"
	finish
}
status 0 env SYNTRACE_DIR="$dir/both" LD_PRELOAD="$lib" node "$(dirname "$0")/http.js" client "$port" "$(load 200 20000)"
kill -TERM "$server"
wait "$server"
server_status=$?
[ $server_status = 0 ] || fail "the server ended with $server_status on SIGTERM"
cat "$dir/server.log"
judge both --images 2 --edges stream=400 --edges connect=4 --edges create=8
finish
