/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * OpenMP's barriers: each thread of a team arrives at each barrier of its region once.  No thread
 * leaves a barrier before all threads have arrived.
 *
 * The recorder numbers regions and counts each share's barriers, so the check does not derive
 * rounds from time.  A cancelled region releases its threads at any point, so it is not checked.
 */
#include "decoder/check/check.h"
#include "base/sort.h"
#include "base/store.h"

/* In the order of the checks. */
enum what { CANCELLED, SHARE, BARRIER };

struct arrival {
	uint64_t region, ordinal;
	enum what what;
	syt_time in, out;
	struct syt_place place;
};

static int by_round(const void *a_, const void *b_)
{
	const struct arrival *a = a_, *b = b_;

#define ORDER_BY(member_)                                                                          \
	if (a->member_ != b->member_)                                                              \
		return a->member_ < b->member_ ? -1 : 1;
	ORDER_BY(region)
	ORDER_BY(what)
	ORDER_BY(ordinal)
	ORDER_BY(in)
	ORDER_BY(place.thread)
	ORDER_BY(place.row)
#undef ORDER_BY
	return 0;
}

static uint64_t collect(const struct syt_places *p, const struct syt_history *h,
                        struct arrival *all)
{
	uint64_t nr = 0;

	for (uint64_t i = 0; i < h->nr; i++) {
		struct syt_place at = h->touches[i].place;
		const struct syt_row *r = syt_place_row(p, at);
		const struct syt_extra *x = syt_place_extra(p, at);
		uint8_t shape = syt_place_call(p, at)->shape;
		struct arrival a = {x->arg, 0, SHARE, r->in, r->out, at};

		if (h->touches[i].role != SYT_ROLE_SELF || !x->arg)
			continue;
		if (shape == SYT_SHAPE_TEAM_BARRIER) {
			a.what = syt_place_succeeded(p, at) ? BARRIER : CANCELLED;
			a.ordinal = x->offset;
		} else if (shape != SYT_SHAPE_TEAM_ENTER) {
			continue;
		}
		all[nr++] = a;
	}
	return nr;
}

/* Checks ROUND[0..NR), the arrivals at one barrier of a region of NR_SHARES, sorted by time. */
static void check_round(struct syt_check *c, uint32_t object, const struct arrival *round,
                        uint64_t nr, uint64_t nr_shares)
{
	const struct arrival *first = &round[0]; /* the first thread that leaves */

	for (uint64_t i = 1; i < nr; i++)
		if (round[i].out < first->out)
			first = &round[i];
	if (nr < nr_shares && nr_shares - nr <= syt_check_unrecorded(c, object, UINT64_MAX)) {
		syt_check_excuse(c, SYT_EXCUSE_UNENDED, nr);
		return;
	}
	c->nr_checked += nr;
	if (nr != nr_shares)
		syt_check_violation(c, (struct syt_violation){
					       .what = "arrivals at the barrier are not as many as "
						       "the team has threads",
					       .object = object,
					       .image = SYT_NONE,
					       .nr_at = 1,
					       .at = {round[0].place},
					       .has_numbers = true,
					       .expected = nr_shares,
					       .found = nr});
	if (round[nr - 1].in > first->out)
		syt_check_violation_at(c, "the first left a barrier before the second had arrived",
		                       object, first->place, round[nr - 1].place);
}

/* Checks ALL[0..NR), which belong to one region. */
static void check_region(struct syt_check *c, uint32_t object, const struct arrival *all,
                         uint64_t nr)
{
	uint64_t nr_shares = 0, i = 0;

	if (all[0].what == CANCELLED) {
		syt_check_excuse(c, SYT_EXCUSE_UNENDED, nr);
		return;
	}
	while (nr_shares < nr && all[nr_shares].what == SHARE)
		nr_shares++;
	for (i = nr_shares; i < nr;) {
		uint64_t of_round = 1;

		while (i + of_round < nr && all[i + of_round].ordinal == all[i].ordinal)
			of_round++;
		check_round(c, object, &all[i], of_round, nr_shares);
		i += of_round;
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
	for (uint64_t i = 0; i < nr;) {
		uint64_t of_region = 1;

		while (i + of_region < nr && all[i + of_region].region == all[i].region)
			of_region++;
		check_region(c, object, &all[i], of_region);
		i += of_region;
	}
	syt_store_free(all);
}

void syt_check_team(struct syt_check *c)
{
	for (uint32_t i = 0; i < c->order->objects.nr; i++)
		if (syt_object_kind(&c->order->objects, i) == SYT_KIND_TEAM)
			check_object(c, i);
}
