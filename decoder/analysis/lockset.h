/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Which objects of a trace are locks: by what they are, and semaphores by what was done with them.
 *
 * A semaphore is taken for a lock when its first value was 1, when each thread took one token at a time
 * and gave it back itself before it took another, and when at least two threads did so.  Then no two
 * ever had it at one time.  That is inferred: whoever has it at the end may give it back by another
 * thread.  One event that fits to no lock, or that may be missing, and it is none.
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

/* OBJECT is a lock whose holdings decoder/analysis/holding.h tells. */
bool syt_lockset_has(const struct syt_lockset *s, uint32_t object);
/* It is a semaphore that was used as one. */
bool syt_lockset_infers(const struct syt_lockset *s, uint32_t object);

#endif
