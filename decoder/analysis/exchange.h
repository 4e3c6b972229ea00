/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Exchanges: the requests on accepted connections, and their answers.
 *
 * An exchange begins with a receive that is the first on its connection or follows a send. The exchange includes
 * all sends, of any process, up to the begin of the next exchange. The decoder therefore needs no knowledge of the
 * protocol or of the sizes of reads and writes. Pipelined requests that arrive before an answer are one exchange.
 * Data that a server sends without a request belongs to the preceding exchange, if there is one.
 */
#ifndef SYT_DECODER_ANALYSIS_EXCHANGE_H
#define SYT_DECODER_ANALYSIS_EXCHANGE_H

#include "decoder/order/order.h"

/* The evidence that a socket is the accepting end of its connection. */
enum syt_accepted {
	SYT_ACCEPTED_NOT,
	SYT_ACCEPTED_LISTENED, /* a socket in the trace listens on its local address */
	SYT_ACCEPTED_SEEN,     /* the trace has the call that accepted the connection */
};

struct syt_servers {
	const struct syt_order *order;
	uint8_t *accepted; /* [object]: enum syt_accepted */
	uint8_t *serves; /* [index in trace->images]: best evidence among the image's connections */
};

/* Collects the accepting ends of all connections into S. ORDER must outlive S. */
void syt_servers_open(struct syt_servers *s, const struct syt_order *order);
void syt_servers_close(struct syt_servers *s);

/* Returns true if the process at the other end of OBJECT is unknown, or accepted no connection by evidence of at
 * least LEAST. */
bool syt_servers_is_outside(const struct syt_servers *s, uint32_t object, enum syt_accepted least);

struct syt_exchange {
	struct syt_place received; /* the first receive of the request */
	/* An event that does not exist has the thread SYT_NONE in the next members. */
	struct syt_place
		reported;        /* the readiness call that reported the request before a receive */
	struct syt_place before; /* previous receive, send or accept on the connection */
	syt_time before_at;
	struct syt_place answered; /* the send of the answer that ends last */
	syt_time first_answer;     /* begin of the first send of the answer; 0: no send */
	struct syt_place closed;   /* the close after a receive without an answer */
	uint32_t nr_receives, nr_sends;
	uint64_t bytes_received, bytes_sent;
	bool is_sure; /* no missing event can change the begin or the end of the exchange */
};

/* A walk over the exchanges (requests and answers) of one connection. */
struct syt_exchanges {
	const struct syt_order *order;
	struct syt_history history;
	uint64_t next;
	syt_time complete_from;
	bool is_due, is_due_surely;
	struct syt_place reported, before;
	syt_time before_at;
	/* The next members are for a sampled trace. All recorded moves of the exchange so far are in one part of one thread,
	 * and no move is missing between them. */
	bool is_sampled, is_whole;
	uint64_t sent, received; /* positions behind the last recorded send and receive */
};

struct syt_exchanges syt_exchanges_of(const struct syt_order *o, uint32_t object);

/* Finds the next exchange of the connection. Returns false after the last exchange. */
bool syt_exchanges_next(struct syt_exchanges *w, struct syt_exchange *x);

#endif
