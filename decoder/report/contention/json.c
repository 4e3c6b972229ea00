/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The members are a contract: add, never rename. */
#include "decoder/base/json.h"
#include "decoder/read/call.h"
#include "decoder/report/contention/view.h"
#include "decoder/show/coverage_print.h"
#include "decoder/show/place_json.h"

static void object(struct syt_json *j, const struct syt_contention *c, const char *key,
                   uint32_t number)
{
	char text[SYT_OBJECT_TEXT];

	if (number == SYT_NONE) {
		syt_json_null(j, key);
		return;
	}
	syt_object_text(c->order->objects.all[number].info, text, sizeof(text));
	syt_json_string(j, key, text);
}

static void owner(struct syt_json *j, const struct syt_contention *c, uint32_t number)
{
	const struct syt_object *o = &c->order->objects.all[number];

	syt_json_u64(j, "process", c->order->places.trace->images[o->image].index);
	object(j, c, "object", number);
	if (o->info->name)
		syt_json_string(j, "name", o->info->name);
}

static void spread(struct syt_json *j, const char *key, const struct syt_spread *s)
{
	syt_json_begin(j, key, '{');
	syt_json_u64(j, "count", s->nr);
	syt_json_u64(j, "total_ns", SYT_TIME_NS(s->total));
	syt_json_u64(j, "mean_ns", syt_spread_mean_ns(s));
	syt_json_u64(j, "p50_ns", SYT_TIME_NS(s->p50));
	syt_json_u64(j, "p99_ns", SYT_TIME_NS(s->p99));
	syt_json_u64(j, "max_ns", SYT_TIME_NS(s->max));
	syt_json_end(j);
}

static void kinds(struct syt_json *j, const syt_time *by_kind)
{
	syt_json_begin(j, "charged_ns", '{');
	for (unsigned k = 0; k < SYT_NR_BLAMES; k++)
		syt_json_u64(j, syt_blame_word((enum syt_blame_kind)k), SYT_TIME_NS(by_kind[k]));
	syt_json_end(j);
}

static const char *state_word(enum syt_holdings_state state)
{
	return state == SYT_HOLDINGS_FOREIGN     ? "foreign"
	       : state == SYT_HOLDINGS_PRESHARED ? "preshared"
	                                         : "known";
}

static void json_lock(struct syt_json *j, const struct syt_contention *c,
                      const struct syt_contention_view *v, const struct syt_contention_lock *l)
{
	syt_json_begin_line(j, "lock");
	owner(j, c, l->object);
	syt_json_string(j, "holders", state_word(l->state));
	syt_json_bool(j, "inferred", l->is_inferred);
	syt_json_u64(j, "threads", l->nr_threads);
	syt_json_u64(j, "waiting_threads", l->nr_waiters);
	syt_json_u64(j, "acquired", l->nr_acquired);
	syt_json_u64(j, "busy", l->nr_busy);
	syt_json_u64(j, "given_up", l->nr_given_up);
	syt_json_u64(j, "untold", l->nr_untold);
	syt_json_u64(j, "unended", l->nr_unended);
	spread(j, "wait", &l->wait);
	spread(j, "hold", &l->hold);
	kinds(j, l->by_kind);
	syt_json_u64(j, "lifetime_ns", SYT_TIME_NS(l->lifetime));
	syt_json_u64(j, "releases", l->nr_releases);
	syt_json_u64(j, "queued", l->nr_queued);
	syt_json_u64(j, "crowded", l->nr_crowded);
	syt_json_bool(j, "convoy", syt_contention_is_convoy(l));
	syt_json_bool(j, "stands_out", syt_contention_stands_out(l, v->least_thousandths));
	syt_json_end_line(j);
}

static void json_path(struct syt_json *j, const struct syt_contention *c,
                      const struct syt_contention_view *v, const struct syt_contention_lock *l,
                      const struct syt_contention_path *p)
{
	syt_json_begin_line(j, "path");
	owner(j, c, l->object);
	syt_json_side(j, "path", c->labels, p->side);
	syt_json_u64(j, "acquired", p->nr_acquired);
	spread(j, "wait", &p->wait);
	spread(j, "hold", &p->hold);
	syt_json_place(j, "example", &c->order->places, p->at);
	if (v->has_stacks)
		syt_json_place_stack(j, "stack", v->symbols, &c->order->places, p->at);
	syt_json_end_line(j);
}

static void json_blame(struct syt_json *j, const struct syt_contention *c,
                       const struct syt_contention_view *v, const struct syt_contention_lock *l,
                       const struct syt_contention_blame *b)
{
	syt_json_begin_line(j, "blame");
	owner(j, c, l->object);
	syt_json_string(j, "kind", syt_blame_word((enum syt_blame_kind)b->blame.kind));
	syt_json_bool(j, "passed_on", b->blame.is_passed_on);
	syt_json_u64(j, "wait_ns", SYT_TIME_NS(b->blame.time));
	syt_json_u64(j, "waits", b->nr_waits);
	syt_json_side(j, "waiter", c->labels, b->waiter);
	syt_json_side(j, "holder", c->labels, b->blame.direct);
	syt_json_side(j, "culprit", c->labels, b->blame.side);
	object(j, c, "through", b->blame.object);
	syt_json_place(j, "wait", &c->order->places, b->wait);
	syt_json_place(j, "culprit_event", &c->order->places, b->blame.at);
	if (v->has_stacks)
		syt_json_place_stack(j, "waiter_stack", v->symbols, &c->order->places, b->wait);
	if (v->has_stacks)
		syt_json_place_stack(j, "culprit_stack", v->symbols, &c->order->places,
		                     b->blame.at);
	syt_json_end_line(j);
}

static void json_herd(struct syt_json *j, const struct syt_contention *c,
                      const struct syt_contention_view *v, const struct syt_contention_herd *h)
{
	syt_json_begin_line(j, "herd");
	owner(j, c, h->object);
	syt_json_side(j, "path", c->labels, h->side);
	syt_json_u64(j, "broadcasts", h->nr_broadcasts);
	syt_json_u64(j, "woken", h->nr_woken);
	syt_json_u64(j, "in_vain", h->nr_in_vain);
	syt_json_u64(j, "most", h->most);
	syt_json_bool(j, "stands_out", syt_contention_is_herd(h));
	syt_json_place(j, "example", &c->order->places, h->at);
	if (v->has_stacks)
		syt_json_place_stack(j, "stack", v->symbols, &c->order->places, h->at);
	syt_json_end_line(j);
}

static void json_sums(struct syt_json *j, const struct syt_contention *c)
{
	syt_json_begin_line(j, "contention");
	syt_json_u64(j, "locks", c->nr_locks);
	syt_json_u64(j, "unknown_locks", c->nr_unknown_locks);
	syt_json_u64(j, "acquired", c->nr_acquired);
	syt_json_u64(j, "waits", c->nr_waits);
	syt_json_u64(j, "wait_ns", SYT_TIME_NS(c->waited));
	kinds(j, c->by_kind);
	syt_json_u64(j, "untold", c->nr_untold);
	syt_json_u64(j, "unended", c->nr_unended);
	syt_json_u64(j, "ambiguous_wakeups", c->nr_ambiguous_wakeups);
	syt_json_u64(j, "not_looked_at", c->nr_others);
	syt_json_u64(j, "inferred_locks", c->nr_inferred);
	syt_json_end_line(j);
}

void syt_contention_json(struct syt_out *out, const struct syt_contention *c,
                         const struct syt_contention_view *v)
{
	struct syt_json j = {.out = out};
	uint64_t nr = 0;

	syt_coverage_json(out, c->order);
	json_sums(&j, c);
	for (size_t i = 0; i < c->nr_locks && (!v->limit || nr < v->limit); i++) {
		const struct syt_contention_lock *l = &c->locks[i];

		if (!syt_contention_shows(c, v, l->object))
			continue;
		nr++;
		json_lock(&j, c, v, l);
		for (size_t n = 0; n < l->nr_paths && (!v->limit || n < v->limit); n++)
			json_path(&j, c, v, l, &l->paths[n]);
		for (size_t n = 0; n < l->nr_blames && (!v->limit || n < v->limit); n++)
			json_blame(&j, c, v, l, &l->blames[n]);
	}
	nr = 0;
	for (size_t i = 0; i < c->nr_herds && (!v->limit || nr < v->limit); i++) {
		if (!syt_contention_shows(c, v, c->herds[i].object))
			continue;
		nr++;
		json_herd(&j, c, v, &c->herds[i]);
	}
}
