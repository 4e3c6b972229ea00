/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * The endpoints that this process holds: one record per endpoint, for any number of fds.
 *
 * A word identifies a record: sequence << 25 | writer << 24 | index of the record. Sequences are never
 * reused, so a word identifies one endpoint for ever. A record belongs to the word as long as it lives.
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

/* Makes a record and an object for FD as P describes it, with one reference. Returns the word, or 0. */
uint64_t syt_endpoint_record_add(int fd, struct syt_probe *p, bool is_birth, unsigned flags);

/* Finds the word of an endpoint that this process already holds through an fd that was not duplicated.
 * Examples: it came back through a socket, or a FIFO was opened twice. Returns 0 if there is none. */
uint64_t syt_endpoint_record_find(const struct syt_probe *p);

/* Reads WORD's record into E. Returns false if the record is gone. FD, if >= 0, refers to it. */
bool syt_endpoint_record_read(uint64_t word, int fd, struct syt_endpoint *e);

/* Adds an fd that refers to WORD's endpoint. Returns false if the endpoint is gone. */
bool syt_endpoint_record_hold(uint64_t word);
/* Removes an fd. Returns true if it was the last fd of this process. */
bool syt_endpoint_record_drop(uint64_t word);

/* Returns true if more than one fd refers to the endpoint. */
bool syt_endpoint_record_has_others(uint64_t word);

/* Returns the endpoint's object in this process' dump if it is alive and defined, else 0. */
uint32_t syt_endpoint_record_defined(uint64_t word);
/* Returns an fd that once referred to WORD's endpoint, or -1. */
int syt_endpoint_record_fd(uint64_t word);
/* Returns the object of WORD's endpoint in this process' dump; 0: gone. FD, if >= 0, refers to it. */
uint32_t syt_endpoint_record_object(uint64_t word, int fd);

/* Returns the properties of WORD's endpoint; domain 0: no internet socket, or gone. */
struct syt_inet syt_endpoint_record_inet(uint64_t word);

/* Fills A and returns true if WORD's endpoint has no name in the kernel. */
bool syt_endpoint_record_anon(uint64_t word, struct syt_endpoint_anon *a);

/* Defines E's addresses from P; renews E. */
void syt_endpoint_record_name(struct syt_endpoint *e, struct syt_probe *p);
/* Records that a send through WORD's endpoint is split into datagrams of BYTES. */
void syt_endpoint_record_split(uint64_t word, uint16_t bytes);
/* Records from P that WORD's endpoint listens from now on. */
void syt_endpoint_record_listen(uint64_t word, const struct syt_probe *p);

/* syt_endpoint_record_leave(): the process image ends, so other processes ignore its fds.
 * syt_endpoint_record_stay(): the image goes on after all. */
void syt_endpoint_record_leave(void);
void syt_endpoint_record_stay(void);

/* Called in a forked child: every record is one more reference, and objects are defined anew. */
void syt_endpoint_record_fork_child(void);

#endif
