/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * A library for LD_PRELOAD that changes one kind of request of memcached: each call of strtoul() takes and releases a lock.
 * Only the commands that store an item call strtoul(), for the flags of the item.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t injected = PTHREAD_MUTEX_INITIALIZER;

__attribute__((noinline)) static void take_another_lock(void)
{
	pthread_mutex_lock(&injected);
	pthread_mutex_unlock(&injected);
}

unsigned long strtoul(const char *text, char **end, int base)
{
	unsigned long (*next)(const char *, char **, int) =
		(unsigned long (*)(const char *, char **, int))dlsym(RTLD_NEXT, "strtoul");

	take_another_lock();
	return next(text, end, base);
}
