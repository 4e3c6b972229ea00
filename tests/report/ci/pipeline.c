/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* A pipeline of threads with a bounded queue before each of them. */
#include "ci.h"

#include <semaphore.h>

#define ROOM 8
#define NR_STAGES (CHANGE == 5 ? 4 : 3)

struct queue {
	pthread_mutex_t lock, counted;
	pthread_cond_t changed;
	int items[ROOM];
	unsigned first, nr;
};

static struct queue queues[5];
static sem_t passed;
static int load;

static APART void put(struct queue *q, int item)
{
	pthread_mutex_lock(&q->lock);
	while (q->nr == ROOM)
		pthread_cond_wait(&q->changed, &q->lock);
	q->items[(q->first + q->nr++) % ROOM] = item;
	if (CHANGE == 6)
		pthread_cond_broadcast(&q->changed);
	else
		pthread_cond_signal(&q->changed);
	pthread_mutex_unlock(&q->lock);
}

static APART int take(struct queue *q)
{
	int item;

	pthread_mutex_lock(&q->lock);
	while (!q->nr)
		pthread_cond_wait(&q->changed, &q->lock);
	item = q->items[q->first++ % ROOM];
	q->nr--;
	pthread_cond_signal(&q->changed);
	pthread_mutex_unlock(&q->lock);
	return item;
}

static void *stage(void *number)
{
	struct queue *q = &queues[(long)number];

	for (int item = 0; item >= 0;) {
		item = take(q);
		if (CHANGE == 7)
			pthread_mutex_lock(&q->counted);
		put(q + 1, item < 0 ? item : item + 1);
		if (CHANGE == 7)
			pthread_mutex_unlock(&q->counted);
		if (CHANGE == 8)
			sem_post(&passed);
	}
	return NULL;
}

static void *feed(void *unused)
{
	(void)unused;
	for (int n = 0; n < load; n++)
		put(&queues[0], n);
	put(&queues[0], -1);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[5];
	long sum = 0;

	load = load_of(argc, argv);
	sem_init(&passed, 0, 0);
	for (int n = 0; n < 5; n++) {
		pthread_mutex_init(&queues[n].lock, NULL);
		pthread_mutex_init(&queues[n].counted, NULL);
		pthread_cond_init(&queues[n].changed, NULL);
	}
	for (long n = 0; n < NR_STAGES; n++)
		start(&threads[n], stage, (void *)n);
	start(&threads[NR_STAGES], feed, NULL);
	for (int item; (item = take(&queues[NR_STAGES])) >= 0;)
		sum += item;
	for (int n = 0; n <= NR_STAGES; n++)
		pthread_join(threads[n], NULL);
	printf("%ld\n", sum);
	return 0;
}
