/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/export/window_facts.h"

#include <stdlib.h>
#include <xxhash.h>

#include "base/compare.h"
#include "base/counts.h"
#include "base/err.h"
#include "decoder/analysis/blocked.h"
#include "decoder/order/end.h"
#include "decoder/report/waits/waits.h"

struct gather {
	struct syt_window_facts *w;
	const struct syt_export *x;
	struct syt_blamer blamer;
	struct syt_counts by_stack, by_lock, by_fact; /* hash of the content -> index, plus 1 */
	XXH3_state_t *hash;
};

static uint64_t *find(struct syt_counts *counts, const XXH3_state_t *hash)
{
	XXH128_hash_t h = XXH3_128bits_digest(hash);

	return syt_counts_at(counts, h.low64, h.high64);
}

/* ---- the window ---- */

static void set_period(struct syt_window_facts *w, const struct syt_order *o)
{
	const struct syt_window *p = &o->places.windows[0];

	w->is_part = p->is_paused;
	w->from = o->places.trace->begin;
	w->until = p->complete_until < o->end ? p->complete_until : o->end;
	for (uint64_t n = 0; n < p->nr_resumes && p->resumes[n] < w->until; n++)
		if (p->resumes[n] > w->from)
			w->from = p->resumes[n];
	if (w->from > w->until)
		w->from = w->until;
}

/* Adds the lifetime in the window of the thread NUMBER. The thread lives until its last event if it has ended, and
 * otherwise as long as its process. */
static void add_lifetime(struct syt_window_facts *w, const struct syt_order *o, uint32_t number)
{
	const struct syt_thread *t = o->places.threads[number];
	syt_time from = t->first > w->from ? t->first : w->from, until = w->until;

	if (syt_blocked_has_ended(&o->places, number))
		until = t->last;
	else if (syt_image_is_over(t->image))
		until = o->ends[t->image - o->places.trace->images];
	until = until < w->until ? until : w->until;
	w->wall += from < until ? until - from : 0;
}

static bool is_in_window(const struct syt_window_facts *w, syt_time at)
{
	return !w->is_part || (at >= w->from && at < w->until);
}

/* Counts the events whose calls began in the window. */
static void count_events(struct syt_window_facts *w, const struct syt_order *o)
{
	const struct syt_trace_data *t = o->places.trace;

	for (uint32_t n = 0; n < t->nr_images; n++)
		w->nr_lost += t->images[n].nr_lost + t->images[n].nr_missing +
		              t->images[n].nr_overwritten;
	for (uint32_t n = 0; n < o->places.nr_threads; n++) {
		const struct syt_thread *thread = o->places.threads[n];

		if (w->is_part)
			add_lifetime(w, o, n);
		SYT_EACH(row, 0, thread->nr_rows)
			w->nr_events += is_in_window(w, syt_thread_row(thread, row)->in);
		if (thread->waiting.since && is_in_window(w, thread->waiting.since))
			w->nr_open++;
	}
}

/* ---- call stacks and locks ---- */

static void hash_module(struct gather *g, const struct syt_image *i, uint32_t module)
{
	const struct syt_module_info *m =
		module && module <= i->nr_modules ? &i->modules[module - 1] : NULL;

	if (!m)
		return;
	XXH3_128bits_update(g->hash, m->build_id, m->build_id_bytes);
	XXH3_128bits_update(g->hash, m->path ? m->path : "", m->path ? strlen(m->path) + 1 : 1);
}

static uint32_t add_stack(struct gather *g, uint32_t image, uint32_t stack)
{
	const struct syt_image *i = &g->x->order->places.trace->images[image];
	struct syt_window_facts *w = g->w;
	uint64_t *number;

	XXH3_128bits_reset(g->hash);
	for (uint32_t at = stack; at; at = i->stacks[at].parent) {
		const struct syt_stack_node *node = &i->stacks[at];

		if (syt_symbol_locate(g->x->symbols, i, at)->is_recorder)
			continue;
		hash_module(g, i, node->module);
		if (node->module)
			XXH3_128bits_update(g->hash, &node->offset, sizeof(node->offset));
		else {
			const char *label = syt_symbol_locate(g->x->symbols, i, at)->label;

			XXH3_128bits_update(g->hash, label, strlen(label) + 1);
		}
	}
	number = find(&g->by_stack, g->hash);
	if (!*number) {
		*SYT_ADD(w->stacks, w->nr_stacks, w->room_stacks) =
			(struct syt_window_stack){image, stack};
		*number = w->nr_stacks;
	}
	return (uint32_t)*number - 1;
}

/* Returns the stack of the call path SIDE, and sets *EXAMPLE to an event with this path. */
static uint32_t add_side(struct gather *g, uint32_t side, struct syt_label_example *example)
{
	*example = syt_label_side_example(g->x->labels, side);
	return add_stack(g, example->image, example->stack);
}

/* Sets the module and the offset of L if its object is a variable of a module. */
static void locate(const struct syt_order *o, struct syt_window_lock *l)
{
	const struct syt_object *s = &o->objects.all[l->object];
	const struct syt_image *i = &o->places.trace->images[s->image];

	for (uint32_t m = 0; m < i->nr_modules && !(s->info->flags & SYT_OBJECT_SHARED); m++) {
		const struct syt_module_info *info = &i->modules[m];

		if (info->id && s->info->identity >= info->start && s->info->identity < info->end &&
		    s->info->first < info->to) {
			l->module = m;
			l->offset = s->info->identity - info->bias;
			return;
		}
	}
}

/* Returns true if objects of KIND are variables of a program, which a name, a module or a call stack identifies. */
static bool is_variable(enum syt_kind kind)
{
	return kind == SYT_KIND_MUTEX || kind == SYT_KIND_RWLOCK || kind == SYT_KIND_SPIN ||
	       kind == SYT_KIND_COND || kind == SYT_KIND_SEM || kind == SYT_KIND_BARRIER ||
	       kind == SYT_KIND_ONCE || kind == SYT_KIND_FUTEX || kind == SYT_KIND_STDIO;
}

static uint32_t add_lock(struct gather *g, uint32_t object)
{
	const struct syt_order *o = g->x->order;
	const struct syt_object *s = object == SYT_NONE ? NULL : &o->objects.all[object];
	struct syt_window_lock l = {.object = object, .module = SYT_NONE, .made = SYT_NONE};
	struct syt_window_facts *w = g->w;
	const struct syt_image *i;
	uint64_t *number;
	uint8_t kind;

	if (!s || !is_variable(s->info->kind))
		return SYT_NONE;
	i = &o->places.trace->images[s->image];
	if (!s->info->name)
		locate(o, &l);
	if (!s->info->name && l.module == SYT_NONE && s->info->origin &&
	    s->info->origin < i->nr_stacks)
		l.made = add_stack(g, s->image, s->info->origin);
	kind = (uint8_t)s->info->kind;
	XXH3_128bits_reset(g->hash);
	XXH3_128bits_update(g->hash, &kind, sizeof(kind));
	if (s->info->name)
		XXH3_128bits_update(g->hash, s->info->name, strlen(s->info->name));
	XXH3_128bits_update(g->hash, &l.made, sizeof(l.made));
	XXH3_128bits_update(g->hash, &l.offset, sizeof(l.offset));
	if (l.module != SYT_NONE)
		hash_module(g, i, l.module + 1);
	number = find(&g->by_lock, g->hash);
	if (!*number) {
		*SYT_ADD(w->locks, w->nr_locks, w->room_locks) = l;
		*number = w->nr_locks;
	}
	return (uint32_t)*number - 1;
}

/* ---- facts ---- */

static void merge(struct syt_window_fact *to, const struct syt_window_fact *from)
{
	to->nr += from->nr;
	to->ns += from->ns;
	to->most_ns = from->most_ns > to->most_ns ? from->most_ns : to->most_ns;
}

/* Adds F to the fact with the same words, or appends it. Calls of two images are equal if their names are. */
static void add_fact(struct gather *g, struct syt_window_fact f)
{
	const struct syt_call_info *call =
		&g->x->order->places.trace->images[f.image].calls[f.call];
	uint32_t key[] = {f.is_hold, f.kind, f.reason, f.blame, f.lock, f.stack, f.culprit};
	const char *name = call->name ? call->name : "?";
	uint64_t *number;

	XXH3_128bits_reset(g->hash);
	XXH3_128bits_update(g->hash, key, sizeof(key));
	XXH3_128bits_update(g->hash, name, strlen(name));
	number = find(&g->by_fact, g->hash);
	if (*number) {
		merge(&g->w->all[*number - 1], &f);
		return;
	}
	*SYT_ADD(g->w->all, g->w->nr, g->w->room) = f;
	*number = g->w->nr;
}

/* Sorts the groups so that the groups that the report waits prints as one group are neighbours. */
static int as_printed(const void *a_, const void *b_)
{
	return syt_waits_group_order(a_, b_);
}

static bool is_printed_as_one(const struct syt_waits_group *a, const struct syt_waits_group *b)
{
	return a->reason == b->reason && a->kind == b->kind && a->waiter == b->waiter &&
	       a->ender == b->ender && a->blame == b->blame && a->culprit == b->culprit;
}

static void add_group(struct gather *g, const struct syt_waits_group *group, syt_time before)
{
	struct syt_label_example at, culprit;
	struct syt_window_fact f = {.kind = group->kind,
	                            .reason = group->reason,
	                            .blame = group->blame,
	                            .lock = add_lock(g, group->key_object),
	                            .stack = add_side(g, group->waiter, &at),
	                            .culprit = SYT_NONE,
	                            .nr = group->nr,
	                            .ns = SYT_TIME_NS(before + group->time) - SYT_TIME_NS(before),
	                            .most_ns = SYT_TIME_NS(group->most)};

	f.image = at.image;
	f.call = at.call;
	if (group->culprit != SYT_NONE)
		f.culprit = add_side(g, group->culprit, &culprit);
	if (group->blame == SYT_BLAME_UNSEEN || group->blame == SYT_BLAME_NOT_SAMPLED)
		g->w->unseen += group->time;
	add_fact(g, f);
}

static void gather_waits(struct gather *g)
{
	struct syt_waits_filter filter = {.has_period = g->w->is_part,
	                                  .from = g->w->from,
	                                  .until = g->w->until,
	                                  .is_by_object = true};
	struct syt_waits waits;
	syt_time before = 0;

	syt_waits_open(&waits, &g->blamer, &filter);
	if (!g->w->is_part)
		g->w->wall = waits.all.wall;
	if (waits.nr_groups)
		qsort(waits.groups, waits.nr_groups, sizeof(*waits.groups), as_printed);
	for (size_t n = 0; n < waits.nr_groups; n++) {
		if (!n || !is_printed_as_one(&waits.groups[n - 1], &waits.groups[n]))
			before = 0;
		add_group(g, &waits.groups[n], before);
		before += waits.groups[n].time;
	}
	syt_waits_close(&waits);
}

/* The holdings of one lock by the acquisitions of one call path. */
struct held {
	uint32_t side;
	uint64_t nr;
	syt_time time, most;
};

static int by_side(const void *a_, const void *b_)
{
	const struct held *a = a_, *b = b_;

	SYT_ORDER_BY(side);
	return 0;
}

static void add_held(struct gather *g, uint32_t object, const struct held *h)
{
	struct syt_label_example at;
	struct syt_window_fact f = {.is_hold = true,
	                            .kind = SYT_WAITS_FOR_LOCK,
	                            .blame = SYT_NR_BLAMES,
	                            .lock = add_lock(g, object),
	                            .stack = add_side(g, h->side, &at),
	                            .culprit = SYT_NONE,
	                            .nr = h->nr,
	                            .ns = SYT_TIME_NS(h->time),
	                            .most_ns = SYT_TIME_NS(h->most)};

	f.image = at.image;
	f.call = at.call;
	add_fact(g, f);
}

static void gather_holdings_of(struct gather *g, const struct syt_holdings *h, uint32_t object)
{
	struct held *all = syt_calloc(h->nr, sizeof(*all));
	size_t nr = 0, nr_sums = 0;

	SYT_EACH(n, 0, h->nr)
		if (is_in_window(g->w,
		                 syt_place_row(&g->x->order->places, h->all[n].acquire)->in)) {
			syt_time time = h->all[n].to - h->all[n].from;

			all[nr++] = (struct held){syt_label_side(g->x->labels, h->all[n].acquire),
			                          1, time, time};
		}
	if (nr)
		qsort(all, nr, sizeof(*all), by_side);
	for (size_t n = 0; n < nr; n++) {
		if (nr_sums && all[nr_sums - 1].side == all[n].side) {
			all[nr_sums - 1].nr++;
			all[nr_sums - 1].time += all[n].time;
			if (all[n].most > all[nr_sums - 1].most)
				all[nr_sums - 1].most = all[n].most;
		} else {
			all[nr_sums++] = all[n];
		}
	}
	for (size_t n = 0; n < nr_sums; n++)
		add_held(g, object, &all[n]);
	free(all);
}

static void gather_holdings(struct gather *g)
{
	const struct syt_order *o = g->x->order;

	for (uint32_t n = 0; n < o->objects.nr; n++)
		if (syt_lockset_has(&g->blamer.locks, n))
			gather_holdings_of(g, syt_blamer_holdings(&g->blamer, n), n);
}

static int largest_first(const void *a_, const void *b_)
{
	const struct syt_window_fact *a = a_, *b = b_;

	SYT_ORDER(b->ns, a->ns);
	SYT_ORDER_BY(is_hold);
	SYT_ORDER_BY(reason);
	SYT_ORDER_BY(kind);
	SYT_ORDER_BY(blame);
	SYT_ORDER_BY(lock);
	SYT_ORDER_BY(stack);
	SYT_ORDER_BY(culprit);
	return 0;
}

/* Sums the smallest facts in one fact "other" per event, so that at most SYT_WINDOW_FACTS facts remain. */
static void limit(struct syt_window_facts *w)
{
	struct syt_window_fact others[2] = {{.is_other = true},
	                                    {.is_other = true, .is_hold = true}};

	if (w->nr)
		qsort(w->all, w->nr, sizeof(*w->all), largest_first);
	if (w->nr <= SYT_WINDOW_FACTS)
		return;
	for (size_t n = SYT_WINDOW_FACTS - 2; n < w->nr; n++)
		merge(&others[w->all[n].is_hold], &w->all[n]);
	w->nr = SYT_WINDOW_FACTS - 2;
	for (unsigned n = 0; n < 2; n++)
		if (others[n].nr)
			w->all[w->nr++] = others[n];
}

void syt_window_facts_open(struct syt_window_facts *w, const struct syt_export *x)
{
	struct gather g = {.w = w, .x = x, .hash = XXH3_createState()};

	if (!g.hash)
		syt_die_of_memory(1, sizeof(XXH3_state_t *));
	memset(w, 0, sizeof(*w));
	set_period(w, x->order);
	count_events(w, x->order);
	syt_blamer_open(&g.blamer, x->order, x->labels);
	gather_waits(&g);
	gather_holdings(&g);
	syt_blamer_close(&g.blamer);
	limit(w);
	XXH3_freeState(g.hash);
	syt_counts_fini(&g.by_stack);
	syt_counts_fini(&g.by_lock);
	syt_counts_fini(&g.by_fact);
}

void syt_window_facts_close(struct syt_window_facts *w)
{
	free(w->all);
	free(w->stacks);
	free(w->locks);
	memset(w, 0, sizeof(*w));
}
