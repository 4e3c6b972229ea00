/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The part of the report contention in diagnose and in the HTML page. */
#include "decoder/html/write.h"
#include "decoder/report/contention/contention.h"

#define MOST_LOCKS 200u
#define MOST_BLAMES 100u /* maximum number of causes of waits in the page for each lock */

static void put_blame(struct syt_html *h, const struct syt_contention_blame *b)
{
	uint32_t holder = b->blame.side != SYT_NONE ? b->blame.side : b->blame.direct;

	syt_json_begin(&h->j, NULL, '{');
	syt_json_u64(&h->j, "time", SYT_TIME_NS(b->blame.time));
	syt_json_u64(&h->j, "waits", b->nr_waits);
	syt_json_u64(&h->j, "waiter", syt_html_stack(h, b->waiter));
	syt_json_u64(&h->j, "holder", syt_html_stack(h, holder));
	syt_json_string(&h->j, "text", syt_blame_text(b->blame.kind));
	syt_json_end(&h->j);
}

static void put_lock(struct syt_html *h, const struct syt_contention_lock *l)
{
	syt_json_begin(&h->j, NULL, '{');
	syt_html_words_object(h, l->object);
	if (l->is_inferred)
		syt_out_string(&h->words, ", used as a lock");
	syt_html_put_words(h, "object");
	syt_json_u64(&h->j, "wait", SYT_TIME_NS(l->wait.total));
	syt_json_u64(&h->j, "waits", l->wait.nr);
	syt_json_u64(&h->j, "hold", SYT_TIME_NS(l->hold.total));
	syt_json_u64(&h->j, "acquired", l->nr_acquired);
	syt_json_bool(&h->j, "isConvoy", syt_contention_is_convoy(l));
	syt_json_begin(&h->j, "blames", '[');
	for (size_t n = 0; n < l->nr_blames && n < MOST_BLAMES; n++)
		put_blame(h, &l->blames[n]);
	syt_json_end(&h->j);
	syt_json_end(&h->j);
}

static bool stands_out(const struct syt_contention *c)
{
	for (size_t n = 0; n < c->nr_herds; n++)
		if (syt_contention_is_herd(&c->herds[n]))
			return true;
	for (size_t n = 0; n < c->nr_locks; n++)
		if (syt_contention_stands_out(&c->locks[n], SYT_CONTENTION_LEAST))
			return true;
	return false;
}

void syt_contention_find(const struct syt_view *of, struct syt_finding *f, struct syt_html *page)
{
	struct syt_contention c;
	struct syt_view v = *of;

	syt_contention_open(&c, v.blamer);
	if (v.causes)
		syt_contention_add_causes(v.causes, &c);
	v.report = &c;
	v.limit = SYT_FINDING_SENTENCES;
	v.least_thousandths = SYT_CONTENTION_LEAST;
	f->tone = stands_out(&c) ? SYT_TONE_BAD : SYT_TONE_GOOD;
	syt_finding_write(f, &v, page || v.is_json, syt_contention_headline,
	                  syt_contention_findings);
	if (page) {
		syt_json_begin(&page->j, "contention", '[');
		for (size_t n = 0; n < c.nr_locks && n < MOST_LOCKS; n++)
			put_lock(page, &c.locks[n]);
		syt_json_end(&page->j);
	}
	syt_contention_close(&c);
}
