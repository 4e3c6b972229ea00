/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "runtime/own.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <time.h>

#include "runtime/sys.h"

/* If an access control list lets other users write, the file's group bits show that, too. */
#define OTHERS_WRITE (S_IWGRP | S_IWOTH)

/* Number of tries to open a file with two names: without RENAME_NOREPLACE, the shared file gets its name by
 * a hard link (runtime/trace-file.c), so for a moment it has two names. */
#define NR_LINK_TRIES 50u
#define LINK_WAIT_NS 1000000

static bool is_own(const struct stat *st)
{
	return (long)st->st_uid == SYT_SYS_0(SYS_geteuid) && !(st->st_mode & OTHERS_WRITE);
}

long syt_own_directory(const char *path)
{
	long fd = SYT_SYS_4(SYS_openat, AT_FDCWD, path,
	                    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0);
	struct stat st;

	if (fd < 0 || (SYT_SYS_2(SYS_fstat, fd, &st) == 0 && is_own(&st)))
		return fd;
	SYT_SYS_1(SYS_close, fd);
	return -EPERM;
}

long syt_own_file(long dir, const char *name, int flags, struct stat *st)
{
	const struct timespec wait = {0, LINK_WAIT_NS};
	/* O_NONBLOCK: opening a FIFO would wait for its other end */
	long fd = SYT_SYS_4(SYS_openat, dir, name,
	                    flags | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0);

	if (fd < 0)
		return fd;
	for (unsigned tries = 0; SYT_SYS_2(SYS_fstat, fd, st) == 0 && S_ISREG(st->st_mode) &&
	                         is_own(st) && tries < NR_LINK_TRIES;
	     tries++) {
		if (st->st_nlink == 1)
			return fd;
		if (st->st_nlink > 2)
			break;
		SYT_SYS_2(SYS_nanosleep, &wait, NULL);
	}
	SYT_SYS_1(SYS_close, fd);
	return -EPERM;
}
