/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Barriers, pthread_once and call_once. */
#include "preload/wrap.h"
#include "runtime/thread.h"

SYT_EXPORT int pthread_barrier_init(pthread_barrier_t *restrict b,
                                    const pthread_barrierattr_t *restrict a, unsigned count)
{
	SYT_ENTER_OR_FORWARD(SYT_ENTER, f, pthread_barrier_init, (b, a, count));
	struct syt_event e = {.call = SYT_CALL_pthread_barrier_init, .count = count};
	int rv = SYT_REAL(pthread_barrier_init)(b, a, count);
	if (rv == 0) {
		syt_object_end(SYT_KIND_BARRIER, b);
		e.object = syt_barrier_object(b);
	}
	e.result = rv;
	syt_leave_out(&f, &e);
	return rv;
}

/* The wrapper reads the barrier only before the real call, because another thread may destroy the barrier
 * afterwards. */
SYT_EXPORT int pthread_barrier_wait(pthread_barrier_t *b)
{
	SYT_ENTER_OR_FORWARD(SYT_ENTER_USE, f, pthread_barrier_wait, (b));
	struct syt_event e = {.call = SYT_CALL_pthread_barrier_wait,
	                      .object = syt_barrier_object(b),
	                      .count = syt_barrier_count(b)};
	syt_capture(&f);
	syt_block(&f, &e);
	int rv = SYT_REAL(pthread_barrier_wait)(b);
	/* the thread that gets PTHREAD_BARRIER_SERIAL_THREAD came last and did not wait */
	f.blocked = rv != PTHREAD_BARRIER_SERIAL_THREAD;
	syt_stamp_out(&f);
	e.result = rv;
	syt_leave_out(&f, &e);
	return rv;
}

/* A pthread_once call in progress. run_initializer() has no argument and finds the program's initializer in
 * this struct. */
struct once {
	const void *control;
	void (*initializer)(void);
	struct syt_frame *f;
	bool was_run;
};

/* The wrapper sets this pointer immediately before the real pthread_once, and run_initializer() reads it
 * first. An exception or a cancelled initializer leaves a stale pointer, which is never read, because the
 * next call sets it again. The pointer is not used if two tasks may share this thread-local memory. */
static __thread struct once *once_now;

/* Calls the program's initializer. All other pthread_once calls on the same control return after the
 * initializer has ended. libc marks the control as done only later, so this function reads the clock for
 * the event. Exceptions and cancellation pass through. */
static void run_initializer(void)
{
	struct once *o = once_now;

	o->initializer();
	syt_once_was_run(o->control);
	syt_stamp_out(o->f);
	o->was_run = true;
}

/* The value that libc stores in a pthread_once_t when its initializer has finished. Programs call
 * pthread_once millions of times, for each use of the initialized data. Only the first call of each thread
 * is recorded, because it also orders the thread's later calls. */
#define ONCE_DONE 2

static bool once_is_old(const int *control)
{
	return (__atomic_load_n(control, __ATOMIC_ACQUIRE) & 3) == ONCE_DONE &&
	       syt_thread_knows_once(control);
}

static void once_leave(struct syt_frame *f, struct once *o, struct syt_event *e,
                       const void *control)
{
	e->arg = o->was_run;
	syt_leave_out(f, e);
	syt_thread_learn_once(control);
}

SYT_EXPORT int pthread_once(pthread_once_t *control, void (*initializer)(void))
{
	struct syt_frame f;

	if (syt_thread_may_be_cloned() || once_is_old(control) || !SYT_ENTER(&f))
		return SYT_REAL(pthread_once)(control, initializer);
	struct syt_event e = {.call = SYT_CALL_pthread_once,
	                      .object = syt_object(SYT_KIND_ONCE, control)};
	struct once o = {control, initializer, &f, false}, *outer = once_now;
	syt_capture(&f);
	syt_stamp_wait(&f, &e);
	once_now = &o;
	int rv = SYT_REAL(pthread_once)(control, run_initializer);
	once_now = outer;
	once_leave(&f, &o, &e, control);
	return rv;
}

SYT_EXPORT void call_once(once_flag *control, void (*initializer)(void))
{
	struct syt_frame f;

	if (syt_thread_may_be_cloned() || once_is_old((const int *)control) || !SYT_ENTER(&f)) {
		SYT_REAL(call_once)(control, initializer);
		return;
	}
	struct syt_event e = {.call = SYT_CALL_call_once,
	                      .object = syt_object(SYT_KIND_ONCE, control)};
	struct once o = {control, initializer, &f, false}, *outer = once_now;
	syt_capture(&f);
	syt_stamp_wait(&f, &e);
	once_now = &o;
	SYT_REAL(call_once)(control, run_initializer);
	once_now = outer;
	once_leave(&f, &o, &e, control);
}
