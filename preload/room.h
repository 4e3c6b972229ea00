/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Memory for a new environment.  The stack, when it is little; else a mapping, which an exec takes
 * with it, and which a vfork child leaves to its parent.
 */
#ifndef SYT_PRELOAD_ROOM_H
#define SYT_PRELOAD_ROOM_H

#include <stddef.h>
#include <stdint.h>

#define SYT_ROOM_STACK_BYTES 2048u

struct syt_room {
	void *address;
	size_t bytes;
};

/* NULL when there is no memory. */
void *syt_room_map(struct syt_room *room, size_t bytes);
/* ROOM may be empty. */
void syt_room_unmap(struct syt_room *room);

/* The calling process's own id, also in a vfork child. */
uint32_t syt_room_pid(void);

#endif
