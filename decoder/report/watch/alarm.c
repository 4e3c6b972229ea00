/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/report/watch/alarm.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>

#include "base/err.h"
#include "decoder/read/number.h"
#include "decoder/report/waits/classify.h"

#define SPAN_MIN_NS UINT64_C(1000)
#define SPAN_MAX_NS (UINT64_C(86400) * 1000000000)

/* The properties of a call that the rules need. */
struct call {
	double slow_ns;  /* maximum time of a call without an alarm */
	double file_ns;  /* maximum time of a call on a file without an alarm */
	bool is_object2; /* the second object of the event tells if the call is on a file */
	uint8_t step;    /* the effect of the call on held locks (enum step) */
};

/* The ways in which a call changes the locks that its thread holds. */
enum step { STEP_NONE, STEP_TAKE, STEP_SHARE, STEP_RELEASE, STEP_COND, STEP_FORGET, STEP_END };

#define ANY_TIME 1e30

struct hold {
	uint32_t object, depth; /* OBJECT is the id of the lock as in the events */
	uint32_t stack, call;
	uint64_t since;
	unsigned nr_looks; /* number of looks at the trace during the hold */
	bool is_shared, is_told;
};

struct thread {
	uint64_t last;      /* end of the thread's last event */
	uint64_t told;      /* begin of the last call for which an alarm was printed */
	bool is_incomplete; /* events are missing: the thread may hold locks that it took unseen */
	bool has_ended;
	size_t nr, room;
	struct hold *holds;
};

struct state {
	uint32_t nr_calls, nr_threads, nr_foreign;
	size_t room_calls, room_threads, room_foreign;
	struct call *calls;
	struct thread *threads;
	uint8_t *foreign; /* [id of a lock]: threads release this lock without holding it */
};

bool syt_alarm_span_parse(const char *text, size_t bytes, uint64_t *ns)
{
	char *copy = syt_strndup(text, bytes);
	size_t unit = strspn(copy, "0123456789.");
	struct syt_moment m;
	bool is_span = *copy != '.' &&
	               (!strcmp(copy + unit, "us") || !strcmp(copy + unit, "ms") ||
	                !strcmp(copy + unit, "s")) &&
	               syt_moment_parse(copy, &m) && m.ns >= SPAN_MIN_NS && m.ns <= SPAN_MAX_NS;

	free(copy);
	*ns = is_span ? m.ns : 0;
	return is_span;
}

/* ---- calls that the rules concern ---- */

/* Returns true if a wait in the call C is harmful in all cases, by the rules of the report waits. */
static bool is_harmful(const struct syt_call_info *c)
{
	switch (syt_waits_kind_of(c->shape, SYT_KIND_OTHER)) {
	case SYT_WAITS_FOR_LOCK:
	case SYT_WAITS_FOR_PEERS:
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

static void set_step(const struct syt_call_info *info, struct call *c)
{
	static const uint8_t steps[SYT_NR_SHAPES] = {
		[SYT_SHAPE_LOCK] = STEP_TAKE,      [SYT_SHAPE_RDLOCK] = STEP_SHARE,
		[SYT_SHAPE_UNLOCK] = STEP_RELEASE, [SYT_SHAPE_INIT] = STEP_FORGET,
		[SYT_SHAPE_DESTROY] = STEP_FORGET, [SYT_SHAPE_COND_WAIT] = STEP_COND,
		[SYT_SHAPE_CANCELLED] = STEP_COND, [SYT_SHAPE_THREAD_END] = STEP_END,
	};
	uint8_t s = steps[info->shape];

	if (s == STEP_COND || s == STEP_END || syt_holdings_has_kind((enum syt_kind)info->kind))
		c->step = s;
}

static const struct syt_call_info *info_of(struct syt_tail_image *i, uint32_t call)
{
	const struct syt_image *image = &i->loading.image;

	return call < image->nr_calls && image->calls[call].name ? &image->calls[call] : NULL;
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
			const struct syt_call_info *info = info_of(i, s->nr_calls);
			struct call *c = &s->calls[s->nr_calls];

			*c = (struct call){.slow_ns = ANY_TIME, .file_ns = ANY_TIME};
			if (info) {
				set_slow(a, info, c);
				set_step(info, c);
			}
		}
	}
	return call < s->nr_calls ? &s->calls[call] : NULL;
}

/* ---- printing an alarm ---- */

static uint32_t object_of(struct syt_tail_image *i, uint32_t id)
{
	if (id && id > i->loading.image.nr_objects)
		syt_tail_define(i);
	return id - 1 < i->loading.image.nr_objects ? id - 1 : SYT_NONE;
}

static uint64_t ns_of(const struct syt_tail_image *i, uint64_t ticks)
{
	return (uint64_t)((double)ticks * i->ns_per_tick);
}

static bool tell(const struct syt_alarms *a, struct syt_tail_image *i, struct syt_alarm alarm,
                 uint32_t object, uint32_t stack, uint64_t since, uint64_t until)
{
	const struct syt_clock_pair *start = &i->loading.image.file.start;

	if (!info_of(i, alarm.call) || !a->wants(a->context, alarm.is_over))
		return false;
	alarm.image = i;
	alarm.object = object_of(i, object);
	alarm.stack = syt_tail_stack(i, stack);
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

static struct hold *hold_of(struct thread *t, uint32_t object)
{
	for (size_t n = t->nr; n-- > 0;)
		if (t->holds[n].object == object)
			return &t->holds[n];
	return NULL;
}

static bool is_foreign(const struct state *s, uint32_t object)
{
	return object < s->nr_foreign && s->foreign[object];
}

static void set_foreign(struct syt_tail_image *i, uint32_t object)
{
	struct state *s = i->own;

	if (object_of(i, object) == SYT_NONE)
		return;
	if (object >= s->nr_foreign) {
		syt_grow(&s->foreign, &s->room_foreign, (size_t)object + 1, 1);
		memset(s->foreign + s->nr_foreign, 0, object + 1 - s->nr_foreign);
		s->nr_foreign = object + 1;
	}
	s->foreign[object] = 1;
}

static void take(struct thread *t, const struct syt_event *e, uint32_t object, uint64_t since,
                 bool is_shared)
{
	struct hold *h = hold_of(t, object);

	if (h && e->result != EOWNERDEAD) {
		h->depth++;
		return;
	}
	if (!h) {
		syt_grow(&t->holds, &t->room, t->nr + 1, sizeof(*t->holds));
		h = &t->holds[t->nr++];
	}
	*h = (struct hold){object, 1, e->stack, e->call, since, 0, is_shared, false};
}

static void drop(struct thread *t, struct hold *h)
{
	*h = t->holds[--t->nr];
}

static struct syt_alarm hold_alarm(uint32_t thread, const struct hold *h, bool is_over)
{
	return (struct syt_alarm){
		.kind = SYT_ALARM_HOLD, .thread = thread, .call = h->call, .is_over = is_over};
}

/* Ends the hold of the lock OBJECT by THREAD at the time AT. Of a recursive mutex, only the outermost hold
 * counts. */
static void release(const struct syt_alarms *a, struct syt_tail_image *i, uint32_t thread,
                    uint32_t object, uint64_t at, bool is_all)
{
	struct state *s = i->own;
	struct thread *t = &s->threads[thread];
	struct hold *h = hold_of(t, object);

	if (!h) {
		/* the child of fork() may hold the locks of the thread that called fork() */
		if (!t->is_incomplete && !i->resumed &&
		    (thread || i->loading.image.file.parent_index == UINT32_MAX))
			set_foreign(i, object);
		return;
	}
	if (--h->depth && !is_all)
		return;

	const struct hold was = *h;

	drop(t, h);
	if (at > was.since && was.since > i->resumed && !was.is_told && !is_foreign(s, object) &&
	    (double)(at - was.since) * i->ns_per_tick > hold_ns(a))
		tell(a, i, hold_alarm(thread, &was, true), object, was.stack, was.since, at);
}

static void step(const struct syt_alarms *a, struct syt_tail_image *i, uint32_t thread,
                 const struct syt_event *e, const struct call *c, uint64_t in, uint64_t out)
{
	struct state *s = i->own;
	struct thread *t = &s->threads[thread];
	const struct syt_call_info *info = info_of(i, e->call);
	const struct syt_row row = {.result = e->result, .err = (uint16_t)e->err};
	struct hold *h;

	if (e->flags & SYT_EVENT_VFORK ||
	    !info) /* a vfork() child, which borrows the thread, made the event */
		return;
	switch (c->step) {
	case STEP_TAKE:
	case STEP_SHARE:
		if (e->object && syt_row_succeeded(info, &row))
			take(t, e, e->object, out, c->step == STEP_SHARE);
		break;
	case STEP_RELEASE:
		if (e->object && syt_row_succeeded(info, &row))
			release(a, i, thread, e->object, in, false);
		break;
	case STEP_COND:
		if (!e->object2 || !syt_row_gave_mutex(info, &row))
			break;
		h = hold_of(t, e->object2);
		if (h)
			release(a, i, thread, e->object2, in, true);
		take(t, e, e->object2, out, false);
		break;
	case STEP_FORGET:
		h = hold_of(t, e->object);
		if (h)
			drop(t, h);
		break;
	case STEP_END:
		t->has_ended = true;
		break;
	case STEP_NONE:
		break;
	}
}

/* ---- new events ---- */

static struct thread *thread_at(struct syt_tail_image *i, uint32_t thread)
{
	struct state *s = i->own;

	if (thread >= s->nr_threads) {
		syt_grow(&s->threads, &s->room_threads, (size_t)thread + 1, sizeof(*s->threads));
		memset(s->threads + s->nr_threads, 0,
		       ((size_t)thread + 1 - s->nr_threads) * sizeof(*s->threads));
		s->nr_threads = thread + 1;
	}
	return &s->threads[thread];
}

static bool is_file(struct syt_tail_image *i, uint32_t id)
{
	uint32_t object = object_of(i, id);

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
	struct thread *t = thread_at(i, thread);
	const struct call *c = call_of(a, i, e->call);
	uint64_t in = e->stamp, out = e->stamp;

	if (!c)
		return;
	if (e->dur) {
		const struct syt_call_info *info = info_of(i, e->call);

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
	if (c->step != STEP_NONE)
		step(a, i, thread, e, c, in, out);
}

static void on_gap(void *context, struct syt_tail_image *i, uint32_t thread, uint64_t ticks)
{
	struct thread *t = thread_at(i, thread);

	(void)context;
	t->nr = 0;
	t->is_incomplete = true;
	if (ticks > t->last)
		t->last = ticks;
}

/* ---- calls and holds that are not over ---- */

/* Returns true if the call W has not returned yet. */
static bool is_waiting(struct syt_tail_image *i, const struct syt_waiting *w)
{
	return w->since && w->since > i->resumed && w->since < i->now &&
	       w->thread < i->nr_threads && thread_at(i, w->thread)->last < w->since;
}

static void look_at_waiting(const struct syt_alarms *a, struct syt_tail_image *i,
                            const struct syt_waiting *w)
{
	const struct call *c = call_of(a, i, w->call);
	struct thread *t = thread_at(i, w->thread);

	if (c && t->told != w->since && (double)(i->now - w->since) * i->ns_per_tick > c->slow_ns &&
	    tell(a, i,
	         (struct syt_alarm){.kind = SYT_ALARM_SLOW, .thread = w->thread, .call = w->call},
	         w->object, w->stack, w->since, i->now))
		t->told = w->since;
}

/* Returns true if the unreturned call W waits for a condition and has released the mutex of H for this time. */
static bool is_given_away(const struct syt_tail_image *i, const struct syt_waiting *w,
                          const struct hold *h)
{
	const struct syt_image *image = &i->loading.image;

	return w && w->object2 == h->object && w->call < image->nr_calls &&
	       image->calls[w->call].name && image->calls[w->call].shape == SYT_SHAPE_COND_WAIT;
}

/* Returns true if another thread took the lock of H later, so the release that ended H was not recorded. */
static bool is_stale(const struct state *s, const struct hold *h)
{
	for (uint32_t n = 0; n < s->nr_threads; n++) {
		const struct hold *other = hold_of(&s->threads[n], h->object);

		if (other && other != h && other->since > h->since &&
		    !(other->is_shared && h->is_shared))
			return true;
	}
	return false;
}

/* Reports long holds that already existed at the last look. A release is recorded after it took effect, so at the
 * first look after a release its record may not exist yet. */
static void look_at_holds(const struct syt_alarms *a, struct syt_tail_image *i, uint32_t thread,
                          const struct syt_waiting *w)
{
	struct state *s = i->own;
	struct thread *t = &s->threads[thread];
	double ns = hold_ns(a);

	for (size_t n = 0; n < t->nr; n++) {
		struct hold *h = &t->holds[n];
		struct syt_alarm alarm = hold_alarm(thread, h, false);

		if (h->is_told || h->since <= i->resumed || h->since >= i->now || !h->nr_looks++ ||
		    (double)(i->now - h->since) * i->ns_per_tick <= ns ||
		    is_foreign(s, h->object) || is_given_away(i, w, h) || is_stale(s, h))
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

		if (!is_waiting(i, w))
			continue;
		waiting[w->thread] = w;
		look_at_waiting(a, i, w);
	}
	for (uint32_t n = 0; n < s->nr_threads && n < nr; n++)
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
		for (uint32_t k = 0; k < s->nr_threads; k++)
			free(s->threads[k].holds);
		free(s->calls);
		free(s->threads);
		free(s->foreign);
		free(s);
	}
}
