/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Records system calls made through syscall() if they create happens-before edges or change the recorder's
 * tables. preload/syscall-entry.S calls this file only for system calls in the set syt_syscall_interest. */
#include "preload/syscall.h"

#include "runtime/session.h"

/* Numbers of system calls that older headers lack. All architectures have the same numbers. */
#define NR_PIDFD_SEND_SIGNAL 424
#define NR_IO_URING_SETUP 425
#define NR_IO_URING_ENTER 426
#define NR_IO_URING_REGISTER 427
#define NR_CLOSE_RANGE 436
#define NR_OPENAT2 437
#define NR_PIDFD_GETFD 438
#define NR_EPOLL_PWAIT2 441
#define NR_FUTEX_WAITV 449
#define NR_FUTEX_WAKE 454
#define NR_FUTEX_WAIT 455
#define NR_FUTEX_REQUEUE 456

/* Records a call that synchronizes by no object that the recorder knows, so that the user sees its use. */
static long note(const struct syt_syscall *r, enum syt_call call)
{
	struct syt_event e = {.call = call, .arg = (uint64_t)r->a[0]};
	struct syt_frame f;

	if (!syt_enter(&f, r->fp))
		return syt_syscall_forward(r);
	syt_capture(&f);
	syt_stamp_in(&f);
	long rv = syt_syscall_forward(r);
	syt_stamp_out(&f);
	syt_result(&e, rv);
	if (call == SYT_CALL_io_uring_setup && rv >= 0)
		syt_session_blind(SYT_BLIND_IO_URING, "io_uring_setup");
	syt_leave_out(&f, &e);
	return rv;
}

#define NOTE(name_)                                                                                \
	static long note_##name_(const struct syt_syscall *r)                                      \
	{                                                                                          \
		return note(r, SYT_CALL_##name_);                                                  \
	}

NOTE(membarrier)
NOTE(io_uring_setup)
NOTE(io_uring_enter)
NOTE(io_uring_register)

/* clang-format off */
#if defined(__x86_64__) /* calls that newer architectures do not have */
#define OLD_SYSCALLS(SYSCALL)                                                                      \
	SYSCALL(SYS_fork, syt_syscall_fork)                                                            \
	SYSCALL(SYS_dup2, syt_syscall_dup2)                                                            \
	SYSCALL(SYS_pipe, syt_syscall_pipe)                                                            \
	SYSCALL(SYS_open, syt_syscall_fresh)                                                           \
	SYSCALL(SYS_creat, syt_syscall_fresh)                                                          \
	SYSCALL(SYS_eventfd, syt_syscall_eventfd)                                                      \
	SYSCALL(SYS_epoll_create, syt_syscall_epoll_create)                                            \
	SYSCALL(SYS_epoll_wait, syt_syscall_epoll_wait)
#else
#define OLD_SYSCALLS(SYSCALL)
#endif

#define SYSCALLS(SYSCALL)                                                                          \
	SYSCALL(SYS_futex, syt_syscall_futex)                                                          \
	SYSCALL(NR_FUTEX_WAITV, syt_syscall_futex_waitv)                                               \
	SYSCALL(NR_FUTEX_WAKE, syt_syscall_futex_wake)                                                 \
	SYSCALL(NR_FUTEX_WAIT, syt_syscall_futex_wait)                                                 \
	SYSCALL(NR_FUTEX_REQUEUE, syt_syscall_futex_requeue)                                           \
	SYSCALL(SYS_clone, syt_syscall_fork)                                                           \
	SYSCALL(SYS_clone3, syt_syscall_fork)                                                          \
	SYSCALL(SYS_execve, syt_syscall_execve)                                                        \
	SYSCALL(SYS_execveat, syt_syscall_execveat)                                                    \
	SYSCALL(SYS_exit, syt_syscall_exit)                                                            \
	SYSCALL(SYS_exit_group, syt_syscall_exit_group)                                                \
	SYSCALL(SYS_prctl, syt_syscall_prctl)                                                          \
	SYSCALL(SYS_seccomp, syt_syscall_seccomp)                                                      \
	SYSCALL(SYS_kill, syt_syscall_kill)                                                            \
	SYSCALL(SYS_tgkill, syt_syscall_tgkill)                                                        \
	SYSCALL(NR_PIDFD_SEND_SIGNAL, syt_syscall_pidfd_send_signal)                                   \
	SYSCALL(SYS_mmap, syt_syscall_mmap)                                                            \
	SYSCALL(SYS_munmap, syt_syscall_munmap)                                                        \
	SYSCALL(SYS_close, syt_syscall_close)                                                          \
	SYSCALL(NR_CLOSE_RANGE, syt_syscall_close_range)                                               \
	SYSCALL(SYS_dup, syt_syscall_dup)                                                              \
	SYSCALL(SYS_dup3, syt_syscall_dup3)                                                            \
	SYSCALL(SYS_fcntl, syt_syscall_fcntl)                                                          \
	SYSCALL(SYS_pipe2, syt_syscall_pipe)                                                           \
	SYSCALL(SYS_eventfd2, syt_syscall_eventfd)                                                     \
	SYSCALL(SYS_timerfd_create, syt_syscall_timerfd_create)                                        \
	SYSCALL(SYS_epoll_create1, syt_syscall_epoll_create)                                           \
	SYSCALL(SYS_epoll_ctl, syt_syscall_epoll_ctl)                                                  \
	SYSCALL(SYS_epoll_pwait, syt_syscall_epoll_pwait)                                              \
	SYSCALL(NR_EPOLL_PWAIT2, syt_syscall_epoll_pwait2)                                             \
	SYSCALL(SYS_openat, syt_syscall_fresh)                                                         \
	SYSCALL(NR_OPENAT2, syt_syscall_fresh)                                                         \
	SYSCALL(SYS_memfd_create, syt_syscall_fresh)                                                   \
	SYSCALL(NR_PIDFD_GETFD, syt_syscall_fresh)                                                     \
	SYSCALL(SYS_socket, syt_syscall_fresh)                                                         \
	SYSCALL(SYS_accept, syt_syscall_fresh)                                                         \
	SYSCALL(SYS_accept4, syt_syscall_fresh)                                                        \
	SYSCALL(SYS_read, syt_syscall_read)                                                            \
	SYSCALL(SYS_readv, syt_syscall_readv)                                                          \
	SYSCALL(SYS_write, syt_syscall_write)                                                          \
	SYSCALL(SYS_writev, syt_syscall_writev)                                                        \
	SYSCALL(SYS_membarrier, note_membarrier)                                                   \
	SYSCALL(NR_IO_URING_SETUP, note_io_uring_setup)                                            \
	SYSCALL(NR_IO_URING_ENTER, note_io_uring_enter)                                            \
	SYSCALL(NR_IO_URING_REGISTER, note_io_uring_register)                                      \
	OLD_SYSCALLS(SYSCALL)

/* The set of recorded system calls: one bit for each number below 512. The symbol is hidden, so that code
 * can read it before this library is relocated. */
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

/* Called by preload/syscall-entry.S only. The return address on the stack is that of syscall()'s caller. */
long syt_syscall(long nr, long a, long b, long c, long d, long e, long f);

long syt_syscall(long nr, long a, long b, long c, long d, long e, long f)
{
	struct syt_syscall r = {__builtin_frame_address(0), nr, {a, b, c, d, e, f}};

	switch (nr) {
#define TAKE(nr_, take_)                                                                           \
	case nr_:                                                                                  \
		return take_(&r);
		SYSCALLS(TAKE)
	default:
		return syt_syscall_forward(&r);
	}
}
