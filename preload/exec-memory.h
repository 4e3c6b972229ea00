/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Provides memory for the environment of a new process image: a small environment is on the stack, a larger one
 * in a mapping. An exec discards the mapping. After the exec of a vfork child, the parent unmaps it. */
#ifndef SYT_PRELOAD_EXEC_MEMORY_H
#define SYT_PRELOAD_EXEC_MEMORY_H

#include <stddef.h>
#include <stdint.h>

#define SYT_EXEC_MEMORY_STACK_BYTES 2048u

struct syt_exec_memory {
	void *address;
	size_t bytes;
};

/* Maps BYTES and returns their address, or NULL if there is no memory. */
void *syt_exec_memory_map(struct syt_exec_memory *memory, size_t bytes);
/* Unmaps MEMORY, if it is mapped. */
void syt_exec_memory_unmap(struct syt_exec_memory *memory);

/* Returns the pid of the calling process, which may be a vfork child, or 0 if the pid is unavailable. */
uint32_t syt_exec_pid(void);

#endif
