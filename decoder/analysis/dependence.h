/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Waits for another thread: the waker, and whether another thread could have ended the wait.
 *
 * A waker sends, posts, signals or ends. A wait depends on its waker if three conditions hold: the happens-before
 * edge between them is certain, no other thread ever sent to, posted or signalled the object of the wait, and the
 * wait has no timeout. The file descriptor of a receive must also be known to block: one receive waited, and none
 * failed instead.
 */
#ifndef SYT_DECODER_ANALYSIS_DEPENDENCE_H
#define SYT_DECODER_ANALYSIS_DEPENDENCE_H

#include "decoder/order/order.h"

struct syt_dependence {
	const struct syt_order *order;
	uint32_t *giver; /* [object]: result of giver_of() plus 1, or 0 */
	uint8_t *blocks; /* [object]: result of blocks(), or 0 */
};

/* ORDER must contain the happens-before edges of class causal, and outlive D. */
void syt_dependence_open(struct syt_dependence *d, const struct syt_order *order);
void syt_dependence_close(struct syt_dependence *d);

/* Returns true if AT is a wait for data, a wake-up or the end of another thread, without a timeout. */
bool syt_dependence_is_wait(const struct syt_order *o, struct syt_place at);

/* Returns the first edge that ended the wait AT. NULL unless all these edges are certain and from one other
 * thread. */
const struct syt_edge *syt_dependence_ended_by(const struct syt_order *o, struct syt_place at);

/* Returns true if only the source thread of the edge E, which ended the wait AT, could end this wait. */
bool syt_dependence_holds(struct syt_dependence *d, const struct syt_edge *e, struct syt_place at);

/* Returns true if the event T releases its object to a waiter (send, sem_post, signal or broadcast). */
bool syt_dependence_gives(const struct syt_touch *t);

#endif
