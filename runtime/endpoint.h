/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * File descriptors and the endpoints behind them.
 *
 * A process-private table maps fd -> endpoint; fork copies it.  Byte counters of an endpoint live in
 * the trace's shared file (struct syt_endpoint_slot), so that offsets stay absolute when several
 * processes hold the endpoint.  An fd that was not seen being opened is adopted at first use.
 * Lock-free; any thread; no libc call, no errno.  System calls are made at birth and adoption only.
 */
#ifndef SYT_RUNTIME_ENDPOINT_H
#define SYT_RUNTIME_ENDPOINT_H

#include <stdbool.h>
#include <stdint.h>

#include "format/format.h"

struct syt_endpoint; /* one entry of the fd table */

/* The endpoint behind FD, adopted when unknown; never NULL for fd >= 0 that is open; NULL otherwise. */
struct syt_endpoint *syt_endpoint_get(int fd);

/* Object id and kind for events. E may be NULL: 0, SYT_KIND_OTHER. */
uint32_t syt_endpoint_object(struct syt_endpoint *e);
enum syt_kind syt_endpoint_kind(const struct syt_endpoint *e);

/* FD was just returned by a call that creates an endpoint of KIND. */
struct syt_endpoint *syt_endpoint_open(int fd, enum syt_kind kind);
/* The two ends of socketpair are each other's peer; a pipe's two fds are one object. */
void syt_endpoint_pair(int fd0, int fd1, enum syt_kind kind);
/* A socket's addresses are known now or have changed (bind, listen, connect, accept). */
void syt_endpoint_named(int fd);
/* TO refers to what FROM refers to (dup family). */
void syt_endpoint_dup(int from, int to);
/* Before the real close. True when no fd of this process refers to the endpoint any more. The fd's
 * entry is cleared here, because the number can be reused before close returns. */
bool syt_endpoint_close(int fd);
/* The close failed with EBADF or the like: nothing to undo, the fd is adopted again at its next use. */

/* BYTES (or messages, or units) went out of / into E: returns the offset of the first, and sets
 * *KNOWN to false when offsets of this endpoint are not known. */
uint64_t syt_endpoint_sent(struct syt_endpoint *e, uint64_t bytes, bool *known);
uint64_t syt_endpoint_received(struct syt_endpoint *e, uint64_t bytes, bool *known);
/* The offset that the next received byte will have (MSG_PEEK). */
uint64_t syt_endpoint_position(struct syt_endpoint *e, bool *known);

/* 64-bit hash of a socket address (family, address, port; v4-mapped v6 as v4), never 0; 0 for none. */
uint64_t syt_address_hash(const void *sockaddr, uint32_t bytes);

/* In a forked child: every inherited fd is one more reference, and objects are defined anew. */
void syt_endpoint_fork_child(void);

#endif
