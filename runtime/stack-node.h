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

#include <stdint.h>

/* Once; 0 or -errno. */
int syt_node_init(void);

/*
 * The node of PC (with SYT_STACK_TRUNCATED, SYT_STACK_SIGNAL; the address itself below 2^48) in
 * MODULE (0: none) called from PARENT (0: outermost).  Any thread, signal handlers included,
 * lock-free.  Two threads that meet a new node at the same instant get one id; only when one of
 * them is stopped between two stores of its own may the other get a second id for the same node.
 * Returns 0 when there is no room (counted).
 */
uint32_t syt_node_intern(uint32_t parent, uint64_t pc, uint16_t module);

/* Maps all of the table. */
void syt_node_prepare(void);

/* In a forked child: the dump is new, ids start again. */
void syt_node_fork_child(void);

#endif
