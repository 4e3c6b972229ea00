/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * A slow consumer: one thread stores readings one by one, more slowly than they come in.  The
 * queue between the two threads is always full, so the thread that takes readings in waits for
 * space.
 *
 *	SYNTRACE_DIR=slow-consumer.data LD_PRELOAD=libsyntrace.so ./slow-consumer
 *	syntrace-decode waits slow-consumer.data
 *
 * Look for put(), whose waits are harmful, and for store(), which causes these waits.
 * `./slow-consumer healthy` stores fast enough.
 */
#include <pthread.h>
#include <semaphore.h>
#include <string.h>
#include <unistd.h>

#define NR_READINGS 100
#define NR_PLACES 20
#define NOINLINE __attribute__((noinline))

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static sem_t room, filled;
static int queue[NR_PLACES], first, nr, sum, is_healthy;

NOINLINE static void put(int reading)
{
	sem_wait(&room);
	pthread_mutex_lock(&mutex);
	queue[(first + nr++) % NR_PLACES] = reading;
	pthread_mutex_unlock(&mutex);
	sem_post(&filled);
}

NOINLINE static int take(void)
{
	sem_wait(&filled);
	pthread_mutex_lock(&mutex);
	int reading = queue[first];

	first = (first + 1) % NR_PLACES;
	nr--;
	pthread_mutex_unlock(&mutex);
	sem_post(&room);
	return reading;
}

/* Stores a reading on a slow medium. The healthy variant simulates a consumer that stores many readings
 * at a time. */
NOINLINE static void store(int reading)
{
	if (!is_healthy)
		usleep(5000);
	sum += reading;
}

static void *consume(void *nothing)
{
	for (int i = 0; i < NR_READINGS; i++)
		store(take());
	return nothing;
}

int main(int argc, char **argv)
{
	pthread_t consumer;

	is_healthy = argc > 1 && !strcmp(argv[1], "healthy");
	sem_init(&room, 0, NR_PLACES);
	sem_init(&filled, 0, 0);
	if (pthread_create(&consumer, NULL, consume, NULL))
		return 1;
	for (int i = 0; i < NR_READINGS; i++) {
		usleep(1000); /* simulates the time until the next reading arrives */
		put(1);
	}
	pthread_join(consumer, NULL);
	return sum != NR_READINGS;
}
