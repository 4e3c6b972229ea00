#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# PostgreSQL and pgbench, preloaded: clients that connect at the same time, backends that are forked, latches (signals, a signalfd and
# epoll).  Every byte is matched, and every acquire has its source or a reason that no trace could do without.
. "$(dirname "$0")/load.sh"
for bin in /usr/lib/postgresql/*/bin; do :; done
PATH=$PATH:$bin
need initdb postgres pgbench python3

# PostgreSQL does not run as root; its user must be able to read the files that it loads.
# shellcheck disable=SC2086
as='env'
if [ "$(id -u)" = 0 ]; then
	need setpriv
	as='setpriv --reuid=65534 --regid=65534 --clear-groups env'
	chown 65534 "$dir"
	$as test -r "$lib" || skip "$lib cannot be read by another user than root"
fi
cd "$dir" || exit 99
export PGHOST="$dir" PGUSER=me PGDATABASE=postgres PGPORT=5432 LC_ALL=C
# shellcheck disable=SC2086
timeout -k 5 "$(load 100 600)" $as SYNTRACE_DIR="$dir/initdb" LD_PRELOAD="$lib" initdb -D "$dir/data" -U me -A trust -E UTF8 --locale=C --no-sync >log 2>&1 || {
	cat log
	skip "initdb fails"
}
cat >data/postgresql.conf <<CONF
listen_addresses = ''
unix_socket_directories = '$dir'
fsync = off
autovacuum = off
CONF

$as SYNTRACE_DIR="$dir/both" LD_PRELOAD="$lib" postgres -D "$dir/data" >server.log 2>&1 &
server=$!
remember
within 60 grep -q 'ready to accept connections' server.log || {
	cat server.log
	fail "postgres does not listen"
	finish
}
# Through files: pipes would be used by stdio.
bench()
{
	timeout -k 5 "$(load 100 600)" $as SYNTRACE_DIR="$dir/both" LD_PRELOAD="$lib" pgbench "$@" >bench 2>&1 ||
		fail "pgbench $*: exit status $?: $(cat bench)"
}
bench -i -q -s 1
bench -n -c 4 -j 2 -t "$(load 10 2500)" --random-seed=7
bench -n -S -M prepared -c 6 -j 6 -t "$(load 25 5000)" --random-seed=7
grep '^number of transactions' bench
kill -INT "$server"
wait "$server"
server_status=$?
[ $server_status = 0 ] || fail "postgres ended with $server_status on SIGINT"
# 4 processes of the server's own, a backend for each of 1 + 5 + 7 connections, 3 times pgbench.
# Only the read that made space in a socket's buffer may be uncertain.
judge_each both --images 17 --edges stream=500 --edges ready=200 --edges connect=13 --edges fork=13 \
	--only KERNEL --only UNCERTAIN
# initdb talks by stdio to the programs that it starts.
test_name=initdb
judge initdb --images 5 --edges fork=2 --edges reap=2 --only UNSEEN_WRITER
finish
