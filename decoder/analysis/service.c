/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/analysis/service.h"

#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "base/err.h"
#include "decoder/analysis/blame.h"
#include "decoder/analysis/role_conflict.h"
#include "decoder/analysis/roles.h"

/* maximum number of possible sources of an event; further sources are ignored */
#define MOST_SOURCES 16u
#define MOST_CHAIN 64u /* maximum number of services in a chain of parents */
/* maximum number of threads that act at the same instant, each because of the next */
#define MOST_DEPTH 64u
/* maximum number of passes, which end when there are no new cycles; usually one or two are enough */
#define MOST_PASSES 8u
/* number of first uses of a socket that are examined, which include its connect or accept */
#define FIRST_USES 8u

/* A service: the work of a thread for one requester. The first nr_threads elements are the first services of the
 * threads, in their order. */
struct service {
	/* service of the requester; SYT_NONE: no thread of the trace asked for the work, or it is unknown */
	uint32_t parent;
	uint32_t thread;
	syt_time asked;   /* time of the last request for this work */
	uint8_t unknown;  /* enum syt_origin: reason why the parent is unknown; NONE: it is known */
	bool is_birth;    /* the request was the creation of the thread itself */
	bool is_far;      /* the parent is the common ancestor of several possible parents */
	bool is_external; /* an untraced client asked for the work */
};

/* A change of a thread's service: after event `row`, it works in `service`. */
struct change {
	uint32_t row, service;
};

/* An event of a thread, and the happens-before edges into it. The origin of the event is determined after its last
 * edge was seen. */
struct pending {
	bool is_there, is_resolving, is_ambiguous;
	uint32_t row, nr; /* nr: number of possible sources, some perhaps not in `from` */
	uint64_t last;    /* index of the last edge into the event */
	struct syt_place from[MOST_SOURCES];
};

struct thread {
	struct pending pending;
	uint32_t nr_scanned; /* number of events that were examined for input without an edge */
	uint64_t nr;
	size_t room;
	struct change *changes;
};

struct work {
	struct syt_services *s;
	const struct syt_order *order;
	syt_time complete_from;
	struct thread *threads; /* threads, by trace-wide index */
	/* objects that each thread uses, by trace-wide index of the thread */
	struct syt_service_role_uses *uses;
	/* givers and takers of each object, decoder/analysis/roles.h */
	struct syt_service_role_object *objects;
	size_t nr_services, room;
	struct service *services;
	size_t nr_unresolved, room_unresolved;
	uint32_t *unresolved; /* threads that have a pending event */
	unsigned depth;
	bool has_handoffs; /* use the inferred hand-offs through the queues of the program, too */
	/* Results of earlier passes: threads that serve each other, and threads that wake each other at their
	 * private objects. */
	struct syt_role_conflict mutual, private_wakeups;
};

void syt_demands_add(struct syt_demands *d, uint32_t thread, enum syt_demand_level level,
                     syt_time from, syt_time to)
{
	if (from >= to)
		return;
	syt_store_widen(&d->all, &d->room, d->nr, d->nr + 1, sizeof(*d->all));
	d->all[d->nr++] = (struct syt_demand){thread, (uint8_t)level, from, to};
}

void syt_demands_close(struct syt_demands *d)
{
	syt_store_free(d->all);
	memset(d, 0, sizeof(*d));
}

static uint32_t add_service(struct work *w, struct service service)
{
	syt_store_widen(&w->services, &w->room, w->nr_services, w->nr_services + 1,
	               sizeof(*w->services));
	w->services[w->nr_services] = service;
	return (uint32_t)w->nr_services++;
}

/* Returns the service in which THREAD works after the last known change of its service. */
static uint32_t present(const struct work *w, uint32_t thread)
{
	const struct thread *t = &w->threads[thread];

	return t->nr ? t->changes[t->nr - 1].service : thread;
}

/* Stores that the thread of AT works in SERVICE after the event AT. */
static void enter(struct work *w, struct syt_place at, uint32_t service)
{
	struct thread *t = &w->threads[at.thread];

	if (present(w, at.thread) == service)
		return;
	syt_store_widen(&t->changes, &t->room, t->nr, t->nr + 1, sizeof(*t->changes));
	t->changes[t->nr++] = (struct change){at.row, service};
}

/* Kinds of input without a happens-before edge, whose sender the trace does not show. Input from an untraced client
 * is new work. Input from an untraced server is an answer, and changes no service. All other such input begins an
 * unknown service. */
enum unseen { UNSEEN_NONE, UNSEEN_CLIENT, UNSEEN_UNKNOWN };

static enum unseen unseen_at(const struct work *w, struct syt_place at)
{
	const struct syt_order *o = w->order;
	const struct syt_row *r = syt_place_row(&o->places, at);
	uint32_t object;

	switch (syt_place_call(&o->places, at)->shape) {
	case SYT_SHAPE_RECV:
	case SYT_SHAPE_ACCEPT:
		break;
	/* in a complete trace, a semaphore wait without an edge took a token that was there from the begin */
	case SYT_SHAPE_SEM_WAIT:
	case SYT_SHAPE_COND_WAIT:
	case SYT_SHAPE_FUTEX_WAIT:
	case SYT_SHAPE_SIGNAL_RECV:
		return w->complete_from && syt_place_succeeded(&o->places, at) ? UNSEEN_UNKNOWN
		                                                               : UNSEEN_NONE;
	default:
		return UNSEEN_NONE;
	}
	object = syt_object_of(&o->objects, syt_place_image_idx(&o->places, at), r->object);
	if (object == SYT_NONE || r->result < 0 ||
	    syt_object_kind(&o->objects, object) == SYT_KIND_FILE ||
	    syt_object_kind(&o->objects, object) == SYT_KIND_TIMERFD)
		return UNSEEN_NONE;
	return w->s->sides[object] == SYT_SIDE_ACCEPTED    ? UNSEEN_CLIENT
	       : w->s->sides[object] == SYT_SIDE_CONNECTED ? UNSEEN_NONE
	                                                   : UNSEEN_UNKNOWN;
}

static void take_unseen(struct work *w, struct syt_place at, enum unseen unseen)
{
	const struct service *now = &w->services[present(w, at.thread)];
	struct service new = {
		.parent = SYT_NONE,
		.thread = at.thread,
		.is_external = unseen == UNSEEN_CLIENT,
		.unknown = unseen == UNSEEN_CLIENT ? SYT_ORIGIN_NONE : SYT_ORIGIN_MISSING,
	};

	if (unseen != UNSEEN_NONE &&
	    !(now->thread == at.thread && now->parent == SYT_NONE &&
	      now->is_external == new.is_external && now->unknown == new.unknown))
		enter(w, at, add_service(w, new));
}

/* Examines those events of the thread before AT into which no edge leads. */
static void scan_rows_before(struct work *w, struct syt_place at)
{
	struct thread *t = &w->threads[at.thread];

	for (; t->nr_scanned < at.row; t->nr_scanned++) {
		struct syt_place here = {at.thread, t->nr_scanned};

		syt_service_role_note(&w->uses[at.thread], w->order, here);
		take_unseen(w, here, unseen_at(w, here));
	}
}

static void resolve(struct work *w, uint32_t thread);

/* Returns the service in which the thread of AT worked at the time of the event AT. */
static uint32_t service_at(struct work *w, struct syt_place at)
{
	struct thread *t = &w->threads[at.thread];
	uint64_t low;

	if (t->pending.is_there && t->pending.row < at.row)
		resolve(w, at.thread);
	scan_rows_before(w, at);
	/* finds the first change of the service that is not before AT, mostly one of the last */
	low = SYT_BISECT_NEAR(i, (uint64_t)0, t->nr, t->nr, t->changes[i].row < at.row);
	return low ? t->changes[low - 1].service : at.thread;
}

struct found {
	enum syt_origin origin;
	/* origin ASKED: service of the thread in which it made the request; SYT_NONE: unknown */
	uint32_t service;
};

/* Follows the chain of parents from SERVICE up to a service of THREAD. If the creator of a thread had received
 * input without a happens-before edge, the requester of the created thread is unknown, because the input need not
 * come from THREAD. */
static struct found follow_parents(const struct work *w, uint32_t service, uint32_t thread)
{
	bool is_birth = false, is_far = false;

	for (unsigned i = 0; i < MOST_CHAIN; i++) {
		const struct service *s = &w->services[service];

		if (s->thread == thread)
			return (struct found){is_birth ? SYT_ORIGIN_MADE : SYT_ORIGIN_ASKED,
			                      service};
		if (s->unknown && !(is_birth && !w->complete_from))
			return (struct found){s->unknown, SYT_NONE};
		if (s->parent == SYT_NONE)
			return (struct found){is_far ? SYT_ORIGIN_AMBIGUOUS : SYT_ORIGIN_ARRIVED,
			                      SYT_NONE};
		is_birth = s->is_birth;
		is_far |= s->is_far;
		service = s->parent;
	}
	return (struct found){SYT_ORIGIN_FAR, SYT_NONE};
}

/* Returns the origin of an event: ORIGIN, which the chain of parents gave, corrected by the client/server ROLE of
 * the thread. */
static enum syt_origin with_role(enum syt_origin origin, enum syt_service_role role)
{
	bool is_asked = origin == SYT_ORIGIN_ASKED;

	if (!is_asked && origin != SYT_ORIGIN_ARRIVED && origin != SYT_ORIGIN_AMBIGUOUS)
		return origin;
	switch (role) {
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

/* Returns true if the thread CREATOR created THREAD, itself or through threads that it created. */
static bool is_creator(const struct work *w, uint32_t creator, uint32_t thread)
{
	uint32_t service = thread;

	for (unsigned i = 0; i < MOST_CHAIN; i++) {
		const struct service *s = &w->services[service];

		if (s->parent == SYT_NONE || !s->is_birth)
			return false;
		/* the thread whose service created this thread */
		service = w->services[s->parent].thread;
		if (service == creator)
			return true;
	}
	return false;
}

/* Returns true if the sender of edge E may have received its work without a happens-before edge. Data guarded by a
 * condition variable or a futex pass through memory, without an edge if the receiver does not wait. A thread that
 * was never woken may therefore have received or created its work. */
static bool is_hidden(const struct work *w, const struct syt_edge *e, uint32_t service)
{
	return (e->kind == SYT_EDGE_COND || e->kind == SYT_EDGE_FUTEX) &&
	       service == e->from.thread && w->services[service].parent != SYT_NONE &&
	       !is_creator(w, e->from.thread, e->to.thread);
}

/* Adds demands on all threads that worked until UNTIL on the answer for which the thread of AT has waited since AT
 * began. The services on the chain of parents from SERVICE to ASKED_IN, the service in which the thread had asked,
 * name these threads. If the thread had asked through a queue, ASKED_IN is SYT_NONE, and only the thread of SERVICE
 * is known. */
static void note_demands(struct work *w, struct syt_place at, uint32_t service, uint32_t asked_in,
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

/* Returns the nearest common ancestor of the NR services, by chains of parents, or SYT_NONE. Sets *IS_BIRTH if the
 * chain of the first service leaves this ancestor by the creation of a thread. */
static uint32_t common_ancestor(const struct work *w, const uint32_t *services, uint32_t nr,
                                bool *is_birth)
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

/* Begins the service NEW of AT's thread at the event AT, unless the thread already works in an equal service. */
static void begin_service(struct work *w, struct syt_place at, struct service new)
{
	struct service *now = &w->services[present(w, at.thread)];

	new.thread = at.thread;
	if (now->thread == at.thread && now->parent == new.parent && now->unknown == new.unknown &&
	    now->is_birth == new.is_birth && now->is_far == new.is_far && !now->is_external &&
	    (new.parent != SYT_NONE || new.unknown)) {
		now->asked = new.asked; /* the requester gave more work */
		return;
	}
	enter(w, at, add_service(w, new));
}

/* Returns true if the wait that edge E ended is undecided, because earlier passes found a cycle that contains both
 * threads. Also stores for the next pass which thread serves which. At a condition variable, semaphore or futex,
 * the sender of an answer serves the thread that asked, and a thread that is woken at its private object serves its
 * waker. */
static bool is_mutual(struct work *w, const struct syt_edge *e, enum syt_origin origin,
                      uint32_t from)
{
	uint32_t to = e->to.thread;
	bool is_asked = origin == SYT_ORIGIN_ASKED, is_private;

	if (e->kind != SYT_EDGE_COND && e->kind != SYT_EDGE_SEM && e->kind != SYT_EDGE_FUTEX)
		return false;
	is_private = e->object != SYT_NONE && syt_service_role_is_private(&w->objects[e->object]);
	if (is_private)
		syt_role_conflict_note(&w->private_wakeups, from, to);
	if (!is_asked && (origin != SYT_ORIGIN_ARRIVED || !is_private))
		return false;
	if (is_asked)
		syt_role_conflict_note(&w->mutual, to, from);
	else
		syt_role_conflict_note(&w->mutual, from, to);
	return syt_role_conflict_is(&w->mutual, to, from) ||
	       (is_private && syt_role_conflict_is(&w->private_wakeups, to, from));
}

/* Returns true if OBJECT is a semaphore that began with tokens. Such a semaphore limits something, for example the items
 * in a buffer: its tokens are free places, and bring no work. */
static bool is_limit(const struct syt_order *o, uint32_t object)
{
	struct syt_history h;

	if (object == SYT_NONE || syt_object_kind(&o->objects, object) != SYT_KIND_SEM)
		return false;
	h = syt_history_of(&o->histories, object);
	return h.nr && syt_touch_is(&h.touches[0], SYT_SHAPE_INIT) &&
	       syt_place_extra(&o->places, h.touches[0].place)->arg > 0;
}

/* Returns the origin of the wake-up or data that the edges of P bring to the event AT, and changes the service of
 * AT's thread accordingly. */
static enum syt_origin find_origin(struct work *w, struct syt_place at, const struct pending *p)
{
	const struct syt_edge *e = &w->order->edges.all[p->last];
	struct service new = {.parent = SYT_NONE, .asked = syt_edge_begin(&w->order->edges, e)};
	struct found found = {SYT_ORIGIN_NONE, SYT_NONE};
	enum syt_service_role role = SYT_SERVICE_ROLE_UNKNOWN;
	uint32_t services[MOST_SOURCES], nr = p->nr < MOST_SOURCES ? p->nr : MOST_SOURCES;
	bool is_one_service = p->nr == nr, is_one_origin = p->nr == nr, is_either = false;

	scan_rows_before(w, at);
	for (uint32_t i = 0; i < nr; i++) {
		uint32_t service = service_at(w, p->from[i]);
		struct found other = follow_parents(w, service, at.thread);

		if (!w->complete_from)
			role = syt_service_role_of(w->uses, at.thread, p->from[i].thread,
			                           w->objects, e->object);
		if ((role == SYT_SERVICE_ROLE_BEGINS || role == SYT_SERVICE_ROLE_EITHER) &&
		    is_creator(w, p->from[i].thread, at.thread))
			/* the sender was created to give this to its creator */
			role = SYT_SERVICE_ROLE_UNKNOWN;
		other.origin = with_role(other.origin, role);
		is_either |= role == SYT_SERVICE_ROLE_EITHER;
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
	if (found.origin == SYT_ORIGIN_ARRIVED && w->has_handoffs && is_limit(w->order, e->object))
		return SYT_ORIGIN_NONE; /* the thread goes on with its work */
	for (uint32_t i = 0; i < nr; i++)
		if (is_mutual(w, e, found.origin, p->from[i].thread))
			found.origin = SYT_ORIGIN_MUTUAL;
	switch (found.origin) {
	case SYT_ORIGIN_ASKED:
		if (is_one_service) {
			note_demands(w, at, services[0], found.service, new.asked);
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
		             : p->nr == nr  ? common_ancestor(w, services, nr, &new.is_birth)
		                            : SYT_NONE;
		new.is_far = !is_one_service;
		if (new.parent == SYT_NONE)
			new.unknown = SYT_ORIGIN_AMBIGUOUS;
		begin_service(w, at, new);
		if (found.origin == SYT_ORIGIN_ARRIVED && is_hidden(w, e, services[0]))
			return SYT_ORIGIN_HIDDEN;
		if (found.origin == SYT_ORIGIN_ARRIVED && is_either)
			return SYT_ORIGIN_MUTUAL;
		break;
	default:
		new.unknown = (uint8_t)found.origin;
		begin_service(w, at, new);
		break;
	}
	return found.origin;
}

/* Determines the origin of THREAD's pending event. The function may call itself for the threads of the sources. */
static void resolve(struct work *w, uint32_t thread)
{
	struct thread *t = &w->threads[thread];
	struct pending p = t->pending;
	struct syt_place at = {thread, p.row};

	if (!p.is_there || p.is_resolving || w->depth >= MOST_DEPTH)
		return;
	t->pending.is_resolving = true;
	w->depth++;
	w->s->origins[p.last] = (uint8_t)find_origin(w, at, &p);
	w->depth--;
	syt_service_role_note(&w->uses[thread], w->order, at);
	t->pending.is_there = t->pending.is_resolving = false;
	if (t->nr_scanned <= p.row)
		t->nr_scanned = p.row + 1;
}

static void resolve_all(struct work *w)
{
	for (size_t i = 0; i < w->nr_unresolved; i++)
		resolve(w, w->unresolved[i]);
	w->nr_unresolved = 0;
}

/* Sets the parent of a thread's first service from E, the edge from the creation of the thread. */
static void set_birth(struct work *w, const struct syt_edge *e)
{
	uint32_t parent = service_at(w, e->from);
	struct service *s = &w->services[e->to.thread];

	if (s->parent != SYT_NONE || s->unknown || e->from.thread == e->to.thread ||
	    follow_parents(w, parent, e->to.thread).origin == SYT_ORIGIN_ASKED)
		return;
	s->parent = parent;
	s->is_birth = true;
	s->asked = syt_edge_begin(&w->order->edges, e);
}

static void take_edge(struct work *w, uint64_t number)
{
	const struct syt_edge *e = &w->order->edges.all[number];
	struct pending *p;

	switch ((enum syt_edge_kind)e->kind) {
	case SYT_EDGE_CREATE:
	case SYT_EDGE_FORK:
	case SYT_EDGE_EXEC:
		if (!(e->flags & SYT_EDGE_AMBIGUOUS))
			set_birth(w, e);
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
	if ((e->class != SYT_CLASS_CAUSAL && e->kind != SYT_EDGE_HANDOFF) ||
	    e->from.thread == e->to.thread)
		return;
	p = &w->threads[e->to.thread].pending;
	if (p->is_there && p->row != e->to.row)
		resolve(w, e->to.thread);
	/* The waker woke the thread, but perhaps another thread gave the work. */
	if (p->is_there && e->kind == SYT_EDGE_COND &&
	    w->order->edges.all[p->last].kind == SYT_EDGE_HANDOFF)
		return;
	if (!p->is_there) {
		*p = (struct pending){.is_there = true, .row = e->to.row};
		syt_grow(&w->unresolved, &w->room_unresolved, w->nr_unresolved + 1,
		         sizeof(*w->unresolved));
		w->unresolved[w->nr_unresolved++] = e->to.thread;
	}
	/* only the last edge into an event is used, or the last set of ambiguous edges */
	if (!(e->flags & SYT_EDGE_AMBIGUOUS) || !p->is_ambiguous)
		p->nr = 0;
	p->is_ambiguous = e->flags & SYT_EDGE_AMBIGUOUS;
	p->last = number;
	if (p->nr < MOST_SOURCES)
		p->from[p->nr] = e->from;
	p->nr++;
}

static void take_edges(struct work *w)
{
	const struct syt_edges *edges = &w->order->edges;
	syt_time now = 0;

	SYT_EACH(i, 0, edges->nr) {
		const struct syt_edge *e = &edges->all[i];

		if (!(syt_blamer_tells(e) || (w->has_handoffs && e->kind == SYT_EDGE_HANDOFF)) ||
		    e->from.thread == SYT_NONE || e->to.thread == SYT_NONE)
			continue;
		if (syt_edge_end(edges, e) != now) {
			resolve_all(w);
			now = syt_edge_end(edges, e);
		}
		take_edge(w, i);
	}
	resolve_all(w);
}

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

/* Makes one pass over all edges. Exchanges between threads of one known cycle remain undecided. */
static void run_pass(struct work *w)
{
	const struct syt_order *o = w->order;
	const struct syt_places *p = &o->places;

	w->objects = syt_store_alloc(o->objects.nr, sizeof(*w->objects));
	w->threads = syt_store_alloc(p->nr_threads, sizeof(*w->threads));
	w->uses = syt_store_alloc(p->nr_threads, sizeof(*w->uses));
	for (uint32_t i = 0; i < o->objects.nr; i++)
		w->objects[i] = syt_service_role_object(o, i, w->uses);
	for (uint32_t i = 0; i < p->nr_threads; i++) {
		const struct syt_thread *t = p->threads[i];
		bool is_complete = !t->base && !t->missing && !t->gaps;

		add_service(w, (struct service){.parent = SYT_NONE,
		                                .thread = i,
		                                .unknown = is_complete ? SYT_ORIGIN_NONE
		                                                       : SYT_ORIGIN_MISSING});
	}
	take_edges(w);
	for (uint32_t i = 0; i < p->nr_threads; i++)
		syt_store_free(w->threads[i].changes);
	syt_store_free(w->threads);
	syt_store_free(w->uses);
	syt_store_free(w->objects);
	syt_store_free(w->services);
	free(w->unresolved);
}

static void find_services(struct syt_services *s, const struct syt_order *order, bool has_handoffs)
{
	const struct syt_places *p = &order->places;
	struct work w = {.s = s, .order = order, .has_handoffs = has_handoffs};

	memset(s, 0, sizeof(*s));
	s->order = order;
	s->origins = syt_store_alloc(order->edges.nr, sizeof(*s->origins));
	s->sides = syt_store_alloc(order->objects.nr, sizeof(*s->sides));
	find_sides(s);
	for (uint32_t i = 0; i < p->trace->nr_images; i++)
		if (p->complete_from[i] > w.complete_from)
			w.complete_from = p->complete_from[i];
	if (syt_trace_is_sampled(p->trace))
		w.complete_from = UINT64_MAX;
	for (unsigned i = 1;; i++) {
		bool is_new;

		run_pass(&w);
		is_new = syt_role_conflict_find(&w.mutual, p->nr_threads);
		is_new |= syt_role_conflict_find(&w.private_wakeups, p->nr_threads);
		if (!is_new || i == MOST_PASSES)
			break;
		syt_demands_close(&s->demands);
		memset(s->origins, 0, order->edges.nr * sizeof(*s->origins));
		w = (struct work){.s = s,
		                  .order = order,
		                  .complete_from = w.complete_from,
		                  .has_handoffs = has_handoffs,
		                  .mutual = w.mutual,
		                  .private_wakeups = w.private_wakeups};
	}
	syt_role_conflict_close(&w.mutual);
	syt_role_conflict_close(&w.private_wakeups);
}

void syt_services_open(struct syt_services *s, const struct syt_order *order)
{
	find_services(s, order, false);
}

void syt_services_open_with_handoffs(struct syt_services *s, const struct syt_order *order)
{
	find_services(s, order, true);
}

void syt_services_close(struct syt_services *s)
{
	syt_store_free(s->origins);
	syt_store_free(s->sides);
	syt_demands_close(&s->demands);
	memset(s, 0, sizeof(*s));
}
