/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/analysis/blocked.h"

#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/err.h"
#include "decoder/analysis/dependence.h"
#include "decoder/analysis/holding.h"
#include "decoder/analysis/lockset.h"
#include "decoder/order/end.h"
#include "decoder/read/call.h"

#define NO_PLACE ((struct syt_place){SYT_NONE, 0})

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

static bool is_over(const struct syt_image *i)
{
	return (i->file.state & 0xff) != SYT_STATE_RUNNING;
}

static uint8_t last_shape(const struct syt_places *p, uint32_t thread)
{
	const struct syt_thread *t = p->threads[thread];

	if (!t->nr_rows)
		return SYT_SHAPE_THREAD_END;
	return syt_place_call(p, (struct syt_place){thread, (uint32_t)t->nr_rows - 1})->shape;
}

bool syt_blocked_has_ended(const struct syt_places *p, uint32_t thread)
{
	uint8_t shape = last_shape(p, thread);

	return shape == SYT_SHAPE_THREAD_END || shape == SYT_SHAPE_EXIT || shape == SYT_SHAPE_EXEC;
}

/* ---- the calls and their reasons ---- */

struct search {
	struct syt_blocked *b;
	const struct syt_order *o;
	struct syt_lockset locks;
	uint32_t nr_threads, nr_images;
	bool *has_ended; /* [thread] */
	uint32_t *of;    /* [thread]: index in trace->images */
	/* [image]: threads that have not ended, and the threads of them in the set of find_set() */
	uint32_t *nr_live, *nr_held;
	uint32_t *parent;       /* [image]: index in trace->images, or SYT_NONE */
	bool *has_unseen;       /* [image]: it has made a process that is not in the trace */
	struct syt_place *fork; /* [image]: the fork that made it; thread SYT_NONE: unknown */
};

static uint8_t shape_of(const struct search *s, uint32_t thread)
{
	const struct syt_thread *t = s->o->places.threads[thread];

	return t->image->calls[t->waiting.call].shape;
}

/* Returns true if THREAD waits for a condition with the mutex OBJECT, which the wait has released. */
static bool has_released(const struct search *s, uint32_t thread, uint32_t object)
{
	const struct syt_thread *t = s->o->places.threads[thread];

	return t->waiting.since && shape_of(s, thread) == SYT_SHAPE_COND_WAIT &&
	       syt_object_of(&s->o->objects, s->of[thread], t->waiting.object2) == object;
}

static void add_giver(struct syt_blocked_call *c, struct syt_place at, bool *is_known)
{
	uint32_t n = 0;

	while (n < c->nr_givers && c->givers[n].thread != at.thread)
		n++;
	*is_known &= n < SYT_BLOCKED_GIVERS;
	if (n < SYT_BLOCKED_GIVERS)
		c->givers[n] = at;
	c->nr_givers += n == c->nr_givers && n < SYT_BLOCKED_GIVERS;
}

/* Takes the holder that acquired OBJECT at AT as the reason of C. */
static void blame_holder(struct search *s, struct syt_blocked_call *c, struct syt_place at)
{
	c->next = at.thread;
	c->evidence = at;
	c->reason = at.thread == c->thread ? SYT_BLOCKED_SELF
	            : last_shape(&s->o->places, at.thread) == SYT_SHAPE_THREAD_END
	                    ? SYT_BLOCKED_ENDED
	                    : SYT_BLOCKED_HELD;
}

/* Stores the holders of OBJECT, and takes one as the reason of C.  Returns false if no known thread holds it. */
static bool find_holders(struct search *s, struct syt_blocked_call *c, uint32_t object,
                         bool is_shared)
{
	struct syt_holdings h;
	bool is_known = true;

	syt_holdings_open(&h, s->o, object);
	for (size_t n = 0; h.state == SYT_HOLDINGS_GOOD && n < h.nr_open; n++)
		if (!(is_shared && h.open[n].is_shared) &&
		    !has_released(s, h.open[n].acquire.thread, object))
			add_giver(c, h.open[n].acquire, &is_known);
	syt_holdings_close(&h);
	if (c->nr_givers)
		blame_holder(s, c, c->givers[0]);
	return c->nr_givers;
}

/* Returns the object of IMAGE that had the address and the kind of OBJECT at the time T; SYT_NONE: none. */
static uint32_t object_at(const struct search *s, uint32_t image, uint32_t object)
{
	const struct syt_image *i = &s->o->places.trace->images[image];
	const struct syt_object_info *info = s->o->objects.all[object].info;

	for (uint32_t n = i->nr_objects; n--;)
		if (i->objects[n].kind == info->kind && i->objects[n].identity == info->identity)
			return syt_object_of(&s->o->objects, image, n);
	return SYT_NONE;
}

/* Finds a thread of the parent process that held the lock OBJECT at the fork: no thread of the child can release it. */
static bool find_forked_holder(struct search *s, struct syt_blocked_call *c, uint32_t object)
{
	struct syt_place fork = s->fork[s->of[c->thread]];
	struct syt_holdings h;
	const struct syt_row *r;

	if (fork.thread == SYT_NONE ||
	    (object = object_at(s, s->of[fork.thread], object)) == SYT_NONE)
		return false;
	r = syt_place_row(&s->o->places, fork);
	syt_holdings_open(&h, s->o, object);
	for (size_t n = 0; h.state == SYT_HOLDINGS_GOOD && n < h.nr + h.nr_open; n++) {
		const struct syt_holding *x = n < h.nr ? &h.all[n] : &h.open[n - h.nr];

		if (x->from <= r->in && x->to >= r->out && x->acquire.thread != fork.thread) {
			c->next = x->acquire.thread;
			c->evidence = x->acquire;
			c->reason = SYT_BLOCKED_FORKED;
		}
	}
	syt_holdings_close(&h);
	return c->reason == SYT_BLOCKED_FORKED;
}

static void explain_lock(struct search *s, struct syt_blocked_call *c, uint32_t object,
                         bool is_shared)
{
	if (!find_holders(s, c, object, is_shared) && !find_forked_holder(s, c, object))
		c->reason = SYT_BLOCKED_FREE;
}

/* Returns true if the event at T makes room in a pipe or connection. */
static bool takes(const struct syt_touch *t)
{
	return t->shape == SYT_SHAPE_RECV && t->has_succeeded;
}

/* Finds the threads that gave to OBJECT, and the last gift as the evidence. */
static void find_givers(struct search *s, struct syt_blocked_call *c, uint32_t object,
                        bool (*gives)(const struct syt_touch *t))
{
	struct syt_history h = syt_history_of(&s->o->histories, object);
	bool is_known = true;

	SYT_EACH(i, 0, h.nr) {
		if (h.touches[i].place.thread == c->thread || !gives(&h.touches[i]))
			continue;
		c->evidence = h.touches[i].place;
		add_giver(c, c->evidence, &is_known);
	}
	if (!is_known)
		c->nr_givers = 0;
}

static void count_tokens(struct search *s, struct syt_blocked_call *c)
{
	struct syt_history h = syt_history_of(&s->o->histories, c->object);
	uint64_t taken = 0, posted = 0;

	SYT_EACH(i, 0, h.nr) {
		bool is_own = h.touches[i].place.thread == c->thread;

		taken += is_own && syt_touch_is(&h.touches[i], SYT_SHAPE_SEM_WAIT);
		posted += is_own && syt_touch_is(&h.touches[i], SYT_SHAPE_SEM_POST);
	}
	c->nr_tokens = taken > posted ? taken - posted : 0;
}

static void count_arrivals(struct search *s, struct syt_blocked_call *c)
{
	struct syt_history h = syt_history_of(&s->o->histories, c->object);

	for (uint64_t i = h.nr; i-- && !c->nr_needed;)
		if (h.touches[i].shape == SYT_SHAPE_BARRIER_WAIT ||
		    h.touches[i].shape == SYT_SHAPE_INIT)
			c->nr_needed = syt_place_extra(&s->o->places, h.touches[i].place)->count;
	for (uint32_t n = 0; n < s->b->nr_calls; n++)
		c->nr_arrived += s->b->calls[n].object == c->object;
}

/* ---- the images that can end a call ---- */

static bool is_movable(enum syt_kind kind)
{
	return kind == SYT_KIND_STREAM || kind == SYT_KIND_DGRAM || kind == SYT_KIND_PIPE ||
	       kind == SYT_KIND_EVENTFD || kind == SYT_KIND_QUEUE;
}

static bool knows(const struct search *s, uint32_t image, uint32_t object)
{
	const struct syt_image *i = &s->o->places.trace->images[image];

	for (uint32_t n = 0; n < i->nr_objects; n++)
		if (s->o->objects.of_image[image][n] == object)
			return true;
	return false;
}

/* Adds the image to the enders of C, unless its threads have all ended.  Returns false if it may have untraced children. */
static bool add_ender(struct search *s, struct syt_blocked_call *c, uint32_t image)
{
	if (s->has_unseen[image])
		return false;
	if (s->nr_live[image])
		c->enders[c->nr_enders++] = image;
	return true;
}

/* Returns true if the parent of IMAGE, or its parent, ... is in the set. */
static bool has_ancestor(const struct search *s, uint32_t image, const bool *in_set)
{
	for (uint32_t n = 0, at = image; n < s->nr_images; n++) {
		at = s->parent[at];
		if (at == SYT_NONE)
			return false;
		if (in_set[at])
			return true;
	}
	return false;
}

/* Finds the images whose threads can end C, which uses OBJECT and its peer: the images that know one of them and, if it can be
 * inherited, their descendants. */
static void find_enders(struct search *s, struct syt_blocked_call *c, uint32_t object)
{
	const struct syt_object *all = s->o->objects.all;
	bool is_inherited =
		is_movable(all[object].info->kind) || all[object].info->flags & SYT_OBJECT_SHARED;
	bool *in_set, is_known = true;

	c->enders = syt_alloc(s->nr_images, sizeof(*c->enders));
	if (!is_inherited) {
		c->enders[c->nr_enders++] = s->of[c->thread];
		return;
	}
	in_set = syt_calloc(s->nr_images, sizeof(*in_set));
	for (uint32_t i = 0; i < s->nr_images; i++)
		in_set[i] = knows(s, i, object) ||
		            (all[object].peer != SYT_NONE && knows(s, i, all[object].peer));
	for (uint32_t i = 0; i < s->nr_images; i++)
		if (in_set[i] || has_ancestor(s, i, in_set))
			is_known &= add_ender(s, c, i);
	if (!is_known)
		c->nr_enders = 0;
	free(in_set);
}

static void find_children(struct search *s, struct syt_blocked_call *c)
{
	uint32_t own = s->of[c->thread];

	c->enders = syt_alloc(s->nr_images, sizeof(*c->enders));
	if (s->has_unseen[own])
		return;
	for (uint32_t i = 0; i < s->nr_images; i++)
		if (s->parent[i] == own && s->nr_live[i])
			c->enders[c->nr_enders++] = i;
}

/* ---- reasons ---- */

static uint64_t bytes_of(const struct search *s, uint32_t object,
                         bool (*moves)(const struct syt_touch *t))
{
	struct syt_history h = syt_history_of(&s->o->histories, object);
	uint64_t bytes = 0;

	SYT_EACH(i, 0, h.nr)
		if (h.touches[i].has_succeeded && moves(&h.touches[i]))
			bytes += syt_place_extra(&s->o->places, h.touches[i].place)->bytes;
	return bytes;
}

/* Returns true if, since C began, OBJECT got more gifts than waits of other threads ended. */
static bool has_gift(const struct search *s, const struct syt_blocked_call *c, uint32_t object)
{
	struct syt_history h = syt_history_of(&s->o->histories, object);
	uint64_t given = 0, taken = 0;

	SYT_EACH(i, 0, h.nr) {
		const struct syt_touch *t = &h.touches[i];

		if (syt_place_row(&s->o->places, t->place)->out <= c->since)
			continue;
		if (t->shape == SYT_SHAPE_COND_BROADCAST)
			return true;
		if (syt_dependence_gives(t))
			given++;
		else
			taken += syt_touch_is(t, SYT_SHAPE_SEM_WAIT) ||
			         syt_touch_is(t, SYT_SHAPE_COND_WAIT);
	}
	return given > taken;
}

static void explain_moving(struct search *s, struct syt_blocked_call *c, bool is_send)
{
	enum syt_kind kind = syt_object_kind(&s->o->objects, c->object);
	bool is_connected = kind == SYT_KIND_STREAM || kind == SYT_KIND_DGRAM;
	uint32_t other = is_connected ? s->o->objects.all[c->object].peer : c->object;

	if (!is_movable(kind) || other == SYT_NONE)
		return;
	c->reason = is_send ? SYT_BLOCKED_ROOM : SYT_BLOCKED_DATA;
	c->is_under_way = !is_send && bytes_of(s, other, syt_touch_sends) >
	                                      bytes_of(s, c->object, syt_touch_receives);
	find_givers(s, c, other, is_send ? takes : syt_dependence_gives);
	find_enders(s, c, c->object);
}

static void explain_cond(struct search *s, struct syt_blocked_call *c)
{
	struct syt_blocked_call mutex = *c;

	c->reason = SYT_BLOCKED_SIGNAL;
	c->is_under_way = has_gift(s, c, c->object);
	find_givers(s, c, c->object, syt_dependence_gives);
	find_enders(s, c, c->object);
	if (c->object2 != SYT_NONE && find_holders(s, &mutex, c->object2, false))
		c->mutex_taken = mutex.evidence;
}

static void explain(struct search *s, struct syt_blocked_call *c)
{
	const struct syt_thread *t = s->o->places.threads[c->thread];
	uint8_t shape = shape_of(s, c->thread);

	c->is_pause = shape == SYT_SHAPE_PAUSE;
	if (shape == SYT_SHAPE_REAP) {
		c->reason = SYT_BLOCKED_CHILD;
		find_children(s, c);
	} else if (shape == SYT_SHAPE_JOIN && t->waiting.thread != SYT_NONE) {
		c->reason = SYT_BLOCKED_JOIN;
		c->next = s->o->places.first[s->of[c->thread]] + t->waiting.thread;
	}
	if (c->object == SYT_NONE ||
	    s->o->objects.all[c->object].info->flags & SYT_OBJECT_PRESHARED)
		return;
	switch (shape) {
	case SYT_SHAPE_LOCK:
	case SYT_SHAPE_RDLOCK:
		explain_lock(s, c, c->object, shape == SYT_SHAPE_RDLOCK);
		break;
	case SYT_SHAPE_SEM_WAIT:
		if (syt_lockset_has(&s->locks, c->object) && find_holders(s, c, c->object, false))
			break;
		c->reason = SYT_BLOCKED_TOKEN;
		count_tokens(s, c);
		c->is_under_way = has_gift(s, c, c->object);
		find_givers(s, c, c->object, syt_dependence_gives);
		find_enders(s, c, c->object);
		break;
	case SYT_SHAPE_COND_WAIT:
		explain_cond(s, c);
		break;
	case SYT_SHAPE_BARRIER_WAIT:
		c->reason = SYT_BLOCKED_ARRIVAL;
		count_arrivals(s, c);
		c->is_under_way = c->nr_needed && c->nr_arrived >= c->nr_needed;
		find_enders(s, c, c->object);
		break;
	case SYT_SHAPE_SEND:
	case SYT_SHAPE_RECV:
		explain_moving(s, c, shape == SYT_SHAPE_SEND);
		break;
	case SYT_SHAPE_SEM_ZERO:
	case SYT_SHAPE_ONCE:
	case SYT_SHAPE_FUTEX_WAIT:
	case SYT_SHAPE_FILE_LOCK:
		c->reason = SYT_BLOCKED_WAKE;
		find_enders(s, c, c->object);
		break;
	default:
		break;
	}
}

/* ---- stuck and doubtful calls ---- */

static bool is_in_set(const struct search *s, uint32_t thread, uint8_t least)
{
	uint32_t n = thread == SYT_NONE ? SYT_NONE : s->b->call_of[thread];

	return n != SYT_NONE && s->b->calls[n].state >= least;
}

/* Returns true if all threads of the images that can end C are in the set. */
static bool is_abandoned(const struct search *s, const struct syt_blocked_call *c)
{
	for (uint32_t i = 0; i < c->nr_enders; i++)
		if (s->nr_held[c->enders[i]] < s->nr_live[c->enders[i]])
			return false;
	return c->nr_enders;
}

/* Returns true if all threads that gave before have ended or are in the set. */
static bool has_lost_givers(const struct search *s, const struct syt_blocked_call *c)
{
	for (uint32_t i = 0; i < c->nr_givers; i++)
		if (!s->has_ended[c->givers[i].thread] &&
		    !is_in_set(s, c->givers[i].thread, SYT_BLOCKED_DOUBTFUL))
			return false;
	return c->nr_givers;
}

/* Returns true if C stays in the set of calls whose state is at least LEAST. */
static bool stays(const struct search *s, const struct syt_blocked_call *c, uint8_t least)
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
		       (!c->is_under_way &&
		        (is_abandoned(s, c) ||
		         (least == SYT_BLOCKED_DOUBTFUL && has_lost_givers(s, c))));
	}
}

/* Gives the state STATE to the largest set of calls that only calls of the set, or of a higher state, could end. */
static void find_set(struct search *s, uint8_t state)
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

/* ---- groups ---- */

/* Chooses the thread that C waits for, among threads in the set. */
static void choose_next(struct search *s, struct syt_blocked_call *c)
{
	struct syt_blocked *b = s->b;

	if (c->reason == SYT_BLOCKED_SIGNAL && is_in_set(s, c->mutex_taken.thread, c->state) &&
	    !is_abandoned(s, c)) {
		c->reason = SYT_BLOCKED_HELD;
		c->evidence = c->mutex_taken;
		c->next = c->evidence.thread;
	}
	for (uint32_t i = 0; i < c->nr_givers && c->reason == SYT_BLOCKED_HELD; i++)
		if (!is_in_set(s, c->next, c->state) && is_in_set(s, c->givers[i].thread, c->state))
			blame_holder(s, c, c->givers[i]);
	/* Any thread may signal and post.  The threads that did so before matter only if the call is doubtful. */
	for (uint32_t i = 0; i < c->nr_givers && c->next == SYT_NONE; i++)
		if ((c->state == SYT_BLOCKED_DOUBTFUL || c->reason == SYT_BLOCKED_DATA ||
		     c->reason == SYT_BLOCKED_ROOM) &&
		    is_in_set(s, c->givers[i].thread, c->state))
			c->next = c->givers[i].thread;
	/* a process waits for another process as a whole */
	for (uint32_t n = 0; n < b->nr_calls && c->next == SYT_NONE; n++)
		for (uint32_t i = 0; i < c->nr_enders; i++)
			if (s->of[b->calls[n].thread] == c->enders[i] &&
			    c->enders[i] != s->of[c->thread] && b->calls[n].state >= c->state)
				c->next = b->calls[n].thread;
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

/* Returns the first root with the object, the reason and the state of the root N. */
static uint32_t first_root(const struct syt_blocked *b, uint32_t n)
{
	const struct syt_blocked_call *root = &b->calls[n];

	for (uint32_t i = 0; root->object != SYT_NONE && i < n; i++)
		if (b->calls[i].object == root->object && b->calls[i].reason == root->reason &&
		    b->calls[i].state == root->state && next_call(b, i) == SYT_NONE)
			return i;
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
static void find_families(struct search *s)
{
	const struct syt_order *o = s->o;
	int64_t *nr_unseen = syt_calloc(s->nr_images, sizeof(*nr_unseen));

	for (uint32_t i = 0; i < s->nr_images; i++) {
		s->parent[i] = syt_image_parent(o->places.trace, i);
		s->fork[i] = NO_PLACE;
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
		s->has_unseen[i] = nr_unseen[i] > 0;
	free(nr_unseen);
}

static void add_call(struct search *s, uint32_t thread)
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
		.evidence = NO_PLACE,
		.mutex_taken = NO_PLACE,
	};
}

static void find_calls(struct search *s)
{
	/* the thread that ended the process was not blocked, and could have gone on instead */
	for (uint32_t i = 0; i < s->nr_images; i++)
		s->nr_live[i] = is_over(&s->o->places.trace->images[i]);
	for (uint32_t t = 0; t < s->nr_threads; t++) {
		s->of[t] = (uint32_t)(s->o->places.threads[t]->image - s->o->places.trace->images);
		s->has_ended[t] = syt_blocked_has_ended(&s->o->places, t);
		s->nr_live[s->of[t]] += !s->has_ended[t];
		s->b->call_of[t] = SYT_NONE;
		if (!s->has_ended[t] && s->o->places.threads[t]->waiting.since)
			add_call(s, t);
	}
}

void syt_blocked_open(struct syt_blocked *b, const struct syt_order *order)
{
	struct search s = {.b = b,
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
	s.nr_held = syt_calloc(s.nr_images, sizeof(*s.nr_held));
	s.parent = syt_alloc(s.nr_images, sizeof(*s.parent));
	s.has_unseen = syt_calloc(s.nr_images, sizeof(*s.has_unseen));
	s.fork = syt_alloc(s.nr_images, sizeof(*s.fork));
	find_calls(&s);
	if (b->nr_calls) {
		syt_lockset_open(&s.locks, order);
		find_families(&s);
		for (uint32_t n = 0; n < b->nr_calls; n++)
			explain(&s, &b->calls[n]);
		find_set(&s, SYT_BLOCKED_STUCK);
		find_set(&s, SYT_BLOCKED_DOUBTFUL);
		for (uint32_t n = 0; n < b->nr_calls; n++)
			if (b->calls[n].state != SYT_BLOCKED_FREE_END)
				choose_next(&s, &b->calls[n]);
		find_groups(b);
		syt_lockset_close(&s.locks);
	}
	free(s.has_ended);
	free(s.of);
	free(s.nr_live);
	free(s.nr_held);
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
