/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Requests: the exchanges (decoder/analysis/exchange.h) of a whole trace, with times, numbered by their begins.
 *
 * A request begins when its client sent it, if the client is in the trace. Without a traced client, a request
 * begins when a readiness call reported it, or else when the server received it. A request ends when the last send
 * of its answer returned.
 *
 * A client may send the next request before the answer to this one begins (pipelining). The exchanges then do not match
 * single requests: an exchange has all requests that arrived before the first answer, and its answer may belong to the
 * exchange before. The decoder marks these exchanges if the client is in the trace. Without payloads, requests that one call
 * sends look like one request.
 *
 * A request needs 144 bytes in the store (base/store.h). Only one thread at a time may use a struct syt_requests.
 */
#ifndef SYT_DECODER_ANALYSIS_REQUEST_H
#define SYT_DECODER_ANALYSIS_REQUEST_H

#include "decoder/analysis/exchange.h"

/* clang-format off */
#define SYT_REQUEST_BEGINS(BEGIN) \
	BEGIN(SENT,     "sent")     /* the request begins with the send of its first bytes */ \
	BEGIN(REPORTED, "reported") /* the request begins at the end of a readiness call */   \
	BEGIN(RECEIVED, "received") /* the request begins at the end of the receive */
#define SYT_REQUEST_ENDS(END) \
	END(ANSWERED, "answered") \
	END(CLOSED,   "closed") /* a process closed the connection without an answer */ \
	END(OPEN,     "open")   /* the trace has no answer */

#define SYT_REQUEST_ID(name_, ...) SYT_REQUEST_##name_,
enum syt_request_begin { SYT_REQUEST_BEGINS(SYT_REQUEST_ID) SYT_NR_REQUEST_BEGINS };
enum syt_request_end { SYT_REQUEST_ENDS(SYT_REQUEST_ID) SYT_NR_REQUEST_ENDS };
/* clang-format on */

#define SYT_REQUEST_INNER 1u    /* the sender is a process that receives requests itself */
#define SYT_REQUEST_UNSURE 2u   /* events of the connection may be missing */
#define SYT_REQUEST_INFERRED 4u /* the decoder inferred which two sockets form the connection */
#define SYT_REQUEST_PIPELINED                                                                      \
	8u /* the client did not wait for the answer to this request or to the one before */

struct syt_request_info {
	struct syt_exchange x;
	struct syt_place begun, ended;    /* ended: answer or close; for OPEN: thread SYT_NONE */
	syt_time begin, received_at, end; /* end is 0 for OPEN */
	uint32_t object;                  /* socket of the server */
	uint8_t begin_is, end_is, flags;
};

struct syt_requests {
	const struct syt_order *order;
	uint64_t nr;
	size_t room;
	struct syt_request_info *all; /* request number N is all[N - 1] */
	/* Indices in `all`: the counted requests, the other answered requests (both longest first), then the
	 * rest. */
	uint64_t *by_length;
	uint64_t nr_counted; /* number of answered requests that are neither inner nor unsure */
	uint64_t nr_of_begin[SYT_NR_REQUEST_BEGINS]; /* numbers of counted requests */
	uint64_t nr_of_end[SYT_NR_REQUEST_ENDS];     /* numbers of all requests */
	uint64_t nr_inner, nr_unsure;
	uint64_t nr_pipelined;         /* neither inner nor unsure */
	uint64_t nr_connections;       /* number of connections with at least one request */
	uint64_t nr_listened;          /* number of connections without an accept in the trace */
	syt_time median, p99, longest; /* lengths of counted requests, by nearest rank */
};

/* Finds all requests of the trace. ORDER must contain the happens-before edges of streams, and outlive R. */
void syt_requests_open(struct syt_requests *r, const struct syt_order *order);
void syt_requests_close(struct syt_requests *r);

/* Returns true if the request R is answered, and neither inner nor unsure. */
bool syt_request_counts(const struct syt_request_info *r);

/* The time in which a request may have waited in the socket before the server saw it. */
struct syt_request_queue {
	syt_time from;       /* earliest arrival of the request, if its client waits for answers */
	struct syt_place at; /* the event that shows `from` */
	struct syt_place to; /* the event by which the server saw the request */
};
/* Finds the time in which the request R may have waited in the socket. Returns false if its arrival is known, or if
 * a thread was waiting for it. */
bool syt_request_queued(const struct syt_requests *rs, const struct syt_request_info *r,
                        struct syt_request_queue *q);

/* Returns the number of other requests that the receiving thread of R handled in [FROM, TO). *LONGEST gets the
 * index of the request that took most of this time, or SYT_REQUEST_NONE. */
#define SYT_REQUEST_NONE UINT64_MAX
uint64_t syt_request_meanwhile(const struct syt_requests *rs, const struct syt_request_info *r,
                               syt_time from, syt_time to, uint64_t *longest);

const char *syt_request_begin_word(enum syt_request_begin b);
const char *syt_request_end_word(enum syt_request_end e);

#endif
