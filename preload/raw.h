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

syt_raw_fn syt_raw_futex;       /* preload/futex.c: futex */
syt_raw_fn syt_raw_futex_waitv; /* its successors */
syt_raw_fn syt_raw_futex_wake;
syt_raw_fn syt_raw_futex_wait;
syt_raw_fn syt_raw_futex_requeue;

syt_raw_fn syt_raw_fork; /* preload/clone.c: fork; clone and clone3 that are forks */

syt_raw_fn syt_raw_prctl; /* preload/confine.c */
syt_raw_fn syt_raw_seccomp;

#endif
