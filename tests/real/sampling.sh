#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# Samplers on servers (doc/sampling.md): memcached, redis and nginx answer three clients. A trace contains the load without the start
# and the end of the server. Prints the means of RUNS runs (default: 3), with OUT=DIRECTORY also keeps the JSON lines. REQUESTS: the
# requests of a run, in thousands. SERVERS: only these. Only the long form (make check-long) runs this test.
#
# Then the recorder samples the same load. Its traces are compared with the last full one.
#
# TABLE=FILE makes only the table of the paper, with RUNS runs of the recorder, also on PostgreSQL and a JVM. A run of a server
# without syntrace, with a full trace and with each sampler is one line of FILE. Runs that FILE has are not repeated, so the same
# command continues an interrupted one:
#
#   SYNTRACE_TEST_LONG=1 RUNS=10 TABLE=$HOME/table.jsonl make check TESTS=tests/real/sampling.sh SYNTRACE_TEST_SECONDS=36000
. "$(dirname "$0")/load.sh"
[ -n "${SYNTRACE_TEST_LONG:-}" ] || skip "only in the long form"
python=/usr/bin/python3 # python3 may be a script that starts many programs
need $python
verdicts=$top_srcdir/tests/real/sampling.py
samplers=p:0.1,p:0.01,bump:at=root,bump,bump:floor=0,bucket:at=root,bucket
syntrace=$top_builddir/syntrace
sampled=
untraced=
as= # the command that changes the user

start_memcached()
{
	need memcached
	serve memcached -u "$(id -un)" -l 127.0.0.1 -p "$port" -U 0 -t 2
}

start_redis()
{
	need redis-server
	mkdir "$dir/db"
	serve redis-server --port "$port" --bind 127.0.0.1 --dir "$dir/db" --save '' --appendonly yes --appendfsync everysec
}

start_java()
{
	need java javac
	[ -f "$dir/classes/Kinds.class" ] || javac -d "$dir/classes" "$(dirname "$0")/Kinds.java" >"$dir/log" 2>&1 || skip "javac fails: $(cat "$dir/log")"
	mkdir -p "$dir/www"
	serve java -XX:-UsePerfData -Djava.net.preferIPv4Stack=true -cp "$dir/classes" Kinds "$port" "$dir/www"
}

# PostgreSQL does not run as root.
start_postgres()
{
	for bin in /usr/lib/postgresql/*/bin; do :; done
	PATH=$PATH:$bin
	need initdb postgres pgbench
	as=
	if [ "$(id -u)" = 0 ]; then
		need setpriv
		as='setpriv --reuid=65534 --regid=65534 --clear-groups'
		chown 65534 "$dir"
		$as test -r "$lib" || skip "$lib cannot be read by another user than root"
	fi
	[ -d "$dir/data" ] || $as initdb -D "$dir/data" -U me -A trust -E UTF8 --locale=C --no-sync >"$dir/log" 2>&1 || {
		cat "$dir/log"
		skip "initdb fails"
	}
	serve postgres -D "$dir/data" -p "$port" -h 127.0.0.1 -k "$dir" -c fsync=off -c autovacuum=off
}

start_nginx()
{
	need nginx
	mkdir -p "$dir/www/list" "$dir/www/put"
	seq 500 >"$dir/www/index.html"
	head -c 1000000 /dev/zero >"$dir/www/big.bin"
	for n in $(seq 0 19); do
		seq $((n * 100 + 1)) >"$dir/www/$n.txt"
	done
	chmod -R a+rX "$dir"
	cat >"$dir/nginx.conf" <<-END
		daemon off;
		user $(id -un);
		worker_processes 2;
		pid $dir/pid;
		error_log $dir/error.log;
		events { worker_connections 64; }
		http {
			access_log off;
			keepalive_requests 1000000;
			gzip on;
			gzip_types text/plain text/html;
			gzip_min_length 1;
			client_body_temp_path $dir/t1;
			proxy_temp_path $dir/t2;
			fastcgi_temp_path $dir/t3;
			uwsgi_temp_path $dir/t4;
			scgi_temp_path $dir/t5;
			server {
				listen 127.0.0.1:$port;
				root $dir/www;
				location /list { autoindex on; }
				location /forbidden { deny all; }
				location /old { return 301 /index.html; }
				location /put { dav_methods PUT DELETE; }
				location /status { stub_status; }
			}
		}
	END
	nginx -t -q -c "$dir/nginx.conf" -p "$dir" 2>"$dir/log" || skip "nginx refuses the configuration: $(cat "$dir/log")"
	serve nginx -c "$dir/nginx.conf" -p "$dir"
}

# shellcheck disable=SC2086 # words or none
serve()
{
	if [ -n "$untraced" ]; then
		$as "$@" >"$dir/log" 2>&1 &
	else
		$as "$syntrace" record --quiet --stream $paused $sampled -o "$dir/trace" -- "$@" >"$dir/log" 2>&1 &
	fi
	server=$!
	remember
}

# SERVER SEED REQUESTS [COMMAND...]: records the load into $dir/trace. COMMAND runs the clients. With COMMAND, the clients are
# in the trace, and the recording does not pause: a pause hides the edges between clients and server.
record()
{
	record_server=$1 record_seed=$2 record_requests=$3
	shift 3
	paused=--paused
	[ $# = 0 ] || paused=
	rm -rf "$dir/trace" "$dir/db" "$dir/www"
	port=$(free_port)
	"start_$record_server"
	within 20 listening "$port" || {
		cat "$dir/log"
		fail "$record_server does not listen"
		finish
	}
	# the caches of the server are warm
	$python "$verdicts" load "$record_server" "$port" 300 0 >"$dir/log" || fail "see above"
	[ -n "$untraced" ] || [ $# != 0 ] || "$syntrace" resume "$dir/trace" 2>"$dir/log" || fail "resume: exit status $?"
	"$@" $python "$verdicts" load "$record_server" "$port" "$record_requests" "$record_seed" "$server" >"$dir/load" || {
		cat "$dir/load"
		fail "see above"
	}
	cat "$dir/load"
	[ -n "$untraced" ] || [ $# != 0 ] || "$syntrace" pause "$dir/trace" 2>"$dir/log" || fail "pause: exit status $?"
	# the launcher waits for the server
	record_children=$server
	[ -n "$untraced" ] || read -r record_children <"/proc/$server/task/$server/children"
	# shellcheck disable=SC2086 # pids
	kill -TERM $record_children
	wait "$server"
	record_status=$?
	# a JVM ends with 143 on SIGTERM
	[ $record_status = 0 ] || [ "$record_server.$record_status" = java.143 ] || fail "$record_server ended with $record_status"
}

# SERVER RUN: adds a line to $TABLE. Each run begins with another kind of recording.
table_run()
{
	set -- "$1" "$2" untraced full p:0.1 bump bucket
	for _ in $(seq $((($2 - 1) % 5))); do
		first=$3
		table_server=$1 table_number=$2
		shift 3
		set -- "$table_server" "$table_number" "$@" "$first"
	done
	table_server=$1 table_number=$2
	shift 2
	for kind; do
		untraced= sampled= as=
		case $kind in
		untraced) untraced=yes ;;
		full) ;;
		*) sampled=--sample=$kind ;;
		esac
		record "$table_server" "$table_number" "${thousands}000"
		cp "$dir/load" "$dir/load.$kind"
		rm -rf "$dir/traces/$kind"
		mkdir -p "$dir/traces"
		[ -n "$untraced" ] || mv "$dir/trace" "$dir/traces/$kind"
	done
	untraced= sampled=
	$python "$verdicts" line "$table_server" "$table_number" "$decode" "$dir" >"$dir/line" || fail "see above"
	[ $nr_failed != 0 ] || cat "$dir/line" >>"$TABLE"
}

if [ -n "${TABLE:-}" ]; then
	for server_name in ${SERVERS:-memcached redis nginx postgres java}; do
		thousands=60
		[ "$server_name" != redis ] || thousands=200
		[ "$server_name" != postgres ] || thousands=20
		[ "$server_name" != java ] || thousands=20
		thousands=${REQUESTS:-$thousands}
		for run in $(seq "${RUNS:-3}"); do
			! grep -q "\"server\": \"$server_name\", \"run\": $run," "$TABLE" 2>/dev/null || continue
			table_run "$server_name" "$run"
		done
	done
	$python "$verdicts" paper "$TABLE" || fail "see above"
	finish
	exit
fi

for server_name in ${SERVERS:-memcached redis nginx}; do
	files= thousands=60
	[ "$server_name" != redis ] || thousands=200 # they have few events
	thousands=${REQUESTS:-$thousands}
	for run in $(seq "${RUNS:-3}"); do
		record "$server_name" "$run" "${thousands}000"
		timeout -k 5 "$patience" "$decode" sampling --format=jsonl --replay=$samplers --seed="$run" "$dir/trace" 2>"$dir/log" \
			>"$dir/$server_name.$run.jsonl" || fail "sampling: exit status $?"
		files="$files $dir/$server_name.$run.jsonl"
	done
	# shellcheck disable=SC2086 # files
	$python "$verdicts" table "$server_name" $files || fail "see above"
	for sampler in bump bucket; do
		$python "$verdicts" tune "$server_name" "$decode" "$dir/trace" $sampler "$top_srcdir/tests/report/sampling.py" || fail "see above"
	done
	rm -rf "$dir/full"
	mv "$dir/trace" "$dir/full"
	for sampler in p:0.1 bump bucket; do
		sampled=--sample=$sampler
		record "$server_name" "$run" "${thousands}000"
		sampled=
		$python "$verdicts" recorder "$server_name" "$sampler" "$decode" "$dir/trace" "$dir/full" || fail "see above"
	done
	record "$server_name" 1 6000 env SYNTRACE_DIR="$dir/trace" LD_PRELOAD="$lib"
	timeout -k 5 "$patience" "$decode" sampling --format=jsonl \
		--replay=bucket:hops=0,bucket:hops=2,p:0.01,hops=0,p:0.01,hops=2,p:0.01,hops=8 "$dir/trace" 2>"$dir/log" \
		>"$dir/$server_name.marks.jsonl" ||
		fail "sampling: exit status $?"
	$python "$verdicts" marks "$server_name" "$dir/$server_name.marks.jsonl" || fail "see above"
	# A shadow recording contains what the recorder kept. The replay of the same sampler on the same run should keep nearly as much.
	files=
	for sampler in bump bucket p:0.01; do
		export SYNTRACE_SAMPLE=$sampler SYNTRACE_SAMPLE_SHADOW=1
		record "$server_name" 1 "${thousands}000"
		unset SYNTRACE_SAMPLE SYNTRACE_SAMPLE_SHADOW
		for seed in 1 2 3 4 5; do
			timeout -k 5 "$patience" "$decode" sampling --format=jsonl --replay=$sampler --seed=$seed "$dir/trace" 2>"$dir/log" ||
				fail "sampling: exit status $?"
		done >"$dir/$server_name.shadow.$sampler.jsonl"
		files="$files $dir/$server_name.shadow.$sampler.jsonl"
	done
	# shellcheck disable=SC2086 # files
	$python "$verdicts" agree "$server_name" $files || fail "see above"
	[ -z "${OUT:-}" ] || cp "$dir"/*.jsonl "$OUT"
done
finish
