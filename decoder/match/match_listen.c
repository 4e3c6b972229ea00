/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Connections: a connect call happens before the accept that returned the other end of the connection, and before
 * the readiness call that reported the listening socket because of the connect.
 *
 * The rule is sound because the two ends are connected to each other (decoder/match/pair.h). A listening socket is
 * ready while its queue of connections is not empty, and the queue is first in, first out. If no accept overlaps
 * the readiness call, the next accepted connection was therefore at the head of the queue.
 *
 * Missing events: if the connect call or the other end is missing, there is no edge. An accept that is missing
 * before a readiness call does no harm, because only the next accept decides.
 */
#include "decoder/match/match.h"

/* Returns true if the call AT may have begun by T, a time on the host of BY. */
static bool begins_by(const struct syt_match *m, struct syt_place at, struct syt_place by,
                      syt_time t)
{
	const struct syt_hosts *hosts = m->places->trace->hosts;

	return syt_hosts_earliest(hosts, syt_hosts_of(hosts, syt_place_image_idx(m->places, at)),
	                          syt_place_row(m->places, at)->in,
	                          syt_hosts_of(hosts, syt_place_image_idx(m->places, by))) <= t;
}

/* Finds the first connect call of the peer of the socket that the accept call AT returned. */
static bool find_connect(const struct syt_match *m, struct syt_place at, struct syt_place *found,
                         enum syt_reason *reason)
{
	uint32_t accepted = syt_object_of(m->objects, syt_place_image_idx(m->places, at),
	                                  syt_place_row(m->places, at)->object);
	uint32_t peer = accepted == SYT_NONE ? SYT_NONE : m->objects->all[accepted].peer;
	struct syt_history h;

	*reason = accepted != SYT_NONE && m->objects->all[accepted].is_unpaired
	                  ? SYT_REASON_UNPAIRED
	                  : SYT_REASON_UNTRACED_PEER;
	if (peer == SYT_NONE)
		return false;
	*reason = SYT_REASON_OVERWRITTEN;
	h = syt_history_of(m->histories, peer);
	for (uint64_t i = 0; i < h.nr; i++) {
		struct syt_place p = h.touches[i].place;

		if (!syt_touch_is(&h.touches[i], SYT_SHAPE_CONNECT))
			continue;
		*found = p;
		return begins_by(m, p, at, syt_place_row(m->places, at)->out);
	}
	return false;
}

static bool is_accept(const struct syt_touch *t)
{
	return t->role == SYT_ROLE_SECOND && t->shape == SYT_SHAPE_ACCEPT && t->has_succeeded;
}

static void match_accept(struct syt_match *m, uint32_t object, const struct syt_touch *t)
{
	struct syt_place from;
	enum syt_reason reason;

	if (!find_connect(m, t->place, &from, &reason)) {
		syt_match_unattributed(m, reason);
		return;
	}
	syt_match_cause(m, SYT_EDGE_CONNECT, from, t->place, object, false);
	syt_match_attributed(m, false);
}

/* The accept calls on one listening socket, sorted by out. */
struct accepts {
	uint64_t nr;
	struct accept {
		struct syt_place place;
		syt_time at, earliest;
		syt_time later; /* earliest possible time of effect of all later accepts */
	} * all;
};

static void collect(struct syt_match *m, const struct syt_history *h, struct accepts *a)
{
	syt_time later = UINT64_MAX;

	a->nr = 0;
	a->all = syt_store_alloc(h->nr, sizeof(*a->all));
	for (uint64_t i = 0; i < h->nr; i++) {
		struct syt_place at = h->touches[i].place;

		if (is_accept(&h->touches[i]))
			a->all[a->nr++] = (struct accept){at, h->touches[i].at,
			                                  syt_place_earliest(m->places, at), 0};
	}
	for (uint64_t i = a->nr; i--;) {
		a->all[i].later = later;
		later = a->all[i].earliest < later ? a->all[i].earliest : later;
	}
}

/* Matches T, a readiness call that reports the listening socket as readable. NEXT is the index of the first accept
 * after T. */
static void match_ready(struct syt_match *m, uint32_t object, const struct syt_touch *t,
                        const struct accepts *a, uint64_t next)
{
	enum syt_reason reason = SYT_REASON_NO_RELEASE;
	const struct accept *n = &a->all[next];
	struct syt_place from;

	/* an accept at the same time may have emptied the queue before or after the report */
	if ((next && n[-1].at >= syt_place_earliest(m->places, t->place)) ||
	    (next < a->nr && (n->earliest < t->at || n->later < n->at)))
		reason = SYT_REASON_UNCERTAIN;
	else if (next < a->nr && find_connect(m, n->place, &from, &reason) &&
	         begins_by(m, from, t->place, t->at)) {
		if (from.thread == t->place.thread) {
			syt_match_unneeded(m);
			return;
		}
		syt_match_cause(m, SYT_EDGE_READY, from, t->place, object, false);
		syt_match_attributed(m, false);
		return;
	}
	syt_match_unattributed(m, reason);
}

void syt_match_listen(struct syt_match *m, uint32_t object)
{
	struct syt_history h = syt_history_of(m->histories, object);
	struct accepts a;
	uint64_t next = 0;

	collect(m, &h, &a);
	for (uint64_t i = 0; i < h.nr; i++) {
		const struct syt_touch *t = &h.touches[i];

		if (is_accept(t)) {
			match_accept(m, object, t);
			next++;
		} else if (t->role == SYT_ROLE_READY) {
			match_ready(m, object, t, &a, next);
		}
	}
	syt_store_free(a.all);
}

void syt_match_unseen(struct syt_match *m, uint32_t object, enum syt_reason reason)
{
	struct syt_history h = syt_history_of(m->histories, object);

	for (uint64_t i = 0; i < h.nr; i++)
		if (h.touches[i].role == SYT_ROLE_READY)
			syt_match_unattributed(m, reason);
}
