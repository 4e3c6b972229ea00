/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* A library that only intercepts a call and forwards the call. The benchmark compares a call that syntrace does not
 * record with a call through this library. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>

static int first_lock(pthread_mutex_t *m);
static int first_unlock(pthread_mutex_t *m);

static int (*real_lock)(pthread_mutex_t *) = first_lock;
static int (*real_unlock)(pthread_mutex_t *) = first_unlock;

static __attribute__((constructor)) void resolve(void)
{
	*(void **)&real_lock = dlsym(RTLD_NEXT, "pthread_mutex_lock");
	*(void **)&real_unlock = dlsym(RTLD_NEXT, "pthread_mutex_unlock");
}

/* Constructors of other libraries may call pthread_mutex_lock before this library's constructor has
 * run. */
static int first_lock(pthread_mutex_t *m)
{
	resolve();
	return real_lock(m);
}

static int first_unlock(pthread_mutex_t *m)
{
	resolve();
	return real_unlock(m);
}

int pthread_mutex_lock(pthread_mutex_t *m)
{
	return real_lock(m);
}

int pthread_mutex_unlock(pthread_mutex_t *m)
{
	return real_unlock(m);
}
