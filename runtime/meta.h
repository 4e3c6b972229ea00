/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Writes definitions into the dump: META records and stack nodes. Definitions are never overwritten. All
 * functions are lock-free and may run in any thread and in signal handlers. A definition for which the dump has
 * no room is counted and dropped. */
#ifndef SYT_RUNTIME_META_H
#define SYT_RUNTIME_META_H

#include <stddef.h>
#include <stdint.h>

#include "format/format.h"

/* Appends one definition: FIXED (the struct of TYPE) and up to two parts of variable length (NULL, 0: no
 * part). */
void syt_meta_append(enum syt_meta_type type, const void *fixed, size_t fixed_bytes,
		     const void *tail1, size_t tail1_bytes, const void *tail2, size_t tail2_bytes);

void syt_meta_text(enum syt_text what, uint32_t subject, const char *text, size_t bytes);

/* Appends a stack node: a call at OFFSET in MODULE, made from the node PARENT. Returns the node's id, or 0
 * if the dump has no room (counted). Ids are 1, 2, 3, ... The node is complete in the dump before the
 * function returns. */
uint32_t syt_meta_stack(uint32_t parent, uint16_t module, uint64_t offset);

/* Adds NR to the header's counter for lost data of the kind WHY. */
void syt_lost(enum syt_loss why, uint64_t nr);
/* Counts, in the dump's header, a connection with bytes that no process recorded. */
void syt_unseen_tcp(void);

#endif
