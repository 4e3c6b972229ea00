/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Calibrates models of workloads by requests that did not teach the model. */

#include "base/err.h"
#include "base/store.h"
#include "decoder/request/workload.h"

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
	bool *is_learnt; /* [request] */
	uint64_t nr;
	struct syt_odd_request
		*judged; /* requests that did not teach the model by which they were scored */
};

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

void syt_workload_learn(struct syt_workload *w, const struct syt_population *p)
{
	struct calibrator c = {.population = p};

	c.is_learnt = syt_store_alloc(p->nr_members, sizeof(*c.is_learnt));
	c.judged = syt_store_alloc(p->nr_members, sizeof(*c.judged));
	SYT_EACH(i, UINT64_C(0), p->nr_members)
		c.is_learnt[i] = !syt_workload_is_calibration(i);
	syt_workload_learn_from(w, p, c.is_learnt);
	judge(&c, w);
	syt_odd_calibrate(&w->calibration, c.judged, c.nr);
	syt_store_free(c.is_learnt);
	syt_store_free(c.judged);
}
