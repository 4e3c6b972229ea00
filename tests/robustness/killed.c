/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * killed FILE HOW MS LOOPS: threads make intercepted calls. Each thread counts a call in FILE after
 * the call has returned. The kernel keeps FILE when the process ends. After MS milliseconds the
 * main thread ends the process: HOW is wait (for a signal from another process), _exit, abort, segv
 * or quick_exit.
 *
 * A thread runs LOOPS iterations between its calls. FILE holds NR_THREADS entries of struct tally;
 * a thread that never started has tid 0.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define NR_THREADS 4

struct tally {
	_Atomic uint64_t calls;
	_Atomic uint64_t tid;
};

static struct tally *tallies;
static int *volatile nowhere;
static pthread_mutex_t shared = PTHREAD_MUTEX_INITIALIZER;

static int loops;

/* Loops between the calls, so that the trace is small enough for the test. */
static void work(void)
{
	for (volatile int i = 0; i < loops; i++)
		;
}

static void *run(void *arg)
{
	struct tally *t = arg;
	int fds[2];
	char byte = 0;
	sem_t sem;

	if (sem_init(&sem, 0, 0) || pipe2(fds, O_CLOEXEC))
		exit(3);
	t->tid = (uint64_t)gettid();
	for (;;) {
		pthread_mutex_lock(&shared);
		t->calls++;
		work();
		pthread_mutex_unlock(&shared);
		t->calls++;
		sem_post(&sem);
		t->calls++;
		sem_wait(&sem);
		t->calls++;
		if (write(fds[1], &byte, 1) == 1)
			t->calls++;
		if (read(fds[0], &byte, 1) == 1)
			t->calls++;
		work();
	}
	return NULL;
}

static void end(const char *how)
{
	if (!strcmp(how, "_exit"))
		_exit(0);
	if (!strcmp(how, "quick_exit"))
		quick_exit(0);
	if (!strcmp(how, "abort"))
		abort();
	if (!strcmp(how, "segv"))
		*nowhere = 0;
	for (;;)
		pause();
}

int main(int argc, char **argv)
{
	if (argc != 5)
		return 2;
	loops = atoi(argv[4]);

	int fd = open(argv[1], O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	size_t bytes = NR_THREADS * sizeof(*tallies);

	if (fd < 0 || ftruncate(fd, (off_t)bytes))
		return 3;
	tallies = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (tallies == MAP_FAILED)
		return 3;
	for (unsigned i = 0; i < NR_THREADS; i++) {
		pthread_t thread;

		if (pthread_create(&thread, NULL, run, &tallies[i]))
			return 3;
	}

	long ms = atol(argv[3]);
	struct timespec t = {ms / 1000, ms % 1000 * 1000000};

	nanosleep(&t, NULL);
	end(argv[2]);
}
