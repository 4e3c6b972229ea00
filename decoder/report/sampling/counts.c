/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Counts the calls of a trace by intercepted call and by call path. Each call of a full trace is a whole event. Ghosts, and calls at
 * sites with an unknown call stack, have no call path. */
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/err.h"
#include "decoder/order/distinguish.h"
#include "decoder/report/sampling/view.h"

struct count {
	const char *text;
	uint64_t calls, whole, ghosts, left_out;
};

/* In a table, a call path is its innermost functions. */
static void path_text(struct syt_table *t, const struct syt_cell *c)
{
	const char *const *text = c->field;

	syt_table_cell(t, "%s", syt_label_short(*text, SYT_VIEW_PATH_PARTS));
}

static void path_json(struct syt_json *j, const char *key, const struct syt_cell *c)
{
	const char *const *text = c->field;

	syt_json_string(j, key, *text);
}

static const struct syt_column_type path_type = {.text = path_text, .json = path_json};

/* clang-format off */
#define COUNT(member_) offsetof(struct count, member_)
#define COUNTS \
	{">CALLS",    "calls",    &syt_column_u64, COUNT(calls)}, \
	{">WHOLE",    "whole",    &syt_column_u64, COUNT(whole)}, \
	{">GHOSTS",   "ghosts",   &syt_column_u64, COUNT(ghosts)}, \
	{">LEFT OUT", SYT_KEY("left_out", "calls_left_out"), &syt_column_u64, COUNT(left_out)}

static const struct syt_column call_columns[] = {
	{"CALL", "call", &syt_column_string, COUNT(text)},
	COUNTS,
};

static const struct syt_column path_columns[] = {
	{"PATH", "path", &path_type, COUNT(text)},
	COUNTS,
};
/* clang-format on */

static const struct syt_listing calls = SYT_LISTING("call", call_columns);
static const struct syt_listing paths = SYT_LISTING("path", path_columns);

static int most_first(const void *a_, const void *b_)
{
	const struct count *a = a_, *b = b_;

	SYT_ORDER(b->calls, a->calls);
	return strcmp(a->text, b->text);
}

static void print(const struct syt_view *v, const struct syt_listing *l, struct count *all,
                  size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		all[i].calls = syt_saturated(all[i].whole + all[i].ghosts, all[i].left_out);
	if (nr)
		qsort(all, nr, sizeof(*all), most_first);
	syt_listing_all(l, v, all, nr, sizeof(*all), NULL);
	free(all);
}

void syt_sampling_print_counts(const struct syt_view *v, const struct syt_sample_input *in)
{
	struct count *by_call = syt_calloc(in->nr_calls, sizeof(*by_call));
	struct count *by_path = syt_calloc(in->nr_paths, sizeof(*by_path));

	for (uint32_t i = 0; i < in->nr_calls; i++)
		by_call[i].text = in->calls[i];
	for (uint32_t i = 0; i < in->nr_paths; i++)
		by_path[i].text = syt_call_path_text(in->paths, i);
	SYT_EACH(i, (uint64_t)0, in->nr) {
		const struct syt_sample_event *e = &in->events[i];

		by_call[e->call].ghosts += e->is_ghost;
		by_call[e->call].whole += !e->is_ghost;
		by_path[e->path].ghosts += e->is_ghost;
		by_path[e->path].whole += !e->is_ghost;
	}
	for (size_t i = 0; i < in->nr_left_out; i++) {
		const struct syt_sample_left_out *l = &in->left_out[i];

		by_call[l->call].left_out = syt_saturated(by_call[l->call].left_out, l->nr);
		by_path[l->path].left_out = syt_saturated(by_path[l->path].left_out, l->nr);
	}
	print(v, &calls, by_call, in->nr_calls);
	if (!v->is_json)
		syt_out_blank_line(v->out);
	print(v, &paths, by_path, in->nr_paths);
	if (!v->is_json)
		syt_out_blank_line(v->out);
}
