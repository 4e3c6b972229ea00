#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# redis-server with I/O threads, its load generator and its client, all traced into one directory:
# every byte between them is matched. Then the server alone, preloaded in an empty directory.
. "$(dirname "$0")/load.sh"
need redis-server redis-benchmark redis-cli python3

port=$(free_port)

# redis DIRECTORY-OF-THE-SERVER [VARIABLE=VALUE...]: the server in the background.
redis()
{
	(
		cd "$1" || exit 1
		shift
		exec env "$@" LD_PRELOAD="$lib" redis-server --port "$port" --bind 127.0.0.1 --save '' \
			--appendonly no --io-threads 2 --io-threads-do-reads yes
	) >"$dir/server.log" 2>&1 &
	server=$!
	remember
	within 20 listening "$port" || {
		cat "$dir/server.log"
		fail "redis-server does not listen"
		finish
	}
}

redis "$dir" SYNTRACE_DIR="$dir/both"
status 0 env SYNTRACE_DIR="$dir/both" LD_PRELOAD="$lib" \
	redis-benchmark -p "$port" -t set,get -n "$(load 1000 40000)" -c 30 --csv >"$dir/benchmark"
[ "$(grep -c '^"[SG]ET"' "$dir/benchmark")" = 2 ] ||
	fail "redis-benchmark did not print its results: $(cat "$dir/benchmark")"
status 0 env SYNTRACE_DIR="$dir/both" LD_PRELOAD="$lib" redis-cli -p "$port" shutdown nosave
wait "$server"
server_status=$?
[ $server_status = 0 ] || fail "redis-server ended with $server_status"
cat "$dir/benchmark"
judge_each both --images 3 --edges stream=4000 --edges ready=250 --edges connect=31 --edges create=4 \
	--edges mutex=2

mkdir "$dir/empty"
redis "$dir/empty" LC_ALL=C
status 0 redis-cli -p "$port" set key value >/dev/null
kill -TERM "$server"
wait "$server"
server_status=$?
[ $server_status = 0 ] || fail "redis-server ended with $server_status on SIGTERM"
judge_each empty/syntrace.data --bytes=some
[ "$(find "$dir/empty" -mindepth 1 -maxdepth 1)" = "$dir/empty/syntrace.data" ] ||
	fail "more than the trace was left behind: $(ls -la "$dir/empty")"
finish
