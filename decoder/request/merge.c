/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Each group knows the group that is nearest to it, so a step compares only a few pairs again. Sums over members and over
 * amounts are sums of integers. They do not depend on the order of the members and components.
 */
#include "decoder/request/merge.h"

#include <math.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/store.h"
#include "decoder/read/clock.h"
#include "decoder/request/distance.h"
#include "decoder/request/member.h"

#define LOG_UNIT 1048576.0       /* units in which coordinates count */
#define SQUARE_UNIT 4294967296.0 /* units in which the sum of squares of two groups counts */
#define SLACK 0.001 /* limits of the edit distance are rounded, and must not be too low */
#define NONE UINT32_MAX

struct coordinate {
	uint64_t sum;
	uint64_t nr; /* members whose amount is known */
};

struct group {
	uint64_t count;
	uint32_t behaviour;
	uint32_t into;    /* the group itself, or the group with which it is merged */
	uint32_t nearest; /* NONE: the only group */
	double cost;      /* of merging with `nearest` */
};

struct merging {
	const struct syt_population *p;
	uint32_t nr, nr_coordinates;
	double *means; /* [component * SYT_NR_RESOURCES + resource]: mean amount */
	uint32_t *at;  /* the coordinate of the amount; NONE: no request has the amount */
	struct group *groups;
	struct coordinate *coordinates; /* [group * nr_coordinates + coordinate] */
};

/* ---- coordinates ---- */

static void find_means(struct merging *m)
{
	const struct syt_population *p = m->p;
	const size_t nr = (size_t)p->components.nr * SYT_NR_RESOURCES;
	syt_u128 *sums = syt_calloc(nr, sizeof(*sums));
	uint64_t *nr_unknown = syt_calloc(nr, sizeof(*nr_unknown));

	SYT_EACH(i, (uint64_t)0, p->nr_parts)
		for (unsigned r = 0; r < SYT_NR_RESOURCES; r++) {
			size_t at = (size_t)p->parts[i].component * SYT_NR_RESOURCES + r;

			if (p->parts[i].amounts[r] == SYT_AMOUNT_UNKNOWN)
				nr_unknown[at]++;
			else
				sums[at] += p->parts[i].amounts[r];
		}
	m->means = syt_calloc(nr, sizeof(*m->means));
	m->at = syt_alloc(nr, sizeof(*m->at));
	for (size_t i = 0; i < nr; i++) {
		m->at[i] = sums[i] ? m->nr_coordinates++ : NONE;
		if (sums[i])
			m->means[i] = (double)sums[i] / (double)(p->nr_members - nr_unknown[i]);
	}
	free(sums);
	free(nr_unknown);
}

static void add_amount(struct coordinate *c, uint64_t amount, double mean)
{
	if (amount == SYT_AMOUNT_UNKNOWN)
		c->nr--; /* the caller counts all members */
	else
		c->sum += (uint64_t)llrint(log1p((double)amount / mean) * LOG_UNIT);
}

static void add_member(struct merging *m, uint64_t member, uint32_t group)
{
	const struct syt_work_part *parts = syt_member_parts(m->p, member);
	struct coordinate *all = m->coordinates + (size_t)group * m->nr_coordinates;

	for (uint32_t i = 0; i < m->p->members[member].nr_parts; i++)
		for (unsigned r = 0; r < SYT_NR_RESOURCES; r++) {
			size_t at = (size_t)parts[i].component * SYT_NR_RESOURCES + r;

			if (m->at[at] != NONE)
				add_amount(&all[m->at[at]], parts[i].amounts[r], m->means[at]);
		}
}

static void open_groups(struct merging *m, const uint32_t *of, const uint64_t *representatives)
{
	m->groups = syt_calloc(m->nr, sizeof(*m->groups));
	m->coordinates = syt_calloc(m->nr, m->nr_coordinates * sizeof(*m->coordinates));
	SYT_EACH_FAR(i, (uint64_t)0, m->p->nr_members) {
		m->groups[of[i]].count++;
		add_member(m, i, of[i]);
	}
	for (uint32_t g = 0; g < m->nr; g++) {
		m->groups[g].behaviour = m->p->members[representatives[g]].behaviour;
		m->groups[g].into = g;
		for (uint32_t i = 0; i < m->nr_coordinates; i++)
			m->coordinates[(size_t)g * m->nr_coordinates + i].nr += m->groups[g].count;
	}
}

/* ---- cost ---- */

/* Returns the square of the distance of the means of two groups. */
static double work_square(const struct merging *m, uint32_t a, uint32_t b)
{
	const struct coordinate *x = m->coordinates + (size_t)a * m->nr_coordinates,
				*y = m->coordinates + (size_t)b * m->nr_coordinates;
	uint64_t sum = 0;

	for (uint32_t i = 0; i < m->nr_coordinates; i++) {
		double difference;

		if (!x[i].nr || !y[i].nr)
			continue;
		difference =
			((double)x[i].sum / (double)x[i].nr - (double)y[i].sum / (double)y[i].nr) /
			LOG_UNIT;
		sum += (uint64_t)(int64_t)(difference * difference * SQUARE_UNIT);
	}
	return (double)sum / SQUARE_UNIT;
}

/* Returns the square of the edit distance of the behaviours, or HUGE_VAL if it is larger than LIMIT. */
static double edit_square(const struct merging *m, uint32_t a, uint32_t b, double limit)
{
	const struct syt_population *p = m->p;
	const uint32_t one = m->groups[a].behaviour, other = m->groups[b].behaviour;
	const uint32_t nr = p->behaviours[one].nr, nr_other = p->behaviours[other].nr,
		       longer = nr > nr_other ? nr : nr_other;
	uint32_t most = longer, edits;
	double share;

	if (one == other || !longer)
		return 0;
	if (limit < 1)
		most = (uint32_t)(sqrt(limit) * longer + SLACK);
	edits = syt_edit_distance(syt_behaviour_steps(p, one), nr, syt_behaviour_steps(p, other),
	                          nr_other, most);
	if (edits > most)
		return HUGE_VAL;
	share = (double)edits / longer;
	return share * share;
}

/* Returns the increase of the sum of squares if A and B are merged, or a value larger than LIMIT if it is larger. */
static double merging_cost(const struct merging *m, uint32_t a, uint32_t b, double limit)
{
	const double nr = (double)m->groups[a].count, nr_other = (double)m->groups[b].count,
		     weight = nr * nr_other / (nr + nr_other), work = work_square(m, a, b);

	if (work * weight > limit)
		return HUGE_VAL;
	return (work + edit_square(m, a, b, fmax(limit / weight - work, 0))) * weight;
}

/* ---- merging ---- */

static bool is_left(const struct merging *m, uint32_t group)
{
	return m->groups[group].into == group;
}

/* Makes B the nearest group of A if it is nearer than the present one. */
static void consider(struct merging *m, uint32_t a, uint32_t b)
{
	struct group *g = &m->groups[a];
	double cost = merging_cost(m, a, b, g->cost);

	if (cost > g->cost || (cost == g->cost && b > g->nearest))
		return;
	g->cost = cost;
	g->nearest = b;
}

static void find_nearest(struct merging *m, uint32_t group)
{
	m->groups[group].nearest = NONE;
	m->groups[group].cost = HUGE_VAL;
	for (uint32_t i = 0; i < m->nr; i++)
		if (i != group && is_left(m, i))
			consider(m, group, i);
}

/* Returns the group that is nearest to another group. */
static uint32_t find_cheapest(const struct merging *m)
{
	uint32_t best = NONE;

	for (uint32_t i = 0; i < m->nr; i++)
		if (is_left(m, i) && (best == NONE || m->groups[i].cost < m->groups[best].cost))
			best = i;
	return best;
}

/* Adds the group FROM to the group TO. */
static void merge(struct merging *m, uint32_t to, uint32_t from)
{
	struct group *a = &m->groups[to], *b = &m->groups[from];

	for (uint32_t i = 0; i < m->nr_coordinates; i++) {
		struct coordinate *x = &m->coordinates[(size_t)to * m->nr_coordinates + i],
				  *y = &m->coordinates[(size_t)from * m->nr_coordinates + i];

		x->sum += y->sum;
		x->nr += y->nr;
	}
	if (b->count > a->count)
		a->behaviour = b->behaviour;
	a->count += b->count;
	b->into = to;
}

static void merge_cheapest(struct merging *m)
{
	uint32_t to = find_cheapest(m), from = m->groups[to].nearest;

	merge(m, to, from);
	find_nearest(m, to);
	for (uint32_t i = 0; i < m->nr; i++) {
		if (i == to || !is_left(m, i))
			continue;
		if (m->groups[i].nearest == to || m->groups[i].nearest == from)
			find_nearest(m, i);
		else
			consider(m, i, to);
	}
}

/* Numbers the groups that are left. A group is merged into a group that may be merged later. */
static void number_groups(const struct merging *m, uint32_t *to)
{
	uint32_t nr = 0;

	for (uint32_t i = 0; i < m->nr; i++)
		if (is_left(m, i))
			to[i] = nr++;
	for (uint32_t i = 0; i < m->nr; i++) {
		uint32_t g = i;

		while (!is_left(m, g))
			g = m->groups[g].into;
		to[i] = to[g];
	}
}

uint32_t syt_merge_groups(const struct syt_population *p, const uint32_t *of, uint32_t nr,
                          const uint64_t *representatives, uint32_t most, uint32_t *to)
{
	struct merging m = {.p = p, .nr = nr};
	uint32_t nr_left = nr;

	find_means(&m);
	open_groups(&m, of, representatives);
	for (uint32_t i = 0; i < nr && nr > most; i++)
		find_nearest(&m, i);
	for (; nr_left > most; nr_left--)
		merge_cheapest(&m);
	number_groups(&m, to);
	free(m.means);
	free(m.at);
	free(m.groups);
	free(m.coordinates);
	return nr_left;
}
