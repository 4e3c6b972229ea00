#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# PostgreSQL: initdb, a server, pgbench with a fixed seed, parallel queries, waits, a deadlock, a dump, and its end.
. "$(dirname "$0")/common.sh"
bin=/usr/lib/postgresql/15/bin
[ -x "$bin/initdb" ] || bin=$(dirname "$(readlink -f "$(command -v initdb)")")
port=$(free_port)
export PGHOST="$PWD" PGPORT="$port" PGUSER=me PGDATABASE=postgres PGCLIENTENCODING=UTF8 PGAPPNAME=x
sql()
{
	$RECORD psql -X -q -At -v ON_ERROR_STOP=0 "$@" 2>&1
}
status $RECORD "$bin/initdb" -D data -U me -A trust -E UTF8 --locale=C --no-instructions |
	grep -v 'selecting default'
cat >>data/postgresql.conf <<CONF
listen_addresses = ''
unix_socket_directories = '$PWD'
port = $port
fsync = off
max_parallel_workers_per_gather = 2
min_parallel_table_scan_size = 0
parallel_setup_cost = 0
parallel_tuple_cost = 0
autovacuum = off
log_line_prefix = ''
CONF
status $RECORD "$bin/pg_ctl" -s -w -t 60 -D data -l log start
server=$(head -n 1 data/postmaster.pid)
# checkpointer, background writer, walwriter, logical replication launcher
until_ok sh -c "[ \$(pgrep -cP $server) = 4 ]"
holds postmaster "$server"
for child in $(pgrep -P "$server"); do
	tr '\0' '\n' <"/proc/$child/cmdline" | head -n 1
done | sort
$RECORD "$bin/pgbench" -i -q -s 2 2>&1 | sed -E 's/[0-9.]+ s//g' | grep -v elapsed | grep -v '^done in'
status $RECORD "$bin/pgbench" -n -c 4 -j 2 -t 50 --random-seed=7 2>&1 | grep -E 'processed|failed|exit'
status $RECORD "$bin/pgbench" -n -S -M prepared -c 4 -j 4 -t 200 --random-seed=7 2>&1 | grep -E 'processed|failed|exit'
sql -c 'select sum(abalance), (select sum(bbalance) from pgbench_branches), (select sum(tbalance) from pgbench_tellers),
	(select sum(delta) from pgbench_history), (select count(*) from pgbench_history) from pgbench_accounts'
sql -c 'select count(*), sum(aid), sum(hashint4(aid)) from pgbench_accounts'
sql -c 'explain (costs off) select count(*) from pgbench_accounts'
sql <<'SQL'
create table t as select i, md5(i::text) m from generate_series(1, 20000) i;
create index on t(m);
create index concurrently on t(i);
vacuum analyze t;
select md5(string_agg(m, ',' order by m)) from t;
select i / 5000, count(*), min(m), max(m) from t group by 1 order by 1;
begin; update t set m = '' where i < 100; savepoint s; delete from t; rollback to s; commit;
select count(*) from t where m = '';
select 1 / 0;
select * from nothing;
set statement_timeout = 200; select pg_sleep(20); reset statement_timeout;
copy (select * from t order by i limit 3) to stdout;
create function f(n int) returns int language plpgsql as $$ begin return n * 2; exception when others then return 0; end $$;
select sum(f(i)) from t;
select pg_advisory_lock(7), pg_try_advisory_lock(7);
select pg_cancel_backend(pg_backend_pid());
SQL
{
	echo 'begin; lock t;'
	until_ok test -e release
	echo 'commit;'
} | sql &
holder=$!
until_ok sh -c "psql -XAtc \"select 'held' from pg_locks where mode = 'AccessExclusiveLock' and relation = 't'::regclass\" | grep held"
sql -c "set lock_timeout = 100" -c 'select count(*) from t'
sql -c "insert into t values (0, 'waited') returning m" &
waiter=$!
until_ok sh -c "psql -XAtc \"select 'waits' from pg_locks where not granted\" | grep waits"
touch release
wait $waiter
wait $holder

# deadlock MINE OTHER: updates the row MINE, then, when both have done so, the row OTHER.
deadlock()
{
	{
		echo "begin; update t set m = 1 where i = $1;"
		echo "\\! touch held$1; for n in \$(seq 300); do [ -e held$2 ] && break; sleep 0.1; done"
		echo "update t set m = 1 where i = $2; commit;"
	} | sql >"deadlock$1" 2>&1
}
deadlock 1 2 &
one=$!
deadlock 2 1
wait $one
cat deadlock1 deadlock2 | grep -c 'deadlock detected'
status $RECORD "$bin/pg_dump" -a -t 'pgbench_[bt]*' | grep -c .
status $RECORD "$bin/pg_ctl" -s -D data reload
sql -c 'checkpoint'
sql -c 'select pg_terminate_backend(pg_backend_pid())' | head -n 1
until_ok sh -c "[ \$(pgrep -cP $server) = 4 ]"
holds postmaster "$server"
status $RECORD "$bin/pg_ctl" -s -w -t 60 -m fast -D data stop
"$bin/pg_controldata" data | grep 'cluster state'
grep -cE 'PANIC|terminated by signal|core' log
true
