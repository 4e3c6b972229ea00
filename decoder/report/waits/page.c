/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Writes the part of the report waits in diagnose and in the HTML page. */
#include "decoder/html/write.h"
#include "decoder/report/waits/waits.h"

#define MOST_GROUPS 500u

static void put_group(struct syt_html *h, const struct syt_waits_group *g)
{
	enum syt_waits_reason reason = g->reason;

	syt_json_begin(&h->j, NULL, '{');
	syt_html_put_thread(h, "thread", g->thread);
	syt_json_u64(&h->j, "threads", g->nr_threads);
	syt_json_u64(&h->j, "waits", g->nr);
	syt_json_u64(&h->j, "time", SYT_TIME_NS(g->time));
	syt_json_string(&h->j, "what", syt_waits_kinds[g->kind].text);
	syt_json_string(&h->j, "verdict", syt_waits_classes[syt_waits_reasons[reason].class]);
	syt_json_string(&h->j, "why", syt_waits_reasons[reason].text);
	syt_json_u64(&h->j, "stack", syt_html_stack(h, g->waiter));
	syt_json_u64(&h->j, "by", syt_html_stack(h, g->ender));
	syt_json_u64(&h->j, "culprit", syt_html_stack(h, g->culprit));
	syt_json_end(&h->j);
}

static bool stands_out(const struct syt_waits *w)
{
	for (size_t n = 0; n < w->nr_paths; n++)
		if (syt_waits_stands_out(&w->paths[n], SYT_WAITS_LEAST))
			return true;
	return false;
}

void syt_waits_find(const struct syt_view *of, struct syt_finding *f, struct syt_html *page)
{
	struct syt_waits w;
	struct syt_view v = *of;

	syt_waits_open(&w, v.blamer, NULL);
	v.report = &w;
	v.limit = SYT_FINDING_SENTENCES;
	v.least_thousandths = SYT_WAITS_LEAST;
	f->tone = stands_out(&w) ? SYT_TONE_BAD : SYT_TONE_GOOD;
	syt_finding_write(f, &v, page || v.is_json, syt_waits_headline, syt_waits_findings);
	if (page) {
		syt_json_begin(&page->j, "waits", '[');
		for (size_t n = 0; n < w.nr_groups && n < MOST_GROUPS; n++)
			put_group(page, &w.groups[n]);
		syt_json_end(&page->j);
	}
	syt_waits_close(&w);
}
