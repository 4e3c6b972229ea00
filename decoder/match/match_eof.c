/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * End of file: the shutdown call, or the close calls, happen before the read that returned 0 because of them.
 *
 * The rule is sound because a read returns 0 only in two cases: the other side has shut down its writing direction,
 * or no process holds the sending side open. In the second case, the last close of each process comes before the
 * read, and each gets a happens-before edge. The exit of a process replaces its close if the process had not closed
 * the fd. A reader that shut down its own side also reads 0, for this reason.
 *
 * Missing events: a close that is missing in the trace gets no edge, and the other edges are still true. If the
 * recording was paused, an exit does not replace a close, because the close may have happened during the pause.
 */
#include "decoder/match/channel.h"

#include <sys/socket.h>

#include "decoder/host/join.h"

/* Returns true if the event T closes the sending side of C for one process. */
static bool is_close(const struct syt_channel *c, const struct syt_touch *t)
{
	const struct syt_extra *x = syt_place_extra(c->m->places, t->place);

	if (!(t->shape == SYT_SHAPE_CLOSE && t->role == SYT_ROLE_SELF) &&
	    !(t->shape == SYT_SHAPE_DUP && t->role == SYT_ROLE_SECOND))
		return false;
	return c->from == c->to ? x->flags & SYT_EVENT_WRITER : x->arg == 1;
}

static const struct syt_touch *find_shutdown(const struct syt_channel *c, uint32_t object,
                                             uint64_t how, syt_time t)
{
	struct syt_history h = syt_history_of(c->m->histories, object);

	for (uint64_t i = 0; i < h.nr && h.touches[i].at <= t; i++) {
		if (!syt_touch_is(&h.touches[i], SYT_SHAPE_SHUTDOWN))
			continue;
		uint64_t arg = syt_place_extra(c->m->places, h.touches[i].place)->arg;

		if (arg == how || arg == SHUT_RDWR)
			return &h.touches[i];
	}
	return NULL;
}

/* Finds the exit by time T of the process image IMAGE, which holds the sending side and has not closed it. Returns
 * false if IMAGE has no such exit. */
static bool find_exit(const struct syt_channel *c, uint32_t image, syt_time t, struct syt_place *at)
{
	const struct syt_histories *h = c->m->histories;

	for (uint64_t i = h->nr_life; i--;) {
		struct syt_place life = h->life[i];

		if (syt_place_image_idx(c->m->places, life) == image &&
		    syt_place_call(c->m->places, life)->shape == SYT_SHAPE_EXIT &&
		    syt_place_row(c->m->places, life)->in <= t) {
			*at = life;
			return true;
		}
	}
	return false;
}

static unsigned add(struct syt_place *found, unsigned nr, struct syt_place at,
                    const struct syt_places *p)
{
	/* a later close by a process image replaces its earlier close */
	for (unsigned i = 0; i < nr; i++) {
		if (syt_place_image_idx(p, found[i]) == syt_place_image_idx(p, at)) {
			found[i] = at;
			return nr;
		}
	}
	if (nr < SYT_AMBIGUOUS_MAX)
		found[nr++] = at;
	return nr;
}

unsigned syt_channel_closers(const struct syt_channel *c, syt_time t, struct syt_place *found)
{
	const struct syt_places *p = c->m->places;
	const struct syt_touch *by = find_shutdown(c, c->to, SHUT_RD, t);
	struct syt_history h;
	unsigned nr = 0;

	/* from here on, T is the latest time by the clock of the sender */
	if (!by && c->from != SYT_NONE) {
		t = syt_hosts_latest(p->trace->hosts, c->hosts[1], t, c->hosts[0]);
		by = find_shutdown(c, c->from, SHUT_WR, t);
	}
	if (by) {
		found[0] = by->place;
		return 1;
	}
	if (c->from == SYT_NONE)
		return 0;
	h = syt_history_of(c->m->histories, c->from);
	for (uint64_t i = 0; i < h.nr && h.touches[i].at <= t; i++)
		if (is_close(c, &h.touches[i]))
			nr = add(found, nr, h.touches[i].place, p);
	if (c->from == c->to || p->windows[c->hosts[0]].is_paused)
		return nr; /* unknown which processes hold only a pipe's reading end */
	for (uint64_t i = 0; i < h.nr && h.touches[i].at <= t; i++) {
		uint32_t image = syt_place_image_idx(p, h.touches[i].place);
		struct syt_place at;
		bool is_known = i && image == syt_place_image_idx(p, h.touches[i - 1].place);

		for (unsigned k = 0; k < nr && !is_known; k++)
			is_known = image == syt_place_image_idx(p, found[k]);
		if (!is_known && find_exit(c, image, t, &at))
			nr = add(found, nr, at, p);
	}
	return nr;
}

/* Returns the reason why no recorded call closed the channel C. */
static enum syt_reason unseen_closer(const struct syt_channel *c)
{
	if (c->from == SYT_NONE)
		return c->broken;
	return c->m->objects->all[c->from].info->flags & SYT_OBJECT_ADOPTED
	               ? SYT_REASON_UNTRACED_PEER
	               : SYT_REASON_NO_RELEASE;
}

void syt_match_eof(struct syt_channel *c)
{
	struct syt_history h = syt_history_of(c->m->histories, c->to);
	struct syt_place found[SYT_AMBIGUOUS_MAX];

	if (!c->has_eof)
		return;
	SYT_EACH_FAR(i, 0, h.nr) {
		const struct syt_touch *t = &h.touches[i];
		unsigned nr, nr_edges = 0;

		if (!syt_touch_receives(t) ||
		    !(syt_place_extra(c->m->places, t->place)->flags & SYT_EVENT_EOF))
			continue;
		nr = syt_channel_closers(c, t->at, found);
		for (unsigned k = 0; k < nr; k++)
			nr_edges += found[k].thread != t->place.thread &&
			            syt_match_cause(c->m, SYT_EDGE_EOF, found[k], t->place, c->to,
			                            false);
		if (nr_edges)
			syt_match_attributed(c->m, false);
		else if (nr)
			syt_match_unneeded(c->m);
		else
			syt_match_unattributed(c->m, unseen_closer(c));
	}
}
