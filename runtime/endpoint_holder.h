/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Who holds which eventfd, epoll instance, timerfd or signalfd, in the trace's shared file.  The
 * kernel has no name for them, but it says whether two fds of two processes are one object
 * (kcmp): so an fd that arrived unseen is compared with those that are held.
 *
 * An entry is there from after the fd's birth to before its close; that it was there before and
 * after the comparison proves what it said.  A process that was killed leaves its entries; they
 * count for nothing when its pid is another one's.  A full table, a process of another user, of
 * another pid namespace or without /proc, and any filter of system calls mean: not known.
 *
 * Inside of runtime/ only; lock-free; no fd opened; any thread, signal handlers included.
 */
#ifndef SYT_RUNTIME_ENDPOINT_HOLDER_H
#define SYT_RUNTIME_ENDPOINT_HOLDER_H

#include "runtime/endpoint.h"

/* FD of this process refers to A, if the table does not know it of another fd. */
void syt_holder_put(int fd, const struct syt_endpoint_anon *a);
/* FD will be closed: false if the table does not say that it refers to what IDENTITY names. */
bool syt_holder_remove(int fd, uint64_t identity);
/* Fills A, whose kind is FD's, with what FD refers to; false: nobody knows. */
bool syt_holder_find(int fd, struct syt_endpoint_anon *a);
/* This process holds nothing any more. */
void syt_holder_leave(void);

#endif
