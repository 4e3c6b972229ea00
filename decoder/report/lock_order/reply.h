/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Finds lock-order arcs through another thread: T1 held lock A while it waited for a message of T2, and T2 took
 * lock B before it sent. T1 therefore needs B as if T1 took B itself.
 *
 * A wait is used if only T2 can end it (decoder/analysis/dependence.h). T2's acquisition of B is used if T1 could
 * begin its wait before it: no chain of events leads from the acquisition to the begin of the wait. Then T1 can
 * hold A and wait while T2 does not yet hold B, and T2 does not send until it holds B.
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
	const bool *is_out;  /* [object]: not examined, because its holders are unknown */
	const bool *is_lone; /* [object]: only one thread used it */
	/* waits grouped by thread, call path, waker and held locks */
	size_t nr_groups, room_groups;
	struct syt_reply_group *groups;
	/* locks that each thread takes by a call without a timeout */
	uint64_t nr_taken;
	size_t room_taken;
	struct syt_reply_taken {
		uint32_t thread, object;
	} * taken;
	uint32_t *last_taker; /* [object]: last thread that took the lock, plus one */
	struct syt_dependence depends;
	/* [lock, then thread]: component of the graph; a cycle of arcs lies inside of one component */
	uint32_t *component;
	bool has_reach, has_no_reach;
	struct syt_reach back;
	struct syt_nearest *nearest;
	uint64_t nr_searches, nr_rows; /* numbers of searches and of read events; limited */
};

void syt_replies_open(struct syt_replies *r, struct syt_lock_order_table *t, const bool *is_out,
                      const bool *is_lone);
void syt_replies_close(struct syt_replies *r);

/* Stores that THREAD took the lock OBJECT. All calls for one thread come before the calls for the next thread. */
void syt_replies_took(struct syt_replies *r, uint32_t thread, uint32_t object);
/* Examines the event AT of a thread, which held the locks of HAS during the event. */
void syt_replies_see(struct syt_replies *r, const struct syt_lock_walk *has, struct syt_place at);

/* Adds the arcs through other threads to the table, which has all other arcs already. */
void syt_replies_find_arcs(struct syt_replies *r);

#endif
