/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Maps the 64 bits of user data that epoll_wait returns to the endpoint that the program registered with them.
 * The table is private to the process (fork copies it) and lock-free. Any thread and signal handler may use it.
 * If several live endpoints of one epoll instance share their user data, or the table was full, the answer is 0
 * (unknown), never a guess. */
#ifndef SYT_RUNTIME_WATCH_H
#define SYT_RUNTIME_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/endpoint.h"

/* Call it before EPOLL_CTL_ADD or _MOD: another thread's epoll_wait may return DATA at once. */
void syt_watch_begin(const struct syt_endpoint *epoll, const struct syt_endpoint *watched,
                     uint64_t data);
/* Call it after EPOLL_CTL_ADD or _MOD. syt_watch_commit: the call succeeded, and WATCHED has only the user
 * data DATA now. syt_watch_undo: the call failed, and the earlier user data are valid again. */
void syt_watch_commit(const struct syt_endpoint *epoll, const struct syt_endpoint *watched,
                      uint64_t data);
void syt_watch_undo(const struct syt_endpoint *epoll, const struct syt_endpoint *watched,
                    uint64_t data);
/* Call it after EPOLL_CTL_DEL. */
void syt_watch_end(const struct syt_endpoint *epoll, const struct syt_endpoint *watched);

/* Returns the object id of the endpoint that was registered with the user data DATA in the epoll instance that the word
 * EPOLL identifies (struct syt_endpoint), or 0. */
uint32_t syt_watch_object(uint64_t epoll, uint64_t data);
/* Returns the word of this endpoint, or 0. */
uint64_t syt_watch_word(uint64_t epoll, uint64_t data);
/* Copies this endpoint to E. Returns false if it is unknown. */
bool syt_watch_endpoint(uint64_t epoll, uint64_t data, struct syt_endpoint *e);

#endif
