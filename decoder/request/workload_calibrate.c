/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Calibrates models of workloads by requests that did not teach the model.
 *
 * Requests of one run are more alike than requests of different runs: caches, the load of the machine and the input differ. If a
 * model is learnt from several runs, each run is therefore judged by a model of the other runs, as a new run will be judged. The
 * requests of a single run teach the model, apart from a third.
 */

#include "base/err.h"
#include "base/store.h"
#include "decoder/request/workload.h"

#define MOST_FOLDS 4u /* groups of runs; each of them takes the time of learning the other ones */

/* One of three requests in a row, but not always the third: a client may repeat three kinds of requests. */
bool syt_workload_is_calibration(uint64_t request)
{
	uint64_t x = (request / 3 + 1) * UINT64_C(0x9e3779b97f4a7c15);

	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	return (x ^ x >> 31) % 3 == request % 3;
}

struct calibrator {
	const struct syt_population *population;
	uint8_t *fold;   /* [request]: group of runs */
	bool *is_learnt; /* [request] */
	uint64_t nr;
	struct syt_odd_request
		*judged; /* requests that did not teach the model by which they were scored */
};

/* Divides the runs into groups. Returns their number, or 1 if one of them has most of the requests: the other ones would teach too
 * little about them. */
static unsigned divide(struct calibrator *c)
{
	const struct syt_population *p = c->population;
	uint64_t nr_of[MOST_FOLDS] = {0};
	unsigned nr = p->nr_runs < MOST_FOLDS ? (unsigned)p->nr_runs : MOST_FOLDS;

	for (uint64_t i = 0, run = 0; i < p->nr_members && nr > 1; i++) {
		while (run + 1 < p->nr_runs && i >= p->runs[run + 1])
			run++;
		c->fold[i] = (uint8_t)(run % MOST_FOLDS);
		nr_of[c->fold[i]]++;
	}
	for (unsigned i = 0; i < nr; i++)
		if (nr_of[i] > p->nr_members - p->nr_members / 3)
			return 1;
	return nr > 1 ? nr : 1;
}

/* Learns all requests of P. */
static void learn_all(struct syt_workload *w, const struct syt_population *p,
                      const struct syt_workload_kinds *kinds)
{
	bool *is_learnt = syt_store_alloc(p->nr_members, sizeof(*is_learnt));

	SYT_EACH(i, UINT64_C(0), p->nr_members)
		is_learnt[i] = true;
	syt_workload_learn_from(w, p, kinds, is_learnt);
	syt_store_free(is_learnt);
}

/* Scores by the model W the requests that did not teach it. */
static void judge(struct calibrator *c, const struct syt_workload *w)
{
	uint64_t *order = syt_workload_order(c->population);
	struct syt_workload_scorer s;

	syt_workload_scorer_open(&s, w, c->population);
	SYT_EACH_FAR(i, UINT64_C(0), c->population->nr_members) {
		if (!c->is_learnt[order[i]])
			c->judged[c->nr++] = syt_workload_score(&s, order[i], false).odd;
	}
	syt_workload_scorer_close(&s);
	syt_store_free(order);
}

static void judge_by_thirds(struct calibrator *c, struct syt_workload *w)
{
	struct syt_population learnt;
	struct syt_workload_kinds kinds;

	SYT_EACH(i, UINT64_C(0), c->population->nr_members)
		c->is_learnt[i] = !syt_workload_is_calibration(i);
	syt_population_choose(&learnt, c->population, c->is_learnt);
	syt_workload_kinds_open(&kinds, &learnt);
	learn_all(w, &learnt, &kinds);
	judge(c, w);
	syt_workload_kinds_close(&kinds);
	syt_population_close(&learnt);
}

/* All models have the same clusters and kinds, which all requests determine. Otherwise the kinds of the final model would differ
 * from those of the models of the other runs, and so would the usual amounts. */
static void judge_by_runs(struct calibrator *c, struct syt_workload *w, unsigned nr_folds)
{
	struct syt_workload_kinds kinds;

	syt_workload_kinds_open(&kinds, c->population);
	for (unsigned fold = 0; fold < nr_folds; fold++) {
		struct syt_workload others;

		SYT_EACH(i, UINT64_C(0), c->population->nr_members)
			c->is_learnt[i] = c->fold[i] != fold;
		syt_workload_learn_from(&others, c->population, &kinds, c->is_learnt);
		judge(c, &others);
		syt_workload_close(&others);
	}
	learn_all(w, c->population, &kinds);
	syt_workload_kinds_close(&kinds);
}

static void count_requests(struct syt_workload *w, const struct syt_population *p)
{
	w->nr_requests = p->nr_members;
	w->interval_ns = p->nr_intervals ? p->span_ns / p->nr_intervals : 0;
	if (w->interval_ns > SYT_WORKLOAD_COUNT)
		w->interval_ns = SYT_WORKLOAD_COUNT;
	for (uint32_t i = 0; i < p->nr_behaviours; i++) {
		w->nr_behaviours += p->behaviours[i].count > 0;
		w->nr_once += p->behaviours[i].count == 1;
	}
}

void syt_workload_learn(struct syt_workload *w, const struct syt_population *p)
{
	struct calibrator c = {.population = p};
	unsigned nr_folds;

	c.fold = syt_store_alloc(p->nr_members, sizeof(*c.fold));
	c.is_learnt = syt_store_alloc(p->nr_members, sizeof(*c.is_learnt));
	c.judged = syt_store_alloc(p->nr_members, sizeof(*c.judged));
	nr_folds = divide(&c);
	if (nr_folds > 1)
		judge_by_runs(&c, w, nr_folds);
	else
		judge_by_thirds(&c, w);
	count_requests(w, p);
	syt_odd_calibrate(&w->calibration, c.judged, c.nr);
	syt_store_free(c.fold);
	syt_store_free(c.is_learnt);
	syt_store_free(c.judged);
}
