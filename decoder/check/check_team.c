/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * OpenMP's barriers: each thread of a team arrives at each barrier of its parallel region once. No thread leaves a
 * barrier before all threads have arrived.
 *
 * The recorder numbers the regions and counts the barriers of each thread in a region, so the check does not derive
 * rounds from time. A cancelled region releases its threads at any point, so it is not checked.
 */
#include "decoder/check/check.h"
#include "base/compare.h"
#include "base/sort.h"

/* The kinds of events that belong to a region, in the order in which they are checked. */
enum what { CANCELLED, SHARE, BARRIER };

struct arrival {
	uint64_t region, ordinal;
	enum what what;
	syt_time in, out;
	struct syt_place place;
};

SYT_COMPARATOR(by_round, struct arrival)
{
	SYT_ORDER_BY(region);
	SYT_ORDER_BY(what);
	SYT_ORDER_BY(ordinal);
	SYT_ORDER_BY(in);
	return syt_place_compare(a->place, b->place);
}

static uint64_t collect(const struct syt_places *p, const struct syt_history *h,
                        struct arrival *all)
{
	uint64_t nr = 0;

	for (uint64_t i = 0; i < h->nr; i++) {
		struct syt_place at = h->touches[i].place;
		const struct syt_row *r = syt_place_row(p, at);
		const struct syt_extra *x = syt_place_extra(p, at);
		uint8_t shape = h->touches[i].shape;
		struct arrival a = {x->arg, 0, SHARE, r->in, r->out, at};

		if (h->touches[i].role != SYT_ROLE_SELF || !x->arg)
			continue;
		if (shape == SYT_SHAPE_TEAM_BARRIER) {
			a.what = h->touches[i].has_succeeded ? BARRIER : CANCELLED;
			a.ordinal = x->offset;
		} else if (shape != SYT_SHAPE_TEAM_ENTER) {
			continue;
		}
		all[nr++] = a;
	}
	return nr;
}

/* Checks ROUND[0..NR), the arrivals at one barrier of a region that NR_SHARES threads run, sorted by time. */
static void check_round(struct syt_check *c, uint32_t object, const struct arrival *round,
                        uint64_t nr, uint64_t nr_shares)
{
	const struct arrival *first = &round[0]; /* the wait of the thread that leaves first */

	for (uint64_t i = 1; i < nr; i++)
		if (round[i].out < first->out)
			first = &round[i];
	if (nr < nr_shares && nr_shares - nr <= syt_check_unrecorded(c, object, UINT64_MAX)) {
		syt_check_excuse(c, SYT_EXCUSE_UNENDED, nr);
		return;
	}
	c->nr_checked += nr;
	if (nr != nr_shares)
		syt_check_numbers(c,
		                  "the number of arrivals at the barrier is not the number of "
		                  "threads in the team",
		                  object, round[0].place, SYT_NOWHERE, nr_shares, nr);
	if (round[nr - 1].in > first->out)
		syt_check_violation_at(c,
		                       "the first thread left the barrier before the second "
		                       "thread had arrived",
		                       object, first->place, round[nr - 1].place);
}

/* Checks ALL[0..NR), the events of one parallel region. */
static void check_region(struct syt_check *c, uint32_t object, const struct arrival *all,
                         uint64_t nr)
{
	uint64_t nr_shares = 0;

	if (all[0].what == CANCELLED) {
		syt_check_excuse(c, SYT_EXCUSE_UNENDED, nr);
		return;
	}
	while (nr_shares < nr && all[nr_shares].what == SHARE)
		nr_shares++;
	for (uint64_t i = nr_shares, end; i < nr; i = end) {
		for (end = i + 1; end < nr && all[end].ordinal == all[i].ordinal;)
			end++;
		check_round(c, object, &all[i], end - i, nr_shares);
	}
}

static void check_object(struct syt_check *c, uint32_t object)
{
	struct syt_history h = syt_history_of(&c->order->histories, object);
	struct arrival *all = syt_store_alloc(h.nr, sizeof(*all));
	uint64_t nr = collect(&c->order->places, &h, all);

	if (syt_check_complete_from(c, object)) {
		syt_check_excuse(c, SYT_EXCUSE_OVERWRITTEN, nr);
		nr = 0;
	}
	syt_sort(all, nr, sizeof(*all), by_round);
	for (uint64_t i = 0, end; i < nr; i = end) {
		for (end = i + 1; end < nr && all[end].region == all[i].region;)
			end++;
		check_region(c, object, &all[i], end - i);
	}
	syt_store_free(all);
}

void syt_check_team(struct syt_check *c)
{
	for (uint32_t i = 0; i < c->order->objects.nr; i++)
		if (syt_object_kind(&c->order->objects, i) == SYT_KIND_TEAM)
			check_object(c, i);
}
