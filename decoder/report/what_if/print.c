/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The members of the JSON lines are a contract: add, never rename. */
#include "decoder/report/what_if/view.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/compare.h"
#include "base/err.h"
#include "base/json.h"
#include "base/table.h"
#include "decoder/show/coverage_print.h"
#include "decoder/show/print.h"

#define MOST_THREADS 20u

static uint64_t length_ns(const struct syt_replay *r)
{
	return SYT_TIME_NS(r->end) - SYT_TIME_NS(r->begin);
}

static uint64_t recorded_ns(const struct syt_whatif_view *v)
{
	return SYT_TIME_NS(v->to) - SYT_TIME_NS(v->from);
}

/* ---- for people ---- */

static void put_length(struct syt_out *out, const struct syt_whatif_view *v,
                       const struct syt_replay *r)
{
	uint64_t was = length_ns(v->without), is = length_ns(r);

	syt_out_color(out, SYT_COLOR_BOLD);
	syt_print_span(out, is);
	syt_out_color(out, SYT_COLOR_NONE);
	syt_out_string(out, " instead of ");
	syt_print_span(out, was);
	syt_out_string(out, is <= was ? ", less by " : ", more by ");
	syt_print_span(out, is <= was ? was - is : is - was);
	if (was)
		syt_out_printf(out, " (%.1f %%)",
		               100.0 * (double)(is <= was ? was - is : is - was) / (double)was);
}

static void put_change(struct syt_out *out, const struct syt_whatif *c)
{
	if (c->function) {
		syt_out_safe(out, c->function);
		syt_out_printf(out, " takes %u.%u %% less: %" PRIu64 " calls of ",
		               c->less_thousandths / 10, c->less_thousandths % 10, c->nr_calls);
		syt_print_span(out, SYT_TIME_NS(c->calls));
		syt_out_printf(out, ", %" PRIu64 " stretches between calls of ", c->nr_tasks);
		syt_print_span(out, SYT_TIME_NS(c->tasks));
		if (c->nr_possible) {
			syt_out_printf(out, "; %" PRIu64 " of ", c->nr_possible);
			syt_print_span(out, SYT_TIME_NS(c->possible));
			syt_out_string(out, " in which it only began or ended");
		}
	} else {
		syt_out_string(out, "without ");
		syt_out_safe(out, c->lock);
		syt_out_printf(
			out, ": %" PRIu64 " locks, %" PRIu64 " acquisitions, %" PRIu64 " waits of ",
			c->nr_locks, c->nr_acquired, c->nr_waits);
		syt_print_span(out, SYT_TIME_NS(c->waited));
	}
	syt_out_char(out, '\n');
}

struct end {
	uint32_t thread;
	syt_time was, is;
};

static int latest_first(const void *a_, const void *b_)
{
	const struct end *a = a_, *b = b_;

	SYT_ORDER(b->was, a->was);
	SYT_ORDER_BY(thread);
	return 0;
}

/* When threads end, the last one first; *NR of them. */
static struct end *ends_of(const struct syt_whatif_view *v, uint32_t *nr)
{
	const struct syt_places *p = &v->order->places;
	struct end *ends = syt_calloc(p->nr_threads, sizeof(*ends));

	*nr = 0;
	for (uint32_t n = 0; n < p->nr_threads; n++) {
		uint64_t nr_rows = p->threads[n]->nr_rows;

		if (nr_rows)
			ends[(*nr)++] = (struct end){n, p->threads[n]->rows[nr_rows - 1].out,
			                             v->with->times[n][nr_rows - 1].out};
	}
	if (*nr)
		qsort(ends, *nr, sizeof(*ends), latest_first);
	return ends;
}

static void threads_table(struct syt_out *out, const struct syt_whatif_view *v)
{
	struct syt_table *t = syt_table_create("THREAD", ">ENDED AFTER", ">WOULD END AFTER", NULL);
	uint32_t nr;
	struct end *ends = ends_of(v, &nr);

	for (uint32_t n = 0; n < nr && n < MOST_THREADS; n++) {
		const struct syt_thread *of = v->order->places.threads[ends[n].thread];

		syt_table_row(t);
		syt_table_cell(t, "%" PRIu32 ".%" PRIu32 "%s%s", of->image->index, of->index,
		               of->name ? " " : "", of->name ? of->name : "");
		syt_table_span(t, SYT_TIME_NS(ends[n].was) - SYT_TIME_NS(v->from));
		syt_table_span(t, SYT_TIME_NS(ends[n].is) - SYT_TIME_NS(v->with->begin));
	}
	syt_table_end(t, out);
	free(ends);
}

void syt_whatif_text(struct syt_out *out, const struct syt_whatif_view *v)
{
	const struct syt_replay *r = v->without;

	syt_coverage_line(out, v->order);
	syt_out_string(out, "Replayed without a change: ");
	syt_print_span(out, length_ns(r));
	syt_out_string(out, " of the recorded ");
	syt_print_span(out, recorded_ns(v));
	syt_out_string(out, "; no event is off by more than ");
	syt_print_span(out, SYT_TIME_NS(r->error));
	if (r->nr_late)
		syt_out_printf(out, "; %" PRIu64 " edges could not be regarded", r->nr_late);
	syt_out_printf(out,
	               "\nWaits that others ended: %" PRIu64 ", which move with them; calls that "
	               "nobody is known to have ended: %" PRIu64 " of ",
	               r->nr_followed, r->nr_kept);
	syt_print_span(out, SYT_TIME_NS(r->kept));
	syt_out_string(out, ", which keep their length\n\n");
	for (size_t n = 0; n < v->nr_changes; n++)
		put_change(out, &v->changes[n]);
	if (!v->with)
		return;
	syt_out_string(out, "Expected: ");
	put_length(out, v, v->with);
	if (v->most) {
		syt_out_string(out, "\nAt most: ");
		put_length(out, v, v->most);
		syt_out_string(out, ", if it had all of the time in which it only began or ended");
	}
	syt_out_string(out, "\n\n");
	threads_table(out, v);
}

/* ---- JSON ---- */

static void json_change(struct syt_json *j, const struct syt_whatif *c)
{
	syt_json_begin_line(j, "change");
	if (c->function) {
		syt_json_string(j, "speed_up", c->function);
		syt_json_thousandths(j, "by", c->less_thousandths);
		syt_json_u64(j, "calls", c->nr_calls);
		syt_json_u64(j, "calls_ns", SYT_TIME_NS(c->calls));
		syt_json_u64(j, "tasks", c->nr_tasks);
		syt_json_u64(j, "tasks_ns", SYT_TIME_NS(c->tasks));
		syt_json_u64(j, "possible_tasks", c->nr_possible);
		syt_json_u64(j, "possible_tasks_ns", SYT_TIME_NS(c->possible));
	} else {
		syt_json_string(j, "remove_lock", c->lock);
		syt_json_u64(j, "locks", c->nr_locks);
		syt_json_u64(j, "acquired", c->nr_acquired);
		syt_json_u64(j, "waits", c->nr_waits);
		syt_json_u64(j, "waited_ns", SYT_TIME_NS(c->waited));
	}
	syt_json_end_line(j);
}

static void json_threads(struct syt_json *j, const struct syt_whatif_view *v)
{
	uint32_t nr;
	struct end *ends = ends_of(v, &nr);

	for (uint32_t n = 0; n < nr; n++) {
		const struct syt_thread *of = v->order->places.threads[ends[n].thread];

		syt_json_begin_line(j, "thread");
		syt_json_u64(j, "process", of->image->index);
		syt_json_u64(j, "thread", of->index);
		syt_json_u64(j, "recorded_end_ns", SYT_TIME_NS(ends[n].was) - SYT_TIME_NS(v->from));
		syt_json_u64(j, "expected_end_ns",
		             SYT_TIME_NS(ends[n].is) - SYT_TIME_NS(v->with->begin));
		syt_json_end_line(j);
	}
	free(ends);
}

void syt_whatif_json(struct syt_out *out, const struct syt_whatif_view *v)
{
	const struct syt_replay *r = v->without;
	struct syt_json j = {.out = out};

	syt_coverage_json(out, v->order);
	syt_json_begin_line(&j, "what-if");
	syt_json_u64(&j, "recorded_ns", recorded_ns(v));
	syt_json_u64(&j, "replayed_ns", length_ns(r));
	syt_json_u64(&j, "error_ns", SYT_TIME_NS(r->error));
	syt_json_u64(&j, "not_regarded", r->nr_late);
	syt_json_u64(&j, "followed", r->nr_followed);
	syt_json_u64(&j, "kept", r->nr_kept);
	syt_json_u64(&j, "kept_ns", SYT_TIME_NS(r->kept));
	if (v->with)
		syt_json_u64(&j, "expected_ns", length_ns(v->with));
	if (v->most)
		syt_json_u64(&j, "expected_at_most_changed_ns", length_ns(v->most));
	syt_json_end_line(&j);
	for (size_t n = 0; n < v->nr_changes; n++)
		json_change(&j, &v->changes[n]);
	if (v->with)
		json_threads(&j, v);
}
