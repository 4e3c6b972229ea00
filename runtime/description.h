/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Open file descriptions: what dup and fork share and open makes, which owns the locks of flock and
 * F_OFD_SETLK.  The kernel has no name for them, so each open that a wrapper sees gives one, which
 * is one number in the whole trace.  What came otherwise (exec, a socket, an open inside of libc)
 * has none.
 *
 * Lock-free; any thread, signal handlers included; no system call but for memory.
 */
#ifndef SYT_RUNTIME_DESCRIPTION_H
#define SYT_RUNTIME_DESCRIPTION_H

#include <stdbool.h>
#include <stdint.h>

/* What was locked through the fd. */
#define SYT_DESCRIPTION_FLOCK 1u
#define SYT_DESCRIPTION_RECORD 2u

/* FD was just opened. */
void syt_description_open(int fd);
/* TO refers to what FROM refers to. */
void syt_description_dup(int from, int to);
/* Before the real close, or when FD may be something else from now on. */
void syt_description_close(int fd);

/* FD's description, 0: unknown. */
uint64_t syt_description_of(int fd);
/* SYT_DESCRIPTION_*: what has been locked through FD, or through what it was duplicated from. */
unsigned syt_description_locks(int fd);
void syt_description_locked(int fd, unsigned what);

/* The lowest fd in [FD, LAST] that has one, or -1. */
int syt_description_next(int fd, unsigned last);

#endif
