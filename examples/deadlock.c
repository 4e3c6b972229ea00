/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * A deadlock: one thread holds the first lock and waits for the second, the other thread holds the
 * second and waits for the first. A barrier makes sure that both threads hold their first lock before
 * they wait. After a second, main() ends the program with status 3.
 *
 *  SYNTRACE_DIR=deadlock.data LD_PRELOAD=libsyntrace.so ./deadlock syntrace-decode lock-order
 *  deadlock.data
 *
 * Look for the two locks that read_index() and write_index() hold, and wait for, at the end of the
 * trace.  `./deadlock healthy` takes both locks in one order.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline))

static pthread_mutex_t data = PTHREAD_MUTEX_INITIALIZER, index_of_data = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t both;
static atomic_int nr_done;
static int is_healthy;

NOINLINE static void *read_index(void *nothing)
{
	pthread_mutex_lock(&index_of_data);
	if (!is_healthy)
		pthread_barrier_wait(&both);
	pthread_mutex_lock(&data);
	pthread_mutex_unlock(&data);
	pthread_mutex_unlock(&index_of_data);
	nr_done++;
	return nothing;
}

NOINLINE static void *write_index(void *nothing)
{
	pthread_mutex_lock(is_healthy ? &index_of_data : &data);
	if (!is_healthy)
		pthread_barrier_wait(&both);
	pthread_mutex_lock(is_healthy ? &data : &index_of_data);
	pthread_mutex_unlock(&data);
	pthread_mutex_unlock(&index_of_data);
	nr_done++;
	return nothing;
}

int main(int argc, char **argv)
{
	pthread_t threads[2];

	is_healthy = argc > 1 && !strcmp(argv[1], "healthy");
	if (pthread_barrier_init(&both, NULL, 2) ||
	    pthread_create(&threads[0], NULL, read_index, NULL) ||
	    pthread_create(&threads[1], NULL, write_index, NULL))
		return 1;
	for (int i = 0; i < (is_healthy ? 6000 : 100) && nr_done < 2; i++)
		usleep(10000);
	if (nr_done < 2)
		_exit(3);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	return 0;
}
