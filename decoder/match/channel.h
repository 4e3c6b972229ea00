/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * One direction of a stream (channel): its sends and receives, by their position in the stream.
 *
 * Positions count bytes on streams and pipes, units on eventfds, and messages on paired datagram sockets. The
 * recorder takes the position of a send after the real call, and before the time stamp `out`. Sends that do not
 * overlap in time therefore have positions in the order of the kernel. Sends that overlap form a group, within
 * which the order is unknown. Receives of several threads form groups in the same way.
 */
#ifndef SYT_DECODER_CHANNEL_H
#define SYT_DECODER_CHANNEL_H

#include "decoder/match/match.h"

struct syt_move {
	uint64_t begin, end; /* positions of the first unit, and after the last one */
	syt_time from, to;   /* earliest and latest time of the real effect */
	struct syt_place place;
	uint32_t group; /* index of the group of overlapping moves */
	bool is_peek;   /* a receive with MSG_PEEK, which consumed nothing */
	bool is_whole;  /* the first move of a group: `is_whole` of the group */
};

struct syt_group {
	uint64_t begin, end;
	uint32_t first, nr; /* index of the first of the group's moves, and their number */
	/* No send that is missing in the trace can have a position of this group of sends. The same for a group of receives, but only
	 * for those that a sampler left out. */
	bool is_whole;
};

/* All data up to the position `end` had been received by the time `at`. */
struct syt_mark {
	syt_time at;
	uint64_t end;
};

struct syt_channel {
	struct syt_match *m;
	uint32_t from, to; /* objects (a pipe or an eventfd is both); from: or SYT_NONE */
	enum syt_edge_kind kind;
	/* reason why positions are unusable, or SYT_NR_REASONS if they are usable */
	enum syt_reason broken;
	bool is_sampled;    /* a sampler may have left out sends and receives */
	bool has_all_sends; /* no send is missing in the trace */
	bool has_end;       /* the member `end` is certain */
	bool has_eof;       /* some receive reported the end of file */
	/* times after which every send, and every receive, that ended is recorded */
	syt_time sends_from, recvs_from;
	/* Positions up to which sends, and receives, are certain. The receiver may or may not have the first urgent
	 * byte in its stream, and a call that never returned may have moved bytes that no counter contains. */
	uint64_t trusted, trusted_received;
	enum syt_reason limit_reason; /* reason for the limit `trusted` */
	uint64_t end;                 /* position after all sends, also those before tracing */
	uint32_t nr_sends, nr_recvs, nr_send_groups, nr_recv_groups;
	/* Sorted by group, that is, by time. The times of the sends are limits by the clock of the receiver, which may be
	 * on another host: no send began before `from`, and none ended after `to`. */
	struct syt_move *sends, *recvs;
	uint32_t hosts[2]; /* hosts of `from` and `to` */
	/* NULL: each move is a group; read them with syt_channel_sent() and syt_channel_received() */
	struct syt_group *send_groups, *recv_groups;
	uint32_t nr_marks;
	/* Positions that receives had surely reached (`by`), and had perhaps reached (`until`), at certain times.
	 * Receives with MSG_PEEK do not count. NULL until the first use. */
	struct syt_mark *by, *until;
	/* results of the last searches in send_groups, by and until: the next result is mostly near */
	uint32_t near, near_by, near_until;
	uint64_t nr_no_offset, bytes_no_offset; /* receives with an unknown position */
};

void syt_channel_open(struct syt_channel *c, struct syt_match *m, uint32_t from, uint32_t to);
void syt_channel_close(struct syt_channel *c);

static inline struct syt_group syt_channel_group(const struct syt_group *groups,
                                                 const struct syt_move *moves, uint32_t i)
{
	const struct syt_move *m = &moves[i];

	return groups ? groups[i] : (struct syt_group){m->begin, m->end, i, 1, m->is_whole};
}

/* Return the group of sends, and of receives, with the index I. */
static inline struct syt_group syt_channel_sent(const struct syt_channel *c, uint32_t i)
{
	return syt_channel_group(c->send_groups, c->sends, i);
}

static inline struct syt_group syt_channel_received(const struct syt_channel *c, uint32_t i)
{
	return syt_channel_group(c->recv_groups, c->recvs, i);
}

/* Returns the number of bytes that the event of the move M moved, which a channel of messages does not count. */
static inline uint64_t syt_channel_bytes(const struct syt_channel *c, const struct syt_move *m)
{
	if (c->kind == SYT_EDGE_DATAGRAM || m->end == UINT64_MAX)
		return syt_place_extra(c->m->places, m->place)->bytes;
	return m->end - m->begin;
}

/* Adds EDGE from a send of C. The edge begins with the send, at FROM by the clock of the receiver, and ends at TO. On one host, the
 * events of the edge need not be read again. */
static inline bool syt_channel_edge(const struct syt_channel *c, struct syt_edge edge,
                                    syt_time from, syt_time to)
{
	return c->hosts[0] == c->hosts[1] ? syt_edges_add_between(c->m->edges, edge, from, to)
	                                  : syt_edges_add(c->m->edges, edge);
}

/* Returns the index of the first group of sends that ends after POSITION, or nr_send_groups. */
uint32_t syt_channel_find(struct syt_channel *c, uint64_t position);

/* Return how many bytes of C the reader had surely received before T (_by), or perhaps received by T (_until). */
uint64_t syt_channel_received_by(struct syt_channel *c, syt_time t);
uint64_t syt_channel_received_until(struct syt_channel *c, syt_time t);

/* Returns how many bytes the socket FROM sent before tracing began, if the kernel knew this number, or 0. */
uint64_t syt_channel_sent_before(const struct syt_match *m, uint32_t from);

/* Adds the happens-before edges for end of file on the receiving side of channel C (match_eof.c). */
void syt_match_eof(struct syt_channel *c);
/* Adds the happens-before edges for readiness reports (poll, ...) on the receiving side of C (match_ready.c). */
void syt_match_ready(struct syt_channel *c);

/* Finds the events (close, shutdown, exit) by time T after which no more data can arrive over channel C. Each of
 * these events happens before the end of file that the reader sees. Stores at most SYT_AMBIGUOUS_MAX events in
 * FOUND and returns their number. */
unsigned syt_channel_closers(const struct syt_channel *c, syt_time t, struct syt_place *found);

#endif
