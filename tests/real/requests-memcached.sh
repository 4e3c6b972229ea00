#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# memcached: the client knows the bytes of each request.
. "$(dirname "$0")/stack.sh"
need memcached

# The second server, for the extra query. It is not traced.
FAULT_PORT=$(free_port)
export FAULT_PORT
$as memcached -u "$user" -l 127.0.0.1 -p "$FAULT_PORT" -U 0 -t 1 >stock.log 2>&1 &
remember
within 60 listening "$FAULT_PORT" || skip "the second memcached does not listen"

# shellcheck disable=SC2086 # words of CC
start_stack()
{
	${CC:-cc} -std=gnu11 -Wall -Wextra -Werror -O2 -g -fPIC -shared -D_GNU_SOURCE -o faults.so "$top_srcdir/tests/real/faults.c" \
		-ldl || skip "faults.c does not compile"
	port=$(free_port)
	shim=$dir/faults.so
	serve memcached TERM memcached -u "$user" -l 127.0.0.1 -p "$port" -U 0 -t 2
	shim=
	answers memcached listening "$port"
}

judge_all()
{
	judge_stack "memcached" --images 1 --edges ready=1
}

for run in 1 2 3; do
	start_stack
	load_stack memcached "${LOAD:-4000}" 6 $((seed + run))
	judge_all
	put_away
done
start_stack
load_stack memcached "${LOAD:-4000}" 6 "$seed" read sleep query spin
judge_all
judge_faults 100 read='reload_prices;read$' sleep='back_off;nanosleep$' query='check_stock;' spin='.'
finish
