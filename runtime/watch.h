/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * What an epoll instance gives back is 64 bits of the program's choice; this remembers which
 * endpoint the program meant by them.  Private to the process (fork copies it), lock-free, any
 * thread, signal handlers included.  When several live endpoints of one epoll instance share their
 * data, or there was no room to remember, the answer is 0: unattributed, never a guess.
 */
#ifndef SYT_RUNTIME_WATCH_H
#define SYT_RUNTIME_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/endpoint.h"

/* Before EPOLL_CTL_ADD or _MOD: another thread may be told of DATA before the call returns. */
void syt_watch_begin(const struct syt_endpoint *epoll, const struct syt_endpoint *watched,
                     uint64_t data);
/* After it: from now on DATA alone stands for WATCHED; on failure, what was before. */
void syt_watch_commit(const struct syt_endpoint *epoll, const struct syt_endpoint *watched,
                      uint64_t data);
void syt_watch_undo(const struct syt_endpoint *epoll, const struct syt_endpoint *watched,
                    uint64_t data);
/* After EPOLL_CTL_DEL. */
void syt_watch_end(const struct syt_endpoint *epoll, const struct syt_endpoint *watched);

/* The object that DATA from EPOLL stands for, or 0. */
uint32_t syt_watch_object(const struct syt_endpoint *epoll, uint64_t data);

#endif
