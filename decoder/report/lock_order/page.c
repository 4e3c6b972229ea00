/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Writes the part of the report lock-order in diagnose and in the HTML page. */

#include "decoder/html/write.h"
#include "decoder/report/lock_order/view.h"

#define MOST_CYCLES 50u
#define MOST_FINDINGS 3u /* maximum number of findings in diagnose */
#define MOST_STEPS 64u

static void begin(struct syt_html *h, const char *tone)
{
	syt_json_begin(&h->j, NULL, '{');
	syt_html_put_words(h, "title");
	syt_json_string(&h->j, "tone", tone);
	syt_json_begin(&h->j, "steps", '[');
}

static void end(struct syt_html *h)
{
	syt_json_end(&h->j);
	syt_json_end(&h->j);
}

static void words_lock(struct syt_html *h, const struct syt_lock_order *l, uint32_t object)
{
	syt_html_words_object(h, object);
	if (syt_lockset_infers(&l->locks, object))
		syt_out_string(&h->words, ", used as a lock");
}

/* ---- cycles ---- */

/* Writes the threads for which the thread of the arc waited. */
static void put_hops(struct syt_html *h, const struct syt_lock_order_arc *a, uint32_t instance)
{
	syt_json_begin(&h->j, "through", '[');
	for (uint32_t i = 0; a->remote && i < a->remote->nr; i++) {
		const struct syt_lock_order_hop *hop = &a->remote->instances[instance][i];

		syt_json_begin(&h->j, NULL, '{');
		syt_html_put_thread(h, "thread", hop->send.thread);
		syt_json_u64(&h->j, "waitStack",
		             syt_html_stack(h, syt_label_side(h->labels, hop->wait)));
		syt_json_u64(&h->j, "sendStack",
		             syt_html_stack(h, syt_label_side(h->labels, hop->send)));
		syt_json_end(&h->j);
	}
	syt_json_end(&h->j);
}

static void put_arc(struct syt_html *h, const struct syt_lock_order *l,
                    const struct syt_lock_order_arc *a, uint32_t instance)
{
	syt_json_begin(&h->j, NULL, '{');
	syt_html_put_thread(h, "thread", a->thread);
	words_lock(h, l, a->from);
	syt_html_put_words(h, "had");
	put_hops(h, a, instance);
	if (a->remote)
		syt_json_string(&h->j, "verb",
		                a->to_is_shared ? "which took to read before that"
		                                : "which took before that");
	else
		syt_json_string(&h->j, "verb", a->to_is_shared ? "took to read" : "took");
	words_lock(h, l, a->to);
	syt_html_put_words(h, "took");
	syt_json_u64(&h->j, "hadStack",
	             syt_html_stack(h, syt_label_side(h->labels, a->instances[instance].from)));
	syt_json_u64(&h->j, "tookStack",
	             syt_html_stack(h, syt_label_side(h->labels, a->instances[instance].to)));
	syt_json_end(&h->j);
}

static void put_cycle(struct syt_html *h, const struct syt_view *v, const struct syt_lock_order *l,
                      const struct syt_lock_order_cycle *c)
{
	syt_lock_order_put_cycle(&h->words, v, c);
	begin(h, "bad");
	for (uint32_t n = 0; n < c->length; n++)
		put_arc(h, l, &l->arcs[c->arcs[n]], c->instances[n]);
	end(h);
}

/* ---- deadlocks ---- */

/* Returns the object for which the call C waits; SYT_NONE: it waits for the end of a thread. */
static uint32_t wanted_by(const struct syt_blocked_call *c)
{
	return c->object2 != SYT_NONE ? c->object2 : c->object;
}

/* Returns a lock that THREAD holds: the lock WANTED, if it holds this, otherwise any; NULL: none is known. */
static const struct syt_lock_order_kept *kept_by(const struct syt_lock_order *l, uint32_t thread,
                                                 uint32_t wanted)
{
	const struct syt_lock_order_kept *any = NULL;

	for (size_t n = 0; n < l->nr_kept; n++) {
		if (l->kept[n].thread != thread)
			continue;
		if (l->kept[n].object == wanted)
			return &l->kept[n];
		any = any ? any : &l->kept[n];
	}
	return any;
}

static void put_deadlocked(struct syt_html *h, const struct syt_lock_order *l,
                           const struct syt_blocked_call *c, uint32_t wanted)
{
	const struct syt_thread *t = h->order->places.threads[c->thread];
	const struct syt_lock_order_kept *k = kept_by(l, c->thread, wanted);
	struct syt_label_key key = {t->waiting.call, t->waiting.stack};
	uint32_t image = syt_place_image_idx(&h->order->places, (struct syt_place){c->thread, 0});
	uint32_t object = wanted_by(c);

	syt_json_begin(&h->j, NULL, '{');
	syt_html_put_thread(h, "thread", c->thread);
	if (k)
		words_lock(h, l, k->object);
	else
		syt_out_string(&h->words, "the object of the other waits");
	syt_html_put_words(h, "had");
	syt_json_string(&h->j, "verb", "waits for");
	if (object != SYT_NONE)
		words_lock(h, l, object);
	else
		syt_out_string(&h->words, "the end of a thread");
	syt_html_put_words(h, "took");
	syt_json_u64(&h->j, "hadStack",
	             k ? syt_html_stack(h, syt_label_side(h->labels, k->acquire)) : 0);
	syt_json_u64(&h->j, "tookStack",
	             syt_html_stack(h, syt_label_side_of(h->labels, image, key)));
	syt_json_end(&h->j);
}

static void put_deadlock(struct syt_html *h, const struct syt_lock_order *l,
                         const struct syt_blocked_group *g)
{
	const struct syt_blocked_call *calls = l->blocked.calls;

	syt_lock_order_put_deadlock(&h->words, g);
	begin(h, "bad");
	for (uint32_t n = 0; n < g->nr_core && n < MOST_STEPS; n++)
		put_deadlocked(h, l, &calls[g->calls[n]],
		               wanted_by(&calls[g->calls[n ? n - 1 : g->nr_core - 1]]));
	end(h);
}

/* ---- the finding ---- */

static void put_lock_order(struct syt_html *h, const struct syt_view *v,
                           const struct syt_lock_order *l)
{
	syt_json_begin(&h->j, "lockorder", '[');
	for (size_t n = 0; n < l->blocked.nr_groups && n < MOST_CYCLES; n++)
		if (l->blocked.groups[n].is_cycle)
			put_deadlock(h, l, &l->blocked.groups[n]);
	for (size_t n = 0; n < l->nr_cycles && n < MOST_CYCLES; n++) {
		if (l->cycles[n].verdict != SYT_VERDICT_POSSIBLE)
			break; /* cycles are sorted by verdict, the worst first */
		put_cycle(h, v, l, &l->cycles[n]);
	}
	syt_json_end(&h->j);
}

void syt_lock_order_find(const struct syt_view *of, struct syt_finding *f, struct syt_html *page)
{
	struct syt_lock_order l;
	/* the HTML page draws the steps itself */
	struct syt_lock_order_report r = {.l = &l, .has_no_steps = page != NULL};
	struct syt_view v = *of;

	syt_lock_order_open(&l, v.order, v.labels);
	v.report = &r;
	v.limit = MOST_FINDINGS;
	f->tone = SYT_TONE_GOOD;
	if (syt_lock_order_is_defect(&l))
		f->tone = SYT_TONE_BAD;
	else if (l.is_cut || (l.nr_cycles && l.cycles[0].verdict == SYT_VERDICT_UNCHECKED))
		f->tone = SYT_TONE_NOTE;
	f->is_defect = f->tone == SYT_TONE_BAD;
	syt_finding_write(f, &v, page || v.is_json, syt_lock_order_headline,
	                  syt_lock_order_findings);
	if (page)
		put_lock_order(page, &v, &l);
	syt_lock_order_close(&l);
}
