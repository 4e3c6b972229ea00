/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* A small cache: each key maps to one entry, and a newer key that maps to the same entry replaces the older
 * key. Only runtime/ uses it. It is lock-free; any thread and signal handler may use it. */
#ifndef SYT_RUNTIME_CACHE_H
#define SYT_RUNTIME_CACHE_H

#include <stdint.h>

#define SYT_CACHE_ENTRIES 256u

struct syt_cache {
	struct syt_cache_entry {
		uint64_t changes; /* this counter is odd while a writer changes the entry */
		uint64_t key, value;
	} entries[SYT_CACHE_ENTRIES];
};

/* Returns the value of KEY, or 0 if it is unknown. */
uint64_t syt_cache_find(const struct syt_cache *c, uint64_t key);
/* Stores VALUE as the value of KEY, unless another thread writes the entry now. */
void syt_cache_learn(struct syt_cache *c, uint64_t key, uint64_t value);

#endif
