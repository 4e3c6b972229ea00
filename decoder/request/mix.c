/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/request/mix.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/random.h"
#include "base/store.h"
#include "decoder/read/clock.h"
#include "decoder/request/member.h"

/* ---- chi-square distribution ---- */

/* The incomplete gamma function, regularized: P(a, x) from its power series, and Q(a, x) = 1 - P(a, x) from its continued
 * fraction (Abramowitz and Stegun, 6.5.29 and 6.5.31). Each converges fast where it is used. */

/* Returns x^a e^-x / gamma(a). */
static double gamma_factor(double a, double x)
{
	int sign;

	return exp(a * log(x) - x - lgamma_r(a, &sign));
}

/* P(a, x) = factor * sum of x^n / (a (a + 1) .. (a + n)) */
static double gamma_series(double a, double x)
{
	double term = 1 / a, sum = term;

	for (double n = 1; term > sum * DBL_EPSILON; n++) {
		term *= x / (a + n);
		sum += term;
	}
	return gamma_factor(a, x) * sum;
}

/* Q(a, x) = factor / (x + 1 - a - 1 (1 - a) / (x + 3 - a - 2 (2 - a) / (x + 5 - a - ..))), x > a + 1. The ratios of successive
 * numerators and of successive denominators of the convergents stay near 1, while the numerators themselves overflow. */
static double gamma_fraction(double a, double x)
{
	double b = x + 1 - a, denominator = 1 / b, numerator = HUGE_VAL, value = denominator;

	for (double n = 1; n < 1e6; n++) {
		double c = n * (a - n), factor;

		b += 2;
		denominator = 1 / (b + c * denominator);
		numerator = b + c / numerator;
		factor = numerator * denominator;
		value *= factor;
		if (fabs(factor - 1) < DBL_EPSILON)
			break;
	}
	return gamma_factor(a, x) * value;
}

double syt_chi_square_tail(double x, double degrees)
{
	const double a = degrees / 2;

	x /= 2;
	if (!(x > 0))
		return 1;
	return x < a + 1 ? 1 - gamma_series(a, x) : gamma_fraction(a, x);
}

/* ---- level shifts ---- */

struct totals {
	uint64_t model, run;
};

/* Adds the part of a group, with the counts OF, of all requests ALL. */
static void add_group(struct syt_shift *s, const struct totals *of, const struct totals *all)
{
	const double nr = (double)all->model + (double)all->run,
		     share = ((double)of->model + (double)of->run) / nr;

	if (!of->model && !of->run)
		return;
	s->degrees++;
	if (of->model)
		s->g += 2 * (double)of->model *
		        log((double)of->model / (share * (double)all->model));
	if (of->run)
		s->g += 2 * (double)of->run * log((double)of->run / (share * (double)all->run));
	s->variation +=
		fabs((double)of->model / (double)all->model - (double)of->run / (double)all->run) /
		2;
}

/* Returns true if the smaller of the two mixes should have so few requests of the group that G is not chi-square. */
static bool is_rare(const struct totals *of, const struct totals *all)
{
	const double smaller = (double)(all->model < all->run ? all->model : all->run),
		     nr = (double)all->model + (double)all->run;

	return ((double)of->model + (double)of->run) * smaller < SYT_SHIFT_LEAST_EXPECTED * nr;
}

struct syt_shift syt_mix_shift(const uint64_t *model, const uint64_t *run, uint32_t nr)
{
	struct syt_shift s = {.p = 1};
	struct totals all = {0, 0}, rare = {0, 0};

	for (uint32_t i = 0; i < nr; i++) {
		all.model += model[i];
		all.run += run[i];
	}
	if (!all.model || !all.run)
		return s;
	for (uint32_t i = 0; i < nr; i++) {
		struct totals of = {model[i], run[i]};

		if (!is_rare(&of, &all)) {
			add_group(&s, &of, &all);
			continue;
		}
		rare.model += of.model;
		rare.run += of.run;
	}
	add_group(&s, &rare, &all);
	s.degrees--;
	if (s.degrees)
		s.p = syt_chi_square_tail(s.g, s.degrees);
	s.is_shift = s.p < SYT_SHIFT_P && s.variation >= SYT_SHIFT_VARIATION;
	return s;
}

/* ---- errors ---- */

struct sum {
	syt_u128 sum;
	uint64_t nr; /* members whose amount is known */
};

/* Adds the amounts of MEMBER to SUMS[component * SYT_NR_RESOURCES + resource]. */
static void add_amounts(struct sum *sums, const struct syt_population *p, uint64_t member)
{
	const struct syt_work_part *parts = syt_member_parts(p, member);

	for (uint32_t i = 0; i < p->members[member].nr_parts; i++)
		for (unsigned r = 0; r < SYT_NR_RESOURCES; r++) {
			struct sum *s = &sums[parts[i].component * SYT_NR_RESOURCES + r];

			if (parts[i].amounts[r] == SYT_AMOUNT_UNKNOWN)
				s->nr--; /* the caller counts all members */
			else
				s->sum += parts[i].amounts[r];
		}
}

static double mean(const struct sum *s)
{
	return s->nr ? (double)s->sum / (double)s->nr : 0;
}

/* Stores the mean amounts of NR members. */
static void find_means(const struct syt_population *p, const uint64_t *members, uint64_t nr,
                       double *means)
{
	const size_t nr_amounts = (size_t)p->components.nr * SYT_NR_RESOURCES;
	struct sum *sums = syt_calloc(nr_amounts, sizeof(*sums));

	for (size_t i = 0; i < nr_amounts; i++)
		sums[i].nr = nr;
	SYT_EACH_FAR(i, (uint64_t)0, nr)
		add_amounts(sums, p, members[i]);
	for (size_t i = 0; i < nr_amounts; i++)
		means[i] = mean(&sums[i]);
	free(sums);
}

/* The square of the distance of an unknown amount, which predicts nothing, is larger than that of known amounts. */
#define UNKNOWN_DISTANCE 1e20

/* Returns the square of the distance of an amount from the mean of the group, relative to the mean of all groups. */
static double amount_distance(uint64_t amount, double group_mean, double all_mean)
{
	double x;

	if (!(all_mean > 0))
		return 0;
	if (amount == SYT_AMOUNT_UNKNOWN)
		return UNKNOWN_DISTANCE;
	x = ((double)amount - group_mean) / all_mean;
	return x * x;
}

static double distance_from_mean(const struct syt_population *p, uint64_t member,
                                 const double *means, const double *all_means)
{
	const struct syt_work_part *part = syt_member_parts(p, member),
				   *end = part ? part + p->members[member].nr_parts : NULL;
	double sum = 0;

	for (uint32_t c = 0; c < p->components.nr; c++) {
		const uint64_t *amounts =
			part != end && part->component == c ? part++->amounts : NULL;

		for (unsigned r = 0; r < SYT_NR_RESOURCES; r++) {
			uint32_t at = c * SYT_NR_RESOURCES + r;

			sum += amount_distance(amounts ? amounts[r] : 0, means[at], all_means[at]);
		}
	}
	return sum;
}

/* Returns the member of a group that is nearest to its mean. */
static uint64_t find_nearest(const struct syt_population *p, const uint64_t *members, uint64_t nr,
                             double *means, const double *all_means)
{
	uint64_t best = UINT64_MAX;
	double best_distance = 0;

	find_means(p, members, nr, means);
	SYT_EACH_FAR(i, (uint64_t)0, nr) {
		double distance = distance_from_mean(p, members[i], means, all_means);

		if (best != UINT64_MAX &&
		    (distance > best_distance ||
		     (distance == best_distance && syt_member_compare(p, members[i], best) >= 0)))
			continue;
		best = members[i];
		best_distance = distance;
	}
	return best;
}

/* Returns the members of all groups, by group. FIRST[group] becomes the index of its first member; FIRST has NR + 1 elements,
 * which are 0. */
static uint64_t *list_groups(const struct syt_population *p, const uint32_t *of, uint32_t nr,
                             uint64_t *first)
{
	uint64_t *all = syt_store_alloc(p->nr_members, sizeof(*all)), nr_before = 0;

	SYT_EACH(i, (uint64_t)0, p->nr_members)
		if (of[i] != SYT_MIX_NO_GROUP)
			first[of[i]]++;
	for (uint32_t i = 0; i <= nr; i++) {
		nr_before += first[i];
		first[i] = nr_before;
	}
	/* each group from its end */
	for (uint64_t i = p->nr_members; i--;)
		if (of[i] != SYT_MIX_NO_GROUP)
			all[--first[of[i]]] = i;
	return all;
}

uint64_t *syt_mix_representatives(const struct syt_population *p, const uint32_t *of, uint32_t nr)
{
	const size_t nr_amounts = (size_t)p->components.nr * SYT_NR_RESOURCES;
	uint64_t *first = syt_calloc((size_t)nr + 1, sizeof(*first));
	uint64_t *result = syt_alloc(nr, sizeof(*result));
	uint64_t *members = list_groups(p, of, nr, first);
	double *means = syt_alloc(2 * nr_amounts, sizeof(*means)), *all_means = means + nr_amounts;

	find_means(p, members, first[nr], all_means);
	for (uint32_t i = 0; i < nr; i++)
		result[i] = find_nearest(p, members + first[i], first[i + 1] - first[i], means,
		                         all_means);
	free(means);
	syt_store_free(members);
	free(first);
	return result;
}

struct error {
	double squares;
	syt_u128 sum;
	uint64_t nr_unknown; /* members whose amount or prediction is unknown */
};

static void add_errors(struct error *errors, const struct syt_population *p, uint64_t member,
                       uint64_t representative)
{
	struct syt_work_pair w = syt_work_pair(p, member, representative);

	while (syt_work_pair_next(&w))
		for (unsigned r = 0; r < SYT_NR_RESOURCES; r++) {
			struct error *e = &errors[w.component * SYT_NR_RESOURCES + r];
			double difference = (double)w.amounts_a[r] - (double)w.amounts_b[r];

			if (w.amounts_a[r] == SYT_AMOUNT_UNKNOWN ||
			    w.amounts_b[r] == SYT_AMOUNT_UNKNOWN) {
				e->nr_unknown++;
				continue;
			}
			e->sum += w.amounts_a[r];
			e->squares += difference * difference;
		}
}

double *syt_mix_errors(const struct syt_population *p, const uint32_t *of,
                       const uint64_t *representatives)
{
	const size_t nr_amounts = (size_t)p->components.nr * SYT_NR_RESOURCES;
	struct error *errors = syt_calloc(nr_amounts, sizeof(*errors));
	double *result = syt_alloc(nr_amounts, sizeof(*result));
	uint64_t nr = 0;

	SYT_EACH_FAR(i, (uint64_t)0, p->nr_members)
		if (of[i] != SYT_MIX_NO_GROUP) {
			add_errors(errors, p, i, representatives[of[i]]);
			nr++;
		}
	for (size_t i = 0; i < nr_amounts; i++) {
		/* the members without this component, with a representative without it, have the amount 0 and no error */
		double known = (double)(nr - errors[i].nr_unknown);
		double average = known > 0 ? (double)errors[i].sum / known : 0;

		result[i] = average > 0 ? sqrt(errors[i].squares / known) / average : -1;
	}
	free(errors);
	return result;
}

/* ---- synthetic mixes ---- */

/* Returns a random number below BELOW > 0. Rejects the numbers that would make some results more frequent. */
static uint64_t random_below(uint64_t *state, uint64_t below)
{
	const uint64_t nr_rejected = -below % below; /* 2^64 mod BELOW */
	uint64_t x;

	do
		x = syt_random_next(state);
	while (x < nr_rejected);
	return x % below;
}

/* Exchanges each element with a random one of those that are not placed yet (Fisher-Yates). */
static void shuffle(uint32_t *all, uint64_t nr, uint64_t *state)
{
	for (uint64_t i = nr; i > 1; i--) {
		uint64_t k = random_below(state, i);
		uint32_t kept = all[k];

		all[k] = all[i - 1];
		all[i - 1] = kept;
	}
}

/* Systematic sampling: the draws are at equal distances on a line on which each group occupies its count. */
uint32_t *syt_mix_draw(const uint64_t *counts, uint32_t nr, uint64_t nr_draws, uint64_t seed)
{
	uint32_t *draws = syt_store_alloc(nr_draws, sizeof(*draws)), group = 0;
	uint64_t total = 0, end = counts[0], start;

	for (uint32_t i = 0; i < nr; i++)
		total += counts[i];
	start = random_below(&seed, total);
	SYT_EACH(i, (uint64_t)0, nr_draws) {
		uint64_t at = (uint64_t)(((syt_u128)i * total + start) / nr_draws);

		while (at >= end)
			end += counts[++group];
		draws[i] = group;
	}
	shuffle(draws, nr_draws, &seed);
	return draws;
}

uint64_t syt_mix_interval(uint64_t *state, uint64_t mean_ns)
{
	return (uint64_t)(-log(syt_random_unit(state)) * (double)mean_ns);
}
