/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * One direction of a stream: sends and receives by absolute position.
 *
 * Positions are bytes on streams and pipes, units on eventfds, messages on paired datagram sockets.
 * The recorder takes a send's position after the real call and before `out`. Sends that do not
 * overlap in time therefore have positions in the kernel's order. Overlapping sends form a group,
 * within which the order is unknown. The same holds for receives of several threads.
 */
#ifndef SYT_DECODER_CHANNEL_H
#define SYT_DECODER_CHANNEL_H

#include "decoder/match/match.h"

struct syt_move {
	uint64_t begin, end; /* positions */
	uint64_t bytes;
	syt_time from, to; /* bounds of the effect */
	struct syt_place place;
	uint32_t group; /* index of its group */
	bool is_peek;   /* a receive that did not consume */
};

struct syt_group {
	uint64_t begin, end;
	uint32_t first, nr; /* its moves */
};

/* All data up to position `end` had been received at time `at`. */
struct syt_mark {
	syt_time at;
	uint64_t end;
};

struct syt_channel {
	struct syt_match *m;
	uint32_t from, to; /* objects; FROM may be SYT_NONE; a pipe's and an eventfd's are equal */
	enum syt_edge_kind kind;
	/* reason why positions are unusable; SYT_NR_REASONS: they are usable */
	enum syt_reason broken;
	bool has_all_sends; /* no send can be missing */
	/* sends, or receives, that ended after this are all recorded */
	syt_time sends_from, recvs_from;
	/* Positions are certain up to here. For sends: the receiver may or may not have the first
	 * urgent byte in its stream, and a call that never returned may have sent uncounted bytes.
	 * For receives: a call that never returned may have received uncounted bytes. */
	uint64_t trusted, trusted_received;
	enum syt_reason limit_reason; /* reason for the limit */
	uint64_t end;                 /* position after all recorded sends and earlier ones */
	uint32_t nr_sends, nr_recvs, nr_send_groups, nr_recv_groups;
	struct syt_move *sends, *recvs; /* in order of groups, that is, of time */
	struct syt_group *send_groups, *recv_groups;
	uint32_t nr_marks;
	/* marks of consuming receives: data surely received (by), or perhaps received (until) */
	struct syt_mark *by, *until;
	uint64_t nr_no_offset, bytes_no_offset; /* receives with unknown position */
};

void syt_channel_open(struct syt_channel *c, struct syt_match *m, uint32_t from, uint32_t to);
void syt_channel_close(struct syt_channel *c);

/* Returns the index of the first send group with end > POSITION, or nr_send_groups. */
uint32_t syt_channel_find(const struct syt_channel *c, uint64_t position);

/* Return the reader's position at T: the bytes surely received before T (_by), and the bytes
 * perhaps received by T (_until). */
uint64_t syt_channel_received_by(const struct syt_channel *c, syt_time t);
uint64_t syt_channel_received_until(const struct syt_channel *c, syt_time t);

/* Returns the bytes that FROM sent before tracing began, if the kernel knew the number, or 0. */
uint64_t syt_channel_sent_before(const struct syt_match *m, uint32_t from);

/* Returns true if no missing send can overlap the sends of G. */
bool syt_channel_is_whole(const struct syt_channel *c, const struct syt_group *g);

/* Adds the edges for end of file on C's receiving side (match_eof.c). */
void syt_match_eof(struct syt_channel *c);
/* Adds the edges for readiness reports of C's receiving side (match_ready.c). */
void syt_match_ready(struct syt_channel *c);

/* Finds the events that ended C's incoming direction by T; all precede the end of file. Stores at
 * most SYT_AMBIGUOUS_MAX in FOUND and returns their number. */
unsigned syt_channel_closers(const struct syt_channel *c, syt_time t, struct syt_place *found);

#endif
