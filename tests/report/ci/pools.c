/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Two pools of two threads. Main gives each job to the pool `prepare`, which gives it to the pool `store`. The thread of the
 * second pool writes the journal, and tells all threads that wait for the journal. Main waits for the end of the job.
 *
 *	pools LOAD
 *
 * CHANGE 24: the first pool writes the journal. 25: no thread is told about the journal. 26: the second pool sends a
 * message about each job.
 */
#include <semaphore.h>
#include <sys/socket.h>

#include "ci.h"

#define NR_THREADS 2

static sem_t received, prepared, stored;
static pthread_mutex_t journal = PTHREAD_MUTEX_INITIALIZER, table = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t written = PTHREAD_COND_INITIALIZER;
static int is_over, report[2];
static long entries, rows;

static APART void write_journal(void)
{
	pthread_mutex_lock(&journal);
	entries++;
	if (CHANGE != 25)
		pthread_cond_broadcast(&written);
	pthread_mutex_unlock(&journal);
}

static APART void put_row(void)
{
	pthread_mutex_lock(&table);
	rows++;
	pthread_mutex_unlock(&table);
}

static APART void prepare_job(void)
{
	if (CHANGE == 24)
		write_journal();
	put_row();
	sem_post(&prepared);
}

static APART void store_job(void)
{
	char text = 'x';

	if (CHANGE != 24)
		write_journal();
	put_row();
	if (CHANGE == 26)
		MUST(write(report[1], &text, 1) == 1);
	sem_post(&stored);
}

static void *prepare(void *arg)
{
	for (;;) {
		MUST(sem_wait(&received) == 0);
		if (is_over)
			return arg;
		prepare_job();
	}
}

static void *store(void *arg)
{
	for (;;) {
		MUST(sem_wait(&prepared) == 0);
		if (is_over)
			return arg;
		store_job();
	}
}

/* Receives the messages about the jobs. */
static void *listen_to_reports(void *arg)
{
	char text;

	while (read(report[0], &text, 1) == 1)
		;
	return arg;
}

int main(int argc, char **argv)
{
	int nr = load_of(argc, argv);
	pthread_t threads[2 * NR_THREADS + 1];

	MUST(socketpair(AF_UNIX, SOCK_STREAM, 0, report) == 0);
	sem_init(&received, 0, 0);
	sem_init(&prepared, 0, 0);
	sem_init(&stored, 0, 0);
	for (int i = 0; i < 2 * NR_THREADS; i++)
		start(&threads[i], i < NR_THREADS ? prepare : store, NULL);
	start(&threads[2 * NR_THREADS], listen_to_reports, NULL);
	for (int i = 0; i < nr; i++) {
		sem_post(&received);
		MUST(sem_wait(&stored) == 0);
	}
	is_over = 1;
	for (int i = 0; i < NR_THREADS; i++) {
		sem_post(&received);
		sem_post(&prepared);
	}
	shutdown(report[1], SHUT_WR);
	for (int i = 0; i < 2 * NR_THREADS + 1; i++)
		pthread_join(threads[i], NULL);
	printf("%ld %ld\n", entries, rows);
	return 0;
}
