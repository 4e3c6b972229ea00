/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * A system call that the program makes through syscall().  It goes on through the real syscall(),
 * never through libc's function of that name: unlike that one, it is no cancellation point.
 */
#ifndef SYT_PRELOAD_RAW_H
#define SYT_PRELOAD_RAW_H

#include <sys/syscall.h>

#include "preload/wrap.h"

struct syt_raw {
	const void *fp; /* the frame of the function that the program has called */
	long nr;
	long a[6]; /* those that the call does not take are arbitrary */
};

/* Makes the call: its result, or -1 and errno. */
static inline long syt_raw_call(const struct syt_raw *r)
{
	return SYT_REAL(syscall)(r->nr, r->a[0], r->a[1], r->a[2], r->a[3], r->a[4], r->a[5]);
}

/* Records and makes a call, and returns what it returned. */
typedef long syt_raw_fn(const struct syt_raw *r);

syt_raw_fn syt_raw_futex; /* preload/futex.c: futex */
syt_raw_fn syt_raw_futex_waitv, syt_raw_futex_wake, syt_raw_futex_wait, syt_raw_futex_requeue;
syt_raw_fn syt_raw_fork; /* preload/clone.c: fork; clone and clone3 that are forks */
syt_raw_fn syt_raw_close, syt_raw_close_range, syt_raw_dup, syt_raw_dup2, syt_raw_dup3,
	syt_raw_fcntl, syt_raw_pipe, syt_raw_eventfd, syt_raw_timerfd_create, syt_raw_epoll_create;
syt_raw_fn syt_raw_fresh; /* of what returns an fd that needs no more than being forgotten */
syt_raw_fn syt_raw_read, syt_raw_readv, syt_raw_write, syt_raw_writev;
syt_raw_fn syt_raw_epoll_ctl, syt_raw_epoll_wait, syt_raw_epoll_pwait, syt_raw_epoll_pwait2;
syt_raw_fn syt_raw_execve, syt_raw_execveat, syt_raw_exit_group, syt_raw_exit;
syt_raw_fn syt_raw_mmap, syt_raw_munmap;
syt_raw_fn syt_raw_kill, syt_raw_tgkill, syt_raw_pidfd_send_signal;

syt_raw_fn syt_raw_prctl; /* preload/confine.c */
syt_raw_fn syt_raw_seccomp;

#endif
