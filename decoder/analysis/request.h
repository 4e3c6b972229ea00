/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Requests: the exchanges (decoder/analysis/exchange.h) of a whole trace, with times, numbered in the
 * order in which they began.
 *
 * One begins where it is known to have been under way: when its client sent it, if the client is in
 * the trace; else when a readiness call reported it; else when it was received.  It ends when the send
 * that is the last of its answer to end has given its bytes to the kernel.
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
	END(CLOSED,   "closed")     /* without an answer, by somebody who had the connection */       \
	END(OPEN,     "open")       /* without an answer that the trace has */
/* clang-format on */

/* clang-format off */
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

#define SYT_REQUEST_INNER 1u  /* from a process that serves others, which other requests come to */
#define SYT_REQUEST_UNSURE 2u /* events of its connection may be missing */
#define SYT_REQUEST_INFERRED 4u /* that the sender is its client's is inferred */

struct syt_request_info {
	struct syt_exchange x;
	struct syt_place begun, ended; /* ENDED: the answer, or who closed; thread SYT_NONE: OPEN */
	syt_time begin, received_at, end; /* END: 0 for OPEN */
	uint32_t object;                  /* the server's end of its connection */
	uint8_t begin_is, end_is, flags;
};

struct syt_requests {
	const struct syt_order *order;
	uint64_t nr;
	size_t room;
	struct syt_request_info *all; /* number N is all[N - 1] */
	/* Indices: those that count, longest first; the rest of the answered ones, longest first; the others. */
	uint64_t *by_length;
	uint64_t nr_counted;                         /* answered, neither inner nor unsure */
	uint64_t nr_of_begin[SYT_NR_REQUEST_BEGINS]; /* of the counted */
	uint64_t nr_of_end[SYT_NR_REQUEST_ENDS];     /* of all, as those below */
	uint64_t nr_inner, nr_unsure;
	uint64_t nr_connections;       /* with a request */
	uint64_t nr_listened;          /* of them, those whose accept is not in the trace */
	syt_time median, p99, longest; /* of the counted: nearest rank */
};

/* ORDER must hold the edges of streams, and outlive R. */
void syt_requests_open(struct syt_requests *r, const struct syt_order *order);
void syt_requests_close(struct syt_requests *r);

/* Whether the request is one of the counted. */
bool syt_request_counts(const struct syt_request_info *r);

/* What a server may have done before it looked at a request whose coming nobody saw. */
struct syt_request_queue {
	syt_time from; /* it cannot have come earlier, if its client waits for answers */
	struct syt_place
		at; /* what shows that; thread SYT_NONE: nothing, the path cannot be told */
	struct syt_place to; /* who saw it then */
};
/* False: it is known when it came, or it came while somebody waited for it. */
bool syt_request_queued(const struct syt_requests *rs, const struct syt_request_info *r,
                        struct syt_request_queue *q);

/* Other requests that the thread which received R had in hand at some time of [FROM, TO): how many, and
 * the index of the one that had most of that; SYT_REQUEST_NOBODY. */
#define SYT_REQUEST_NOBODY UINT64_MAX
uint64_t syt_request_meanwhile(const struct syt_requests *rs, const struct syt_request_info *r,
                               syt_time from, syt_time to, uint64_t *longest);

const char *syt_request_begin_word(enum syt_request_begin b);
const char *syt_request_end_word(enum syt_request_end e);

#endif
