/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Maps the 64 bits of user data that epoll_wait returns to the endpoint that the program registered
 * with them. The table is private to the process (fork copies it) and lock-free. Any thread, signal
 * handlers included. If several live endpoints of one epoll instance share their data, or the table
 * was full, the answer is 0: unattributed, never a guess.
 */
#ifndef SYT_RUNTIME_WATCH_H
#define SYT_RUNTIME_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/endpoint.h"

/* Call it before EPOLL_CTL_ADD or _MOD: another thread's epoll_wait may return DATA at once. */
void syt_watch_begin(const struct syt_endpoint *epoll, const struct syt_endpoint *watched,
                     uint64_t data);
/* Call it after EPOLL_CTL_ADD or _MOD. commit: the call succeeded, and only DATA means WATCHED now.
 * undo: the call failed, and the earlier meaning is valid again. */
void syt_watch_commit(const struct syt_endpoint *epoll, const struct syt_endpoint *watched,
                      uint64_t data);
void syt_watch_undo(const struct syt_endpoint *epoll, const struct syt_endpoint *watched,
                    uint64_t data);
/* Call it after EPOLL_CTL_DEL. */
void syt_watch_end(const struct syt_endpoint *epoll, const struct syt_endpoint *watched);

/* Returns the object that DATA from EPOLL means, or 0. */
uint32_t syt_watch_object(const struct syt_endpoint *epoll, uint64_t data);

#endif
