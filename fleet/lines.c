/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * The waits by source line. A line has its own time (self), if it is the innermost line of a call path, and the time of all call paths
 * that it is in (total). A function without lines has a row without a file, so the own times of all rows are the time of all waits.
 */
#include <inttypes.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/err.h"
#include "fleet/answers.h"
#include "fleet/frames.h"
#include "fleet/rows.h"
#include "fleet/sums.h"

enum { RECORDED, OF_FLEET, NR_AMOUNTS };

/* A line of a source, or a function without lines. Lines of different builds are different lines. */
struct line {
	char *build, *file; /* file: NULL without lines */
	uint32_t line;
	char *functions; /* the functions that have the line, joined by ';' */
	double self_ns[NR_AMOUNTS], total_ns[NR_AMOUNTS];
	uint64_t last; /* number of the last call path that counted, from 1 on */
};

struct lines {
	void *tree;
	struct line **all;
	size_t nr, room;
	uint64_t nr_paths;
	double ns[NR_AMOUNTS]; /* of the present call path */
};

static int compare_texts(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) : (a != NULL) - (b != NULL);
}

static int by_place(const void *a_, const void *b_)
{
	const struct line *a = a_, *b = b_;
	int order = compare_texts(a->file, b->file);

	if (order)
		return order;
	SYT_ORDER(a->line, b->line);
	order = strcmp(a->build, b->build);
	return order || a->file ? order : strcmp(a->functions, b->functions);
}

static int largest_first(const void *a_, const void *b_)
{
	const struct line *a = *(struct line *const *)a_, *b = *(struct line *const *)b_;

	SYT_ORDER(b->self_ns[OF_FLEET], a->self_ns[OF_FLEET]);
	SYT_ORDER(b->total_ns[OF_FLEET], a->total_ns[OF_FLEET]);
	return by_place(a, b);
}

/* Returns true if NAME is one of the names ALL, which are joined by ';'. */
static bool has_name(const char *all, const char *name)
{
	size_t bytes = strlen(name);

	for (const char *p = all; p; p = strchr(p, ';'), p += p != NULL)
		if (!strncmp(p, name, bytes) && (!p[bytes] || p[bytes] == ';'))
			return true;
	return false;
}

/* Adds the present call path to the line that equals KEY. KEY and FUNCTION, which has the line, belong to the caller. */
static void add_line(struct lines *l, const struct line *key, const char *function, bool is_self)
{
	struct line **at = tsearch(key, &l->tree, by_place), *line;

	if (!at)
		syt_die_of_memory(1, sizeof(*line));
	if (*at == key) {
		*at = syt_calloc(1, sizeof(*line));
		**at = *key;
		(*at)->build = syt_asprintf("%s", key->build);
		(*at)->file = key->file ? syt_asprintf("%s", key->file) : NULL;
		(*at)->functions = syt_asprintf("%s", function);
		*SYT_ADD(l->all, l->nr, l->room) = *at;
	}
	line = *at;
	if (!has_name(line->functions, function)) {
		char *functions = syt_asprintf("%s;%s", line->functions, function);

		free(line->functions);
		line->functions = functions;
	}
	for (int n = 0; n < NR_AMOUNTS; n++) {
		line->self_ns[n] += is_self ? l->ns[n] : 0;
		line->total_ns[n] += line->last != l->nr_paths ? l->ns[n] : 0;
	}
	line->last = l->nr_paths;
}

/* Adds the lines of a frame to the present call path. */
static void add_frame(struct lines *l, const struct syt_path_frame *f, bool is_innermost)
{
	char *function = syt_strndup(f->function, f->bytes);

	for (size_t n = 0; n < f->nr; n++) {
		const struct syt_line *at = &f->lines[n];
		const struct line key = {
			.build = (char *)(uintptr_t)f->build, .file = at->file, .line = at->line};

		add_line(l, &key, at->inlined ? at->inlined : function, is_innermost && !n);
	}
	if (!f->nr) {
		const struct line key = {.build = (char *)(uintptr_t)f->build,
		                         .functions = function};

		add_line(l, &key, function, is_innermost);
	}
	free(function);
}

/* Sums the waits that Q selects by line. */
static int sum_lines(struct lines *l, struct syt_fleet_store *s, const struct syt_fleet_query *q)
{
	struct syt_frames *f = syt_frames_open(s, q);
	struct syt_store_rows t;
	int status;

	if (!f)
		return -1;
	status = syt_sums_ask_facts(&t, s, q, "stack," SYT_SUMS_PATH, syt_query_waits(q), false);
	while (!status && (status = syt_store_next(&t)) > 0) {
		const struct syt_path_frame *frames;
		int nr = syt_frames_find(f, t.cells[0].integer, t.cells[1].text, &frames);

		l->nr_paths++;
		l->ns[OF_FLEET] = syt_sums_number(&t, 2);
		l->ns[RECORDED] = syt_sums_number(&t, 6);
		for (int n = 0; n < nr; n++)
			add_frame(l, &frames[n], !n);
		status = nr < 0 ? -1 : 0;
	}
	syt_store_done(&t);
	syt_frames_close(f);
	return status;
}

static void put_ns(struct syt_fleet_rows *r, const struct syt_fleet_query *q, const char *key,
                   double ns)
{
	syt_row_number(r, key, q->is_json ? ns : ns / 1e9);
}

static void put_line(struct syt_fleet_rows *r, const struct syt_fleet_query *q,
                     const struct line *l)
{
	char *place = l->file ? syt_asprintf("%s:%" PRIu32, l->file, l->line) : NULL;

	syt_row_begin(r);
	syt_row_text(r, "file", q->is_json ? l->file : place);
	if (q->is_json)
		syt_row_integer(r, "line", l->line);
	syt_row_text(r, "functions", l->functions);
	put_ns(r, q, "self_ns", l->self_ns[RECORDED]);
	put_ns(r, q, "total_ns", l->total_ns[RECORDED]);
	put_ns(r, q, "self_fleet_ns", l->self_ns[OF_FLEET]);
	put_ns(r, q, "total_fleet_ns", l->total_ns[OF_FLEET]);
	syt_row_text(r, "build", l->build);
	syt_row_end(r);
	free(place);
}

static void free_line(void *line)
{
	struct line *l = line;

	free(l->build);
	free(l->file);
	free(l->functions);
	free(l);
}

int syt_answer_lines(struct syt_fleet_store *s, const struct syt_fleet_query *q,
                     struct syt_out *out)
{
	static const char *const titles[] = {"LINE",     "FUNCTIONS",      ">SELF s",
	                                     ">TOTAL s", ">SELF OF FLEET", ">TOTAL OF FLEET",
	                                     "BUILD"};
	struct lines l = {.tree = NULL};
	struct syt_fleet_rows r;
	int status = sum_lines(&l, s, q);

	if (!status) {
		if (l.nr)
			qsort(l.all, l.nr, sizeof(*l.all), largest_first);
		syt_rows_begin(&r, out, q->is_json, "line", titles, 7);
		for (size_t n = 0; n < l.nr && (!q->limit || n < q->limit); n++)
			put_line(&r, q, l.all[n]);
		syt_rows_end(&r);
	}
	tdestroy(l.tree, free_line);
	free(l.all);
	return status;
}
