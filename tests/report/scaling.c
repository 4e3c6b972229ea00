/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * scaling NAME NUMBER: programs on which a careless search of the decoder fails, or needs a time that grows with the square of
 * NUMBER.
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define NR_BLOCKED 500u

static unsigned long nr;

/* Between two sleeps, the thread only releases a lock. */
static void release(void)
{
	pthread_mutex_t *all = calloc(nr, sizeof(*all));

	for (unsigned long n = 0; n < nr; n++) {
		pthread_mutex_init(&all[n], NULL);
		pthread_mutex_lock(&all[n]);
	}
	for (unsigned long n = 0; n < nr; n++) {
		usleep(1000);
		pthread_mutex_unlock(&all[n]);
	}
	free(all);
}

/* Each request waits with a new mutex and a new condition variable, until it times out. */
static void request(void)
{
	for (unsigned long n = 0; n < nr; n++) {
		struct timespec past = {.tv_sec = 1};
		pthread_mutex_t mutex;
		pthread_cond_t cond;

		pthread_mutex_init(&mutex, NULL);
		pthread_cond_init(&cond, NULL);
		pthread_mutex_lock(&mutex);
		pthread_cond_timedwait(&cond, &mutex, &past);
		pthread_mutex_unlock(&mutex);
		pthread_cond_destroy(&cond);
		pthread_mutex_destroy(&mutex);
	}
}

static pthread_mutex_t common = PTHREAD_MUTEX_INITIALIZER;

static void *take(void *arg)
{
	pthread_mutex_lock(&common);
	return arg;
}

/* At the end, many threads are blocked on a mutex with many events. */
static void blocked(void)
{
	for (unsigned long n = 0; n < nr; n++) {
		pthread_mutex_lock(&common);
		pthread_mutex_unlock(&common);
	}
	pthread_mutex_lock(&common);
	for (unsigned n = 0; n < NR_BLOCKED; n++) {
		pthread_t thread;

		if (pthread_create(&thread, NULL, take, NULL))
			_exit(2);
	}
	usleep(300000); /* all threads wait then */
	_exit(0);
}

static pthread_cond_t item = PTHREAD_COND_INITIALIZER;
static sem_t taken;
static bool has_item;

/* Takes items, and gives the mutex back only in its waits. */
static void *consume(void *arg)
{
	pthread_mutex_lock(&common);
	for (unsigned long n = 0; n < nr; n++) {
		while (!has_item)
			pthread_cond_wait(&item, &common);
		has_item = false;
		sem_post(&taken);
	}
	pthread_mutex_unlock(&common);
	return arg;
}

static void queue(void)
{
	pthread_t thread;

	sem_init(&taken, 0, 0);
	if (pthread_create(&thread, NULL, consume, NULL))
		_exit(2);
	for (unsigned long n = 0; n < nr; n++) {
		pthread_mutex_lock(&common);
		has_item = true;
		pthread_cond_signal(&item);
		pthread_mutex_unlock(&common);
		sem_wait(&taken);
	}
	pthread_join(thread, NULL);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} all[] = {
		{"release", release}, {"request", request}, {"blocked", blocked}, {"queue", queue}};

	if (argc != 3)
		return 2;
	nr = strtoul(argv[2], NULL, 10);
	for (size_t n = 0; n < sizeof(all) / sizeof(all[0]); n++) {
		if (strcmp(argv[1], all[n].name))
			continue;
		all[n].run();
		return 0;
	}
	return 2;
}
