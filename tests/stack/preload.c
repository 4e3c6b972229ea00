/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * The oracle in real programs: preloaded, compares the stack of every lock, condition and semaphore
 * call. At the end it writes how many it compared into the file that STACK_ORACLE_OUT names.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/stack/oracle.h"

/* True inside of the check, because the reference unwinder locks mutexes at its first use. */
static __thread bool is_inside;

static void check(void)
{
	/* constructors of other libraries run before this library's constructor */
	if (is_inside || !oracle_is_set_up())
		return;
	is_inside = true;
	oracle_check();
	is_inside = false;
}

static void *real(const char *name)
{
	void *p;

	is_inside = true;
	p = dlsym(RTLD_NEXT, name);
	is_inside = false;
	return p;
}

#define WRAP(name_, type_)                                                                         \
	__attribute__((visibility("default"))) int name_(type_ *object)                            \
	{                                                                                          \
		static int (*next)(type_ *);                                                       \
                                                                                                   \
		check();                                                                           \
		if (!next)                                                                         \
			next = (int (*)(type_ *))real(#name_);                                     \
		return next(object);                                                               \
	}

WRAP(pthread_mutex_lock, pthread_mutex_t)
WRAP(pthread_mutex_unlock, pthread_mutex_t)
WRAP(pthread_cond_signal, pthread_cond_t)
WRAP(pthread_cond_broadcast, pthread_cond_t)
WRAP(sem_post, sem_t)
WRAP(sem_wait, sem_t)

__attribute__((constructor)) static void expect(void)
{
	oracle_is_cut_expected = true;
}

__attribute__((destructor)) static void report(void)
{
	const char *path = getenv("STACK_ORACLE_OUT");
	int fd = path ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600) : -1;

	if (fd < 0)
		return;
	dprintf(fd, "%lu\n", oracle_nr_checks());
	close(fd);
}
