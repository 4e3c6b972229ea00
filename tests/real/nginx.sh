#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# nginx with two worker processes, under wrk.  The workers are followed across fork; the file goes out by
# sendfile.
. "$(dirname "$0")/load.sh"
need nginx wrk python3

port=$(free_port)
mkdir "$dir/www"
seq 1000 >"$dir/www/index.html"
chmod 755 "$dir" "$dir/www"
# The short form limits the requests that wrk makes in a second.
limit='limit_req_zone all zone=all:32k rate=1000r/s; limit_req zone=all burst=100;'
[ -z "${SYNTRACE_TEST_LONG:-}" ] || limit=
cat >"$dir/nginx.conf" <<END
daemon off;
worker_processes 2;
pid $dir/pid;
error_log $dir/error.log;
events { worker_connections 64; }
http {
	access_log off;
	sendfile on;
	$limit
	client_body_temp_path $dir/t1;
	proxy_temp_path $dir/t2;
	fastcgi_temp_path $dir/t3;
	uwsgi_temp_path $dir/t4;
	scgi_temp_path $dir/t5;
	server { listen 127.0.0.1:$port; root $dir/www; }
}
END
nginx -t -q -c "$dir/nginx.conf" -p "$dir" 2>"$dir/log" || skip "nginx refuses the configuration: $(cat "$dir/log")"

start both server.log nginx -c "$dir/nginx.conf" -p "$dir"
server=$started
within 20 listening "$port" || {
	cat "$dir/server.log" "$dir/error.log"
	fail "nginx does not listen"
	finish
}
status 0 env SYNTRACE_DIR="$dir/both" LD_PRELOAD="$lib" wrk -t2 -c8 -d"$(load 1 8)s" "http://127.0.0.1:$port/" >"$dir/wrk"
cat "$dir/wrk"
grep -q 'Non-2xx\|Socket errors' "$dir/wrk" && fail "wrk saw errors"
kill -QUIT "$server"
wait "$server"
server_status=$?
[ $server_status = 0 ] || fail "nginx ended with $server_status on SIGQUIT"
# wrk closes its connections during answers: the last bytes are never received.
judge_each both --images 4 --edges stream=100 --edges ready=100 --edges connect=8 --edges fork=2 --edges create=2
finish
