/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* clang-format off */
/*
 * pool HOW: a queue from two producers to three workers. HOW is
 *
 *   inside     a signal before the unlock           after      a signal behind it
 *   needed     a signal only when a worker waits    bounded    at most four in the queue, two conds
 *   broadcast  a broadcast for each item            sem        a semaphore counts the items
 *   event      an eventfd counts them               drain      the workers end when the queue is empty
 *   lifo       the newest item first                random     a random item
 *   batch      a worker takes all items             pairs      a producer puts in two at once
 *
 * A producer that waits until there is a worker also looks at the queue: it neither puts nor takes.
 */
/* clang-format on */
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/eventfd.h>

#include "mark.h"

#define NR_PRODUCERS 2
#define NR_WORKERS 3
#define NR_ITEMS 150 /* of each producer */
#define BOUND 4

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER, not_full = PTHREAD_COND_INITIALIZER;
static sem_t nr_there;
static int event;
static unsigned items[NR_PRODUCERS * NR_ITEMS + NR_WORKERS], nr, nr_waiting;
static bool is_over;
static const char *how;
static pthread_barrier_t go, begin;

static bool is(const char *what)
{
	return !strcmp(how, what);
}

static void work(unsigned long n)
{
	for (volatile unsigned long i = 0; i < n; i++)
		;
}

static void wake(void)
{
	if (is("broadcast"))
		pthread_cond_broadcast(&not_empty);
	else if (!is("needed") || nr_waiting)
		pthread_cond_signal(&not_empty);
}

static void put(unsigned item)
{
	bool counts = is("sem") || is("event");
	uint64_t one = 1;

	mark_put(item);
	pthread_mutex_lock(&mutex);
	while (is("bounded") && nr == BOUND)
		pthread_cond_wait(&not_full, &mutex);
	items[nr++] = item;
	if (!counts && !is("after"))
		wake();
	pthread_mutex_unlock(&mutex);
	if (is("after"))
		pthread_cond_signal(&not_empty);
	if (is("sem"))
		sem_post(&nr_there);
	if (is("event") && write(event, &one, sizeof(one)) != sizeof(one))
		abort();
}

static void put_two(unsigned item)
{
	mark_put(item);
	mark_put(item + 1);
	pthread_mutex_lock(&mutex);
	items[nr++] = item;
	items[nr++] = item + 1;
	wake();
	pthread_mutex_unlock(&mutex);
}

/* Takes one item out of the queue. The caller holds the mutex. */
static unsigned pick(void)
{
	unsigned at = is("lifo") ? nr - 1 : is("random") ? (nr * 7919) % 5 % nr : 0;
	unsigned item = items[at];

	memmove(items + at, items + at + 1, (--nr - at) * sizeof(*items));
	return item;
}

static bool take(unsigned *item)
{
	uint64_t one;

	if (is("sem"))
		while (sem_wait(&nr_there))
			;
	if (is("event") && read(event, &one, sizeof(one)) != sizeof(one))
		abort();
	pthread_mutex_lock(&mutex);
	while (!nr && !is_over && !is("sem") && !is("event")) {
		nr_waiting++;
		pthread_cond_wait(&not_empty, &mutex);
		nr_waiting--;
	}
	bool has = nr > 0;

	if (has)
		*item = pick();
	while (has && is("batch") && nr)
		mark_taken(pick());
	if (has && is("bounded"))
		pthread_cond_signal(&not_full);
	pthread_mutex_unlock(&mutex);
	return has;
}

/* Waits until a worker waits, because the trace must contain at least one wait of the workers. */
static void wait_for_worker(void)
{
	bool has_one = is("sem") || is("event");

	while (!has_one) {
		pthread_mutex_lock(&mutex);
		has_one = nr_waiting > 0;
		pthread_mutex_unlock(&mutex);
		usleep(500);
	}
}

static void *produce(void *arg)
{
	unsigned first = (unsigned)(uintptr_t)arg * NR_ITEMS;

	pthread_barrier_wait(&go);
	wait_for_worker();
	pthread_barrier_wait(&begin);
	for (unsigned i = first; i < first + NR_ITEMS; i++) {
		if (is("pairs"))
			put_two(i++);
		else
			put(i);
		work(i * 7919 % 3000);
		if (i % 16 == 15) /* every 16th time, the producer lets the queue become empty */
			usleep(1500);
	}
	return NULL;
}

static void *consume(void *arg)
{
	unsigned item;

	pthread_barrier_wait(&go);
	while (take(&item)) {
		mark_taken(item);
		if (is("drain") && item == (unsigned)(uintptr_t)arg % 2 * NR_ITEMS)
			usleep(100000);
		work(item * 104729 % 5000);
	}
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t threads[NR_PRODUCERS + NR_WORKERS];
	uint64_t all = NR_WORKERS;

	how = argc > 1 ? argv[1] : "";
	mark_open();
	sem_init(&nr_there, 0, 0);
	event = eventfd(0, EFD_SEMAPHORE);
	pthread_barrier_init(&go, NULL, NR_PRODUCERS + NR_WORKERS);
	pthread_barrier_init(&begin, NULL, NR_PRODUCERS);
	for (uintptr_t i = 0; i < NR_PRODUCERS + NR_WORKERS; i++)
		if (pthread_create(&threads[i], NULL, i < NR_PRODUCERS ? produce : consume,
		                   (void *)i))
			abort();
	for (int i = 0; i < NR_PRODUCERS; i++)
		pthread_join(threads[i], NULL);
	pthread_mutex_lock(&mutex);
	is_over = true;
	pthread_cond_broadcast(&not_empty);
	pthread_mutex_unlock(&mutex);
	for (int i = 0; i < NR_WORKERS && is("sem"); i++)
		sem_post(&nr_there);
	if (is("event") && write(event, &all, sizeof(all)) != sizeof(all))
		abort();
	for (int i = 0; i < NR_WORKERS; i++)
		pthread_join(threads[NR_PRODUCERS + i], NULL);
	return 0;
}
