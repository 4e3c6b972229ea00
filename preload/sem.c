/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* POSIX semaphores. A wait is a cancellation point even if it need not wait, and sem_trywait changes errno.
 * try_wait() behaves like a wait in both points. */
#include <stdarg.h>

#include "preload/acquire.h"
#include "preload/gate.h"
#include "preload/shared-memory.h"

/* Tries to decrement S like sem_trywait, but as a cancellation point and with errno unchanged.
 * Returns 0, or 1 if the caller must wait. */
static int try_wait(sem_t *s)
{
	int err = errno;

	pthread_testcancel();
	int rv = SYT_QUICK(sem_trywait)(s);

	if (rv == 0)
		return 0;
	errno = err;
	return rv == SYT_NOT_TRIED ? rv : 1;
}

#define WAIT(name_, try_, real_)                                                                   \
	SYT_GATE_OF_ACQUIRE(name_, syt_sem_object(s), try_, 1, real_)                              \
	SYT_ACQUIRE_WAITING(name_, syt_sem_object(s), try_, 1, real_)

SYT_BODY(sem_wait);
int syt_body_sem_wait(sem_t *s)
{
	WAIT(sem_wait, try_wait(s), SYT_REAL(sem_wait)(s));
}

SYT_BODY(sem_timedwait);
int syt_body_sem_timedwait(sem_t *restrict s, const struct timespec *restrict t)
{
	WAIT(sem_timedwait, syt_deadline_is_valid(t) ? try_wait(s) : 1,
	     SYT_REAL(sem_timedwait)(s, t));
}

SYT_BODY(sem_clockwait);
int syt_body_sem_clockwait(sem_t *restrict s, clockid_t clock, const struct timespec *restrict t)
{
	WAIT(sem_clockwait, syt_clock_is_valid(clock) && syt_deadline_is_valid(t) ? try_wait(s) : 1,
	     SYT_REAL(sem_clockwait)(s, clock, t));
}

SYT_EXPORT int sem_init(sem_t *s, int pshared, unsigned value)
{
	SYT_ENTER_OR_FORWARD(SYT_ENTER, f, sem_init, (s, pshared, value));
	struct syt_event e = {.call = SYT_CALL_sem_init, .arg = value};
	int rv = SYT_REAL(sem_init)(s, pshared, value);
	if (rv == 0) {
		syt_object_end(SYT_KIND_SEM, s);
		e.object = syt_sem_object(s);
	}
	return syt_leave_out_int(&f, &e, rv);
}

/* libc maps a named semaphore from a file of the same name, without a visible call of mmap. */
SYT_EXPORT sem_t *sem_open(const char *name, int flags, ...)
{
	struct syt_frame f;
	bool is_new = flags & O_CREAT;
	mode_t mode = 0;
	unsigned value = 0;
	sem_t *s;

	if (is_new) {
		va_list arguments;

		va_start(arguments, flags);
		mode = va_arg(arguments, mode_t);
		value = va_arg(arguments, unsigned);
		va_end(arguments);
	}
	if (!SYT_ENTER(&f))
		return SYT_REAL(sem_open)(name, flags, mode, value);
	struct syt_event e = {.call = SYT_CALL_sem_open};
	s = SYT_REAL(sem_open)(name, flags, mode, value);
	if (s == SEM_FAILED) {
		syt_result(&e, -1);
	} else {
		syt_shared_memory_sem(s, name);
		e.object = syt_sem_object(s);
		e.arg = syt_word(s, 0); /* the semaphore's current value */
		syt_object_name(e.object, name);
	}
	syt_leave_out(&f, &e);
	return s;
}
