/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* A reader of an entry that finds the counter `changes` odd, or changed after reading, treats the key as
 * unknown. A writer that finds `changes` odd does not write: it may be a signal handler that interrupted the
 * entry's current writer. If a writer never finishes, because of a jump or a fork, only that entry is lost. */
#include "runtime/cache.h"

#include <stdbool.h>

uint64_t syt_cache_find(const struct syt_cache *c, uint64_t key)
{
	const struct syt_cache_entry *e = &c->entries[key % SYT_CACHE_ENTRIES];
	uint64_t changes = __atomic_load_n(&e->changes, __ATOMIC_ACQUIRE);
	uint64_t found = __atomic_load_n(&e->key, __ATOMIC_RELAXED);
	uint64_t value = __atomic_load_n(&e->value, __ATOMIC_RELAXED);

	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	if (found != key || changes & 1 ||
	    __atomic_load_n(&e->changes, __ATOMIC_RELAXED) != changes)
		return 0;
	return value;
}

void syt_cache_learn(struct syt_cache *c, uint64_t key, uint64_t value)
{
	struct syt_cache_entry *e = &c->entries[key % SYT_CACHE_ENTRIES];
	uint64_t changes = __atomic_load_n(&e->changes, __ATOMIC_RELAXED);

	if (changes & 1 || !__atomic_compare_exchange_n(&e->changes, &changes, changes + 1, false,
	                                                __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		return;
	__atomic_thread_fence(__ATOMIC_RELEASE);
	__atomic_store_n(&e->key, key, __ATOMIC_RELAXED);
	__atomic_store_n(&e->value, value, __ATOMIC_RELAXED);
	__atomic_store_n(&e->changes, changes + 2, __ATOMIC_RELEASE);
}
