/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "base/progress.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define QUIET_MS 1000u
#define EVERY_MS 100u

static struct {
	pthread_mutex_t lock; /* protects all members except `done` and `is_open` */
	pthread_cond_t closed;
	pthread_t thread;
	bool is_open;         /* atomic */
	const char *work;     /* name of the work outside of all steps */
	const char *step;     /* NULL: no step */
	uint64_t total, done; /* done: atomic */
	uint64_t begin_ms;
	bool is_written;
} progress = {.lock = PTHREAD_MUTEX_INITIALIZER};

static uint64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

static void write_text(const char *text, size_t bytes)
{
	ssize_t n = write(STDERR_FILENO, text, bytes);

	(void)n; /* a line of progress that cannot be written is no loss */
}

static void erase(void)
{
	if (progress.is_written)
		write_text("\r\033[K", 4);
	progress.is_written = false;
}

static void write_line(void)
{
	uint64_t done = __atomic_load_n(&progress.done, __ATOMIC_RELAXED);
	char line[128];
	int bytes;

	if (progress.step && progress.total)
		bytes = snprintf(line, sizeof(line), "\r%.80s: %u %%\033[K", progress.step,
		                 (unsigned)(100 * (double)done / (double)progress.total));
	else
		bytes = snprintf(line, sizeof(line), "\r%.80s: %u s\033[K",
		                 progress.step ? progress.step : progress.work,
		                 (unsigned)((now_ms() - progress.begin_ms) / 1000));
	write_text(line, (size_t)bytes);
	progress.is_written = true;
}

/* Waits until the time MS or the end. progress.lock is held. */
static void wait_until(uint64_t ms)
{
	struct timespec t = {(time_t)(ms / 1000), (long)(ms % 1000) * 1000000};

	while (progress.is_open && now_ms() < ms)
		pthread_cond_timedwait(&progress.closed, &progress.lock, &t);
}

static void *run(void *context)
{
	(void)context;
	pthread_mutex_lock(&progress.lock);
	wait_until(progress.begin_ms + QUIET_MS);
	while (progress.is_open) {
		write_line();
		wait_until(now_ms() + EVERY_MS);
	}
	pthread_mutex_unlock(&progress.lock);
	return NULL;
}

void syt_progress_open(const char *name)
{
	pthread_condattr_t attributes;
	sigset_t all, old;

	if (progress.is_open || !isatty(STDERR_FILENO))
		return;
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&progress.closed, &attributes);
	pthread_condattr_destroy(&attributes);
	progress.work = name;
	progress.begin_ms = now_ms();
	/* signals are for the other threads */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	progress.is_open = true;
	if (pthread_create(&progress.thread, NULL, run, NULL))
		progress.is_open = false;
	pthread_sigmask(SIG_SETMASK, &old, NULL);
}

static bool is_open(void)
{
	return __atomic_load_n(&progress.is_open, __ATOMIC_RELAXED);
}

void syt_progress_close(void)
{
	bool was_open;

	if (!is_open())
		return;
	pthread_mutex_lock(&progress.lock);
	was_open = progress.is_open;
	__atomic_store_n(&progress.is_open, false, __ATOMIC_RELAXED);
	erase();
	pthread_cond_signal(&progress.closed);
	pthread_mutex_unlock(&progress.lock);
	if (was_open)
		pthread_join(progress.thread, NULL);
}

void syt_progress_erase(void)
{
	if (!is_open())
		return;
	pthread_mutex_lock(&progress.lock);
	erase();
	pthread_mutex_unlock(&progress.lock);
}

void syt_progress_yield(int fd)
{
	struct stat st;

	if (is_open() && (fstat(fd, &st) || !S_ISREG(st.st_mode)))
		syt_progress_close();
}

static void set_step(const char *name, uint64_t total)
{
	if (!is_open())
		return;
	pthread_mutex_lock(&progress.lock);
	progress.step = name;
	progress.total = total;
	__atomic_store_n(&progress.done, 0, __ATOMIC_RELAXED);
	pthread_mutex_unlock(&progress.lock);
}

void syt_progress_rename(const char *name)
{
	if (!is_open())
		return;
	pthread_mutex_lock(&progress.lock);
	progress.work = name;
	pthread_mutex_unlock(&progress.lock);
}

void syt_progress_begin(const char *name, uint64_t total)
{
	set_step(name, total);
}

void syt_progress_step(void)
{
	if (is_open())
		__atomic_add_fetch(&progress.done, 1, __ATOMIC_RELAXED);
}

void syt_progress_end(void)
{
	set_step(NULL, 0);
}
