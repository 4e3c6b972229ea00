/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * A table in the trace's shared file: which process holds which eventfd, epoll instance, timerfd or
 * signalfd. The kernel has no name for them, but kcmp tells whether two fds of two processes are one
 * object. So an fd of unknown origin is compared with the fds in the table.
 *
 * An entry exists from after the fd's birth to before its close. If an entry exists before and after kcmp,
 * the result of kcmp is certain. A killed process leaves its entries; they are ignored once its pid belongs
 * to another process. The result is "unknown" if the table is full, a filter of system calls is active, or
 * the other process has another user or pid namespace or no /proc.
 *
 * Only runtime/ uses this table. All functions are lock-free, open no fd, and may run in any thread and in
 * signal handlers.
 */
#ifndef SYT_RUNTIME_ENDPOINT_HOLDER_H
#define SYT_RUNTIME_ENDPOINT_HOLDER_H

#include "runtime/endpoint.h"

/* Adds an entry that FD of this process refers to endpoint A, unless the table has another fd of this
 * process for A. */
void syt_holder_put(int fd, const struct syt_endpoint_anon *a);
/* Removes the entry of FD before a close. Returns false if the table has no entry of FD for the endpoint
 * IDENTITY. */
bool syt_holder_remove(int fd, uint64_t identity);
/* Finds the endpoint of FD, whose kind is in A, by comparing FD with the table's fds, and fills the rest of
 * A. Returns false if unknown. */
bool syt_holder_find(int fd, struct syt_endpoint_anon *a);
/* Removes all table entries of this process. */
void syt_holder_leave(void);

#endif
