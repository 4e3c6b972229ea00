/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Writes the sentences of the report lock-order, with the call stacks of each step. */
#include <inttypes.h>

#include "decoder/report/lock_order/view.h"
#include "decoder/show/coverage_print.h"
#include "decoder/show/wrap.h"
#include "decoder/show/print.h"

static bool has_steps(const struct syt_view *v)
{
	return !((const struct syt_lock_order_report *)v->report)->has_no_steps;
}

static void put_lock(struct syt_out *out, const struct syt_view *v, uint32_t object)
{
	syt_view_put_object(v, out, object);
	if (syt_lockset_infers(&syt_lock_order_of(v)->locks, object))
		syt_out_string(out, " (used as a lock)");
}

static void put_thread(struct syt_out *out, const struct syt_view *v, uint32_t thread)
{
	syt_view_put_thread(v, out, thread);
	syt_out_printf(out, ", tid %" PRIu32 ",", v->order->places.threads[thread]->tid);
}

static void put_stack(struct syt_out *out, const struct syt_view *v, struct syt_place at)
{
	const struct syt_places *p = &v->order->places;

	syt_print_stack(out, v->symbols, syt_place_image(p, at), syt_place_row(p, at)->stack,
	                "          ");
}

/* Begins the first line of finding NUMBER in the buffer WORDS. */
static void begin_finding(struct syt_out *words, const struct syt_out *out, uint64_t number)
{
	syt_wrap_begin(words, out);
	syt_out_color(words, SYT_COLOR_BOLD);
	syt_out_printf(words, "%" PRIu64 ". ", number);
	syt_out_color(words, SYT_COLOR_NONE);
}

/* ---- the checked data ---- */

void syt_lock_order_headline(struct syt_out *out, const struct syt_view *v)
{
	const struct syt_lock_order *l = syt_lock_order_of(v);
	const struct {
		uint64_t nr;
		const char *text;
	} left_out[] = {
		{l->nr_threads_left_out, "threads with missing events"},
		{l->nr_locks_left_out, "locks whose holders the trace does not show"},
		{l->nr_deep, "acquisitions by threads that held more than 64 locks"},
		{l->nr_other_locks, "semaphores and file locks"},
		{l->nr_waits_left_out,
	         "waits of lock holders that more than one thread may have ended"},
	};
	const char *separator = " Not analyzed: ";

	syt_out_printf(
		out,
		"Lock order: %" PRIu32 " lock%s, %zu pair%s of call paths that take one lock while "
		"they hold another.",
		l->nr_locks, l->nr_locks == 1 ? "" : "s", l->nr_arcs, l->nr_arcs == 1 ? "" : "s");
	if (l->locks.nr_inferred)
		syt_out_printf(out, " %" PRIu64 " of the locks are semaphores used as locks.",
		               l->locks.nr_inferred);
	for (size_t i = 0; i < sizeof(left_out) / sizeof(left_out[0]); i++)
		if (left_out[i].nr) {
			syt_out_printf(out, "%s%" PRIu64 " %s", separator, left_out[i].nr,
			               left_out[i].text);
			separator = ", ";
		}
	syt_out_string(out, *separator == ',' ? ".\n" : "\n");
	if (l->is_cut)
		syt_out_string(out, "The trace has more cycles of locks than were checked.\n");
}

/* ---- cycles ---- */

void syt_lock_order_put_cycle(struct syt_out *out, const struct syt_view *v,
                              const struct syt_lock_order_cycle *c)
{
	const struct syt_lock_order *l = syt_lock_order_of(v);
	bool is_remote = false;

	if (c->verdict == SYT_VERDICT_POSSIBLE) {
		syt_out_printf(out, "%" PRIu32 " threads can deadlock, because ",
		               syt_lock_order_nr_threads(l, c));
	} else {
		syt_out_printf(out, "No deadlock (%s", syt_verdict_names[c->verdict].text);
		if (c->verdict == SYT_VERDICT_GATED) {
			syt_out_string(out, ": ");
			put_lock(out, v, c->gate);
		}
		syt_out_string(out, "): ");
	}
	for (uint32_t i = 0; i < c->length; i++)
		is_remote |= l->arcs[c->arcs[i]].remote != NULL;
	if (c->length == 1) {
		syt_out_string(out, "one thread held ");
		put_lock(out, v, l->arcs[c->arcs[0]].from);
		syt_out_string(out, " and waited for another thread, which took this lock before "
		                    "it answered");
		return;
	}
	for (uint32_t i = 0; i < c->length; i++) {
		syt_out_string(out, !i ? "they took " : i + 1 < c->length ? ", " : " and ");
		put_lock(out, v, l->arcs[c->arcs[i]].from);
	}
	syt_out_string(out, c->length > 2 ? " in a cycle" : " in both orders");
	if (is_remote)
		syt_out_string(out, ", or waited for a thread that did");
}

static void put_wait(struct syt_out *out, const struct syt_view *v, const char *begin,
                     struct syt_place at)
{
	syt_out_string(out, begin);
	syt_out_safe(out, syt_place_call(&v->order->places, at)->name);
	syt_out_char(out, '\n');
	put_stack(out, v, at);
}

/* Writes the other threads for which the thread of arc A waited, in the given instance of the arc. */
static void put_hops(struct syt_out *out, const struct syt_view *v,
                     const struct syt_lock_order_arc *a, uint32_t instance)
{
	for (uint32_t i = 0; i < a->remote->nr; i++) {
		const struct syt_lock_order_hop *hop = &a->remote->instances[instance][i];

		put_wait(out, v, i ? "       and before that waited in " : "       and waited in ",
		         hop->wait);
		syt_out_string(out, "       until ");
		put_thread(out, v, hop->send.thread);
		put_wait(out, v, " ended this wait in ", hop->send);
	}
}

static void put_arc(struct syt_out *out, const struct syt_view *v,
                    const struct syt_lock_order_arc *a, uint32_t instance)
{
	struct syt_out words;

	syt_wrap_begin(&words, out);
	syt_out_string(&words, "     ");
	put_thread(&words, v, a->thread);
	syt_out_string(&words, " held ");
	put_lock(&words, v, a->from);
	syt_out_string(&words, a->from_is_shared ? " for reading, taken in" : ", taken in");
	syt_wrap_end_lines(&words, out);
	put_stack(out, v, a->instances[instance].from);
	if (a->remote)
		put_hops(out, v, a, instance);
	syt_wrap_begin(&words, out);
	syt_out_string(&words, a->remote ? "       and before that took " : "       and took ");
	put_lock(&words, v, a->to);
	syt_out_string(&words, a->to_is_shared ? " for reading" : "");
	if (a->nr > 1)
		syt_out_printf(&words, " (%" PRIu64 " times)", a->nr);
	syt_out_string(&words, " in");
	syt_wrap_end_lines(&words, out);
	put_stack(out, v, a->instances[instance].to);
}

static void put_numbered_cycle(struct syt_out *out, const struct syt_view *v,
                               const struct syt_lock_order_cycle *c, uint64_t number)
{
	struct syt_out words;

	begin_finding(&words, out, number);
	if (c->verdict == SYT_VERDICT_POSSIBLE)
		syt_out_string(&words, "Lock-order inversion: ");
	syt_lock_order_put_cycle(&words, v, c);
	if (c->nr > 1)
		syt_out_printf(&words,
		               "; the same call paths did this with %" PRIu64
		               " other sets of locks",
		               c->nr - 1);
	syt_wrap_end_lines(&words, out);
	for (uint32_t i = 0; i < c->length && has_steps(v); i++)
		put_arc(out, v, &syt_lock_order_of(v)->arcs[c->arcs[i]], c->instances[i]);
}

/* Prints the number of cycles that are not listed. */
static void put_unlisted(struct syt_out *out, const struct syt_lock_order *l)
{
	uint64_t nr[SYT_NR_VERDICTS] = {0};

	for (size_t i = 0; i < l->nr_cycles; i++)
		nr[l->cycles[i].verdict]++;
	for (unsigned i = SYT_VERDICT_POSSIBLE + 1; i < SYT_NR_VERDICTS; i++)
		if (nr[i])
			syt_out_printf(out,
			               "Not reported: %" PRIu64 " cycle%s of locks, because %s "
			               "(--all lists them).\n",
			               nr[i], nr[i] == 1 ? "" : "s", syt_verdict_names[i].text);
}

/* ---- deadlocks ---- */

/* Writes in which call C its thread is blocked: "is blocked in pthread_mutex_lock on mutex:0x55..#0". */
static void put_blocked(struct syt_out *out, const struct syt_view *v,
                        const struct syt_blocked_call *c)
{
	const struct syt_thread *t = v->order->places.threads[c->thread];

	syt_out_string(out, " is blocked in ");
	syt_out_safe(out, t->image->calls[t->waiting.call].name);
	if (c->object != SYT_NONE) {
		syt_out_string(out, " on ");
		put_lock(out, v, c->object);
		if (c->object2 != SYT_NONE) {
			syt_out_string(out, " with ");
			put_lock(out, v, c->object2);
		}
	} else if (c->reason == SYT_BLOCKED_JOIN) {
		syt_out_printf(out, " until thread %" PRIu32 ".%" PRIu32 " ends", t->image->index,
		               t->waiting.thread);
	}
}

/* Writes the locks that THREAD held at the end of the trace. */
static void put_held(struct syt_out *out, const struct syt_view *v, uint32_t thread)
{
	const struct syt_lock_order *l = syt_lock_order_of(v);

	for (size_t i = 0; i < l->nr_kept; i++) {
		const struct syt_lock_order_kept *k = &l->kept[i];

		if (k->thread != thread)
			continue;
		syt_out_string(out, "       and holds ");
		put_lock(out, v, k->object);
		syt_out_string(out, k->is_shared ? " for reading, taken in\n" : ", taken in\n");
		put_stack(out, v, k->acquire);
	}
}

void syt_lock_order_put_deadlock(struct syt_out *out, const struct syt_blocked_group *g)
{
	syt_out_string(out, g->state == SYT_BLOCKED_STUCK ? "Deadlock: " : "Possible deadlock: ");
	if (g->nr_core == 1)
		syt_out_string(out, "a thread waits for itself");
	else
		syt_out_printf(out, "%" PRIu32 " threads wait for each other", g->nr_core);
	if (g->nr > g->nr_core)
		syt_out_printf(out, ", and %" PRIu32 " more for them,", g->nr - g->nr_core);
	syt_out_string(out, " until the end of the trace");
	if (g->state != SYT_BLOCKED_STUCK)
		syt_out_string(out, "; the trace shows no other thread that sends, posts or "
		                    "signals there");
}

static void put_numbered_deadlock(struct syt_out *out, const struct syt_view *v,
                                  const struct syt_blocked_group *g, uint64_t number)
{
	struct syt_out words;

	begin_finding(&words, out, number);
	syt_lock_order_put_deadlock(&words, g);
	syt_wrap_end_lines(&words, out);
	for (uint32_t i = 0; i < g->nr_core && has_steps(v); i++) {
		const struct syt_blocked_call *c =
			&syt_lock_order_of(v)->blocked.calls[g->calls[i]];
		const struct syt_thread *t = v->order->places.threads[c->thread];

		syt_wrap_begin(&words, out);
		syt_out_string(&words, "     ");
		put_thread(&words, v, c->thread);
		put_blocked(&words, v, c);
		syt_wrap_end_lines(&words, out);
		syt_print_stack(out, v->symbols, t->image, t->waiting.stack, "          ");
		put_held(out, v, c->thread);
	}
}

/* ---- locks that are held at the end ---- */

static void put_kept_lock(const struct syt_view *v, const struct syt_lock_order_kept *k)
{
	const struct syt_blocked_call *c =
		syt_blocked_call_of(&syt_lock_order_of(v)->blocked, k->thread);
	struct syt_out words;

	syt_wrap_begin(&words, v->out);
	syt_out_string(&words, "     ");
	put_thread(&words, v, k->thread);
	syt_out_string(&words, " holds ");
	put_lock(&words, v, k->object);
	if (k->is_shared)
		syt_out_string(&words, " for reading");
	if (k->has_waited)
		syt_out_string(&words, ", or waits for a condition with it");
	if (c) {
		syt_out_string(&words, ", and");
		put_blocked(&words, v, c);
	} else {
		syt_out_string(&words, "; its last event is ");
		syt_print_span(&words, SYT_TIME_NS(k->silence));
		syt_out_string(&words, " before the end of its process");
	}
	syt_out_string(&words, "; it took the lock in");
	syt_wrap_end_lines(&words, v->out);
	put_stack(v->out, v, k->acquire);
}

/* Lists the locks that threads held at the end, except those listed with a deadlock. */
static void put_kept(const struct syt_view *v)
{
	const struct syt_lock_order *l = syt_lock_order_of(v);
	uint64_t nr = 0;

	for (size_t i = 0; i < l->nr_kept && (!v->limit || nr < v->limit); i++) {
		if (syt_blocked_is_deadlocked(&l->blocked, l->kept[i].thread))
			continue;
		if (!nr++)
			syt_out_string(v->out, "\nLocks held to the end of the trace by threads "
			                       "that have not ended:\n");
		put_kept_lock(v, &l->kept[i]);
	}
}

/* ---- the whole output ---- */

void syt_lock_order_findings(struct syt_out *out, const struct syt_view *v)
{
	const struct syt_lock_order_report *r = v->report;
	const struct syt_lock_order *l = r->l;
	uint64_t nr = 0;

	for (size_t i = 0; i < l->blocked.nr_groups && (!v->limit || nr < v->limit); i++)
		if (l->blocked.groups[i].is_cycle)
			put_numbered_deadlock(out, v, &l->blocked.groups[i], ++nr);
	for (size_t i = 0; i < l->nr_cycles && (!v->limit || nr < v->limit); i++)
		if (r->has_all || l->cycles[i].verdict == SYT_VERDICT_POSSIBLE)
			put_numbered_cycle(out, v, &l->cycles[i], ++nr);
	if (!l->nr_deadlocks && (!l->nr_cycles || l->cycles[0].verdict > SYT_VERDICT_UNCHECKED) &&
	    !l->is_cut)
		syt_out_string(out, l->blocked.nr_groups
		                            ? "The threads took their locks in one order. Threads "
		                              "are blocked for another reason: see the report "
		                              "blocked.\n"
		                            : "No deadlock can result from the order in which the "
		                              "threads took their locks.\n");
	else if (!nr)
		syt_out_string(out, "No deadlock was found, but not all cycles of locks could be "
		                    "checked.\n");
}

void syt_lock_order_list(const struct syt_view *v)
{
	const struct syt_lock_order_report *r = v->report;

	if (v->is_json) {
		syt_lock_order_json(v);
		return;
	}
	syt_coverage_begin(v->out, v->order, false);
	syt_view_put_wrapped(v, syt_lock_order_headline);
	syt_out_char(v->out, '\n');
	syt_lock_order_findings(v->out, v);
	if (!r->has_all)
		put_unlisted(v->out, r->l);
	put_kept(v);
	syt_coverage_end(v->out, v->order, false);
}
