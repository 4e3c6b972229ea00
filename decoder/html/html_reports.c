/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* What the reports say, in their own words, and as tables and pictures. */
#include <inttypes.h>
#include <stdlib.h>

#include "decoder/base/store.h"
#include "decoder/html/html_write.h"
#include "decoder/report/contention/contention.h"
#include "decoder/analysis/path_sum.h"
#include "decoder/report/waits/waits.h"
#include "decoder/report/contention/view.h"
#include "decoder/report/critical_path/view.h"
#include "decoder/report/waits/view.h"

#define MOST_SEGMENTS 3000u
#define MOST_LOCKS 200u
#define MOST_BLAMES 100u /* of a lock */
#define MOST_GROUPS 500u

/* ---- the critical path ---- */

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

void syt_html_put_path(struct syt_html *h)
{
	struct syt_place first, last;
	struct syt_path p;

	if (!syt_path_ends(&h->order->places, &first, &last) ||
	    syt_path_open(&p, h->order, syt_place_row(&h->order->places, first)->in, last)) {
		syt_json_null(&h->j, "critical");
		return;
	}
	syt_json_begin(&h->j, "critical", '[');
	put_segments(h, &p);
	syt_json_end(&h->j);
	syt_html_find(h, "critical", syt_finding_of_path(&p, last, h->labels, h->symbols, false));
	syt_path_close(&p);
}

/* ---- contention ---- */

static void put_blame(struct syt_html *h, const struct syt_contention_blame *b)
{
	uint32_t holder = b->blame.side != SYT_NONE ? b->blame.side : b->blame.direct;

	syt_json_begin(&h->j, NULL, '{');
	syt_json_u64(&h->j, "time", SYT_TIME_NS(b->blame.time));
	syt_json_u64(&h->j, "waits", b->nr_waits);
	syt_json_u64(&h->j, "waiter", syt_html_stack(h, b->waiter));
	syt_json_u64(&h->j, "holder", syt_html_stack(h, holder));
	syt_json_string(&h->j, "text", syt_blame_text((enum syt_blame_kind)b->blame.kind));
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

void syt_html_put_contention(struct syt_html *h)
{
	struct syt_contention c;

	syt_contention_open(&c, h->order, h->labels);
	syt_json_begin(&h->j, "contention", '[');
	for (size_t n = 0; n < c.nr_locks && n < MOST_LOCKS; n++)
		put_lock(h, &c.locks[n]);
	syt_json_end(&h->j);
	syt_html_find(h, "contention", syt_finding_of_contention(&c, h->symbols, false));
	syt_contention_close(&c);
}

/* ---- waits ---- */

static void put_group(struct syt_html *h, const struct syt_waits_group *g)
{
	enum syt_waits_reason reason = (enum syt_waits_reason)g->reason;

	syt_json_begin(&h->j, NULL, '{');
	syt_html_put_thread(h, "thread", g->thread);
	syt_json_u64(&h->j, "threads", g->nr_threads);
	syt_json_u64(&h->j, "waits", g->nr);
	syt_json_u64(&h->j, "time", SYT_TIME_NS(g->time));
	syt_json_string(&h->j, "what", syt_waits_kind_text((enum syt_waits_kind)g->kind));
	syt_json_string(&h->j, "verdict", syt_waits_class_word(syt_waits_class(reason)));
	syt_json_string(&h->j, "why", syt_waits_reason_text(reason));
	syt_json_u64(&h->j, "stack", syt_html_stack(h, g->waiter));
	syt_json_u64(&h->j, "by", syt_html_stack(h, g->ender));
	syt_json_u64(&h->j, "culprit", syt_html_stack(h, g->culprit));
	syt_json_end(&h->j);
}

void syt_html_put_waits(struct syt_html *h)
{
	struct syt_waits w;

	syt_waits_open(&w, h->order, h->labels, NULL);
	syt_json_begin(&h->j, "waits", '[');
	for (size_t n = 0; n < w.nr_groups && n < MOST_GROUPS; n++)
		put_group(h, &w.groups[n]);
	syt_json_end(&h->j);
	syt_html_find(h, "waits", syt_finding_of_waits(&w, h->symbols, false));
	syt_waits_close(&w);
}
