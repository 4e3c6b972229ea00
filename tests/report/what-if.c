/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * what-if stages|lock|tail|server [changed]: programs whose time is spent in sleeps, original and
 * changed. tests/report/what-if.sh asks the trace of the original for the effect of the change.
 *
 * stages: three threads in a row. The middle thread is the slowest; changed, it takes half as long.
 * lock: four threads that do most of their work with a lock; changed, there is no lock. tail: four
 * threads that let time pass with a lock, which a tail call releases; changed, it takes half as long. server: a
 * client and a server, both of which work on each request; changed, the server takes a tenth of its
 * time, and so the client is the slower of both.
 */
#include <pthread.h>
#include <semaphore.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline))
#define NR_ITEMS 10
#define NR_THREADS 4
#define NR_ROUNDS 5
#define NR_REQUESTS 8
#define MS 1000u

static int is_changed, nr_refined, nr_answered;

/* ---- stages ---- */

static sem_t made, refined;

NOINLINE static void refine(void)
{
	usleep(is_changed ? 20 * MS : 40 * MS);
	nr_refined++; /* prevents a tail call, so that the function stays on the call stack */
}

static void *make(void *nothing)
{
	for (int i = 0; i < NR_ITEMS; i++) {
		usleep(10 * MS);
		sem_post(&made);
	}
	return nothing;
}

static void *pass_on(void *nothing)
{
	for (int i = 0; i < NR_ITEMS; i++) {
		sem_wait(&made);
		refine();
		sem_post(&refined);
	}
	return nothing;
}

static int stages(void)
{
	pthread_t first, second;

	sem_init(&made, 0, 0);
	sem_init(&refined, 0, 0);
	if (pthread_create(&first, NULL, make, NULL) ||
	    pthread_create(&second, NULL, pass_on, NULL))
		return 1;
	for (int i = 0; i < NR_ITEMS; i++) {
		sem_wait(&refined);
		usleep(10 * MS);
	}
	pthread_join(first, NULL);
	pthread_join(second, NULL);
	return 0;
}

/* ---- lock ---- */

static pthread_mutex_t table = PTHREAD_MUTEX_INITIALIZER;

NOINLINE static void update(void)
{
	if (!is_changed)
		pthread_mutex_lock(&table);
	usleep(20 * MS);
	if (!is_changed)
		pthread_mutex_unlock(&table);
}

static void *work(void *nothing)
{
	for (int i = 0; i < NR_ROUNDS; i++) {
		update();
		usleep(5 * MS);
	}
	return nothing;
}

/* ---- tail ---- */

/* Spends time without a call that syntrace records. */
static void pass_time(unsigned us)
{
	struct timespec time = {0, us * 1000};
#ifdef __x86_64__
	long result;

	__asm__ volatile("syscall"
	                 : "=a"(result)
	                 : "0"((long)SYS_nanosleep), "D"(&time), "S"(NULL)
	                 : "rcx", "r11", "memory");
#else
	struct timespec begin, now;

	clock_gettime(CLOCK_MONOTONIC, &begin);
	do
		clock_gettime(CLOCK_MONOTONIC, &now);
	while ((now.tv_sec - begin.tv_sec) * 1000000000 + now.tv_nsec - begin.tv_nsec <
	       time.tv_nsec);
#endif
}

/* The unlock is a tail call: its call stack does not contain this function. */
NOINLINE static int compute(void)
{
	pthread_mutex_lock(&table);
	pass_time(is_changed ? 10 * MS : 20 * MS);
	return pthread_mutex_unlock(&table);
}

static void *work_in_turn(void *nothing)
{
	for (int i = 0; i < NR_ROUNDS; i++) {
		nr_refined += compute();
		usleep(2 * MS);
	}
	return nothing;
}

static int run_threads(void *(*work_)(void *))
{
	pthread_t threads[NR_THREADS];

	for (int i = 0; i < NR_THREADS; i++)
		if (pthread_create(&threads[i], NULL, work_, NULL))
			return 1;
	for (int i = 0; i < NR_THREADS; i++)
		pthread_join(threads[i], NULL);
	return 0;
}

/* ---- server ---- */

NOINLINE static void answer(void)
{
	usleep(is_changed ? 4 * MS : 40 * MS);
	nr_answered++;
}

static int serve(int fd)
{
	char c;

	while (recv(fd, &c, 1, 0) == 1) {
		answer();
		if (send(fd, &c, 1, 0) != 1)
			return 1;
	}
	return 0;
}

static int server(void)
{
	int fds[2], status = 1;
	char c = 'x';

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, fds))
		return 1;

	pid_t pid = fork();

	if (!pid) {
		close(fds[0]);
		_exit(serve(fds[1]));
	}
	close(fds[1]);
	for (int i = 0; i < NR_REQUESTS; i++) {
		if (send(fds[0], &c, 1, 0) != 1)
			return 1;
		usleep(15 * MS);
		if (recv(fds[0], &c, 1, 0) != 1)
			return 1;
	}
	close(fds[0]);
	return pid < 0 || waitpid(pid, &status, 0) != pid || status;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	is_changed = argc > 2;
	return !strcmp(what, "stages")   ? stages()
	       : !strcmp(what, "lock")   ? run_threads(work)
	       : !strcmp(what, "tail")   ? run_threads(work_in_turn)
	       : !strcmp(what, "server") ? server()
	                                 : 2;
}
