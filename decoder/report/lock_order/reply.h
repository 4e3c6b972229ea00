/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Arcs through what another thread does: T1 had A when it waited for what T2 sent, and T2 took B before
 * it sent.  So T1 needs B as if it wanted it itself.
 *
 * A wait counts when nothing but T2 can end it (decoder/analysis/dependence.h).  T2's taking counts when T2
 * need not have been past it for T1 to begin its wait: nothing that leads there comes after it.  Then
 * both can stand where they were before, T1 with A in the wait and T2 before B, and T2 will not send
 * until it has B.
 */
#ifndef SYT_DECODER_REPORT_LOCK_ORDER_REPLY_H
#define SYT_DECODER_REPORT_LOCK_ORDER_REPLY_H

#include "decoder/order/reach.h"
#include "decoder/analysis/dependence.h"
#include "decoder/report/lock_order/arc.h"

struct syt_reply_group;

struct syt_replies {
	struct syt_lock_order *l;
	struct syt_lock_order_table *table;
	const bool *is_out; /* [object]: who has it is not known */
	/* waits by thread, call path, who ended it and what was held */
	size_t nr_groups, room_groups;
	struct syt_reply_group *groups;
	/* which thread takes which lock, and waits for it as long as it takes */
	uint64_t nr_taken;
	size_t room_taken;
	struct syt_reply_taken {
		uint32_t thread, object;
	} * taken;
	uint32_t *last_taker; /* [object]: thread plus one; threads come one after the other */
	struct syt_dependence depends;
	/* locks, then threads: whether one may lead to the other */
	uint32_t *component;
	bool has_reach, has_no_reach;
	struct syt_reach back;
	struct syt_nearest *nearest;
	uint64_t nr_searches, nr_rows; /* done so far: there are limits */
};

void syt_replies_open(struct syt_replies *r, struct syt_lock_order_table *t, const bool *is_out);
void syt_replies_close(struct syt_replies *r);

/* THREAD took OBJECT; all of one thread before those of the next. */
void syt_replies_took(struct syt_replies *r, uint32_t thread, uint32_t object);
/* AT is an event of a thread that had what HAS says meanwhile. */
void syt_replies_see(struct syt_replies *r, const struct syt_lock_walk *has, struct syt_place at);

/* Adds the arcs to the table, in which all others are. */
void syt_replies_find_arcs(struct syt_replies *r);

#endif
