/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * System calls that are made through syscall(): those that order threads, and those that change
 * what the recorder has to know.  preload/syscall-entry.S comes first and asks the set here; all
 * others never get this far.
 */
#include "preload/raw.h"

#include "runtime/session.h"

#define NR_FUTEX_WAITV 449 /* Linux 5.16; the others 6.7; the same on all architectures */
#define NR_FUTEX_WAKE 454
#define NR_FUTEX_WAIT 455
#define NR_FUTEX_REQUEUE 456
#define NR_MEMBARRIER SYS_membarrier
#define NR_IO_URING_SETUP 425
#define NR_IO_URING_ENTER 426
#define NR_IO_URING_REGISTER 427

/* Orders nothing that is known here, but a person wants to know that it is in use. */
static long note(const struct syt_raw *r, enum syt_call call)
{
	struct syt_event e = {.call = call, .arg = (uint64_t)r->a[0]};
	struct syt_frame f;

	if (!syt_enter(&f, r->fp))
		return syt_raw_call(r);
	syt_capture(&f);
	syt_stamp_in(&f);
	long rv = syt_raw_call(r);
	syt_stamp_out(&f);
	syt_result(&e, rv);
	if (call == SYT_CALL_io_uring_setup && rv >= 0)
		syt_session_blind(SYT_BLIND_IO_URING, "io_uring_setup");
	syt_leave_out(&f, &e);
	return rv;
}

#define NOTE(name_)                                                                                \
	static long note_##name_(const struct syt_raw *r)                                          \
	{                                                                                          \
		return note(r, SYT_CALL_##name_);                                                  \
	}

NOTE(membarrier)
NOTE(io_uring_setup)
NOTE(io_uring_enter)
NOTE(io_uring_register)

#if defined(SYS_fork) /* only older architectures have it */
#define SYSCALL_FORK(SYSCALL) SYSCALL(SYS_fork, syt_raw_fork)
#else
#define SYSCALL_FORK(SYSCALL)
#endif

/* clang-format off */
#define SYSCALLS(SYSCALL)                                                                          \
	SYSCALL(SYS_futex, syt_raw_futex)                                                          \
	SYSCALL(NR_FUTEX_WAITV, syt_raw_futex_waitv)                                               \
	SYSCALL(NR_FUTEX_WAKE, syt_raw_futex_wake)                                                 \
	SYSCALL(NR_FUTEX_WAIT, syt_raw_futex_wait)                                                 \
	SYSCALL(NR_FUTEX_REQUEUE, syt_raw_futex_requeue)                                           \
	SYSCALL(SYS_clone, syt_raw_fork)                                                           \
	SYSCALL(SYS_clone3, syt_raw_fork)                                                          \
	SYSCALL_FORK(SYSCALL)                                                                      \
	SYSCALL(SYS_prctl, syt_raw_prctl)                                                          \
	SYSCALL(SYS_seccomp, syt_raw_seccomp)                                                      \
	SYSCALL(NR_MEMBARRIER, note_membarrier)                                                    \
	SYSCALL(NR_IO_URING_SETUP, note_io_uring_setup)                                            \
	SYSCALL(NR_IO_URING_ENTER, note_io_uring_enter)                                            \
	SYSCALL(NR_IO_URING_REGISTER, note_io_uring_register)

/* One bit for each number below 512. Hidden, so that it can be read before this library is relocated. */
#define BIT_0(nr_, take_) | ((nr_) / 64 == 0 ? UINT64_C(1) << (nr_) % 64 : 0)
#define BIT_1(nr_, take_) | ((nr_) / 64 == 1 ? UINT64_C(1) << (nr_) % 64 : 0)
#define BIT_2(nr_, take_) | ((nr_) / 64 == 2 ? UINT64_C(1) << (nr_) % 64 : 0)
#define BIT_3(nr_, take_) | ((nr_) / 64 == 3 ? UINT64_C(1) << (nr_) % 64 : 0)
#define BIT_4(nr_, take_) | ((nr_) / 64 == 4 ? UINT64_C(1) << (nr_) % 64 : 0)
#define BIT_5(nr_, take_) | ((nr_) / 64 == 5 ? UINT64_C(1) << (nr_) % 64 : 0)
#define BIT_6(nr_, take_) | ((nr_) / 64 == 6 ? UINT64_C(1) << (nr_) % 64 : 0)
#define BIT_7(nr_, take_) | ((nr_) / 64 == 7 ? UINT64_C(1) << (nr_) % 64 : 0)
/* clang-format on */

extern const uint64_t syt_syscall_interest[8] __attribute__((visibility("hidden")));
const uint64_t syt_syscall_interest[8] = {
	0 SYSCALLS(BIT_0), 0 SYSCALLS(BIT_1), 0 SYSCALLS(BIT_2), 0 SYSCALLS(BIT_3),
	0 SYSCALLS(BIT_4), 0 SYSCALLS(BIT_5), 0 SYSCALLS(BIT_6), 0 SYSCALLS(BIT_7),
};

/* Called by preload/syscall-entry.S only, which has put the return address of syscall() here. */
long syt_syscall(long nr, long a, long b, long c, long d, long e, long f);

long syt_syscall(long nr, long a, long b, long c, long d, long e, long f)
{
	struct syt_raw r = {__builtin_frame_address(0), nr, {a, b, c, d, e, f}};

	switch (nr) {
#define TAKE(nr_, take_)                                                                           \
	case nr_:                                                                                  \
		return take_(&r);
		SYSCALLS(TAKE)
	default:
		return syt_raw_call(&r);
	}
}
