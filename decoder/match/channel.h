/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * One direction of a stream: what went in, what came out, by absolute position.
 *
 * Positions are bytes on streams and pipes, units on eventfds, messages on paired datagram sockets.
 * The recorder takes a send's position after the real call and before `out`, so sends that do not
 * overlap in time have positions in the kernel's order; overlapping ones form a group whose members
 * cannot be told apart.  The same holds for receives by several threads.
 */
#ifndef SYT_DECODER_CHANNEL_H
#define SYT_DECODER_CHANNEL_H

#include "decoder/match/match.h"

struct syt_move {
	uint64_t begin, end; /* positions */
	uint64_t bytes;
	syt_time from, to; /* took effect in here */
	struct syt_place place;
	uint32_t group; /* index */
	bool is_peek;   /* receives: without consuming */
};

struct syt_group {
	uint64_t begin, end;
	uint32_t first, nr; /* moves */
};

/* By some instant everything up to some position had been received. */
struct syt_mark {
	syt_time at;
	uint64_t end;
};

struct syt_channel {
	struct syt_match *m;
	uint32_t from,
		to; /* objects; FROM may be SYT_NONE, and both are one for pipes and eventfds */
	enum syt_edge_kind kind;
	enum syt_reason broken; /* why positions cannot be trusted; SYT_NR_REASONS: they can */
	bool has_all_sends;     /* no send can be missing */
	syt_time sends_from, recvs_from; /* none that ended after this is missing */
	/* Up to here positions are certain.  Sent: the receiver may or may not have the first urgent byte
	 * in its stream, and a call that never returned may have sent what is not counted.  Received: as
	 * much, of a call that never returned. */
	uint64_t trusted, trusted_received;
	enum syt_reason doubt; /* why not beyond */
	uint64_t end;          /* of all recorded sends, and of what was sent before */
	uint32_t nr_sends, nr_recvs, nr_send_groups, nr_recv_groups;
	struct syt_move *sends, *recvs; /* in order of groups, that is of time */
	struct syt_group *send_groups, *recv_groups;
	uint32_t nr_marks;
	struct syt_mark *by,
		*until; /* of the consuming receives: surely by, perhaps from; both rise */
	uint64_t nr_no_offset, bytes_no_offset; /* receives whose position is unknown */
};

void syt_channel_open(struct syt_channel *c, struct syt_match *m, uint32_t from, uint32_t to);
void syt_channel_close(struct syt_channel *c);

/* The first send group with end > POSITION; nr_send_groups when there is none. */
uint32_t syt_channel_find(const struct syt_channel *c, uint64_t position);

/* The reader's position: what had surely been received before T, and what may have been by T. */
uint64_t syt_channel_received_by(const struct syt_channel *c, syt_time t);
uint64_t syt_channel_received_until(const struct syt_channel *c, syt_time t);

/* No send is missing that might have overlapped those of G. */
bool syt_channel_is_whole(const struct syt_channel *c, const struct syt_group *g);

/* End of file on C's receiving side: its edges (match_eof.c). */
void syt_match_eof(struct syt_channel *c);
/* Readiness reported of C's receiving side: its edges (match_ready.c). */
void syt_match_ready(struct syt_channel *c);

/*
 * Who ended C's incoming direction by T: fills FOUND, of room SYT_AMBIGUOUS_MAX; returns how many.
 * Each of them came before the end of file; several are not ambiguous but all needed.
 */
unsigned syt_channel_closers(const struct syt_channel *c, syt_time t, struct syt_place *found);

#endif
