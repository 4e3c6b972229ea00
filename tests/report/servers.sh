# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
# shellcheck shell=sh
#
# Starts traced servers, each with an untraced client. The clients have the loads 1, 2 and `short` (one to two seconds).
# The long form of the tests of models needs it.
#
#   . "$(dirname "$0")/servers.sh"
#   has_server SERVER && trace_server SERVER LOAD TRACE
#
# These variables change a server: $settings_SERVER (more lines of its configuration), $options_SERVER (more
# arguments), $preload (a library that the server gets beside libsyntrace.so).

. "$(dirname "$0")/lib.sh"
for bin in /usr/lib/postgresql/*/bin; do :; done
PATH=$PATH:$bin
SYNTRACE_MODE=stream
export SYNTRACE_MODE LC_ALL=C
servers='memcached nginx redis postgres'

# Succeeds if the programs of SERVER are installed.
has_server()
{
	case $1 in
	memcached) programs='memcached memcslap' ;;
	nginx) programs='nginx wrk' ;;
	redis) programs='redis-server redis-benchmark redis-cli' ;;
	postgres) programs='postgres pgbench initdb setpriv psql' ;;
	esac
	for program in $programs; do
		command -v "$program" >/dev/null || {
			echo "left out, $program is not installed: $1"
			return 1
		}
	done
}

# Traces SERVER under LOAD into $dir/TRACE.
trace_server()
{
	port=$(free_port) into=$3
	"start_$1" "$2"
}

# run LOAD SERVER CMD...: the server CMD, traced into $dir/SERVER.LOAD, under the function load_SERVER
run()
{
	run_load=$1 run_server=$2
	shift 2
	as=
	# PostgreSQL does not run as root
	[ "$run_server" != postgres ] || [ "$(id -u)" != 0 ] || as='setpriv --reuid=65534 --regid=65534 --clear-groups'
	rm -f "$dir/$run_server.log" # up_postgres reads it
	# shellcheck disable=SC2086 # words
	$as env SYNTRACE_DIR="$dir/$into" LD_PRELOAD="$lib${preload:+ $preload}" "$@" >"$dir/$run_server.log" 2>&1 &
	started=$!
	remember
	if ! within 20 "up_$run_server"; then
		cat "$dir/$run_server.log"
		fail "$run_server does not answer"
		return
	fi
	"load_$run_server" "$run_load" >"$dir/load.log" 2>&1 || fail "$run_server: $(tail -n 3 "$dir/load.log")"
	"stop_$run_server"
	wait "$started" || fail "$run_server: exit status $?"
}
stop() { kill -TERM "$started"; }

up_memcached() { listening "$port"; }
load_memcached()
{
	if [ "$1" = short ]; then
		memcslap --servers="127.0.0.1:$port" --concurrency=2 --execute-number="${gets:-1000}" --initial-load=500 --test=get &&
			memcslap --servers="127.0.0.1:$port" --concurrency=2 --execute-number="${sets:-500}" --initial-load=500 --test=set
		return
	fi
	memcslap --servers="127.0.0.1:$port" --concurrency="$((2 * $1))" --execute-number="$((3000 / $1))" \
		--initial-load=500 --test="$([ "$1" = 1 ] && echo get || echo set)" &&
		memcslap --servers="127.0.0.1:$port" --concurrency="$((2 * $1))" --execute-number="$((1000 * $1))" --initial-load=500 \
			--test="$([ "$1" = 1 ] && echo set || echo get)"
}
stop_memcached() { stop; }
# shellcheck disable=SC2086 # words
start_memcached()
{
	run "$1" memcached memcached -u "$(id -un)" -l 127.0.0.1 -p "$port" -U 0 -t 4 ${options_memcached:-}
}

up_redis() { redis-cli -p "$port" ping 2>/dev/null | grep -q PONG; }
load_redis()
{
	if [ "$1" = short ]; then
		redis-benchmark -p "$port" -t set,get,lpush -n 3000 -c 10 --csv
		return
	fi
	redis-benchmark -p "$port" -t set,get,lpush -n "$((4000 * $1))" -c "$((10 * $1))" --csv
}
stop_redis() { redis-cli -p "$port" shutdown nosave >/dev/null 2>&1; }
# shellcheck disable=SC2086 # words
start_redis()
{
	run "$1" redis redis-server --port "$port" --bind 127.0.0.1 --save '' --appendonly no --dir "$dir" \
		${options_redis:-}
}

up_nginx() { listening "$port"; }
load_nginx()
{
	[ "$1" != short ] || set 1
	wrk -t2 -c"$((4 * $1))" -d"${1}s" "http://127.0.0.1:$port/"
}
stop_nginx() { stop; }
start_nginx()
{
	mkdir -p "$dir/nginx"
	echo hello >"$dir/nginx/index.html"
	cat >"$dir/nginx.conf" <<-END
		daemon off;
		user $(id -un);
		worker_processes 2;
		pid $dir/nginx.pid;
		error_log $dir/nginx.error;
		events { worker_connections 64; }
		http {
			access_log $dir/nginx.access;
			client_body_temp_path $dir/t1;
			proxy_temp_path $dir/t2;
			fastcgi_temp_path $dir/t3;
			uwsgi_temp_path $dir/t4;
			scgi_temp_path $dir/t5;
			server { listen 127.0.0.1:$port; root $dir/nginx; ${settings_nginx:-} }
		}
	END
	run "$1" nginx nginx -c "$dir/nginx.conf" -p "$dir"
}

up_postgres() { grep -qs 'ready to accept connections' "$dir/postgres.log"; }
load_postgres()
{
	# With fewer branches than clients, chance decides which transactions wait for the row of their branch.
	[ "$1" = 2 ] || pgbench -i -q -s 10
	if [ "$1" = short ]; then
		[ -z "${sql:-}" ] || psql -q -c "$sql" || return
		pgbench -n -c 2 -j 2 -t 150 --random-seed=7 && pgbench -n -S -c 2 -t 400
		return
	fi
	pgbench -n -c "$((2 * $1))" -j 2 -t "$((400 / $1))" --random-seed=7 && pgbench -n -S -c "$((2 * $1))" -t "$((500 * $1))"
}
stop_postgres() { kill -INT "$started"; }
# shellcheck disable=SC2086 # words
start_postgres()
{
	PGHOST=$dir PGUSER=me PGDATABASE=postgres
	export PGHOST PGUSER PGDATABASE
	if [ ! -d "$dir/data" ]; then
		as=
		if [ "$(id -u)" = 0 ]; then
			chown 65534 "$dir"
			as='setpriv --reuid=65534 --regid=65534 --clear-groups'
		fi
		# shellcheck disable=SC2086 # words
		$as initdb -D "$dir/data" -U me -A trust -E UTF8 --locale=C --no-sync >"$dir/initdb.log" 2>&1 ||
			fail "initdb: $(cat "$dir/initdb.log")"
		printf "listen_addresses = ''\nunix_socket_directories = '%s'\nfsync = off\nautovacuum = off\n" "$dir" \
			>"$dir/data/postgresql.conf"
	fi
	run "$1" postgres postgres -D "$dir/data" ${options_postgres:-}
}
