/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Memory for a new environment.  The stack, when it is little; else a mapping, which an exec takes
 * with it, and which a vfork child leaves to its parent.
 */
#ifndef SYT_PRELOAD_EXEC_MEMORY_H
#define SYT_PRELOAD_EXEC_MEMORY_H

#include <stddef.h>
#include <stdint.h>

#define SYT_EXEC_MEMORY_STACK_BYTES 2048u

struct syt_exec_memory {
	void *address;
	size_t bytes;
};

/* NULL when there is no memory. */
void *syt_exec_memory_map(struct syt_exec_memory *room, size_t bytes);
/* ROOM may be empty. */
void syt_exec_memory_unmap(struct syt_exec_memory *room);

/* The calling process's own id, also in a vfork child. */
uint32_t syt_exec_pid(void);

#endif
