/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Stacks captured in signal handlers that interrupt any instruction: prologues, PLT stubs, hand-written
 * assembler of libc, the recorder's own capture; on the thread's stack and on an alternate signal
 * stack, in the main thread and in another thread.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "tests/stack/oracle.h"

#define NOINLINE __attribute__((noinline))
#define NR_SIGNALS 3000

static volatile sig_atomic_t nr_handled;

static void handle(int signal)
{
	(void)signal;
	oracle_check();
	nr_handled = nr_handled + 1;
}

static int by_value(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

static NOINLINE unsigned work(unsigned depth)
{
	static char text[4096], copy[4096];
	volatile char local[64];
	unsigned sum = 0;
	int v[16];

	for (unsigned i = 0; i < 16; i++)
		v[i] = (int)oracle_random();
	qsort(v, 16, sizeof(*v), by_value);
	memset(text, (int)depth + 1, 100 + oracle_random() % 3000);
	memcpy(copy, text, oracle_random() % 4096);
	sum += (unsigned)strlen(copy) + (unsigned)v[0];
	local[depth % 64] = (char)snprintf(copy, sizeof(copy), "%u %s %f", sum, "text", 1.5 * sum);
	if (depth)
		sum += work(depth - 1);
	if (depth % 4 == 0)
		oracle_check();
	return sum + (unsigned)local[depth % 64];
}

/* Makes a timer send signals to the calling thread, and calls functions meanwhile. */
static void run(bool is_alternate)
{
	size_t bytes = 256 << 10;
	stack_t stack = {.ss_size = bytes};
	struct sigaction action = {.sa_handler = handle,
	                           .sa_flags = SA_RESTART | (is_alternate ? SA_ONSTACK : 0)};
	struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGUSR1};
	struct itimerspec each = {{0, 100000}, {0, 100000}}, never = {{0, 0}, {0, 0}};
	timer_t timer;

	event._sigev_un._tid = gettid();
	stack.ss_sp = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	nr_handled = 0;
	if (stack.ss_sp == MAP_FAILED || sigaltstack(&stack, NULL) ||
	    sigaction(SIGUSR1, &action, NULL) || timer_create(CLOCK_MONOTONIC, &event, &timer) ||
	    timer_settime(timer, 0, &each, NULL)) {
		perror("signals: set-up");
		exit(1);
	}
	while (nr_handled < NR_SIGNALS)
		work(oracle_random() % 12);
	timer_settime(timer, 0, &never, NULL);
	timer_delete(timer);
	stack.ss_flags = SS_DISABLE;
	sigaltstack(&stack, NULL);
	munmap(stack.ss_sp, bytes);
}

static void *run_thread(void *arg)
{
	oracle_check();
	run(false);
	run(true);
	return arg;
}

int main(void)
{
	pthread_t t;

	run_thread(NULL);
	if (pthread_create(&t, NULL, run_thread, NULL) || pthread_join(t, NULL))
		return 1;
	printf("signals: %lu stacks compared\n", oracle_nr_checks());
	return 0;
}
