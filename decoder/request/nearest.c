/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/request/nearest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "base/compare.h"
#include "base/err.h"
#include "base/sort.h"
#include "base/store.h"
#include "decoder/request/member.h"

#define SLACK                                                                                      \
	0.001 /* products of a distance and a length are rounded, and the bounds must not be too low */

/* ---- points ---- */

static void count_symbols(struct syt_point *a)
{
	memset(&a->counts, 0, sizeof(a->counts));
	for (uint32_t i = 0; i < a->nr; i++) {
		uint8_t *n = &a->counts.of[a->steps[i] % SYT_SYMBOL_BUCKETS];

		if (*n == UINT8_MAX)
			continue;
		++*n;
		a->counts.sum++;
	}
}

/* Half of the sum of the differences and of the difference of the sums is the number of symbols that one request has and the
 * other does not have. An edit changes this number by at most 1. */
static uint32_t count_least_edits(const struct syt_symbol_counts *a,
                                  const struct syt_symbol_counts *b)
{
	uint32_t sum = a->sum > b->sum ? a->sum - b->sum : b->sum - a->sum;

	for (unsigned i = 0; i < SYT_SYMBOL_BUCKETS; i++)
		sum += (uint32_t)abs(a->of[i] - b->of[i]);
	return sum / 2;
}

void syt_point_open(struct syt_point *a, const struct syt_population *p, const double *scale,
                    uint64_t member)
{
	const struct syt_member *m = &p->members[member];

	a->steps = syt_behaviour_steps(p, m->behaviour);
	a->nr = p->behaviours[m->behaviour].nr;
	a->values = syt_alloc((size_t)m->nr_parts * SYT_NR_RESOURCES, sizeof(*a->values));
	a->nr_values = syt_work_values(scale, syt_member_parts(p, member), m->nr_parts, a->values);
	count_symbols(a);
}

void syt_point_close(struct syt_point *a)
{
	free(a->values);
}

double syt_point_distance(const struct syt_point *a, const struct syt_point *b,
                          uint32_t nr_dimensions, double limit, uint32_t least_edits)
{
	const uint32_t longer = a->nr > b->nr ? a->nr : b->nr;
	double rest = limit - (longer ? (double)least_edits / longer : 0) + SLACK, work, distance;
	uint32_t most = longer, edits;

	work = SYT_CLUSTER_WORK_WEIGHT *
	       syt_work_values_distance(nr_dimensions, a->values, a->nr_values, b->values,
	                                b->nr_values, rest / SYT_CLUSTER_WORK_WEIGHT);
	if (work > limit)
		return HUGE_VAL;
	if ((limit - work) * longer < longer)
		most = (uint32_t)((limit - work) * longer + SLACK);
	edits = syt_edit_distance(a->steps, a->nr, b->steps, b->nr, most);
	if (edits > most)
		return HUGE_VAL;
	distance = (longer ? (double)edits / longer : 0) + work;
	return distance <= limit ? distance : HUGE_VAL;
}

/* ---- centres ---- */

SYT_COMPARATOR(by_number, uint32_t)
{
	return SYT_COMPARE(*a, *b);
}

static void open_shelves(struct syt_centres *c, const struct syt_population *p)
{
	uint32_t *lengths = syt_store_alloc(p->nr_behaviours, sizeof(*lengths));
	size_t room = 0;

	for (uint32_t i = 0; i < p->nr_behaviours; i++)
		lengths[i] = p->behaviours[i].nr;
	syt_sort(lengths, p->nr_behaviours, sizeof(*lengths), by_number);
	for (uint32_t i = 0; i < p->nr_behaviours; i++)
		if (!i || lengths[i] != lengths[i - 1])
			*SYT_ADD(c->shelves, c->nr_shelves, room) =
				(struct syt_shelf){.length = lengths[i]};
	syt_store_free(lengths);
}

void syt_centres_open(struct syt_centres *c, const struct syt_population *p, const double *scale)
{
	memset(c, 0, sizeof(*c));
	c->nr_dimensions = syt_work_dimensions(scale, p->components.nr);
	open_shelves(c, p);
}

void syt_centres_close(struct syt_centres *c)
{
	for (uint32_t i = 0; i < c->nr; i++)
		syt_point_close(&c->all[i]);
	for (uint32_t i = 0; i < c->nr_shelves; i++)
		free(c->shelves[i].entries);
	free(c->shelves);
	free(c->all);
}

/* Returns the first shelf with at least LENGTH. */
static uint32_t find_shelf(const struct syt_centres *c, uint32_t length)
{
	return SYT_BISECT(i, (uint32_t)0, c->nr_shelves, c->shelves[i].length < length);
}

void syt_centres_add(struct syt_centres *c, const struct syt_point *a)
{
	struct syt_shelf *s = &c->shelves[find_shelf(c, a->nr)];
	struct syt_shelf_entry entry = {a->counts, c->nr};

	*SYT_ADD(s->entries, s->nr, s->room) = entry;
	*SYT_ADD(c->all, c->nr, c->room) = *a;
}

/* ---- search ---- */

struct search {
	const struct syt_centres *centres;
	const struct syt_point *point;
	uint32_t nearest;
	double distance;
};

static void search_shelf(struct search *s, const struct syt_shelf *shelf)
{
	const struct syt_point *a = s->point;
	const uint32_t longer = shelf->length > a->nr ? shelf->length : a->nr;

	for (uint32_t i = 0; i < shelf->nr; i++) {
		const struct syt_shelf_entry *e = &shelf->entries[i];
		uint32_t least = count_least_edits(&e->counts, &a->counts);
		double distance;

		if (least > s->distance * longer + SLACK)
			continue;
		distance = syt_point_distance(&s->centres->all[e->centre], a,
		                              s->centres->nr_dimensions, s->distance, least);
		if (distance > s->distance || (distance == s->distance && e->centre > s->nearest))
			continue;
		s->distance = distance;
		s->nearest = e->centre;
	}
}

/* Returns the lower bound of the distance to the centres of SHELF. */
static double length_bound(const struct syt_point *a, const struct syt_shelf *shelf)
{
	return a->nr > shelf->length   ? (double)(a->nr - shelf->length) / a->nr
	       : a->nr < shelf->length ? (double)(shelf->length - a->nr) / shelf->length
	                               : 0;
}

uint32_t syt_centres_nearest(const struct syt_centres *c, const struct syt_point *a,
                             uint32_t nearest, double *distance)
{
	struct search s = {c, a, nearest, *distance};
	uint32_t up = find_shelf(c, a->nr), down = up; /* the next shelves: up, down - 1 */

	for (;;) {
		double higher = up < c->nr_shelves ? length_bound(a, &c->shelves[up]) : HUGE_VAL;
		double lower = down ? length_bound(a, &c->shelves[down - 1]) : HUGE_VAL;

		if ((higher < lower ? higher : lower) > s.distance ||
		    (up == c->nr_shelves && !down))
			break;
		search_shelf(&s, &c->shelves[higher <= lower ? up++ : --down]);
	}
	*distance = s.distance;
	return s.nearest;
}
