/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * The edit distance follows Ukkonen (Algorithms for approximate string matching, 1985). Diagonal k contains the pairs of
 * prefixes with lengths i and i + k. For each number of edits the algorithm stores how far each diagonal can be reached.
 * Its time depends on the distance, not on the product of the lengths.
 *
 * Sums of work are sums of integers. They do not depend on the order of the members and components.
 */
#include "decoder/request/distance.h"

#include <math.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/store.h"
#include "decoder/read/clock.h"
#include "decoder/request/member.h"

/* ---- edit distance ---- */

#define NEVER (-(INT64_C(1) << 40)) /* this diagonal cannot be reached */
#define FEW_DIAGONALS 256u          /* which fit on the stack */

struct edit {
	const uint32_t *a, *b;
	int64_t nr_a, nr_b; /* nr_a <= nr_b */
	int64_t most;
	int64_t *reach; /* [diagonal]: largest i for the present number of edits */
};

/* Returns the largest i' >= I such that the symbols of A from I up to i' equal the symbols of B on diagonal K. */
static int64_t slide(const struct edit *e, int64_t i, int64_t k)
{
	int64_t end = e->nr_a < e->nr_b - k ? e->nr_a : e->nr_b - k;

	while (i < end && e->a[i] == e->b[i + k])
		i++;
	return i < end ? i : end;
}

static int64_t max3(int64_t a, int64_t b, int64_t c)
{
	int64_t ab = a > b ? a : b;

	return ab > c ? ab : c;
}

/* Computes the reach with NR edits from the reach with NR - 1 edits. Leaves out diagonals that are too far from the last
 * diagonal for the remaining edits. */
static void edit_once(struct edit *e, int64_t nr)
{
	const int64_t last = e->nr_b - e->nr_a, rest = e->most - nr;
	const int64_t low = -nr > last - rest ? -nr : last - rest;
	const int64_t high = nr < last + rest ? nr : last + rest;
	int64_t below = e->reach[low - 1]; /* with NR - 1 edits */

	for (int64_t k = low; k <= high; k++) {
		int64_t here = e->reach[k];
		int64_t i = max3(below, here + 1, e->reach[k + 1] + 1);

		below = here;
		e->reach[k] = i < 0 ? NEVER : slide(e, i, k);
	}
}

/* Returns the number of edits, or MOST + 1. */
static int64_t count_edits(struct edit *e)
{
	const int64_t last = e->nr_b - e->nr_a;

	e->reach[-1] = e->reach[1] = NEVER;
	e->reach[0] = slide(e, 0, 0);
	for (int64_t nr = 0;; nr++) {
		if (nr)
			edit_once(e, nr);
		if (nr >= last && e->reach[last] == e->nr_a)
			return nr;
		if (nr == e->most)
			return nr + 1;
		e->reach[-nr - 2] = e->reach[nr + 2] = NEVER;
	}
}

static uint32_t edit_distance(struct edit *e)
{
	int64_t few[FEW_DIAGONALS], *all = few, nr = 2 * e->most + 5;

	if (nr > (int64_t)FEW_DIAGONALS)
		all = syt_alloc((size_t)nr, sizeof(*all));
	e->reach = all + e->most + 2;
	nr = count_edits(e);
	if (all != few)
		free(all);
	return (uint32_t)nr;
}

uint32_t syt_edit_distance(const uint32_t *a, uint32_t nr_a, const uint32_t *b, uint32_t nr_b,
                           uint32_t most)
{
	struct edit e = {.most = most};

	if (nr_a > nr_b)
		return syt_edit_distance(b, nr_b, a, nr_a, most);
	if (nr_b - nr_a > most)
		return most + 1;
	while (nr_a && *a == *b)
		a++, b++, nr_a--, nr_b--;
	while (nr_a && a[nr_a - 1] == b[nr_b - 1])
		nr_a--, nr_b--;
	if (!nr_a)
		return nr_b;
	if (e.most > nr_b)
		e.most = nr_b;
	e.a = a;
	e.b = b;
	e.nr_a = nr_a;
	e.nr_b = nr_b;
	return edit_distance(&e);
}

/* ---- scale of the work ---- */

#define LOG_UNIT 1048576.0 /* units in which the sums of a scale count */

struct moments {
	uint64_t nr_unknown, sum;
	syt_u128 squares;
};

#define CPU_UNIT_NS 100000.0

static double unit_of(enum syt_resource resource)
{
	return resource == SYT_RESOURCE_CPU ? CPU_UNIT_NS : 1;
}

double syt_amount_log(enum syt_resource resource, uint64_t amount)
{
	return amount == SYT_AMOUNT_UNKNOWN ? -1 : log1p((double)amount / unit_of(resource));
}

uint64_t syt_amount_of_log(enum syt_resource resource, double u)
{
	return (uint64_t)llround(expm1(u) * unit_of(resource));
}

static void add_amount(struct moments *m, enum syt_resource resource, uint64_t amount)
{
	uint64_t u;

	if (amount == SYT_AMOUNT_UNKNOWN) {
		m->nr_unknown++;
		return;
	}
	u = (uint64_t)llrint(syt_amount_log(resource, amount) * LOG_UNIT);
	m->sum += u;
	m->squares += u * u;
}

#define LEAST_SCALE 0.1 /* amounts that are about equal are not different kinds of work */

/* NR members, of which a part does not use the component. These members have the amount 0. */
static double standard_deviation(const struct moments *m, uint64_t nr)
{
	double n = (double)(nr - m->nr_unknown);
	/* exact, so equal amounts give 0 */
	syt_u128 spread = (nr - m->nr_unknown) * m->squares - (syt_u128)m->sum * m->sum;

	return spread ? fmax(sqrt((double)spread) / n / LOG_UNIT, LEAST_SCALE) : 0;
}

double *syt_work_scale(const struct syt_population *p)
{
	const size_t nr = (size_t)p->components.nr * SYT_NR_RESOURCES;
	struct moments *moments = syt_calloc(nr, sizeof(*moments));
	double *scale = syt_calloc(nr, sizeof(*scale));

	SYT_EACH(i, (uint64_t)0, p->nr_parts) {
		const struct syt_work_part *part = &p->parts[i];
		struct moments *m = &moments[(size_t)part->component * SYT_NR_RESOURCES];

		for (unsigned r = 0; r < SYT_NR_RESOURCES; r++)
			add_amount(&m[r], (enum syt_resource)r, part->amounts[r]);
	}
	for (size_t i = 0; i < nr; i++)
		scale[i] = standard_deviation(&moments[i], p->nr_members);
	free(moments);
	return scale;
}

/* ---- distance of the work ---- */

#define SQUARE_UNIT 4294967296.0  /* units in which the sum of a distance counts */
#define LARGEST_SQUARE 1073741824 /* larger squares count as this one */

uint32_t syt_work_values(const double *scale, const struct syt_work_part *parts, uint32_t nr_parts,
                         struct syt_work_value *values)
{
	uint32_t nr = 0;

	for (uint32_t i = 0; i < nr_parts; i++)
		for (unsigned r = 0; r < SYT_NR_RESOURCES; r++) {
			uint32_t at = parts[i].component * SYT_NR_RESOURCES + r;

			if (parts[i].amounts[r] && scale[at] > 0)
				values[nr++] = (struct syt_work_value){
					at,
					syt_amount_log((enum syt_resource)r, parts[i].amounts[r]) /
						scale[at]};
		}
	return nr;
}

uint32_t syt_work_dimensions(const double *scale, uint32_t nr_components)
{
	uint32_t nr = 0;

	for (uint32_t i = 0; i < nr_components * SYT_NR_RESOURCES; i++)
		nr += scale[i] > 0;
	return nr;
}

static uint64_t square(double difference)
{
	double x = difference * difference;

	/* signed, as processors convert to signed numbers */
	return (uint64_t)(int64_t)((x < LARGEST_SQUARE ? x : LARGEST_SQUARE) * SQUARE_UNIT);
}

double syt_work_values_distance(uint32_t nr_dimensions, const struct syt_work_value *a,
                                uint32_t nr_a, const struct syt_work_value *b, uint32_t nr_b,
                                double limit)
{
	const struct syt_work_value *end_a = a + nr_a, *end_b = b + nr_b;
	/* rounded up; unknown amounts only make the distance larger */
	const double most = limit * limit * nr_dimensions * 1.000001 + 1e-6;
	double rough_sum = 0, distance;
	syt_u128 sum = 0;

	while (a < end_a || b < end_b) {
		double u = 0, v = 0;
		uint32_t at = b == end_b || (a < end_a && a->at < b->at) ? a->at : b->at;

		if (a < end_a && a->at == at)
			u = a++->value;
		if (b < end_b && b->at == at)
			v = b++->value;
		if (u < 0 || v < 0) {
			nr_dimensions--;
			continue;
		}
		rough_sum += (u - v) * (u - v);
		if (rough_sum > most)
			return HUGE_VAL;
		sum += square(u - v);
	}
	distance = nr_dimensions ? sqrt((double)sum / SQUARE_UNIT / nr_dimensions) : 0;
	return distance <= limit ? distance : HUGE_VAL;
}

double *syt_work_scale_without_cpu(const double *scale, uint32_t nr_components)
{
	double *copy = syt_alloc((size_t)nr_components * SYT_NR_RESOURCES, sizeof(*copy));

	for (uint32_t i = 0; i < nr_components * SYT_NR_RESOURCES; i++)
		copy[i] = i % SYT_NR_RESOURCES == SYT_RESOURCE_CPU ? 0 : scale[i];
	return copy;
}

double syt_work_distance(const double *scale, uint32_t nr_components, const struct syt_work_part *a,
                         uint32_t nr_a, const struct syt_work_part *b, uint32_t nr_b)
{
	struct syt_work_value *values =
		syt_alloc(((size_t)nr_a + nr_b) * SYT_NR_RESOURCES, sizeof(*values));
	uint32_t nr = syt_work_values(scale, a, nr_a, values);
	uint32_t nr_others = syt_work_values(scale, b, nr_b, values + nr);
	double distance = syt_work_values_distance(syt_work_dimensions(scale, nr_components),
	                                           values, nr, values + nr, nr_others, HUGE_VAL);

	free(values);
	return distance;
}

/* ---- distance of requests ---- */

double syt_member_distance(const struct syt_population *p, const double *scale, uint64_t a,
                           uint64_t b)
{
	const struct syt_member *one = &p->members[a], *other = &p->members[b];
	uint32_t nr = p->behaviours[one->behaviour].nr,
		 nr_other = p->behaviours[other->behaviour].nr,
		 longer = nr > nr_other ? nr : nr_other;
	uint32_t edits =
		syt_edit_distance(syt_behaviour_steps(p, one->behaviour), nr,
	                          syt_behaviour_steps(p, other->behaviour), nr_other, longer);

	double work = syt_work_distance(scale, p->components.nr, syt_member_parts(p, a),
	                                one->nr_parts, syt_member_parts(p, b), other->nr_parts);

	return (longer ? (double)edits / longer : 0) + SYT_CLUSTER_WORK_WEIGHT * work;
}
