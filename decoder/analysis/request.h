/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Requests: the exchanges (decoder/analysis/exchange.h) of a whole trace, with times, numbered by their begins.
 *
 * A request begins when its client sent it, if the client is in the trace; else when a readiness call reported it; else
 * when it was received.  It ends when the last send of its answer returned.
 *
 * Memory: 144 bytes for a request, in the store.  One thread at a time.
 */
#ifndef SYT_DECODER_ANALYSIS_REQUEST_H
#define SYT_DECODER_ANALYSIS_REQUEST_H

#include "decoder/analysis/exchange.h"

/* clang-format off */
#define SYT_REQUEST_BEGINS(BEGIN) \
	BEGIN(SENT,     "sent")     /* at the `in` of the send of its first bytes */                  \
	BEGIN(REPORTED, "reported") /* at the `out` of a readiness call */                            \
	BEGIN(RECEIVED, "received") /* at the `out` of the receive */
#define SYT_REQUEST_ENDS(END) \
	END(ANSWERED, "answered")                                                                     \
	END(CLOSED,   "closed")     /* closed without an answer, by any process that had the connection */       \
	END(OPEN,     "open")       /* the trace has no answer */

enum syt_request_begin {
#define BEGIN(name_, word_) SYT_REQUEST_##name_,
	SYT_REQUEST_BEGINS(BEGIN)
#undef BEGIN
	SYT_NR_REQUEST_BEGINS
};

enum syt_request_end {
#define END(name_, word_) SYT_REQUEST_##name_,
	SYT_REQUEST_ENDS(END)
#undef END
	SYT_NR_REQUEST_ENDS
};
/* clang-format on */

#define SYT_REQUEST_INNER 1u    /* sent by a process that receives requests itself */
#define SYT_REQUEST_UNSURE 2u   /* events of its connection may be missing */
#define SYT_REQUEST_INFERRED 4u /* the pair of connection ends is inferred */

struct syt_request_info {
	struct syt_exchange x;
	struct syt_place begun, ended; /* ENDED: the answer, or the close; thread SYT_NONE: OPEN */
	syt_time begin, received_at, end; /* END: 0 for OPEN */
	uint32_t object;                  /* the server's end of the connection */
	uint8_t begin_is, end_is, flags;
};

struct syt_requests {
	const struct syt_order *order;
	uint64_t nr;
	size_t room;
	struct syt_request_info *all; /* number N is all[N - 1] */
	/* Indices: the counted requests, longest first; the other answered requests, longest first; the others. */
	uint64_t *by_length;
	uint64_t nr_counted;                         /* answered, neither inner nor unsure */
	uint64_t nr_of_begin[SYT_NR_REQUEST_BEGINS]; /* of the counted */
	uint64_t nr_of_end[SYT_NR_REQUEST_ENDS];     /* of all, like the numbers below */
	uint64_t nr_inner, nr_unsure;
	uint64_t nr_connections;       /* with at least one request */
	uint64_t nr_listened;          /* connections without an accept in the trace */
	syt_time median, p99, longest; /* of the counted: nearest rank */
};

/* ORDER must hold the edges of streams, and outlive R. */
void syt_requests_open(struct syt_requests *r, const struct syt_order *order);
void syt_requests_close(struct syt_requests *r);

/* Returns true if the request is counted. */
bool syt_request_counts(const struct syt_request_info *r);

/* The time in which a request may have waited in the socket before the server saw it. */
struct syt_request_queue {
	syt_time from;       /* it cannot have arrived earlier, if its client waits for answers */
	struct syt_place at; /* the event that shows this; thread SYT_NONE: none */
	struct syt_place to; /* the event that saw it */
};
/* Returns false if the arrival is known, or if a thread was waiting for the request when it arrived. */
bool syt_request_queued(const struct syt_requests *rs, const struct syt_request_info *r,
                        struct syt_request_queue *q);

/* Returns the number of other requests that the receiver of R handled in [FROM, TO).  *LONGEST: the index of the request
 * with most of this time; SYT_REQUEST_NONE: none. */
#define SYT_REQUEST_NONE UINT64_MAX
uint64_t syt_request_meanwhile(const struct syt_requests *rs, const struct syt_request_info *r,
                               syt_time from, syt_time to, uint64_t *longest);

const char *syt_request_begin_word(enum syt_request_begin b);
const char *syt_request_end_word(enum syt_request_end e);

#endif
