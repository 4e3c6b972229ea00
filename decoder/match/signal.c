/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/match/signal.h"

#include <signal.h>
#include "base/bisect.h"
#include "base/compare.h"
#include "base/sort.h"

#define FIRST_QUEUED 32u /* the kernel's SIGRTMIN: signals from here on are queued */

/* Returns the way of sending a signal. A thread-directed kill has the si_code SI_TKILL, but sigwaitinfo() reports
 * SI_USER. */
static int32_t way_of(uint64_t status)
{
	int32_t code = (int32_t)status;

	return code == SI_TKILL ? SI_USER : code;
}

/* Returns true if the send that the event AT announces has returned, and thus has an event of its own. */
static bool has_returned(const struct syt_signals *s, struct syt_place at)
{
	const struct syt_thread *t = syt_place_thread(s->m->places, at);
	const struct syt_row *begun = syt_thread_row(t, at.row);

	for (uint64_t i = at.row + 1; i < t->nr_rows; i++) {
		const struct syt_row *r = syt_thread_row(t, i);

		if (r->in != begun->in)
			break;
		if (r->object == begun->object &&
		    syt_row_call(t->image, r)->shape == SYT_SHAPE_SIGNAL_SEND)
			return true;
	}
	return false;
}

static uint64_t queue_of(const struct syt_signals *s, struct syt_place at,
                         const struct syt_extra *x)
{
	if (x->arg != SYT_SIGNAL_QUEUE_UNKNOWN)
		return x->arg;
	if (x->thread == SYT_NONE)
		return SYT_SIGNAL_QUEUE_UNKNOWN;
	return syt_place_image(s->m->places, at)->threads[x->thread].tid;
}

static void add_send(struct syt_signals *s, struct syt_place at, bool has_end)
{
	const struct syt_extra *x = syt_place_extra(s->m->places, at);

	if (x->flags & SYT_EVENT_VFORK) /* made by a vfork child, which is not recorded itself */
		return;
	s->sends[s->nr_sends++] = (struct syt_signal_send){
		.sender = syt_place_image(s->m->places, at)->file.pid,
		.target = x->pid,
		.code = way_of(x->status),
		.queue = queue_of(s, at, x),
		.in = syt_place_row(s->m->places, at)->in,
		.latest = has_end ? syt_place_latest(s->m->places, at) : UINT64_MAX,
		.place = at,
	};
}

static enum syt_reason no_sender(const struct syt_signal_take *t, const struct syt_extra *x)
{
	if (x->flags & SYT_EVENT_VFORK)
		return SYT_REASON_UNCERTAIN;
	if (t->code != SI_USER && t->code != SI_QUEUE)
		return SYT_REASON_KERNEL;
	return t->sender ? SYT_NR_REASONS : SYT_REASON_UNTRACED_PEER;
}

static void add_take(struct syt_signals *s, struct syt_place at)
{
	const struct syt_extra *x = syt_place_extra(s->m->places, at);
	struct syt_signal_take *t;

	if (x->object2 != SYT_NONE) /* match_timer.c matches signals of timers */
		return;
	t = &s->takes[s->nr_takes++];
	*t = (struct syt_signal_take){
		.sender = x->pid,
		.target = syt_place_image(s->m->places, at)->file.pid,
		.code = way_of(x->status),
		.queue = syt_place_thread(s->m->places, at)->tid,
		.earliest = syt_place_earliest(s->m->places, at),
		.out = syt_place_row(s->m->places, at)->out,
		.place = at,
	};
	t->reason = no_sender(t, x);
}

static void collect(struct syt_signals *s)
{
	struct syt_history h = syt_history_of(s->m->histories, s->object);

	s->sends = syt_store_alloc(h.nr, sizeof(*s->sends));
	s->takes = syt_store_alloc(h.nr, sizeof(*s->takes));
	for (uint64_t i = 0; i < h.nr; i++) {
		const struct syt_touch *t = &h.touches[i];

		if (t->role != SYT_ROLE_SELF)
			continue;
		if (syt_touch_is(t, SYT_SHAPE_SIGNAL_SEND))
			add_send(s, t->place, true);
		else if (t->shape == SYT_SHAPE_SIGNAL_SENDING && !has_returned(s, t->place))
			add_send(s, t->place, false);
		else if (t->shape == SYT_SHAPE_SIGNAL_RECV)
			add_take(s, t->place);
	}
}

SYT_COMPARATOR(by_route, struct syt_signal_send)
{
	SYT_ORDER_BY(sender);
	SYT_ORDER_BY(code);
	SYT_ORDER_BY(target);
	SYT_ORDER_BY(in);
	return syt_place_compare(a->place, b->place);
}

SYT_COMPARATOR(by_source, struct syt_signal_take)
{
	SYT_ORDER_BY(reason); /* takes without a sender come first */
	SYT_ORDER_BY(sender);
	SYT_ORDER_BY(code);
	SYT_ORDER_BY(target);
	SYT_ORDER_BY(queue);
	SYT_ORDER_BY(out);
	return syt_place_compare(a->place, b->place);
}

void syt_signals_open(struct syt_signals *s, struct syt_match *m, uint32_t object)
{
	*s = (struct syt_signals){.m = m, .object = object};
	s->is_queued = m->objects->all[object].info->identity >= FIRST_QUEUED;
	collect(s);
	syt_sort(s->sends, s->nr_sends, sizeof(*s->sends), by_route);
	syt_sort(s->takes, s->nr_takes, sizeof(*s->takes), by_source);
}

struct syt_signal_send *syt_signals_sent(const struct syt_signals *s,
                                         const struct syt_signal_take *t, uint64_t target,
                                         uint64_t *nr)
{
	struct syt_signal_send key = {.sender = t->sender, .code = t->code, .target = target};
	uint64_t low = SYT_BISECT(i, 0, s->nr_sends, by_route(&s->sends[i], &key) < 0);

	for (*nr = 0; low + *nr < s->nr_sends; ++*nr) {
		const struct syt_signal_send *of = &s->sends[low + *nr];

		if (of->sender != t->sender || of->code != t->code || of->target != target)
			break;
	}
	return s->sends + low;
}

void syt_signals_close(struct syt_signals *s)
{
	syt_store_free(s->sends);
	syt_store_free(s->takes);
	syt_store_free(s->candidates);
}
