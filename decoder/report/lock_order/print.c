/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The members of the JSON lines are a contract: add, never rename. */
#include "decoder/report/lock_order/view.h"

#include <inttypes.h>

#include "base/json.h"
#include "decoder/read/call.h"
#include "decoder/report/lock_order/deadlock.h"
#include "decoder/show/coverage_print.h"
#include "decoder/show/place_json.h"
#include "decoder/show/print.h"

static void object_text(const struct syt_lock_order *l, uint32_t object, char *text)
{
	syt_object_text(l->order->objects.all[object].info, text, SYT_OBJECT_TEXT);
}

static void put_object(struct syt_out *out, const struct syt_lock_order *l, uint32_t object)
{
	const char *name = l->order->objects.all[object].info->name;
	char text[SYT_OBJECT_TEXT];

	object_text(l, object, text);
	syt_out_string(out, text);
	if (name) {
		syt_out_string(out, " (");
		syt_out_safe(out, name);
		syt_out_char(out, ')');
	}
	if (syt_lockset_infers(&l->locks, object))
		syt_out_string(out, " (used as a lock)");
}

static void put_thread(struct syt_out *out, const struct syt_lock_order *l, uint32_t thread)
{
	const struct syt_thread *t = l->order->places.threads[thread];

	syt_out_printf(out, "thread %" PRIu32 ".%" PRIu32 " (tid %" PRIu32, t->image->index,
	               t->index, t->tid);
	if (t->name) {
		syt_out_string(out, ", ");
		syt_out_safe(out, t->name);
	}
	syt_out_char(out, ')');
}

static void put_stack(struct syt_out *out, const struct syt_lock_order *l,
                      const struct syt_lock_order_view *v, struct syt_place at)
{
	const struct syt_places *p = &l->order->places;

	syt_print_stack(out, v->symbols, syt_place_image(p, at), syt_place_row(p, at)->stack,
	                "          ");
}

/* ---- text ---- */

void syt_lock_order_sentence(struct syt_out *out, const struct syt_lock_order *l,
                             const struct syt_lock_order_cycle *c,
                             void (*put)(void *context, uint32_t object), void *context)
{
	bool is_remote = false;

	for (uint32_t i = 0; i < c->length; i++)
		is_remote |= l->arcs[c->arcs[i]].remote != NULL;
	if (c->length == 1) {
		syt_out_string(out, "one has ");
		put(context, l->arcs[c->arcs[0]].from);
		syt_out_string(out, " and waits for another one, which wants it before it goes on");
		return;
	}
	for (uint32_t i = 0; i < c->length; i++) {
		syt_out_string(out, i ? ", " : "they take ");
		put(context, l->arcs[c->arcs[i]].from);
	}
	syt_out_string(out, c->length > 2 ? " in a circle" : " in both orders");
	if (is_remote)
		syt_out_string(out, ", or wait for who does");
}

struct text {
	struct syt_out *out;
	const struct syt_lock_order *l;
};

static void put_of_sentence(void *context, uint32_t object)
{
	const struct text *t = context;

	put_object(t->out, t->l, object);
}

void syt_lock_order_headline(struct syt_out *out, const struct syt_lock_order *l)
{
	syt_out_printf(out,
	               "Lock order: %" PRIu32 " locks, %zu ways to take one while holding another",
	               l->nr_locks, l->nr_arcs);
	if (l->nr_threads_left_out)
		syt_out_printf(out, "; %" PRIu64 " threads left out, whose events are incomplete",
		               l->nr_threads_left_out);
	if (l->nr_locks_left_out)
		syt_out_printf(out, "; %" PRIu64 " locks left out, whose holders are unknown",
		               l->nr_locks_left_out);
	if (l->nr_deep)
		syt_out_printf(out,
		               "; %" PRIu64 " acquisitions left out, by threads that had more than "
		               "64 locks",
		               l->nr_deep);
	if (l->locks.nr_inferred)
		syt_out_printf(out,
		               "; %" PRIu64 " of the locks are semaphores that were used as ones",
		               l->locks.nr_inferred);
	if (l->nr_other_locks)
		syt_out_printf(out, "; %" PRIu64 " semaphores and files' locks not looked at",
		               l->nr_other_locks);
	if (l->nr_waits_left_out)
		syt_out_printf(out,
		               "; %" PRIu64 " of %" PRIu64 " waits with a lock left out, as they "
		               "are not known to depend on one thread",
		               l->nr_waits_left_out, l->nr_waits);
	if (l->is_cut)
		syt_out_string(out, "; there are more cycles than were looked at");
	syt_out_char(out, '\n');
}

/* Whom the arc's thread waited for, and that one, before the last one took the lock. */
static void text_hops(struct syt_out *out, const struct syt_lock_order *l,
                      const struct syt_lock_order_view *v, const struct syt_lock_order_arc *a,
                      uint32_t instance)
{
	const struct syt_places *p = &l->order->places;

	for (uint32_t i = 0; i < a->remote->nr; i++) {
		const struct syt_lock_order_hop *hop = &a->remote->instances[instance][i];

		syt_out_string(out,
		               i ? "       and waits before that in " : "       and waits in ");
		syt_out_safe(out, syt_place_call(p, hop->wait)->name);
		syt_out_string(out, "\n");
		put_stack(out, l, v, hop->wait);
		syt_out_string(out, "       for what ");
		put_thread(out, l, hop->send.thread);
		syt_out_string(out, " does in ");
		syt_out_safe(out, syt_place_call(p, hop->send)->name);
		syt_out_char(out, '\n');
		put_stack(out, l, v, hop->send);
	}
}

static void text_arc(struct syt_out *out, const struct syt_lock_order *l,
                     const struct syt_lock_order_view *v, const struct syt_lock_order_arc *a,
                     uint32_t instance)
{
	syt_out_string(out, "     ");
	put_thread(out, l, a->thread);
	syt_out_string(out, " had ");
	put_object(out, l, a->from);
	syt_out_string(out, a->from_is_shared ? " to read, since\n" : ", since\n");
	put_stack(out, l, v, a->instances[instance].from);
	if (a->remote)
		text_hops(out, l, v, a, instance);
	syt_out_string(out, a->remote ? "       which took " : "       and took ");
	put_object(out, l, a->to);
	syt_out_string(out, a->to_is_shared ? " to read" : "");
	if (a->nr > 1)
		syt_out_printf(out, " (%" PRIu64 " times)", a->nr);
	syt_out_string(out, a->remote ? " before that in\n" : " in\n");
	put_stack(out, l, v, a->instances[instance].to);
}

static void text_cycle(struct syt_out *out, const struct syt_lock_order *l,
                       const struct syt_lock_order_view *v, const struct syt_lock_order_cycle *c,
                       uint64_t number)
{
	syt_out_color(out, SYT_COLOR_BOLD);
	syt_out_printf(out, "%" PRIu64 ". ", number);
	syt_out_color(out, SYT_COLOR_NONE);
	if (c->verdict == SYT_VERDICT_POSSIBLE) {
		syt_out_printf(
			out, "%" PRIu32 " threads can deadlock: ", syt_lock_order_nr_threads(l, c));
	} else {
		syt_out_printf(out, "no deadlock (%s", syt_verdict_text(c->verdict));
		if (c->verdict == SYT_VERDICT_GATED) {
			syt_out_string(out, ": ");
			put_object(out, l, c->gate);
		}
		syt_out_string(out, "): ");
	}
	syt_lock_order_sentence(out, l, c, put_of_sentence, &(struct text){out, l});
	if (c->nr > 1)
		syt_out_printf(out,
		               "; and so with %" PRIu64
		               " other sets of locks, by the same call paths",
		               c->nr - 1);
	syt_out_char(out, '\n');
	for (uint32_t i = 0; i < c->length && !v->has_no_steps; i++)
		text_arc(out, l, v, &l->arcs[c->arcs[i]], c->instances[i]);
}

static void text_left(struct syt_out *out, const struct syt_lock_order *l)
{
	uint64_t nr[SYT_NR_VERDICTS] = {0};

	for (size_t i = 0; i < l->nr_cycles; i++)
		nr[l->cycles[i].verdict]++;
	for (unsigned i = SYT_VERDICT_POSSIBLE + 1; i < SYT_NR_VERDICTS; i++)
		if (nr[i])
			syt_out_printf(out,
			               "Not told as a deadlock: %" PRIu64
			               " cycles: %s (--all shows them)\n",
			               nr[i], syt_verdict_text((enum syt_verdict_kind)i));
}

static void put_waiting(struct syt_out *out, const struct syt_lock_order *l, uint32_t thread)
{
	const struct syt_thread *t = l->order->places.threads[thread];
	const struct syt_waiting_info *w = &t->waiting;
	uint32_t image = (uint32_t)(t->image - l->order->places.trace->images);

	if (!w->since) {
		syt_out_string(out, "a receive from ");
		put_object(out, l, syt_deadlock_receives(l->order, thread));
		return;
	}
	syt_out_safe(out, t->image->calls[w->call].name);
	if (w->object != SYT_NONE) {
		syt_out_string(out, " for ");
		put_object(out, l, syt_object_of(&l->order->objects, image, w->object));
		if (w->object2 != SYT_NONE) {
			syt_out_string(out, " with ");
			put_object(out, l, syt_object_of(&l->order->objects, image, w->object2));
		}
	} else if (w->thread != SYT_NONE) {
		syt_out_printf(out, " for thread %" PRIu32 ".%" PRIu32, t->image->index, w->thread);
	}
}

/* What THREAD was seen to have at the end, and since when. */
static void text_has(struct syt_out *out, const struct syt_lock_order *l,
                     const struct syt_lock_order_view *v, uint32_t thread)
{
	for (size_t i = 0; i < l->nr_kept; i++) {
		const struct syt_lock_order_kept *k = &l->kept[i];

		if (k->thread != thread)
			continue;
		syt_out_string(out, "       and has ");
		put_object(out, l, k->object);
		syt_out_string(out, k->is_shared ? " to read, since\n" : ", since\n");
		put_stack(out, l, v, k->acquire);
	}
}

static void text_deadlock(struct syt_out *out, const struct syt_lock_order *l,
                          const struct syt_lock_order_view *v,
                          const struct syt_lock_order_deadlock *d, uint64_t number)
{
	syt_out_color(out, SYT_COLOR_BOLD);
	syt_out_printf(out, "%" PRIu64 ". %s: ", number,
	               d->is_sure ? "a deadlock" : "may be a deadlock");
	syt_out_color(out, SYT_COLOR_NONE);
	if (d->nr == 1)
		syt_out_string(out, "a thread waits for itself");
	else
		syt_out_printf(out, "%" PRIu32 " threads wait for each other", d->nr);
	if (d->nr_others)
		syt_out_printf(out, ", and %" PRIu32 " more for them", d->nr_others);
	syt_out_string(out, ", until the end of the trace");
	syt_out_string(out,
	               d->is_sure ? "\n"
	                          : "; nobody else was ever seen to send, post or signal there\n");
	for (uint32_t i = 0; i < d->nr && !v->has_no_steps; i++) {
		const struct syt_thread *t = l->order->places.threads[d->threads[i]];

		syt_out_string(out, "     ");
		put_thread(out, l, d->threads[i]);
		syt_out_string(out, " waits in ");
		put_waiting(out, l, d->threads[i]);
		syt_out_char(out, '\n');
		if (t->waiting.since)
			syt_print_stack(out, v->symbols, t->image, t->waiting.stack, "          ");
		text_has(out, l, v, d->threads[i]);
	}
}

static bool is_deadlocked(const struct syt_lock_order *l, uint32_t thread)
{
	for (size_t i = 0; i < l->nr_deadlocks; i++)
		for (uint32_t n = 0; n < l->deadlocks[i].nr; n++)
			if (l->deadlocks[i].threads[n] == thread)
				return true;
	return false;
}

static void text_kept_one(struct syt_out *out, const struct syt_lock_order *l,
                          const struct syt_lock_order_view *v, const struct syt_lock_order_kept *k)
{
	syt_out_string(out, "     ");
	put_thread(out, l, k->thread);
	syt_out_string(out, " has ");
	put_object(out, l, k->object);
	if (k->is_shared)
		syt_out_string(out, " to read");
	if (k->has_waited)
		syt_out_string(out, ", or waits for a condition with it");
	if (l->order->places.threads[k->thread]->waiting.since) {
		syt_out_string(out, "; it waits in ");
		put_waiting(out, l, k->thread);
	} else {
		syt_out_string(out, "; nothing is known of its last ");
		syt_print_span(out, SYT_TIME_NS(k->silence));
	}
	syt_out_string(out, "; taken in\n");
	put_stack(out, l, v, k->acquire);
}

/* But for those who have been told as a deadlock. */
static void text_kept(struct syt_out *out, const struct syt_lock_order *l,
                      const struct syt_lock_order_view *v)
{
	uint64_t nr = 0;

	for (size_t i = 0; i < l->nr_kept && (!v->limit || nr < v->limit); i++) {
		if (is_deadlocked(l, l->kept[i].thread))
			continue;
		if (!nr++)
			syt_out_string(out, "\nHeld to the end of the trace, by threads that have "
			                    "not ended:\n");
		text_kept_one(out, l, v, &l->kept[i]);
	}
}

void syt_lock_order_findings(struct syt_out *out, const struct syt_lock_order *l,
                             const struct syt_lock_order_view *v)
{
	uint64_t nr = 0;

	for (size_t i = 0; i < l->nr_deadlocks && (!v->limit || nr < v->limit); i++)
		text_deadlock(out, l, v, &l->deadlocks[i], ++nr);
	for (size_t i = 0; i < l->nr_cycles && (!v->limit || nr < v->limit); i++)
		if (v->has_all || l->cycles[i].verdict == SYT_VERDICT_POSSIBLE)
			text_cycle(out, l, v, &l->cycles[i], ++nr);
	if (!l->nr_deadlocks && (!l->nr_cycles || l->cycles[0].verdict > SYT_VERDICT_UNCHECKED) &&
	    !l->is_cut)
		syt_out_string(out,
		               "No deadlock can come of the order in which locks were taken.\n");
	else if (!nr)
		syt_out_string(out,
		               "No deadlock was found, but not everything could be looked at.\n");
}

void syt_lock_order_text(struct syt_out *out, const struct syt_lock_order *l,
                         const struct syt_lock_order_view *v)
{
	syt_coverage_line(out, l->order);
	syt_lock_order_headline(out, l);
	syt_out_char(out, '\n');
	syt_lock_order_findings(out, l, v);
	if (!v->has_all)
		text_left(out, l);
	text_kept(out, l, v);
}

/* ---- JSON ---- */

static void json_object(struct syt_json *j, const struct syt_lock_order *l, const char *key,
                        uint32_t object)
{
	char text[SYT_OBJECT_TEXT];

	object_text(l, object, text);
	syt_json_string(j, key, text);
}

static void json_thread(struct syt_json *j, const struct syt_lock_order *l, uint32_t thread)
{
	const struct syt_thread *t = l->order->places.threads[thread];

	syt_json_open_string(j, "thread");
	syt_out_printf(j->out, "%" PRIu32 ".%" PRIu32, t->image->index, t->index);
	syt_json_close_string(j);
	syt_json_u64(j, "pid", t->image->file.pid);
	syt_json_u64(j, "tid", t->tid);
}

/* An acquisition. */
static void json_step(struct syt_json *j, const struct syt_lock_order *l,
                      const struct syt_lock_order_view *v, const char *key, uint32_t object,
                      bool is_shared, struct syt_place at)
{
	const struct syt_places *p = &l->order->places;

	syt_json_begin(j, key, '{');
	json_object(j, l, "object", object);
	syt_json_bool(j, "inferred", syt_lockset_infers(&l->locks, object));
	syt_json_bool(j, "shared", is_shared);
	syt_json_place(j, "event", p, at);
	syt_json_side(j, "path", l->labels, syt_label_side(l->labels, at));
	syt_json_place_stack(j, "stack", v->symbols, p, at);
	syt_json_end(j);
}

static void json_event(struct syt_json *j, const struct syt_lock_order *l,
                       const struct syt_lock_order_view *v, const char *key, struct syt_place at)
{
	const struct syt_places *p = &l->order->places;

	syt_json_begin(j, key, '{');
	json_thread(j, l, at.thread);
	syt_json_string(j, "call", syt_place_call(p, at)->name);
	syt_json_place(j, "event", p, at);
	syt_json_side(j, "path", l->labels, syt_label_side(l->labels, at));
	syt_json_place_stack(j, "stack", v->symbols, p, at);
	syt_json_end(j);
}

static void json_hops(struct syt_json *j, const struct syt_lock_order *l,
                      const struct syt_lock_order_view *v, const struct syt_lock_order_arc *a,
                      uint32_t instance)
{
	syt_json_begin(j, "through", '[');
	for (uint32_t i = 0; i < a->remote->nr; i++) {
		const struct syt_lock_order_hop *hop = &a->remote->instances[instance][i];

		syt_json_begin(j, NULL, '{');
		json_event(j, l, v, "waits", hop->wait);
		json_event(j, l, v, "ended_by", hop->send);
		syt_json_end(j);
	}
	syt_json_end(j);
}

static void json_cycle(struct syt_json *j, const struct syt_lock_order *l,
                       const struct syt_lock_order_view *v, const struct syt_lock_order_cycle *c)
{
	syt_json_begin_line(j, "cycle");
	syt_json_string(j, "verdict", syt_verdict_word(c->verdict));
	syt_json_u64(j, "length", c->length);
	syt_json_u64(j, "similar", c->nr - 1);
	if (c->verdict == SYT_VERDICT_GATED)
		json_object(j, l, "gate", c->gate);
	syt_json_begin(j, "arcs", '[');
	for (uint32_t i = 0; i < c->length; i++) {
		const struct syt_lock_order_arc *a = &l->arcs[c->arcs[i]];

		syt_json_begin(j, NULL, '{');
		json_thread(j, l, a->thread);
		syt_json_u64(j, "times", a->nr);
		json_step(j, l, v, "held", a->from, a->from_is_shared,
		          a->instances[c->instances[i]].from);
		if (a->remote)
			json_hops(j, l, v, a, c->instances[i]);
		json_step(j, l, v, "taken", a->to, a->to_is_shared,
		          a->instances[c->instances[i]].to);
		syt_json_end(j);
	}
	syt_json_end(j);
	syt_json_end_line(j);
}

static void json_waiting(struct syt_json *j, const struct syt_lock_order *l,
                         const struct syt_lock_order_view *v, uint32_t thread)
{
	const struct syt_thread *t = l->order->places.threads[thread];
	uint32_t image = (uint32_t)(t->image - l->order->places.trace->images);
	uint32_t object, mutex;

	if (!t->waiting.since) {
		object = syt_deadlock_receives(l->order, thread);
		if (object == SYT_NONE)
			return;
		syt_json_begin(j, "waits", '{');
		json_object(j, l, "receives", object);
		syt_json_end(j);
		return;
	}
	object = syt_object_of(&l->order->objects, image, t->waiting.object);
	mutex = syt_object_of(&l->order->objects, image, t->waiting.object2);
	syt_json_begin(j, "waits", '{');
	syt_json_string(j, "call", t->image->calls[t->waiting.call].name);
	if (object != SYT_NONE)
		json_object(j, l, "object", object);
	if (mutex != SYT_NONE)
		json_object(j, l, "mutex", mutex);
	if (t->waiting.thread != SYT_NONE) {
		syt_json_open_string(j, "for");
		syt_out_printf(j->out, "%" PRIu32 ".%" PRIu32, t->image->index, t->waiting.thread);
		syt_json_close_string(j);
	}
	syt_json_u64(j, "since", SYT_TIME_NS(t->waiting.since));
	syt_json_stack(j, "stack", v->symbols, t->image, t->waiting.stack);
	syt_json_end(j);
}

static void json_deadlock(struct syt_json *j, const struct syt_lock_order *l,
                          const struct syt_lock_order_view *v,
                          const struct syt_lock_order_deadlock *d)
{
	syt_json_begin_line(j, "deadlock");
	syt_json_u64(j, "length", d->nr);
	syt_json_u64(j, "others", d->nr_others);
	syt_json_begin(j, "threads", '[');
	for (uint32_t i = 0; i < d->nr; i++) {
		syt_json_begin(j, NULL, '{');
		json_thread(j, l, d->threads[i]);
		json_waiting(j, l, v, d->threads[i]);
		syt_json_begin(j, "has", '[');
		for (size_t n = 0; n < l->nr_kept; n++)
			if (l->kept[n].thread == d->threads[i])
				json_step(j, l, v, NULL, l->kept[n].object, l->kept[n].is_shared,
				          l->kept[n].acquire);
		syt_json_end(j);
		syt_json_end(j);
	}
	syt_json_end(j);
	syt_json_bool(j, "certain", d->is_sure);
	syt_json_end_line(j);
}

void syt_lock_order_json(struct syt_out *out, const struct syt_lock_order *l,
                         const struct syt_lock_order_view *v)
{
	struct syt_json j = {.out = out};
	uint64_t nr = 0;

	syt_coverage_json(out, l->order);
	syt_json_begin_line(&j, "lock-order");
	syt_json_u64(&j, "locks", l->nr_locks);
	syt_json_u64(&j, "arcs", l->nr_arcs);
	syt_json_u64(&j, "cycles", l->nr_cycles);
	syt_json_u64(&j, "deadlocks", l->nr_deadlocks);
	syt_json_bool(&j, "cut", l->is_cut);
	syt_json_u64(&j, "threads_left_out", l->nr_threads_left_out);
	syt_json_u64(&j, "locks_left_out", l->nr_locks_left_out);
	syt_json_u64(&j, "acquisitions_left_out", l->nr_deep);
	syt_json_u64(&j, "not_looked_at", l->nr_other_locks);
	syt_json_u64(&j, "inferred_locks", l->locks.nr_inferred);
	syt_json_u64(&j, "waits", l->nr_waits);
	syt_json_u64(&j, "waits_left_out", l->nr_waits_left_out);
	syt_json_end_line(&j);
	for (size_t i = 0; i < l->nr_deadlocks && (!v->limit || nr < v->limit); i++, nr++)
		json_deadlock(&j, l, v, &l->deadlocks[i]);
	for (size_t i = 0; i < l->nr_cycles && (!v->limit || nr < v->limit); i++) {
		if (!v->has_all && l->cycles[i].verdict != SYT_VERDICT_POSSIBLE)
			continue;
		nr++;
		json_cycle(&j, l, v, &l->cycles[i]);
	}
	for (size_t i = 0; i < l->nr_kept && (!v->limit || i < v->limit); i++) {
		const struct syt_lock_order_kept *k = &l->kept[i];

		syt_json_begin_line(&j, "kept");
		json_thread(&j, l, k->thread);
		syt_json_bool(&j, "may_wait_for_condition", k->has_waited);
		syt_json_u64(&j, "silence_ns", SYT_TIME_NS(k->silence));
		json_waiting(&j, l, v, k->thread);
		json_step(&j, l, v, "held", k->object, k->is_shared, k->acquire);
		syt_json_end_line(&j);
	}
}
