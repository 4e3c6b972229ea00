/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* A compare-and-swap of an entry's first word (parent and id) claims the entry. The claimer then stores the
 * second word (address and module). The node is written to the dump before the claim, so a visible id has a
 * complete node. The loser of a race leaves an unreferenced node in the dump. */
#include "runtime/stack-node.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "format/format.h"
#include "runtime/map.h"
#include "runtime/meta.h"

#define NR_WAYS (1u << SYT_NODE_WAY_BITS)
#define NR_SPINS 64
/* further lines of the largest level that the search tries when one line of each level is full */
#define NR_MORE_LINES 16

/* levels of the table, whose lines have NR_WAYS nodes each */
struct syt_node *syt_node_levels[SYT_NODE_NR_LEVELS];

static size_t level_bytes(unsigned level)
{
	return sizeof(struct syt_node) << (SYT_NODE_LINE_BITS(level) + SYT_NODE_WAY_BITS);
}

/* Returns the nodes of the table's LEVEL, which is mapped when the levels before it overflow. Returns NULL
 * if there is no memory. */
static struct syt_node *get_level(unsigned level)
{
	return syt_map_chunk((void **)&syt_node_levels[level], level_bytes(level));
}

int syt_node_init(void)
{
	return get_level(0) ? 0 : -ENOMEM;
}

void syt_node_prepare(void)
{
	for (unsigned i = 0; i < SYT_NODE_NR_LEVELS; i++)
		get_level(i);
}

void syt_node_fork_child(void)
{
	/* the child uses the first level at once: clearing the memory takes half as many page faults as
	 * releasing it */
	if (syt_node_levels[0])
		memset(syt_node_levels[0], 0, level_bytes(0));
	for (unsigned i = 1; i < SYT_NODE_NR_LEVELS; i++)
		syt_map_reset(syt_node_levels[i], level_bytes(i));
}

/* Returns the key of a claimed entry, or 0. The thread that claims an entry writes the key one instruction
 * later. */
static uint64_t wait_key(const struct syt_node *n)
{
	uint64_t key = 0;

	for (unsigned i = 0; i < NR_SPINS && !key; i++) {
		key = __atomic_load_n(&n->key, __ATOMIC_ACQUIRE);
#if defined(__x86_64__)
		__builtin_ia32_pause();
#endif
	}
	/* 0: the claiming thread was interrupted before it wrote the key, perhaps by this signal handler */
	return key;
}

/* Writes the stack node of PARENT and KEY to the dump. Unpacks KEY, the reverse of syt_node_key(). */
static uint32_t define(uint32_t parent, uint64_t key)
{
	uint16_t module = (uint16_t)(key >> 50);
	uint64_t pc = key & ((UINT64_C(1) << 48) - 1), flags = (key >> 48 & 3) << 62;

	return syt_meta_stack(parent, module,
	                      ((pc - syt_module_bias(module)) & SYT_STACK_OFFSET) | flags);
}

uint32_t syt_node_intern_slow(uint32_t parent, uint64_t key)
{
	uint32_t id = 0;

	for (unsigned i = 0; i < SYT_NODE_NR_LEVELS + NR_MORE_LINES; i++) {
		unsigned more = i < SYT_NODE_NR_LEVELS ? 0 : i - SYT_NODE_NR_LEVELS + 1;
		unsigned level = more ? SYT_NODE_NR_LEVELS - 1
		                      : (syt_node_first_level(parent) + i) % SYT_NODE_NR_LEVELS;
		uint64_t slot = syt_node_slot(key, parent, level);
		struct syt_node *line = get_level(level);

		if (!line)
			break;
		line += (slot / NR_WAYS + more) % syt_node_nr_lines(level) * NR_WAYS;

		for (unsigned way = 0; way < NR_WAYS; way++) {
			struct syt_node *n = &line[(slot ^ way) % NR_WAYS];
			uint64_t link = __atomic_load_n(&n->link, __ATOMIC_ACQUIRE);

			if (!link) {
				if (!id)
					id = define(parent, key);
				if (!id)
					return 0;
				/* pairs with the loads of the members link and key */
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
