/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Returns the ids of sync objects in the program's memory. An object with the process-shared flag gets a
 * trace-wide name. The flags for sharing are part of libc's ABI, because static initializers contain them.
 * tests/calls/shared.c checks the offset of each field that libc's header does not declare.
 *
 * Each function reads the object's memory. A wrapper of a release calls it before the real call, because
 * afterwards another thread may free the object.
 */
#ifndef SYT_PRELOAD_SYNC_OBJECT_H
#define SYT_PRELOAD_SYNC_OBJECT_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/libc.h"
#include "runtime/object.h"

#define SYT_ROBUST_BIT 16 /* bit of the member __kind of a robust mutex */
#define SYT_PSHARED_BIT                                                                            \
	128 /* bit of a mutex's kind, and of the flag word of a barrier or semaphore */

static inline uint32_t syt_object_either(enum syt_kind kind, const volatile void *address,
                                         bool is_shared)
{
	return __builtin_expect(is_shared, 0) ? syt_object_shared(kind, address)
	                                      : syt_object(kind, address);
}

static inline uint32_t syt_word(const volatile void *address, unsigned offset)
{
	return *(const volatile uint32_t *)((const volatile char *)address + offset);
}

/* libc marks every robust mutex as process-shared, so a robust mutex counts as shared only if it lies in a
 * shared mapping. */
static inline uint32_t syt_mutex_object(const pthread_mutex_t *m)
{
	bool is_shared = m->__data.__kind & SYT_PSHARED_BIT;

	if (__builtin_expect(is_shared, 0) && (m->__data.__kind & SYT_ROBUST_BIT))
		is_shared = syt_shared_find(m, NULL) != 0;
	return syt_object_either(SYT_KIND_MUTEX, m, is_shared);
}

static inline uint32_t syt_rwlock_object(const pthread_rwlock_t *l)
{
	return syt_object_either(SYT_KIND_RWLOCK, l, l->__data.__shared != 0);
}

static inline uint32_t syt_cond_object(const pthread_cond_t *c)
{
	return syt_object_either(SYT_KIND_COND, c, c->__data.__wrefs & 1);
}

/* libc's struct pthread_barrier consists of the words in, current_round, count, shared, out. */
static inline uint32_t syt_barrier_object(const pthread_barrier_t *b)
{
	return syt_object_either(SYT_KIND_BARRIER, b, syt_word(b, 12) & SYT_PSHARED_BIT);
}

static inline uint32_t syt_barrier_count(const pthread_barrier_t *b)
{
	return syt_word(b, 8);
}

/* libc's struct new_sem consists of value (8 bytes), private, nwaiters. */
static inline uint32_t syt_sem_object(const sem_t *s)
{
	return syt_object_either(SYT_KIND_SEM, s, syt_word(s, 8) & SYT_PSHARED_BIT);
}

/* A spin lock is one word without a flag, so it counts as process-shared if it lies in a shared mapping. */
static inline uint32_t syt_spin_object(const volatile void *l)
{
	return syt_object_either(SYT_KIND_SPIN, l, syt_shared_find(l, NULL) != 0);
}

#endif
