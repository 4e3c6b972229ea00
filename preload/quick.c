/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "preload/quick.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/libc.h"

#define READERS_FROM 3 /* the lowest bit of a read-write lock's __readers that counts readers */

/* The look_at functions read members that glibc's headers declare. Headers declare no members of a
 * semaphore and a spin lock, so the functions read the word that glibc's ABI fixes. */

static int look_at_mutex(pthread_mutex_t *m)
{
	return __atomic_load_n(&m->__data.__lock, __ATOMIC_RELAXED) ? EBUSY : SYT_NOT_TRIED;
}

static int look_at_spin(pthread_spinlock_t *l)
{
	int v = __atomic_load_n((volatile int *)l, __ATOMIC_RELAXED);

#if defined(__x86_64__)
	return v <= 0 ? EBUSY : SYT_NOT_TRIED;
#else
	return v ? EBUSY : SYT_NOT_TRIED;
#endif
}

static int look_for_reading(pthread_rwlock_t *l)
{
	return __atomic_load_n(&l->__data.__cur_writer, __ATOMIC_RELAXED) ? EBUSY : SYT_NOT_TRIED;
}

static int look_for_writing(pthread_rwlock_t *l)
{
	return __atomic_load_n(&l->__data.__readers, __ATOMIC_RELAXED) >> READERS_FROM
	               ? EBUSY
	               : look_for_reading(l);
}

static int look_at_sem(sem_t *s)
{
	return __atomic_load_n((uint32_t *)(void *)s, __ATOMIC_RELAXED) ? SYT_NOT_TRIED : 1;
}

/* Always returns "busy", because most calls of pthread_join wait. */
static int look_at_thread(pthread_t thread, void **result)
{
	(void)thread;
	(void)result;
	return EBUSY;
}

struct quick {
	void **slot; /* the function pointer in preload/real-stub.S */
	void *const *acquire, *const *twin;
	const char *acquire_name;
	void *look;
};

/* clang-format off */
#define QUICKS(of_)                                                                                \
	of_(pthread_mutex_lock, pthread_mutex_trylock, look_at_mutex)                              \
	of_(pthread_spin_lock, pthread_spin_trylock, look_at_spin)                                 \
	of_(pthread_rwlock_rdlock, pthread_rwlock_tryrdlock, look_for_reading)                     \
	of_(pthread_rwlock_wrlock, pthread_rwlock_trywrlock, look_for_writing)                     \
	of_(sem_wait, sem_trywait, look_at_sem)                                                    \
	of_(pthread_join, pthread_tryjoin_np, look_at_thread)
#define DECLARE(acquire_, twin_, look_)                                                            \
	extern void *syt_slot_quick_##twin_, *syt_slot_##acquire_, *syt_slot_##twin_;
#define ROW(acquire_, twin_, look_)                                                                \
	{&syt_slot_quick_##twin_, &syt_slot_##acquire_, &syt_slot_##twin_, #acquire_,              \
	 (void *)(uintptr_t)look_},

QUICKS(DECLARE)
static const struct quick quicks[] = {QUICKS(ROW)};
/* clang-format on */

void syt_quick_resolve(void)
{
	for (size_t i = 0; i < sizeof(quicks) / sizeof(quicks[0]); i++) {
		const struct quick *q = &quicks[i];
		bool is_libcs = *q->acquire == syt_libc(q->acquire_name);

		__atomic_store_n(q->slot, is_libcs ? *q->twin : q->look, __ATOMIC_RELAXED);
	}
}
