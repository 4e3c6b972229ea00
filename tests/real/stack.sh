# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
# shellcheck shell=sh
#
# For the stacks whose requests have a known truth (truth.py). All servers of a stack are traced into $dir/trace; the
# client is not traced. Only the long form (make check-long) runs them. OUT=DIRECTORY keeps the trace and the logs there.
#
# A test makes three recordings of unchanged servers, each with another load. In a fourth recording, some requests ask for a
# fault (faults.c for memcached). A model of the first recordings must find these requests. SEED=N makes other loads.
#
#   . "$(dirname "$0")/stack.sh"
[ -n "${SYNTRACE_TEST_LONG:-}${OUT:-}" ] || {
	echo "skipped: only in the long form, or with OUT=DIRECTORY"
	exit 77
}
. "$(dirname "$0")/load.sh"
if [ -n "${OUT:-}" ]; then
	[ ! -e "$OUT/0" ] || skip "$OUT/0 exists already"
	mkdir -p "$OUT" && OUT=$(cd "$OUT" && pwd) || exit 99
fi
for bin in /usr/lib/postgresql/*/bin; do :; done
PATH=$PATH:$bin:/usr/sbin:/sbin
need python3 setpriv env
SYNTRACE_MODE=stream
export SYNTRACE_MODE LC_ALL=C
seed=$((${SEED:-1} * 10)) # of the first load
truth=$top_srcdir/tests/real/truth.py
shim=
preload=
servers= # pid:signal of each server, the first to stop first

# PostgreSQL and php-fpm refuse root. The user of all servers must read the library, and write into $dir.
as='env'
user=$(id -un) # memcached needs its name
if [ "$(id -u)" = 0 ]; then
	as='setpriv --reuid=65534 --regid=65534 --clear-groups env'
	user=$(id -un 65534) || skip "no user has the number 65534"
	chown 65534 "$dir"
	chmod 755 "$dir"
	$as test -r "$lib" || skip "$lib cannot be read by another user than root"
fi
cd "$dir" || exit 99
# The user may not reach the source, and php-fpm opens no page whose path has a ".." (make check: build/../tests).
install_sources()
{
	for file in app.py shop.php shop.sql; do
		install -m 644 "$top_srcdir/tests/real/$file" . || exit 99
	done
}
install_sources

# serve NAME SIGNAL CMD...: the server, traced; SIGNAL ends it without an error. $preload: a library that it gets behind the
# recorder, $shim: one before it.
serve()
{
	serve_name=$1 serve_signal=$2
	shift 2
	# shellcheck disable=SC2086 # words
	$as SYNTRACE_DIR="$dir/trace" LD_PRELOAD="${shim:+$shim:}$lib${preload:+:$preload}" "$@" >"$serve_name.log" 2>&1 &
	remember
	servers="$!:$serve_signal $servers"
}

# answers NAME CMD...: waits until CMD succeeds, which shows that the server NAME is ready.
answers()
{
	answers_name=$1
	shift
	within 60 "$@" || {
		cat "$answers_name.log"
		fail "$answers_name does not answer"
		finish
	}
}

# Stops all servers, the last one first.
stop_servers()
{
	for server in $servers; do
		kill -"${server#*:}" "${server%:*}"
		wait "${server%:*}" || fail "a server ended with $? on SIG${server#*:}"
	done
	servers=
}

# serve_postgres FILE: PostgreSQL with these tables at the socket in $dir. It logs each statement with the number of its backend.
serve_postgres()
{
	need initdb postgres psql
	export PGHOST="$dir" PGUSER=me PGDATABASE=postgres PGPORT=5432
	$as initdb -D "$dir/data" -U me -A trust -E UTF8 --locale=C --no-sync >initdb.log 2>&1 || {
		cat initdb.log
		skip "initdb fails"
	}
	cat >data/postgresql.conf <<-CONF
		listen_addresses = ''
		unix_socket_directories = '$dir'
		log_statement = all
		log_min_error_statement = panic
		log_line_prefix = '%p '
		fsync = off
		autovacuum = off
	CONF
	serve postgres INT postgres -D "$dir/data"
	answers postgres grep -q 'ready to accept connections' postgres.log
	psql -q -v ON_ERROR_STOP=1 -f "$1" >psql.log 2>&1 || {
		cat psql.log
		fail "psql fails"
		finish
	}
}

# serve_nginx LINES...: nginx at 127.0.0.1:$port with these lines in its server. Its access log has the bytes of each request.
serve_nginx()
{
	need nginx
	port=$(free_port)
	cat >nginx.conf <<-END
		daemon off;
		worker_processes 2;
		pid $dir/nginx.pid;
		error_log $dir/nginx.error.log;
		events { worker_connections 64; }
		http {
			log_format truth '\$http_x_request \$request_length \$bytes_sent \$upstream_bytes_received \$upstream_bytes_sent';
			access_log $dir/access.log truth;
			keepalive_requests 1000000;
			client_body_temp_path $dir/t1;
			proxy_temp_path $dir/t2;
			fastcgi_temp_path $dir/t3;
			uwsgi_temp_path $dir/t4;
			scgi_temp_path $dir/t5;
			server {
				listen 127.0.0.1:$port;
				root $dir/www;
				$*
			}
		}
	END
	$as nginx -t -q -c "$dir/nginx.conf" -p "$dir" 2>nginx.log || skip "nginx refuses the configuration: $(cat nginx.log)"
	serve nginx QUIT nginx -c "$dir/nginx.conf" -p "$dir"
	answers nginx listening "$port"
}

# load_stack MIX NUMBER CONNECTIONS [SEED FAULT...]: NUMBER requests of the mix; the client's log is client.tsv. Two requests
# ask for each FAULT.
load_stack()
{
	load_mix=$1 load_nr=$2 load_connections=$3
	shift 3
	timeout -k 5 "$patience" python3 "$truth" load "$load_mix" "$port" "$load_nr" "$load_connections" "$@" >client.tsv ||
		fail "the client saw errors"
}

# judge_stack SERVERS [OPTION...]: stops the servers and compares the trace with the logs. SERVERS are those of truth.py; the
# options are those of judge.py.
judge_stack()
{
	judge_servers=$1
	shift
	stop_servers
	if [ -f postgres.log ]; then
		python3 "$truth" queries postgres.log >queries.tsv || fail "the log of PostgreSQL has no truth"
	fi
	judge trace "$@"
	# shellcheck disable=SC2086 # words
	timeout -k 5 "$patience" python3 "$truth" judge "$decode" "$dir" $judge_servers || fail "truth.py finds another truth"
	[ -z "${OUT:-}" ] || {
		keep_into=$OUT/$(ls "$OUT" | wc -l)
		mkdir "$keep_into" && cp -r trace ./*.tsv ./*.log "$keep_into" && echo "kept: $keep_into"
	}
}

# Moves this recording into $dir/unchanged/NUMBER, so that the servers can start again.
put_away()
{
	mkdir -p unchanged && put_into=unchanged/$(ls unchanged | wc -l) && mkdir "$put_into" || exit 99
	find . -mindepth 1 -maxdepth 1 ! -name unchanged -exec mv -t "$put_into" {} +
	install_sources
}

# judge_faults N FAULT=PATTERN...: a model of the recordings that were put away finds each request with a fault, and few of the
# other requests. The output tells whether the step of the departure matches PATTERN, and how many others are findings.
judge_faults()
{
	timeout -k 5 "$patience" "$decode" workload --save=model unchanged/*/trace >workload.log || fail "no model"
	timeout -k 5 "$patience" python3 "$truth" faults "$decode" "$dir" model "$@" || fail "truth.py finds other faults"
}
