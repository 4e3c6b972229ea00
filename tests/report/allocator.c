/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * A program with its own allocator, which takes its lock only if the cache of the thread is empty or full, as jemalloc
 * does. Threads process items: each item takes and releases one lock, and makes and frees a random number of blocks.
 */
#include <pthread.h>
#include <stdlib.h>

#define NR_ITEMS 100

static pthread_mutex_t arena = PTHREAD_MUTEX_INITIALIZER, table = PTHREAD_MUTEX_INITIALIZER;
static __thread unsigned nr_cached;
static long nr_refills, nr_items;

__attribute__((noinline)) static void *je_malloc(size_t bytes)
{
	if (!nr_cached) {
		pthread_mutex_lock(&arena);
		nr_refills++;
		pthread_mutex_unlock(&arena);
		nr_cached = 8;
	}
	nr_cached--;
	return malloc(bytes);
}

__attribute__((noinline)) static void process_item(unsigned *seed)
{
	pthread_mutex_lock(&table);
	nr_items++;
	pthread_mutex_unlock(&table);
	for (int i = rand_r(seed) % 5; i > 0; i--)
		free(je_malloc(64));
}

static void *work(void *arg)
{
	unsigned seed = (unsigned)(size_t)arg;

	for (int i = 0; i < NR_ITEMS; i++)
		process_item(&seed);
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	for (size_t i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, work, (void *)i);
	for (size_t i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return nr_refills && nr_items == 2 * NR_ITEMS ? 0 : 1;
}
