/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * A small server in one file: a producer passes jobs through a queue (mutex and condition
 * variables) to two workers.  Each worker asks a forked child over a socket, and posts a
 * semaphore when it has the answer.
 *
 *	syntrace record -- ./pipeline 100
 *	syntrace-decode edges --kind=cond --kind=stream --kind=sem syntrace.data
 *
 * Look for cond edges from submit() to take(), stream edges from ask() to answer() and back, and
 * sem edges from work() to main().
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define NR_WORKERS 2
#define ROOM 4

static struct {
	pthread_mutex_t mutex;
	pthread_cond_t filled, emptied;
	int jobs[ROOM];
	int first, nr;
} queue = {.mutex = PTHREAD_MUTEX_INITIALIZER,
           .filled = PTHREAD_COND_INITIALIZER,
           .emptied = PTHREAD_COND_INITIALIZER};

static sem_t done;
static int sockets[NR_WORKERS][2];
static long sums[NR_WORKERS];

static void submit(int job)
{
	pthread_mutex_lock(&queue.mutex);
	while (queue.nr == ROOM)
		pthread_cond_wait(&queue.emptied, &queue.mutex);
	queue.jobs[(queue.first + queue.nr++) % ROOM] = job;
	pthread_cond_signal(&queue.filled);
	pthread_mutex_unlock(&queue.mutex);
}

static int take(void)
{
	int job;

	pthread_mutex_lock(&queue.mutex);
	while (!queue.nr)
		pthread_cond_wait(&queue.filled, &queue.mutex);
	job = queue.jobs[queue.first];
	queue.first = (queue.first + 1) % ROOM;
	queue.nr--;
	pthread_cond_signal(&queue.emptied);
	pthread_mutex_unlock(&queue.mutex);
	return job;
}

/* Runs in the child process: answers each number from the socket with its square. */
static void answer(int fd)
{
	int n;

	while (read(fd, &n, sizeof(n)) == (ssize_t)sizeof(n)) {
		n *= n;
		if (write(fd, &n, sizeof(n)) != (ssize_t)sizeof(n))
			break;
	}
}

static int ask(int fd, int n)
{
	if (write(fd, &n, sizeof(n)) != (ssize_t)sizeof(n) ||
	    read(fd, &n, sizeof(n)) != (ssize_t)sizeof(n))
		abort();
	return n;
}

static void *work(void *arg)
{
	int me = (int)(long)arg, job;

	while ((job = take()) >= 0) {
		sums[me] += ask(sockets[me][0], job);
		sem_post(&done);
	}
	close(sockets[me][0]);
	return NULL;
}

int main(int argc, char **argv)
{
	int nr_jobs = argc > 1 ? atoi(argv[1]) : 20;
	pthread_t workers[NR_WORKERS];
	long sum = 0;

	for (long i = 0; i < NR_WORKERS; i++) {
		if (socketpair(AF_UNIX, SOCK_STREAM, 0, sockets[i]))
			abort();
		if (fork() == 0) {
			for (long j = 0; j <= i; j++)
				close(sockets[j][0]);
			answer(sockets[i][1]);
			_exit(0);
		}
		close(sockets[i][1]);
	}
	sem_init(&done, 0, 0);
	for (long i = 0; i < NR_WORKERS; i++)
		pthread_create(&workers[i], NULL, work, (void *)i);
	for (int i = 1; i <= nr_jobs; i++)
		submit(i);
	for (int i = 0; i < nr_jobs; i++)
		sem_wait(&done);
	for (long i = 0; i < NR_WORKERS; i++)
		submit(-1);
	for (long i = 0; i < NR_WORKERS; i++) {
		pthread_join(workers[i], NULL);
		wait(NULL);
		sum += sums[i];
	}
	printf("%ld\n", sum);
	return 0;
}
