/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * A hash table of indices into an array of the caller, which also holds the keys. Open addressing, at
 * most half full; single elements are never removed. Only one thread at a time may use a table.
 *
 *	hash = syt_hash_words(key->a, key->b);
 *	n = SYT_HASH_FIND(&t->index, hash, i, is_same(&t->all[i], key));
 *	if (n == SYT_HASH_NONE)
 *		n = syt_hash_add(&t->index, hash, t->nr++);
 */
#ifndef SYT_BASE_HASH_H
#define SYT_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define SYT_HASH_NONE UINT32_MAX

/* A hash table of indices. An empty table has only zero members. */
struct syt_hash {
	size_t nr, room;
	struct syt_hash_slot {
		uint32_t hash;
		uint32_t number; /* index in the caller's array plus 1; 0: this slot is free */
	} * slots;               /* the table, allocated by syt_store_alloc() */
};

static inline uint32_t syt_hash_words(uint64_t a, uint64_t b)
{
	uint64_t h = a * UINT64_C(0x9e3779b97f4a7c15) ^ b * UINT64_C(0xc2b2ae3d27d4eb4f);

	return (uint32_t)(h ^ h >> 29);
}

/* Evaluates to the index I_ in the caller's array which has the hash value HASH_ and for which the expression
 * IS_SAME_ (it uses I_) is true. Evaluates to SYT_HASH_NONE if the table has no such index. */
#define SYT_HASH_FIND(table_, hash_, i_, is_same_)                                                 \
	__extension__({                                                                            \
		const struct syt_hash *hash_table = (table_);                                      \
		uint32_t hash_wanted = (hash_), hash_found = SYT_HASH_NONE;                        \
		for (size_t hash_at = hash_wanted; hash_table->room; hash_at++) {                  \
			const struct syt_hash_slot *hash_slot =                                    \
				&hash_table->slots[hash_at & (hash_table->room - 1)];              \
			const uint32_t i_ = hash_slot->number - 1;                                 \
			if (!hash_slot->number)                                                    \
				break;                                                             \
			if (hash_slot->hash == hash_wanted && (is_same_)) {                        \
				hash_found = i_;                                                   \
				break;                                                             \
			}                                                                          \
		}                                                                                  \
		hash_found;                                                                        \
	})

/* Adds the index NUMBER, which must not be in the table yet, and returns it. */
uint32_t syt_hash_add(struct syt_hash *t, uint32_t hash, size_t number);
/* Removes all indices. Keeps the memory if it is not much larger than necessary. */
void syt_hash_clear(struct syt_hash *t);
void syt_hash_close(struct syt_hash *t);

#endif
