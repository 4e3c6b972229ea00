/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#define _GNU_SOURCE
#include "sample.h"

#include <dlfcn.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "ops.h"

/* The sampling period is not a multiple of a period of typical programs. It is this long because an
 * interrupt in a virtual machine takes tens of microseconds. */
#define PERIOD_NS 293000
#define NR_SAMPLES (1u << 20)

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

static timer_t timer;
static uintptr_t *samples;
static volatile unsigned nr_samples;

static void note(int sig, siginfo_t *info, void *context)
{
	const ucontext_t *uc = context;

	(void)sig;
	(void)info;
	if (nr_samples < NR_SAMPLES) {
#if defined(__x86_64__)
		samples[nr_samples] = (uintptr_t)uc->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
		samples[nr_samples] = (uintptr_t)uc->uc_mcontext.pc;
#endif
		nr_samples = nr_samples + 1;
	}
}

void sample_init(void)
{
	struct sigaction action = {.sa_sigaction = note, .sa_flags = SA_SIGINFO | SA_RESTART};
	struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGPROF};

	event.sigev_notify_thread_id = gettid();
	samples = mmap(NULL, NR_SAMPLES * sizeof(*samples), PROT_READ | PROT_WRITE,
	               MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (samples == MAP_FAILED || sigaction(SIGPROF, &action, NULL) ||
	    timer_create(CLOCK_MONOTONIC, &event, &timer))
		die("cannot sample");
}

void sample_switch(bool on)
{
	struct itimerspec period = {{0, on ? PERIOD_NS : 0}, {0, on ? PERIOD_NS : 0}};

	if (timer_settime(timer, 0, &period, NULL))
		die("timer_settime");
}

static int by_address(const void *a, const void *b)
{
	uintptr_t x = *(const uintptr_t *)a, y = *(const uintptr_t *)b;

	return (x > y) - (x < y);
}

void sample_write(const char *path)
{
	FILE *f = fopen(path, "w");
	unsigned nr = nr_samples;

	if (!f)
		die(path);
	qsort(samples, nr, sizeof(*samples), by_address);
	for (unsigned i = 0, end; i < nr; i = end) {
		Dl_info where;

		for (end = i; end < nr && samples[end] == samples[i];)
			end++;
		if (dladdr((void *)samples[i], &where) && where.dli_fname)
			fprintf(f, "%u %lx %lx %s\n", end - i,
			        (unsigned long)(samples[i] - (uintptr_t)where.dli_fbase),
			        (unsigned long)(samples[i] - 1 - (uintptr_t)where.dli_fbase),
			        where.dli_fname);
		else
			fprintf(f, "%u 0 0 ?\n", end - i);
	}
	if (fclose(f))
		die(path);
}
