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
	void *cond, *mutex;
	const struct timespec *deadline;
	clockid_t clock;
	int rv;
	/* for the event */
	const void *fp;
	struct syt_entered entered;
	uint64_t in;
	uint32_t call, cond_object, mutex_object;
};

static void leave_rare(const struct wait *w, uint32_t call, int rv)
{
	struct syt_frame f = syt_plain_frame(w->fp, w->entered, w->in);
	struct syt_event e = {
		.call = call, .object = w->cond_object, .object2 = w->mutex_object, .result = rv};

	f.blocked = true;
	syt_leave_out(&f, &e);
}

static void wait_unwound(void *arg)
{
	leave_rare(arg, SYT_CALL_cond_cancelled, 0);
}

/* Makes the wait W by CALL_REAL, which sets w->rv, and records it. */
static SYT_ALWAYS_INLINE int wait_recorded(struct wait *w, void (*call_real)(void *w),
                                           const void *fp, struct syt_entered entered,
                                           uint32_t call, uint32_t cond, uint32_t mutex)
{
	uint64_t in = SYT_PLAIN_WAIT(entered, call, cond, mutex);

	w->fp = fp;
	w->entered = entered;
	w->in = in;
	w->call = call;
	w->cond_object = cond;
	w->mutex_object = mutex;
	syt_cleanup_run(call_real, wait_unwound, w);
	if (__builtin_expect(w->rv == 0, 1))
		SYT_PLAIN_LEAVE_WAITED(fp, entered, in, call, cond, mutex);
	else
		leave_rare(w, call, w->rv);
	return w->rv;
}

/* Defines the body of the wrapper of a wait, which calls call_REAL. The variadic arguments are members of
 * struct wait. */
#define WAIT(name_, real_, object_, args_, ...)                                                    \
	{                                                                                          \
		struct wait w;                                                                     \
                                                                                                   \
		if (!syt_plain_may_wait(SYT_FP))                                                   \
			return SYT_REAL(real_) args_;                                              \
		struct syt_entered entered = SYT_PLAIN_ENTER_CAPTURE(SYT_FP);                      \
		if (!entered.alive)                                                                \
			return SYT_REAL(real_) args_;                                              \
		uint32_t cond = (object_), mutex = syt_mutex_object((pthread_mutex_t *)m);         \
		w.cond = c;                                                                        \
		w.mutex = m;                                                                       \
		__VA_ARGS__;                                                                       \
		return wait_recorded(&w, call_##real_, SYT_FP, entered, SYT_CALL_##name_, cond,    \
		                     mutex);                                                       \
	}

#define WAKE(name_, real_, object_)                                                                \
	{                                                                                          \
		uint32_t alive, object;                                                            \
                                                                                                   \
		if (!SYT_PLAIN_MAY_RELEASE(name_, object_, c))                                     \
			return SYT_REAL(real_)(c);                                                 \
		alive = syt_plain_enter();                                                         \
		if (!alive)                                                                        \
			return SYT_REAL(real_)(c);                                                 \
		object = (object_);                                                                \
		uint64_t in = syt_plain_stamp_in();                                                \
		int rv = SYT_REAL(real_)(c);                                                       \
		if (__builtin_expect(rv == 0, 1))                                                  \
			SYT_PLAIN_LEAVE_IN(SYT_FP, alive, in, SYT_CALL_##name_, object);           \
		else                                                                               \
			syt_slow_leave_in(SYT_FP, alive, in, SYT_CALL_##name_, object, rv);        \
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

/* Defines call_NAME, which makes the wait ARG. The arguments after the mutex are variadic. */
#define REAL(name_, ...)                                                                           \
	static void call_##name_(void *arg)                                                        \
	{                                                                                          \
		struct wait *w = arg;                                                              \
                                                                                                   \
		w->rv = SYT_REAL(name_)(w->cond, w->mutex __VA_OPT__(, ) __VA_ARGS__);             \
	}

/* clang-format off */
REAL(pthread_cond_wait)
REAL(pthread_cond_timedwait, w->deadline)
REAL(pthread_cond_clockwait, w->clock, w->deadline)

SYT_EXPORT int pthread_cond_wait(pthread_cond_t *restrict c, pthread_mutex_t *restrict m)
WAIT(pthread_cond_wait, pthread_cond_wait, syt_cond_object(c), (c, m))

SYT_EXPORT int pthread_cond_timedwait(pthread_cond_t *restrict c, pthread_mutex_t *restrict m,
				      const struct timespec *restrict t)
WAIT(pthread_cond_timedwait, pthread_cond_timedwait, syt_cond_object(c), (c, m, t), w.deadline = t)

SYT_EXPORT int pthread_cond_clockwait(pthread_cond_t *restrict c, pthread_mutex_t *restrict m,
				      clockid_t clock, const struct timespec *restrict t)
WAIT(pthread_cond_clockwait, pthread_cond_clockwait, syt_cond_object(c), (c, m, clock, t),
     w.deadline = t, w.clock = clock)

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
WAIT(cnd_timedwait, cnd_timedwait, C11_OBJECT(c), (c, m, t), w.deadline = t)

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
WAIT(pthread_cond_timedwait, pthread_cond_timedwait_old, OLD_OBJECT(c), (c, m, t), w.deadline = t)
SYT_EXPORT_OLD(pthread_cond_timedwait, V2_2_5);

int pthread_cond_signal_old(pthread_cond_t *c)
WAKE(pthread_cond_signal, pthread_cond_signal_old, OLD_OBJECT(c))
SYT_EXPORT_OLD(pthread_cond_signal, V2_2_5);

int pthread_cond_broadcast_old(pthread_cond_t *c)
WAKE(pthread_cond_broadcast, pthread_cond_broadcast_old, OLD_OBJECT(c))
SYT_EXPORT_OLD(pthread_cond_broadcast, V2_2_5);
#endif
/* clang-format on */
