/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The requests that depart from a model. */
#include <inttypes.h>

#include "decoder/report/requests/view.h"
#include "decoder/show/wrap.h"

uint64_t syt_requests_nr_findings(const struct syt_requests_view *v)
{
	uint64_t nr;

	syt_store_free(syt_odd_findings(v->judge, &nr));
	return nr;
}

static void put_finding(const struct syt_requests_view *v, uint64_t r)
{
	struct syt_out words;

	syt_wrap_begin(&words, v->of->out);
	syt_odd_text(&words, v->judge, r);
	syt_wrap_end_lines(&words, v->of->out);
}

/* Writes that the model is too small for the wanted probability. */
static void put_limit(struct syt_out *out, const struct syt_requests_view *v)
{
	const struct syt_odd_calibration *c = &v->judge->model->calibration;
	uint64_t nr = c->kinds[SYT_ODD_STRUCTURE].total;
	uint64_t most = c->joint.nr ? nr + 1 : nr / 2 + 1; /* a model of an older version */

	if (most < v->judge->one_in)
		syt_out_printf(
			out,
			" The model has %" PRIu64
			" request%s for calibration, too few to find a request that occurs once "
			"in %" PRIu64 ": use --one-in=%" PRIu64 ", or learn from more requests.",
			nr, nr == 1 ? "" : "s", v->judge->one_in, most);
}

static void put_sum(const struct syt_requests_view *v, uint64_t nr)
{
	struct syt_out words;

	syt_wrap_begin(&words, v->of->out);
	syt_out_printf(&words,
	               "%" PRIu64 " of %" PRIu64 " request%s depart%s from the model; by chance, "
	               "up to %" PRIu64 " do.",
	               nr, v->g->nr, v->g->nr == 1 ? "" : "s", nr == 1 ? "s" : "",
	               2 * v->g->nr / v->judge->one_in);
	put_limit(&words, v);
	syt_wrap_end(&words, v->of->out, 0);
}

uint64_t syt_requests_print_findings(const struct syt_requests_view *v)
{
	uint64_t nr, *order = syt_odd_findings(v->judge, &nr);
	struct syt_out *out = v->of->out;

	for (uint64_t i = 0; i < nr && !(v->limit && i == v->limit); i++) {
		if (v->of->is_json)
			syt_requests_put_json(v, order[i]);
		else
			put_finding(v, order[i]);
	}
	syt_store_free(order);
	if (v->of->is_json)
		return nr;
	if (v->limit && nr > v->limit)
		syt_out_printf(out, "%" PRIu64 " more; --limit=N lists more of them.\n",
		               nr - v->limit);
	if (nr)
		syt_out_char(out, '\n');
	put_sum(v, nr);
	return nr;
}
