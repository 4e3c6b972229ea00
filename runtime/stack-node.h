/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Stack nodes: (caller's node, address, module) -> id, defined in the dump when new.
 *
 * The table only grows and its entries never change, so that looking up is two loads.  It is a row
 * of levels, each larger than the one before; an entry lives in the first level whose line (four
 * entries) for its hash has room.  A process with few stacks touches few pages.
 */
#ifndef SYT_RUNTIME_STACK_NODE_H
#define SYT_RUNTIME_STACK_NODE_H

#include <stddef.h>
#include <stdint.h>

#include "runtime/module.h"

/* Once; 0 or -errno. */
int syt_node_init(void);

/*
 * The node of KEY called from PARENT (0: outermost); it is defined if it is new.  Any thread,
 * signal handlers included, lock-free.  Two threads that meet a new node at the same instant get
 * one id; only when one of them is stopped between two stores of its own may the other get a second
 * id for the same node.  Returns 0 when there is no room (counted).
 */
static inline uint32_t syt_node_intern(uint32_t parent, uint64_t key);

/* Maps all of the table. */
void syt_node_prepare(void);

/* In a forked child: the dump is new, ids start again. */
void syt_node_fork_child(void);

/* ---- inline, because every frame that is new to a stack is looked up ---- */

#define SYT_NODE_NR_LEVELS 5
/* Lines of a level.  The first one is a page: a small process and a forked child need no more. From the second on each has 8
 * times as many as the one before. */
#define SYT_NODE_LINE_BITS(level_) ((level_) ? 7 + 3 * (level_) : 6)
#define SYT_NODE_WAY_BITS 2

struct syt_node {
	uint64_t link; /* parent << 32 | id; 0: free */
	uint64_t key;  /* syt_node_key(); 0: not yet written */
};

/* NULL: not mapped yet. */
extern struct syt_node *syt_node_levels[SYT_NODE_NR_LEVELS];

/* What is called: an address below 2^48, with SYT_STACK_TRUNCATED and SYT_STACK_SIGNAL, in MODULE
 * (0: none). Never 0, because an address is not. */
static inline uint64_t syt_node_key(uint64_t pc, uint16_t module)
{
	_Static_assert(SYT_MODULE_MAX < 1u << 14, "a module's id fits into a node's key");
	uint64_t flags = pc >> 62;

	return (pc & ((UINT64_C(1) << 48) - 1)) | flags << 48 | (uint64_t)module << 50;
}

/* The parents below this one have their callees in LEVEL: it has a line for each of them. */
static inline uint32_t syt_node_until(unsigned level)
{
	return UINT32_C(1) << SYT_NODE_LINE_BITS(level);
}

/* Where the search for a callee of PARENT begins: the first level with a line for each node as old
 * as PARENT, so most of its entries are free. Its slots are tried in this order until one is free,
 * then those of the other levels. */
static inline unsigned syt_node_home(uint32_t parent)
{
	unsigned level = 0;

	while (level < SYT_NODE_NR_LEVELS - 1 && parent >= syt_node_until(level))
		level++;
	return level;
}

/* The slot to try first. A call that is reached along many ways has its nodes side by side, in the
 * order in which their callers were met: the next one is often in the same line or the one after.
 */
static inline uint64_t syt_node_slot(uint64_t key, uint32_t parent, unsigned level)
{
	unsigned bits = SYT_NODE_LINE_BITS(level) + SYT_NODE_WAY_BITS;

	return ((key * UINT64_C(0x9e3779b97f4a7c15) >> (64 - bits)) + parent) &
	       ((UINT64_C(1) << bits) - 1);
}

uint32_t syt_node_intern_slow(uint32_t parent, uint64_t key);

/* The id of node N if it is the one that is looked for; else 0. */
static inline uint32_t syt_node_match(const struct syt_node *n, uint32_t parent, uint64_t key)
{
	uint64_t link = __atomic_load_n(&n->link, __ATOMIC_ACQUIRE);

	/* a free entry's link is 0, and its key too: a key never is */
	if (link >> 32 == parent && __atomic_load_n(&n->key, __ATOMIC_ACQUIRE) == key)
		return (uint32_t)link;
	return 0;
}

/* The node's id, if it is in one of its first two slots of LEVEL; else 0. */
static inline __attribute__((always_inline)) uint32_t syt_node_peek(uint32_t parent, uint64_t key,
                                                                    unsigned level)
{
	const struct syt_node *n = __atomic_load_n(&syt_node_levels[level], __ATOMIC_ACQUIRE);

	if (__builtin_expect(n == NULL, 0))
		return 0;

	uint64_t slot = syt_node_slot(key, parent, level);
	uint32_t id = syt_node_match(n + slot, parent, key);

	return __builtin_expect(id, 1) ? id : syt_node_match(n + (slot ^ 1), parent, key);
}

static inline uint32_t syt_node_intern(uint32_t parent, uint64_t key)
{
	uint32_t id;

	/* a branch for each level, so that a processor does not wait for PARENT to know where */
	if (parent < syt_node_until(0))
		id = syt_node_peek(parent, key, 0);
	else if (parent < syt_node_until(1))
		id = syt_node_peek(parent, key, 1);
	else if (parent < syt_node_until(2))
		id = syt_node_peek(parent, key, 2);
	else if (parent < syt_node_until(3))
		id = syt_node_peek(parent, key, 3);
	else
		id = syt_node_peek(parent, key, 4);
	return __builtin_expect(id, 1) ? id : syt_node_intern_slow(parent, key);
}

#endif
