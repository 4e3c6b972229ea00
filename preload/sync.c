/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Barriers and once. */
#include "preload/wrap.h"
#include "runtime/thread.h"

SYT_EXPORT int pthread_barrier_init(pthread_barrier_t *restrict b,
                                    const pthread_barrierattr_t *restrict a, unsigned count)
{
	struct syt_frame f;

	if (!SYT_ENTER(&f))
		return SYT_REAL(pthread_barrier_init)(b, a, count);
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

/* Afterwards another thread may have destroyed the barrier: it is read before only. */
SYT_EXPORT int pthread_barrier_wait(pthread_barrier_t *b)
{
	struct syt_frame f;

	if (!SYT_ENTER_USE(&f))
		return SYT_REAL(pthread_barrier_wait)(b);
	struct syt_event e = {.call = SYT_CALL_pthread_barrier_wait,
	                      .object = syt_barrier_object(b),
	                      .count = syt_barrier_count(b)};
	syt_capture(&f);
	syt_block(&f);
	int rv = SYT_REAL(pthread_barrier_wait)(b);
	f.blocked = rv != PTHREAD_BARRIER_SERIAL_THREAD; /* that one came last and did not wait */
	syt_stamp_out(&f);
	e.result = rv;
	syt_leave_out(&f, &e);
	return rv;
}

/* A once in progress: where the thunk, which gets no argument, finds the program's initializer. */
struct once {
	const void *control;
	void (*initializer)(void);
	struct syt_frame *f;
	bool was_run;
};

/* Set just before the real call, read by the thunk first of all. What a thrown exception or a
 * cancelled initializer leaves here is never read: the next once sets it again.  Not used where two
 * tasks may share it. */
static __thread struct once *once_now;

/* The end of the initializer is what every other return of this once comes after; libc marks the
 * once as done only later, so the stamp is taken here. Exceptions and cancellation pass through. */
static void run_initializer(void)
{
	struct once *o = once_now;

	o->initializer();
	syt_once_was_run(o->control);
	syt_stamp_out(o->f);
	o->was_run = true;
}

/* libc's mark of a once whose initializer has returned. Programs pass it by the million, one for each
 * use of what was initialized: of each thread the first time is recorded, which orders the others. */
#define ONCE_DONE 2

static bool once_is_old(const int *control)
{
	return (__atomic_load_n(control, __ATOMIC_ACQUIRE) & 3) == ONCE_DONE &&
	       syt_thread_knows_once(control);
}

static void once_leave(struct syt_frame *f, struct once *o, enum syt_call call, const void *control)
{
	struct syt_event e = {.call = call, .object = syt_object(SYT_KIND_ONCE, control)};

	e.arg = o->was_run;
	syt_leave_out(f, &e);
	syt_thread_learn_once(control);
}

SYT_EXPORT int pthread_once(pthread_once_t *control, void (*initializer)(void))
{
	struct syt_frame f;

	if (syt_thread_may_be_cloned() || once_is_old(control) || !SYT_ENTER(&f))
		return SYT_REAL(pthread_once)(control, initializer);
	struct once o = {control, initializer, &f, false}, *outer = once_now;
	syt_capture(&f);
	syt_stamp_in(&f);
	once_now = &o;
	int rv = SYT_REAL(pthread_once)(control, run_initializer);
	once_now = outer;
	once_leave(&f, &o, SYT_CALL_pthread_once, control);
	return rv;
}

SYT_EXPORT void call_once(once_flag *control, void (*initializer)(void))
{
	struct syt_frame f;

	if (syt_thread_may_be_cloned() || once_is_old((const int *)control) || !SYT_ENTER(&f)) {
		SYT_REAL(call_once)(control, initializer);
		return;
	}
	struct once o = {control, initializer, &f, false}, *outer = once_now;
	syt_capture(&f);
	syt_stamp_in(&f);
	once_now = &o;
	SYT_REAL(call_once)(control, run_initializer);
	once_now = outer;
	once_leave(&f, &o, SYT_CALL_call_once, control);
}
