/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The listings of the report blocked: the calls that had not returned and, in JSON, the groups of them. */
#include <stdlib.h>

#include "base/compare.h"
#include "base/err.h"
#include "decoder/report/blocked/view.h"
#include "decoder/show/print.h"

/* ---- types of columns ---- */

SYT_COLUMN_NS(waited, struct syt_blocked_call, SYT_TIME_NS(r->until - r->since));
SYT_COLUMN_WORD(reason, struct syt_blocked_call,
                syt_blocked_word((enum syt_blocked_reason)r->reason));

static const char *state_word(uint8_t state)
{
	return state == SYT_BLOCKED_STUCK      ? "stuck"
	       : state == SYT_BLOCKED_DOUBTFUL ? "doubtful"
	                                       : "open";
}

SYT_COLUMN_WORD(call_state, struct syt_blocked_call, state_word(r->state));
SYT_COLUMN_WORD(group_state, struct syt_blocked_group, state_word(r->state));

static const char *call_name(const struct syt_cell *c)
{
	const struct syt_blocked_call *r = c->row;
	const struct syt_thread *t = c->view->order->places.threads[r->thread];

	return t->image->calls[t->waiting.call].name;
}

static void text_path(struct syt_table *t, const struct syt_cell *c)
{
	syt_table_cell(t, "%s", syt_view_path(c->view, syt_blocked_side(c->view, c->row)));
}

static void json_path(struct syt_json *j, const char *key, const struct syt_cell *c)
{
	syt_json_string(j, key,
	                syt_label_side_text(c->view->labels, syt_blocked_side(c->view, c->row)));
}

static void json_evidence(struct syt_json *j, const char *key, const struct syt_cell *c)
{
	const struct syt_blocked_call *r = c->row;

	if (r->evidence.thread != SYT_NONE)
		syt_column_place.json(j, key, c);
}

static void json_next(struct syt_json *j, const char *key, const struct syt_cell *c)
{
	if (*(const uint32_t *)c->field != SYT_NONE)
		syt_column_thread.json(j, key, c);
}

static void text_next(struct syt_table *t, const struct syt_cell *c)
{
	if (*(const uint32_t *)c->field != SYT_NONE)
		syt_column_thread.text(t, c);
	else
		syt_table_cell(t, "%s", "");
}

static void json_threads(struct syt_json *j, const char *key, const struct syt_cell *c)
{
	const struct syt_blocked_group *g = c->row;
	const struct syt_blocked *b = c->view->report;

	syt_json_begin(j, key, '[');
	for (uint32_t i = 0; i < g->nr; i++)
		syt_column_thread.json(j, NULL,
		                       &(struct syt_cell){.view = c->view,
		                                          .field = &b->calls[g->calls[i]].thread});
	syt_json_end(j);
}

static const struct syt_column_type call = {.word = call_name};
static const struct syt_column_type path = {.text = text_path, .json = json_path};
static const struct syt_column_type evidence = {.json = json_evidence};
static const struct syt_column_type next = {.text = text_next, .json = json_next};
static const struct syt_column_type threads = {.json = json_threads};

/* ---- listings ---- */

/* clang-format off */
#define CALL(member_)  offsetof(struct syt_blocked_call, member_)
#define GROUP(member_) offsetof(struct syt_blocked_group, member_)

static const struct syt_column call_columns[] = {
	{"THREAD",   "thread",   &syt_column_named_thread, CALL(thread)},
	{NULL,       "pid",      &syt_column_pid,          CALL(thread)},
	{NULL,       "tid",      &syt_column_tid,          CALL(thread)},
	{">WAITED",  "wait_ns",  &waited,                  0},
	{NULL,       SYT_KEY("since", "since_ns"), &syt_column_instant, CALL(since)},
	{NULL,       "call",     &call,                    0},
	{"OBJECT",   "object",   &syt_column_object_if,    CALL(object)},
	{NULL,       "mutex",    &syt_column_object_if,    CALL(object2)},
	{"STATE",    SYT_KEY("state", "blocked_state"), &call_state,              0},
	{"REASON",   SYT_KEY("reason", "blocked_reason"), &reason,                  0},
	{NULL,       "timeout",  &syt_column_bool,         CALL(has_timeout)},
	{"WAITS FOR", "waits_for", &next,                  CALL(next)},
	{NULL,       SYT_KEY("evidence", "evidence_event"), &evidence,                CALL(evidence)},
	{NULL,       "arrived",  &syt_column_u64_if,       CALL(nr_arrived)},
	{NULL,       "needed",   &syt_column_u64_if,       CALL(nr_needed)},
	{NULL,       "tokens",   &syt_column_u64_if,       CALL(nr_tokens)},
	{"CALL PATH", "path",    &path,                    0},
};

static const struct syt_column group_columns[] = {
	{NULL, SYT_KEY("state", "blocked_state"), &group_state,     0},
	{NULL, "cycle",   &syt_column_bool, GROUP(is_cycle)},
	{NULL, "core",    &syt_column_u32,  GROUP(nr_core)},
	{NULL, SYT_KEY("threads", "thread_ids"), &threads,         0},
};
/* clang-format on */

static const struct syt_listing calls = SYT_LISTING("blocked", call_columns);
static const struct syt_listing groups = SYT_LISTING("hang", group_columns);

static int longest_first(const void *a_, const void *b_)
{
	const struct syt_blocked_call *a = *(const struct syt_blocked_call *const *)a_,
				      *b = *(const struct syt_blocked_call *const *)b_;

	SYT_ORDER(b->state, a->state);
	SYT_ORDER(b->until - b->since, a->until - a->since);
	SYT_ORDER_BY(thread);
	return 0;
}

void syt_blocked_list(const struct syt_view *v)
{
	const struct syt_blocked *b = v->report;
	const struct syt_blocked_call **sorted = syt_alloc(b->nr_calls, sizeof(*sorted));
	struct syt_listing_writer w;

	if (v->is_json)
		syt_listing_all(&groups, v, b->groups, b->nr_groups, sizeof(*b->groups), NULL);
	for (uint32_t n = 0; n < b->nr_calls; n++)
		sorted[n] = &b->calls[n];
	qsort(sorted, b->nr_calls, sizeof(*sorted), longest_first);
	if (!v->is_json && b->nr_calls)
		syt_out_char(v->out, '\n');
	syt_listing_begin(&w, &calls, v);
	for (uint32_t n = 0; n < b->nr_calls; n++)
		if (!syt_listing_row(&w, sorted[n], NULL))
			break;
	syt_listing_end(&w);
	free(sorted);
}
