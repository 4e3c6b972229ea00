/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Runs a function in a child process that shares this process's memory, but has its own file descriptors. */
#ifndef SYT_PRELOAD_CHILD_RUN_H
#define SYT_PRELOAD_CHILD_RUN_H

/* Runs FN(ARG) in a child process, on the caller's stack, while the calling thread waits. FN makes raw
 * system calls only. The caller blocks all signals before and reaps the child by wait4 with __WALL, because
 * the child sends no SIGCHLD. Returns the pid of the child, or -errno if FN did not run. */
long syt_child_run(void (*fn)(void *arg), void *arg);

#endif
