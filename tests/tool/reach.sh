#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# syntrace-decode edges, asked about events: whether one event came before another and how, and the
# nearest events.
. "$(dirname "$0")/lib.sh"
tool_need_library

# Main posts `first`; a relay takes it and posts `second`; the last thread takes that. `alone` locks a mutex which
# main locks, too, at the same time.
cat >relay.c <<'END_OF_SOURCE'
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

static sem_t first, second, go;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *relay(void *arg)
{
	sem_wait(&first);
	sem_post(&second);
	return arg;
}

static void *last(void *arg)
{
	sem_wait(&second);
	return arg;
}

static void *alone(void *arg)
{
	sem_wait(&go);
	pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
	return arg;
}

int main(void)
{
	pthread_t threads[3];

	sem_init(&first, 0, 0);
	sem_init(&second, 0, 0);
	sem_init(&go, 0, 0);
	pthread_create(&threads[0], NULL, relay, NULL);
	pthread_create(&threads[1], NULL, last, NULL);
	pthread_create(&threads[2], NULL, alone, NULL);
	sem_post(&go);
	pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
	sem_post(&first);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
END_OF_SOURCE
$CC -O1 -g -o relay relay.c -lpthread || exit 99
timeout -k 5 120 env SYNTRACE_DIR=trace LD_PRELOAD="$(readlink -f "$top_builddir/.libs/libsyntrace.so")" ./relay ||
	bad "the program failed: $?"
decode=$top_builddir/syntrace-decode
"$decode" events --format=jsonl --no-stacks trace >events || bad "events: $?"

# THREAD CALL [N]: prints the id of the N-th event of this call in the thread.
event()
{
	sed -n 's/^{"v":1,"type":"event","id":"\('"$1"'\.[0-9]*\)".*"call":"'"$2"'".*/\1/p' events | sed -n "${3:-1}p"
}

post=$(event 0.0 sem_post 2)
taken=$(event 0.2 sem_wait)

status 0 "$decode" edges --from "$post" --to "$taken" trace
has out "^yes: $post happened before $taken, by 2 hand-offs$"
[ "$(grep -c -e '--> sem, causal, sem:[a-z]' out)" = 2 ] || bad "not two edges of semaphores"
has out "^  [0-9.]+ $post sem_post in main$"
has out "^  [0-9.]+ 0\.1\.[0-9]+ sem_wait in relay$"
has out "^  [0-9.]+ $taken sem_wait in last$"

status 1 "$decode" edges --from "$taken" --to "$post" trace
has out "^no: $post happened before $taken, by 2 hand-offs$"

status 0 "$decode" edges --format=jsonl --from "$post" --to "$taken" trace
[ "$(wc -l <out)" = 1 ] || bad "not one line"
has out '^\{"v":1,"type":"reach","from":"'"$post"'","to":"'"$taken"'","before":"yes","after":"no","handoffs":2,"chain":\['
has out '"kind":"sem","class":"causal","object":"sem:0x[0-9a-f]*#0".*"from_call":"sem_post","from_function":"main"'
has out '"kind":"program".*"events":0,"from_call":"sem_wait","from_function":"relay"'

# A mutex orders by chance: one of two answers, and only when asked for. Making a thread is no chance.
mine=$(event 0.0 pthread_mutex_unlock)
theirs=$(event 0.3 pthread_mutex_lock)
status 1 "$decode" edges --from "$mine" --to "$theirs" trace
has out "^no: $mine and $theirs are concurrent"
"$decode" edges --run-after --from "$mine" --to "$theirs" trace >out
hasnt out concurrent
has out '\.\.> mutex, run-after, mutex:mutex'
status 0 "$decode" edges --from "$(event 0.0 pthread_create 3)" --to "$theirs" trace
has out '^yes: .* by 1 hand-off$'
status 1 "$decode" edges --from "$theirs" --to "$taken" trace

# One event: the later and earlier events of each thread.
status 0 "$decode" edges --reach --from "$post" trace
has out "^[0-9.]+ 0\.1\.[0-9]+ sem_wait in relay, 1 hand-off, by sem$"
has out "^[0-9.]+ $taken sem_wait in last, 2 hand-offs, by sem$"
hasnt out ' 0\.[03]\.'
status 0 "$decode" edges --reach --to "$taken" --format=jsonl trace
has out '^\{"v":1,"type":"nearest","from":"'"$post"'","to":"'"$taken"'","handoffs":2,"kind":"sem",'
[ "$(wc -l <out)" = 2 ] || bad "not two threads led to $taken"

status 2 "$decode" edges --from 0.0.1 --to 0.0.4000000000 trace
has err "no event '0\.0\.4000000000'"
status 2 "$decode" edges --reach trace
status 2 "$decode" edges --reach --from +1 trace
tool_end
