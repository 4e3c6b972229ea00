/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/report/diagnose/finding.h"

#include <stdlib.h>

#include "decoder/report/contention/view.h"
#include "decoder/report/lock_order/view.h"
#include "decoder/report/critical_path/view.h"
#include "decoder/report/waits/view.h"

#define MOST_SENTENCES 5u
#define MOST_CIRCLES 3u
/* as the verbs have them by default */
#define LEAST_CONTENTION 10u /* thousandths of the threads' time */
#define LEAST_WAITS 100u

struct syt_finding syt_finding_of_path(const struct syt_path *p, struct syt_place to,
                                       struct syt_labels *labels, struct syt_symbols *symbols,
                                       bool has_colors)
{
	struct syt_finding f = {
		.verb = "critical-path", .title = "What determined the end", .tone = SYT_TONE_NOTE};
	struct syt_path_sum sum;
	struct syt_path_view v = {.path = p,
	                          .sum = &sum,
	                          .labels = labels,
	                          .symbols = symbols,
	                          .from = {SYT_NONE, 0},
	                          .to = to};
	struct syt_out words;

	syt_out_open(&words, -1, has_colors);
	syt_path_sum_open(&sum, p, labels, symbols);
	syt_path_headline(&words, &v);
	f.headline = syt_out_take(&words);
	syt_path_findings(&words, &v);
	f.text = syt_out_take(&words);
	syt_path_sum_close(&sum);
	free(words.buffer);
	return f;
}

/* ---- contention ---- */

static bool has_contention(const struct syt_contention *c)
{
	for (size_t n = 0; n < c->nr_herds; n++)
		if (syt_contention_is_herd(&c->herds[n]))
			return true;
	for (size_t n = 0; n < c->nr_locks; n++)
		if (syt_contention_stands_out(&c->locks[n], LEAST_CONTENTION))
			return true;
	return false;
}

struct syt_finding syt_finding_of_contention(const struct syt_contention *c,
                                             struct syt_symbols *symbols, bool has_colors)
{
	struct syt_finding f = {.verb = "contention",
	                        .title = "Who waited for which lock",
	                        .tone = has_contention(c) ? SYT_TONE_BAD : SYT_TONE_GOOD};
	struct syt_contention_view v = {
		.limit = MOST_SENTENCES, .least_thousandths = LEAST_CONTENTION, .symbols = symbols};
	struct syt_out words;

	syt_out_open(&words, -1, has_colors);
	syt_contention_headline(&words, c);
	f.headline = syt_out_take(&words);
	syt_contention_findings(&words, c, &v);
	f.text = syt_out_take(&words);
	free(words.buffer);
	return f;
}

/* ---- waits ---- */

static bool has_waits(const struct syt_waits *w)
{
	for (size_t n = 0; n < w->nr_paths; n++)
		if (syt_waits_stands_out(&w->paths[n], LEAST_WAITS))
			return true;
	return false;
}

struct syt_finding syt_finding_of_waits(const struct syt_waits *w, struct syt_symbols *symbols,
                                        bool has_colors)
{
	struct syt_finding f = {.verb = "waits",
	                        .title = "Where the time went",
	                        .tone = has_waits(w) ? SYT_TONE_BAD : SYT_TONE_GOOD};
	struct syt_waits_view v = {
		.limit = MOST_SENTENCES, .least_thousandths = LEAST_WAITS, .symbols = symbols};
	struct syt_out words;

	syt_out_open(&words, -1, has_colors);
	syt_waits_headline(&words, w);
	f.headline = syt_out_take(&words);
	syt_waits_findings(&words, w, &v);
	f.text = syt_out_take(&words);
	free(words.buffer);
	return f;
}

/* ---- the order of locks ---- */

struct syt_finding syt_finding_of_lock_order(const struct syt_lock_order *l,
                                             struct syt_symbols *symbols, bool has_steps,
                                             bool has_colors)
{
	struct syt_finding f = {.verb = "lock-order",
	                        .title = "Whether the order of locks can end in a deadlock",
	                        .tone = SYT_TONE_GOOD};
	struct syt_lock_order_view v = {
		.limit = MOST_CIRCLES, .has_no_steps = !has_steps, .symbols = symbols};
	struct syt_out words;

	if (l->nr_deadlocks || (l->nr_cycles && l->cycles[0].verdict == SYT_VERDICT_POSSIBLE))
		f.tone = SYT_TONE_BAD;
	else if (l->is_cut || (l->nr_cycles && l->cycles[0].verdict == SYT_VERDICT_UNCHECKED))
		f.tone = SYT_TONE_NOTE;
	syt_out_open(&words, -1, has_colors);
	syt_lock_order_headline(&words, l);
	f.headline = syt_out_take(&words);
	syt_lock_order_findings(&words, l, &v);
	f.text = syt_out_take(&words);
	free(words.buffer);
	return f;
}

/* ---- any ---- */

void syt_finding_free(struct syt_finding *f)
{
	free(f->headline);
	free(f->text);
}

void syt_finding_json(struct syt_json *j, const struct syt_finding *f)
{
	static const char *const tones[] = {
		[SYT_TONE_BAD] = "bad", [SYT_TONE_NOTE] = "note", [SYT_TONE_GOOD] = "good"};

	syt_json_string(j, "report", f->verb);
	syt_json_string(j, "title", f->title);
	syt_json_string(j, "tone", tones[f->tone]);
	syt_json_string(j, "headline", f->headline);
	syt_json_string(j, "text", f->text);
}
