# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
# shellcheck shell=sh
#
# Throughput of real servers, traced, under a load that is not traced; the server has one CPU, the load
# the other.  A server has
#
#   server_X_here    succeeds if server and load are installed
#   server_X_title   one line for the table
#   server_X_start   runs it under the current tool, in the foreground
#   server_X_up      succeeds once it answers
#   server_X_load    puts the load on it and prints requests per second
#   server_X_stop    ends it, whatever runs between us and it
#
# Sourced by run.sh.

servers_all="redis memcached nginx"
server_now=
server_pid=
server_cpu=${cpus%,*}
load_cpu=${cpus#*,}

# Succeeds if somebody listens on 127.0.0.1:PORT; makes no connection.
is_listening()
{
	grep -qi "^ *[0-9]*: 0100007F:$(printf %04X "$1") 00000000:0000 0A" /proc/net/tcp
}

: "${BENCH_PORT:=27600}"
while is_listening "$BENCH_PORT"; do
	BENCH_PORT=$((BENCH_PORT + 1))
done

server_redis_here() { command -v redis-server >/dev/null && command -v redis-benchmark >/dev/null; }
server_redis_title() { echo "redis SET, 20 connections, one CPU for both"; }
server_redis_start()
{
	"$(fn "$tool")_run" taskset -c "$server_cpu" redis-server --port "$BENCH_PORT" --bind 127.0.0.1 \
		--save '' --appendonly no --dir "$work"
}
server_redis_up() { redis-cli -p "$BENCH_PORT" ping 2>/dev/null | grep -q PONG; }
server_redis_load()
{
	# On a CPU of its own the load generator would be what limits the throughput.
	taskset -c "$server_cpu" redis-benchmark -p "$BENCH_PORT" -t set -n 50000 -c 20 --csv |
		awk -F'"' '$2 == "SET" { print $4 }'
}
server_redis_stop() { redis-cli -p "$BENCH_PORT" shutdown nosave >/dev/null 2>&1; }

server_memcached_here() { command -v memcached >/dev/null && command -v memcslap >/dev/null; }
server_memcached_title() { echo "memcached -t 2, get, 4 connections"; }
server_memcached_start()
{
	"$(fn "$tool")_run" taskset -c "$server_cpu" memcached -u "$(id -un)" -l 127.0.0.1 -p "$BENCH_PORT" -t 2 \
		-P "$work/memcached.pid"
}
server_memcached_up() { memcping --servers="127.0.0.1:$BENCH_PORT" >/dev/null 2>&1; }
server_memcached_load()
{
	taskset -c "$load_cpu" memcslap --servers="127.0.0.1:$BENCH_PORT" --concurrency=4 \
		--execute-number=10000 --test=get | awk '/^Time to get/ { print 40000 / $(NF - 1) }'
}
server_memcached_stop() { kill "$(cat "$work/memcached.pid")" 2>/dev/null; }

server_nginx_here() { command -v nginx >/dev/null && command -v wrk >/dev/null; }
server_nginx_title() { echo "nginx 1 worker, small file, 16 connections"; }
server_nginx_start()
{
	mkdir -p "$work/nginx"
	echo "hello" >"$work/nginx/index.html"
	cat >"$work/nginx/nginx.conf" <<-END
		daemon off;
		user $(id -un);
		worker_processes 1;
		pid $work/nginx/pid;
		error_log $work/nginx/error.log;
		events { worker_connections 64; }
		http {
			access_log off;
			client_body_temp_path $work/nginx/t1;
			proxy_temp_path $work/nginx/t2;
			fastcgi_temp_path $work/nginx/t3;
			uwsgi_temp_path $work/nginx/t4;
			scgi_temp_path $work/nginx/t5;
			server { listen 127.0.0.1:$BENCH_PORT; root $work/nginx; }
		}
	END
	"$(fn "$tool")_run" taskset -c "$server_cpu" nginx -c "$work/nginx/nginx.conf" -p "$work/nginx"
}
server_nginx_up() { is_listening "$BENCH_PORT"; }
server_nginx_load()
{
	taskset -c "$load_cpu" wrk -t1 -c16 -d1s "http://127.0.0.1:$BENCH_PORT/" |
		awk '/^Requests\/sec/ { print $2 }'
}
server_nginx_stop() { kill -QUIT "$(cat "$work/nginx/pid")" 2>/dev/null; }

# Succeeds while the server, or what runs it, has not ended.
server_runs()
{
	case $(sed 's/.*) //' "/proc/$server_pid/stat" 2>/dev/null) in
	'' | Z*) return 1 ;;
	esac
}

# Ends the server of the round under way, if any.
server_stop()
{
	[ -n "$server_now" ] || return 0
	"server_${server_now}_stop"
	tries=0
	while server_runs && [ $tries -lt 200 ]; do
		tries=$((tries + 1))
		sleep 0.05
	done
	# Whatever does not end when asked is ended, and said.
	if server_runs; then
		echo "$server_now under $tool did not stop" >&2
		# shellcheck disable=SC2046
		kill $(ps -o pid= --ppid "$server_pid") "$server_pid"
	fi
	wait "$server_pid" 2>/dev/null
	server_now=
}

# One round: start, load, stop; prints "SERVER rps <requests a second>".
server_round()
{
	server_now=$1
	"server_$1_start" >"$work/server.log" 2>&1 &
	server_pid=$!
	tries=0
	until "server_$1_up"; do
		tries=$((tries + 1))
		if [ $tries -gt 100 ] || ! server_runs; then
			echo "$1 did not start under $tool:" >&2
			tail -n 3 "$work/server.log" >&2
			server_stop
			return
		fi
		sleep 0.05
	done
	echo "$1 rps $("server_$1_load")"
	server_stop
}
