/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Ids of sync objects in memory. Maps (kind, address, generation) to a small number, which is defined in the
 * dump at first use, or to 0 if the table is full (counted). All functions are lock-free and may run in any
 * thread and in signal handlers. */
#ifndef SYT_RUNTIME_OBJECT_H
#define SYT_RUNTIME_OBJECT_H

#include <stdbool.h>
#include <stdint.h>

#include "format/format.h"

struct syt_object_entry {
	uint64_t key; /* syt_object_key; 0: free */
	uint32_t id, generation;
};

/* The table of sync objects, NULL until the first object. An object's entry is at its home position
 * (syt_object_home) or at one of the next positions. */
extern struct syt_object_entry *syt_object_entries __attribute__((visibility("hidden")));

#define SYT_OBJECT_BITS 20 /* log2 of the number of entries */
#define SYT_OBJECT_SPREAD UINT64_C(0x9e3779b97f4a7c15)
/* number of low bits of a key with the kind; the top one: process-shared */
#define SYT_OBJECT_KIND_BITS 8

static inline uint64_t syt_object_key(unsigned kind, uintptr_t address)
{
	return (uint64_t)address << SYT_OBJECT_KIND_BITS | kind;
}

/* Returns the entry where the search for ADDRESS in T begins. Objects that are neighbours in memory are
 * neighbours in the table: one entry of N bytes stands for N bytes of memory. */
static inline struct syt_object_entry *syt_object_home(struct syt_object_entry *t,
                                                       uintptr_t address)
{
	uint64_t page = (address >> 12) * SYT_OBJECT_SPREAD >> (60 - SYT_OBJECT_BITS);
	uint64_t at = (page & (((UINT64_C(1) << SYT_OBJECT_BITS) - 1) << 4 & ~UINT64_C(0xfff))) |
	              (address & 0xff0);

	return (struct syt_object_entry *)((char *)t + at);
}
_Static_assert(sizeof(struct syt_object_entry) == 16, "an entry for each 16 bytes of a page");

/* Slow path of syt_object. Do not call it directly. */
uint32_t syt_object_slow(enum syt_kind kind, const volatile void *address);

/* Returns the id of the object of KIND at ADDRESS, private to this process. The first use of a
 * semaphore reads *ADDRESS: call this function before the real call. */
static inline uint32_t syt_object(enum syt_kind kind, const volatile void *address)
{
	struct syt_object_entry *t = __atomic_load_n(&syt_object_entries, __ATOMIC_ACQUIRE);

	/* nearly always the object has an id, and its entry is at its home position */
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

/* Returns the id of a process-shared object (its pshared flag is set). The object's offset in a shared
 * mapping (syt_shared_map) identifies it in every process of the trace. */
uint32_t syt_object_shared(enum syt_kind kind, const volatile void *address);

/* Returns the id of an object of KIND with a system-wide name: IDENTITY, a hash with the top bit set. */
uint32_t syt_object_global(enum syt_kind kind, uint64_t identity);
/* Returns the id of an object with a number that means the same in all processes of the trace, such as a
 * signal. */
uint32_t syt_object_numbered(enum syt_kind kind, uint32_t number);

/* Begins a new generation at ADDRESS: an object was created or destroyed there. */
void syt_object_end(enum syt_kind kind, const volatile void *address);

/* Writes the definition of a new object without an address (an endpoint). Returns its id. */
uint32_t syt_object_define(const struct syt_meta_object *def);

/* Called after an object was defined: the dump gets the call stack of the thread's next event on it (frame.c). */
void syt_object_defined(uint32_t object);

/* Maps the table of objects before a program forbids its own system calls, because the first object could
 * not map it afterwards. */
void syt_objects_prepare(void);

/* Returns the name of OBJECT that is the same in all processes of the trace, or 0 if the object has none or is one of many. */
uint64_t syt_object_identity(uint32_t object);

/* Records a name for people, such as the name of a named semaphore. */
void syt_object_name(uint32_t object, const char *name);

/* Records a shared mapping, for the wrappers of the mmap family. IDENTITY and OFFSET are the trace-wide
 * name of the byte at ADDRESS. IDENTITY comes from device and inode, and has its top bit set, or from a
 * trace-wide counter for anonymous memory. syt_shared_unmap forgets the mappings in a range. */
void syt_shared_map(const void *address, uint64_t bytes, uint64_t identity, uint64_t offset);
void syt_shared_unmap(const void *address, uint64_t bytes);
/* Forgets the shared mappings in a range of addresses and copies the first NR of them to PIECES, so that
 * syt_shared_map can add them again, at the same or another address. Returns the number copied. */
struct syt_shared_piece {
	uint64_t at, bytes; /* offset from the start of the range */
	uint64_t identity, offset;
};
unsigned syt_shared_take(const void *address, uint64_t bytes, struct syt_shared_piece *pieces,
                         unsigned nr);
/* Returns the trace-wide name of the byte at ADDRESS, 0 if it is in no known shared mapping. If it is in one, adds to *FLAGS,
 * unless FLAGS is NULL, the flags SYT_OBJECT_* that tell where the name is unique. */
uint64_t syt_shared_find(const volatile void *address, uint16_t *flags);
/* Returns a number that increases when a shared mapping is unmapped, because earlier results of
 * syt_shared_find may then be outdated. */
uint32_t syt_shared_epoch(void);
/* Returns a number that no other mapping or object in the trace has; 0: there is no trace. */
uint64_t syt_shared_identity(void);

#endif
