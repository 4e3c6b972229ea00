/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Finds services: for which requester each thread works, and whether a wait ended by an answer or by new work.
 *
 * A service is the work that a thread does for one requester. At each instant, a thread works in exactly one
 * service. The parent of a service is the service in which the sender of the work was working then. The parent of a
 * thread's first service is the service in which the thread was created. A chain of parents therefore leads from
 * each service to the thread that caused the work first.
 *
 * A causal happens-before edge brings data or a wake-up from a sender to a thread T. The decoder then follows the
 * chain of parents from the sender's service:
 *
 *  - The chain contains a service of T: T had asked, and the edge brings the answer. T continues
 *    with that service.
 *  - The chain does not contain T: new work arrived. T begins a new service, with the sender's
 *    service as its parent.
 *
 * Example: a client sends a request. The server had not asked for the request, so the server begins a service whose
 * parent is the client's service. The server replies. The parents of the server's service lead to the client: the
 * client's receive waited for the answer to its own request. By induction over time, the thread that first turned
 * to the other thread is therefore the client.
 *
 * The decoder makes one pass over the edges in order of time, and further passes if the result contradicts itself
 * (decoder/analysis/role_conflict.h). One thread at a time may use a struct syt_services.
 */
#ifndef SYT_DECODER_ANALYSIS_SERVICE_H
#define SYT_DECODER_ANALYSIS_SERVICE_H

#include "decoder/order/order.h"

/* The reason why data or a wake-up came to a thread. */
enum syt_origin {
	/* unknown: no edge leads to the event, or an edge of a kind that is not examined */
	SYT_ORIGIN_NONE,
	SYT_ORIGIN_ARRIVED, /* new work: the thread had not asked for it */
	SYT_ORIGIN_ASKED,   /* an answer: the thread had made a request */
	/* the end of work given at creation: the thread created the sender, and made no other request */
	SYT_ORIGIN_MADE,
	/* hidden: the sender may have got its work from a thread that the trace does not show */
	SYT_ORIGIN_HIDDEN,
	SYT_ORIGIN_MUTUAL,    /* each of the two threads may serve the other */
	SYT_ORIGIN_AMBIGUOUS, /* several threads may have ended the wait, or caused its end */
	SYT_ORIGIN_MISSING,   /* events that would decide this are missing */
	SYT_ORIGIN_FAR,       /* the chain of parents is longer than the decoder follows */
};

/* The kinds of waits of other threads that depend on a thread. A higher level is stronger. */
enum syt_demand_level {
	SYT_DEMAND_END = 1, /* the other thread waits for the end of this thread */
	SYT_DEMAND_ANSWER,  /* the other thread waits for the answer to its request */
	/* the other thread waits for a lock of this thread, or is a client with an open request */
	SYT_DEMAND_LOCK,
};

/* A time in which the wait of another thread depended on THREAD. */
struct syt_demand {
	uint32_t thread; /* trace-wide index of the thread */
	uint8_t level;   /* enum syt_demand_level */
	syt_time from, to;
};

struct syt_demands {
	uint64_t nr;
	size_t room;
	struct syt_demand *all;
};

/* The side of a connection to which a socket belongs. */
enum syt_side { SYT_SIDE_UNKNOWN, SYT_SIDE_ACCEPTED, SYT_SIDE_CONNECTED };

struct syt_services {
	const struct syt_order *order;
	/* [happens-before edge]: enum syt_origin. Only the last edge into an event has one; others have NONE. */
	uint8_t *origins;
	uint8_t *sides; /* [object]: enum syt_side */
	/* times in which threads waited for answers (level SYT_DEMAND_ANSWER) */
	struct syt_demands demands;
};

/* Finds the services of the threads in ORDER and stores the result in S. ORDER must contain its causal edges, and
 * must outlive S. */
void syt_services_open(struct syt_services *s, const struct syt_order *order);
/* The same, also with the inferred hand-offs in ORDER (decoder/order/handoff.h). A thread that finds work in its queue does
 * not wait, so only a hand-off tells for which requester the thread works from then on. */
void syt_services_open_with_handoffs(struct syt_services *s, const struct syt_order *order);
void syt_services_close(struct syt_services *s);

/* Appends a demand (the wait of another thread depends on THREAD) to D. Does nothing unless FROM is before TO. */
void syt_demands_add(struct syt_demands *d, uint32_t thread, enum syt_demand_level level,
                     syt_time from, syt_time to);
void syt_demands_close(struct syt_demands *d);

#endif
