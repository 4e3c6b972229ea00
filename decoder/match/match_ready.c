/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Readiness: the send (or the close calls) that made an fd readable happens before the epoll_wait, poll or select
 * call that reported the fd.
 *
 * An fd is readable if the first byte after the reader's position has arrived, or the end of file. The position is
 * known if no receive overlaps the readiness call in time. The cause is then the send of that byte, even if the
 * report was edge-triggered and caused by later bytes, because a stream delivers bytes in order.
 *
 * An fd is writable again, after a send had found no room, because a receive of the other side made room. If the
 * TCP code of the kernel may have made the room, there is no edge. A writer that always had room needed no waker.
 *
 * Missing events: if receives before the report may be missing, the position counts only if the next receive
 * continues there.
 *
 * Sampled traces: the receives before the report may be missing. The readiness call therefore stores the position of the reader,
 * unless another thread received last. Whether a send had found no room is unknown.
 */
#include "decoder/match/channel.h"

#include <errno.h>
#include "base/bisect.h"
#include "format/address.h"

/* Returns true if the next consuming receive from C after T starts at POSITION. */
static bool continues(const struct syt_channel *c, syt_time t, uint64_t position)
{
	uint32_t low = SYT_BISECT(i, 0, c->nr_recvs, c->recvs[i].to <= t);

	while (low < c->nr_recvs && c->recvs[low].is_peek)
		low++;
	return low < c->nr_recvs && c->recvs[low].begin == position;
}

static bool edge(struct syt_channel *c, const struct syt_touch *t, struct syt_place from,
                 bool is_ambiguous)
{
	return from.thread != t->place.thread &&
	       syt_match_cause(c->m, SYT_EDGE_READY, from, t->place, c->to, is_ambiguous);
}

/* Does edge() for a send, whose begin is known. */
static bool send_edge(struct syt_channel *c, const struct syt_touch *t, const struct syt_move *send,
                      bool is_ambiguous)
{
	return send->place.thread != t->place.thread &&
	       syt_channel_edge(c,
	                        (struct syt_edge){.from = send->place,
	                                          .to = t->place,
	                                          .object = c->to,
	                                          .kind = SYT_EDGE_READY,
	                                          .class = SYT_CLASS_CAUSAL,
	                                          .flags = is_ambiguous ? SYT_EDGE_AMBIGUOUS : 0},
	                        send->from, t->at);
}

/* Matches a readiness report T that the end of file caused. The sources of such a report are the close calls before
 * T. */
static void match_end(struct syt_channel *c, const struct syt_touch *t, uint64_t position)
{
	struct syt_place found[SYT_AMBIGUOUS_MAX];
	unsigned nr = 0, nr_edges = 0;

	if (position == c->end && c->has_end)
		nr = syt_channel_closers(c, t->at, found);
	for (unsigned i = 0; i < nr; i++)
		nr_edges += edge(c, t, found[i], false);
	if (nr_edges)
		syt_match_attributed(c->m, false);
	else if (nr)
		syt_match_unneeded(c->m);
	else
		syt_match_unattributed(c->m, c->has_all_sends ? SYT_REASON_NO_RELEASE
		                             : c->is_sampled  ? SYT_REASON_NOT_SAMPLED
		                                              : SYT_REASON_OVERWRITTEN);
}

static void match_readable(struct syt_channel *c, const struct syt_touch *t)
{
	syt_time earliest = syt_place_earliest(c->m->places, t->place);
	uint64_t stored = syt_match_stored(c->m, t);
	uint64_t position = stored ? stored - 1 : syt_channel_received_by(c, earliest);
	struct syt_group g = {.nr = 0};
	unsigned nr_edges = 0, nr_sources = 0;
	uint32_t i;

	if (c->is_sampled && !stored) {
		syt_match_unattributed(c->m, SYT_REASON_NOT_SAMPLED);
		return;
	}
	if (!stored && position != syt_channel_received_until(c, t->at)) {
		syt_match_unattributed(c->m, SYT_REASON_UNCERTAIN);
		return;
	}
	/* the first byte is perhaps already read, so its sender is uncertain */
	if (position >= c->trusted || position > c->trusted_received) {
		syt_match_unattributed(c->m, c->limit_reason);
		return;
	}
	if (!stored &&
	    (earliest < c->recvs_from || (c->recvs_from && !continues(c, t->at, position)))) {
		syt_match_unattributed(c->m, SYT_REASON_OVERWRITTEN);
		return;
	}
	i = syt_channel_find(c, position);
	if (i < c->nr_send_groups)
		g = syt_channel_sent(c, i);
	if (g.begin <= position && g.is_whole)
		for (uint32_t k = g.first; k < g.first + g.nr; k++)
			nr_sources += c->sends[k].from <= t->at;
	if (!nr_sources) {
		match_end(c, t, position);
		return;
	}
	for (uint32_t k = g.first; k < g.first + g.nr; k++)
		if (c->sends[k].from <= t->at)
			nr_edges += send_edge(c, t, &c->sends[k], nr_sources > 1);
	if (nr_edges)
		syt_match_attributed(c->m, nr_sources > 1);
	else
		syt_match_unneeded(c->m);
}

/* Returns true if SENT found no room. SENT is the last send on the reported endpoint before a report, or NULL.
 * *FULL becomes the begin of SENT. */
static bool was_full(const struct syt_channel *c, const struct syt_touch *sent, syt_time *full)
{
	const struct syt_row *r = sent ? syt_place_row(c->m->places, sent->place) : NULL;

	if (!r)
		return false;
	*full = r->in;
	return r->result < 0 && r->err == EAGAIN;
}

/* Returns true if T received data that was sent on the reported endpoint. */
static bool is_taken(const struct syt_channel *c, const struct syt_touch *t)
{
	const struct syt_places *p = c->m->places;

	return syt_touch_receives(t) && syt_place_row(p, t->place)->result > 0 &&
	       !(syt_place_extra(p, t->place)->flags & SYT_EVENT_PEEK);
}

/* Returns true if only receives of the reader make room in C. With TCP, acknowledgements make room too. */
static bool is_made_by_reader(const struct syt_channel *c)
{
	const struct syt_endpoint_info *e = c->m->objects->all[c->to].info->endpoint;

	return c->from != SYT_NONE && !syt_match_complete_from(c->m, c->from) &&
	       (c->from == c->to || (e && e->domain == SYT_AF_UNIX));
}

/* The receives of data that was sent on the reported endpoint, sorted by time. */
struct takes {
	uint64_t nr;
	bool is_known;
	struct take {
		struct syt_place place;
		syt_time in, from, to; /* begin of the call; the effect lies in [from, to] */
		syt_time least;        /* minimum of `from` of this and all later elements */
	} * all;
};

static void find_takes(const struct syt_channel *c, struct takes *takes)
{
	struct syt_history h = syt_history_of(c->m->histories, c->from);
	syt_time least = UINT64_MAX;

	takes->is_known = true;
	takes->all = syt_store_claim(h.nr, sizeof(*takes->all));
	for (uint64_t i = 0; i < h.nr; i++) {
		struct syt_place at = h.touches[i].place;
		const struct syt_row *r = syt_place_row(c->m->places, at);

		if (is_taken(c, &h.touches[i]))
			takes->all[takes->nr++] = (struct take){
				at, r->in, syt_place_earliest(c->m->places, at), r->out, 0};
	}
	for (uint64_t i = takes->nr; i--;) {
		least = takes->all[i].from < least ? takes->all[i].from : least;
		takes->all[i].least = least;
	}
}

/* Matches a readiness report T of a writable fd. SENT is the last send before T, or NULL. */
static void match_writable(struct syt_channel *c, const struct syt_touch *t,
                           const struct syt_touch *sent, struct takes *takes)
{
	struct syt_place found[SYT_AMBIGUOUS_MAX];
	unsigned nr = 0, nr_own = 0, nr_edges = 0;
	syt_time full;
	uint64_t i;

	/* the sampler may have left out a later send */
	if (c->is_sampled) {
		syt_match_unattributed(c->m, SYT_REASON_NOT_SAMPLED);
		return;
	}
	if (!was_full(c, sent, &full)) {
		syt_match_unneeded(c->m);
		return;
	}
	if (!is_made_by_reader(c)) {
		syt_match_unattributed(c->m, SYT_REASON_KERNEL);
		return;
	}
	if (!takes->is_known)
		find_takes(c, takes);
	/* skips receives that ended before the send that found no room */
	i = SYT_BISECT(k, 0, takes->nr, takes->all[k].to < full);
	for (; i < takes->nr && takes->all[i].least <= t->at; i++) {
		const struct take *by = &takes->all[i];

		if (by->from > t->at)
			continue;
		if (nr == SYT_AMBIGUOUS_MAX || by->in > t->at) {
			syt_match_unattributed(c->m, nr == SYT_AMBIGUOUS_MAX
			                                     ? SYT_REASON_TOO_MANY
			                                     : SYT_REASON_UNCERTAIN);
			return;
		}
		nr_own += by->place.thread == t->place.thread;
		found[nr++] = by->place;
	}
	if (nr_own) {
		if (nr_own == nr)
			syt_match_unneeded(c->m);
		else
			syt_match_unattributed(c->m, SYT_REASON_UNCERTAIN);
		return;
	}
	for (unsigned k = 0; k < nr; k++)
		nr_edges += edge(c, t, found[k], nr > 1);
	if (nr_edges)
		syt_match_attributed(c->m, nr > 1);
	else
		syt_match_unattributed(c->m, SYT_REASON_KERNEL);
}

void syt_match_ready(struct syt_channel *c)
{
	struct syt_history h = syt_history_of(c->m->histories, c->to);
	const struct syt_touch *sent = NULL;
	struct takes takes = {0};

	for (uint64_t i = 0; i < h.nr; i++) {
		const struct syt_touch *t = &h.touches[i];

		if (t->role == SYT_ROLE_SELF && t->shape == SYT_SHAPE_SEND)
			sent = t;
		if (t->role != SYT_ROLE_READY)
			continue;
		if (syt_match_reported(c->m, t) & SYT_MATCH_READABLE) {
			if (c->broken == SYT_NR_REASONS)
				match_readable(c, t);
			else
				syt_match_unattributed(c->m, c->broken);
		} else {
			match_writable(c, t, sent, &takes);
		}
	}
	syt_store_free(takes.all);
}
