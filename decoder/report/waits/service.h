/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * For whom a thread works, and so whether what ended a wait was an answer or new work.
 *
 * A thread is always in one service.  Work that comes to it begins another one, whose parent is the
 * service in which that was sent; of a thread's first service that is the one in which the thread
 * was made.  What ended a wait goes back, over these parents, to the thread that waited: then that
 * one had asked for it, and goes on with the service in which it did.  Or it does not: then work
 * arrived.  By induction over time that is who turned to whom first, of any two that take turns.
 *
 * Told for each event into which a causal edge leads.  In one pass over the edges in order of time, and
 * in further ones where that contradicts itself (decoder/report/waits/role_conflict.h).
 */
#ifndef SYT_DECODER_REPORT_WAITS_SERVICE_H
#define SYT_DECODER_REPORT_WAITS_SERVICE_H

#include "decoder/order/order.h"

enum syt_origin {
	SYT_ORIGIN_NONE, /* not told: no edge, or one that says nothing about this */
	SYT_ORIGIN_ARRIVED,
	SYT_ORIGIN_ASKED,
	SYT_ORIGIN_MADE,      /* asked for by making that thread or process, and by nothing else */
	SYT_ORIGIN_HIDDEN,    /* nobody was seen to give work to who ended it, and might have */
	SYT_ORIGIN_MUTUAL,    /* each of the two may serve the other */
	SYT_ORIGIN_AMBIGUOUS, /* one of several ended it, or caused what did */
	SYT_ORIGIN_MISSING,   /* events that would tell are missing */
	SYT_ORIGIN_FAR,       /* over more threads than are followed */
};

/* Who else's wait depends on a thread then, from the weakest on. */
enum syt_demand_level {
	SYT_DEMAND_END = 1, /* somebody waits for its end */
	SYT_DEMAND_ANSWER,  /* for what he had asked for */
	SYT_DEMAND_LOCK,    /* for a lock that it holds, or as the client whose request it has */
};

struct syt_demand {
	uint32_t thread; /* trace-wide */
	uint8_t level;   /* enum syt_demand_level */
	syt_time from, to;
};

struct syt_demands {
	uint64_t nr;
	size_t room;
	struct syt_demand *all;
};

/* Who turned to whom when a connection was made. */
enum syt_side { SYT_SIDE_UNKNOWN, SYT_SIDE_ACCEPTED, SYT_SIDE_CONNECTED };

struct syt_services {
	const struct syt_order *order;
	uint8_t *origins;           /* [edge]: enum syt_origin, at the last one into an event */
	uint8_t *sides;             /* [object]: enum syt_side */
	struct syt_demands demands; /* of answers */
};

/* ORDER must hold its causal edges, and outlive S. */
void syt_services_open(struct syt_services *s, const struct syt_order *order);
void syt_services_close(struct syt_services *s);

/* Nothing when FROM is not before TO. */
void syt_demands_add(struct syt_demands *d, uint32_t thread, enum syt_demand_level level,
                     syt_time from, syt_time to);
void syt_demands_close(struct syt_demands *d);

#endif
