/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Open file descriptions. open makes a description, and dup and fork share it. An open file description
 * owns the locks of flock and F_OFD_SETLK. The kernel has no name for a description, so each open that a
 * wrapper sees assigns it a number that is unique in the trace. A descriptor from another source (exec, a
 * socket, an open inside libc) has no number.
 *
 * All functions are lock-free, may run in any thread and in signal handlers, and make no system call except
 * to get memory.
 */
#ifndef SYT_RUNTIME_DESCRIPTION_H
#define SYT_RUNTIME_DESCRIPTION_H

#include <stdbool.h>
#include <stdint.h>

/* Locks taken through the descriptor. */
#define SYT_DESCRIPTION_FLOCK 1u
#define SYT_DESCRIPTION_RECORD 2u

/* Assigns the number of a new open file description to FD, which was just opened. */
void syt_description_open(int fd);
/* Records that descriptor TO is now a duplicate of FROM and shares its open file description. */
void syt_description_dup(int from, int to);
/* Forgets the open file description of FD. Call it before the real close, or when FD may become another
 * file. */
void syt_description_close(int fd);

/* Returns the number of the open file description of FD, 0: unknown. */
uint64_t syt_description_of(int fd);
/* Returns which kinds of locks (SYT_DESCRIPTION_*) were taken through FD or through the descriptor that FD
 * duplicates. */
unsigned syt_description_locks(int fd);
void syt_description_locked(int fd, unsigned what);

/* Returns the lowest descriptor in [FD, LAST] with a known open file description, or -1. */
int syt_description_next(int fd, unsigned last);

#endif
