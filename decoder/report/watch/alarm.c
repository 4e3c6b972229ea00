/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/report/watch/alarm.h"

#include <fnmatch.h>
#include <stdlib.h>

#include "base/err.h"
#include "decoder/analysis/live_holding.h"
#include "decoder/analysis/classify.h"

/* The properties of a call that the rules need. */
struct call {
	double slow_ns;  /* maximum time of a call without an alarm */
	double file_ns;  /* maximum time of a call on a file without an alarm */
	bool is_object2; /* the second object of the event tells if the call is on a file */
	uint8_t step;    /* the effect of the call on held locks (enum syt_live_step) */
};

#define ANY_TIME 1e30

struct state {
	uint32_t nr_calls;
	size_t room_calls;
	struct call *calls;
	struct syt_live_holds holds;
};

/* ---- calls that the rules concern ---- */

/* Returns true if a wait in the call C is harmful in all cases, by the rules of the report waits. */
static bool is_harmful(const struct syt_call_info *c)
{
	switch (syt_waits_kind_of(c->shape, SYT_KIND_OTHER)) {
	case SYT_WAITS_FOR_LOCK:
	case SYT_WAITS_FOR_PEERS:
	case SYT_WAITS_FOR_TEAM:
	case SYT_WAITS_FOR_ONCE:
	case SYT_WAITS_FOR_ROOM:
		return true;
	default:
		return c->shape == SYT_SHAPE_CONNECT;
	}
}

static void set_slow(const struct syt_alarms *a, const struct syt_call_info *info, struct call *c)
{
	bool is_transfer = info->shape == SYT_SHAPE_TRANSFER;

	c->is_object2 = is_transfer;
	for (size_t n = 0; n < a->nr_rules; n++) {
		const struct syt_alarm_rule *r = &a->rules[n];
		double ns = (double)r->ns;

		if (r->kind != SYT_ALARM_SLOW)
			continue;
		bool is_meant = r->call ? !fnmatch(r->call, info->name, 0) : is_harmful(info);
		bool reads_file = info->shape == SYT_SHAPE_RECV || is_transfer;

		if (ns < c->slow_ns && is_meant)
			c->slow_ns = ns;
		if (ns < c->file_ns && (is_meant || (!r->call && reads_file)))
			c->file_ns = ns;
	}
}

/* Returns the properties of CALL, or NULL if it has no definition. */
static const struct call *call_of(const struct syt_alarms *a, struct syt_tail_image *i,
                                  uint32_t call)
{
	struct state *s = i->own;

	if (call >= s->nr_calls) {
		if (call >= i->loading.image.nr_calls)
			syt_tail_define(i);
		syt_grow(&s->calls, &s->room_calls, i->loading.image.nr_calls, sizeof(*s->calls));
		for (; s->nr_calls < i->loading.image.nr_calls; s->nr_calls++) {
			const struct syt_call_info *info = syt_live_call(i, s->nr_calls);
			struct call *c = &s->calls[s->nr_calls];

			*c = (struct call){.slow_ns = ANY_TIME, .file_ns = ANY_TIME};
			if (info) {
				set_slow(a, info, c);
				c->step = syt_live_step_of(info);
			}
		}
	}
	return call < s->nr_calls ? &s->calls[call] : NULL;
}

/* ---- printing an alarm ---- */

static uint64_t ns_of(const struct syt_tail_image *i, uint64_t ticks)
{
	return (uint64_t)((double)ticks * i->ns_per_tick);
}

static bool tell(const struct syt_alarms *a, struct syt_tail_image *i, struct syt_alarm alarm,
                 uint32_t object, uint32_t stack, uint64_t since, uint64_t until)
{
	const struct syt_clock_pair *start = &i->loading.image.file.start;

	if (!syt_live_call(i, alarm.call) || !a->wants(a->context, alarm.is_over))
		return false;
	alarm.image = i;
	alarm.object = syt_live_object(i, object);
	alarm.stack = syt_tail_stack(i, stack);
	syt_tail_origins(i);
	alarm.ns = ns_of(i, until - since);
	alarm.at_ns = start->mono_ns + (since > start->ticks ? ns_of(i, since - start->ticks) : 0);
	a->tell(a->context, &alarm);
	return true;
}

/* ---- held locks ---- */

static double hold_ns(const struct syt_alarms *a)
{
	double ns = ANY_TIME;

	for (size_t n = 0; n < a->nr_rules; n++)
		if (a->rules[n].kind == SYT_ALARM_HOLD && (double)a->rules[n].ns < ns)
			ns = (double)a->rules[n].ns;
	return ns;
}

static struct syt_alarm hold_alarm(uint32_t thread, const struct syt_live_hold *h, bool is_over)
{
	return (struct syt_alarm){
		.kind = SYT_ALARM_HOLD, .thread = thread, .call = h->call, .is_over = is_over};
}

static void on_released(void *context, struct syt_tail_image *i, uint32_t thread,
                        const struct syt_live_hold *was, uint64_t at)
{
	const struct syt_alarms *a = context;

	if (!was->is_told && (double)(at - was->since) * i->ns_per_tick > hold_ns(a))
		tell(a, i, hold_alarm(thread, was, true), was->object, was->stack, was->since, at);
}

/* ---- new events ---- */

static bool is_file(struct syt_tail_image *i, uint32_t id)
{
	uint32_t object = syt_live_object(i, id);

	return object != SYT_NONE && i->loading.image.objects[object].kind == SYT_KIND_FILE;
}

static bool is_slow(struct syt_tail_image *i, const struct call *c, const struct syt_event *e)
{
	double ns = (double)e->dur * i->ns_per_tick;

	return ns > c->slow_ns ||
	       (ns > c->file_ns && is_file(i, (uint32_t)(c->is_object2 ? e->object2 : e->object)));
}

static void on_image(void *context, struct syt_tail_image *i)
{
	(void)context;
	i->own = syt_calloc(1, sizeof(struct state));
}

static void on_event(void *context, struct syt_tail_image *i, uint32_t thread,
                     const struct syt_event *e)
{
	const struct syt_alarms *a = context;
	struct syt_live_holds *holds = &((struct state *)i->own)->holds;
	struct syt_live_thread *t = syt_live_thread_at(holds, thread);
	const struct call *c = call_of(a, i, e->call);
	uint64_t in = e->stamp, out = e->stamp;

	if (!c)
		return;
	if (e->dur) {
		const struct syt_call_info *info = syt_live_call(i, e->call);

		if (info && info->stamp_in)
			out += e->dur;
		else
			in -= e->dur;
		if (is_slow(i, c, e) && in != t->told && in <= out)
			tell(a, i,
			     (struct syt_alarm){.kind = SYT_ALARM_SLOW,
			                        .thread = thread,
			                        .call = e->call,
			                        .is_over = true},
			     e->object, e->stack, in, out);
	}
	if (out > t->last)
		t->last = out;
	if (c->step != SYT_LIVE_NONE)
		syt_live_step(holds, i, thread, e, (enum syt_live_step)c->step, in, out,
		              on_released, context);
}

static void on_gap(void *context, struct syt_tail_image *i, uint32_t thread, uint64_t ticks)
{
	(void)context;
	syt_live_gap(&((struct state *)i->own)->holds, thread, ticks);
}

/* ---- calls and holds that are not over ---- */

static void look_at_waiting(const struct syt_alarms *a, struct syt_tail_image *i,
                            const struct syt_waiting *w)
{
	const struct call *c = call_of(a, i, w->call);
	struct syt_live_thread *t =
		syt_live_thread_at(&((struct state *)i->own)->holds, w->thread);

	if (c && t->told != w->since && (double)(i->now - w->since) * i->ns_per_tick > c->slow_ns &&
	    tell(a, i,
	         (struct syt_alarm){.kind = SYT_ALARM_SLOW, .thread = w->thread, .call = w->call},
	         w->object, w->stack, w->since, i->now))
		t->told = w->since;
}

/* Reports long holds that already existed at the last look. A release is recorded after it took effect, so at the
 * first look after a release its record may not exist yet. */
static void look_at_holds(const struct syt_alarms *a, struct syt_tail_image *i, uint32_t thread,
                          const struct syt_waiting *w)
{
	struct state *s = i->own;
	struct syt_live_thread *t = &s->holds.threads[thread];
	double ns = hold_ns(a);

	for (size_t n = 0; n < t->nr; n++) {
		struct syt_live_hold *h = &t->holds[n];
		struct syt_alarm alarm = hold_alarm(thread, h, false);

		if (h->is_told || h->since <= i->resumed || h->since >= i->now || !h->nr_looks++ ||
		    (double)(i->now - h->since) * i->ns_per_tick <= ns ||
		    !syt_live_is_held(&s->holds, i, h, w))
			continue;
		alarm.has_ended = t->has_ended;
		h->is_told = tell(a, i, alarm, h->object, h->stack, h->since, i->now);
	}
}

static void on_looked(void *context, struct syt_tail_image *i)
{
	const struct syt_alarms *a = context;
	struct state *s = i->own;
	const struct syt_waiting **waiting;
	size_t nr;

	if (!i->is_live || i->resumed == UINT64_MAX)
		return;
	nr = i->nr_threads;
	waiting = syt_calloc(nr, sizeof(const struct syt_waiting *));
	for (size_t n = 0; n < i->nr_slots; n++) {
		const struct syt_waiting *w = &i->slots[n].page.waiting;

		if (!syt_live_is_waiting(&s->holds, i, w))
			continue;
		waiting[w->thread] = w;
		look_at_waiting(a, i, w);
	}
	for (uint32_t n = 0; n < s->holds.nr_threads && n < nr; n++)
		look_at_holds(a, i, n, waiting[n]);
	free(waiting);
}

struct syt_tail_eye syt_alarms_eye(struct syt_alarms *a)
{
	return (struct syt_tail_eye){a, on_image, on_event, on_gap, on_looked};
}

void syt_alarms_fini(struct syt_tail *t)
{
	for (size_t n = 0; n < t->nr_images; n++) {
		struct state *s = t->images[n]->own;

		if (!s)
			continue;
		syt_live_fini(&s->holds);
		free(s->calls);
		free(s);
	}
}
