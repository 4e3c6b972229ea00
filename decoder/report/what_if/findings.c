/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Writes the sentences and listings of the report what-if. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/compare.h"
#include "base/err.h"
#include "decoder/report/what_if/view.h"
#include "decoder/show/coverage_print.h"
#include "decoder/show/print.h"

#define MOST_THREADS 20u /* maximum number of rows of the text table; JSON has no limit */

static void put_count(struct syt_out *out, uint64_t nr, const char *one, const char *many,
                      syt_time time)
{
	syt_out_printf(out, "%" PRIu64 " %s (", nr, nr == 1 ? one : many);
	syt_print_span(out, SYT_TIME_NS(time));
	syt_out_char(out, ')');
}

static void put_change(struct syt_out *out, const struct syt_whatif_change *c)
{
	if (c->function) {
		syt_out_safe(out, c->function);
		syt_out_printf(out, " takes %u.%u %% less time in ", c->less_thousandths / 10,
		               c->less_thousandths % 10);
		put_count(out, c->nr_calls, "call", "calls", c->calls);
		syt_out_string(out, " and in ");
		put_count(out, c->nr_tasks, "stretch of code", "stretches of code", c->tasks);
		syt_out_string(out, " between calls.");
		if (c->nr_possible) {
			syt_out_string(out, " The effect is uncertain in ");
			put_count(out, c->nr_possible, "stretch of code", "stretches of code", c->possible);
			syt_out_string(out, ", in which the function began or ended.");
		}
	} else {
		syt_out_string(out, "Without ");
		syt_out_safe(out, c->lock);
		syt_out_printf(out, ": %" PRIu64 " lock%s, %" PRIu64 " acquisition%s, ",
		               c->nr_locks, c->nr_locks == 1 ? "" : "s", c->nr_acquired,
		               c->nr_acquired == 1 ? "" : "s");
		put_count(out, c->nr_waits, "wait", "waits", c->waited);
		syt_out_char(out, '.');
	}
	syt_out_char(out, '\n');
}

static void put_replay(struct syt_out *out, const struct syt_view *v)
{
	const struct syt_whatif *w = v->report;
	const struct syt_replay *r = w->without;

	syt_out_string(out, "Computed run time without a change: ");
	syt_print_span(out, w->replayed_ns);
	syt_out_string(out, ", recorded run time: ");
	syt_print_span(out, w->recorded_ns);
	syt_out_string(out, ". No computed time of an event differs from the recorded time by more "
	                    "than ");
	syt_print_span(out, SYT_TIME_NS(r->error));
	syt_out_char(out, '.');
	if (r->nr_late)
		syt_out_printf(out, " %" PRIu64 " recorded orders of events could not be used.", r->nr_late);
	syt_out_printf(out, "\n%" PRIu64 " waits were ended by other threads, and become shorter "
	                    "if these threads become faster. ",
	               r->nr_followed);
	put_count(out, r->nr_kept, "call", "calls", r->kept);
	syt_out_string(out,
	               " were ended by no recorded event of another thread, and keep their "
	               "recorded duration.\n");
}

static void put_length(struct syt_out *out, const struct syt_whatif *w, const char *title,
                       uint64_t is)
{
	uint64_t was = w->replayed_ns, by = is <= was ? was - is : is - was;

	syt_out_string(out, title);
	syt_out_color(out, SYT_COLOR_BOLD);
	syt_print_span(out, is);
	syt_out_color(out, SYT_COLOR_NONE);
	syt_out_string(out, " instead of ");
	syt_print_span(out, was);
	syt_out_string(out, ", ");
	syt_print_span(out, by);
	syt_out_string(out, is <= was ? " less" : " more");
	if (was)
		syt_out_printf(out, " (%.1f %%)", syt_percent(by, was));
}

static void put_changes(struct syt_out *out, const struct syt_view *v)
{
	const struct syt_whatif *w = v->report;

	for (size_t n = 0; n < w->nr_changes; n++)
		put_change(out, &w->changes[n]);
	put_length(out, w, "Expected run time: ", w->expected_ns);
	syt_out_string(out, ".\n");
	if (w->most_ns == SYT_CELL_NONE)
		return;
	put_length(out, w, "Best-case run time: ", w->most_ns);
	syt_out_string(out, ", if the thread was in the function all the time between two calls "
	                    "when only one of the calls was made from the function.\n");
}

/* A thread, and the times from the first event of the trace to the thread's last event. */
struct end {
	uint32_t thread;
	uint64_t was_ns, is_ns;
};

SYT_COLUMN_NUMBER_IF(known, void, *(const uint64_t *)c->field);

static void json_thousandths(struct syt_json *j, const char *key, const struct syt_cell *c)
{
	syt_json_thousandths(j, key, *(const unsigned *)c->field);
}

static const struct syt_column_type thousandths = {.json = json_thousandths};

/* clang-format off */
#define SUMS(member_)   offsetof(struct syt_whatif, member_)
#define REPLAY(member_) (offsetof(struct syt_replay, member_) | SYT_OF_PARENT)
#define CHANGE(member_) offsetof(struct syt_whatif_change, member_)
#define END(member_)    offsetof(struct end, member_)

/* In this listing, the parent of a row is the replay without a change. */
static const struct syt_column sums_columns[] = {
	{NULL, "recorded_ns",                 &syt_column_ns,   SUMS(recorded_ns)},
	{NULL, "replayed_ns",                 &syt_column_ns,   SUMS(replayed_ns)},
	{NULL, "error_ns",                    &syt_column_time, REPLAY(error)},
	{NULL, "not_regarded",                &syt_column_u64,  REPLAY(nr_late)},
	{NULL, "followed",                    &syt_column_u64,  REPLAY(nr_followed)},
	{NULL, "kept",                        &syt_column_u64,  REPLAY(nr_kept)},
	{NULL, "kept_ns",                     &syt_column_time, REPLAY(kept)},
	{NULL, "expected_ns",                 &known,           SUMS(expected_ns)},
	{NULL, "expected_at_most_changed_ns", &known,           SUMS(most_ns)},
};

static const struct syt_column function_columns[] = {
	{NULL, "speed_up",          &syt_column_string, CHANGE(function)},
	{NULL, "by",                &thousandths,       CHANGE(less_thousandths)},
	{NULL, "calls",             &syt_column_u64,    CHANGE(nr_calls)},
	{NULL, "calls_ns",          &syt_column_time,   CHANGE(calls)},
	{NULL, "tasks",             &syt_column_u64,    CHANGE(nr_tasks)},
	{NULL, "tasks_ns",          &syt_column_time,   CHANGE(tasks)},
	{NULL, "possible_tasks",    &syt_column_u64,    CHANGE(nr_possible)},
	{NULL, "possible_tasks_ns", &syt_column_time,   CHANGE(possible)},
};

static const struct syt_column lock_columns[] = {
	{NULL, "remove_lock", &syt_column_string, CHANGE(lock)},
	{NULL, "locks",       &syt_column_u64,    CHANGE(nr_locks)},
	{NULL, "acquired",    &syt_column_u64,    CHANGE(nr_acquired)},
	{NULL, "waits",       &syt_column_u64,    CHANGE(nr_waits)},
	{NULL, SYT_KEY("waited_ns", "wait_ns"), &syt_column_time,   CHANGE(waited)},
};

static const struct syt_column thread_columns[] = {
	{NULL,               "process",         &syt_column_thread_process, END(thread)},
	{NULL,               SYT_KEY("thread", "thread_index"), &syt_column_thread_index,   END(thread)},
	{"THREAD",           NULL,              &syt_column_named_thread,   END(thread)},
	{">ENDED AFTER",     "recorded_end_ns", &syt_column_ns,             END(was_ns)},
	{">WOULD END AFTER", "expected_end_ns", &syt_column_ns,             END(is_ns)},
};
/* clang-format on */

static const struct syt_listing sums = SYT_LISTING("what-if", sums_columns);
static const struct syt_listing functions = SYT_LISTING("change", function_columns);
static const struct syt_listing locks = SYT_LISTING("change", lock_columns);
static const struct syt_listing threads = SYT_LISTING("thread", thread_columns);

static int latest_first(const void *a_, const void *b_)
{
	const struct end *a = a_, *b = b_;

	SYT_ORDER(b->was_ns, a->was_ns);
	SYT_ORDER_BY(thread);
	return 0;
}

static void list_threads(const struct syt_view *of, const struct syt_whatif *w)
{
	const struct syt_places *p = &of->order->places;
	struct end *ends = syt_calloc(p->nr_threads, sizeof(*ends));
	struct syt_view v = *of;
	uint32_t nr = 0;

	for (uint32_t n = 0; n < p->nr_threads; n++) {
		uint64_t last = p->threads[n]->nr_rows - 1;

		if (p->threads[n]->nr_rows)
			ends[nr++] = (struct end){n,
			                          SYT_TIME_NS(p->threads[n]->rows[last].out) -
			                                  SYT_TIME_NS(w->from),
			                          SYT_TIME_NS(w->with->times[n][last].out) -
			                                  SYT_TIME_NS(w->with->begin)};
	}
	if (nr)
		qsort(ends, nr, sizeof(*ends), latest_first);
	v.limit = v.is_json ? 0 : MOST_THREADS;
	syt_listing_all(&threads, &v, ends, nr, sizeof(*ends), NULL);
	free(ends);
}

void syt_whatif_list(const struct syt_view *v)
{
	const struct syt_whatif *w = v->report;

	syt_coverage_begin(v->out, v->order, v->is_json);
	if (v->is_json) {
		syt_listing_one(&sums, v, w, w->without);
		for (size_t n = 0; n < w->nr_changes; n++)
			syt_listing_one(w->changes[n].function ? &functions : &locks, v,
			                &w->changes[n], NULL);
	} else {
		syt_view_put_wrapped(v, put_replay);
		syt_out_char(v->out, '\n');
		if (w->with) {
			syt_view_put_wrapped(v, put_changes);
			syt_out_char(v->out, '\n');
		}
	}
	if (w->with)
		list_threads(v, w);
	syt_coverage_end(v->out, v->order, v->is_json);
}
