/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* An open-addressing table maps (address, kind) of a sync object to its id. A compare-and-swap claims an entry,
 * and no entry ever moves. The end of an object clears the entry's id and increments its generation. Neighbours
 * in memory stay neighbours in the table: a spreading hash would touch one page for each object at first. */
#include "runtime/object.h"

#include <string.h>

#include "runtime/cache.h"
#include "runtime/clock.h"
#include "runtime/dump.h"
#include "runtime/forked.h"
#include "runtime/map.h"
#include "runtime/meta.h"

#define NR_ENTRIES (1u << SYT_OBJECT_BITS)
#define NR_NEAR 32u
#define NR_FAR 1024u     /* number of entries to search; more than the entries of a full page */
#define SHARED_BIT 0x80u /* bit of the kind in a key: the object is process-shared */

struct syt_object_entry *syt_object_entries;
SYT_FORKED static uint32_t next_id; /* the last id assigned */
SYT_FORKED static uint32_t nr_forks;

void syt_objects_reset(void)
{
	if (syt_object_entries)
		syt_map_reset(syt_object_entries, NR_ENTRIES * sizeof(*syt_object_entries));
	next_id = 0;
	nr_forks++;
}

static struct syt_object_entry *table(void)
{
	return syt_map_chunk((void **)&syt_object_entries,
	                     NR_ENTRIES * sizeof(*syt_object_entries));
}

void syt_objects_prepare(void)
{
	table();
}

/* Returns the entry of KEY among the N entries from AT on. If KEY has no entry, claims a free entry if
 * IS_NEW, else returns NULL. */
static struct syt_object_entry *probe(struct syt_object_entry *t, uint64_t key, uint32_t at,
                                      uint32_t n, bool is_new)
{
	for (uint32_t i = 0; i < n; i++) {
		struct syt_object_entry *e = &t[(at + i) % NR_ENTRIES];
		uint64_t found = __atomic_load_n(&e->key, __ATOMIC_ACQUIRE);

		if (found == key)
			return e;
		if (found)
			continue;
		if (!is_new)
			return NULL;
		if (__atomic_compare_exchange_n(&e->key, &found, key, false, __ATOMIC_ACQ_REL,
		                                __ATOMIC_ACQUIRE) ||
		    found == key)
			return e;
	}
	return NULL;
}

static uint32_t hash(uint64_t v)
{
	return (uint32_t)((v * SYT_OBJECT_SPREAD) >> (64 - SYT_OBJECT_BITS));
}

static struct syt_object_entry *find(unsigned kind, uintptr_t address, bool is_new)
{
	uint64_t key = syt_object_key(kind, address);
	struct syt_object_entry *t = table();
	struct syt_object_entry *e;

	if (__builtin_expect(!t, 0))
		return NULL;
	e = probe(t, key, (uint32_t)(syt_object_home(t, address) - t), NR_NEAR, is_new);
	/* the memory page of ADDRESS has more objects than its part of the table holds: search at the hash
	 * of the key */
	return e ? e : probe(t, key, hash(key), NR_FAR, is_new);
}

/* The identities of shared objects, by number of forks and object id. */
static struct syt_cache identities;

static uint64_t identity_key(uint32_t object)
{
	return (uint64_t)nr_forks << 32 | object;
}

uint64_t syt_object_identity(uint32_t object)
{
	return syt_cache_find(&identities, identity_key(object));
}

uint32_t syt_object_define(const struct syt_meta_object *def)
{
	struct syt_meta_object m = *def;

	m.object = __atomic_add_fetch(&next_id, 1, __ATOMIC_RELAXED);
	m.ticks = syt_clock_release();
	syt_meta_append(SYT_META_OBJECT, &m, sizeof(m), NULL, 0, NULL, 0);
	syt_object_defined(m.object);
	return m.object;
}

/* Returns the object id of the entry E. If E has no id, defines the object with DEF; the definition is in
 * the dump before other threads see the id. */
static uint32_t get_id(struct syt_object_entry *e, struct syt_meta_object *def)
{
	uint32_t id = 0, mine;

	/* generations of an address are counted in one process, so a process-shared object has no generation */
	if (!(def->flags & SYT_OBJECT_SHARED))
		def->generation = __atomic_load_n(&e->generation, __ATOMIC_ACQUIRE);
	if (!(def->flags & SYT_OBJECT_VALUE))
		def->fd = UINT32_MAX;
	mine = syt_object_define(def);
	if (def->flags & SYT_OBJECT_SHARED)
		syt_cache_learn(&identities, identity_key(mine), def->identity);
	/* if another thread has stored its id first, the definition made here stays unused */
	return __atomic_compare_exchange_n(&e->id, &id, mine, false, __ATOMIC_ACQ_REL,
	                                   __ATOMIC_ACQUIRE)
	               ? mine
	               : id;
}

/*
 * Stores the value of the semaphore at ADDRESS in its definition DEF. A forked child inherits semaphores, and
 * only its own memory shows how many tokens it has: a thread of the parent may post while another one forks.
 *
 * The value is exact. Each wrapper looks up the object before the real call, so operations of this process
 * begin after the object has its id. This function reads the value before the object has its id. If two threads
 * define the semaphore at once, the operations of both threads begin after the definition that wins. In shared
 * memory another process may change the value at any time, so the value is not noted there.
 */
static void note_value(struct syt_meta_object *def, const volatile void *address)
{
	if (syt_shared_find(address, NULL))
		return;
	/* in glibc's sem_t, the low half of the first 64-bit word holds the value, the high half the number
	 * of waiters */
	def->fd = __atomic_load_n((const volatile uint32_t *)address, __ATOMIC_RELAXED);
	def->flags |= SYT_OBJECT_VALUE;
}

uint32_t syt_object_slow(enum syt_kind kind, const volatile void *address)
{
	struct syt_object_entry *e = find(kind, (uintptr_t)address, true);
	uint32_t id;

	if (!e) {
		syt_lost(SYT_LOSS_OBJECTS, 1);
		return 0;
	}
	id = __atomic_load_n(&e->id, __ATOMIC_ACQUIRE);
	if (__builtin_expect(id != 0, 1))
		return id;
	struct syt_meta_object def = {.kind = (uint8_t)kind, .identity = (uintptr_t)address};

	if (kind == SYT_KIND_SEM)
		note_value(&def, address);
	return get_id(e, &def);
}

uint32_t syt_object_shared(enum syt_kind kind, const volatile void *address)
{
	struct syt_object_entry *e = find(kind | SHARED_BIT, (uintptr_t)address, true);
	struct syt_meta_object def = {.kind = (uint8_t)kind};
	uint32_t id, epoch;

	if (!e) {
		syt_lost(SYT_LOSS_OBJECTS, 1);
		return 0;
	}
	epoch = syt_shared_epoch();
	id = __atomic_load_n(&e->id, __ATOMIC_ACQUIRE);
	if (id && __atomic_load_n(&e->generation, __ATOMIC_RELAXED) == epoch)
		return id;
	/* a shared mapping was unmapped since the entry got its id, and another mapping may be at this
	 * address now */
	__atomic_store_n(&e->generation, epoch, __ATOMIC_RELAXED);
	__atomic_store_n(&e->id, 0, __ATOMIC_RELEASE);
	def.identity = syt_shared_find(address, &def.flags);
	if (!def.identity) {
		def.identity = (uintptr_t)address;
		def.flags = SYT_OBJECT_PRESHARED;
	}
	return get_id(e, &def);
}

static uint32_t named(enum syt_kind kind, uintptr_t key, uint64_t identity)
{
	struct syt_object_entry *e = find(kind | SHARED_BIT, key, true);
	struct syt_meta_object def = {
		.kind = (uint8_t)kind, .flags = SYT_OBJECT_SHARED, .identity = identity};
	uint32_t id;

	if (!e) {
		syt_lost(SYT_LOSS_OBJECTS, 1);
		return 0;
	}
	id = __atomic_load_n(&e->id, __ATOMIC_ACQUIRE);
	return id ? id : get_id(e, &def);
}

/* IDENTITY has its top bit set, and no address has this bit, so the key differs from the keys of addresses. */
uint32_t syt_object_global(enum syt_kind kind, uint64_t identity)
{
	return named(kind, (uintptr_t)(identity >> SYT_OBJECT_KIND_BITS), identity);
}

uint32_t syt_object_numbered(enum syt_kind kind, uint32_t number)
{
	return named(kind, number, number);
}

void syt_object_end(enum syt_kind kind, const volatile void *address)
{
	struct syt_object_entry *e = find(kind, (uintptr_t)address, false);

	if (e && __atomic_load_n(&e->id, __ATOMIC_ACQUIRE)) {
		__atomic_fetch_add(&e->generation, 1, __ATOMIC_ACQ_REL);
		__atomic_store_n(&e->id, 0, __ATOMIC_RELEASE);
	}
}

void syt_object_name(uint32_t object, const char *name)
{
	if (object)
		syt_meta_text(SYT_TEXT_OBJECT_NAME, object, name, strlen(name));
}
