#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# Requests over three hosts: nginx on web, a Python server with a pool of threads (app.py) on app, and redis on db. Each host has
# a trace of its own. One clock timed all three. With other clocks (tests/lib/rehost), the reports show the same requests.
. "$(dirname "$0")/hosts-lib.sh"
need python3 nginx redis-server
python=$(python3 -c "import sys; print(sys.executable)") # python3 itself may be a script
SYNTRACE_MODE=stream
export SYNTRACE_MODE
servers=
mkdir "$dir/traces"

# serve N HOST CMD...: the server CMD on host N, traced as HOST, in $dir.
serve()
{
	serve_n=$1 serve_host=$2
	shift 2
	nsenter -t "$(holder "$serve_n")" -n --wd="$dir" env SYNTRACE_DIR="$dir/traces/$serve_host" LD_PRELOAD="$lib" \
		"$@" >"$dir/$serve_host.log" 2>&1 &
	remember
	servers="$! $servers"
}

# listens N PORT: succeeds if a process listens at PORT on host N.
listens()
{
	on "$1" grep -qi "^ *[0-9]*: [0-9A-F]*:$(printf %04X "$2") 00000000:0000 0A" /proc/self/net/tcp
}

# ready N HOST PORT
ready()
{
	within 60 listens "$1" "$3" || {
		cat "$dir/$2.log"
		fail "$2 does not listen"
		finish
	}
}

hosts 3
join 1 2
join 2 3
serve 3 db redis-server --port 6379 --bind "$(address 3)" --protected-mode no --save '' --appendonly no
ready 3 db 6379
serve 2 app "$python" "$top_srcdir/tests/real/app.py" "$(address 2):8080" "$(address 3):6379"
ready 2 app 8080
# The namespace has one user, so nginx has one process, which does not change its user.
cat >"$dir/nginx.conf" <<END
daemon off;
user root;
master_process off;
pid $dir/nginx.pid;
error_log $dir/nginx.error.log;
events { worker_connections 64; }
http {
	access_log off;
	keepalive_requests 1000000;
	client_body_temp_path $dir/t1;
	proxy_temp_path $dir/t2;
	fastcgi_temp_path $dir/t3;
	uwsgi_temp_path $dir/t4;
	scgi_temp_path $dir/t5;
	server {
		listen 127.0.0.1:8000;
		location / {
			proxy_pass http://$(address 2):8080;
		}
	}
}
END
serve 1 web nginx -c "$dir/nginx.conf" -p "$dir"
ready 1 web 8000
on 1 timeout -k 5 60 python3 "$top_srcdir/tests/real/truth.py" load store 8000 "${LOAD:-60}" 4 1 >"$dir/client.tsv" ||
	fail "the client saw errors"
for server in $servers; do
	kill -TERM "$server"
	wait "$server" || fail "a server ended with $?"
done
move_clocks "${SEED:-1}" "$dir"/traces/web "$dir"/traces/app "$dir"/traces/db
"$top_builddir/tests/oracle/moved" "$dir"/true/* -- "$dir"/moved/* || fail "moved clocks"

# both INTO VERB [OPTION...]: the JSON lines with the clock of the recording in $dir/true.INTO, those with the moved clocks in
# $dir/moved.INTO.
both()
{
	both_into=$1
	shift
	for both_side in true moved; do
		"$decode" "$@" --format=jsonl "$dir/$both_side"/* >"$dir/$both_side.$both_into" || fail "$*: exit status $?"
	done
}

both requests requests --all
both paths critical-path --requests
both model model
nr=$(wc -l <"$dir/client.tsv")
numbers=$(python3 "$top_srcdir/tests/real/tiers.py" "$dir" "$nr") || fail "see above"
"$decode" report -o "$dir/page.html" "$dir"/moved/* >"$dir/log" || fail "report: exit status $?"
# Requests that pass through all hosts, until hosts waited for each other in one of them.
for number in $numbers; do
	both steps requests --show="$number"
	both path critical-path --request="$number"
	"$decode" requests --show="$number" "$dir"/moved/* | unwrap >"$dir/steps.text"
	rv=0
	python3 "$top_srcdir/tests/real/tiers.py" "$dir" "$nr" "$number" >"$dir/log" || rv=$?
	[ $rv = 3 ] || break
done
[ ${rv:-1} = 0 ] || fail "request $number: exit status $rv"

finish
