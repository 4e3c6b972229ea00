/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The sentences of the report blocked, and its part of diagnose. */
#include <inttypes.h>
#include <string.h>

#include "decoder/analysis/own_frame.h"
#include "decoder/report/blocked/view.h"
#include "decoder/show/print.h"

static const struct syt_blocked *blocked_of(const struct syt_view *v)
{
	return v->report;
}

uint32_t syt_blocked_side(const struct syt_view *v, const struct syt_blocked_call *c)
{
	const struct syt_thread *t = v->order->places.threads[c->thread];

	return syt_label_side_of(
		v->labels, (uint32_t)(t->image - v->order->places.trace->images),
		(struct syt_label_key){.call = t->waiting.call, .stack = t->waiting.stack});
}

/* "; the last signal was 0.1.5 pthread_cond_signal in put (q.c:12) of server (main thread), 2.1 s earlier" */
static void put_last(struct syt_out *out, const struct syt_view *v,
                     const struct syt_blocked_call *c, const char *what)
{
	syt_time at;

	if (c->evidence.thread == SYT_NONE)
		return;
	at = syt_place_row(&v->order->places, c->evidence)->out;
	syt_out_printf(out, "; the last %s came ", what);
	syt_print_span(out, SYT_TIME_NS(at < c->since ? c->since - at : at - c->since));
	syt_out_string(out, at < c->since ? " before this wait, from " : " after its begin, from ");
	syt_view_put_thread(v, out, c->evidence.thread);
	syt_out_string(out, " in ");
	syt_view_put_call(v, out, syt_label_side(v->labels, c->evidence));
}

static void put_taken(struct syt_out *out, const struct syt_view *v,
                      const struct syt_blocked_call *c)
{
	syt_out_string(out, ", taken in ");
	syt_view_put_call(v, out, syt_label_side(v->labels, c->evidence));
}

/* "no thread ever signalled it", with WHAT "signalled it" */
static void put_absent(struct syt_out *out, const struct syt_blocked_call *c, const char *what,
                       const char *participle)
{
	if (c->evidence.thread == SYT_NONE)
		syt_out_printf(out, "no thread ever %s", what);
	else if (c->state == SYT_BLOCKED_STUCK)
		syt_out_printf(out, "all threads that could have %s are blocked, too",
		               participle);
	else if (c->state == SYT_BLOCKED_DOUBTFUL)
		syt_out_printf(out, "all threads that %s before are blocked, too, or have ended",
		               what);
	else
		syt_out_printf(out, "no thread %s in this time", what);
}

/* Writes the name of THREAD, and the pid of its process if there are several. */
static void put_thread(struct syt_out *out, const struct syt_view *v, uint32_t thread)
{
	syt_view_put_thread(v, out, thread);
	if (v->order->places.trace->nr_images > 1)
		syt_out_printf(out, ", pid %" PRIu64 ",",
		               (uint64_t)v->order->places.threads[thread]->image->file.pid);
}

/* "server (main thread) holds the writing end open since fork in start (q.c:12), and never wrote to it" */
static void put_writer(struct syt_out *out, const struct syt_view *v,
                       const struct syt_blocked_call *c)
{
	if (c->writer == SYT_NONE)
		return;
	put_thread(out, v, c->writer);
	if (v->order->places.threads[c->writer]->image ==
	    v->order->places.threads[c->thread]->image)
		syt_out_string(out, ", the reading process itself,");
	syt_out_string(out, " holds the writing end open since ");
	syt_view_put_call(v, out, syt_label_side(v->labels, c->got));
	if (!c->has_written)
		syt_out_string(out, ", and never wrote to it");
	if (c->nr_writers > 1)
		syt_out_printf(out, "; %" PRIu32 " processes hold it", c->nr_writers);
	if (c->evidence.thread == SYT_NONE)
		syt_out_string(out, "; ");
}

/* Writes why the call has not returned, after ": ". */
static void put_reason(struct syt_out *out, const struct syt_view *v,
                       const struct syt_blocked_call *c)
{
	if (c->is_under_way && c->state == SYT_BLOCKED_FREE_END) {
		syt_out_string(out, "the trace ended before the thread could continue");
		return;
	}
	switch ((enum syt_blocked_reason)c->reason) {
	case SYT_BLOCKED_HELD:
		syt_view_put_thread(v, out, c->next);
		syt_out_string(out, c->object2 != SYT_NONE ? " holds its mutex" : " holds it");
		put_taken(out, v, c);
		break;
	case SYT_BLOCKED_SELF:
		syt_out_string(out, "the same thread holds it already");
		put_taken(out, v, c);
		break;
	case SYT_BLOCKED_ENDED:
		syt_view_put_thread(v, out, c->next);
		syt_out_string(out, " ended without releasing it");
		put_taken(out, v, c);
		break;
	case SYT_BLOCKED_FORKED:
		syt_view_put_thread(v, out, c->next);
		syt_out_string(out, " of the parent process held it during the fork");
		put_taken(out, v, c);
		syt_out_string(out, ", so no thread of the child can release it");
		break;
	case SYT_BLOCKED_FREE:
		syt_out_string(out, "the trace shows no thread that holds it");
		break;
	case SYT_BLOCKED_JOIN:
		syt_view_put_thread(v, out, c->next);
		syt_out_string(out, " has not ended");
		break;
	case SYT_BLOCKED_CHILD:
		syt_out_string(out, "no child process has ended");
		break;
	case SYT_BLOCKED_SIGNAL:
		put_absent(out, c, "signalled it", "signalled it");
		put_last(out, v, c, "signal");
		break;
	case SYT_BLOCKED_TOKEN:
		put_absent(out, c, "posted it", "posted it");
		put_last(out, v, c, "post");
		if (c->nr_tokens && c->state != SYT_BLOCKED_FREE_END)
			syt_out_printf(out,
			               "; the waiting thread itself took %" PRIu64
			               " token%s that it has not posted",
			               c->nr_tokens, c->nr_tokens == 1 ? "" : "s");
		break;
	case SYT_BLOCKED_ARRIVAL:
		if (c->nr_needed)
			syt_out_printf(out, "%" PRIu64 " of %" PRIu64 " threads arrived",
			               c->nr_arrived, c->nr_needed);
		else
			syt_out_string(out, "a thread has not arrived");
		break;
	case SYT_BLOCKED_DATA:
		put_writer(out, v, c);
		if (c->writer == SYT_NONE || c->evidence.thread == SYT_NONE)
			put_absent(out, c, "wrote to it", "written to it");
		put_last(out, v, c, "write");
		break;
	case SYT_BLOCKED_ROOM:
		syt_out_string(out, "it is full, and ");
		put_absent(out, c, "read it", "read it");
		put_last(out, v, c, "read");
		break;
	case SYT_BLOCKED_WAKE:
		syt_out_string(out, "no thread ended the wait");
		break;
	case SYT_BLOCKED_OUTSIDE:
		syt_out_string(out, c->is_pause      ? "the thread sleeps or waits for a signal"
		                    : c->has_timeout ? "the call has a timeout"
		                                     : "the trace does not show what can end it");
		break;
	}
}

/* "server (thread 1.2) has waited 2.1 s for mutex:0x..#0 in pthread_mutex_lock in put (q.c:12): REASON" */
static void put_call(struct syt_out *out, const struct syt_view *v,
                     const struct syt_blocked_call *c, bool has_reason)
{
	put_thread(out, v, c->thread);
	if (c->until > c->since) {
		syt_out_string(out, " has waited ");
		syt_print_span(out, SYT_TIME_NS(c->until - c->since));
	} else {
		syt_out_string(out, " has waited (the trace does not show how long)");
	}
	if (c->object != SYT_NONE) {
		syt_out_string(out, " for ");
		syt_view_put_object(v, out, c->object);
	}
	syt_out_string(out, " in ");
	syt_view_put_call(v, out, syt_blocked_side(v, c));
	if (has_reason) {
		syt_out_string(out, ": ");
		put_reason(out, v, c);
	} else {
		syt_out_string(out, ", for the same reason");
	}
	syt_out_char(out, '\n');
}

/* Writes where the threads of the core G were created, if all living threads that were created there are in the core. */
static void put_pool(struct syt_out *out, const struct syt_view *v,
                     const struct syt_blocked_group *g)
{
	const struct syt_blocked *b = blocked_of(v);
	const struct syt_edges *edges = &v->order->edges;
	const struct syt_places *p = &v->order->places;
	const char *creator = NULL, *name;
	uint32_t side = SYT_NONE, nr = 0, nr_core = 0;
	bool is_in_core;

	/* a thread that waits for a lock, or for a token while it has one, waits for no task */
	for (uint32_t i = 0; i < g->nr_core; i++) {
		const struct syt_blocked_call *c = &b->calls[g->calls[i]];

		if ((c->reason != SYT_BLOCKED_SIGNAL && c->reason != SYT_BLOCKED_WAKE &&
		     c->reason != SYT_BLOCKED_TOKEN) ||
		    c->nr_tokens)
			return;
	}
	for (uint64_t n = 0; n < edges->nr; n++) {
		const struct syt_edge *e = &edges->all[n];

		if (e->kind != SYT_EDGE_CREATE || e->from.thread == SYT_NONE ||
		    e->to.thread == SYT_NONE || syt_blocked_has_ended(p, e->to.thread))
			continue;
		is_in_core = false;
		for (uint32_t i = 0; i < g->nr_core; i++)
			is_in_core |= b->calls[g->calls[i]].thread == e->to.thread;
		name = syt_own_frame_of(v->symbols, syt_place_image(p, e->from),
		                        syt_place_row(p, e->from)->stack);
		if (!creator && is_in_core) {
			creator = name;
			side = syt_label_side(v->labels, e->from);
		}
		if (!creator || !name || strcmp(creator, name) != 0)
			continue;
		nr++;
		nr_core += is_in_core;
	}
	if (nr < 2 || nr != nr_core)
		return;
	syt_out_printf(out, "     All %" PRIu32 " threads of the pool created in ", nr);
	syt_view_put_call(v, out, side);
	syt_out_string(out, " wait. If they wait for tasks of the same pool, no thread is left to run "
	                    "these tasks. Try: do not wait for a task inside a task, or use a "
	                    "second pool.\n");
}

static void put_group(struct syt_out *out, const struct syt_view *v,
                      const struct syt_blocked_group *g, uint64_t number)
{
	const struct syt_blocked *b = blocked_of(v);
	const struct syt_blocked_call *root = &b->calls[g->calls[0]];

	syt_out_color(out, SYT_COLOR_BOLD);
	syt_out_printf(out, "%" PRIu64 ". ", number);
	syt_out_color(out, SYT_COLOR_NONE);
	syt_out_string(out, g->state == SYT_BLOCKED_STUCK      ? "Hang: "
	                    : g->state == SYT_BLOCKED_DOUBTFUL ? "Possible hang: "
	                                                       : "Long block: ");
	if (g->is_cycle && g->nr_core > 1) {
		syt_out_printf(out, "%" PRIu32 " threads wait for each other (deadlock)",
		               g->nr_core);
	} else if (g->is_cycle || root->reason == SYT_BLOCKED_SELF) {
		syt_out_string(out, "a thread waits for itself (deadlock)");
	} else {
		if (g->nr_core > 1)
			syt_out_printf(out, "%" PRIu32 " threads", g->nr_core);
		else
			syt_view_put_thread(v, out, root->thread);
		syt_out_string(out, g->state != SYT_BLOCKED_FREE_END ? " cannot go on"
		                    : g->nr_core > 1 ? " are blocked while they hold a lock"
		                                     : " is blocked while it holds a lock");
	}
	if (g->nr > g->nr_core)
		syt_out_printf(out, "; %" PRIu32 " %sthread%s for %s", g->nr - g->nr_core,
		               g->is_cycle ? "more " : "",
		               g->nr - g->nr_core > 1 ? "s wait" : " waits",
		               g->nr_core > 1 ? "them" : "it");
	syt_out_char(out, '\n');
	if (!g->is_cycle && g->nr_core > 2)
		put_pool(out, v, g);
	for (uint32_t i = 0; i < g->nr && (i < g->nr_core || !v->limit || i < v->limit); i++) {
		const struct syt_blocked_call *c = &b->calls[g->calls[i]];

		syt_out_string(out, "     ");
		put_call(out, v, c,
		         g->is_cycle || !i || i >= g->nr_core || c->reason != root->reason);
	}
}

void syt_blocked_headline(struct syt_out *out, const struct syt_view *v)
{
	const struct syt_blocked *b = blocked_of(v);
	uint32_t nr_stuck = 0, nr_over = 0;

	if (!b->nr_calls) {
		syt_out_string(out, "Every call had returned when the trace ended.\n");
		return;
	}
	for (uint32_t n = 0; n < b->nr_calls; n++) {
		const struct syt_thread *t = b->order->places.threads[b->calls[n].thread];

		nr_stuck += b->calls[n].state == SYT_BLOCKED_STUCK;
		nr_over += (t->image->file.state & 0xff) != SYT_STATE_RUNNING;
	}
	syt_out_printf(out, "%" PRIu32 " call%s had not returned when %s ended", b->nr_calls,
	               b->nr_calls == 1 ? "" : "s",
	               nr_over && nr_over == b->nr_calls ? "the process" : "the trace");
	if (!nr_stuck && nr_over == b->nr_calls) {
		syt_out_string(out, ".\n");
		return;
	}
	syt_out_string(out, "; ");
	if (nr_stuck)
		syt_out_printf(out, "no thread of the trace can end %" PRIu32 " of them.\n",
		               nr_stuck);
	else if (nr_over)
		syt_out_printf(out,
		               "the end of the process ended %" PRIu32
		               " of them, and each of the others may still end.\n",
		               nr_over);
	else
		syt_out_string(out, "each may still end.\n");
}

void syt_blocked_findings(struct syt_out *out, const struct syt_view *v)
{
	const struct syt_blocked *b = blocked_of(v);

	if (!b->nr_groups)
		syt_out_string(out, "No thread was stuck when the trace ended.\n");
	for (size_t i = 0; i < b->nr_groups && (!v->limit || i < v->limit); i++)
		put_group(out, v, &b->groups[i], i + 1);
}

void syt_blocked_find(const struct syt_view *of, struct syt_finding *f, struct syt_html *page)
{
	struct syt_blocked b;
	struct syt_view v = *of;

	syt_blocked_open(&b, v.order);
	v.report = &b;
	v.limit = SYT_FINDING_SENTENCES;
	if (b.nr_groups) {
		f->tone = SYT_TONE_BAD;
		f->is_defect = b.groups[0].state == SYT_BLOCKED_STUCK;
		syt_finding_write(f, &v, page || v.is_json, syt_blocked_headline,
		                  syt_blocked_findings);
	}
	syt_blocked_close(&b);
}
