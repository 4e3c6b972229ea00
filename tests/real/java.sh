#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# A server in a JVM, a thread of a pool for each connection and all results through one queue, and its client in another JVM, with
# threads of its own.
. "$(dirname "$0")/load.sh"
need java javac python3
javac -d "$dir" "$(dirname "$0")/Echo.java" >"$dir/log" 2>&1 || skip "javac fails: $(cat "$dir/log")"

# As `listening` looks for it: by IPv4.
set -- java -XX:-UsePerfData -Djava.net.preferIPv4Stack=true -cp "$dir" Echo
port=$(free_port)
start both server.log "$@" server "$port"
server=$started
within "$patience" listening "$port" || {
	cat "$dir/server.log"
	fail "the server does not listen"
	finish
}
status 0 env SYNTRACE_DIR="$dir/both" LD_PRELOAD="$lib" "$@" client "$port" \
	"$(load 2 8)" "$(load 50 10000)"
wait "$server"
server_status=$?
[ $server_status = 0 ] || fail "the server ended with $server_status"
cat "$dir/server.log"
judge both --images 2 --edges stream=100 --edges connect=2 --edges create=10
finish
