/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Pairs several sockets by their traffic: no end of a connection has ever received more bytes than its peer had
 * begun to send. The decoder compares byte counts and not positions, so the order of overlapping sends does not
 * matter. The decoder considers all ways to pair the accepted with the connected sockets, and keeps the ways
 * without a contradiction. A pair that is in all these ways is a connection. If unrecorded calls sent bytes,
 * their connection contradicts itself, and then mostly no way is left. */
#include <stdlib.h>

#include "base/compare.h"
#include "base/err.h"
#include "base/sort.h"
#include "decoder/match/pair.h"

/* The total number of bytes that one socket had moved in one direction by the time `at`. */
struct step {
	syt_time at;
	uint64_t sum;
};

struct flow {
	size_t nr, room;
	struct step *steps;
	syt_time known_until; /* after this time, unrecorded calls may have moved bytes */
	uint64_t sure;        /* number of bytes up to which the count is certain */
};

struct end {
	struct flow out, in;
};

SYT_COMPARATOR(by_time, struct step)
{
	return SYT_COMPARE(a->at, b->at);
}

static void add(struct flow *f, syt_time at, uint64_t bytes)
{
	*SYT_STORE_ADD(f->steps, f->nr, f->room) = (struct step){at, bytes};
}

static void sum_up(struct flow *f)
{
	syt_sort(f->steps, f->nr, sizeof(*f->steps), by_time);
	for (size_t i = 1; i < f->nr; i++)
		f->steps[i].sum += f->steps[i - 1].sum;
}

/* Allows for a killed process, which may have sent data once more in each thread without recording it. */
static void meet_killed(struct flow *f, const struct syt_thread *t)
{
	syt_time last = t->nr_rows ? syt_thread_row(t, t->nr_rows - 1)->out : 0;

	if ((t->image->file.state & 0xff) == SYT_STATE_RUNNING && last < f->known_until)
		f->known_until = last;
}

static void collect(struct end *e, const struct syt_pairs *p, uint32_t object)
{
	struct syt_history h = syt_history_of(p->histories, object);

	e->out.sure = p->objects->all[object].sure_out;
	e->out.known_until = p->objects->all[object].complete_from ? 0 : UINT64_MAX;
	for (uint64_t i = 0; i < h.nr; i++) {
		const struct syt_touch *t = &h.touches[i];
		const struct syt_row *r = syt_place_row(p->places, t->place);
		const struct syt_extra *x = syt_place_extra(p->places, t->place);

		meet_killed(&e->out, syt_place_thread(p->places, t->place));
		if (r->result < 0 || !x->bytes || x->flags & SYT_EVENT_PEEK)
			continue;
		if (syt_touch_sends(t))
			add(&e->out, r->in, x->bytes);
		else if (syt_touch_receives(t))
			add(&e->in, r->out, x->bytes);
	}
	sum_up(&e->out);
	sum_up(&e->in);
}

static bool is_possible(const struct flow *out, const struct flow *in)
{
	uint64_t sent = 0;
	size_t k = 0;

	for (size_t i = 0; i < in->nr; i++) {
		if (in->steps[i].at > out->known_until || in->steps[i].sum > out->sure)
			return true;
		for (; k < out->nr && out->steps[k].at <= in->steps[i].at; k++)
			sent = out->steps[k].sum;
		if (in->steps[i].sum > sent)
			return false;
	}
	return true;
}

/* ---- all ways to pair the sockets ---- */

struct ways {
	unsigned nr;
	uint64_t allowed[SYT_TRAFFIC_MAX];  /* [accepted]: one bit per possible connected end */
	unsigned taken_by[SYT_TRAFFIC_MAX]; /* [connected]: index of its accepted end, or nr */
};

/* Assigns a connected socket to ACCEPTED, and reassigns other sockets if necessary. SEEN has the sockets already
 * tried. */
static bool place(struct ways *w, unsigned accepted, uint64_t *seen)
{
	for (unsigned c = 0; c < w->nr; c++) {
		if (!(w->allowed[accepted] >> c & 1) || *seen >> c & 1)
			continue;
		*seen |= UINT64_C(1) << c;
		if (w->taken_by[c] == w->nr || place(w, w->taken_by[c], seen)) {
			w->taken_by[c] = accepted;
			return true;
		}
	}
	return false;
}

static bool find_one_way(struct ways *w)
{
	for (unsigned c = 0; c < w->nr; c++)
		w->taken_by[c] = w->nr;
	for (unsigned a = 0; a < w->nr; a++) {
		uint64_t seen = 0;

		if (!place(w, a, &seen))
			return false;
	}
	return true;
}

/* Returns true if another way without a contradiction pairs the connected socket C with a different one. */
static bool has_other_way(const struct ways *w, unsigned c)
{
	struct ways changed = *w;
	unsigned a = w->taken_by[c];
	uint64_t seen = 0;

	changed.allowed[a] &= ~(UINT64_C(1) << c);
	changed.taken_by[c] = w->nr;
	return place(&changed, a, &seen);
}

void syt_pair_by_traffic(const struct syt_pairs *p, const uint32_t *accepted,
                         const uint32_t *connected, unsigned nr)
{
	struct end *ends = syt_calloc((size_t)nr * 2, sizeof(*ends));
	struct ways w = {.nr = nr};

	for (unsigned i = 0; i < nr; i++) {
		collect(&ends[i], p, accepted[i]);
		collect(&ends[nr + i], p, connected[i]);
	}
	for (unsigned a = 0; a < nr; a++)
		for (unsigned c = 0; c < nr; c++)
			if (is_possible(&ends[nr + c].out, &ends[a].in) &&
			    is_possible(&ends[a].out, &ends[nr + c].in))
				w.allowed[a] |= UINT64_C(1) << c;
	if (find_one_way(&w))
		for (unsigned c = 0; c < nr; c++)
			if (!has_other_way(&w, c))
				syt_pair_join(p->objects, connected[c], accepted[w.taken_by[c]],
				              SYT_PAIRING_INFERRED);
	for (unsigned i = 0; i < nr * 2; i++) {
		syt_store_free(ends[i].out.steps);
		syt_store_free(ends[i].in.steps);
	}
	free(ends);
}
