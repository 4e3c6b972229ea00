/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * churn WHAT N: performs one difficult operation N times, checks the results, and prints them. The output
 * must be the same traced and untraced. WHAT is
 *
 *   pairs     N mutex pairs
 *   forks     N forks while other threads lock: children lock too, and exit with their count
 *   threads   N threads that exist at the same time
 *   short     N threads one after the other, eight at a time
 *   signals   N mutex pairs and semaphore posts under a timer's signal each 100 us; its handler posts
 *   small     N threads of the smallest stack that pthread allows
 *   deep      a recursion of N frames with a mutex pair in each
 *   cancel    N threads cancelled while they wait for a condition variable
 *   files     N files written and pipes used until they are full: deterministic results
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static unsigned long counter;
static volatile int is_over;

static void need(int ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "churn: %s: %s\n", what, strerror(errno));
	_exit(9);
}

static void pair(void)
{
	need(!pthread_mutex_lock(&mutex), "lock");
	counter++;
	need(!pthread_mutex_unlock(&mutex), "unlock");
}

static pthread_t spawn(void *(*body)(void *), size_t stack)
{
	pthread_attr_t attr;
	pthread_t thread;

	pthread_attr_init(&attr);
	if (stack)
		need(!(errno = pthread_attr_setstacksize(&attr, stack)),
		     "pthread_attr_setstacksize");
	need(!(errno = pthread_create(&thread, &attr, body, NULL)), "pthread_create");
	pthread_attr_destroy(&attr);
	return thread;
}

static void join(pthread_t thread, void *expected)
{
	void *got;

	need(!(errno = pthread_join(thread, &got)) && got == expected, "pthread_join");
}

static void *one_pair(void *unused)
{
	pair();
	return unused;
}

static void *pairs(void *unused)
{
	struct timespec t = {0, 100000};

	while (!is_over) {
		pair();
		nanosleep(&t, NULL);
	}
	return unused;
}

/* ---- forks ---- */

static void child(void)
{
	pthread_t t = spawn(one_pair, 0);

	for (int i = 0; i < 10; i++)
		pair();
	join(t, NULL);
	_exit((int)counter);
}

static void forks(int nr)
{
	pthread_t other[2];
	int sum = 0;

	for (int i = 0; i < 2; i++)
		other[i] = spawn(pairs, 0);
	for (int i = 0; i < nr; i++) {
		int status;
		/* The mutex is held across the fork, so that the child's copy of it is consistent. */
		need(!pthread_mutex_lock(&mutex), "lock");

		pid_t pid = fork();

		if (!pid) {
			counter = 0;
			pthread_mutex_unlock(&mutex);
			child();
		}
		pthread_mutex_unlock(&mutex);
		need(pid > 0, "fork");
		need(waitpid(pid, &status, 0) == pid && WIFEXITED(status), "child");
		sum += WEXITSTATUS(status);
	}
	is_over = 1;
	for (int i = 0; i < 2; i++)
		join(other[i], NULL);
	printf("forks %d counted %d\n", nr, sum);
}

/* ---- threads ---- */

static pthread_barrier_t all;

static void *meet(void *unused)
{
	pair();
	pthread_barrier_wait(&all);
	pair();
	return unused;
}

static void threads(int nr, void *(*body)(void *), size_t stack)
{
	pthread_t *t = calloc((size_t)nr, sizeof(*t));

	pthread_barrier_init(&all, NULL, (unsigned)nr + 1);
	for (int i = 0; i < nr; i++)
		t[i] = spawn(body, stack);
	pthread_barrier_wait(&all);
	for (int i = 0; i < nr; i++)
		join(t[i], NULL);
	free(t);
	printf("threads %d counted %lu\n", nr, counter);
}

static void short_lived(int nr)
{
	pthread_t t[8];

	for (int i = 0; i < nr; i += 8) {
		for (int k = 0; k < 8; k++)
			t[k] = spawn(one_pair, 0);
		for (int k = 0; k < 8; k++)
			join(t[k], NULL);
	}
	printf("short-lived threads counted %lu\n", counter);
}

/* ---- signals ---- */

static sem_t sem;
static volatile sig_atomic_t nr_signals;

static void on_timer(int signal)
{
	int saved = errno;

	(void)signal;
	nr_signals++;
	sem_post(&sem);
	errno = saved;
}

static void signals(int nr)
{
	struct sigaction a = {.sa_handler = on_timer, .sa_flags = SA_RESTART};
	struct itimerval every = {{0, 100}, {0, 100}}, never = {0};
	int value;
	long waited = 0;

	sem_init(&sem, 0, 0);
	need(!sigaction(SIGALRM, &a, NULL) && !setitimer(ITIMER_REAL, &every, NULL), "timer");
	for (int i = 0; i < nr; i++) {
		pair();
		sem_post(&sem);
		while (sem_wait(&sem))
			need(errno == EINTR, "sem_wait");
		waited++;
	}
	need(!setitimer(ITIMER_REAL, &never, NULL), "timer");
	sem_getvalue(&sem, &value);
	need(value == nr_signals, "posts by the handler");
	printf("signals: %ld waited, %lu counted\n", waited, counter);
}

/* ---- the others ---- */

static __attribute__((noinline)) int deep(int levels)
{
	volatile int here = levels;

	pair();
	if (levels > 1)
		here += deep(levels - 1);
	return here;
}

static void deepest(int nr)
{
	int sum = deep(nr);

	printf("deep: %d, %lu counted\n", sum, counter);
}

static void unlock(void *m)
{
	pthread_mutex_unlock(m);
}

static void *wait_forever(void *unused)
{
	pthread_mutex_lock(&mutex);
	counter++;
	pthread_cleanup_push(unlock, &mutex);
	for (;;)
		pthread_cond_wait(&cond, &mutex);
	pthread_cleanup_pop(1);
	return unused;
}

static void cancel(int nr)
{
	for (int i = 0; i < nr; i++) {
		pthread_t t = spawn(wait_forever, 0);

		if (i % 2)
			sched_yield();
		pthread_cancel(t);
		join(t, PTHREAD_CANCELED);
		pair(); /* works only if the mutex was released */
	}
	printf("cancelled %d\n", nr);
}

static void files(int nr)
{
	char bytes[4096] = "x";
	int fds[2], whole = 0;

	need(!pipe2(fds, O_CLOEXEC), "pipe");
	for (int i = 0; i < nr; i++) {
		need(write(fds[1], bytes, sizeof(bytes)) == sizeof(bytes), "write");
		whole += read(fds[0], bytes, sizeof(bytes)) == sizeof(bytes);
		pair();
	}
	printf("pipe: %d whole, %lu counted\n", whole, counter);
}

int main(int argc, char **argv)
{
	int nr = argc == 3 ? atoi(argv[2]) : 0;

	if (nr <= 0)
		return 2;
	if (!strcmp(argv[1], "pairs"))
		for (int i = 0; i < nr; i++)
			pair();
	else if (!strcmp(argv[1], "forks"))
		forks(nr);
	else if (!strcmp(argv[1], "threads"))
		threads(nr, meet, 0);
	else if (!strcmp(argv[1], "short"))
		short_lived(nr);
	else if (!strcmp(argv[1], "signals"))
		signals(nr);
	else if (!strcmp(argv[1], "small"))
		threads(nr, meet, PTHREAD_STACK_MIN);
	else if (!strcmp(argv[1], "deep"))
		deepest(nr);
	else if (!strcmp(argv[1], "cancel"))
		cancel(nr);
	else if (!strcmp(argv[1], "files"))
		files(nr);
	else
		return 2;
	return 0;
}
