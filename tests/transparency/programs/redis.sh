#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# redis-server with I/O threads: commands, transactions, scripts, blocking clients, saving in a forked child, a load.
. "$(dirname "$0")/common.sh"
port=$(free_port)
$RECORD redis-server --port "$port" --bind 127.0.0.1 --dir "$PWD" --io-threads 3 --io-threads-do-reads yes --save '' \
	--appendonly no --enable-debug-command yes >log 2>&1 &
server=$!
until_ok listening "$port"
until_ok grep -q Ready log
holds redis-server $server

cli()
{
	$RECORD redis-cli -p "$port" "$@"
}

{
	for i in $(seq 500); do
		echo "SET key:$i value-$i"
		echo "RPUSH list $i"
		echo "ZADD sorted $((i * 7919 % 503)) member:$i"
		echo "HINCRBY hash f$((i % 17)) $i"
	done
	echo "LRANGE list 0 9"
	echo "ZRANGE sorted 0 9 WITHSCORES"
	echo "HGETALL hash"
	echo "MULTI"
	echo "INCR counter"
	echo "INCRBY counter 41"
	echo "EXEC"
	echo "EVAL 'local s=0; for i=1,1000 do s=s+i end; return s' 0"
	echo "GET nothing"
	echo "INCR list"
} >commands
status cli <commands | md5sum
cli BLPOP waiting 30 >popped &
popper=$!
until_ok sh -c "redis-cli -p $port info clients | grep -q blocked_clients:1"
cli LPUSH waiting pushed
wait $popper
cat popped
cli DEBUG DIGEST
cli SAVE
redis-check-rdb dump.rdb | grep -c 'looks OK'
cli BGSAVE
until_ok sh -c "redis-cli -p $port info persistence | grep -q rdb_bgsave_in_progress:0"
cli CONFIG SET appendonly yes
until_ok sh -c "redis-cli -p $port info persistence | grep -q aof_rewrite_in_progress:0"
cli DEBUG RELOAD
cli DEBUG DIGEST
status $RECORD redis-benchmark -p "$port" -t set,get,lpush,mset -n 2000 -c 20 -P 4 --threads 2 --csv |
	sed 's/,.*//'
cli FLUSHALL
cli DBSIZE
until_ok sh -c "redis-cli -p $port client list | wc -l | grep -qx 1"
holds redis-server $server
cli SHUTDOWN NOSAVE
ended redis-server $server
