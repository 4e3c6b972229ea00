/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Handles a system call that the program makes through syscall(). The wrapper forwards the system call to the
 * real syscall(), never to libc's function for that call, which may be a cancellation point. */
#ifndef SYT_PRELOAD_SYSCALL_H
#define SYT_PRELOAD_SYSCALL_H

#include <sys/syscall.h>

#include "preload/wrap.h"

struct syt_syscall {
	const void *fp; /* the frame of the wrapper that the program called */
	long nr;
	long a[6]; /* unused arguments have arbitrary values */
};

/* Makes the system call R. Returns its result, or -1 with errno set. */
static inline long syt_syscall_forward(const struct syt_syscall *r)
{
	return SYT_REAL(syscall)(r->nr, r->a[0], r->a[1], r->a[2], r->a[3], r->a[4], r->a[5]);
}

/* Makes and records a system call, and returns its result. */
typedef long syt_syscall_fn(const struct syt_syscall *r);

syt_syscall_fn syt_syscall_futex; /* preload/futex.c: futex */
syt_syscall_fn syt_syscall_futex_waitv, syt_syscall_futex_wake, syt_syscall_futex_wait,
	syt_syscall_futex_requeue;
syt_syscall_fn syt_syscall_fork; /* preload/clone.c: fork; clone and clone3 that are forks */
syt_syscall_fn syt_syscall_close, syt_syscall_close_range, syt_syscall_dup, syt_syscall_dup2,
	syt_syscall_dup3, syt_syscall_fcntl, syt_syscall_pipe, syt_syscall_eventfd,
	syt_syscall_timerfd_create, syt_syscall_epoll_create;
/* for a call that returns a new fd, whose number may have an old table entry */
syt_syscall_fn syt_syscall_fresh;
syt_syscall_fn syt_syscall_read, syt_syscall_readv, syt_syscall_write, syt_syscall_writev;
syt_syscall_fn syt_syscall_epoll_ctl, syt_syscall_epoll_wait, syt_syscall_epoll_pwait,
	syt_syscall_epoll_pwait2;
syt_syscall_fn syt_syscall_execve, syt_syscall_execveat, syt_syscall_exit_group, syt_syscall_exit;
syt_syscall_fn syt_syscall_mmap, syt_syscall_munmap;
syt_syscall_fn syt_syscall_kill, syt_syscall_tgkill, syt_syscall_pidfd_send_signal;

syt_syscall_fn syt_syscall_prctl; /* preload/prctl.c */
syt_syscall_fn syt_syscall_seccomp;

#endif
