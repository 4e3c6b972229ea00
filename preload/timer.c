/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Timers: timerfds, and timers that send a signal or start a thread. The wrapper reads the new setting after
 * the real call, which rejects an invalid pointer. A thread that a timer starts is registered at its first
 * event. */
#include "preload/io.h"

/* Values of the field `arg` in an event that sets a timer. */
enum { DISARM, ONCE, AGAIN };

static uint64_t arg_of(const struct itimerspec *to)
{
	if (!to->it_value.tv_sec && !to->it_value.tv_nsec)
		return DISARM;
	return to->it_interval.tv_sec || to->it_interval.tv_nsec ? AGAIN : ONCE;
}

SYT_EXPORT int timerfd_settime(int fd, int flags, const struct itimerspec *to,
                               struct itimerspec *was)
{
	SYT_IO_ENTER_OR_FORWARD(x, timerfd_settime, (fd, flags, to, was));
	syt_io_begin_in(&x, fd);
	if (x.is_recorded)
		syt_capture(&x.frame);
	int rv = SYT_REAL(timerfd_settime)(fd, flags, to, was);
	/* ECANCELED means that the clock was set before; the timer is armed nevertheless */
	if (rv == 0 || errno == ECANCELED)
		x.event.arg = arg_of(to);
	return syt_io_leave_in_int(&x, rv);
}

/* The handle of a timer that sends a signal is the kernel's number, which the signal also carries. The handle
 * of a timer that starts threads is an address in libc. Programs linked before glibc 2.3.3 get libc's own small
 * numbers. OLD_NUMBERS is added to these numbers to distinguish them from the kernel's numbers. */
#define OLD_NUMBERS ((uint64_t)1 << 48)

static const void *key_of(timer_t timer)
{
	return timer;
}

static const void *key_of_old(timer_t timer)
{
	return (const void *)(uintptr_t)(OLD_NUMBERS + (uint32_t)(uintptr_t)timer);
}

#define CREATE(real_, key_)                                                                        \
	{                                                                                          \
		SYT_ENTER_OR_FORWARD(SYT_ENTER, f, real_, (clock, event, timer));                  \
		struct syt_event e = {.call = SYT_CALL_timer_create};                              \
		int rv = SYT_REAL(real_)(clock, event, timer);                                     \
		if (rv == 0) {                                                                     \
			const void *key = (key_);                                                  \
			syt_object_end(SYT_KIND_TIMER, key);                                       \
			e.object = syt_object(SYT_KIND_TIMER, key);                                \
		}                                                                                  \
		return syt_leave_out_int(&f, &e, rv);                                              \
	}

#define SET(real_, key_)                                                                           \
	{                                                                                          \
		SYT_ENTER_OR_FORWARD(SYT_ENTER, f, real_, (timer, flags, to, was));                \
		struct syt_event e = {.call = SYT_CALL_timer_settime,                              \
		                      .object = syt_object(SYT_KIND_TIMER, key_(timer))};          \
		syt_capture(&f);                                                                   \
		syt_stamp_in(&f);                                                                  \
		int rv = SYT_REAL(real_)(timer, flags, to, was);                                   \
		syt_stamp_out(&f);                                                                 \
		if (rv == 0)                                                                       \
			e.arg = arg_of(to);                                                        \
		return syt_leave_in_int(&f, &e, rv);                                               \
	}

#define DELETE(real_, key_)                                                                        \
	{                                                                                          \
		SYT_ENTER_OR_FORWARD(SYT_ENTER, f, real_, (timer));                                \
		const void *key = key_(timer);                                                     \
		struct syt_event e = {.call = SYT_CALL_timer_delete,                               \
		                      .object = syt_object(SYT_KIND_TIMER, key)};                  \
		syt_stamp_in(&f);                                                                  \
		int rv = SYT_REAL(real_)(timer);                                                   \
		if (rv == 0)                                                                       \
			syt_object_end(SYT_KIND_TIMER, key);                                       \
		return syt_leave_in_int(&f, &e, rv);                                               \
	}

/* clang-format off */
SYT_EXPORT int timer_create(clockid_t clock, struct sigevent *restrict event, timer_t *restrict timer)
CREATE(timer_create, key_of(*timer))

SYT_EXPORT int timer_settime(timer_t timer, int flags, const struct itimerspec *restrict to,
			     struct itimerspec *restrict was)
SET(timer_settime, key_of)

SYT_EXPORT int timer_delete(timer_t timer)
DELETE(timer_delete, key_of)

#if defined(__x86_64__)
SYT_EXPORT __typeof__(timer_create) timer_create_old;
SYT_EXPORT __typeof__(timer_settime) timer_settime_old;
SYT_EXPORT __typeof__(timer_delete) timer_delete_old;

int timer_create_old(clockid_t clock, struct sigevent *restrict event, timer_t *restrict timer)
CREATE(timer_create_old, key_of_old((timer_t)(uintptr_t)*(uint32_t *)timer))
SYT_EXPORT_OLD(timer_create, V2_2_5);

int timer_settime_old(timer_t timer, int flags, const struct itimerspec *restrict to,
		      struct itimerspec *restrict was)
SET(timer_settime_old, key_of_old)
SYT_EXPORT_OLD(timer_settime, V2_2_5);

int timer_delete_old(timer_t timer)
DELETE(timer_delete_old, key_of_old)
SYT_EXPORT_OLD(timer_delete, V2_2_5);

/* Programs linked before glibc 2.34 refer to the newer function by the symbol version that librt had. */
SYT_EXPORT_ALSO(timer_create, V2_3_3);
SYT_EXPORT_ALSO(timer_settime, V2_3_3);
SYT_EXPORT_ALSO(timer_delete, V2_3_3);
#endif
/* clang-format on */
