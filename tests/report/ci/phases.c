/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Threads that compute in phases, with a barrier after each phase and a table behind a read-write lock. */
#include "ci.h"

#define NR_THREADS (CHANGE == 11 ? 5 : 4)

static pthread_barrier_t barrier;
static pthread_rwlock_t table_lock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_mutex_t sum_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_spinlock_t spin;
static long table[64], sum;
static int load;

static APART long look_up(int at)
{
	long value;

	if (CHANGE == 10)
		pthread_rwlock_wrlock(&table_lock);
	else
		pthread_rwlock_rdlock(&table_lock);
	value = table[at % 64];
	pthread_rwlock_unlock(&table_lock);
	return value;
}

static APART void store(int at, long value)
{
	pthread_rwlock_wrlock(&table_lock);
	table[at % 64] = value;
	pthread_rwlock_unlock(&table_lock);
}

static APART void add_up(long value)
{
	if (CHANGE == 12) {
		pthread_spin_lock(&spin);
		sum += value;
		pthread_spin_unlock(&spin);
		return;
	}
	locked_add(&sum_lock, &sum, value);
}

static void *compute(void *number)
{
	for (int phase = 0; phase < load; phase++) {
		add_up(look_up(phase + (int)(long)number));
		pthread_barrier_wait(&barrier);
		if (CHANGE == 9)
			pthread_barrier_wait(&barrier);
		if (!number)
			store(phase, phase);
		pthread_barrier_wait(&barrier);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[5];

	load = load_of(argc, argv);
	pthread_barrier_init(&barrier, NULL, NR_THREADS);
	pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
	for (long n = 0; n < NR_THREADS; n++)
		start(&threads[n], compute, (void *)n);
	for (int n = 0; n < NR_THREADS; n++)
		pthread_join(threads[n], NULL);
	printf("%ld\n", sum);
	return 0;
}
