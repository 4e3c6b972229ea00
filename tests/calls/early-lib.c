/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* A library that locks and creates a thread before and after main(), and before and after the
 * recorder's own start. */
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <stddef.h>

int early_count(void);
int early_plus_one(int x);

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void *work(void *arg)
{
	pthread_mutex_lock(&m);
	count++;
	pthread_mutex_unlock(&m);
	return arg;
}

__attribute__((constructor)) static void before(void)
{
	pthread_t t;

	pthread_create(&t, NULL, work, NULL);
	pthread_join(t, NULL);
}

__attribute__((destructor)) static void after(void)
{
	before();
}

int early_count(void)
{
	return count;
}

#if defined(__x86_64__)
/* Called by the dynamic loader at the end of this library's relocation (linked with -z now), at a time
 * when the recorder, which precedes this library in the search order, has not been relocated. */
static int plus_one(int x)
{
	return x + 1;
}

__attribute__((used)) static int (*resolve(void))(int)
{
	static pthread_mutex_t none = PTHREAD_MUTEX_INITIALIZER;
	static int word;

	if (syscall(SYS_gettid) <= 0 || syscall(SYS_futex, &word, 1 /* FUTEX_WAKE */, 1) ||
	    syscall(SYS_close, -1) != -1)
		return NULL;
	return pthread_mutex_lock(&none) || pthread_mutex_unlock(&none) ? NULL : plus_one;
}

static int resolved(int x) __attribute__((ifunc("resolve")));

int early_plus_one(int x)
{
	return resolved(x);
}
#endif
