/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Sleeping and yielding. Sleeps and yields create no happens-before edges, but show where a thread spends its
 * time. A sleep ends a leaf task (the work of a thread between two synchronization events); sched_yield() does
 * not. libc's own function handles an interrupted or cancelled sleep, and a cancelled sleep has no event. A
 * thread that spins with sched_yield() would fill its event buffers, so only the 1st, 2nd, 4th, 8th, ... of
 * consecutive yields is recorded, with its number. */
#include "preload/wrap.h"

/* Defines a wrapper. ERR_ is the expression for the error number, because some of these functions return it
 * and do not set errno. */
#define SLEEP(name_, params_, args_, err_)                                                         \
	SYT_EXPORT int name_ params_                                                               \
	{                                                                                          \
		SYT_ENTER_OR_FORWARD(SYT_ENTER_IDLE, f, name_, args_);                             \
		struct syt_event e = {.call = SYT_CALL_##name_};                                   \
		syt_capture(&f);                                                                   \
		syt_block(&f, &e);                                                                 \
		int rv = SYT_REAL(name_) args_;                                                    \
		syt_stamp_out(&f);                                                                 \
		e.result = rv;                                                                     \
		e.err = rv < 0 ? (err_) : 0;                                                       \
		f.blocked = rv == 0 || (err_) == EINTR;                                            \
		syt_leave_out(&f, &e);                                                             \
		return rv;                                                                         \
	}

/* clang-format off */
SLEEP(clock_nanosleep, (clockid_t clock, int flags, const struct timespec *t, struct timespec *left),
      (clock, flags, t, left), rv)
SLEEP(thrd_sleep, (const struct timespec *t, struct timespec *left), (t, left), rv == -1 ? EINTR : 0)
/* clang-format on */

SYT_EXPORT int sched_yield(void)
{
	struct syt_frame f;
	struct syt_event e = {.call = SYT_CALL_sched_yield};

	if (!syt_is_rare(&e.count) || !SYT_ENTER_IDLE(&f, sched_yield))
		return SYT_REAL(sched_yield)();
	syt_capture(&f);
	syt_stamp_in(&f);
	int rv = SYT_REAL(sched_yield)();
	syt_stamp_out(&f);
	return syt_leave_out_int(&f, &e, rv);
}

SYT_EXPORT void thrd_yield(void)
{
	struct syt_frame f;
	struct syt_event e = {.call = SYT_CALL_thrd_yield};

	if (!syt_is_rare(&e.count) || !SYT_ENTER_IDLE(&f, thrd_yield)) {
		SYT_REAL(thrd_yield)();
		return;
	}
	syt_capture(&f);
	syt_stamp_in(&f);
	SYT_REAL(thrd_yield)();
	syt_stamp_out(&f);
	syt_leave_out(&f, &e);
}
