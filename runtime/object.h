/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Ids of sync objects that live in memory: (kind, address, generation) -> small number, defined in
 * the dump at first use.  Lock-free; any thread, signal handlers included; id 0 when the table is
 * full (counted).
 */
#ifndef SYT_RUNTIME_OBJECT_H
#define SYT_RUNTIME_OBJECT_H

#include <stdbool.h>
#include <stdint.h>

#include "format/format.h"

/* The object of KIND at ADDRESS, private to this process. Does not touch *ADDRESS. */
uint32_t syt_object(enum syt_kind kind, const volatile void *address);

/* The same for an object that its own flag word says is shared between processes: identified by its
 * place in a shared mapping (syt_shared_map), so that every process of the trace gives it one name.
 */
uint32_t syt_object_shared(enum syt_kind kind, const volatile void *address);

/* The object of KIND that has a name in the whole system: IDENTITY, a hash with its top bit set. */
uint32_t syt_object_global(enum syt_kind kind, uint64_t identity);
/* An object that is the same in all processes of the trace and has a number: a signal. */
uint32_t syt_object_numbered(enum syt_kind kind, uint32_t number);

/* An object was born at or has died at ADDRESS: the next use there is a new generation. */
void syt_object_end(enum syt_kind kind, const volatile void *address);

/* A new object that no address names (endpoints): returns its id and writes its definition. */
uint32_t syt_object_define(const struct syt_meta_object *def);

/* Before the program gives up system calls: maps the table, which otherwise waits for the first object. */
void syt_objects_prepare(void);

/* A name for a person, e.g. of a named semaphore. */
void syt_object_name(uint32_t object, const char *name);

/* Shared mappings, kept by the mmap family's wrappers. IDENTITY and OFFSET: trace-wide name of the
 * byte at ADDRESS (from device and inode, or from a trace-wide counter for anonymous memory). */
void syt_shared_map(const void *address, uint64_t bytes, uint64_t identity, uint64_t offset);
void syt_shared_unmap(const void *address, uint64_t bytes);
/* Takes the mappings in a range out, the first NR of them into PIECES; returns how many. They are
 * put in again, there or elsewhere, by syt_shared_map. */
struct syt_shared_piece {
	uint64_t at, bytes; /* from the start of the range */
	uint64_t identity, offset;
};
unsigned syt_shared_take(const void *address, uint64_t bytes, struct syt_shared_piece *pieces,
                         unsigned nr);
/* The trace-wide name of the byte at ADDRESS, 0 when it is in no known shared mapping. */
uint64_t syt_shared_find(const volatile void *address);
/* Grows whenever a shared mapping goes: what was found before may not hold any more. */
uint32_t syt_shared_epoch(void);
/* A trace-wide number that no other mapping or object has. */
uint64_t syt_shared_identity(void);

#endif
