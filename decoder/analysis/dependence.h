/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Waits for another thread: the waker, and whether another thread could have ended the wait.
 *
 * A waker sends, posts, signals or ends. A wait depends on its waker if the happens-before edge between them is
 * certain, no other thread ever gave to the object of the wait, and the wait has no timeout. The file descriptor of
 * a receive must be known to block: one receive waited, and no receive failed instead of waiting.
 */
#ifndef SYT_DECODER_ANALYSIS_DEPENDENCE_H
#define SYT_DECODER_ANALYSIS_DEPENDENCE_H

#include "decoder/order/order.h"

struct syt_dependence {
	const struct syt_order *order;
	uint32_t *giver; /* [object]: cached result */
	uint8_t *blocks; /* [object]: cached result */
};

/* ORDER must hold the happens-before edges of class causal, and outlive D. */
void syt_dependence_open(struct syt_dependence *d, const struct syt_order *order);
void syt_dependence_close(struct syt_dependence *d);

/* Returns true if the event AT got data or a wake-up from another thread, by a call without a timeout. */
bool syt_dependence_is_wait(const struct syt_order *o, struct syt_place at);

/* Returns the first edge that ended the wait AT; NULL unless all such edges are certain and from one other thread. */
const struct syt_edge *syt_dependence_ended_by(const struct syt_order *o, struct syt_place at);

/* Returns true if only the source thread of E, which ended the wait AT, could end it. */
bool syt_dependence_holds(struct syt_dependence *d, const struct syt_edge *e, struct syt_place at);

/* Returns true if the event at T releases its object to a waiter. */
bool syt_dependence_gives(const struct syt_touch *t);

#endif
