/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* A function in a process that shares this memory, but not the file descriptors. */
#ifndef SYT_PRELOAD_CHILD_RUN_H
#define SYT_PRELOAD_CHILD_RUN_H

/* Runs FN(ARG) there, on this stack, while this thread waits. FN makes raw system calls only. The
 * caller has blocked all signals, and reaps the process (__WALL: it sends no SIGCHLD). Its pid, or
 * -errno: FN was not run. */
long syt_child_run(void (*fn)(void *arg), void *arg);

#endif
