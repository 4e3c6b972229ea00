/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * The kernel counts a process's threads, those too that no wrapper has seen, as links of a
 * directory: no descriptor is needed to ask.  A vfork child is a process with a table of its own.
 * Other processes share a table when clone was told so; an exec ends that.
 */
#include "preload/fd-table.h"

#include <fcntl.h>
#include <linux/sched.h>
#include <sys/stat.h>

#include "runtime/sys.h" /* asked before an exec: no errno */

#define NLINK_ALONE 3 /* ".", the name in the folder above, one thread */

static bool is_shared; /* with a process; never taken back, for nobody says when that ends */

bool syt_fd_table_is_unshared(void)
{
	struct stat st;

	/* size and mode: a folder of that name that is not the kernel's looks otherwise */
	return !__atomic_load_n(&is_shared, __ATOMIC_RELAXED) &&
	       SYT_SYS_4(SYS_newfstatat, AT_FDCWD, "/proc/self/task", &st, 0) == 0 &&
	       st.st_mode == (S_IFDIR | 0555) && st.st_size == 0 && st.st_nlink == NLINK_ALONE;
}

void syt_fd_table_cloned(uint64_t flags)
{
	if ((flags & (CLONE_FILES | CLONE_THREAD)) == CLONE_FILES)
		__atomic_store_n(&is_shared, true, __ATOMIC_RELAXED);
}
