/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/request/extent.h"

#include <stdlib.h>
#include <string.h>

#include "base/counts.h"
#include "base/err.h"
#include "decoder/order/handoff.h"
#include "decoder/read/merge.h"
#include "decoder/request/queue_take.h"

const struct syt_edges_wanted syt_extent_edges = {SYT_EDGES_BUT_LOCKS, SYT_EDGES_ALL};

/* One end of a connection or pipe. */
struct end {
	uint32_t incoming;     /* segment that the present incoming message began, or SYT_NONE */
	uint32_t source;       /* segment that sent this message, or SYT_NONE */
	uint32_t outgoing;     /* segment of the last send or connect, or SYT_NONE */
	struct syt_place sent; /* this send or connect */
	bool has_sent;         /* a send or connect followed the incoming message */
	bool is_connecting;    /* no bytes followed the connect */
	bool is_accepted;
	bool is_client; /* the other end accepted the connection from the outside: requests begin there */
	bool is_serving; /* an epoll instance that reports accepted connections or a listening socket */
};

struct thread {
	uint32_t piece;     /* the thread's present piece, or SYT_NONE */
	uint32_t visit_end; /* row of the last event of the thread's present visit, or SYT_NONE */
	/* the happens-before edges that have reached the thread, and whose event was not processed yet */
	uint32_t nr;
	size_t room;
	uint64_t *edges;
};

struct walk {
	struct syt_extents *e;
	const struct syt_order *order;
	struct syt_queue_takes takes;
	struct end *ends;       /* [object] */
	struct thread *threads; /* [thread] */
	const struct syt_requests
		*exchanges;       /* all requests from the outside and between servers */
	struct syt_hash requests; /* the first receive of each exchange */
	struct syt_hash visits;   /* the first event of each visit */
	uint64_t next_edge;
};

/* The event that gave work to a thread. */
struct source {
	bool is_there, is_mixed, is_inferred, is_wanted;
	uint32_t segment; /* SYT_NONE: the sender works on no request */
	uint8_t by;
	struct syt_place from;
	syt_time at;
};

/* ---- segments and pieces ---- */

static uint32_t add_segment(struct walk *w, struct syt_request_segment s)
{
	*SYT_STORE_ADD(w->e->segments, w->e->nr_segments, w->e->room_segments) = s;
	return w->e->nr_segments - 1;
}

/* Returns the segment in which THREAD works at present, or SYT_NONE. */
static uint32_t present(const struct walk *w, uint32_t thread)
{
	uint32_t piece = w->threads[thread].piece;

	return piece == SYT_NONE ? SYT_NONE : w->e->pieces[piece].segment;
}

/* Ends the work of AT's thread before the event AT. */
static void leave(struct walk *w, struct syt_place at)
{
	struct thread *t = &w->threads[at.thread];
	struct syt_piece *p;

	if (t->piece == SYT_NONE)
		return;
	p = &w->e->pieces[t->piece];
	p->end = at.row > p->first ? at.row : p->first;
	t->piece = SYT_NONE;
}

/* Lets AT's thread work in SEGMENT from the event AT on. SYT_NONE: on no request. */
static void enter(struct walk *w, struct syt_place at, uint32_t segment)
{
	struct syt_piece piece = {.segment = segment,
	                          .thread = at.thread,
	                          .first = at.row,
	                          .end = SYT_NONE,
	                          .before = w->e->last_of_thread[at.thread]};

	if (present(w, at.thread) == segment)
		return;
	leave(w, at);
	if (segment == SYT_NONE)
		return;
	if (piece.before != SYT_NONE && w->e->pieces[piece.before].end > at.row)
		piece.first = w->e->pieces[piece.before].end;
	syt_piece_link(w->e->pieces, &piece);
	*SYT_STORE_ADD(w->e->pieces, w->e->nr_pieces, w->e->room_pieces) = piece;
	w->threads[at.thread].piece = w->e->last_of_thread[at.thread] = w->e->nr_pieces - 1;
}

uint32_t syt_extents_piece(const struct syt_extents *e, struct syt_place at)
{
	return syt_piece_find(e->pieces, e->last_of_thread[at.thread], at.row);
}

static uint32_t request_of(const struct walk *w, uint32_t segment)
{
	return segment == SYT_NONE ? SYT_NONE : w->e->segments[segment].request;
}

/* Begins a segment of AT's thread at the event FROM_ROW, which is not after AT, with the work that S gave. */
static uint32_t take_work(struct walk *w, struct syt_place at, uint32_t from_row,
                          const struct source *s)
{
	struct syt_place begin = {at.thread, from_row};
	struct syt_request_segment segment = {.request = request_of(w, s->segment),
	                                      .parent = s->segment,
	                                      .from = s->from,
	                                      .since = s->at,
	                                      .taken = at.row,
	                                      .by = s->by,
	                                      .is_inferred = s->is_inferred};
	uint32_t number = SYT_NONE;

	if (s->is_mixed) {
		segment.request = SYT_EXTENT_SEVERAL;
		w->e->nr_mixed++;
	}
	if (s->segment != SYT_NONE)
		number = add_segment(w, segment);
	enter(w, begin, number);
	return number;
}

/* ---- edges ---- */

/* Returns true if the edge with the index NUMBER may bring work. */
static bool brings_work(const struct walk *w, uint64_t number)
{
	const struct syt_edge *e = &w->order->edges.all[number];

	if (e->from.thread == SYT_NONE || e->to.thread == SYT_NONE ||
	    e->from.thread == e->to.thread)
		return false;
	switch ((enum syt_edge_kind)e->kind) {
	case SYT_EDGE_STREAM:
	case SYT_EDGE_DATAGRAM:
	case SYT_EDGE_QUEUE:
	case SYT_EDGE_CREATE:
	case SYT_EDGE_FORK:
	case SYT_EDGE_EXEC:
		return true;
	case SYT_EDGE_HANDOFF:
		return syt_queue_takes_work(&w->takes, SYT_HANDOFF_QUEUE(e->bytes));
	case SYT_EDGE_COND:
	case SYT_EDGE_SEM:
	case SYT_EDGE_FUTEX:
		return w->e->services.origins[number] == SYT_ORIGIN_ARRIVED &&
		       !syt_queue_takes_at(&w->takes, e->to, e->object);
	default:
		return false;
	}
}

/* Gives each edge that ends until NOW to its target's thread. */
static void let_edges_arrive(struct walk *w, syt_time now)
{
	const struct syt_edges *edges = &w->order->edges;

	for (; w->next_edge < edges->nr && syt_edge_end(edges, &edges->all[w->next_edge]) <= now;
	     w->next_edge++) {
		struct thread *t;

		if (!brings_work(w, w->next_edge))
			continue;
		t = &w->threads[edges->all[w->next_edge].to.thread];
		*SYT_ADD(t->edges, t->nr, t->room) = w->next_edge;
	}
}

/* Adds the edge NUMBER to the source S of an event. If the edge is one of several possible causes, a cause that works on the
 * request WANTED is the true one: two sends overlapped, and the answer to a request belongs to the request. */
static void add_source(struct walk *w, struct source *s, uint64_t number, uint32_t wanted)
{
	const struct syt_edge *e = &w->order->edges.all[number];
	uint32_t piece = syt_extents_piece(w->e, e->from);
	struct source one = {
		.is_there = true,
		.is_inferred = e->class == SYT_CLASS_INFERRED ||
	                       e->flags & (SYT_EDGE_INFERRED | SYT_EDGE_AMBIGUOUS),
		.segment = piece == SYT_NONE ? SYT_NONE : w->e->pieces[piece].segment,
		.by = e->kind,
		.from = e->from,
		.at = syt_edge_begin(&w->order->edges, e),
	};

	if (wanted != SYT_NONE && e->flags & SYT_EDGE_AMBIGUOUS) {
		one.is_wanted = request_of(w, one.segment) == wanted;
		if (s->is_wanted)
			return;
	}
	if (!s->is_there || one.is_wanted ||
	    (s->segment == SYT_NONE && !(e->flags & SYT_EDGE_AMBIGUOUS))) {
		*s = one;
		return;
	}
	/* one of several possible sources works on no request: the work may be of none */
	if (one.segment == SYT_NONE && e->flags & SYT_EDGE_AMBIGUOUS)
		s->segment = SYT_NONE;
	if (one.segment != SYT_NONE && s->segment != SYT_NONE)
		s->is_mixed |= request_of(w, one.segment) != request_of(w, s->segment);
}

/* Returns the source of the work that edges of the kinds KINDS bring to the event AT, preferably the request WANTED. */
static struct source source_of(struct walk *w, struct syt_place at, uint32_t kinds, uint32_t wanted)
{
	const struct thread *t = &w->threads[at.thread];
	struct source s = {.segment = SYT_NONE};

	for (uint32_t i = 0; i < t->nr; i++) {
		const struct syt_edge *e = &w->order->edges.all[t->edges[i]];

		if (e->to.row == at.row && kinds & 1u << e->kind)
			add_source(w, &s, t->edges[i], wanted);
	}
	return s;
}

/* Forgets the edges that lead to the event AT or to an earlier event. */
static void forget_edges(struct walk *w, struct syt_place at)
{
	struct thread *t = &w->threads[at.thread];
	uint32_t nr = 0;

	for (uint32_t i = 0; i < t->nr; i++)
		if (w->order->edges.all[t->edges[i]].to.row > at.row)
			t->edges[nr++] = t->edges[i];
	t->nr = nr;
}

/* ---- connections ---- */

/* Returns the index of the request of RS that begins at the event AT, by INDEX, or SYT_REQUEST_NONE. */
static uint64_t find_request(const struct syt_requests *rs, const struct syt_hash *index,
                             struct syt_place at)
{
	uint32_t n = SYT_HASH_FIND(index, syt_hash_words(at.thread, at.row), i,
	                           !syt_place_compare(rs->all[i].x.received, at));

	return n == SYT_HASH_NONE ? SYT_REQUEST_NONE : n;
}

/* Lets AT's thread work on the request of the segment that used the connection before, unless it works on it already. */
static void resume(struct walk *w, struct syt_place at, uint32_t segment)
{
	uint32_t now = present(w, at.thread);

	if (segment == SYT_NONE ||
	    (now != SYT_NONE && request_of(w, now) == request_of(w, segment)))
		return;
	enter(w, at, segment);
}

/* Begins the first segment of the request with the index R at the event AT. */
static uint32_t begin_first(struct walk *w, struct syt_place at, uint64_t r)
{
	uint32_t segment = add_segment(
		w, (struct syt_request_segment){.request = (uint32_t)r,
	                                        .parent = SYT_NONE,
	                                        .from = {SYT_NONE, 0},
	                                        .taken = at.row,
	                                        .since = w->e->requests->all[r].received_at});

	enter(w, at, segment);
	return segment;
}

/* Handles the receive AT of the first bytes of the exchange with the index R. */
static void begin_exchange(struct walk *w, struct syt_place at, struct end *end, uint64_t r)
{
	struct source s;

	end->has_sent = false;
	end->source = SYT_NONE;
	if (w->exchanges->all[r].flags & SYT_REQUEST_INNER) {
		s = source_of(w, at, 1u << SYT_EDGE_STREAM, SYT_NONE);
		end->source = s.segment;
		end->incoming = take_work(w, at, at.row, &s);
		return;
	}
	end->incoming = w->exchanges == w->e->requests ? begin_first(w, at, r) : SYT_NONE;
}

/* Returns the source of an answer without a known sender: the send on the same connection before it. */
static struct source paired(const struct walk *w, const struct end *end)
{
	return (struct source){
		.is_there = true,
		.segment = end->outgoing,
		.by = SYT_EXTENT_PAIRED,
		.from = end->sent,
		.at = syt_place_row(&w->order->places, end->sent)->in,
	};
}

/* Handles the receive AT of bytes from END, which did not accept the connection. */
static void take_message(struct walk *w, struct syt_place at, struct end *end)
{
	struct source s = source_of(w, at, 1u << SYT_EDGE_STREAM, request_of(w, end->outgoing));

	if (s.is_there ? !end->has_sent && end->incoming != SYT_NONE && end->source == s.segment
	               : !end->has_sent) {
		resume(w, at, end->incoming);
		return;
	}
	end->source = s.segment;
	if (!s.is_there) {
		if (end->outgoing == SYT_NONE)
			return;
		s = paired(w, end);
	}
	end->has_sent = false;
	end->incoming = take_work(w, at, at.row, &s);
}

static void receive(struct walk *w, struct syt_place at, uint32_t object)
{
	struct end *end = &w->ends[object];
	uint64_t r;

	if (end->is_client) {
		leave(w, at);
		return;
	}
	if (!end->is_accepted) {
		take_message(w, at, end);
		return;
	}
	r = find_request(w->exchanges, &w->requests, at);
	if (r != SYT_REQUEST_NONE)
		begin_exchange(w, at, end, r);
	else
		resume(w, at, end->incoming);
}

static void transmit(struct walk *w, struct syt_place at, uint32_t object)
{
	struct end *end = &w->ends[object];
	uint32_t now = present(w, at.thread);
	bool is_connect = syt_place_call(&w->order->places, at)->shape == SYT_SHAPE_CONNECT;

	if (end->is_client) {
		leave(w, at);
		return;
	}
	if (end->is_accepted) {
		resume(w, at, end->incoming);
		now = present(w, at.thread);
		if (end->incoming != SYT_NONE && request_of(w, now) == request_of(w, end->incoming))
			end->incoming = now;
		return;
	}
	if (end->is_connecting && !is_connect && end->outgoing != SYT_NONE)
		resume(w, at, end->outgoing);
	else if (now == SYT_NONE)
		resume(w, at, end->has_sent ? end->outgoing : end->incoming);
	end->is_connecting = is_connect;
	end->outgoing = present(w, at.thread);
	end->sent = at;
	end->has_sent = true;
}

/* Returns true if the readiness call AT waits for clients: for connections that the process accepted, or for new ones. */
static bool waits_for_clients(const struct walk *w, struct syt_place at)
{
	const struct syt_places *p = &w->order->places;
	uint32_t image = syt_place_image_idx(p, at);
	uint32_t object = syt_object_of(&w->order->objects, image, syt_place_row(p, at)->object);
	const struct syt_extra *x = syt_place_extra(p, at);

	if (object != SYT_NONE)
		return w->ends[object].is_serving;
	for (uint32_t i = 0; i < x->nr_ready; i++) {
		object = syt_object_of(&w->order->objects, image,
		                       syt_place_thread(p, at)->ready[x->ready + i].object);
		if (object != SYT_NONE && w->ends[object].is_accepted)
			return true;
	}
	return false;
}

/* ---- events ---- */

static bool is_stream(enum syt_kind kind)
{
	return kind == SYT_KIND_STREAM || kind == SYT_KIND_PIPE;
}

/* Handles a receive or a send of data. Returns false if the event AT is none. */
static bool take_traffic(struct walk *w, struct syt_place at, enum syt_shape shape)
{
	const struct syt_places *p = &w->order->places;
	const struct syt_row *r = syt_place_row(p, at);
	uint32_t image = syt_place_image_idx(p, at);
	uint32_t object = syt_object_of(&w->order->objects, image, r->object), second = SYT_NONE;

	if (shape == SYT_SHAPE_TRANSFER)
		second = syt_object_of(&w->order->objects, image, syt_place_extra(p, at)->object2);
	if (shape != SYT_SHAPE_SEND && shape != SYT_SHAPE_RECV && shape != SYT_SHAPE_TRANSFER &&
	    shape != SYT_SHAPE_CONNECT)
		return false;
	if (shape == SYT_SHAPE_RECV)
		second = object;
	if (second != SYT_NONE && is_stream(syt_object_kind(&w->order->objects, second))) {
		if (r->result > 0 && !(syt_place_extra(p, at)->flags & SYT_EVENT_PEEK))
			receive(w, at, second);
		else if (!r->result && w->ends[second].is_accepted)
			leave(w, at);
	}
	if (shape != SYT_SHAPE_RECV && object != SYT_NONE &&
	    (r->result > 0 || shape == SYT_SHAPE_CONNECT) &&
	    is_stream(syt_object_kind(&w->order->objects, object)))
		transmit(w, at, object);
	return second == SYT_NONE || is_stream(syt_object_kind(&w->order->objects, second));
}

#define WORK                                                                                       \
	(1u << SYT_EDGE_DATAGRAM | 1u << SYT_EDGE_QUEUE | 1u << SYT_EDGE_CREATE |                  \
	 1u << SYT_EDGE_FORK | 1u << SYT_EDGE_EXEC | 1u << SYT_EDGE_COND | 1u << SYT_EDGE_SEM |    \
	 1u << SYT_EDGE_FUTEX)

/* Begins a visit with the event AT, or ends the visit of its thread before AT. */
static void take_visit(struct walk *w, struct syt_place at)
{
	struct thread *t = &w->threads[at.thread];
	uint64_t visit = find_request(w->e->requests, &w->visits, at);

	if (t->visit_end != SYT_NONE && at.row > t->visit_end) {
		t->visit_end = SYT_NONE;
		leave(w, at);
	}
	if (visit == SYT_REQUEST_NONE)
		return;
	t->visit_end = w->e->requests->all[visit].ended.row;
	begin_first(w, at, visit);
}

/* Returns true if S woke a thread that works on the request of S already: the thread waited for an answer, and goes on. */
static bool is_own_answer(const struct walk *w, struct syt_place at, const struct source *s)
{
	uint32_t now = present(w, at.thread);

	return (s->by == SYT_EDGE_COND || s->by == SYT_EDGE_SEM || s->by == SYT_EDGE_FUTEX) &&
	       !s->is_mixed && now != SYT_NONE && s->segment != SYT_NONE &&
	       request_of(w, now) == request_of(w, s->segment);
}

static void take_event(struct walk *w, struct syt_place at)
{
	enum syt_shape shape = syt_place_call(&w->order->places, at)->shape;
	struct source s;

	if (shape == SYT_SHAPE_ACCEPT || (shape == SYT_SHAPE_READY && waits_for_clients(w, at)) ||
	    syt_queue_takes_begin(&w->takes, at)) {
		leave(w, at);
	} else if (take_traffic(w, at, shape)) {
		return;
	}
	if (!w->threads[at.thread].nr)
		return;
	s = source_of(w, at, 1u << SYT_EDGE_HANDOFF, SYT_NONE);
	if (!s.is_there)
		s = source_of(w, at, WORK, SYT_NONE);
	if (s.is_there && !is_own_answer(w, at, &s))
		take_work(w, at, syt_queue_takes_row(&w->takes, at), &s);
}

static void walk_events(struct walk *w)
{
	const struct syt_places *p = &w->order->places;
	struct syt_merge m;

	syt_merge_open(&m, p->trace, NULL, NULL);
	for (uint64_t i = 0; syt_merge_next(&m) && syt_store_goes_on(i, SYT_STORE_SPARSE); i++) {
		const struct syt_thread *t = m.current.thread;
		struct syt_place at = {p->first[t->image - p->trace->images] + t->index,
		                       (uint32_t)m.current.row};

		let_edges_arrive(w, m.current.stamp);
		if (w->visits.nr)
			take_visit(w, at);
		take_event(w, at);
		if (w->threads[at.thread].nr)
			forget_edges(w, at);
	}
	syt_merge_close(&m);
	for (uint32_t i = 0; i < p->nr_threads; i++)
		leave(w, (struct syt_place){i, (uint32_t)p->threads[i]->nr_rows});
}

/* ---- preparation ---- */

/* Marks the epoll instances that report OBJECT, an accepted connection or a listening socket. */
static void mark_serving(struct walk *w, uint32_t object)
{
	const struct syt_order *o = w->order;
	struct syt_history h = syt_history_of(&o->histories, object);

	for (uint64_t i = 0; i < h.nr && syt_store_goes_on(i, SYT_STORE_SPARSE); i++) {
		struct syt_place at = h.touches[i].place;
		uint32_t epoll;

		if (h.touches[i].role != SYT_ROLE_READY)
			continue;
		epoll = syt_object_of(&o->objects, syt_place_image_idx(&o->places, at),
		                      syt_place_row(&o->places, at)->object);
		if (epoll != SYT_NONE)
			w->ends[epoll].is_serving = true;
	}
}

static void prepare_ends(struct walk *w)
{
	const struct syt_order *o = w->order;
	struct syt_servers servers;

	w->ends = syt_store_alloc(o->objects.nr, sizeof(*w->ends));
	syt_servers_open(&servers, o);
	for (uint32_t i = 0; i < o->objects.nr; i++) {
		struct end *end = &w->ends[i];
		bool is_listening = syt_object_kind(&o->objects, i) == SYT_KIND_LISTEN;
		uint32_t peer = o->objects.all[i].peer;

		end->incoming = end->source = end->outgoing = SYT_NONE;
		end->is_accepted |= servers.accepted[i] != SYT_ACCEPTED_NOT || is_listening;
		if (!end->is_accepted)
			continue;
		mark_serving(w, i);
		if (peer != SYT_NONE && !is_listening &&
		    syt_servers_is_outside(&servers, i, SYT_ACCEPTED_LISTENED))
			w->ends[peer].is_client = true;
	}
	syt_servers_close(&servers);
}

static void add_begins(struct syt_hash *index, const struct syt_requests *rs)
{
	SYT_EACH(i, 0, rs->nr)
		syt_hash_add(
			index,
			syt_hash_words(rs->all[i].x.received.thread, rs->all[i].x.received.row), i);
}

static void prepare(struct walk *w)
{
	uint32_t nr_threads = w->order->places.nr_threads;

	prepare_ends(w);
	w->threads = syt_calloc(nr_threads, sizeof(*w->threads));
	w->e->last_of_thread = syt_alloc(nr_threads, sizeof(*w->e->last_of_thread));
	for (uint32_t i = 0; i < nr_threads; i++)
		w->threads[i].piece = w->threads[i].visit_end = w->e->last_of_thread[i] = SYT_NONE;
	add_begins(&w->requests, w->exchanges);
	if (w->e->requests != w->exchanges)
		add_begins(&w->visits, w->e->requests);
	syt_services_open_with_handoffs(&w->e->services, w->order);
	syt_demands_close(&w->e->services.demands);
	syt_queue_takes_open(&w->takes, w->order, &w->e->services);
}

/* ---- results ---- */

/* Sorts the numbers from 0 to NR by KEY(context, number), below NR_KEYS, into *SORTED; *FIRST gets the begin of each key. */
static void group(uint32_t nr, uint32_t nr_keys, uint32_t (*key)(const void *, uint32_t),
                  const void *context, uint32_t **first, uint32_t **sorted)
{
	*first = syt_store_alloc((uint64_t)nr_keys + 2, sizeof(**first));
	*sorted = syt_store_alloc(nr, sizeof(**sorted));
	SYT_EACH(i, 0, nr)
		(*first)[key(context, i) + 2]++;
	for (uint32_t i = 2; i < nr_keys + 2; i++)
		(*first)[i] += (*first)[i - 1];
	SYT_EACH(i, 0, nr)
		(*sorted)[(*first)[key(context, i) + 1]++] = i;
}

/* The segments of several requests come behind all requests. */
static uint32_t request_key(const void *e_, uint32_t segment)
{
	const struct syt_extents *e = e_;
	uint32_t r = e->segments[segment].request;

	return r == SYT_EXTENT_SEVERAL ? (uint32_t)e->requests->nr : r;
}

static uint32_t segment_key(const void *e_, uint32_t piece)
{
	return ((const struct syt_extents *)e_)->pieces[piece].segment;
}

int syt_extents_open(struct syt_extents *e, struct syt_order *order,
                     const struct syt_requests *requests, const struct syt_requests *visits,
                     struct syt_symbols *symbols)
{
	struct walk w = {.e = e, .order = order, .exchanges = requests};

	*e = (struct syt_extents){.order = order, .requests = visits ? visits : requests};
	requests = e->requests;
	if (requests->nr >= SYT_EXTENT_SEVERAL / 2) {
		syt_warn("the trace has too many requests: %llu; limit the time with --from and "
		         "--to",
		         (unsigned long long)requests->nr);
		return -1;
	}
	if (!order->handoffs.nr)
		syt_handoffs_infer(order, symbols);
	prepare(&w);
	walk_events(&w);
	group(e->nr_segments, (uint32_t)requests->nr + 1, request_key, e, &e->first_of_request,
	      &e->by_request);
	group(e->nr_pieces, e->nr_segments, segment_key, e, &e->first_of_segment, &e->by_segment);
	syt_queue_takes_close(&w.takes);
	syt_hash_close(&w.requests);
	syt_hash_close(&w.visits);
	for (uint32_t i = 0; i < order->places.nr_threads; i++)
		free(w.threads[i].edges);
	free(w.threads);
	syt_store_free(w.ends);
	return 0;
}

void syt_extents_close(struct syt_extents *e)
{
	syt_services_close(&e->services);
	syt_store_free(e->segments);
	syt_store_free(e->pieces);
	syt_store_free(e->first_of_request);
	syt_store_free(e->by_request);
	syt_store_free(e->first_of_segment);
	syt_store_free(e->by_segment);
	free(e->last_of_thread);
	memset(e, 0, sizeof(*e));
}

bool syt_extents_has(const struct syt_extents *e, uint64_t r)
{
	return !(e->requests->all[r].flags & SYT_REQUEST_INNER);
}
