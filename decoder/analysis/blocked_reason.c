/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Finds the reasons why calls have not returned, and the process images that can end the calls. */
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "decoder/analysis/blocked.h"
#include "decoder/order/locks.h"
#include "decoder/read/kept.h"

#define MOST_EARLIER 4096u /* events of a thread that are searched for an earlier wait */

static uint8_t shape_of(const struct syt_blocked_search *s, uint32_t thread)
{
	const struct syt_thread *t = s->o->places.threads[thread];

	return t->image->calls[t->waiting.call].shape;
}

/* Returns true if THREAD waits for a condition with the mutex OBJECT, which the wait has released. */
static bool has_released(const struct syt_blocked_search *s, uint32_t thread, uint32_t object)
{
	const struct syt_thread *t = s->o->places.threads[thread];

	return t->waiting.since && shape_of(s, thread) == SYT_SHAPE_COND_WAIT &&
	       syt_object_of(&s->o->objects, s->of[thread], t->waiting.object2) == object;
}

void syt_blocked_blame(const struct syt_blocked_search *s, struct syt_blocked_call *c,
                       struct syt_place at)
{
	c->next = at.thread;
	c->evidence = at;
	c->reason = at.thread == c->thread ? SYT_BLOCKED_SELF
	            : syt_blocked_last_shape(&s->o->places, at.thread) == SYT_SHAPE_THREAD_END
	                    ? SYT_BLOCKED_ENDED
	                    : SYT_BLOCKED_HELD;
}

static struct syt_blocked_object *facts_of(struct syt_blocked_search *s, uint32_t object)
{
	if (!s->facts[object]) {
		s->facts[object] = syt_calloc(1, sizeof(**s->facts));
		s->facts[object]->fork = SYT_NO_PLACE;
	}
	return s->facts[object];
}

static const struct syt_holdings *holdings_of(struct syt_blocked_search *s, uint32_t object)
{
	struct syt_blocked_object *f = facts_of(s, object);

	if (!f->has_holdings) {
		syt_locks_complete_one(&s->o->places, &s->o->objects, &s->o->histories, object);
		syt_holdings_open(&f->holdings, s->o, object);
	}
	f->has_holdings = true;
	return &f->holdings;
}

static const struct syt_blocked_object *gifts_of(struct syt_blocked_search *s, uint32_t object)
{
	struct syt_blocked_object *f = facts_of(s, object);

	syt_blocked_object_gifts(f, s->o, object);
	return f;
}

/* Stores the holders of OBJECT, at most SYT_BLOCKED_GIVERS, and takes one as the reason of C.  Returns false if no known
 * thread holds it. */
static bool find_holders(struct syt_blocked_search *s, struct syt_blocked_call *c, uint32_t object,
                         bool is_shared)
{
	const struct syt_holdings *h = holdings_of(s, object);

	for (size_t n = 0; n < h->nr_open && c->nr_givers < SYT_BLOCKED_GIVERS; n++)
		if (!(is_shared && h->open[n].is_shared) &&
		    !has_released(s, h->open[n].acquire.thread, object))
			c->givers[c->nr_givers++] = h->open[n].acquire;
	if (c->nr_givers)
		syt_blocked_blame(s, c, c->givers[0]);
	return c->nr_givers;
}

/* Returns the object of IMAGE that had the address and the kind of OBJECT at the time T; SYT_NONE: none. */
static uint32_t object_at(const struct syt_blocked_search *s, uint32_t image, uint32_t object)
{
	const struct syt_image *i = &s->o->places.trace->images[image];
	const struct syt_object_info *info = s->o->objects.all[object].info;

	for (uint32_t n = i->nr_objects; n--;)
		if (i->objects[n].kind == info->kind && i->objects[n].identity == info->identity)
			return syt_object_of(&s->o->objects, image, n);
	return SYT_NONE;
}

/* Returns the acquisition of the lock OBJECT by another thread that held it at FORK, or SYT_NO_PLACE. */
static struct syt_place holder_at_fork(struct syt_blocked_search *s, struct syt_place fork,
                                       uint32_t object)
{
	const struct syt_row *r = syt_place_row(&s->o->places, fork);
	const struct syt_holdings *h = holdings_of(s, object);
	struct syt_place found = SYT_NO_PLACE;

	for (size_t n = 0; n < h->nr + h->nr_open; n++) {
		const struct syt_holding *x = n < h->nr ? &h->all[n] : &h->open[n - h->nr];

		/* the copy of the memory is made at an unknown time of the call */
		if (x->from <= r->out && x->to >= r->in && x->acquire.thread != fork.thread)
			found = x->acquire;
	}
	return found;
}

/* Finds a thread of the parent process that held the lock OBJECT at the fork: no thread of the child can release it. */
static bool find_forked_holder(struct syt_blocked_search *s, struct syt_blocked_call *c,
                               uint32_t object)
{
	struct syt_place fork = s->fork[s->of[c->thread]];
	struct syt_blocked_object *f = facts_of(s, object);

	if (fork.thread == SYT_NONE)
		return false;
	if (syt_place_compare(f->fork, fork)) {
		object = object_at(s, s->of[fork.thread], object);
		f->fork = fork;
		f->forked = object == SYT_NONE ? SYT_NO_PLACE : holder_at_fork(s, fork, object);
	}
	if (f->forked.thread == SYT_NONE)
		return false;
	c->next = f->forked.thread;
	c->evidence = f->forked;
	c->reason = SYT_BLOCKED_FORKED;
	return true;
}

static void explain_lock(struct syt_blocked_search *s, struct syt_blocked_call *c, uint32_t object,
                         bool is_shared)
{
	if (!find_holders(s, c, object, is_shared) && !find_forked_holder(s, c, object))
		c->reason = SYT_BLOCKED_FREE;
}

/* Stores the last gift of each thread other than C's, and the last of all as the evidence. */
static void find_givers(struct syt_blocked_call *c, const struct syt_gifts *g)
{
	struct syt_place last = g->last.thread == c->thread ? g->other : g->last;

	if (last.thread != SYT_NONE)
		c->evidence = last;
	for (uint32_t n = 0; n < g->nr && !g->has_more; n++) {
		if (g->all[n].thread == c->thread)
			continue;
		if (c->nr_givers == SYT_BLOCKED_GIVERS) {
			c->nr_givers = 0;
			break;
		}
		c->givers[c->nr_givers++] = g->all[n];
	}
}

/* ---- the images that can end a call ---- */

static bool is_movable(enum syt_kind kind)
{
	return kind == SYT_KIND_STREAM || kind == SYT_KIND_DGRAM || kind == SYT_KIND_PIPE ||
	       kind == SYT_KIND_EVENTFD || kind == SYT_KIND_QUEUE;
}

static bool knows(const struct syt_blocked_search *s, uint32_t image, uint32_t object)
{
	const struct syt_image *i = &s->o->places.trace->images[image];

	if (s->o->objects.all[object].is_one_image)
		return s->o->objects.all[object].image == image;
	for (uint32_t n = 0; n < i->nr_objects; n++)
		if (s->o->objects.of_image[image][n] == object)
			return true;
	return false;
}

/* Returns true if the parent of IMAGE, or its parent, ... is in the set. */
static bool has_ancestor(const struct syt_blocked_search *s, uint32_t image, const bool *in_set)
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

/* Finds the images with threads that use OBJECT or its peer: the images that know one of them, and their descendants. The
 * images are unknown if one of them may have untraced children. */
static void find_users(struct syt_blocked_search *s, struct syt_blocked_object *f, uint32_t object)
{
	uint32_t peer = s->o->objects.all[object].peer;
	bool *in_set = syt_calloc(s->nr_images, sizeof(*in_set)), is_known = true;

	f->has_enders = true;
	f->enders = syt_alloc(s->nr_images, sizeof(*f->enders));
	for (uint32_t i = 0; i < s->nr_images; i++)
		in_set[i] = knows(s, i, object) || (peer != SYT_NONE && knows(s, i, peer));
	for (uint32_t i = 0; i < s->nr_images; i++) {
		if (!in_set[i] && !has_ancestor(s, i, in_set))
			continue;
		is_known &= !s->has_unseen[i];
		if (s->nr_live[i])
			f->enders[f->nr_enders++] = i;
	}
	if (!is_known)
		f->nr_enders = 0;
	free(in_set);
}

/* Finds the images with threads that can end C, a use of OBJECT. */
static void find_enders(struct syt_blocked_search *s, struct syt_blocked_call *c, uint32_t object)
{
	const struct syt_object_info *info = s->o->objects.all[object].info;
	struct syt_blocked_object *f = facts_of(s, object);
	bool is_inherited = is_movable(info->kind) || info->flags & SYT_OBJECT_SHARED;

	if (is_inherited && !f->has_enders)
		find_users(s, f, object);
	c->nr_enders = is_inherited ? f->nr_enders : 1;
	c->enders = syt_alloc(c->nr_enders, sizeof(*c->enders));
	if (!is_inherited)
		c->enders[0] = s->of[c->thread];
	else if (f->nr_enders)
		memcpy(c->enders, f->enders, f->nr_enders * sizeof(*c->enders));
}

static void find_children(struct syt_blocked_search *s, struct syt_blocked_call *c)
{
	uint32_t own = s->of[c->thread];

	c->enders = syt_alloc(s->nr_images, sizeof(*c->enders));
	if (s->has_unseen[own])
		return;
	for (uint32_t i = 0; i < s->nr_images; i++)
		if (s->parent[i] == own && s->nr_live[i])
			c->enders[c->nr_enders++] = i;
}

/* ---- the writing ends of pipes ---- */

struct writer {
	syt_time opened, closed; /* of the writing end by the image; opened: 0: never */
	struct syt_place open;
	bool has_dup, has_written;
};

/* Returns true if IMAGE holds the writing end: it created the pipe, or a fork gave it the end. *GOT gets this event. An
 * image with a duplicate may hold the end by another fd, so it is unknown. */
static bool holds_writer(const struct syt_blocked_search *s, const struct writer *all,
                         uint32_t image, struct syt_place *got)
{
	syt_time until = UINT64_MAX;

	*got = s->fork[image];
	for (uint32_t n = 0; n < s->nr_images; n++) {
		const struct writer *w = &all[image];
		struct syt_place fork = s->fork[image];

		if (w->has_dup || w->closed < until)
			return false;
		if (w->opened && w->opened < until) {
			if (got->thread == SYT_NONE || !n)
				*got = w->open;
			return true;
		}
		if (fork.thread == SYT_NONE)
			return false;
		until = syt_place_row(&s->o->places, fork)->in;
		image = s->of[fork.thread];
	}
	return false;
}

/* Finds a process that holds the writing end of the pipe OBJECT. The process of the receive itself comes first, then a
 * process that never wrote to the pipe. */
static void find_writer(const struct syt_blocked_search *s, struct syt_blocked_call *c,
                        uint32_t object)
{
	struct syt_history h = syt_history_of(&s->o->histories, object);
	struct writer *all = syt_calloc(s->nr_images, sizeof(*all));
	uint32_t own = s->of[c->thread];

	for (uint32_t i = 0; i < s->nr_images; i++)
		all[i].closed = UINT64_MAX;
	SYT_EACH(i, 0, h.nr) {
		const struct syt_touch *t = &h.touches[i];
		struct writer *w = &all[s->of[t->place.thread]];

		if (t->shape == SYT_SHAPE_OPEN && !w->opened) {
			w->opened = t->at;
			w->open = t->place;
		} else if (t->shape == SYT_SHAPE_DUP && t->role == SYT_ROLE_SELF) {
			w->has_dup = true;
		} else if ((t->shape == SYT_SHAPE_CLOSE || t->shape == SYT_SHAPE_DUP) &&
		           syt_place_extra(&s->o->places, t->place)->flags & SYT_EVENT_WRITER &&
		           w->closed == UINT64_MAX) {
			w->closed = t->at;
		}
		w->has_written |= syt_touch_sends(t);
	}
	for (uint32_t i = 0; i < s->nr_images; i++) {
		struct syt_place got;
		uint32_t thread = s->o->places.first[i];

		if (!s->nr_live[i] || !holds_writer(s, all, i, &got))
			continue;
		c->nr_writers++;
		if (c->writer != SYT_NONE && i != own &&
		    (s->of[c->writer] == own || !c->has_written || all[i].has_written))
			continue;
		c->writer = thread;
		c->got = got;
		c->has_written = all[i].has_written;
	}
	free(all);
}

/* ---- reasons ---- */

/* Returns true if the thread of C has waited for the same object before, in one of its last calls. */
static bool has_waited_before(const struct syt_blocked_search *s, const struct syt_blocked_call *c)
{
	const struct syt_thread *t = s->o->places.threads[c->thread];
	uint64_t from = t->nr_rows > MOST_EARLIER ? t->nr_rows - MOST_EARLIER : 0;
	bool has = false;

	for (uint64_t row = t->nr_rows; row-- > from && !has;) {
		const struct syt_row *r = syt_thread_row(t, row);

		has = r->object == t->waiting.object &&
		      syt_row_call(t->image, r)->shape == shape_of(s, c->thread);
	}
	if (t->kept)
		syt_kept_forget(t->kept, from, t->nr_rows);
	return has;
}

static void explain_moving(struct syt_blocked_search *s, struct syt_blocked_call *c, bool is_send)
{
	enum syt_kind kind = syt_object_kind(&s->o->objects, c->object);
	bool is_connected = kind == SYT_KIND_STREAM || kind == SYT_KIND_DGRAM;
	uint32_t other = is_connected ? s->o->objects.all[c->object].peer : c->object;

	if (!is_movable(kind) || other == SYT_NONE)
		return;
	c->reason = is_send ? SYT_BLOCKED_ROOM : SYT_BLOCKED_DATA;
	c->is_under_way =
		!is_send && gifts_of(s, other)->bytes_sent > gifts_of(s, c->object)->bytes_received;
	find_givers(c, is_send ? &gifts_of(s, other)->taken : &gifts_of(s, other)->given);
	find_enders(s, c, c->object);
	if (kind == SYT_KIND_PIPE && !is_send)
		find_writer(s, c, c->object);
}

/* Counts the tokens of the semaphore OBJECT that the thread of each call blocked on it took and did not post. */
static void count_tokens(struct syt_blocked_search *s, uint32_t object)
{
	struct syt_history h = syt_history_of(&s->o->histories, object);
	struct syt_blocked_object *f = facts_of(s, object);

	SYT_EACH(i, 0, f->has_tokens ? 0 : h.nr) {
		const struct syt_touch *t = &h.touches[i];
		uint32_t call = s->b->call_of[t->place.thread];

		if (call != SYT_NONE && s->b->calls[call].object == object)
			s->tokens[call] += syt_touch_is(t, SYT_SHAPE_SEM_WAIT) -
			                   syt_touch_is(t, SYT_SHAPE_SEM_POST);
	}
	f->has_tokens = true;
}

/* Explains the wait C for a token or a signal. */
static void explain_gift(struct syt_blocked_search *s, struct syt_blocked_call *c, uint8_t reason)
{
	const struct syt_blocked_object *f = gifts_of(s, c->object);

	c->reason = reason;
	c->is_under_way = syt_blocked_object_has_gift(f, c->since);
	find_givers(c, &f->given);
	find_enders(s, c, c->object);
}

static void explain_cond(struct syt_blocked_search *s, struct syt_blocked_call *c)
{
	struct syt_blocked_call mutex = *c;

	explain_gift(s, c, SYT_BLOCKED_SIGNAL);
	if (c->object2 != SYT_NONE && find_holders(s, &mutex, c->object2, false))
		c->mutex_taken = mutex.evidence;
}

void syt_blocked_explain(struct syt_blocked_search *s, struct syt_blocked_call *c)
{
	const struct syt_thread *t = s->o->places.threads[c->thread];
	uint8_t shape = shape_of(s, c->thread);
	int64_t tokens;

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
	c->is_usual = has_waited_before(s, c);
	switch (shape) {
	case SYT_SHAPE_LOCK:
	case SYT_SHAPE_RDLOCK:
		explain_lock(s, c, c->object, shape == SYT_SHAPE_RDLOCK);
		break;
	case SYT_SHAPE_SEM_WAIT:
		if (syt_lockset_has(&s->locks, c->object) && find_holders(s, c, c->object, false))
			break;
		explain_gift(s, c, SYT_BLOCKED_TOKEN);
		count_tokens(s, c->object);
		tokens = s->tokens[c - s->b->calls];
		c->nr_tokens = tokens > 0 ? (uint64_t)tokens : 0;
		break;
	case SYT_SHAPE_COND_WAIT:
		explain_cond(s, c);
		break;
	case SYT_SHAPE_BARRIER_WAIT:
		c->reason = SYT_BLOCKED_ARRIVAL;
		c->nr_needed = gifts_of(s, c->object)->nr_needed;
		for (uint32_t n = 0; n < s->b->nr_calls; n++)
			c->nr_arrived += s->b->calls[n].object == c->object;
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
