/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * An entry is claimed by a compare-and-swap of its first word, which holds parent and id; the
 * second word, which holds address and module, follows.  The dump's node is written before the
 * claim, so an id that can be seen is complete; the loser of a race leaves a node in the dump that
 * nothing names.
 */
#include "runtime/stack-node.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>

#include "format/format.h"
#include "runtime/map.h"
#include "runtime/meta.h"
#include "runtime/module.h"

#define NR_LEVELS 4
#define FIRST_LEVEL_BITS 10 /* lines of the first level; each further level has 8 times as many */
#define LEVEL_STEP_BITS 3
#define WAY_BITS 2
#define NR_WAYS (1u << WAY_BITS)
#define NR_SPINS 64

struct node {
	uint64_t link; /* parent << 32 | id; 0: free */
	uint64_t key;  /* key_of(); 0: not yet written */
};

struct line {
	struct node nodes[NR_WAYS];
} __attribute__((aligned(64)));

static struct line *levels[NR_LEVELS];

static size_t level_bytes(unsigned level)
{
	return sizeof(struct line) << (FIRST_LEVEL_BITS + LEVEL_STEP_BITS * level);
}

/* The lines of LEVEL, mapped when the levels before it begin to overflow; NULL: no memory. */
static struct line *get_level(unsigned level)
{
	struct line *lines = __atomic_load_n(&levels[level], __ATOMIC_ACQUIRE);

	if (__builtin_expect(lines != NULL, 1))
		return lines;

	struct line *fresh = syt_map_private(level_bytes(level));

	if (!fresh || __atomic_compare_exchange_n(&levels[level], &lines, fresh, false,
	                                          __ATOMIC_RELEASE, __ATOMIC_ACQUIRE))
		return fresh;
	syt_map_release(fresh, level_bytes(level));
	return lines;
}

int syt_node_init(void)
{
	return get_level(0) ? 0 : -ENOMEM;
}

void syt_node_prepare(void)
{
	for (unsigned i = 0; i < NR_LEVELS; i++)
		get_level(i);
}

void syt_node_fork_child(void)
{
	for (unsigned i = 0; i < NR_LEVELS; i++)
		syt_map_reset(levels[i], level_bytes(i));
}

/* 48 bits of address, 2 flags, 14 bits of module; never 0, because an address is not. */
static uint64_t key_of(uint64_t pc, uint16_t module)
{
	_Static_assert(SYT_MODULE_MAX < 1u << 14, "a module's id fits into a node's key");
	uint64_t flags = pc >> 62;

	return (pc & ((UINT64_C(1) << 48) - 1)) | flags << 48 | (uint64_t)module << 50;
}

/* Where the search for a callee of PARENT begins: the first level with a line for each node as old
 * as PARENT, so most of its entries are free. Its slots are tried in this order until one is free,
 * then those of the other levels. */
static inline unsigned home_of(uint32_t parent)
{
	unsigned level = 0;

	_Static_assert(NR_LEVELS == 4, "one term for each but the first");
	level += parent >> FIRST_LEVEL_BITS != 0;
	level += parent >> (FIRST_LEVEL_BITS + LEVEL_STEP_BITS) != 0;
	level += parent >> (FIRST_LEVEL_BITS + 2 * LEVEL_STEP_BITS) != 0;
	return level;
}

/* The slot to try first. A call that is reached along many ways has its nodes side by side, in the
 * order in which their callers were met: the next one is often in the same line or the one after.
 */
static inline uint64_t slot_of(uint64_t key, uint32_t parent, unsigned level)
{
	unsigned bits = FIRST_LEVEL_BITS + LEVEL_STEP_BITS * level + WAY_BITS;

	return ((key * UINT64_C(0x9e3779b97f4a7c15) >> (64 - bits)) + parent) &
	       ((UINT64_C(1) << bits) - 1);
}

/* The key of an entry that is claimed; its owner writes it one instruction after the claim. */
static uint64_t wait_key(const struct node *n)
{
	uint64_t key = 0;

	for (unsigned i = 0; i < NR_SPINS && !key; i++) {
		key = __atomic_load_n(&n->key, __ATOMIC_ACQUIRE);
#if defined(__x86_64__)
		__builtin_ia32_pause();
#endif
	}
	return key; /* 0: the owner was interrupted, perhaps by us */
}

static uint32_t define(uint32_t parent, uint64_t pc, uint16_t module, uint64_t bias)
{
	uint64_t flags = pc & (SYT_STACK_TRUNCATED | SYT_STACK_SIGNAL);

	return syt_meta_stack(parent, module, ((pc - bias) & SYT_STACK_OFFSET) | flags);
}

static __attribute__((noinline)) uint32_t intern_slow(uint32_t parent, uint64_t pc, uint16_t module,
                                                      uint64_t key)
{
	uint32_t id = 0;

	for (unsigned i = 0; i < NR_LEVELS; i++) {
		unsigned level = (home_of(parent) + i) % NR_LEVELS;
		uint64_t slot = slot_of(key, parent, level);
		struct line *line = get_level(level);

		if (!line)
			break;
		line += slot / NR_WAYS;

		for (unsigned way = 0; way < NR_WAYS; way++) {
			struct node *n = &line->nodes[(slot ^ way) % NR_WAYS];
			uint64_t link = __atomic_load_n(&n->link, __ATOMIC_ACQUIRE);

			if (!link) {
				if (!id)
					id = define(parent, pc, module, syt_module_bias(module));
				if (!id)
					return 0;
				/* pairs with the loads of link and key */
				if (__atomic_compare_exchange_n(
					    &n->link, &link, (uint64_t)parent << 32 | id, false,
					    __ATOMIC_RELEASE, __ATOMIC_ACQUIRE)) {
					__atomic_store_n(&n->key, key, __ATOMIC_RELEASE);
					return id;
				}
			}
			if (link >> 32 != parent)
				continue;

			uint64_t found = __atomic_load_n(&n->key, __ATOMIC_ACQUIRE);

			if (__builtin_expect(!found, 0))
				found = wait_key(n);
			if (found == key)
				return (uint32_t)link;
		}
	}
	syt_lost(SYT_LOSS_STACKS, 1);
	return id;
}

uint32_t syt_node_intern(uint32_t parent, uint64_t pc, uint16_t module)
{
	uint64_t key = key_of(pc, module);
	unsigned level = home_of(parent);
	struct line *lines = __atomic_load_n(&levels[level], __ATOMIC_ACQUIRE);

	if (__builtin_expect(lines != NULL, 1)) {
		uint64_t slot = slot_of(key, parent, level);
		struct node *n = &lines[slot / NR_WAYS].nodes[slot % NR_WAYS];
		uint64_t link = __atomic_load_n(&n->link, __ATOMIC_ACQUIRE);

		/* a free entry's link is 0, and its key too: a key never is */
		if (__builtin_expect(link >> 32 == parent &&
		                             __atomic_load_n(&n->key, __ATOMIC_ACQUIRE) == key,
		                     1))
			return (uint32_t)link;
	}
	return intern_slow(parent, pc, module, key);
}
