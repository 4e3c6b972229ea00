/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * forks WHAT N: forks in the middle of other work. WHAT is
 *
 *	storm     eight threads lock all the time, one of them forks N times; the children lock, too
 *	handler   a signal's handler forks N times, most of the time inside of the recorder
 *	nested    a child forks a child, N deep; each locks
 *	pages     the cost of N idle children; a forked child begins with copies of pages
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>

#include "tests/robustness/need.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static volatile int is_over;

static void pairs(int nr)
{
	pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;

	for (int i = 0; i < nr; i++)
		NEED(!pthread_mutex_lock(&own) && !pthread_mutex_unlock(&own));
}

static void child(pid_t pid, int locks, int status)
{
	int got;

	NEED(pid >= 0);
	if (!pid) {
		pairs(locks);
		_exit(status);
	}
	NEED(waitpid(pid, &got, 0) == pid && WIFEXITED(got) && WEXITSTATUS(got) == status);
}

/* Locks with pauses in between, so that no event is overwritten even if the forks take long on a loaded
 * machine. */
static void *locks(void *arg)
{
	while (!is_over) {
		for (int i = 0; i < 100; i++) {
			NEED(!pthread_mutex_lock(&mutex) && !pthread_mutex_unlock(&mutex));
			pairs(3);
		}
		usleep(500);
	}
	return arg;
}

static void run_storm(int nr)
{
	pthread_t t[7];

	for (int i = 0; i < 7; i++)
		NEED(!pthread_create(&t[i], NULL, locks, NULL));
	for (int i = 0; i < nr; i++) {
		child(fork(), 10, i % 100);
		pairs(3);
	}
	is_over = 1;
	for (int i = 0; i < 7; i++)
		NEED(!pthread_join(t[i], NULL));
}

static volatile int nr_forks, nr_wanted;

static void on_signal(int number)
{
	int err = errno;

	(void)number;
	if (nr_forks < nr_wanted)
		child(fork(), 3, nr_forks++ % 100);
	errno = err;
}

static void run_handler(int nr)
{
	struct sigaction a = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
	struct itimerval every = {{0, 700}, {0, 700}}, never = {{0, 0}, {0, 0}};

	nr_wanted = nr;
	NEED(!sigaction(SIGALRM, &a, NULL) && !setitimer(ITIMER_REAL, &every, NULL));
	while (nr_forks < nr)
		pairs(10);
	NEED(!setitimer(ITIMER_REAL, &never, NULL));
}

static void run_nested(int nr)
{
	int status;
	pid_t pid;

	pairs(10);
	if (!nr)
		return;
	pid = fork();
	NEED(pid >= 0);
	if (!pid) {
		run_nested(nr - 1);
		_exit(0);
	}
	NEED(waitpid(pid, &status, 0) == pid && status == 0);
	pairs(10);
}

/* maximum number of page faults per child; measured: 19 untraced, about 36 traced */
#define PAGES 200

static void run_pages(int nr)
{
	struct rusage usage;

	for (int i = 0; i < nr; i++)
		child(fork(), 0, 0);
	NEED(!getrusage(RUSAGE_CHILDREN, &usage));
	NEED(usage.ru_minflt < PAGES * (long)nr);
}

static const struct mode modes[] = {{"storm", run_storm},
                                    {"handler", run_handler},
                                    {"nested", run_nested},
                                    {"pages", run_pages}};

MODES_MAIN(modes)
