/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * A table in the trace's shared file: which process holds which eventfd, epoll instance, timerfd or
 * signalfd. The kernel has no name for them, but kcmp tells whether two fds of two processes are one
 * object. So an fd of unknown origin is compared with the fds in the table.
 *
 * An entry exists from after the fd's birth to before its close. If an entry exists before and after the
 * comparison, the result is proved. A killed process leaves its entries; they are ignored once its pid
 * belongs to another process. The result is "unknown" if the table is full or a filter of system calls is
 * active. The same holds for a process of another user, of another pid namespace or without /proc.
 *
 * Inside of runtime/ only; lock-free; no fd opened; any thread, signal handlers included.
 */
#ifndef SYT_RUNTIME_ENDPOINT_HOLDER_H
#define SYT_RUNTIME_ENDPOINT_HOLDER_H

#include "runtime/endpoint.h"

/* Enters FD of this process as holder of A, unless another fd of this process is entered for A. */
void syt_holder_put(int fd, const struct syt_endpoint_anon *a);
/* Removes the entry of FD before a close. Returns false if FD was not entered for IDENTITY. */
bool syt_holder_remove(int fd, uint64_t identity);
/* Finds the endpoint of FD, whose kind is A's, and fills the rest of A. Returns false if unknown. */
bool syt_holder_find(int fd, struct syt_endpoint_anon *a);
/* Removes all entries of this process. */
void syt_holder_leave(void);

#endif
