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
#include "preload/gate.h"

/* A recorded wait, for its event. */
struct wait {
	const void *fp;
	struct syt_entered entered;
	uint64_t in;
	uint32_t cond, mutex;
	uint32_t call;
	bool is_ghost; /* the sampler has skipped the wait */
	struct syt_skip skip;
};

static void leave_rare(const struct wait *w, uint32_t call, int rv)
{
	struct syt_frame f = syt_plain_frame(w->fp, w->entered, w->in);
	struct syt_event e = {.call = call, .object = w->cond, .object2 = w->mutex, .result = rv};

	if (w->is_ghost)
		syt_skip_records(w->fp, w->call);
	f.blocked = true;
	syt_leave_out(&f, &e);
}

static void wait_unwound(void *arg)
{
	leave_rare(arg, SYT_CALL_cond_cancelled, 0);
}

/* Defines the body of the wrapper NAME of a wait, which calls REAL with ARGS. */
#define WAIT(name_, real_, object_, args_)                                                         \
	{                                                                                          \
		struct _pthread_cleanup_buffer buffer;                                             \
		struct wait w;                                                                     \
		int rv;                                                                            \
                                                                                                   \
		w.call = SYT_CALL_##name_;                                                         \
		w.is_ghost = false;                                                                \
		if (__builtin_expect(syt_control() != 0, 0)) {                                     \
			w.is_ghost = syt_skip_begin_ghost(&w.skip, SYT_FP, w.call, true);          \
			if (!w.is_ghost && !syt_control_allows(SYT_FP, syt_control(), w.call))     \
				return SYT_REAL(real_) args_;                                      \
		}                                                                                  \
		if (__builtin_expect(w.is_ghost, 0))                                               \
			w.entered = (struct syt_entered){w.skip.alive, 0};                         \
		else                                                                               \
			w.entered = SYT_PLAIN_ENTER_CAPTURE(SYT_FP);                               \
		if (!w.entered.alive)                                                              \
			return SYT_REAL(real_) args_;                                              \
		w.fp = SYT_FP;                                                                     \
		w.cond = (object_);                                                                \
		w.mutex = syt_mutex_object((pthread_mutex_t *)m);                                  \
		if (__builtin_expect(w.is_ghost, 0))                                               \
			w.in = w.skip.in = syt_skip_wait(&w.skip, w.call, w.cond, w.mutex);        \
		else                                                                               \
			w.in = SYT_PLAIN_WAIT(w.entered, SYT_CALL_##name_, w.cond, w.mutex);       \
		_pthread_cleanup_push(&buffer, wait_unwound, &w);                                  \
		rv = SYT_REAL(real_) args_;                                                        \
		_pthread_cleanup_pop(&buffer, 0);                                                  \
		if (__builtin_expect(rv != 0, 0))                                                  \
			leave_rare(&w, SYT_CALL_##name_, rv);                                      \
		else if (__builtin_expect(w.is_ghost, 0))                                          \
			syt_skip_end_ghost(&w.skip, SYT_FP, w.call, w.cond, w.mutex,               \
			                   SYT_GHOST_COND_WAIT);                                   \
		else                                                                               \
			SYT_PLAIN_LEAVE_WAITED(SYT_FP, w.entered, w.in, SYT_CALL_##name_, w.cond,  \
			                       w.mutex);                                           \
		return rv;                                                                         \
	}

#define WAKE(name_, real_, object_)                                                                \
	{                                                                                          \
		uint32_t alive, object;                                                            \
                                                                                                   \
		SYT_GATE_OF_RELEASE(name_, object_, c, SYT_REAL(real_)(c))                         \
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

/* clang-format off */
SYT_EXPORT int pthread_cond_wait(pthread_cond_t *restrict c, pthread_mutex_t *restrict m)
WAIT(pthread_cond_wait, pthread_cond_wait, syt_cond_object(c), (c, m))

SYT_EXPORT int pthread_cond_timedwait(pthread_cond_t *restrict c, pthread_mutex_t *restrict m,
				      const struct timespec *restrict t)
WAIT(pthread_cond_timedwait, pthread_cond_timedwait, syt_cond_object(c), (c, m, t))

SYT_EXPORT int pthread_cond_clockwait(pthread_cond_t *restrict c, pthread_mutex_t *restrict m,
				      clockid_t clock, const struct timespec *restrict t)
WAIT(pthread_cond_clockwait, pthread_cond_clockwait, syt_cond_object(c), (c, m, clock, t))

SYT_EXPORT int pthread_cond_signal(pthread_cond_t *c)
WAKE(pthread_cond_signal, pthread_cond_signal, syt_cond_object(c))

SYT_EXPORT int pthread_cond_broadcast(pthread_cond_t *c)
WAKE(pthread_cond_broadcast, pthread_cond_broadcast, syt_cond_object(c))

SYT_EXPORT int pthread_cond_init(pthread_cond_t *restrict c, const pthread_condattr_t *restrict a)
BIRTH(pthread_cond_init, pthread_cond_init, syt_cond_object(c))

SYT_EXPORT int pthread_cond_destroy(pthread_cond_t *c)
DEATH(pthread_cond_destroy, pthread_cond_destroy, syt_cond_object(c))

SYT_EXPORT int cnd_wait(cnd_t *c, mtx_t *m)
WAIT(cnd_wait, cnd_wait, C11_OBJECT(c), (c, m))

SYT_EXPORT int cnd_timedwait(cnd_t *restrict c, mtx_t *restrict m, const struct timespec *restrict t)
WAIT(cnd_timedwait, cnd_timedwait, C11_OBJECT(c), (c, m, t))

#if defined(__x86_64__)
/* The older pthread_cond_t has no process-shared flag, and libc never shares it between processes. */
#define OLD_OBJECT(c_) syt_object(SYT_KIND_COND, (c_))

SYT_EXPORT __typeof__(pthread_cond_init) pthread_cond_init_old;
SYT_EXPORT __typeof__(pthread_cond_destroy) pthread_cond_destroy_old;
SYT_EXPORT __typeof__(pthread_cond_wait) pthread_cond_wait_old;
SYT_EXPORT __typeof__(pthread_cond_timedwait) pthread_cond_timedwait_old;
SYT_EXPORT __typeof__(pthread_cond_signal) pthread_cond_signal_old, pthread_cond_broadcast_old;

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
WAIT(pthread_cond_timedwait, pthread_cond_timedwait_old, OLD_OBJECT(c), (c, m, t))
SYT_EXPORT_OLD(pthread_cond_timedwait, V2_2_5);

int pthread_cond_signal_old(pthread_cond_t *c)
WAKE(pthread_cond_signal, pthread_cond_signal_old, OLD_OBJECT(c))
SYT_EXPORT_OLD(pthread_cond_signal, V2_2_5);

int pthread_cond_broadcast_old(pthread_cond_t *c)
WAKE(pthread_cond_broadcast, pthread_cond_broadcast_old, OLD_OBJECT(c))
SYT_EXPORT_OLD(pthread_cond_broadcast, V2_2_5);
#endif
/* clang-format on */
