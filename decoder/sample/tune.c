/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/sample/tune.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/random.h"
#include "base/store.h"
#include "decoder/sample/metrics.h"
#include "decoder/sample/replay.h"

#define NR_RUNS 4u /* each begins at another random point */
#define NR_TEMPERATURES 9u
#define STEPS 10u /* at each temperature */
#define COOLING 0.8
#define FIRST_TEMPERATURE 0.3 /* times the objective */
#define DEVIATION 0.5         /* of the logarithm of a step */
#define MOST_DRAWS 20u  /* of a step or of the first point, until the condition is satisfied */
#define LEAST_STEP 0.03 /* of the final descent, as a logarithm */
#define NR_AXES 2u

/* Logarithms of the parameters: lambda and floor, or size and rate. */
struct point {
	double at[NR_AXES];
};

/* The range of each parameter, by sampler. The least floor is one in 100,000. */
static const double ranges[SYT_NR_SAMPLER_KINDS][NR_AXES][2] = {
	[SYT_SAMPLER_BUMP] = {{0.1, 1000}, {1e-5, 1}},
	[SYT_SAMPLER_BUCKET] = {{1, 1000}, {0.1, 1000}},
};

struct search {
	const struct syt_sample_input *in;
	struct syt_sample_tuned *tuned;
	struct syt_sampler_options base;
	const double (*range)[2];
	uint64_t seed, random;
	uint8_t *kept;
	struct syt_sample_path *full, *sample; /* [path] */
	double best;                           /* objective of tuned->options */
	struct point best_at;
};

double syt_sample_objective(double similarity, double entropy)
{
	return entropy > 0 ? similarity / entropy : INFINITY;
}

/* Returns the parameter in millionths. Four digits are as good as more, and the user can read and repeat them. */
static uint64_t millionths(double logarithm)
{
	double v = exp(logarithm) * SYT_SAMPLER_UNIT;
	double unit = pow(10, fmax(0, floor(log10(v)) - 3));

	return (uint64_t)llround(round(v / unit) * unit);
}

static struct syt_sampler_options options_at(const struct search *s, const struct point *p)
{
	struct syt_sampler_options o = s->base;

	if (o.kind == SYT_SAMPLER_BUMP) {
		o.lambda = millionths(p->at[0]);
		o.floor = millionths(p->at[1]);
	} else {
		o.size = millionths(p->at[0]);
		o.rate = millionths(p->at[1]);
	}
	return o;
}

/* Returns the number of events that the point P keeps, or more than the limit if they are more than that. */
static uint64_t replay(struct search *s, const struct point *p)
{
	const struct syt_sampler_options o = options_at(s, p);

	s->tuned->nr_replays++;
	return syt_sample_replay(s->in, &o, s->seed, s->tuned->most, s->kept);
}

/* Evaluates the point P. Returns false if it does not satisfy the condition. */
static bool evaluate(struct search *s, const struct point *p, double *objective)
{
	const uint64_t nr = replay(s, p);

	if (nr < s->tuned->least || nr > s->tuned->most)
		return false;
	memset(s->sample, 0, s->in->nr_paths * sizeof(*s->sample));
	syt_sample_paths(s->in, s->kept, s->sample);
	*objective =
		syt_sample_objective(syt_sample_similarity(s->full, s->sample, s->in->nr_paths),
	                             syt_sample_entropy(s->sample, s->in->nr_paths));
	if (!s->tuned->is_found || *objective < s->best) {
		s->tuned->is_found = true;
		s->tuned->options = options_at(s, p);
		s->best = *objective;
		s->best_at = *p;
	}
	return true;
}

/* Moves a coordinate into its range. */
static double confined(const struct search *s, unsigned axis, double at)
{
	return fmin(fmax(at, log(s->range[axis][0])), log(s->range[axis][1]));
}

static struct point between(const struct search *s, double part)
{
	struct point p;

	for (unsigned i = 0; i < NR_AXES; i++)
		p.at[i] = log(s->range[i][0]) + part * (log(s->range[i][1]) - log(s->range[i][0]));
	return p;
}

/* Finds a first point. If no random one satisfies the condition, searches between the least and the greatest parameters,
 * because the size grows with both. */
static bool begin(struct search *s, struct point *p, double *objective)
{
	double low = 0, high = 1;

	for (unsigned n = 0; n < MOST_DRAWS; n++) {
		for (unsigned i = 0; i < NR_AXES; i++)
			p->at[i] = log(s->range[i][0]) +
			           syt_random_unit(&s->random) *
			                   (log(s->range[i][1]) - log(s->range[i][0]));
		if (evaluate(s, p, objective))
			return true;
	}
	for (unsigned n = 0; n < MOST_DRAWS; n++) {
		double middle = (low + high) / 2;

		*p = between(s, middle);
		if (evaluate(s, p, objective))
			return true;
		if (replay(s, p) > s->tuned->most)
			high = middle;
		else
			low = middle;
	}
	return false;
}

/* Returns a number with the standard normal distribution (Box and Muller). */
static double normal(struct search *s)
{
	double radius = sqrt(-2 * log(syt_random_unit(&s->random)));

	return radius * cos(2 * M_PI * syt_random_unit(&s->random));
}

/* Finds a neighbour of P that satisfies the condition. */
static bool step(struct search *s, const struct point *p, struct point *next, double *objective)
{
	for (unsigned n = 0; n < MOST_DRAWS; n++) {
		for (unsigned i = 0; i < NR_AXES; i++)
			next->at[i] = confined(s, i, p->at[i] + DEVIATION * normal(s));
		if (evaluate(s, next, objective))
			return true;
	}
	return false;
}

static void anneal(struct search *s, struct point at, double objective)
{
	double temperature = FIRST_TEMPERATURE * objective;

	for (unsigned n = 0; n < NR_TEMPERATURES * STEPS; n++) {
		struct point next;
		double other;

		if (n && n % STEPS == 0)
			temperature *= COOLING;
		if (!step(s, &at, &next, &other))
			continue;
		/* an infinite temperature accepts each step */
		if (other <= objective ||
		    syt_random_unit(&s->random) < exp(-(other - objective) / temperature)) {
			at = next;
			objective = other;
		}
	}
}

/* Descends from the best point to its neighbours in eight directions, with smaller and smaller steps. */
static void descend(struct search *s)
{
	for (double length = DEVIATION; length >= LEAST_STEP;) {
		const double before = s->best;
		const struct point from = s->best_at;

		for (int i = 0; i < 9; i++) {
			struct point next;
			double objective;

			next.at[0] = confined(s, 0, from.at[0] + (i / 3 - 1) * length);
			next.at[1] = confined(s, 1, from.at[1] + (i % 3 - 1) * length);
			if (next.at[0] != from.at[0] || next.at[1] != from.at[1])
				evaluate(s, &next, &objective);
		}
		if (!(s->best < before))
			length /= 2;
	}
}

void syt_sample_tune(struct syt_sample_tuned *tuned, const struct syt_sample_input *in,
                     const struct syt_sampler_options *o, double at_most, uint64_t seed)
{
	const struct syt_sampler_options p = {
		.kind = SYT_SAMPLER_P, .at_root = 1, .hops = o->hops, .p = SYT_SAMPLER_UNIT / 10};
	struct search s = {.in = in,
	                   .tuned = tuned,
	                   .base = *o,
	                   .range = ranges[o->kind],
	                   .seed = seed,
	                   .random = seed,
	                   .kept = syt_store_alloc(in->nr, 1),
	                   .full = syt_calloc(in->nr_paths, sizeof(*s.full)),
	                   .sample = syt_calloc(in->nr_paths, sizeof(*s.sample))};
	struct point first;
	double objective;

	memset(tuned, 0, sizeof(*tuned));
	tuned->options = *o;
	syt_sample_paths(in, NULL, s.full);
	tuned->most = syt_sample_replay(in, &p, seed, in->nr, s.kept);
	tuned->least = tuned->most / 10;
	if (at_most * (double)in->nr < (double)tuned->most) {
		tuned->most = (uint64_t)(at_most * (double)in->nr);
		if (tuned->least > tuned->most / 10)
			tuned->least = tuned->most / 10;
	}
	for (unsigned run = 0; run < NR_RUNS && begin(&s, &first, &objective); run++)
		anneal(&s, first, objective);
	if (tuned->is_found)
		descend(&s);
	tuned->objective = s.best;
	syt_store_free(s.kept);
	free(s.full);
	free(s.sample);
}
