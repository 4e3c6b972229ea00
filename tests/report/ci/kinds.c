/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * A server for jobs of three kinds. Each job runs in one of two threads, and main waits for its end. The mix of the kinds
 * varies from run to run, so the counts of locks for each job vary, too. Only the counts for each kind of job tell an
 * unchanged program from a changed one.
 *
 *	kinds LOAD
 *
 * CHANGE 21: a job `get` takes its lock twice. 22: a job `set` writes no journal. 23: a job `drop` counts itself.
 */
#include <semaphore.h>

#include "ci.h"

#define NR_WORKERS 2

enum kind { GET, SET, DROP, END };

static pthread_mutex_t table = PTHREAD_MUTEX_INITIALIZER, journal = PTHREAD_MUTEX_INITIALIZER,
		       numbers = PTHREAD_MUTEX_INITIALIZER, queue = PTHREAD_MUTEX_INITIALIZER;
static sem_t jobs, answers;
static enum kind next;
static long value, entries, drops;

static APART void look_up(void)
{
	pthread_mutex_lock(&table);
	value++;
	pthread_mutex_unlock(&table);
}

static APART void write_journal(void)
{
	pthread_mutex_lock(&journal);
	entries++;
	pthread_mutex_unlock(&journal);
}

static APART void get(void)
{
	look_up();
	if (CHANGE == 21)
		look_up();
	sem_post(&answers);
}

static APART void set(void)
{
	pthread_mutex_lock(&table);
	value = 0;
	pthread_mutex_unlock(&table);
	if (CHANGE != 22)
		write_journal();
	sem_post(&answers);
}

static APART void drop(void)
{
	pthread_mutex_lock(&table);
	value = -1;
	pthread_mutex_unlock(&table);
	write_journal();
	if (CHANGE == 23) {
		pthread_mutex_lock(&numbers);
		drops++;
		pthread_mutex_unlock(&numbers);
	}
	sem_post(&answers);
}

static void *work(void *arg)
{
	(void)arg;
	for (;;) {
		enum kind kind;

		MUST(sem_wait(&jobs) == 0);
		pthread_mutex_lock(&queue);
		kind = next;
		pthread_mutex_unlock(&queue);
		switch (kind) {
		case GET:
			get();
			break;
		case SET:
			set();
			break;
		case DROP:
			drop();
			break;
		default:
			return NULL;
		}
	}
}

static void give(enum kind kind)
{
	pthread_mutex_lock(&queue);
	next = kind;
	pthread_mutex_unlock(&queue);
	sem_post(&jobs);
}

int main(int argc, char **argv)
{
	unsigned nr = (unsigned)load_of(argc, argv), seed = (unsigned)getpid(), mix[2];
	pthread_t threads[NR_WORKERS];

	/* 30 to 70 percent of the jobs are `get`, and 30 to 70 percent of the others are `set`: each kind has more than the
	 * 20 jobs in a run without which its parts have no laws */
	mix[0] = 30 + (unsigned)rand_r(&seed) % 40;
	mix[1] = mix[0] + (100 - mix[0]) * (30 + (unsigned)rand_r(&seed) % 40) / 100;
	sem_init(&jobs, 0, 0);
	sem_init(&answers, 0, 0);
	for (unsigned i = 0; i < NR_WORKERS; i++)
		start(&threads[i], work, NULL);
	for (unsigned i = 0; i < nr; i++) {
		unsigned at = (unsigned)rand_r(&seed) % 100;

		give(at < mix[0] ? GET : at < mix[1] ? SET : DROP);
		MUST(sem_wait(&answers) == 0);
	}
	for (unsigned i = 0; i < NR_WORKERS; i++)
		give(END);
	for (unsigned i = 0; i < NR_WORKERS; i++)
		pthread_join(threads[i], NULL);
	printf("%ld %ld %ld\n", value, entries, drops);
	return 0;
}
