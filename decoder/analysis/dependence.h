/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Waits for what another thread does: who ended one, and whether nobody else can.
 *
 * Sends, posts, signals and ends of threads.  A wait depends on who ended it when the edge is certain, nobody
 * else ever gave to what was waited for, and it has no deadline; of a receive it has to be known that
 * its descriptor blocks: one was seen to wait, and none to refuse to.
 */
#ifndef SYT_DECODER_ANALYSIS_DEPENDENCE_H
#define SYT_DECODER_ANALYSIS_DEPENDENCE_H

#include "decoder/order/order.h"

struct syt_dependence {
	const struct syt_order *order;
	/* answers that are asked for again: [object] */
	uint32_t *giver;
	uint8_t *blocks;
};

/* ORDER must hold its causal edges, and outlive D. */
void syt_dependence_open(struct syt_dependence *d, const struct syt_order *order);
void syt_dependence_close(struct syt_dependence *d);

/* The event AT got what another thread gave, by a call that waits as long as it takes. */
bool syt_dependence_is_wait(const struct syt_order *o, struct syt_place at);

/* Of what ended the wait AT the earliest, when that is certain and of one other thread; else NULL. */
const struct syt_edge *syt_dependence_ended_by(const struct syt_order *o, struct syt_place at);

/* AT would have lasted until the thread that sent E gave; E is what ended it. */
bool syt_dependence_holds(struct syt_dependence *d, const struct syt_edge *e, struct syt_place at);

/* What happened to an object at T gave something to who waits for it. */
bool syt_dependence_gives(const struct syt_touch *t);

#endif
