/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * A pool of worker threads, each with a partner thread that it asks over a socket, and ten changes that
 * a commit may make to it. The argument is `healthy` or the name of a change, below. No change affects
 * the output of the program. syntrace-decode diff finds each change by comparing its trace with traces
 * of `changes healthy` (tests/report/diff.sh).
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define NR_WORKERS 4
#define NR_JOBS 400
#define QUEUE_ROOM 16

/* not inlined, so that the function is visible on the call stack */
#define APART __attribute__((noinline))

enum change {
	HEALTHY,
	ADDED_LOCK,
	LOCK_TWICE,
	REMOVED_BROADCAST,
	VANISHED_SIGNAL,
	EXTRA_MESSAGE,
	ROUND_TRIP,
	POLL,
	FD_PER_JOB,
	SERIALISED,
	FORWARDER
};

static const char *const names[] = {
	"healthy",         "added-lock",    "lock-twice", "removed-broadcast",
	"vanished-signal", "extra-message", "round-trip", "poll",
	"fd-per-job",      "serialised",    "forwarder"};

static enum change change;

struct queue {
	pthread_mutex_t lock;
	pthread_cond_t not_empty, not_full;
	int jobs[QUEUE_ROOM];
	unsigned first, nr;
};

static struct queue incoming = {.lock = PTHREAD_MUTEX_INITIALIZER,
                                .not_empty = PTHREAD_COND_INITIALIZER,
                                .not_full = PTHREAD_COND_INITIALIZER};
static struct queue forwarded = {.lock = PTHREAD_MUTEX_INITIALIZER,
                                 .not_empty = PTHREAD_COND_INITIALIZER,
                                 .not_full = PTHREAD_COND_INITIALIZER};
static pthread_mutex_t table = PTHREAD_MUTEX_INITIALIZER, audited = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t progress = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t progressed = PTHREAD_COND_INITIALIZER;
static sem_t lines;
static int sum, nr_audited, nr_done;

static void die(const char *what)
{
	perror(what);
	exit(2);
}

/* ---- the queue: a negative job tells its worker to end ---- */

static APART void put(struct queue *q, int job)
{
	pthread_mutex_lock(&q->lock);
	while (q->nr == QUEUE_ROOM)
		pthread_cond_wait(&q->not_full, &q->lock);
	q->jobs[(q->first + q->nr++) % QUEUE_ROOM] = job;
	pthread_cond_signal(&q->not_empty);
	pthread_mutex_unlock(&q->lock);
}

/* Takes the next job from the queue Q and leaves Q's mutex locked. */
static APART int take(struct queue *q)
{
	int job;

	pthread_mutex_lock(&q->lock);
	while (!q->nr)
		pthread_cond_wait(&q->not_empty, &q->lock);
	job = q->jobs[q->first++ % QUEUE_ROOM];
	q->nr--;
	pthread_cond_signal(&q->not_full);
	return job;
}

/* ---- the steps of a job ---- */

static APART void say(int fd, char what)
{
	if (write(fd, &what, 1) != 1)
		die("write");
}

static APART void ask(int fd)
{
	struct pollfd p = {fd, POLLIN, 0};
	char answer;

	say(fd, '?');
	while (change == POLL && poll(&p, 1, 1) == 0)
		;
	if (read(fd, &answer, 1) != 1)
		die("read");
}

static APART void look_up(int job)
{
	pthread_mutex_lock(&table);
	sum += job;
	pthread_mutex_unlock(&table);
}

static APART void audit(void)
{
	pthread_mutex_lock(&audited);
	nr_audited++;
	pthread_mutex_unlock(&audited);
}

static APART void use_fds(void)
{
	int fds[2];

	if (pipe(fds) < 0)
		die("pipe");
	close(fds[0]);
	close(fds[1]);
}

static APART void log_line(void)
{
	sem_post(&lines);
}

static APART void finish(void)
{
	pthread_mutex_lock(&progress);
	nr_done++;
	if (change != REMOVED_BROADCAST)
		pthread_cond_broadcast(&progressed);
	pthread_mutex_unlock(&progress);
}

static APART void handle(int fd, int job)
{
	look_up(job);
	if (change == LOCK_TWICE)
		look_up(0);
	if (change == ADDED_LOCK)
		audit();
	ask(fd);
	if (change == ROUND_TRIP)
		ask(fd);
	if (change == EXTRA_MESSAGE)
		say(fd, '!');
	if (change == FD_PER_JOB)
		use_fds();
	if (change != VANISHED_SIGNAL)
		log_line();
	finish();
}

/* ---- threads ---- */

static void *answerer(void *fd)
{
	char what;

	while (read((int)(long)fd, &what, 1) == 1)
		if (what == '?' && write((int)(long)fd, "=", 1) != 1)
			die("write");
	close((int)(long)fd);
	return NULL;
}

static void *worker(void *unused)
{
	struct queue *q = change == FORWARDER ? &forwarded : &incoming;
	pthread_t other;
	int fds[2], job;

	(void)unused;
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, fds) < 0 ||
	    pthread_create(&other, NULL, answerer, (void *)(long)fds[1]))
		die("worker");
	for (bool is_last = false; !is_last;) {
		job = take(q);
		is_last = job < 0;
		if (change == SERIALISED && !is_last)
			handle(fds[0], job);
		pthread_mutex_unlock(&q->lock);
		if (change != SERIALISED && !is_last)
			handle(fds[0], job);
	}
	close(fds[0]);
	pthread_join(other, NULL);
	return NULL;
}

static void *forwarder(void *unused)
{
	(void)unused;
	for (int nr_last = 0; nr_last < NR_WORKERS;) {
		int job = take(&incoming);

		pthread_mutex_unlock(&incoming.lock);
		put(&forwarded, job);
		nr_last += job < 0;
	}
	return NULL;
}

static void *logger(void *unused)
{
	int nr = change == VANISHED_SIGNAL ? 0 : NR_JOBS;

	(void)unused;
	while (nr--)
		while (sem_wait(&lines) < 0 && errno == EINTR)
			;
	return NULL;
}

/* Waits until all jobs are done; wakes at least every 50 ms to look at the progress. */
static void *watcher(void *unused)
{
	struct timespec until;

	(void)unused;
	pthread_mutex_lock(&progress);
	while (nr_done < NR_JOBS) {
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_nsec += 50000000;
		until.tv_sec += until.tv_nsec / 1000000000;
		until.tv_nsec %= 1000000000;
		pthread_cond_timedwait(&progressed, &progress, &until);
	}
	pthread_mutex_unlock(&progress);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[NR_WORKERS + 3];
	int nr = 0;

	while (argc == 2 && change <= FORWARDER && strcmp(argv[1], names[change]) != 0)
		change++;
	if (argc != 2 || change > FORWARDER) {
		fprintf(stderr, "usage: changes CHANGE, one of:");
		for (change = HEALTHY; change <= FORWARDER; change++)
			fprintf(stderr, " %s", names[change]);
		fputc('\n', stderr);
		return 2;
	}
	if (sem_init(&lines, 0, 0) < 0)
		die("sem_init");
	pthread_create(&threads[nr++], NULL, logger, NULL);
	pthread_create(&threads[nr++], NULL, watcher, NULL);
	if (change == FORWARDER)
		pthread_create(&threads[nr++], NULL, forwarder, NULL);
	for (int i = 0; i < NR_WORKERS; i++)
		pthread_create(&threads[nr++], NULL, worker, NULL);
	for (int i = 0; i < NR_JOBS; i++)
		put(&incoming, i);
	for (int i = 0; i < NR_WORKERS; i++)
		put(&incoming, -1);
	while (nr)
		pthread_join(threads[--nr], NULL);
	printf("%d\n", sum);
	return 0;
}
