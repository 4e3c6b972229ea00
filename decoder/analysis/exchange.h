/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Exchanges: what somebody asked over a connection that was accepted, and what was answered.
 *
 * One begins with a receive that is the connection's first one or follows a send on it, and has the
 * sends until the next one begins, whoever makes them: so no protocol need be known, and neither the
 * size of reads nor of writes makes a difference.  Requests that are pipelined are one exchange for as
 * many as arrive before an answer; what a server sends unasked belongs to the exchange before it, and
 * to none when there is none.
 */
#ifndef SYT_DECODER_ANALYSIS_EXCHANGE_H
#define SYT_DECODER_ANALYSIS_EXCHANGE_H

#include "decoder/order/order.h"

/* How it is known that an end of a connection is the one that accepted it. */
enum syt_accepted {
	SYT_ACCEPTED_NOT,
	SYT_ACCEPTED_LISTENED, /* its own address is one that somebody in the trace listens on */
	SYT_ACCEPTED_SEEN,     /* by a call in the trace */
};

struct syt_servers {
	const struct syt_order *order;
	uint8_t *accepted; /* [object]: enum syt_accepted */
	uint8_t *
		serves; /* [index in trace->images]: the same of the connections that it has accepted */
};

/* ORDER must outlive S. */
void syt_servers_open(struct syt_servers *s, const struct syt_order *order);
void syt_servers_close(struct syt_servers *s);

/* Whoever is at the other end of OBJECT serves nobody, as far as is known at LEAST so well. */
bool syt_servers_is_outside(const struct syt_servers *s, uint32_t object, enum syt_accepted least);

struct syt_exchange {
	struct syt_place received; /* the receive that it begins with */
	/* A readiness call had reported it before, when nothing of it had been received; thread SYT_NONE: none */
	struct syt_place reported;
	/* What had moved bytes or the connection itself before; its thread may be SYT_NONE */
	struct syt_place before;
	syt_time before_at;
	struct syt_place answered; /* the send that ends last; thread SYT_NONE: none */
	syt_time first_answer;     /* `in` of the first send; 0: none */
	struct syt_place
		closed; /* after the receive, and nothing was sent; thread SYT_NONE: it was not */
	uint32_t nr_receives, nr_sends;
	uint64_t bytes_received, bytes_sent;
	bool is_sure; /* no event of the connection is missing that would make it begin or end otherwise */
};

/* A walk over the exchanges of one connection. */
struct syt_exchanges {
	const struct syt_order *order;
	struct syt_history history;
	uint64_t next;
	syt_time complete_from;
	bool is_due, is_due_surely;
	struct syt_place reported, before;
	syt_time before_at;
};

struct syt_exchanges syt_exchanges_of(const struct syt_order *o, uint32_t object);

/* False: there are no more. */
bool syt_exchanges_next(struct syt_exchanges *w, struct syt_exchange *x);

#endif
