/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Locks on files, as far as closing an fd ends them: a process' record locks on a file end with any
 * fd of that file; a description's locks (flock, F_OFD_SETLK) with its last fd.
 */
#ifndef SYT_PRELOAD_FILELOCK_H
#define SYT_PRELOAD_FILELOCK_H

#include "preload/io.h"

/* What a close may unlock. */
struct syt_unlocked {
	uint32_t flock, record; /* objects, 0: nothing was locked */
	uint64_t description;
};

/* Before the real close. A load and a test in a process that locks nothing. */
void syt_filelock_begin_close(struct syt_unlocked *u, int fd);
/* After it, when it has succeeded: records, with the instants of X. */
void syt_filelock_end_close(struct syt_io *x, const struct syt_unlocked *u);

bool syt_filelock_is_command(int command);
/* fcntl with such a command. FP: the wrapper's frame. */
int syt_filelock_fcntl(int fd, int command, void *argument, const void *fp);

#endif
