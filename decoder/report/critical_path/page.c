/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The part of the report critical-path in diagnose and in the HTML page. */
#include "decoder/html/write.h"
#include "decoder/report/critical_path/view.h"

#define MOST_SEGMENTS 3000u

static void put_activity(struct syt_html *h, const struct syt_path_segment *s)
{
	if (s->kind == SYT_PATH_HANDOVER)
		syt_out_printf(&h->words, "hand-off by %s",
		               syt_edge_kind_text(h->order->edges.all[s->edge].kind));
	else
		syt_out_string(&h->words, s->kind == SYT_PATH_RUNNING ? "ran"
		                          : s->kind == SYT_PATH_CALL  ? "in a call"
		                                                      : "unknown");
	if (s->kind == SYT_PATH_HANDOVER && s->flags & SYT_PATH_CHOICE)
		syt_out_string(&h->words, ", one of several possible");
	syt_html_put_words(h, "text");
}

static void put_segment(struct syt_html *h, const struct syt_path_segment *s)
{
	uint64_t at = syt_html_at(h, s->from);
	uint32_t row = h->row_of[s->at.thread];

	syt_json_begin(&h->j, NULL, '{');
	syt_json_i64(&h->j, "thread", row == SYT_NONE ? -1 : (int64_t)row);
	syt_json_u64(&h->j, "at", at);
	syt_json_u64(&h->j, "length", syt_html_at(h, s->to) - at);
	put_activity(h, s);
	syt_json_u64(&h->j, "stack",
	             s->kind == SYT_PATH_UNKNOWN
	                     ? 0
	                     : syt_html_stack(h, syt_label_side(h->labels, s->at)));
	syt_json_end(&h->j);
}

static void put_segments(struct syt_html *h, const struct syt_path *p)
{
	uint64_t nr;
	struct syt_html_span *all = syt_path_longest(p, MOST_SEGMENTS, &nr);

	for (uint64_t n = 0; n < nr; n++)
		put_segment(h, &p->all[syt_path_segment_number(&all[n])]);
	syt_store_free(all);
}

void syt_path_find(const struct syt_view *of, struct syt_finding *f, struct syt_html *page)
{
	const struct syt_places *places = &of->order->places;
	struct syt_path_report r = {.from = {SYT_NONE, 0}};
	struct syt_view v = *of;
	struct syt_place first;

	if (!syt_path_ends(places, &first, &r.to) ||
	    !syt_path_report_open(&r, of, syt_place_row(places, first)->in)) {
		if (page)
			syt_json_null(&page->j, "critical");
		return;
	}
	v.report = &r;
	f->tone = SYT_TONE_NOTE;
	syt_finding_write(f, &v, page || v.is_json, syt_path_headline, syt_path_findings);
	if (page) {
		syt_json_begin(&page->j, "critical", '[');
		put_segments(page, &r.path);
		syt_json_end(&page->j);
	}
	syt_path_report_close(&r);
}
