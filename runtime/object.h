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

struct syt_object_entry {
	uint64_t key; /* syt_object_key; 0: free */
	uint32_t id, generation;
};

/* By place and, where that is taken, in the places behind it. NULL until the first object. */
extern struct syt_object_entry *syt_object_entries __attribute__((visibility("hidden")));

#define SYT_OBJECT_BITS 20 /* of the number of entries */
#define SYT_OBJECT_SPREAD UINT64_C(0x9e3779b97f4a7c15)
#define SYT_OBJECT_KIND_BITS 8 /* of a key; the kind's top bit: a process-shared object */

static inline uint64_t syt_object_key(unsigned kind, uintptr_t address)
{
	return (uint64_t)address << SYT_OBJECT_KIND_BITS | kind;
}

/* Where the search for ADDRESS in T begins. Neighbours in memory are neighbours in the table: an entry has as many
 * bytes as the addresses that share one. */
static inline struct syt_object_entry *syt_object_home(struct syt_object_entry *t,
                                                       uintptr_t address)
{
	uint64_t page = (address >> 12) * SYT_OBJECT_SPREAD >> (60 - SYT_OBJECT_BITS);
	uint64_t at = (page & (((UINT64_C(1) << SYT_OBJECT_BITS) - 1) << 4 & ~UINT64_C(0xfff))) |
	              (address & 0xff0);

	return (struct syt_object_entry *)((char *)t + at);
}
_Static_assert(sizeof(struct syt_object_entry) == 16, "an entry for each 16 bytes of a page");

/* Not to be called but by the next one. */
uint32_t syt_object_slow(enum syt_kind kind, const volatile void *address);

/* The object of KIND at ADDRESS, private to this process. Reads *ADDRESS at a semaphore's first use only: call it before the
 * real call. */
static inline uint32_t syt_object(enum syt_kind kind, const volatile void *address)
{
	struct syt_object_entry *t = __atomic_load_n(&syt_object_entries, __ATOMIC_ACQUIRE);

	/* nearly always the object has an id, and stands where the search for it begins */
	if (__builtin_expect(t != NULL, 1)) {
		const struct syt_object_entry *e = syt_object_home(t, (uintptr_t)address);
		uint32_t id = __atomic_load_n(&e->id, __ATOMIC_ACQUIRE);

		if (__builtin_expect(id && __atomic_load_n(&e->key, __ATOMIC_RELAXED) ==
		                                     syt_object_key(kind, (uintptr_t)address),
		                     1))
			return id;
	}
	return syt_object_slow(kind, address);
}

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
