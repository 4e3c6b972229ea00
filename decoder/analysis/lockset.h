/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * The locks of a trace: objects with the type of a lock, and semaphores that are used as locks.
 *
 * A semaphore counts as a lock if its first value was 1, and if at least two threads took one token at a time and
 * gave it back themselves before they took another. Then no two threads ever held the token at the same time. The
 * result is an inference: after the end of the trace, another thread may still give the token back. One event that
 * does not fit a lock, or that may be missing, rules the semaphore out.
 */
#ifndef SYT_DECODER_ANALYSIS_LOCKSET_H
#define SYT_DECODER_ANALYSIS_LOCKSET_H

#include "decoder/order/order.h"

struct syt_lockset {
	const struct syt_order *order;
	bool *is_inferred; /* [object] */
	uint64_t nr_inferred;
};

/* ORDER must outlive S. */
void syt_lockset_open(struct syt_lockset *s, const struct syt_order *order);
void syt_lockset_close(struct syt_lockset *s);

/* Returns true if OBJECT is a lock. */
bool syt_lockset_has(const struct syt_lockset *s, uint32_t object);
/* Returns true if OBJECT is a semaphore that was used as a lock. */
bool syt_lockset_infers(const struct syt_lockset *s, uint32_t object);

#endif
