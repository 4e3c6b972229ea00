/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Endpoints that this process holds, however many fds refer to each: a record per endpoint, named
 * by words.
 *
 * A word is sequence << 25 | writer << 24 | index of the record.  Sequences are never used again,
 * so a word names one endpoint for ever, and a record is the word's as long as it lives.
 *
 * Inside of runtime/ only; lock-free; any thread, signal handlers included.
 */
#ifndef SYT_RUNTIME_ENDPOINT_RECORD_H
#define SYT_RUNTIME_ENDPOINT_RECORD_H

#include "runtime/endpoint.h"
#include "runtime/endpoint_probe.h"

#define SYT_WORD_INDEX_BITS 24
#define SYT_WORD_INDEX ((UINT64_C(1) << SYT_WORD_INDEX_BITS) - 1)
#define SYT_WORD_WRITER (UINT64_C(1) << SYT_WORD_INDEX_BITS)
#define SYT_WORD_SEQUENCE_SHIFT (SYT_WORD_INDEX_BITS + 1)

/* A record for FD as P describes it, with its object defined and one fd that refers to it; the fd's
 * word, or 0. */
uint64_t syt_endpoint_record_add(int fd, struct syt_probe *p, bool is_birth, unsigned flags);

/* The word of an endpoint that this process holds already through an fd that it did not duplicate:
 * it came back through a socket, or a FIFO was opened twice. 0: none. */
uint64_t syt_endpoint_record_find(const struct syt_probe *p);

/* What WORD's record says now; false when it is no longer WORD's. FD, if >= 0, refers to it. */
bool syt_endpoint_record_read(uint64_t word, int fd, struct syt_endpoint *e);

/* One fd more refers to WORD's endpoint; false when it is gone. */
bool syt_endpoint_record_hold(uint64_t word);
/* One fd less. True when it was the last one of this process. */
bool syt_endpoint_record_drop(uint64_t word);

/* More than one fd refers to it. */
bool syt_endpoint_record_has_others(uint64_t word);

/* Its object in this process' dump, if it lives and that is defined; else 0. */
uint32_t syt_endpoint_record_defined(uint64_t word);
/* An fd that referred to WORD's endpoint once, or -1. */
int syt_endpoint_record_fd(uint64_t word);
/* Its object in this process' dump, 0 when it is gone. FD as above. */
uint32_t syt_endpoint_record_object(uint64_t word, int fd);

/* What WORD's endpoint is, if it is a socket of the internet; domain 0: it is none, or gone. */
struct syt_inet syt_endpoint_record_inet(uint64_t word);

/* What WORD names, if the kernel has no name for it. */
bool syt_endpoint_record_anon(uint64_t word, struct syt_endpoint_anon *a);

/* P tells E's addresses, which are defined; renews E. */
void syt_endpoint_record_name(struct syt_endpoint *e, struct syt_probe *p);
/* What WORD's endpoint sends is split into datagrams of BYTES. */
void syt_endpoint_record_split(uint64_t word, uint16_t bytes);
/* P tells that WORD's endpoint listens from now on. */
void syt_endpoint_record_listen(uint64_t word, const struct syt_probe *p);

/* The image ends: other processes need not reckon with its fds. It goes on after all. */
void syt_endpoint_record_leave(void);
void syt_endpoint_record_stay(void);

/* In a forked child: every record is one more reference, and objects are defined anew. */
void syt_endpoint_record_fork_child(void);

#endif
