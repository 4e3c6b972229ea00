/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/analysis/blocked.h"

#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/err.h"
#include "decoder/order/end.h"
#include "decoder/order/locks.h"
#include "decoder/read/call.h"

/* A thread that waits for a lock counts as stopped by a holder that is blocked elsewhere if both waits lasted this long. */
#define LONG_WAIT ((syt_time)100000000 << SYT_TIME_SHIFT)

const char *syt_blocked_word(enum syt_blocked_reason reason)
{
	static const char *const words[] = {
#define REASON(name_, word_) word_,
		SYT_BLOCKED_REASONS(REASON)
#undef REASON
	};

	return words[reason];
}

uint8_t syt_blocked_last_shape(const struct syt_places *p, uint32_t thread)
{
	const struct syt_thread *t = p->threads[thread];

	if (!t->nr_rows)
		return SYT_SHAPE_THREAD_END;
	return syt_place_call(p, (struct syt_place){thread, (uint32_t)t->nr_rows - 1})->shape;
}

bool syt_blocked_has_ended(const struct syt_places *p, uint32_t thread)
{
	uint8_t shape = syt_blocked_last_shape(p, thread);

	return shape == SYT_SHAPE_THREAD_END || shape == SYT_SHAPE_EXIT || shape == SYT_SHAPE_EXEC;
}

/* ---- stuck and doubtful calls ---- */

static bool is_in_set(const struct syt_blocked_search *s, uint32_t thread, uint8_t least)
{
	uint32_t n = thread == SYT_NONE ? SYT_NONE : s->b->call_of[thread];

	return n != SYT_NONE && s->b->calls[n].state >= least;
}

/* Returns true if all threads of the images that can end C are in the set. */
static bool is_abandoned(const struct syt_blocked_search *s, const struct syt_blocked_call *c)
{
	for (uint32_t i = 0; i < c->nr_enders; i++)
		if (s->nr_held[c->enders[i]] < s->nr_live[c->enders[i]])
			return false;
	return c->nr_enders;
}

/* Returns true if all threads that gave before have ended or are in the set. */
static bool has_lost_givers(const struct syt_blocked_search *s, const struct syt_blocked_call *c)
{
	for (uint32_t i = 0; i < c->nr_givers; i++)
		if (!s->has_ended[c->givers[i].thread] &&
		    !is_in_set(s, c->givers[i].thread, SYT_BLOCKED_DOUBTFUL))
			return false;
	return c->nr_givers;
}

/* Returns true if C stays in the set of calls whose state is at least LEAST. */
static bool stays(const struct syt_blocked_search *s, const struct syt_blocked_call *c,
                  uint8_t least)
{
	switch (c->reason) {
	case SYT_BLOCKED_SELF:
	case SYT_BLOCKED_ENDED:
	case SYT_BLOCKED_FORKED:
		return true;
	case SYT_BLOCKED_HELD:
		for (uint32_t i = 0; i < c->nr_givers; i++)
			if (is_in_set(s, c->givers[i].thread, least))
				return true;
		return false;
	case SYT_BLOCKED_JOIN:
		return is_in_set(s, c->next, least);
	case SYT_BLOCKED_OUTSIDE:
	case SYT_BLOCKED_FREE:
		return false;
	default:
		return is_in_set(s, c->mutex_taken.thread, least) ||
		       (!c->is_under_way && (is_abandoned(s, c) || (least == SYT_BLOCKED_DOUBTFUL &&
		                                                    has_lost_givers(s, c))));
	}
}

/* Gives the state STATE to the largest set of calls that only calls of the set, or of a higher state, could end. */
static void find_set(struct syt_blocked_search *s, uint8_t state)
{
	struct syt_blocked *b = s->b;
	bool is_done = false;

	for (uint32_t n = 0; n < b->nr_calls; n++) {
		struct syt_blocked_call *c = &b->calls[n];

		if (c->state == SYT_BLOCKED_FREE_END && !c->has_timeout) {
			c->state = state;
			s->nr_held[s->of[c->thread]]++;
		}
	}
	while (!is_done) {
		is_done = true;
		for (uint32_t n = 0; n < b->nr_calls; n++) {
			struct syt_blocked_call *c = &b->calls[n];

			if (c->state != state || stays(s, c, state))
				continue;
			c->state = SYT_BLOCKED_FREE_END;
			s->nr_held[s->of[c->thread]]--;
			is_done = false;
		}
	}
}

/* Finds the first stuck and the first doubtful call of each image. */
static void find_first(struct syt_blocked_search *s)
{
	memset(s->first_stuck, 0xff, s->nr_images * sizeof(*s->first_stuck));
	memset(s->first_doubtful, 0xff, s->nr_images * sizeof(*s->first_doubtful));
	for (uint32_t n = s->b->nr_calls; n--;) {
		uint32_t image = s->of[s->b->calls[n].thread];

		if (s->b->calls[n].state == SYT_BLOCKED_STUCK)
			s->first_stuck[image] = n;
		if (s->b->calls[n].state != SYT_BLOCKED_FREE_END)
			s->first_doubtful[image] = n;
	}
}

/* ---- groups ---- */

/* Chooses the thread that C waits for, among threads in the set. */
static void choose_next(struct syt_blocked_search *s, struct syt_blocked_call *c)
{
	struct syt_blocked *b = s->b;
	uint32_t first = SYT_NONE;

	if (c->reason == SYT_BLOCKED_SIGNAL && is_in_set(s, c->mutex_taken.thread, c->state) &&
	    !is_abandoned(s, c)) {
		c->reason = SYT_BLOCKED_HELD;
		c->evidence = c->mutex_taken;
		c->next = c->evidence.thread;
	}
	for (uint32_t i = 0; i < c->nr_givers && c->reason == SYT_BLOCKED_HELD; i++)
		if (!is_in_set(s, c->next, c->state) && is_in_set(s, c->givers[i].thread, c->state))
			syt_blocked_blame(s, c, c->givers[i]);
	/* Any thread may signal and post.  The threads that did so before matter only if the call is doubtful. */
	for (uint32_t i = 0; i < c->nr_givers && c->next == SYT_NONE; i++)
		if ((c->state == SYT_BLOCKED_DOUBTFUL || c->reason == SYT_BLOCKED_DATA ||
		     c->reason == SYT_BLOCKED_ROOM) &&
		    is_in_set(s, c->givers[i].thread, c->state))
			c->next = c->givers[i].thread;
	/* a process waits for another process as a whole */
	for (uint32_t i = 0; i < c->nr_enders && c->next == SYT_NONE; i++) {
		uint32_t n = c->state == SYT_BLOCKED_STUCK ? s->first_stuck[c->enders[i]]
		                                           : s->first_doubtful[c->enders[i]];

		if (c->enders[i] != s->of[c->thread])
			first = n < first ? n : first;
	}
	if (c->next == SYT_NONE && first != SYT_NONE)
		c->next = b->calls[first].thread;
}

/* Returns the call that the call N waits for; SYT_NONE: N is a root. */
static uint32_t next_call(const struct syt_blocked *b, uint32_t n)
{
	const struct syt_blocked_call *c = &b->calls[n];
	uint32_t next = c->next == SYT_NONE ? SYT_NONE : b->call_of[c->next];

	if (next == SYT_NONE || c->reason == SYT_BLOCKED_FORKED)
		return SYT_NONE;
	if (c->state == SYT_BLOCKED_FREE_END)
		return c->reason == SYT_BLOCKED_HELD && c->until - c->since >= LONG_WAIT &&
		                       b->calls[next].until - b->calls[next].since >= LONG_WAIT
		               ? next
		               : SYT_NONE;
	return b->calls[next].state >= c->state ? next : SYT_NONE;
}

/* Returns true if any thread of its process could end the stuck call C, and C is no wait of an idle worker: if no thread is
 * left, all these calls of the process are one hang. */
static bool is_for_any(const struct syt_blocked_call *c)
{
	return c->state == SYT_BLOCKED_STUCK && !c->is_usual && c->nr_enders == 1 &&
	       (c->reason == SYT_BLOCKED_SIGNAL || c->reason == SYT_BLOCKED_TOKEN ||
	        c->reason == SYT_BLOCKED_WAKE);
}

/* Returns the first root with the object, the reason and the state of the root N, or of the same hang. */
static uint32_t first_root(const struct syt_blocked *b, uint32_t n)
{
	const struct syt_blocked_call *root = &b->calls[n];

	for (uint32_t i = 0; root->object != SYT_NONE && i < n; i++) {
		const struct syt_blocked_call *c = &b->calls[i];
		bool is_same = c->object == root->object && c->reason == root->reason &&
		               c->state == root->state;

		if (next_call(b, i) == SYT_NONE && (is_same || (is_for_any(c) && is_for_any(root) &&
		                                                c->enders[0] == root->enders[0])))
			return i;
	}
	return n;
}

/* Returns a call of the cycle, or the first of the roots, to which the call N leads. */
static uint32_t core_of(const struct syt_blocked *b, uint32_t n)
{
	uint32_t least;

	for (uint32_t i = 0; i < b->nr_calls; i++) {
		uint32_t next = next_call(b, n);

		if (next == SYT_NONE)
			return first_root(b, n);
		n = next;
	}
	least = n; /* N is in a cycle now */
	for (uint32_t i = next_call(b, n); i != n; i = next_call(b, i))
		least = i < least ? i : least;
	return least;
}

static void add_group(struct syt_blocked *b, const uint32_t *core, uint32_t first)
{
	struct syt_blocked_group g = {.calls = syt_alloc(b->nr_calls, sizeof(*g.calls)),
	                              .state = b->calls[first].state};
	bool has_lock = false;

	g.calls[g.nr++] = first;
	g.is_cycle = next_call(b, first) != SYT_NONE;
	for (uint32_t i = next_call(b, first); i != SYT_NONE && i != first; i = next_call(b, i))
		g.calls[g.nr++] = i;
	for (uint32_t n = first + 1; n < b->nr_calls && !g.is_cycle; n++)
		if (core[n] == first && next_call(b, n) == SYT_NONE)
			g.calls[g.nr++] = n;
	g.nr_core = g.nr;
	for (uint32_t n = 0; n < b->nr_calls; n++) {
		bool is_in_core = false;

		for (uint32_t i = 0; i < g.nr_core; i++)
			is_in_core |= g.calls[i] == n;
		if (core[n] == first && !is_in_core)
			g.calls[g.nr++] = n;
	}
	for (uint32_t i = 0; i < g.nr; i++)
		has_lock |= b->calls[g.calls[i]].reason == SYT_BLOCKED_HELD ||
		            b->calls[g.calls[i]].reason == SYT_BLOCKED_JOIN;
	if (g.state == SYT_BLOCKED_STUCK || (has_lock && g.nr > 1)) {
		g.calls = syt_realloc(g.calls, g.nr, sizeof(*g.calls));
		syt_grow(&b->groups, &b->room_groups, b->nr_groups + 1, sizeof(*b->groups));
		b->groups[b->nr_groups++] = g;
	} else {
		free(g.calls);
	}
}

static int worst_first(const void *a_, const void *b_)
{
	const struct syt_blocked_group *a = a_, *b = b_;

	SYT_ORDER(b->state, a->state);
	SYT_ORDER(b->nr, a->nr);
	return a->calls[0] < b->calls[0] ? -1 : a->calls[0] > b->calls[0];
}

static void find_groups(struct syt_blocked *b)
{
	uint32_t *core = syt_alloc(b->nr_calls, sizeof(*core));

	for (uint32_t n = 0; n < b->nr_calls; n++)
		core[n] = core_of(b, n);
	for (uint32_t n = 0; n < b->nr_calls; n++)
		if (core[n] == n)
			add_group(b, core, n);
	if (b->nr_groups)
		qsort(b->groups, b->nr_groups, sizeof(*b->groups), worst_first);
	free(core);
}

/* ---- all ---- */

/* Finds the parents of the images, and the images with children that are not in the trace. */
static void find_families(struct syt_blocked_search *s)
{
	const struct syt_order *o = s->o;
	int64_t *nr_unseen = syt_calloc(s->nr_images, sizeof(*nr_unseen));

	for (uint32_t i = 0; i < s->nr_images; i++) {
		s->parent[i] = syt_image_parent(o->places.trace, i);
		s->fork[i] = SYT_NO_PLACE;
	}
	for (uint64_t n = 0; n < o->edges.nr; n++) {
		const struct syt_edge *e = &o->edges.all[n];

		if (e->kind != SYT_EDGE_FORK || e->from.thread == SYT_NONE)
			continue;
		s->fork[s->of[e->to.thread]] = e->from;
		nr_unseen[s->of[e->from.thread]]--;
	}
	for (uint64_t i = 0; i < o->histories.nr_life; i++) {
		struct syt_place at = o->histories.life[i];
		uint8_t shape = syt_place_call(&o->places, at)->shape;

		nr_unseen[s->of[at.thread]] +=
			(shape == SYT_SHAPE_FORK || shape == SYT_SHAPE_SPAWN) &&
			syt_place_extra(&o->places, at)->pid;
	}
	for (uint32_t i = 0; i < s->nr_images; i++)
		s->has_unseen[i] = nr_unseen[i] > 0 || s->o->places.trace->images[i].is_sampled;
	free(nr_unseen);
}

static void add_call(struct syt_blocked_search *s, uint32_t thread)
{
	struct syt_blocked *b = s->b;
	const struct syt_thread *t = s->o->places.threads[thread];
	uint32_t image = s->of[thread];

	b->call_of[thread] = b->nr_calls;
	b->calls[b->nr_calls++] = (struct syt_blocked_call){
		.thread = thread,
		.object = syt_object_of(&s->o->objects, image, t->waiting.object),
		.object2 = syt_object_of(&s->o->objects, image, t->waiting.object2),
		.since = t->waiting.since,
		.until = s->o->ends[image],
		.has_timeout = !syt_call_may_wait_for_ever(&t->image->calls[t->waiting.call]),
		.next = SYT_NONE,
		.evidence = SYT_NO_PLACE,
		.mutex_taken = SYT_NO_PLACE,
		.writer = SYT_NONE,
		.got = SYT_NO_PLACE,
	};
}

static void find_calls(struct syt_blocked_search *s)
{
	/* the thread that ended the process was not blocked, and could have gone on instead */
	for (uint32_t i = 0; i < s->nr_images; i++)
		s->nr_live[i] = syt_image_is_over(&s->o->places.trace->images[i]);
	for (uint32_t t = 0; t < s->nr_threads; t++) {
		s->of[t] = (uint32_t)(s->o->places.threads[t]->image - s->o->places.trace->images);
		s->has_ended[t] = syt_blocked_has_ended(&s->o->places, t);
		s->nr_live[s->of[t]] += !s->has_ended[t];
		s->b->call_of[t] = SYT_NONE;
		if (!s->has_ended[t] && s->o->places.threads[t]->waiting.since)
			add_call(s, t);
	}
}

/* Makes the histories of the locks complete for which a call waits. */
static void complete_locks(const struct syt_blocked_search *s)
{
	const struct syt_order *o = s->o;
	bool *is_wanted = syt_calloc(o->objects.nr, sizeof(*is_wanted));

	for (uint32_t n = 0; n < s->b->nr_calls; n++) {
		const struct syt_blocked_call *c = &s->b->calls[n];

		if (c->object != SYT_NONE)
			is_wanted[c->object] = true;
		if (c->object2 != SYT_NONE)
			is_wanted[c->object2] = true;
	}
	syt_locks_complete(&o->places, &o->objects, &o->histories, is_wanted);
	free(is_wanted);
}

void syt_blocked_open(struct syt_blocked *b, const struct syt_order *order)
{
	struct syt_blocked_search s = {.b = b,
	                               .o = order,
	                               .nr_threads = order->places.nr_threads,
	                               .nr_images = order->places.trace->nr_images};

	memset(b, 0, sizeof(*b));
	b->order = order;
	b->calls = syt_alloc(s.nr_threads, sizeof(*b->calls));
	b->call_of = syt_alloc(s.nr_threads, sizeof(*b->call_of));
	s.has_ended = syt_calloc(s.nr_threads, sizeof(*s.has_ended));
	s.of = syt_alloc(s.nr_threads, sizeof(*s.of));
	s.nr_live = syt_calloc(s.nr_images, sizeof(*s.nr_live));
	s.first_stuck = syt_alloc(s.nr_images, sizeof(*s.first_stuck));
	s.first_doubtful = syt_alloc(s.nr_images, sizeof(*s.first_doubtful));
	s.nr_held = syt_calloc(s.nr_images, sizeof(*s.nr_held));
	s.parent = syt_alloc(s.nr_images, sizeof(*s.parent));
	s.has_unseen = syt_calloc(s.nr_images, sizeof(*s.has_unseen));
	s.fork = syt_alloc(s.nr_images, sizeof(*s.fork));
	find_calls(&s);
	if (b->nr_calls) {
		syt_lockset_open(&s.locks, order);
		s.facts = syt_store_alloc(order->objects.nr, sizeof(*s.facts));
		s.tokens = syt_calloc(b->nr_calls, sizeof(*s.tokens));
		find_families(&s);
		complete_locks(&s);
		for (uint32_t n = 0; n < b->nr_calls; n++)
			syt_blocked_explain(&s, &b->calls[n]);
		find_set(&s, SYT_BLOCKED_STUCK);
		find_set(&s, SYT_BLOCKED_DOUBTFUL);
		find_first(&s);
		for (uint32_t n = 0; n < b->nr_calls; n++)
			if (b->calls[n].state != SYT_BLOCKED_FREE_END)
				choose_next(&s, &b->calls[n]);
		find_groups(b);
		for (uint32_t i = 0; i < order->objects.nr; i++)
			if (s.facts[i])
				syt_blocked_object_close(s.facts[i]);
		syt_store_free(s.facts);
		free(s.tokens);
		syt_lockset_close(&s.locks);
	}
	free(s.has_ended);
	free(s.of);
	free(s.nr_live);
	free(s.nr_held);
	free(s.first_stuck);
	free(s.first_doubtful);
	free(s.parent);
	free(s.has_unseen);
	free(s.fork);
}

bool syt_blocked_is_deadlocked(const struct syt_blocked *b, uint32_t thread)
{
	for (size_t n = 0; n < b->nr_groups; n++)
		for (uint32_t i = 0; b->groups[n].is_cycle && i < b->groups[n].nr_core; i++)
			if (b->calls[b->groups[n].calls[i]].thread == thread)
				return true;
	return false;
}

void syt_blocked_close(struct syt_blocked *b)
{
	for (uint32_t n = 0; n < b->nr_calls; n++)
		free(b->calls[n].enders);
	for (size_t n = 0; n < b->nr_groups; n++)
		free(b->groups[n].calls);
	free(b->calls);
	free(b->call_of);
	free(b->groups);
	memset(b, 0, sizeof(*b));
}
