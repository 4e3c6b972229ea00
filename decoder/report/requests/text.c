/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The list of requests as a table: a line for each component of each request. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/compare.h"
#include "base/sort.h"
#include "decoder/report/requests/view.h"
#include "decoder/show/coverage_print.h"
#include "decoder/show/print.h"
#include "decoder/show/wrap.h"

const char *const syt_request_sorts[] = {"time",  "cpu",  "ran",   "in",    "out",
                                         "files", "lock", "queue", "other", "odd"};

syt_time syt_requests_length(const struct syt_gathered *g, uint64_t r)
{
	const struct syt_request_info *info = &g->requests.all[r];

	return info->end_is == SYT_REQUEST_OPEN ? 0 : info->end - info->begin;
}

/* ---- order ---- */

struct key {
	uint64_t amount, request;
};

static uint64_t amount_of(const struct syt_requests_view *v, uint64_t r)
{
	uint64_t sum = 0;
	uint32_t nr;
	const struct syt_work *all;

	if (v->sort == SYT_REQUEST_BY_TIME)
		return syt_requests_length(v->g, r);
	all = syt_works_of(v->g->works, r, &nr);
	for (uint32_t i = 0; i < nr; i++) {
		const struct syt_work *w = &all[i];
		const uint64_t amounts[SYT_NR_REQUEST_SORTS] = {
			[SYT_REQUEST_BY_CPU] = w->cpu,          [SYT_REQUEST_BY_RAN] = w->ran,
			[SYT_REQUEST_BY_IN] = w->received,      [SYT_REQUEST_BY_OUT] = w->sent,
			[SYT_REQUEST_BY_FILES] = w->file_calls, [SYT_REQUEST_BY_LOCK] = w->lock,
			[SYT_REQUEST_BY_QUEUE] = w->queue,      [SYT_REQUEST_BY_OTHER] = w->other,
		};

		sum += amounts[v->sort];
	}
	return sum;
}

static int most_first(const void *a_, const void *b_)
{
	const struct key *a = a_, *b = b_;

	SYT_ORDER(b->amount, a->amount);
	return SYT_COMPARE(a->request, b->request);
}

uint64_t *syt_requests_order(const struct syt_requests_view *v, uint64_t *nr)
{
	uint64_t nr_all = v->g->requests.nr, *order;
	struct key *keys;

	if (v->sort == SYT_REQUEST_BY_ODD)
		return syt_odd_order(v->judge, nr);
	keys = syt_store_alloc(nr_all, sizeof(*keys));
	*nr = 0;
	SYT_EACH(r, 0, nr_all)
		if (v->has_all ? syt_extents_has(&v->g->extents, r) : syt_gather_has(v->g, r))
			keys[(*nr)++] = (struct key){amount_of(v, r), r};
	syt_sort(keys, *nr, sizeof(*keys), most_first);
	order = syt_store_alloc(*nr, sizeof(*order));
	for (uint64_t i = 0; i < *nr; i++)
		order[i] = keys[i].request;
	syt_store_free(keys);
	return order;
}

/* ---- text ---- */

static void put_counts(struct syt_out *out, const struct syt_requests_view *v, uint64_t nr)
{
	uint32_t nr_behaviours = v->g->population->nr_behaviours;

	if (v->function) {
		syt_out_printf(out, "%" PRIu64 " call%s of ", nr, nr == 1 ? "" : "s");
		syt_out_safe(out, v->function);
	} else {
		syt_out_printf(out, "%" PRIu64 " request%s from the outside", nr,
		               nr == 1 ? "" : "s");
	}
	syt_out_printf(out, ", %" PRIu32 " behaviour%s, %" PRIu32 " cluster%s.\n", nr_behaviours,
	               nr_behaviours == 1 ? "" : "s", v->clusters->nr,
	               v->clusters->nr == 1 ? "" : "s");
}

/* Writes how much of the time in which threads ran belongs to requests. */
static void put_shares(struct syt_out *out, const struct syt_requests_view *v)
{
	struct syt_work_shares s = syt_works_shares(v->g->works);
	syt_time all = s.certain + s.inferred + s.several;

	if (!s.ran)
		return;
	syt_out_string(out, "Threads ran ");
	syt_print_span(out, SYT_TIME_NS(s.ran));
	syt_out_printf(out,
	               " outside of waits: %.1f %% for one request (certain), %.1f %% for one "
	               "request (inferred), %.1f %% for several requests at once, %.1f %% for no "
	               "request.\n",
	               syt_percent(s.certain, s.ran), syt_percent(s.inferred, s.ran),
	               syt_percent(s.several, s.ran),
	               syt_percent(all < s.ran ? s.ran - all : 0, s.ran));
	if (v->g->extents.nr_mixed)
		syt_out_printf(out,
		               "%" PRIu64 " time%s, a thread got work for several requests in one "
		               "event.\n",
		               v->g->extents.nr_mixed, v->g->extents.nr_mixed == 1 ? "" : "s");
}

static void put_pipelining(struct syt_out *out, uint64_t nr)
{
	if (nr)
		syt_out_printf(out,
		               "%" PRIu64
		               " requests were sent before an answer (pipelining, + in the "
		               "list); each of them may cover several requests.\n",
		               nr);
}

static void put_summary(const struct syt_requests_view *v, uint64_t nr)
{
	struct syt_out words;

	syt_wrap_begin(&words, v->of->out);
	if (v->g->requests.nr)
		put_counts(&words, v, nr);
	else
		syt_out_string(&words,
		               "No requests: no connection that a recorded process accepted "
		               "received data.\n");
	put_shares(&words, v);
	put_pipelining(&words, v->g->requests.nr_pipelined);
	syt_wrap_end_lines(&words, v->of->out);
}

static void cell_time(struct syt_table *t, syt_time time)
{
	if (SYT_TIME_NS(time))
		syt_table_span(t, SYT_TIME_NS(time));
	else
		syt_table_cell(t, "-");
}

static void cell_number(struct syt_table *t, uint64_t number)
{
	if (number)
		syt_table_cell(t, "%" PRIu64, number);
	else
		syt_table_cell(t, "-");
}

/* Returns true if the decoder divided a part of the CPU time. */
static bool cell_cpu(struct syt_table *t, const struct syt_work *w)
{
	uint64_t cpu = syt_work_cpu(w);
	bool is_divided = cpu != SYT_AMOUNT_UNKNOWN && SYT_TIME_NS(w->divided);

	if (cpu == SYT_AMOUNT_UNKNOWN)
		syt_table_cell(t, "?");
	else if (is_divided)
		syt_table_marked_span(t, "~", cpu);
	else
		cell_time(t, w->cpu);
	return is_divided;
}

static void cell_length(struct syt_table *t, const struct syt_requests_view *v, uint64_t r)
{
	const struct syt_request_info *info = &v->g->requests.all[r];
	syt_time length = syt_requests_length(v->g, r);

	if (SYT_TIME_NS(length))
		syt_host_error_cell(t, SYT_TIME_NS(length),
		                    syt_host_error_of_request(&v->g->order->places, info));
	else
		syt_table_cell(t, "-");
}

/* Adds the lines of the request R. Returns true if the decoder divided a part of their CPU time. */
static bool put_request(struct syt_table *t, const struct syt_requests_view *v, uint64_t r)
{
	uint64_t member = v->g->member_of[r];
	bool is_divided = false;
	uint32_t nr;
	const struct syt_work *all = syt_works_of(v->g->works, r, &nr);

	for (uint32_t i = 0; i < nr; i++) {
		const struct syt_work *w = &all[i];

		syt_table_row(t);
		if (i) {
			syt_table_cell(t, "%s", "");
			syt_table_cell(t, "%s", "");
			syt_table_cell(t, "%s", "");
		} else {
			syt_table_cell(t, "%" PRIu64 "%s", r + 1,
			               v->g->requests.all[r].flags & SYT_REQUEST_PIPELINED ? "+"
			                                                                   : "");
			cell_length(t, v, r);
			if (member == SYT_REQUEST_NONE)
				syt_table_cell(t, "-");
			else
				syt_table_cell(t, "%" PRIu32, v->clusters->of[member]);
		}
		syt_table_cell(t, "%s", v->g->population->components.all[w->component]);
		cell_time(t, w->ran);
		is_divided |= cell_cpu(t, w);
		cell_number(t, w->received);
		cell_number(t, w->sent);
		cell_number(t, w->file_calls);
		cell_time(t, w->file);
		cell_time(t, w->lock);
		cell_time(t, w->queue);
		cell_time(t, w->other);
	}
	return is_divided;
}

/* The lines of a request in the table. */
struct lines {
	uint64_t request, rank; /* index of the request, and its place in the list */
	uint64_t first, nr;     /* rows of the table */
};

SYT_COMPARATOR(by_request, struct lines)
{
	return SYT_COMPARE(a->request, b->request);
}

SYT_COMPARATOR(by_rank, struct lines)
{
	return SYT_COMPARE(a->rank, b->rank);
}

/* Puts the rows of the table into the order of the NR elements of ALL. */
static void arrange(struct syt_table *t, const struct lines *all, uint64_t nr)
{
	uint64_t *rows = syt_store_alloc(syt_table_nr_rows(t), sizeof(*rows)), to = 0;

	SYT_EACH(i, 0, nr)
		for (uint64_t k = 0; k < all[i].nr; k++)
			rows[to++] = all[i].first + k;
	syt_table_arrange(t, rows);
	syt_store_free(rows);
}

/* Adds the lines of the NR requests ORDER. Returns true if the decoder divided a part of their CPU time. The lines are made in the
 * order of time. The events of successive requests are then near each other in the store, which may keep only a part of them
 * resident. */
static bool put_requests(struct syt_table *t, const struct syt_requests_view *v,
                         const uint64_t *order, uint64_t nr)
{
	struct lines *all = syt_store_alloc(nr, sizeof(*all));
	bool is_divided = false;

	SYT_EACH(i, 0, nr)
		all[i] = (struct lines){.request = order[i], .rank = i};
	syt_sort(all, nr, sizeof(*all), by_request);
	SYT_EACH_FAR(i, 0, nr) {
		all[i].first = syt_table_nr_rows(t);
		is_divided |= put_request(t, v, all[i].request);
		all[i].nr = syt_table_nr_rows(t) - all[i].first;
	}
	syt_sort(all, nr, sizeof(*all), by_rank);
	arrange(t, all, nr);
	syt_store_free(all);
	return is_divided;
}

void syt_requests_print_list(const struct syt_requests_view *v)
{
	uint64_t nr, *order = syt_requests_order(v, &nr), nr_listed;
	bool is_divided;
	struct syt_table *t;

	put_summary(v, nr);
	if (nr)
		syt_out_char(v->of->out, '\n');
	t = syt_table_create(">REQUEST", ">TIME", ">CLUSTER", "COMPONENT", ">RAN", ">CPU", ">IN",
	                     ">OUT", ">FILES", ">?FILE WAIT", ">LOCK", ">QUEUE", ">OTHER WAITS",
	                     NULL);
	nr_listed = v->limit && v->limit < nr ? v->limit : nr;
	is_divided = put_requests(t, v, order, nr_listed);
	syt_table_end(t, v->of->out);
	if (nr_listed < nr)
		syt_out_printf(v->of->out, "%" PRIu64 " more; --limit=N lists more of them.\n",
		               nr - nr_listed);
	if (is_divided)
		syt_out_string(
			v->of->out,
			"~: a part of the CPU time was measured together with other work, and "
			"is divided.\n");
	if (nr)
		syt_out_printf(
			v->of->out,
			"\nFor the steps of one request, use --show=N (for example --show=%" PRIu64
			").\n",
			order[0] + 1);
	syt_store_free(order);
}
