/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * A small table with one entry for each hash of an identity. `changes` is odd while an entry is
 * written. A reader that finds it odd, or changed afterwards, treats the file as unknown. A writer
 * that finds it odd leaves the entry alone. A writer that a signal handler leaves for good, or that
 * a fork cuts off, costs only that entry.
 */
#include "runtime/endpoint_file.h"

#include <stdbool.h>

#define NR_ENTRIES 256u

static struct entry {
	uint64_t changes, identity, object;
} entries[NR_ENTRIES];

/* Inodes that are made one after the other have different entries. */
static struct entry *place(uint64_t identity)
{
	return &entries[identity % NR_ENTRIES];
}

uint64_t syt_endpoint_file_find(uint64_t identity)
{
	const struct entry *e = place(identity);
	uint64_t changes = __atomic_load_n(&e->changes, __ATOMIC_ACQUIRE);
	uint64_t found = __atomic_load_n(&e->identity, __ATOMIC_RELAXED);
	uint64_t object = __atomic_load_n(&e->object, __ATOMIC_RELAXED);

	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return found == identity && !(changes & 1) &&
	                       __atomic_load_n(&e->changes, __ATOMIC_RELAXED) == changes
	               ? object
	               : 0;
}

void syt_endpoint_file_learn(uint64_t identity, uint64_t object)
{
	struct entry *e = place(identity);
	uint64_t changes = __atomic_load_n(&e->changes, __ATOMIC_RELAXED);

	if (changes & 1 || !__atomic_compare_exchange_n(&e->changes, &changes, changes + 1, false,
	                                                __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		return;
	__atomic_thread_fence(__ATOMIC_RELEASE);
	__atomic_store_n(&e->identity, identity, __ATOMIC_RELAXED);
	__atomic_store_n(&e->object, object, __ATOMIC_RELAXED);
	__atomic_store_n(&e->changes, changes + 2, __ATOMIC_RELEASE);
}
