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
#define NR_WAYS 4
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

/* Only the top bits are used. The products do not wait for each other: a walk knows the key early
 * and the parent late. */
static inline uint64_t hash_of(uint64_t key, uint32_t parent)
{
	return key * UINT64_C(0x9e3779b97f4a7c15) + parent * UINT64_C(0xbf58476d1ce4e5b9);
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

uint32_t syt_node_intern(uint32_t parent, uint64_t pc, uint16_t module)
{
	uint64_t key = key_of(pc, module), hash = hash_of(key, parent);
	uint32_t id = 0;

	for (unsigned level = 0; level < NR_LEVELS; level++) {
		struct line *line = get_level(level);

		if (!line)
			break;
		line += hash >> (64 - FIRST_LEVEL_BITS - LEVEL_STEP_BITS * level);

		for (unsigned way = 0; way < NR_WAYS; way++) {
			struct node *n = &line->nodes[way];
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
