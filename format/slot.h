/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Makes the byte counters of an endpoint stale: calls that no wrapper counted may have moved bytes. The next recorded call on the
 * endpoint learns the counters again (runtime/endpoint_record.h). A stale slot has a new generation, so no call that
 * began earlier counts into the counters. The recorder and `syntrace resume` share this step.
 */
#ifndef SYT_FORMAT_SLOT_H
#define SYT_FORMAT_SLOT_H

#include <stdint.h>

#include "format/format.h"

/* Gives the counter the generation of STATE, unless it has a later one. */
static inline void syt_slot_tag(uint64_t *counter, uint64_t state)
{
	uint64_t was = __atomic_load_n(counter, __ATOMIC_SEQ_CST);
	uint16_t tag = (uint16_t)(state >> 32);

	while ((int16_t)(uint16_t)(tag - (uint16_t)(was >> 48)) > 0 &&
	       !__atomic_compare_exchange_n(counter, &was,
	                                    (uint64_t)tag << 48 | (was & SYT_ENDPOINT_COUNT), 0,
	                                    __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
		;
}

/* Makes SLOT stale. A process that is claiming the slot looks at `nr_uncounted` itself. */
static inline void syt_slot_stale(struct syt_endpoint_slot *slot)
{
	uint64_t state = __atomic_load_n(&slot->state, __ATOMIC_SEQ_CST), to;

	if ((__atomic_load_n(&slot->key, __ATOMIC_SEQ_CST) & SYT_ENDPOINT_CLASS) ==
	    SYT_ENDPOINT_SYSV)
		return;
	do {
		if (state & (SYT_ENDPOINT_CLAIMED | SYT_ENDPOINT_STALE))
			return;
		to = ((state >> 32) + 1) << 32 | (uint32_t)state | SYT_ENDPOINT_STALE |
		     SYT_ENDPOINT_LEARNED | SYT_ENDPOINT_UNKNOWN;
	} while (!__atomic_compare_exchange_n(&slot->state, &state, to, 0, __ATOMIC_SEQ_CST,
	                                      __ATOMIC_SEQ_CST));
	syt_slot_tag(&slot->tx, to);
	syt_slot_tag(&slot->rx, to);
}

#endif
