/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * The locks of a trace: objects with the type of a lock, and semaphores that are used as locks.
 *
 * A semaphore counts as a lock if its first value was 1, and if at least two threads took one token at a time and
 * gave it back themselves before they took another token. No two threads then ever held the token at the same time.
 * The result is an inference: after the end of the trace, another thread may still give the token back. A semaphore
 * is not a lock if one of its events does not fit the use as a lock, or if an event may be missing.
 */
#ifndef SYT_DECODER_ANALYSIS_LOCKSET_H
#define SYT_DECODER_ANALYSIS_LOCKSET_H

#include "decoder/order/order.h"

struct syt_lockset {
	const struct syt_order *order;
	bool *is_inferred; /* [object]: it is a semaphore used as a lock */
	uint64_t nr_inferred;
};

/* Finds the semaphores that are used as locks. ORDER must outlive S. */
void syt_lockset_open(struct syt_lockset *s, const struct syt_order *order);
void syt_lockset_close(struct syt_lockset *s);

/* Returns true if OBJECT is a lock, by its type or by its use. */
bool syt_lockset_has(const struct syt_lockset *s, uint32_t object);
/* Returns true if OBJECT is a semaphore that was used as a lock. */
bool syt_lockset_infers(const struct syt_lockset *s, uint32_t object);

#endif
