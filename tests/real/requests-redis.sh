#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# nginx, a Python server with a pool of threads (app.py), and redis: each request has exactly its own bytes in each of them.
. "$(dirname "$0")/stack.sh"
python=/usr/bin/python3
need nginx redis-server $python

start_stack()
{
	redis_port=$(free_port)
	serve redis TERM redis-server --port "$redis_port" --bind 127.0.0.1 --save '' --appendonly no
	answers redis listening "$redis_port"
	app_port=$(free_port)
	serve app TERM $python "$dir/app.py" "$app_port" "$redis_port"
	answers app listening "$app_port"
	serve_nginx "location / {
			proxy_pass http://127.0.0.1:$app_port;
		}"
}

judge_all()
{
	judge_stack "nginx python3 redis-server" --images 3 --edges stream=2000
}

for run in 1 2 3; do
	start_stack
	load_stack store "${LOAD:-2000}" 4 $((seed + run))
	judge_all
	put_away
done
start_stack
load_stack store "${LOAD:-2000}" 4 "$seed" read sleep query spin
judge_all
# Functions of CPython: a call of a Python function has no frame of C. The interpreter passes its lock on during the computation.
judge_faults 100 read='_Py_read;read$' sleep=';clock_nanosleep$' query=';send$' spin='_PyEval_EvalFrameDefault;[^;]*;pthread_[^;]*$'
finish
