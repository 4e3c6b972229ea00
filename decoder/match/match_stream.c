/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Streams, pipes and eventfds: a send of the bytes [a, b) happens before every receive of a part of [a, b). For
 * paired datagram sockets, the rule counts messages instead of bytes.
 *
 * The rule is sound because positions are absolute: the sender of a byte does not depend on the other recorded
 * events. Sends that overlap in time, and simultaneous receives by several threads, have no known order, so the
 * edges from all possible sources are ambiguous. Positions contradict each other if more was received than sent, or
 * before it was sent. An untraced process then uses the stream, and the stream gets no edges.
 *
 * The receiver decides whether an urgent byte (MSG_OOB) is part of its stream, so positions after the first urgent
 * byte are unknown. A call that never returned may have moved bytes that no thread counted. Positions are certain
 * up to the byte counter of its endpoint at the begin of this call, and no edge uses later positions.
 *
 * Missing events: the bytes of a missing send stay unmatched. A send or receive that may overlap a missing one has
 * no certain position either: it has no edges, and contradicts nothing. Sends and receives that overlap no missing call
 * keep their edges.
 *
 * Sampled traces: positions count the calls that the sampler left out, too. The recorder counts a call after its real call. If the
 * counter moved meanwhile (`crossed`), other calls took the positions before that of the call, and may have come after it. The
 * position is certain only if recorded calls cover these positions. The closes of the endpoints have the numbers of
 * sent and received bytes, which show whether an untraced process uses the stream.
 */
#include "decoder/match/channel.h"

static uint64_t overlap(const struct syt_move *a, const struct syt_move *b)
{
	uint64_t begin = a->begin > b->begin ? a->begin : b->begin;
	uint64_t end = a->end < b->end ? a->end : b->end;

	return begin < end ? end - begin : 0;
}

/* Counts the sends from which the group G of receives may have got bytes. If there are several sends, the edges are
 * ambiguous. Sets *IS_COVERED if no byte of G can come from a missing send. */
static uint32_t count_sources(struct syt_channel *c, struct syt_group g, bool *is_covered)
{
	uint64_t begin = g.begin;
	uint32_t nr = 0;

	*is_covered = true;
	for (uint32_t i = syt_channel_find(c, g.begin); i < c->nr_send_groups; i++) {
		const struct syt_group s = syt_channel_sent(c, i);

		if (s.begin >= g.end)
			break;
		*is_covered &= s.begin <= begin && s.is_whole;
		begin = s.end;
		nr += s.nr;
	}
	*is_covered &= begin >= g.end;
	return nr;
}

static bool edge(struct syt_channel *c, const struct syt_move *send, const struct syt_move *recv,
                 bool is_ambiguous)
{
	uint64_t bytes = overlap(send, recv);

	if (send->from > recv->to ||
	    (send->place.thread == recv->place.thread && send->place.row >= recv->place.row))
		return false;
	if (c->kind == SYT_EDGE_DATAGRAM)
		bytes = bytes ? syt_channel_bytes(c, recv) : 0;
	return syt_channel_edge(c,
	                        (struct syt_edge){send->place, recv->place, bytes, c->to,
	                                          (uint8_t)c->kind, SYT_CLASS_CAUSAL,
	                                          is_ambiguous ? SYT_EDGE_AMBIGUOUS : 0, 0},
	                        send->from, recv->to);
}

/* Matches one receive RECV. *COVERED becomes the number of bytes of RECV that recorded sends cover. Returns false
 * if RECV gets no edge. */
static bool match_one(struct syt_channel *c, const struct syt_move *recv, uint64_t *covered)
{
	const struct syt_group g = syt_channel_received(c, recv->group);
	bool is_covered, is_shared = g.nr > 1 && count_sources(c, g, &is_covered) > 1;
	uint64_t begin = is_shared ? g.begin : recv->begin, end = is_shared ? g.end : recv->end;
	bool is_ambiguous = false, has_edge = false;

	*covered = 0;
	for (uint32_t i = syt_channel_find(c, begin); i < c->nr_send_groups; i++) {
		const struct syt_group s = syt_channel_sent(c, i);
		bool is_open = is_shared || s.nr > 1;

		if (s.begin >= end)
			break;
		if (!s.is_whole)
			continue;
		for (uint32_t k = s.first; k < s.first + s.nr; k++) {
			has_edge |= edge(c, &c->sends[k], recv, is_open);
			*covered += overlap(&c->sends[k], recv);
		}
		is_ambiguous |= is_open;
	}
	if (has_edge)
		syt_match_attributed(c->m, is_ambiguous);
	return has_edge;
}

static void account(struct syt_channel *c, const struct syt_move *recv, uint64_t covered,
                    enum syt_reason reason)
{
	struct syt_coverage *coverage = c->m->coverage;
	uint64_t all = recv->end - recv->begin, bytes = syt_channel_bytes(c, recv);
	uint64_t matched = c->kind == SYT_EDGE_DATAGRAM ? (covered ? bytes : 0)
	                   : covered < all              ? covered
	                                                : all;

	if (recv->is_peek || syt_object_kind(c->m->objects, c->to) == SYT_KIND_EVENTFD)
		return; /* MSG_PEEK consumes no bytes, and the units of eventfds are not bytes */
	coverage->bytes_received += bytes;
	coverage->bytes_matched += matched;
	coverage->bytes_unmatched[reason] += bytes > matched ? bytes - matched : 0;
}

/* Returns true if the sources of the receive RECV can be determined, at least for the bytes that it stores in
 * *SURE. *MISSING becomes the reason why all bytes, or the other bytes, have no source. */
static bool is_known(struct syt_channel *c, const struct syt_move *recv, struct syt_move *sure,
                     enum syt_reason *missing)
{
	const struct syt_group g = syt_channel_received(c, recv->group);
	uint64_t trusted = c->trusted < c->trusted_received ? c->trusted : c->trusted_received;

	*sure = *recv;
	*missing = c->broken;
	if (c->broken != SYT_NR_REASONS)
		return false;
	*missing = recv->begin < syt_channel_sent_before(c->m, c->from) ? SYT_REASON_BEFORE
	           : c->has_all_sends                                   ? SYT_REASON_NO_RELEASE
	           : c->is_sampled                                      ? SYT_REASON_NOT_SAMPLED
	                                                                : SYT_REASON_OVERWRITTEN;
	if (!g.is_whole)
		return false;
	if (g.nr > 1) {
		bool is_covered, has_many = count_sources(c, g, &is_covered) > SYT_AMBIGUOUS_MAX;

		*missing = has_many ? SYT_REASON_TOO_MANY : *missing;
		if (has_many || !is_covered)
			return false;
	}
	if (recv->end > trusted) {
		*missing = c->limit_reason;
		sure->end = trusted;
		if (*missing == SYT_REASON_UNCERTAIN || g.nr > 1 || recv->begin >= trusted)
			return false;
	}
	if (recv->from >= c->recvs_from)
		return true;
	*missing = SYT_REASON_OVERWRITTEN;
	return false;
}

static void match_recv(struct syt_channel *c, const struct syt_move *recv)
{
	struct syt_move sure;
	enum syt_reason missing;
	uint64_t covered = 0;

	if (!is_known(c, recv, &sure, &missing) || !match_one(c, &sure, &covered))
		syt_match_unattributed(c->m, missing);
	account(c, recv, covered, missing);
}

void syt_match_stream(struct syt_match *m, uint32_t from, uint32_t to)
{
	struct syt_channel c;

	syt_channel_open(&c, m, from, to);
	for (uint32_t i = 0; i < c.nr_recvs; i++)
		match_recv(&c, &c.recvs[i]);
	for (uint64_t i = 0; i < c.nr_no_offset; i++)
		syt_match_unattributed(m, SYT_REASON_NO_OFFSET);
	if (syt_object_kind(m->objects, to) != SYT_KIND_EVENTFD) {
		m->coverage->bytes_received += c.bytes_no_offset;
		m->coverage->bytes_unmatched[SYT_REASON_NO_OFFSET] += c.bytes_no_offset;
	}
	syt_match_eof(&c);
	syt_match_ready(&c);
	syt_channel_close(&c);
}
