/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/report/requests/odd.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/sort.h"
#include "decoder/analysis/own_frame.h"
#include "decoder/request/distance.h"
#include "decoder/show/place_json.h"
#include "decoder/show/print.h"

#define MOST_EXPECTED 3u /* number of expected symbols in JSON */

void syt_odd_judge_open(struct syt_odd_judge *j, struct syt_gathered *g,
                        struct syt_symbols *symbols, const struct syt_workload *model,
                        uint64_t one_in)
{
	*j = (struct syt_odd_judge){.g = g, .symbols = symbols, .model = model, .one_in = one_in};
	syt_workload_scorer_open(&j->scorer, model, g->population);
}

void syt_odd_judge_close(struct syt_odd_judge *j)
{
	syt_workload_scorer_close(&j->scorer);
}

/* ---- amounts ---- */

static uint64_t total_of(struct syt_gathered *g, uint64_t r, const struct syt_workload_score *s)
{
	const struct syt_member *m = &g->population->members[g->member_of[r]];

	for (uint64_t i = m->first_part; i < m->first_part + m->nr_parts; i++)
		if (g->population->parts[i].component == s->component)
			return g->population->parts[i].amounts[s->resource];
	return 0;
}

/* Returns the usual amount of the resource in the kind of S, or SYT_AMOUNT_UNKNOWN. */
static uint64_t usual_of(const struct syt_odd_judge *j, const struct syt_workload_score *s)
{
	const struct syt_workload_cluster *c;
	const char *name = j->g->population->components.all[s->component];

	if (s->norms == SYT_WORKLOAD_NONE)
		return SYT_AMOUNT_UNKNOWN;
	c = &j->model->clusters[s->norms];
	for (uint32_t i = c->first_part; i < c->first_part + c->nr_parts; i++) {
		const struct syt_workload_part *p = &j->model->parts[i];

		if (strcmp(j->model->known.components.all[p->component], name) != 0)
			continue;
		return p->norms[s->resource].median < 0
		               ? SYT_AMOUNT_UNKNOWN
		               : syt_amount_of_log(s->resource, p->norms[s->resource].median);
	}
	return 0;
}

/* ---- verdicts ---- */

struct syt_verdict_of syt_odd_judge(struct syt_odd_judge *j, uint64_t r)
{
	struct syt_verdict_of v = {.is_judged = j->g->member_of[r] != SYT_REQUEST_NONE};
	bool is_open = j->g->requests.all[r].end_is == SYT_REQUEST_OPEN;

	if (!v.is_judged)
		return v;
	v.score = syt_workload_score(&j->scorer, j->g->member_of[r], is_open);
	v.p = v.score.rank.p;
	v.is_finding = v.p * (double)j->one_in <= 1;
	v.is_work = v.score.rank.kind != SYT_ODD_STRUCTURE;
	return v;
}

/* ---- order ---- */

struct key {
	double p;
	uint32_t score; /* of its scores, the one that the fewest calibration requests reach */
	uint64_t request;
};

static int oddest_first(const void *a_, const void *b_)
{
	const struct key *a = a_, *b = b_;

	SYT_ORDER_BY(p);
	SYT_ORDER(b->score, a->score);
	return SYT_COMPARE(a->request, b->request);
}

static uint64_t *sort_requests(struct syt_odd_judge *j, uint64_t *nr, bool has_all)
{
	struct syt_gathered *g = j->g;
	uint64_t *members = syt_workload_order(g->population),
		 nr_members = g->population->nr_members;
	struct key *keys = syt_store_alloc(nr_members, sizeof(*keys));
	uint64_t *order;

	*nr = 0;
	SYT_EACH(i, 0, nr_members) {
		uint64_t r = g->request_of[members[i] - g->first_member];
		struct syt_verdict_of v = syt_odd_judge(j, r);

		if (has_all || v.is_finding)
			keys[(*nr)++] = (struct key){
				v.p, v.is_work ? v.score.work : v.score.structure.score, r};
	}
	syt_store_free(members);
	syt_sort(keys, *nr, sizeof(*keys), oddest_first);
	order = syt_store_alloc(*nr, sizeof(*order));
	for (uint64_t i = 0; i < *nr; i++)
		order[i] = keys[i].request;
	syt_store_free(keys);
	return order;
}

uint64_t *syt_odd_findings(struct syt_odd_judge *j, uint64_t *nr)
{
	return sort_requests(j, nr, false);
}

uint64_t *syt_odd_order(struct syt_odd_judge *j, uint64_t *nr)
{
	return sort_requests(j, nr, true);
}

/* ---- the step ---- */

static uint64_t bytes_at(const struct syt_places *p, struct syt_place at,
                         enum syt_resource resource)
{
	uint8_t shape = syt_place_call(p, at)->shape;
	uint32_t object = syt_place_row(p, at)->object;
	bool is_file =
		object != SYT_NONE && syt_place_image(p, at)->objects[object].kind == SYT_KIND_FILE;

	switch (resource) {
	case SYT_RESOURCE_RECEIVED:
		return shape == SYT_SHAPE_RECV && !is_file ? syt_place_extra(p, at)->bytes : 0;
	case SYT_RESOURCE_SENT:
		return shape == SYT_SHAPE_SEND && !is_file ? syt_place_extra(p, at)->bytes : 0;
	case SYT_RESOURCE_FILE_BYTES:
		return is_file ? syt_place_extra(p, at)->bytes : 0;
	case SYT_RESOURCE_FILE_CALLS:
		return is_file;
	default:
		return 0;
	}
}

/* Returns the amount of the resource that the thread used at the step, or after it. */
static uint64_t amount_at(struct syt_gathered *g, const struct syt_request_step *step,
                          enum syt_resource resource)
{
	uint32_t piece;

	if (resource != SYT_RESOURCE_CPU)
		return bytes_at(&g->order->places, step->at, resource);
	piece = syt_extents_piece(&g->extents, step->at);
	return piece == SYT_NONE ? 0 : SYT_TIME_NS(syt_works_step(g->works, piece, step->at).cpu);
}

/* Finds the step of COMPONENT with the largest amount of RESOURCE. Returns its index, or NR if there is none. */
static uint32_t find_largest(struct syt_gathered *g, const struct syt_request_step *steps,
                             uint32_t nr, uint32_t component, enum syt_resource resource,
                             uint64_t *amount)
{
	const char *name = g->population->components.all[component];
	uint32_t largest = nr;

	*amount = 0;
	for (uint32_t i = 0; i < nr; i++) {
		uint64_t one;

		if (steps[i].at.thread == SYT_NONE ||
		    strcmp(syt_image_component(g->order->places.threads[steps[i].at.thread]->image),
		           name) != 0)
			continue;
		one = amount_at(g, &steps[i], resource);
		if (one > *amount) {
			*amount = one;
			largest = i;
		}
	}
	return largest;
}

/* Where a request departs. */
struct departure {
	const struct syt_request_step *steps;
	uint32_t nr, step; /* step: index, or `nr` for the end or for an unknown step */
	uint64_t amount;   /* of a work departure at this step */
};

static struct departure departure_of(struct syt_odd_judge *j, uint64_t r,
                                     const struct syt_verdict_of *v)
{
	struct departure d = {0};

	d.steps = syt_behaviours_steps(j->g->behaviours, r, &d.nr);
	if (v->is_work)
		d.step = find_largest(j->g, d.steps, d.nr, v->score.component, v->score.resource,
		                      &d.amount);
	else
		d.step = v->score.structure.step < d.nr ? v->score.structure.step : d.nr;
	return d;
}

/* Returns the last event before the step STEP, or NULL. */
static const struct syt_request_step *event_before(const struct departure *d)
{
	for (uint32_t i = d->step; i--;)
		if (d->steps[i].at.thread != SYT_NONE)
			return &d->steps[i];
	return NULL;
}

/* Returns the event at the step, or the next one. A bracket stands for the event behind it. */
static const struct syt_request_step *event_at(const struct departure *d)
{
	for (uint32_t i = d->step; i < d->nr; i++)
		if (d->steps[i].at.thread != SYT_NONE)
			return &d->steps[i];
	return NULL;
}

/* ---- JSON ---- */

static void put_expected(struct syt_json *json, const struct syt_odd_judge *j, uint32_t state)
{
	const struct syt_automaton *a = &j->model->automaton;

	syt_json_begin(json, SYT_KEY("expected", "expected_symbols"), '[');
	if (state < a->nr_states) {
		const struct syt_automaton_state *s = &a->states[state];

		for (uint32_t i = 0; i < s->nr && i < MOST_EXPECTED; i++)
			syt_json_string(
				json, NULL,
				j->model->known.symbols
					.all[a->transitions[a->by_count[s->first + i]].symbol]);
	}
	syt_json_end(json);
}

static const char *change_of(const struct syt_verdict_of *v)
{
	return v->is_work ? "slow" : syt_odd_change_word(v->score.structure.change);
}

static void put_departure(struct syt_json *json, struct syt_odd_judge *j, uint64_t r,
                          const struct syt_verdict_of *v)
{
	struct departure d = departure_of(j, r, v);
	const struct syt_request_step *at = event_at(&d);
	uint64_t usual;

	syt_json_begin(json, "departs", '{');
	syt_json_u64(json, "step", d.step);
	syt_json_string(json, "change", change_of(v));
	syt_json_string(json, "symbol",
	                d.step < d.nr ? j->g->population->symbols.all[d.steps[d.step].symbol]
	                              : NULL);
	put_expected(json, j, v->is_work ? SYT_AUTOMATON_NONE : v->score.structure.state);
	syt_json_place(json, "event", &j->g->order->places,
	               at ? at->at : (struct syt_place){SYT_NONE, 0});
	if (!v->is_work) {
		syt_json_u64(json, SYT_KEY("seen", "seen_requests"), v->score.structure.seen);
		syt_json_u64(json, SYT_KEY("of", "of_requests"), v->score.structure.of);
	} else {
		syt_json_string(json, "component",
		                j->g->population->components.all[v->score.component]);
		syt_json_string(json, "resource", syt_resource_word(v->score.resource));
		syt_json_u64(json, "amount", total_of(j->g, r, &v->score));
		usual = usual_of(j, &v->score);
		if (usual == SYT_AMOUNT_UNKNOWN)
			syt_json_null(json, "usual");
		else
			syt_json_u64(json, "usual", usual);
	}
	syt_json_end(json);
}

void syt_odd_json(struct syt_json *json, struct syt_odd_judge *j, uint64_t r)
{
	struct syt_verdict_of v = syt_odd_judge(j, r);
	bool departs = v.is_judged && (v.is_work ? v.score.work > 0 : change_of(&v) != NULL);

	if (!v.is_judged) {
		syt_json_null(json, "odd");
	} else {
		syt_json_key(json, "odd");
		syt_out_printf(json->out, "%.6f", v.p);
	}
	syt_json_bool(json, "finding", v.is_finding);
	if (departs)
		put_departure(json, j, r, &v);
	else
		syt_json_null(json, "departs");
}

/* ---- text ---- */

/* Returns the part of the symbol TEXT that names its call, and at least the functions in which it differs from the symbol
 * USUAL, which may be NULL. */
static const char *distinct(const char *text, const char *usual)
{
	const char *least = syt_symbol_short(text), *differs = least;

	for (const char *c = text; usual && *c && *c == *usual; c++, usual++)
		differs = *c == ';' || *c == ':' ? c + 1 : differs == least ? text : differs;
	return differs < least && differs > text ? differs : least;
}

static void put_event(struct syt_out *out, struct syt_odd_judge *j,
                      const struct syt_request_step *step, const char *usual)
{
	const struct syt_thread *t = j->g->order->places.threads[step->at.thread];
	uint32_t piece = syt_extents_piece(&j->g->extents, step->at);
	struct syt_work_step w = {0};

	syt_out_safe(out, distinct(j->g->population->symbols.all[step->symbol], usual));
	syt_out_string(out, " (");
	syt_print_id(out, t, step->at.row);
	if (piece != SYT_NONE)
		w = syt_works_step(j->g->works, piece, step->at);
	if (SYT_TIME_NS(w.waited) >= 1000) {
		syt_out_string(out, ", ");
		syt_print_span(out, SYT_TIME_NS(w.waited));
	}
	syt_out_char(out, ')');
}

static void put_amount(struct syt_out *out, enum syt_resource resource, uint64_t amount)
{
	if (resource == SYT_RESOURCE_CPU)
		syt_print_span(out, amount);
	else
		syt_out_printf(out, "%" PRIu64, amount);
}

/* The words before and after an amount. */
struct phrase {
	const char *verb, *unit;
};

static struct phrase phrase_of(enum syt_resource r)
{
	static const struct phrase phrases[SYT_NR_RESOURCES] = {
		[SYT_RESOURCE_CPU] = {"used", "of CPU time"},
		[SYT_RESOURCE_RECEIVED] = {"received", "bytes"},
		[SYT_RESOURCE_SENT] = {"sent", "bytes"},
		[SYT_RESOURCE_FILE_CALLS] = {"made", "file calls"},
		[SYT_RESOURCE_FILE_BYTES] = {"read and wrote", "bytes of files"},
	};

	return phrases[r];
}

/* Writes the function in which the thread was from the step to its next event. */
static void put_function(struct syt_out *out, struct syt_odd_judge *j,
                         const struct syt_request_step *step)
{
	const struct syt_places *p = &j->g->order->places;
	struct syt_place next = {step->at.thread, step->at.row + 1};
	const char *name;

	if (next.row >= p->threads[next.thread]->nr_rows)
		return;
	name = syt_own_frame_common(j->symbols, syt_place_image(p, next),
	                            syt_place_row(p, step->at)->stack,
	                            syt_place_row(p, next)->stack);
	if (!name)
		return;
	syt_out_string(out, ", in ");
	syt_out_safe(out, name);
}

static void put_work(struct syt_out *out, struct syt_odd_judge *j, uint64_t r,
                     const struct syt_verdict_of *v, const struct departure *d)
{
	const struct syt_workload_score *s = &v->score;
	struct phrase phrase = phrase_of(s->resource);
	uint64_t usual = usual_of(j, s);

	syt_out_string(out, "the amount of its work is unusual: ");
	syt_out_safe(out, j->g->population->components.all[s->component]);
	syt_out_printf(out, " %s ", phrase.verb);
	put_amount(out, s->resource, total_of(j->g, r, s));
	syt_out_printf(out, " %s", phrase.unit);
	if (usual != SYT_AMOUNT_UNKNOWN) {
		syt_out_string(out, ", usually ");
		put_amount(out, s->resource, usual);
	}
	if (d->step == d->nr)
		return;
	syt_out_string(out, "; ");
	put_amount(out, s->resource, d->amount);
	syt_out_string(out, s->resource == SYT_RESOURCE_CPU ? " in and after " : " in ");
	put_event(out, j, &d->steps[d->step], NULL);
	if (s->resource == SYT_RESOURCE_CPU)
		put_function(out, j, &d->steps[d->step]);
}

/* Writes what most requests did in the state, and how many of them did it. */
static void put_usual(struct syt_out *out, const struct syt_odd_judge *j,
                      const struct syt_odd_structure *s)
{
	const struct syt_automaton *a = &j->model->automaton;
	const struct syt_automaton_state *state;
	const struct syt_automaton_transition *t = NULL;

	if (s->state >= a->nr_states)
		return;
	state = &a->states[s->state];
	if (state->nr)
		t = &a->transitions[a->by_count[state->first]];
	syt_out_string(out, "; ");
	if (t && t->count >= state->ends) {
		const char *symbol = j->model->known.symbols.all[t->symbol];

		syt_out_printf(out, "%" PRIu64 " of %" PRIu64 " went on with ", t->count,
		               state->visits);
		syt_out_safe(out, !strcmp(symbol, "[")   ? "work of another thread"
		                  : !strcmp(symbol, "]") ? "the thread that gave the work"
		                                         : syt_symbol_short(symbol));
	} else {
		syt_out_printf(out, "%" PRIu64 " of %" PRIu64 " ended there", state->ends,
		               state->visits);
	}
}

static void put_structure(struct syt_out *out, struct syt_odd_judge *j,
                          const struct syt_verdict_of *v, const struct departure *d)
{
	const struct syt_odd_structure *s = &v->score.structure;
	const struct syt_request_step *before = event_before(d), *at = event_at(d);

	if (before) {
		syt_out_string(out, "after ");
		put_event(out, j, before, NULL);
		syt_out_char(out, ' ');
	}
	if (s->change == SYT_ODD_MISSING && s->instead != SYT_AUTOMATON_NONE) {
		syt_out_string(out, "it left out ");
		syt_out_safe(out, syt_symbol_short(j->model->known.symbols.all[s->instead]));
	} else if (at) {
		syt_out_string(out, "it made ");
		put_event(out, j, at,
		          before ? j->g->population->symbols.all[before->symbol] : NULL);
	} else {
		syt_out_string(out, "it ended");
	}
	put_usual(out, j, s);
}

void syt_odd_reason(struct syt_out *out, struct syt_odd_judge *j, uint64_t r)
{
	struct syt_verdict_of v = syt_odd_judge(j, r);
	struct departure d;

	if (!v.is_judged)
		return;
	d = departure_of(j, r, &v);
	if (v.is_work)
		put_work(out, j, r, &v, &d);
	else
		put_structure(out, j, &v, &d);
	syt_out_printf(out, ". One request in %.0f is this odd", v.p > 0 ? 1 / v.p : 0.0);
}

void syt_odd_text(struct syt_out *out, struct syt_odd_judge *j, uint64_t r)
{
	if (!syt_odd_judge(j, r).is_judged)
		return;
	syt_out_printf(out, "Request %" PRIu64 ": ", r + 1);
	syt_odd_reason(out, j, r);
	syt_out_string(out, ".\n");
}
