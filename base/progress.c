/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "base/progress.h"

#include <stdbool.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define QUIET_MS 1000u
#define EVERY_MS 100u

static struct {
	const char *name;
	uint64_t total, done; /* done: atomic */
	uint64_t first_ms;    /* time at which the program's first step began; 0: none yet */
	uint64_t next_ms;     /* time at which the line is written next; atomic */
	bool is_terminal, is_written;
} progress;

static uint64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

void syt_progress_begin(const char *name, uint64_t total)
{
	if (!progress.first_ms) {
		progress.first_ms = now_ms();
		progress.next_ms = progress.first_ms + QUIET_MS;
		progress.is_terminal = isatty(STDERR_FILENO);
	}
	progress.name = name;
	progress.total = total;
	progress.done = 0;
}

void syt_progress_step(void)
{
	uint64_t done = __atomic_add_fetch(&progress.done, 1, __ATOMIC_RELAXED);

	if (!progress.is_terminal)
		return;

	uint64_t now = now_ms(), next = __atomic_load_n(&progress.next_ms, __ATOMIC_RELAXED);

	/* only the thread whose compare-and-swap changes next_ms writes the line */
	if (now < next || !__atomic_compare_exchange_n(&progress.next_ms, &next, now + EVERY_MS,
	                                               false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		return;
	progress.is_written = true;
	fprintf(stderr, "\r%s: %u %%\033[K", progress.name,
	        (unsigned)(100 * (double)done / (double)(progress.total ? progress.total : 1)));
}

void syt_progress_end(void)
{
	if (progress.is_written)
		fputs("\r\033[K", stderr);
	progress.is_written = false;
}
