/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * A program that sanitizers.sh builds with each sanitizer.  Without an argument it uses threads, locks,
 * condition variables, sockets, pipes, fork and exec correctly, and exits with 3.  With the name of a
 * fault it commits the fault.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define NR_ITEMS 100
#define NR_MESSAGES 50

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static pthread_barrier_t barrier;
static sem_t sem;
static int item, is_done, nr_once, pair[2];
static long sum;

static void run_once(void)
{
	nr_once++;
}

static void *consume(void *arg)
{
	pthread_barrier_wait(&barrier);
	pthread_once(&once, run_once);
	pthread_rwlock_rdlock(&rwlock);
	pthread_rwlock_unlock(&rwlock);
	for (;;) {
		pthread_mutex_lock(&mutex);
		while (!item && !is_done)
			pthread_cond_wait(&changed, &mutex);
		if (!item)
			break;
		sum += item;
		item = 0;
		pthread_cond_broadcast(&changed);
		pthread_mutex_unlock(&mutex);
	}
	pthread_mutex_unlock(&mutex);
	pthread_spin_lock(&spin);
	sum++;
	pthread_spin_unlock(&spin);
	sem_post(&sem);
	return arg;
}

static void *echo(void *arg)
{
	char text[64];
	ssize_t n;

	while ((n = read(pair[1], text, sizeof(text))) > 0) {
		if (write(pair[1], text, (size_t)n) != n)
			abort();
	}
	return arg;
}

static void produce(void)
{
	for (int i = 1; i <= NR_ITEMS; i++) {
		pthread_mutex_lock(&mutex);
		while (item)
			pthread_cond_wait(&changed, &mutex);
		item = i;
		pthread_cond_broadcast(&changed);
		pthread_mutex_unlock(&mutex);
	}
	pthread_mutex_lock(&mutex);
	while (item)
		pthread_cond_wait(&changed, &mutex);
	is_done = 1;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&mutex);
}

/* Forks a child that executes this program again. */
static int child(const char *self, char *text)
{
	int ends[2], status;
	pid_t pid;

	if (pipe(ends) || (pid = fork()) < 0)
		abort();
	if (pid == 0) {
		dup2(ends[1], STDOUT_FILENO);
		execl(self, self, "child", (char *)NULL);
		_exit(99);
	}
	close(ends[1]);
	if (read(ends[0], text, 6) != 6 || waitpid(pid, &status, 0) != pid)
		abort();
	return WEXITSTATUS(status);
}

static int correct(const char *self)
{
	pthread_t threads[3];
	char *text = calloc(1, 64);
	int status;

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) || pthread_barrier_init(&barrier, NULL, 3) ||
	    pthread_spin_init(&spin, 0) || sem_init(&sem, 0, 0))
		abort();
	pthread_create(&threads[0], NULL, consume, NULL);
	pthread_create(&threads[1], NULL, consume, NULL);
	pthread_create(&threads[2], NULL, echo, NULL);
	pthread_barrier_wait(&barrier);
	pthread_once(&once, run_once);
	pthread_rwlock_wrlock(&rwlock);
	pthread_rwlock_unlock(&rwlock);
	produce();
	sem_wait(&sem);
	sem_wait(&sem);
	for (int i = 0; i < NR_MESSAGES; i++) {
		memset(text, 'a' + i % 26, 32);
		if (write(pair[0], text, 64) != 64 || recv(pair[0], text, 64, MSG_WAITALL) != 64)
			abort();
	}
	shutdown(pair[0], SHUT_WR);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	status = child(self, text);
	printf("%ld %s %d %d\n", sum, text, status, nr_once);
	fprintf(stderr, "all\n");
	free(text);
	return 3;
}

/* ---- the faults ---- */

static int raced;

static void *race_now(void *arg)
{
	raced++;
	return arg;
}

static void *race_later(void *arg)
{
	usleep(300000);
	raced++;
	return arg;
}

static void *backwards(void *arg)
{
	pthread_mutex_lock(&other);
	pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
	pthread_mutex_unlock(&other);
	return arg;
}

static void two(void *(*first)(void *), void *(*second)(void *))
{
	pthread_t a, b;

	pthread_create(&a, NULL, first, NULL);
	pthread_create(&b, NULL, second, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
}

static void *overflow(void *arg)
{
	volatile char *p = malloc(100);

	p[100 + (arg != NULL)] = 1;
	free((char *)p);
	return NULL;
}

struct locked {
	pthread_mutex_t mutex;
	char more[60];
};

static struct locked *volatile kept;

/* Leaks memory with a mutex, whose address the recorder's tables contain. */
static void *leak(void *arg)
{
	kept = calloc(1, sizeof(*kept));
	pthread_mutex_lock(&kept->mutex);
	pthread_mutex_unlock(&kept->mutex);
	kept = NULL;
	return arg;
}

static void *uninitialized(void *arg)
{
	volatile char *p = malloc(100);

	if (p[arg != NULL])
		raced++;
	free((char *)p);
	return NULL;
}

static void *undefined(void *arg)
{
	volatile int shift = 40 + (arg != NULL);

	raced = 1 << shift;
	return NULL;
}

static void *idle(void *arg)
{
	return arg;
}

int main(int argc, char **argv)
{
	static const struct fault {
		const char *name;
		void *(*fault)(void *);
	} faults[] = {{"race", race_now},       {"inversion", backwards},
	              {"overflow", overflow},   {"leak", leak},
	              {"undefined", undefined}, {"uninitialized", uninitialized}};

	if (argc < 2)
		return correct(argv[0]);
	if (!strcmp(argv[1], "child"))
		return write(STDOUT_FILENO, "child", 6) == 6 ? 5 : 98;
	if (!strcmp(argv[1], "inversion")) {
		pthread_mutex_lock(&mutex);
		pthread_mutex_lock(&other);
		pthread_mutex_unlock(&other);
		pthread_mutex_unlock(&mutex);
	}
	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
		if (!strcmp(argv[1], faults[i].name)) {
			two(faults[i].fault, faults[i].fault == race_now ? race_later : idle);
			puts("end");
			return 0;
		}
	}
	return 97;
}
