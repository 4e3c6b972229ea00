/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * The endpoints that this process holds: one record per endpoint, for any number of fds.
 *
 * A word identifies a record: sequence << 25 | writer << 24 | index of the record. Sequences are never
 * reused, so a word identifies one endpoint for ever. A record belongs to one word until the process has
 * closed the endpoint.
 *
 * Only runtime/ uses these functions. They are lock-free and may run in any thread and in signal handlers.
 */
#ifndef SYT_RUNTIME_ENDPOINT_RECORD_H
#define SYT_RUNTIME_ENDPOINT_RECORD_H

#include "runtime/endpoint.h"
#include "runtime/endpoint_probe.h"

#define SYT_WORD_INDEX_BITS 24
#define SYT_WORD_INDEX ((UINT64_C(1) << SYT_WORD_INDEX_BITS) - 1)
#define SYT_WORD_WRITER (UINT64_C(1) << SYT_WORD_INDEX_BITS)
#define SYT_WORD_SEQUENCE_SHIFT (SYT_WORD_INDEX_BITS + 1)

/* Makes a record with one reference and defines an object for FD's endpoint, which P describes. Returns the
 * record's word, or 0 on failure. */
uint64_t syt_endpoint_record_add(int fd, struct syt_probe *p, bool is_birth, unsigned flags);

/* Returns the word of the endpoint that P describes if this process already holds it by another fd without
 * a dup: it came back through a socket, or a FIFO was opened twice. Returns 0 if the endpoint is new. */
uint64_t syt_endpoint_record_find(const struct syt_probe *p);

/* Copies the endpoint of WORD to E. Returns false if no fd refers to the endpoint any more. FD, if >= 0,
 * refers to the endpoint. */
bool syt_endpoint_record_read(uint64_t word, int fd, struct syt_endpoint *e);

/* Counts one more fd that refers to WORD's endpoint. Returns false if the endpoint is gone. */
bool syt_endpoint_record_hold(uint64_t word);
/* Counts one fd less that refers to WORD's endpoint. Returns true if it was the last fd of this process. */
bool syt_endpoint_record_drop(uint64_t word);

/* Returns true if more than one fd refers to the endpoint. */
bool syt_endpoint_record_has_others(uint64_t word);

/* Returns the id of the endpoint's object in this process' dump if the endpoint is open and its object is
 * defined, else 0. */
uint32_t syt_endpoint_record_defined(uint64_t word);
/* Returns an fd that once referred to WORD's endpoint, or -1. */
int syt_endpoint_record_fd(uint64_t word);
/* Returns the id of the object of WORD's endpoint in this process' dump; 0: the endpoint is gone. FD, if >=
 * 0, refers to the endpoint. */
uint32_t syt_endpoint_record_object(uint64_t word, int fd);

/* Returns the properties of WORD's endpoint; domain 0: the endpoint is no internet socket, or gone. */
struct syt_inet syt_endpoint_record_inet(uint64_t word);

/* If WORD's endpoint has no name in the kernel (eventfd etc.), fills A and returns true. */
bool syt_endpoint_record_anon(uint64_t word, struct syt_endpoint_anon *a);

/* Writes the addresses of E's socket, which P contains, to the dump, and updates E. */
void syt_endpoint_record_name(struct syt_endpoint *e, struct syt_probe *p);
/* Returns true if the dump needs a name for E's object, and assumes that it gets one. */
bool syt_endpoint_record_needs_name(const struct syt_endpoint *e);
/* Records that a send through WORD's endpoint is split into datagrams of BYTES. */
void syt_endpoint_record_split(uint64_t word, uint16_t bytes);
/* Records that WORD's socket, which P describes, is a listening socket from now on. */
void syt_endpoint_record_listen(uint64_t word, const struct syt_probe *p);

/* syt_endpoint_record_leave(): the process image ends, so other processes ignore its fds.
 * syt_endpoint_record_stay(): the exec failed, so the image continues. */
void syt_endpoint_record_leave(void);
void syt_endpoint_record_stay(void);

/* Called in a forked child: counts every record as one more reference to its endpoint, and makes the child
 * define the objects again. */
void syt_endpoint_record_fork_child(void);

#endif
