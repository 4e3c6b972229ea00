/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Cases that are hard to draw: rounds of a barrier, which are no event of any thread; a handler
 * that posts inside of a wait and inside of a sleep; and names that are not UTF-8.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define NR_THREADS 3
#define NR_ROUNDS 4

static pthread_barrier_t barrier;
static sem_t posted, awaited;
static volatile sig_atomic_t nr_handled;

static void handle(int sig)
{
	(void)sig;
	sem_post(&posted);
	nr_handled++;
}

static void *meet(void *unused)
{
	pthread_setname_np(pthread_self(), "a\xff\"\\<\n>b");
	for (int n = 0; n < NR_ROUNDS; n++)
		pthread_barrier_wait(&barrier);
	return unused;
}

static void *interrupt(void *target)
{
	const struct timespec while_it_waits = {0, 20000000};

	/* inside of sem_wait, then of the sleep behind it */
	for (int n = 0; n < 2; n++) {
		nanosleep(&while_it_waits, NULL);
		pthread_kill(*(pthread_t *)target, SIGUSR1);
		sem_wait(&posted);
		nanosleep(&while_it_waits, NULL);
		if (!n)
			sem_post(&awaited);
	}
	return NULL;
}

int main(void)
{
	struct sigaction action = {.sa_handler = handle, .sa_flags = SA_RESTART};
	struct timespec left = {0, 50000000};
	pthread_t threads[NR_THREADS], interrupter, self = pthread_self();

	pthread_barrier_init(&barrier, NULL, NR_THREADS);
	sem_init(&posted, 0, 0);
	sem_init(&awaited, 0, 0);
	sigaction(SIGUSR1, &action, NULL);
	for (int n = 0; n < NR_THREADS; n++)
		pthread_create(&threads[n], NULL, meet, NULL);
	for (int n = 0; n < NR_THREADS; n++)
		pthread_join(threads[n], NULL);
	pthread_create(&interrupter, NULL, interrupt, &self);
	while (sem_wait(&awaited))
		;
	while (nr_handled < 2)
		nanosleep(&left, NULL);
	pthread_join(interrupter, NULL);
	return 0;
}
