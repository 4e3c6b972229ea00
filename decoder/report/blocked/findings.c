/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The sentences of the report blocked, and its part of diagnose. */
#include <inttypes.h>

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
static void put_absent(struct syt_out *out, const struct syt_blocked_call *c, const char *what)
{
	if (c->evidence.thread == SYT_NONE)
		syt_out_printf(out, "no thread ever %s", what);
	else if (c->state == SYT_BLOCKED_STUCK)
		syt_out_printf(out, "all threads that could have %s are blocked, too", what);
	else if (c->state == SYT_BLOCKED_DOUBTFUL)
		syt_out_printf(out, "all threads that %s before are blocked, too, or have ended",
		               what);
	else
		syt_out_printf(out, "no thread %s in this time", what);
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
		put_absent(out, c, "signalled it");
		put_last(out, v, c, "signal");
		break;
	case SYT_BLOCKED_TOKEN:
		put_absent(out, c, "posted it");
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
		put_absent(out, c, "wrote to it");
		put_last(out, v, c, "write");
		break;
	case SYT_BLOCKED_ROOM:
		syt_out_string(out, "it is full, and ");
		put_absent(out, c, "read it");
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
	syt_view_put_thread(v, out, c->thread);
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
	for (uint32_t i = 0; i < g->nr && (i < g->nr_core || !v->limit || i < v->limit); i++) {
		syt_out_string(out, "     ");
		put_call(out, v, &b->calls[g->calls[i]], g->is_cycle || !i || i >= g->nr_core);
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
