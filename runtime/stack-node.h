/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * A table of stack nodes, which maps (caller's node, address, module) to an id. A new node is also written
 * to the dump.
 *
 * The table only grows and its entries never change, so a lookup is two loads. The table is a row of
 * levels, each larger than the level before. An entry lives in the first level whose line (four entries)
 * for its hash has a free slot. If all these lines are full, the entry lives in one of the next lines of
 * the largest level. A process with few different call stacks touches few pages of the table.
 */
#ifndef SYT_RUNTIME_STACK_NODE_H
#define SYT_RUNTIME_STACK_NODE_H

#include <stddef.h>
#include <stdint.h>

#include "runtime/module.h"

/* Initializes the table; call it once. Returns 0 or -errno. */
int syt_node_init(void);

/* Returns the id of the stack node for the call KEY made from the node PARENT (0: outermost), and defines a
 * new node if needed. The function is lock-free and may run in any thread and in signal handlers. Two
 * threads that add the same node at the same instant get one id, unless one thread is stopped between its
 * two stores. Returns 0 if the table is full (counted). */
static inline uint32_t syt_node_intern(uint32_t parent, uint64_t key);

/* Maps all levels of the table of stack nodes. */
void syt_node_prepare(void);

/* Called in a forked child: the dump is new, so node ids start again at 1. */
void syt_node_fork_child(void);

/* ---- these functions are inline, because every new frame of a call stack is looked up ---- */

#define SYT_NODE_NR_LEVELS 5
/* Base-2 logarithm of the number of lines (of four nodes) in a level. The first level is a page, enough for
 * a small process or a forked child. The second level has 1024 lines, and each further level 8 times as
 * many as the level before. */
#define SYT_NODE_LINE_BITS(level_) ((level_) ? 7 + 3 * (level_) : 6)
#define SYT_NODE_WAY_BITS 2

struct syt_node {
	uint64_t link; /* parent << 32 | id; 0: free */
	uint64_t key;  /* result of syt_node_key(); 0: not yet written */
};

/* The levels of the table; NULL: the level is not mapped yet. */
extern struct syt_node *syt_node_levels[SYT_NODE_NR_LEVELS];

/* Returns the key of a call: PC is an address below 2^48, with the flags SYT_STACK_TRUNCATED and
 * SYT_STACK_SIGNAL, in MODULE (0: none). The key is never 0, because the address is not 0. */
static inline uint64_t syt_node_key(uint64_t pc, uint16_t module)
{
	_Static_assert(SYT_MODULE_MAX < 1u << 14, "a module's id fits into a node's key");
	uint64_t flags = pc >> 62;

	return (pc & ((UINT64_C(1) << 48) - 1)) | flags << 48 | (uint64_t)module << 50;
}

/* Returns the number of lines of LEVEL, which has one line for each parent node whose id is below that
 * number. */
static inline uint32_t syt_node_nr_lines(unsigned level)
{
	return UINT32_C(1) << SYT_NODE_LINE_BITS(level);
}

/* Returns the level where the search for a callee of PARENT begins. That is the first level with a line for
 * each node id up to PARENT, so most of its entries are free. The search tries the entries of this level
 * until one is free, and then the other levels. */
static inline unsigned syt_node_first_level(uint32_t parent)
{
	unsigned level = 0;

	while (level < SYT_NODE_NR_LEVELS - 1 && parent >= syt_node_nr_lines(level))
		level++;
	return level;
}

/* Returns the entry of LEVEL to try first. The nodes of one call that is reached by many call paths are
 * adjacent, in the order in which their callers were met. So the next node to look up is often in the same
 * line or in the next line. */
static inline uint64_t syt_node_slot(uint64_t key, uint32_t parent, unsigned level)
{
	unsigned bits = SYT_NODE_LINE_BITS(level) + SYT_NODE_WAY_BITS;

	return ((key * UINT64_C(0x9e3779b97f4a7c15) >> (64 - bits)) + parent) &
	       ((UINT64_C(1) << bits) - 1);
}

uint32_t syt_node_intern_slow(uint32_t parent, uint64_t key);

/* Returns the id of table entry N if it is the node of PARENT and KEY, else 0. */
static inline uint32_t syt_node_match(const struct syt_node *n, uint32_t parent, uint64_t key)
{
	uint64_t link = __atomic_load_n(&n->link, __ATOMIC_ACQUIRE);

	/* a free entry has link 0 and key 0, and KEY is never 0 */
	if (link >> 32 == parent && __atomic_load_n(&n->key, __ATOMIC_ACQUIRE) == key)
		return (uint32_t)link;
	return 0;
}

/* Returns the id of the node of PARENT and KEY if it is in one of the first two entries to try in LEVEL,
 * else 0. */
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

	/* one branch for each level: the processor then predicts the level and need not wait for PARENT to
	 * compute the address */
	if (parent < syt_node_nr_lines(0))
		id = syt_node_peek(parent, key, 0);
	else if (parent < syt_node_nr_lines(1))
		id = syt_node_peek(parent, key, 1);
	else if (parent < syt_node_nr_lines(2))
		id = syt_node_peek(parent, key, 2);
	else if (parent < syt_node_nr_lines(3))
		id = syt_node_peek(parent, key, 3);
	else
		id = syt_node_peek(parent, key, 4);
	return __builtin_expect(id, 1) ? id : syt_node_intern_slow(parent, key);
}

#endif
