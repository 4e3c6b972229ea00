/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Condition variables, in both memory layouts of libc. The older layout begins with a pointer.
 *
 * A wait is one event. A wait releases the mutex at the event's time `in` and acquires it again at the time
 * `out`, also after a timeout. A cancelled wait acquires the mutex before the program's cleanup handlers
 * run, and has an event of its own, because the wait never returns.
 */
#include "preload/acquire.h"
#include "preload/cleanup.h"

struct wait {
	struct syt_frame *f;
	struct syt_event *e;
	int (*real)(const struct wait *w);
	void *cond, *mutex;
	const struct timespec *deadline;
	clockid_t clock;
	int rv;
};

static void wait_body(void *arg)
{
	struct wait *w = arg;

	w->rv = w->real(w);
}

static void wait_unwound(void *arg)
{
	struct wait *w = arg;

	w->e->call = SYT_CALL_cond_cancelled;
	syt_leave_out(w->f, w->e);
}

static int wait_recorded(struct wait *w)
{
	syt_capture(w->f);
	syt_block(w->f, w->e);
	syt_cleanup_run(wait_body, wait_unwound, w);
	syt_stamp_out(w->f);
	w->e->result = w->rv;
	syt_leave_out(w->f, w->e);
	return w->rv;
}

/* Defines the body of the wrapper of a wait, which calls call_REAL. The variadic arguments are members of
 * struct wait. */
#define WAIT(name_, real_, object_, args_, ...)                                                    \
	{                                                                                          \
		SYT_ENTER_OR_FORWARD(SYT_ENTER_USE, f, real_, args_);                              \
		struct syt_event e = {.call = SYT_CALL_##name_,                                    \
		                      .object = (object_),                                         \
		                      .object2 = syt_mutex_object((pthread_mutex_t *)m)};          \
		struct wait w = {.f = &f,                                                          \
		                 .e = &e,                                                          \
		                 .real = call_##real_,                                             \
		                 .cond = c,                                                        \
		                 .mutex = m,                                                       \
		                 __VA_ARGS__};                                                     \
		return wait_recorded(&w);                                                          \
	}

#define WAKE(name_, real_, object_)                                                                \
	{                                                                                          \
		SYT_ENTER_OR_FORWARD(SYT_ENTER_USE, f, real_, (c));                                \
		struct syt_event e = {.call = SYT_CALL_##name_, .object = (object_)};              \
		syt_stamp_in(&f);                                                                  \
		int rv = SYT_REAL(real_)(c);                                                       \
		e.result = rv;                                                                     \
		syt_leave_in(&f, &e);                                                              \
		return rv;                                                                         \
	}

#define BIRTH(name_, real_, object_)                                                               \
	{                                                                                          \
		SYT_ENTER_OR_FORWARD(SYT_ENTER, f, real_, (c, a));                                 \
		struct syt_event e = {.call = SYT_CALL_##name_};                                   \
		int rv = SYT_REAL(real_)(c, a);                                                    \
		syt_object_end(SYT_KIND_COND, c);                                                  \
		e.object = (object_);                                                              \
		e.result = rv;                                                                     \
		syt_leave_out(&f, &e);                                                             \
		return rv;                                                                         \
	}

#define DEATH(name_, real_, object_)                                                               \
	{                                                                                          \
		SYT_ENTER_OR_FORWARD(SYT_ENTER, f, real_, (c));                                    \
		struct syt_event e = {.call = SYT_CALL_##name_, .object = (object_)};              \
		syt_stamp_in(&f);                                                                  \
		int rv = SYT_REAL(real_)(c);                                                       \
		syt_object_end(SYT_KIND_COND, c);                                                  \
		e.result = rv;                                                                     \
		syt_leave_in(&f, &e);                                                              \
		return rv;                                                                         \
	}

/* The condition variables of C11 have libc's newer layout. */
#define C11_OBJECT(c_) syt_cond_object((pthread_cond_t *)(c_))

SYT_EXPORT void cnd_destroy(cnd_t *c)
{
	SYT_ENTER_OR_FORWARD_VOID(SYT_ENTER, f, cnd_destroy, (c));
	struct syt_event e = {.call = SYT_CALL_cnd_destroy, .object = C11_OBJECT(c)};
	syt_stamp_in(&f);
	SYT_REAL(cnd_destroy)(c);
	syt_object_end(SYT_KIND_COND, c);
	syt_leave_in(&f, &e);
}

/* Defines call_NAME, the member `real` of struct wait. The arguments after the mutex are variadic. */
#define REAL(name_, ...)                                                                           \
	static int call_##name_(const struct wait *w)                                              \
	{                                                                                          \
		return SYT_REAL(name_)(w->cond, w->mutex __VA_OPT__(, ) __VA_ARGS__);              \
	}

/* clang-format off */
REAL(pthread_cond_wait)
REAL(pthread_cond_timedwait, w->deadline)
REAL(pthread_cond_clockwait, w->clock, w->deadline)

SYT_EXPORT int pthread_cond_wait(pthread_cond_t *restrict c, pthread_mutex_t *restrict m)
WAIT(pthread_cond_wait, pthread_cond_wait, syt_cond_object(c), (c, m))

SYT_EXPORT int pthread_cond_timedwait(pthread_cond_t *restrict c, pthread_mutex_t *restrict m,
				      const struct timespec *restrict t)
WAIT(pthread_cond_timedwait, pthread_cond_timedwait, syt_cond_object(c), (c, m, t), .deadline = t)

SYT_EXPORT int pthread_cond_clockwait(pthread_cond_t *restrict c, pthread_mutex_t *restrict m,
				      clockid_t clock, const struct timespec *restrict t)
WAIT(pthread_cond_clockwait, pthread_cond_clockwait, syt_cond_object(c), (c, m, clock, t),
     .deadline = t, .clock = clock)

SYT_EXPORT int pthread_cond_signal(pthread_cond_t *c)
WAKE(pthread_cond_signal, pthread_cond_signal, syt_cond_object(c))

SYT_EXPORT int pthread_cond_broadcast(pthread_cond_t *c)
WAKE(pthread_cond_broadcast, pthread_cond_broadcast, syt_cond_object(c))

SYT_EXPORT int pthread_cond_init(pthread_cond_t *restrict c, const pthread_condattr_t *restrict a)
BIRTH(pthread_cond_init, pthread_cond_init, syt_cond_object(c))

SYT_EXPORT int pthread_cond_destroy(pthread_cond_t *c)
DEATH(pthread_cond_destroy, pthread_cond_destroy, syt_cond_object(c))

REAL(cnd_wait)
REAL(cnd_timedwait, w->deadline)

SYT_EXPORT int cnd_wait(cnd_t *c, mtx_t *m)
WAIT(cnd_wait, cnd_wait, C11_OBJECT(c), (c, m))

SYT_EXPORT int cnd_timedwait(cnd_t *restrict c, mtx_t *restrict m, const struct timespec *restrict t)
WAIT(cnd_timedwait, cnd_timedwait, C11_OBJECT(c), (c, m, t), .deadline = t)

#if defined(__x86_64__)
/* The older pthread_cond_t has no process-shared flag, and libc never shares it between processes. */
#define OLD_OBJECT(c_) syt_object(SYT_KIND_COND, (c_))

SYT_EXPORT __typeof__(pthread_cond_init) pthread_cond_init_old;
SYT_EXPORT __typeof__(pthread_cond_destroy) pthread_cond_destroy_old;
SYT_EXPORT __typeof__(pthread_cond_wait) pthread_cond_wait_old;
SYT_EXPORT __typeof__(pthread_cond_timedwait) pthread_cond_timedwait_old;
SYT_EXPORT __typeof__(pthread_cond_signal) pthread_cond_signal_old, pthread_cond_broadcast_old;

REAL(pthread_cond_wait_old)
REAL(pthread_cond_timedwait_old, w->deadline)

int pthread_cond_init_old(pthread_cond_t *restrict c, const pthread_condattr_t *restrict a)
BIRTH(pthread_cond_init, pthread_cond_init_old, OLD_OBJECT(c))
SYT_EXPORT_OLD(pthread_cond_init, V2_2_5);

int pthread_cond_destroy_old(pthread_cond_t *c)
DEATH(pthread_cond_destroy, pthread_cond_destroy_old, OLD_OBJECT(c))
SYT_EXPORT_OLD(pthread_cond_destroy, V2_2_5);

int pthread_cond_wait_old(pthread_cond_t *restrict c, pthread_mutex_t *restrict m)
WAIT(pthread_cond_wait, pthread_cond_wait_old, OLD_OBJECT(c), (c, m))
SYT_EXPORT_OLD(pthread_cond_wait, V2_2_5);

int pthread_cond_timedwait_old(pthread_cond_t *restrict c, pthread_mutex_t *restrict m,
			       const struct timespec *restrict t)
WAIT(pthread_cond_timedwait, pthread_cond_timedwait_old, OLD_OBJECT(c), (c, m, t), .deadline = t)
SYT_EXPORT_OLD(pthread_cond_timedwait, V2_2_5);

int pthread_cond_signal_old(pthread_cond_t *c)
WAKE(pthread_cond_signal, pthread_cond_signal_old, OLD_OBJECT(c))
SYT_EXPORT_OLD(pthread_cond_signal, V2_2_5);

int pthread_cond_broadcast_old(pthread_cond_t *c)
WAKE(pthread_cond_broadcast, pthread_cond_broadcast_old, OLD_OBJECT(c))
SYT_EXPORT_OLD(pthread_cond_broadcast, V2_2_5);
#endif
/* clang-format on */
