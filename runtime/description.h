/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Open file descriptions. open makes a description, and dup and fork share it. A description owns
 * the locks of flock and F_OFD_SETLK. The kernel has no name for it, so each open that a wrapper
 * sees assigns a number that is unique in the trace. A descriptor from another source (exec, a
 * socket, an open inside libc) has no number.
 *
 * Lock-free; any thread, signal handlers included; no system call except for memory.
 */
#ifndef SYT_RUNTIME_DESCRIPTION_H
#define SYT_RUNTIME_DESCRIPTION_H

#include <stdbool.h>
#include <stdint.h>

/* Locks taken through the descriptor. */
#define SYT_DESCRIPTION_FLOCK 1u
#define SYT_DESCRIPTION_RECORD 2u

/* Assigns a new description to FD, which was just opened. */
void syt_description_open(int fd);
/* TO becomes a duplicate of FROM. */
void syt_description_dup(int from, int to);
/* Forgets the description of FD. Call it before the real close, or when FD may become another file. */
void syt_description_close(int fd);

/* Returns the description of FD, 0: unknown. */
uint64_t syt_description_of(int fd);
/* Returns SYT_DESCRIPTION_*: the locks taken through FD or through the descriptor that FD duplicates. */
unsigned syt_description_locks(int fd);
void syt_description_locked(int fd, unsigned what);

/* Returns the lowest descriptor in [FD, LAST] with a known description, or -1. */
int syt_description_next(int fd, unsigned last);

#endif
