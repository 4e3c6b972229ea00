/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The part of the report critical-path in diagnose and in the HTML page. */
#include "base/store.h"
#include "decoder/html/write.h"
#include "decoder/report/critical_path/view.h"

#define MOST_SEGMENTS 3000u

static void put_what(struct syt_html *h, const struct syt_path_segment *s)
{
	switch ((enum syt_path_kind)s->kind) {
	case SYT_PATH_RUNNING:
		syt_out_string(&h->words, "ran");
		break;
	case SYT_PATH_CALL:
		syt_out_string(&h->words, "was in a call");
		break;
	case SYT_PATH_HANDOVER:
		syt_out_printf(
			&h->words, "handed over by %s",
			syt_edge_kind_text((enum syt_edge_kind)h->order->edges.all[s->edge].kind));
		if (s->flags & SYT_PATH_CHOICE)
			syt_out_string(&h->words, ", one of several");
		break;
	default:
		syt_out_string(&h->words, "not known");
		break;
	}
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
	put_what(h, s);
	syt_json_u64(&h->j, "stack",
	             s->kind == SYT_PATH_UNKNOWN
	                     ? 0
	                     : syt_html_stack(h, syt_label_side(h->labels, s->at)));
	syt_json_end(&h->j);
}

/* The longest segments, in the order of time. */
static void put_segments(struct syt_html *h, const struct syt_path *p)
{
	struct syt_longest longest;
	struct syt_html_span *all;
	uint64_t nr;

	syt_longest_open(&longest, MOST_SEGMENTS);
	for (uint64_t n = 0; n < p->nr; n++)
		syt_longest_add(&longest, (struct syt_html_span){.from = p->all[n].from,
		                                                 .to = p->all[n].to,
		                                                 .thread = (uint32_t)(n >> 32),
		                                                 .row = (uint32_t)n});
	all = syt_longest_take(&longest, &nr);
	for (uint64_t n = 0; n < nr; n++)
		put_segment(h, &p->all[(uint64_t)all[n].thread << 32 | all[n].row]);
	syt_store_free(all);
}

static void headline(struct syt_out *out, const struct syt_view *v)
{
	syt_path_headline(out, v->report);
}

static void findings(struct syt_out *out, const struct syt_view *v)
{
	syt_path_findings(out, v->report);
}

static void write_finding(struct syt_finding *f, const struct syt_view *of, bool is_unwrapped,
                          const struct syt_path *p, struct syt_place to)
{
	struct syt_path_sum sum;
	struct syt_path_view path_view = {.path = p,
	                                  .sum = &sum,
	                                  .labels = of->labels,
	                                  .symbols = of->symbols,
	                                  .from = {SYT_NONE, 0},
	                                  .to = to};
	struct syt_view v = *of;

	syt_path_sum_open(&sum, p, of->labels, of->symbols);
	v.report = &path_view;
	f->tone = SYT_TONE_NOTE;
	syt_finding_write(f, &v, is_unwrapped, headline, findings);
	syt_path_sum_close(&sum);
}

void syt_path_find(const struct syt_view *v, struct syt_finding *f, struct syt_html *page)
{
	const struct syt_places *places = &v->order->places;
	struct syt_place first, last;
	struct syt_path p;

	if (!syt_path_ends(places, &first, &last) ||
	    syt_path_open(&p, v->order, syt_place_row(places, first)->in, last)) {
		if (page)
			syt_json_null(&page->j, "critical");
		return;
	}
	write_finding(f, v, page || v->is_json, &p, last);
	if (page) {
		syt_json_begin(&page->j, "critical", '[');
		put_segments(page, &p);
		syt_json_end(&page->j);
	}
	syt_path_close(&p);
}
