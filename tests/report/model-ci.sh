#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# The tasks of a baseline in CI, with real servers: 20 unchanged runs of each server, every fourth on a busy machine, have no
# finding. The first finding about each of twelve injected changes names a task and the call path of the change. Only the
# long form (make check-long) runs this test.
#
#   SERVERS=redis NR=5 tests/report/model-ci.sh    # only this server and the programs of ci/, 5 unchanged runs
. "$(dirname "$0")/servers.sh"
[ -n "${SYNTRACE_TEST_LONG:-}${SERVERS:-}" ] || skip "only in the long form"
: "${CC:=cc}" "${NR:=20}"
ci=$top_srcdir/tests/report/ci
nr_runs=0 nr_alarms=0 nr_changes=0 nr_reported=0
patience=600 # the machine is busy

busy()
{
	busy_with=
	for busy_number in 1 2; do
		sh -c 'while :; do :; done' &
		remember
		busy_with="$busy_with $!"
	done
}

rest()
{
	# shellcheck disable=SC2086 # numbers of processes
	kill -KILL $busy_with
	# shellcheck disable=SC2086
	wait $busy_with 2>/dev/null
}

# unchanged NAME COMMAND...: makes NAME.baseline of five runs; the comparison with NR more runs has no finding. COMMAND...
# records a run into the trace that its last argument names.
unchanged()
{
	unchanged_name=$1
	shift
	mkdir -p "$dir/$unchanged_name.before"
	chmod 777 "$dir/$unchanged_name.before" # PostgreSQL does not run as root
	for n in 1 2 3 4 5; do
		"$@" "$unchanged_name.before/$n"
	done
	status 0 "$decode" baseline "$dir/$unchanged_name.before" >"$dir/$unchanged_name.baseline" 2>"$dir/err"
	grep -q '^part	1/task' "$dir/$unchanged_name.baseline" || fail "$unchanged_name: no part has an expected count"
	for n in $(seq "$NR"); do
		[ $((n % 4)) = 0 ] && busy
		"$@" "$unchanged_name.$n"
		[ $((n % 4)) = 0 ] && rest
		nr_runs=$((nr_runs + 1))
		"$decode" check --against="$dir/$unchanged_name.baseline" "$dir/$unchanged_name.$n" >"$dir/report" 2>&1 && continue
		nr_alarms=$((nr_alarms + 1))
		fail "$unchanged_name: a finding in unchanged run $n: $(cat "$dir/report")"
	done
}

# changed WHAT NAME TRACE TASK PATH: the first finding against NAME.baseline is about a task and a call path that match these
# extended regular expressions.
changed()
{
	nr_changes=$((nr_changes + 1))
	"$decode" check --against="$dir/$2.baseline" "$dir/$3" >"$dir/report" 2>"$dir/err"
	changed_status=$?
	# the first finding and its parts as one line
	changed_first=$(awk '/^2\. / { exit } /^1\. / { is_first = 1 }
		is_first { sub(/^ +/, ""); line = line (line == "" ? "" : " ") $0 } END { print line }' "$dir/report")
	if [ $changed_status = 1 ] && echo "$changed_first" | grep -qE " task ($4).* (part|root|at|call) .*($5)"; then
		nr_reported=$((nr_reported + 1))
		echo "$1: $changed_first" | cut -c 1-300
	else
		fail "$1: exit status $changed_status, no first finding with '$4' and '$5': $(cat "$dir/report" "$dir/err")"
	fi
}

record_server()
{
	trace_server "$1" short "$2"
}

# try_server WHAT SERVER TASK PATH: a run of SERVER, with the variables of servers.sh
try_server()
{
	record_server "$2" "$2.changed"
	changed "$1" "$2" "$2.changed" "$3" "$4"
	rm -rf "${dir:?}/$2.changed"
}

for server in ${SERVERS:-$servers}; do
	has_server "$server" || continue
	unchanged "$server" record_server "$server"
	case $server in
	memcached)
		# shellcheck disable=SC2086
		$CC -std=gnu11 -Wall -Wextra -Werror -O2 -g -fPIC -shared -D_GNU_SOURCE -o "$dir/strtoul.so" "$ci/strtoul.c" ||
			fail "strtoul.c: does not compile"
		preload=$dir/strtoul.so
		try_server 'memcached: a lock in each set' memcached '[^ ]*' 'strtoul;(take_another_lock;pthread_mutex_lock|pthread_mutex_unlock)'
		preload=
		;;
	nginx)
		settings_nginx='aio threads;'
		try_server 'nginx: files are read by a pool of threads' nginx '[^ ]*' 'nginx'
		grep -q 'ngx_thread_task_post;ngx_thread_mutex_lock;pthread_mutex_lock' "$dir/report" || fail "nginx: no lock of the pool"
		# shellcheck disable=SC2016 # the variable belongs to nginx
		settings_nginx="location /up/ { alias $dir/nginx/; }
			location / { proxy_pass http://127.0.0.1:\$server_port/up/; }"
		try_server 'nginx: a proxy in between' nginx '[^ ]*' 'nginx'
		grep -q 'ngx_event_connect_peer;connect' "$dir/report" || fail "nginx: no connection of the proxy"
		settings_nginx=
		;;
	redis)
		options_redis='--appendonly yes'
		try_server 'redis: an append-only file' redis '[^ ]*' 'flushAppendOnlyFile;bioPendingJobsOfType;pthread_mutex_(un)?lock'
		options_redis=
		;;
	postgres)
		options_postgres='-c force_parallel_mode=on'
		try_server 'PostgreSQL: each SELECT starts a worker' postgres '.*' '(LaunchParallelWorkers|ExecShutdownGather|fork_process);'
		options_postgres=
		;;
	esac
done

# ---- the programs of ci/ ----

# compile PROGRAM CHANGE
compile()
{
	mkdir -p "$dir/$2"
	# shellcheck disable=SC2086 # a compiler and its options
	$CC -std=gnu11 -Wall -Wextra -Werror -pthread -O2 -g -DCHANGE="$2" -o "$dir/$2/$1" "$ci/$1.c" || fail "$1: does not compile"
}

# record_program PROGRAM CHANGE TRACE
record_program()
{
	timeout -k 5 120 env SYNTRACE_DIR="$dir/$3" LD_PRELOAD="$lib" "$dir/$2/$1" 400 >"$dir/said" 2>&1 ||
		fail "$2/$1: exit status $?: $(cat "$dir/said")"
}

# try_program PROGRAM CHANGE WHAT TASK PATH
try_program()
{
	compile "$1" "$2"
	record_program "$1" "$2" "$1.$2.changed"
	changed "$1: $3" "$1" "$1.$2.changed" "$4" "$5"
}

for program in kinds pools; do
	compile $program 0
	unchanged $program record_program $program 0
done
# the mix of the kinds of jobs varies from run to run
try_program kinds 21 'a leaf doubled in one kind of task' 'get|work with get' 'work;get;look_up;pthread_mutex_lock'
try_program kinds 22 'no journal in one kind of task' '.*set' 'work;set;'
try_program kinds 23 'a lock added to one kind of task' '.*drop' 'work;drop;pthread_mutex_(un)?lock'
try_program pools 24 'a leaf moved to another pool' 'prepare' 'prepare;prepare_job;write_journal;pthread_(mutex_lock|cond_broadcast)'
try_program pools 25 'no broadcast' 'store' 'store;store_job;write_journal;pthread_cond_broadcast'
try_program pools 26 'a message' 'store' '(store;store_job;write|listen_to_reports;read)'
echo "unchanged runs: $nr_runs, false alarms: $nr_alarms; changes: $nr_changes, reported with task and call path: $nr_reported"
finish
