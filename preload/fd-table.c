/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The link count of the directory /proc/self/task gives the number of threads of a process. The link count
 * includes threads that no wrapper has seen, and stat() needs no file descriptor. A vfork child is a process
 * with its own fd table. Two processes share a table after a clone with CLONE_FILES, until one of them calls
 * exec. */
#include "preload/fd-table.h"

#include <fcntl.h>
#include <linux/sched.h>
#include <sys/stat.h>

#include "runtime/sys.h" /* called before an exec, so errno must stay unchanged */

#define NLINK_ALONE 3 /* ".", the entry in the parent directory, one thread */

/* true: the fd table may be shared with another process, whose end is not visible */
static bool is_shared;

bool syt_fd_table_is_unshared(void)
{
	struct stat st;

	/* a directory that is not in the kernel's /proc has another size or mode */
	return !__atomic_load_n(&is_shared, __ATOMIC_RELAXED) &&
	       SYT_SYS_4(SYS_newfstatat, AT_FDCWD, "/proc/self/task", &st, 0) == 0 &&
	       st.st_mode == (S_IFDIR | 0555) && st.st_size == 0 && st.st_nlink == NLINK_ALONE;
}

void syt_fd_table_cloned(uint64_t flags)
{
	if ((flags & (CLONE_FILES | CLONE_THREAD)) == CLONE_FILES)
		__atomic_store_n(&is_shared, true, __ATOMIC_RELAXED);
}
