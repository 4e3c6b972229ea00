/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * hangs NAME: a program that hangs in one way, or waits for work like a healthy one. The test kills it. A line on standard
 * output tells that all threads have begun their last call, or will within 100 ms.
 */
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;
static pthread_t main_thread, first, second;
static sem_t sem;
static int to[2], from[2];
static char block[1 << 20];

static void start(void *(*one)(void *), void *(*two)(void *))
{
	pthread_create(&first, NULL, one, NULL);
	if (two)
		pthread_create(&second, NULL, two, NULL);
}

static void ready(void)
{
	puts("ready");
	fflush(stdout);
}

static void finish(void)
{
	pthread_join(first, NULL);
	pthread_join(second, NULL);
}

static void *take_ab(void *x)
{
	pthread_mutex_lock(&a);
	usleep(20000);
	pthread_mutex_lock(&b);
	return x;
}

static void *take_ba(void *x)
{
	pthread_mutex_lock(&b);
	usleep(20000);
	pthread_mutex_lock(&a);
	return x;
}

static void cycle(void)
{
	start(take_ab, take_ba);
	ready();
	finish();
}

static void itself(void)
{
	pthread_mutex_lock(&a);
	ready();
	pthread_mutex_lock(&a);
}

static void *leave_locked(void *x)
{
	pthread_mutex_lock(&a);
	return x;
}

static void ended(void)
{
	start(leave_locked, NULL);
	pthread_join(first, NULL);
	ready();
	pthread_mutex_lock(&a);
}

static void *hold_long(void *x)
{
	pthread_mutex_lock(&a);
	sem_post(&sem);
	usleep(50000);
	pthread_mutex_unlock(&a);
	return x;
}

static void forked(void)
{
	start(hold_long, NULL);
	sem_wait(&sem);
	if (!fork()) {
		pthread_mutex_lock(&a);
		_exit(0);
	}
	ready();
	wait(NULL);
}

/* Two processes write more than the pipes hold, and read only afterwards. */
static void pipes(void)
{
	pipe(to);
	pipe(from);
	if (!fork()) {
		write(from[1], block, sizeof(block));
		read(to[0], block, sizeof(block));
		_exit(0);
	}
	ready();
	write(to[1], block, sizeof(block));
	read(from[0], block, sizeof(block));
}

/* The signal comes before the wait, and no flag remembers it. */
static void *wait_late(void *x)
{
	usleep(20000);
	pthread_mutex_lock(&a);
	pthread_cond_wait(&c, &a);
	pthread_mutex_unlock(&a);
	return x;
}

static void lost(void)
{
	start(wait_late, NULL);
	pthread_mutex_lock(&a);
	pthread_cond_signal(&c);
	pthread_mutex_unlock(&a);
	ready();
	pthread_join(first, NULL);
}

static void *join_main(void *x)
{
	pthread_join(main_thread, NULL);
	return x;
}

static void joins(void)
{
	main_thread = pthread_self();
	start(join_main, NULL);
	ready();
	pthread_join(first, NULL);
}

static void *arrive(void *x)
{
	pthread_barrier_wait(&barrier);
	return x;
}

static void barriers(void)
{
	pthread_barrier_init(&barrier, NULL, 3);
	start(arrive, arrive);
	ready();
	finish();
}

static void *take_token(void *x)
{
	sem_wait(&sem);
	return x;
}

static void token(void)
{
	start(take_token, take_token);
	sem_post(&sem);
	ready();
	finish();
}

static void *take_two(void *x)
{
	sem_wait(&sem);
	usleep(20000);
	sem_wait(&sem);
	return x;
}

/* Each thread has one of the two tokens, and needs the other. */
static void nested(void)
{
	sem_post(&sem);
	sem_post(&sem);
	start(take_two, take_two);
	usleep(50000);
	ready();
	finish();
}

static void *ask(void *x)
{
	char answer;

	pthread_mutex_lock(&a);
	read(to[0], &answer, 1);
	pthread_mutex_unlock(&a);
	return x;
}

static void *answer_locked(void *x)
{
	usleep(20000);
	pthread_mutex_lock(&a);
	write(to[1], "", 1);
	pthread_mutex_unlock(&a);
	return x;
}

static void reply(void)
{
	socketpair(AF_UNIX, SOCK_STREAM, 0, to);
	start(ask, answer_locked);
	ready();
	finish();
}

/* ---- healthy ---- */

static void *work(void *x)
{
	pthread_mutex_lock(&a);
	for (;;)
		pthread_cond_wait(&c, &a);
	return x;
}

static void *serve(void *x)
{
	char request;

	while (read(to[0], &request, 1) == 1)
		write(to[0], &request, 1);
	return x;
}

/* Idle workers, and a main thread that waits for a signal. */
static void pool(void)
{
	sigset_t set;
	int number;

	start(work, work);
	usleep(20000);
	pthread_cond_signal(&c);
	ready();
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	sigwait(&set, &number);
}

/* A main thread that ends the process while the workers wait for work. */
static void leave(void)
{
	start(work, work);
	for (int i = 0; i < 5; i++) {
		usleep(5000);
		pthread_mutex_lock(&a);
		pthread_cond_broadcast(&c);
		usleep(2000);
		pthread_mutex_unlock(&a);
	}
	usleep(5000);
}

/* A server thread that waits for the next request of a client, which sleeps. */
static void idle(void)
{
	char answer;

	socketpair(AF_UNIX, SOCK_STREAM, 0, to);
	start(serve, NULL);
	write(to[1], "", 1);
	read(to[1], &answer, 1);
	ready();
	sleep(100);
}

/* A child that runs, and a parent that waits for it. */
static void child(void)
{
	if (!fork())
		for (;;)
			usleep(1000);
	ready();
	wait(NULL);
}

/* A child that inherits the writing end of the pipe of another child, so that child finds no end of file. */
static void inherited(void)
{
	char byte;

	pipe(to);
	pipe(from);
	if (!fork()) {
		close(to[1]);
		while (read(to[0], &byte, 1) == 1)
			;
		_exit(0);
	}
	if (!fork()) {
		close(from[1]);
		read(from[0], &byte, 1);
		_exit(0);
	}
	close(to[0]);
	write(to[1], "", 1);
	close(to[1]);
	usleep(50000);
	ready();
	wait(NULL);
}

/* The tasks of a pool of 2 threads wait for tasks of the same pool. */
static sem_t tasks, done[2];

static void wait_for_subtask(long number)
{
	sem_post(&tasks);
	sem_wait(&done[number]);
}

static void *run_tasks(void *number)
{
	sem_wait(&tasks);
	wait_for_subtask((long)number);
	return NULL;
}

static void start_pool(void)
{
	static pthread_t threads[2];

	for (long i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, run_tasks, (void *)i);
}

static void starved(void)
{
	sem_t all;

	sem_init(&all, 0, 0);
	sem_init(&tasks, 0, 0);
	sem_init(&done[0], 0, 0);
	sem_init(&done[1], 0, 0);
	start_pool();
	usleep(20000);
	sem_post(&tasks);
	sem_post(&tasks);
	ready();
	sem_wait(&all);
}

static const struct {
	const char *name;
	void (*run)(void);
} modes[] = {
	{"cycle", cycle}, {"itself", itself}, {"ended", ended},   {"forked", forked},
	{"pipes", pipes}, {"lost", lost},     {"joins", joins},   {"barriers", barriers},
	{"token", token}, {"reply", reply},   {"nested", nested}, {"pool", pool},
	{"leave", leave},
	{"inherited", inherited}, {"starved", starved},
	{"idle", idle},   {"child", child},
};

int main(int argc, char **argv)
{
	for (size_t n = 0; n < sizeof(modes) / sizeof(*modes); n++)
		if (argc > 1 && !strcmp(argv[1], modes[n].name))
			modes[n].run();
	return 2;
}
