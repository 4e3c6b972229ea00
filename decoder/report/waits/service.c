/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/report/waits/service.h"

#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "base/err.h"
#include "base/store.h"
#include "decoder/analysis/blame.h"
#include "decoder/report/waits/role_conflict.h"
#include "decoder/report/waits/roles.h"

#define MOST_SOURCES 16u /* of an ambiguous set that are looked at */
#define MOST_CHAIN 64u   /* services from one to those that it goes back to */
#define MOST_DEPTH 64u   /* threads that act at one instant, each because of the next */
#define MOST_TURNS 8u    /* until no more circles are found; commonly there is one, and none */
#define FIRST_USES 8u    /* of a socket: a connect or accept is among them */

/* The services of threads that are there from the begin are numbered like the threads. */
struct service {
	uint32_t parent; /* SYT_NONE: nobody that is seen asked for it */
	uint32_t thread;
	syt_time asked;   /* when it was, the last time */
	uint8_t unknown;  /* enum syt_origin: why nothing is known of its parent, or NONE */
	bool is_birth;    /* asked for by making the thread */
	bool is_far;      /* the parent is one that all possible ones go back to */
	bool is_external; /* by an untraced client */
};

/* From behind this row on a thread is in that service. */
struct change {
	uint32_t row, service;
};

/* An event into which edges lead, until all of them are there. */
struct pending {
	bool is_there, is_settling, is_ambiguous;
	uint32_t row, nr;
	uint64_t last; /* edge */
	struct syt_place from[MOST_SOURCES];
};

struct thread {
	struct pending pending;
	struct syt_service_role_uses uses;
	uint32_t nr_swept; /* rows that were looked at */
	uint64_t nr;
	size_t room;
	struct change *changes;
};

struct work {
	struct syt_services *s;
	const struct syt_order *order;
	syt_time complete_from;
	struct thread *threads;                  /* by trace-wide number */
	struct syt_service_role_object *objects; /* decoder/report/waits/roles.h */
	size_t nr_services, room;
	struct service *services;
	size_t nr_unsettled, room_unsettled;
	uint32_t *unsettled; /* threads with something pending */
	unsigned depth;
	/* what all turns before have found: who serve each other, and who wake each other where each of
	 * them parks */
	struct syt_role_conflict mutual, parked;
};

void syt_demands_add(struct syt_demands *d, uint32_t thread, enum syt_demand_level level,
                     syt_time from, syt_time to)
{
	if (from >= to)
		return;
	syt_store_grow(&d->all, &d->room, d->nr, d->nr + 1, sizeof(*d->all));
	d->all[d->nr++] = (struct syt_demand){thread, (uint8_t)level, from, to};
}

void syt_demands_close(struct syt_demands *d)
{
	syt_store_free(d->all);
	memset(d, 0, sizeof(*d));
}

/* ---- the services of a thread ---- */

static uint32_t add_service(struct work *w, struct service service)
{
	syt_store_grow(&w->services, &w->room, w->nr_services, w->nr_services + 1,
	               sizeof(*w->services));
	w->services[w->nr_services] = service;
	return (uint32_t)w->nr_services++;
}

static uint32_t present(const struct work *w, uint32_t thread)
{
	const struct thread *t = &w->threads[thread];

	return t->nr ? t->changes[t->nr - 1].service : thread;
}

static void enter(struct work *w, struct syt_place at, uint32_t service)
{
	struct thread *t = &w->threads[at.thread];

	if (present(w, at.thread) == service)
		return;
	syt_store_grow(&t->changes, &t->room, t->nr, t->nr + 1, sizeof(*t->changes));
	t->changes[t->nr++] = (struct change){at.row, service};
}

/* Something came of which no edge tells from where.  From an untraced client it is no answer; else
 * nothing is known, but that an untraced server answered. */
enum unseen { UNSEEN_NOTHING, UNSEEN_CLIENT, UNSEEN_ANYBODY };

static enum unseen unseen_at(const struct work *w, struct syt_place at)
{
	const struct syt_order *o = w->order;
	const struct syt_row *r = syt_place_row(&o->places, at);
	uint32_t object;

	switch (syt_place_call(&o->places, at)->shape) {
	case SYT_SHAPE_RECV:
	case SYT_SHAPE_ACCEPT:
		break;
	case SYT_SHAPE_SEM_WAIT: /* in a trace that is complete the token was there from the begin */
	case SYT_SHAPE_COND_WAIT:
	case SYT_SHAPE_FUTEX_WAIT:
	case SYT_SHAPE_SIGNAL_RECV:
		return w->complete_from && syt_place_succeeded(&o->places, at) ? UNSEEN_ANYBODY
		                                                               : UNSEEN_NOTHING;
	default:
		return UNSEEN_NOTHING;
	}
	object = syt_object_of(&o->objects, syt_place_image_idx(&o->places, at), r->object);
	if (object == SYT_NONE || r->result < 0 ||
	    syt_object_kind(&o->objects, object) == SYT_KIND_FILE ||
	    syt_object_kind(&o->objects, object) == SYT_KIND_TIMERFD)
		return UNSEEN_NOTHING;
	return w->s->sides[object] == SYT_SIDE_ACCEPTED    ? UNSEEN_CLIENT
	       : w->s->sides[object] == SYT_SIDE_CONNECTED ? UNSEEN_NOTHING
	                                                   : UNSEEN_ANYBODY;
}

static void see_unseen(struct work *w, struct syt_place at, enum unseen unseen)
{
	const struct service *now = &w->services[present(w, at.thread)];
	struct service new = {
		.parent = SYT_NONE,
		.thread = at.thread,
		.is_external = unseen == UNSEEN_CLIENT,
		.unknown = unseen == UNSEEN_CLIENT ? SYT_ORIGIN_NONE : SYT_ORIGIN_MISSING,
	};

	if (unseen != UNSEEN_NOTHING &&
	    !(now->thread == at.thread && now->parent == SYT_NONE &&
	      now->is_external == new.is_external && now->unknown == new.unknown))
		enter(w, at, add_service(w, new));
}

/* Looks at the rows before AT into which no edge leads. */
static void sweep(struct work *w, struct syt_place at)
{
	struct thread *t = &w->threads[at.thread];

	for (; t->nr_swept < at.row; t->nr_swept++) {
		struct syt_place here = {at.thread, t->nr_swept};

		syt_service_role_note(&t->uses, w->order, here);
		see_unseen(w, here, unseen_at(w, here));
	}
}

static void settle(struct work *w, uint32_t thread);

/* The service in which AT was done. */
static uint32_t service_at(struct work *w, struct syt_place at)
{
	struct thread *t = &w->threads[at.thread];
	uint64_t low;

	if (t->pending.is_there && t->pending.row < at.row)
		settle(w, at.thread);
	sweep(w, at);
	/* the first change that is not before AT */
	low = SYT_BISECT(i, 0, t->nr, t->changes[i].row < at.row);
	return low ? t->changes[low - 1].service : at.thread;
}

/* ---- what ended an event's wait ---- */

struct found {
	enum syt_origin origin;
	/* ASKED: that of the thread itself, in which it asked, if that is known */
	uint32_t service;
};

/* Whether SERVICE goes back to THREAD.  For whom a thread was made is not known when its maker had
 * got something that nobody saw; that he had got it from THREAD is not supposed. */
static struct found go_back(const struct work *w, uint32_t service, uint32_t thread)
{
	bool is_birth = false, is_far = false;

	for (unsigned i = 0; i < MOST_CHAIN; i++) {
		const struct service *s = &w->services[service];

		if (s->thread == thread)
			return (struct found){is_birth ? SYT_ORIGIN_MADE : SYT_ORIGIN_ASKED,
			                      service};
		if (s->unknown && !(is_birth && !w->complete_from))
			return (struct found){(enum syt_origin)s->unknown, SYT_NONE};
		if (s->parent == SYT_NONE)
			return (struct found){is_far ? SYT_ORIGIN_AMBIGUOUS : SYT_ORIGIN_ARRIVED,
			                      SYT_NONE};
		is_birth = s->is_birth;
		is_far |= s->is_far;
		service = s->parent;
	}
	return (struct found){SYT_ORIGIN_FAR, SYT_NONE};
}

static struct syt_service_role_uses *uses_of(void *work, uint32_t thread)
{
	struct work *w = work;

	return &w->threads[thread].uses;
}

/* ORIGIN, as the services say, with whose turn it is. */
static enum syt_origin with_turn(enum syt_origin origin, enum syt_service_role turn)
{
	bool is_asked = origin == SYT_ORIGIN_ASKED;

	if (!is_asked && origin != SYT_ORIGIN_ARRIVED && origin != SYT_ORIGIN_AMBIGUOUS)
		return origin;
	switch (turn) {
	case SYT_SERVICE_ROLE_ASKS:
		return SYT_ORIGIN_ASKED;
	case SYT_SERVICE_ROLE_BEGINS:
		return is_asked ? origin : SYT_ORIGIN_HIDDEN;
	case SYT_SERVICE_ROLE_ANSWERS:
		return is_asked ? SYT_ORIGIN_MUTUAL : SYT_ORIGIN_ARRIVED;
	default:
		return origin;
	}
}

static bool is_maker(const struct work *w, uint32_t maker, uint32_t thread)
{
	uint32_t service = thread;

	for (unsigned i = 0; i < MOST_CHAIN; i++) {
		const struct service *s = &w->services[service];

		if (s->parent == SYT_NONE || !s->is_birth)
			return false;
		service = w->services[s->parent].thread; /* the first service of its maker */
		if (service == maker)
			return true;
	}
	return false;
}

/* What a condition variable or a futex guards is handed over in memory, and without an edge if the
 * other one did not wait.  Who has never been woken may have got work so, or makes it himself. */
static bool is_hidden(const struct work *w, const struct syt_edge *e, uint32_t service)
{
	return (e->kind == SYT_EDGE_COND || e->kind == SYT_EDGE_FUTEX) &&
	       service == e->from.thread && w->services[service].parent != SYT_NONE &&
	       !is_maker(w, e->from.thread, e->to.thread);
}

/* Those on the way from SERVICE to ASKED_IN, in which the thread that waits in AT asked, worked for
 * it; of one that asked over a queue only the last of them is known. */
static void demand(struct work *w, struct syt_place at, uint32_t service, uint32_t asked_in,
                   syt_time until)
{
	const struct syt_row *r = syt_place_row(&w->order->places, at);

	if (asked_in == SYT_NONE) {
		syt_demands_add(&w->s->demands, w->services[service].thread, SYT_DEMAND_ANSWER,
		                r->in, until);
		return;
	}
	for (unsigned i = 0; i < MOST_CHAIN && service != asked_in; i++) {
		const struct service *s = &w->services[service];

		syt_demands_add(&w->s->demands, s->thread, SYT_DEMAND_ANSWER,
		                s->asked > r->in ? s->asked : r->in, until);
		if (s->parent == SYT_NONE)
			return;
		until = s->asked;
		service = s->parent;
	}
}

/* The service that all of these go back to, or SYT_NONE. *IS_BIRTH: by making a thread. */
static uint32_t common(const struct work *w, const uint32_t *services, uint32_t nr, bool *is_birth)
{
	uint32_t chain[MOST_CHAIN], length = 0, at = 0;

	for (uint32_t s = services[0]; s != SYT_NONE && length < MOST_CHAIN;
	     s = w->services[s].parent)
		chain[length++] = s;
	for (uint32_t i = 1; i < nr; i++) {
		uint32_t s = services[i], found = length;

		for (unsigned n = 0; n < MOST_CHAIN && s != SYT_NONE && found == length; n++) {
			for (found = at; found < length && chain[found] != s; found++)
				;
			s = w->services[s].parent;
		}
		at = found;
	}
	if (at >= length)
		return SYT_NONE;
	*is_birth = at && w->services[chain[at - 1]].is_birth;
	return chain[at];
}

/* Work has come to the thread of AT, as NEW says. */
static void arrive(struct work *w, struct syt_place at, struct service new)
{
	struct service *now = &w->services[present(w, at.thread)];

	new.thread = at.thread;
	if (now->thread == at.thread && now->parent == new.parent && now->unknown == new.unknown &&
	    now->is_birth == new.is_birth && now->is_far == new.is_far && !now->is_external &&
	    (new.parent != SYT_NONE || new.unknown)) {
		now->asked = new.asked; /* more from the same one */
		return;
	}
	enter(w, at, add_service(w, new));
}

/* Whether nothing can be said of what ended E's wait, as all turns before have found.  What a condition
 * variable, a semaphore or a futex brings says who serves whom: who answers does, and who is woken where
 * he alone waits. */
static bool is_mutual(struct work *w, const struct syt_edge *e, enum syt_origin origin,
                      uint32_t from)
{
	uint32_t to = e->to.thread;
	bool is_asked = origin == SYT_ORIGIN_ASKED, is_parked;

	if (e->kind != SYT_EDGE_COND && e->kind != SYT_EDGE_SEM && e->kind != SYT_EDGE_FUTEX)
		return false;
	is_parked =
		e->object != SYT_NONE && syt_service_role_is_parking_place(&w->objects[e->object]);
	if (is_parked)
		syt_role_conflict_note(&w->parked, from, to);
	if (!is_asked && (origin != SYT_ORIGIN_ARRIVED || !is_parked))
		return false;
	if (is_asked)
		syt_role_conflict_note(&w->mutual, to, from);
	else
		syt_role_conflict_note(&w->mutual, from, to);
	return syt_role_conflict_is(&w->mutual, to, from) ||
	       (is_parked && syt_role_conflict_is(&w->parked, to, from));
}

static enum syt_origin judge(struct work *w, struct syt_place at, const struct pending *p)
{
	const struct syt_edge *e = &w->order->edges.all[p->last];
	struct service new = {.parent = SYT_NONE, .asked = syt_edge_begin(&w->order->edges, e)};
	struct found found = {SYT_ORIGIN_NONE, SYT_NONE};
	enum syt_service_role turn = SYT_SERVICE_ROLE_UNKNOWN;
	uint32_t services[MOST_SOURCES], nr = p->nr < MOST_SOURCES ? p->nr : MOST_SOURCES;
	bool is_one_service = p->nr == nr, is_one_origin = p->nr == nr, is_either = false;

	sweep(w, at);
	for (uint32_t i = 0; i < nr; i++) {
		uint32_t service = service_at(w, p->from[i]);
		struct found other = go_back(w, service, at.thread);

		if (!w->complete_from)
			turn = syt_service_role_of(&w->threads[at.thread].uses,
			                           &w->threads[p->from[i].thread].uses, w->objects,
			                           e->object, w, uses_of);
		if ((turn == SYT_SERVICE_ROLE_BEGINS || turn == SYT_SERVICE_ROLE_EITHER) &&
		    is_maker(w, p->from[i].thread, at.thread))
			turn = SYT_SERVICE_ROLE_UNKNOWN; /* what it gave its maker it had been made for */
		other.origin = with_turn(other.origin, turn);
		is_either |= turn == SYT_SERVICE_ROLE_EITHER;
		services[i] = service;
		if (!i)
			found = other;
		is_one_service &= service == services[0];
		is_one_origin &= other.origin == found.origin;
	}
	if (!is_one_origin)
		found.origin = SYT_ORIGIN_AMBIGUOUS;
	if (found.origin == SYT_ORIGIN_ARRIVED &&
	    syt_edge_end(&w->order->edges, e) < w->complete_from)
		found.origin = SYT_ORIGIN_MISSING;
	for (uint32_t i = 0; i < nr; i++)
		if (is_mutual(w, e, found.origin, p->from[i].thread))
			found.origin = SYT_ORIGIN_MUTUAL;
	switch (found.origin) {
	case SYT_ORIGIN_ASKED:
		if (is_one_service) {
			demand(w, at, services[0], found.service, new.asked);
			if (found.service != SYT_NONE)
				enter(w, at, found.service);
		}
		break;
	case SYT_ORIGIN_MADE:
	case SYT_ORIGIN_HIDDEN:
	case SYT_ORIGIN_MUTUAL:
		break;
	case SYT_ORIGIN_ARRIVED:
	case SYT_ORIGIN_AMBIGUOUS:
		new.parent = is_one_service ? services[0]
		             : p->nr == nr  ? common(w, services, nr, &new.is_birth)
		                            : SYT_NONE;
		new.is_far = !is_one_service;
		if (new.parent == SYT_NONE)
			new.unknown = SYT_ORIGIN_AMBIGUOUS;
		arrive(w, at, new);
		if (found.origin == SYT_ORIGIN_ARRIVED && is_hidden(w, e, services[0]))
			return SYT_ORIGIN_HIDDEN;
		if (found.origin == SYT_ORIGIN_ARRIVED && is_either)
			return SYT_ORIGIN_MUTUAL;
		break;
	default:
		new.unknown = (uint8_t)found.origin;
		arrive(w, at, new);
		break;
	}
	return found.origin;
}

static void settle(struct work *w, uint32_t thread)
{
	struct thread *t = &w->threads[thread];
	struct pending p = t->pending;
	struct syt_place at = {thread, p.row};

	if (!p.is_there || p.is_settling || w->depth >= MOST_DEPTH)
		return;
	t->pending.is_settling = true;
	w->depth++;
	w->s->origins[p.last] = (uint8_t)judge(w, at, &p);
	w->depth--;
	syt_service_role_note(&t->uses, w->order, at);
	t->pending.is_there = t->pending.is_settling = false;
	if (t->nr_swept <= p.row)
		t->nr_swept = p.row + 1;
}

static void settle_all(struct work *w)
{
	for (size_t i = 0; i < w->nr_unsettled; i++)
		settle(w, w->unsettled[i]);
	w->nr_unsettled = 0;
}

/* ---- edges, in order of time ---- */

static void bear(struct work *w, const struct syt_edge *e)
{
	uint32_t parent = service_at(w, e->from);
	struct service *s = &w->services[e->to.thread];

	if (s->parent != SYT_NONE || s->unknown || e->from.thread == e->to.thread ||
	    go_back(w, parent, e->to.thread).origin == SYT_ORIGIN_ASKED)
		return;
	s->parent = parent;
	s->is_birth = true;
	s->asked = syt_edge_begin(&w->order->edges, e);
}

static void see_edge(struct work *w, uint64_t number)
{
	const struct syt_edge *e = &w->order->edges.all[number];
	struct pending *p;

	switch ((enum syt_edge_kind)e->kind) {
	case SYT_EDGE_CREATE:
	case SYT_EDGE_FORK:
	case SYT_EDGE_EXEC:
		if (!(e->flags & SYT_EDGE_AMBIGUOUS))
			bear(w, e);
		return;
	case SYT_EDGE_JOIN:
	case SYT_EDGE_REAP:
	case SYT_EDGE_ONCE:
	case SYT_EDGE_TIMER:
	case SYT_EDGE_CANCEL:
	case SYT_EDGE_BARRIER:
		return;
	default:
		break;
	}
	if (e->class != SYT_CLASS_CAUSAL || e->from.thread == e->to.thread)
		return;
	p = &w->threads[e->to.thread].pending;
	if (p->is_there && p->row != e->to.row)
		settle(w, e->to.thread);
	if (!p->is_there) {
		*p = (struct pending){.is_there = true, .row = e->to.row};
		syt_grow(&w->unsettled, &w->room_unsettled, w->nr_unsettled + 1,
		         sizeof(*w->unsettled));
		w->unsettled[w->nr_unsettled++] = e->to.thread;
	}
	/* the last one counts, or the last ambiguous set */
	if (!(e->flags & SYT_EDGE_AMBIGUOUS) || !p->is_ambiguous)
		p->nr = 0;
	p->is_ambiguous = e->flags & SYT_EDGE_AMBIGUOUS;
	p->last = number;
	if (p->nr < MOST_SOURCES)
		p->from[p->nr] = e->from;
	p->nr++;
}

static void see_edges(struct work *w)
{
	const struct syt_edges *edges = &w->order->edges;
	syt_time now = 0;

	SYT_EACH(i, 0, edges->nr) {
		const struct syt_edge *e = &edges->all[i];

		if (!syt_blamer_tells(e) || e->from.thread == SYT_NONE || e->to.thread == SYT_NONE)
			continue;
		if (syt_edge_end(edges, e) != now) {
			settle_all(w);
			now = syt_edge_end(edges, e);
		}
		see_edge(w, i);
	}
	settle_all(w);
}

/* ---- life ---- */

static void find_sides(struct syt_services *s)
{
	const struct syt_order *o = s->order;

	for (uint32_t i = 0; i < o->objects.nr; i++) {
		struct syt_history h = syt_history_of(&o->histories, i);

		if (syt_object_kind(&o->objects, i) == SYT_KIND_LISTEN)
			s->sides[i] = SYT_SIDE_ACCEPTED;
		if (syt_object_kind(&o->objects, i) != SYT_KIND_STREAM)
			continue;
		for (uint64_t n = 0; n < h.nr && n < FIRST_USES; n++)
			if (h.touches[n].shape == SYT_SHAPE_ACCEPT)
				s->sides[i] = SYT_SIDE_ACCEPTED;
			else if (h.touches[n].shape == SYT_SHAPE_CONNECT)
				s->sides[i] = SYT_SIDE_CONNECTED;
	}
}

static bool is_complete(const struct syt_thread *t)
{
	return !t->base && !t->missing && !t->gaps && !t->is_uneven;
}

/* That were not known when the origins were told. */
static bool has_circles(struct work *w)
{
	uint32_t nr = w->order->places.nr_threads;
	bool is_new = syt_role_conflict_find(&w->mutual, nr);

	return syt_role_conflict_find(&w->parked, nr) || is_new;
}

/* One turn: tells the origins, but for those among threads in a circle. */
static void run(struct work *w)
{
	const struct syt_order *o = w->order;
	const struct syt_places *p = &o->places;

	w->objects = syt_store_alloc(o->objects.nr, sizeof(*w->objects));
	w->threads = syt_store_alloc(p->nr_threads, sizeof(*w->threads));
	for (uint32_t i = 0; i < o->objects.nr; i++)
		w->objects[i] = syt_service_role_object(o, i, w, uses_of);
	for (uint32_t i = 0; i < p->nr_threads; i++)
		add_service(w, (struct service){.parent = SYT_NONE,
		                                .thread = i,
		                                .unknown = is_complete(p->threads[i])
		                                                   ? SYT_ORIGIN_NONE
		                                                   : SYT_ORIGIN_MISSING});
	see_edges(w);
	for (uint32_t i = 0; i < p->nr_threads; i++)
		syt_store_free(w->threads[i].changes);
	syt_store_free(w->threads);
	syt_store_free(w->objects);
	syt_store_free(w->services);
	free(w->unsettled);
}

void syt_services_open(struct syt_services *s, const struct syt_order *order)
{
	const struct syt_places *p = &order->places;
	struct work w = {.s = s, .order = order};

	memset(s, 0, sizeof(*s));
	s->order = order;
	s->origins = syt_store_alloc(order->edges.nr, sizeof(*s->origins));
	s->sides = syt_store_alloc(order->objects.nr, sizeof(*s->sides));
	find_sides(s);
	for (uint32_t i = 0; i < p->trace->nr_images; i++)
		if (p->complete_from[i] > w.complete_from)
			w.complete_from = p->complete_from[i];
	run(&w);
	for (unsigned i = 1; i < MOST_TURNS && has_circles(&w); i++) {
		syt_demands_close(&s->demands);
		memset(s->origins, 0, order->edges.nr * sizeof(*s->origins));
		w = (struct work){.s = s,
		                  .order = order,
		                  .complete_from = w.complete_from,
		                  .mutual = w.mutual,
		                  .parked = w.parked};
		run(&w);
	}
	syt_role_conflict_close(&w.mutual);
	syt_role_conflict_close(&w.parked);
}

void syt_services_close(struct syt_services *s)
{
	syt_store_free(s->origins);
	syt_store_free(s->sides);
	syt_demands_close(&s->demands);
	memset(s, 0, sizeof(*s));
}
