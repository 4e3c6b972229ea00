/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * The extent of requests: for which request each thread works at each event (doc/requests.md, "Extent").
 *
 * A request is a tree of segments. A segment is the work of a thread on one request since it got this work by a
 * message, through a queue or by its creation. The first segment of a request begins with the receive of the request. The events of a
 * segment are one or more pieces: a piece is a row of consecutive events of one thread. An event loop that comes back
 * to a request adds a piece to its segment. The pieces of a thread do not overlap.
 *
 * Only exchanges with the outside have an extent. An exchange between servers of the trace belongs to the request
 * for which it was made.
 */
#ifndef SYT_DECODER_REQUEST_EXTENT_H
#define SYT_DECODER_REQUEST_EXTENT_H

#include "decoder/analysis/request.h"
#include "decoder/analysis/service.h"
#include "decoder/read/symbol.h"
#include "decoder/request/piece.h"

#define SYT_EXTENT_SEVERAL (SYT_NONE - 1) /* the work belongs to several requests */
/* The kind of the arc to a segment that begins with the answer of an untraced server on its connection. */
#define SYT_EXTENT_PAIRED ((uint8_t)SYT_NR_EDGE_KINDS)

struct syt_request_segment {
	uint32_t request; /* index in the array of struct syt_requests, or SYT_EXTENT_SEVERAL */
	uint32_t parent;  /* the segment of `from`; SYT_NONE: the first segment of a request */
	struct syt_place from; /* the event that gave the work: a send, an unlock, a creation */
	syt_time since; /* time at which the work was given, or at which the request was received */
	uint32_t
		taken; /* row of the event by which the thread got the work; it may lie behind the begin of its piece */
	uint8_t by;       /* enum syt_edge_kind, or SYT_EXTENT_PAIRED */
	bool is_inferred; /* the trace does not prove that the work passed this way */
};

struct syt_extents {
	const struct syt_order *order;
	const struct syt_requests *requests;
	struct syt_services services; /* with hand-offs, without demands */
	uint32_t nr_segments, nr_pieces;
	size_t room_segments, room_pieces;
	struct syt_request_segment
		*segments;        /* in the order of time: a parent comes before its children */
	struct syt_piece *pieces; /* in the order of time */
	uint32_t *last_of_thread; /* [thread]: its last piece, or SYT_NONE */
	/* segments of the request with index R: by_request[first_of_request[R]] up to by_request[first_of_request[R + 1]], in the
	 * order of time. Pieces of a segment: by_segment and first_of_segment. */
	uint32_t *first_of_request, *by_request, *first_of_segment, *by_segment;
	uint64_t nr_mixed; /* number of events whose sources worked on several requests */
};

/* The edges that ORDER must contain. */
extern const struct syt_edges_wanted syt_extent_edges;

/* Finds the extents of all requests. The function infers the hand-offs of ORDER, unless ORDER has them. VISITS is NULL, or the
 * visits of a function (decoder/request/visit.h) that take the place of the requests from the outside; REQUESTS then only tells
 * where messages begin. ORDER, REQUESTS and VISITS must outlive E. Returns 0, or -1 after a message (syt_warn) if the trace has too many requests. One thread at a time
 * may use E. */
int syt_extents_open(struct syt_extents *e, struct syt_order *order,
                     const struct syt_requests *requests, const struct syt_requests *visits,
                     struct syt_symbols *symbols);
void syt_extents_close(struct syt_extents *e);

/* Returns true if the request with the index R has an extent: it came from the outside. */
bool syt_extents_has(const struct syt_extents *e, uint64_t r);

/* Returns the piece that contains the event AT, or SYT_NONE. */
uint32_t syt_extents_piece(const struct syt_extents *e, struct syt_place at);

#endif
