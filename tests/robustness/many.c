/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * many WHAT N: runs very many threads or calls. Prints their cost on stderr. WHAT is
 *
 *   threads  N threads at the same time, three events each
 *   short    N threads, four at a time
 *   steady   four threads, N rounds of locks, semaphores and a pipe
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <pthread.h>
#include <semaphore.h>

#include "tests/robustness/need.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t all;
static unsigned long counter;

static long value_of(const char *name)
{
	char line[256];
	long value = -1;
	FILE *f = fopen("/proc/self/status", "r");

	while (f && fgets(line, sizeof(line), f))
		if (!strncmp(line, name, strlen(name)))
			value = atol(line + strlen(name) + 1);
	NEED(f && !fclose(f));
	return value;
}

static long nr_maps(void)
{
	FILE *f = fopen("/proc/self/maps", "r");
	long nr = 0;
	int c;

	NEED(f);
	while ((c = getc(f)) != EOF)
		nr += c == '\n';
	NEED(!fclose(f));
	return nr;
}

static long nr_in(const char *folder)
{
	DIR *d = opendir(folder);
	long nr = 0;

	NEED(d);
	while (readdir(d))
		nr++;
	NEED(!closedir(d));
	return nr;
}

static void *meets(void *arg)
{
	NEED(!pthread_mutex_lock(&mutex));
	counter++;
	NEED(!pthread_mutex_unlock(&mutex));
	pthread_barrier_wait(&all);
	pthread_barrier_wait(&all);
	return arg;
}

static void run_threads(int nr)
{
	pthread_t *t = calloc((size_t)nr, sizeof(*t));
	pthread_attr_t a;

	NEED(t && !pthread_attr_init(&a) && !pthread_attr_setstacksize(&a, 64 << 10));
	NEED(!pthread_barrier_init(&all, NULL, (unsigned)nr + 1));
	for (int i = 0; i < nr; i++) {
		if (pthread_create(&t[i], &a, meets, NULL)) {
			printf("only %d threads\n", i);
			fflush(stdout);
			_exit(77);
		}
	}
	pthread_barrier_wait(&all);
	fprintf(stderr, "rss %ld maps %ld\n", value_of("VmRSS"), nr_maps());
	pthread_barrier_wait(&all);
	for (int i = 0; i < nr; i++)
		NEED(!pthread_join(t[i], NULL));
	printf("counted %lu\n", counter);
	free(t);
}

static void *counts(void *arg)
{
	NEED(!pthread_mutex_lock(&mutex));
	counter++;
	NEED(!pthread_mutex_unlock(&mutex));
	return arg;
}

static void run_short(int nr)
{
	pthread_t t[4];

	for (int i = 0; i < nr; i += 4) {
		for (int k = 0; k < 4; k++)
			NEED(!pthread_create(&t[k], NULL, counts, NULL));
		for (int k = 0; k < 4; k++)
			NEED(!pthread_join(t[k], NULL));
	}
	printf("counted %lu\n", counter);
	fprintf(stderr, "rss %ld maps %ld\n", value_of("VmRSS"), nr_maps());
}

static void *rounds(void *nr)
{
	pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;
	int fds[2];
	sem_t sem;

	NEED(!sem_init(&sem, 0, 0) && !pipe(fds));
	for (int i = 0; i < *(int *)nr; i++) {
		char byte = 'x';

		NEED(!pthread_mutex_lock(&own) && !pthread_mutex_unlock(&own));
		NEED(!sem_post(&sem) && !sem_wait(&sem));
		if (i % 100 == 0)
			NEED(write(fds[1], &byte, 1) == 1 && read(fds[0], &byte, 1) == 1);
	}
	pthread_barrier_wait(&all);
	pthread_barrier_wait(&all);
	NEED(!close(fds[0]) && !close(fds[1]));
	return nr;
}

static void run_steady(int nr)
{
	pthread_t t[4];
	long fds = nr_in("/proc/self/fd"), tasks;

	NEED(!pthread_barrier_init(&all, NULL, 5));
	for (int i = 0; i < 4; i++)
		NEED(!pthread_create(&t[i], NULL, rounds, &nr));
	pthread_barrier_wait(&all);
	tasks = nr_in("/proc/self/task");
	printf("fds %ld tasks %ld\n", nr_in("/proc/self/fd") - fds, tasks);
	fprintf(stderr, "data %ld maps %ld\n", value_of("VmData"), nr_maps());
	pthread_barrier_wait(&all);
	for (int i = 0; i < 4; i++)
		NEED(!pthread_join(t[i], NULL));
}

static const struct mode modes[] = {
	{"threads", run_threads}, {"short", run_short}, {"steady", run_steady}};

MODES_MAIN(modes)
