/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Records the file locks that the close of an fd releases. A process loses its record locks on a file when it
 * closes any fd of the file. A lock of an open file description (flock, F_OFD_SETLK) ends with its last fd. */
#ifndef SYT_PRELOAD_FILELOCK_H
#define SYT_PRELOAD_FILELOCK_H

#include "preload/io.h"

/* The locks that a close may release. */
struct syt_unlocked {
	uint32_t flock, record; /* ids of the lock objects; 0: no lock */
	uint64_t description;
};

/* Finds the locks of FD before the real close. If the process has no file locks, this costs a load and a
 * test. */
void syt_filelock_begin_close(struct syt_unlocked *u, int fd);
/* Records the release of the locks U with the time stamps of X. Called after a close that succeeded. */
void syt_filelock_end_close(struct syt_io *x, const struct syt_unlocked *u);

bool syt_filelock_is_command(int command);
/* Makes and records an fcntl call with a lock command, and returns its result. FP is the wrapper's frame. */
int syt_filelock_fcntl(int fd, int command, void *argument, const void *fp);

#endif
