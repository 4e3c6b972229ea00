/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Writes definitions into the dump: META records and stack nodes. Definitions are never overwritten.
 * Lock-free; any thread, signal handlers included. A definition without room is counted and dropped.
 */
#ifndef SYT_RUNTIME_META_H
#define SYT_RUNTIME_META_H

#include <stddef.h>
#include <stdint.h>

#include "format/format.h"

/* Appends one record: FIXED (the struct of TYPE) and up to two variable parts (NULL, 0: none). */
void syt_meta_append(enum syt_meta_type type, const void *fixed, size_t fixed_bytes,
		     const void *tail1, size_t tail1_bytes, const void *tail2, size_t tail2_bytes);

void syt_meta_text(enum syt_text what, uint32_t subject, const char *text, size_t bytes);

/* Appends a stack node. Returns its id (from 1), or 0 if there is no room (counted). Ids are dense
 * and increase. The node is complete in the dump before the function returns. */
uint32_t syt_meta_stack(uint32_t parent, uint16_t module, uint64_t offset);

/* Counts a loss in the dump's header. */
void syt_lost(enum syt_loss why, uint64_t nr);
/* Counts, in the dump's header, a connection with bytes that no process recorded. */
void syt_unseen_tcp(void);

#endif
