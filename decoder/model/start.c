/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/model/start.h"

#include <stdlib.h>
#include <string.h>

#include "base/counts.h"
#include "base/err.h"
#include "decoder/analysis/call_path.h"
#include "decoder/analysis/exchange.h"
#include "decoder/analysis/service.h"
#include "decoder/model/carry.h"
#include "decoder/model/detour.h"
#include "decoder/model/hidden.h"
#include "decoder/model/join.h"
#include "decoder/order/handoff.h"

const struct syt_edges_wanted syt_model_edges = {SYT_EDGES_BUT_LOCKS, SYT_EDGES_ALL};

struct starts {
	struct syt_model_input *in;
	const struct syt_order *order;
	struct syt_services services;
	uint32_t *leaf_of; /* [leaf task]: number of its leaf */
	bool *has_arrived; /* [leaf]: its start is the source of an edge */
	uint32_t *before;  /* [leaf]: the previous use of the accepted connection that the leaf uses */
	struct syt_place *reported; /* [leaf]: the last event before it that found this connection ready */
	bool *sends;       /* [leaf]: the leaf begins with a send on an accepted connection */
	bool *is_queue;    /* [object]: threads wait for a queue of the program with this object */
	/* [queue]: number of hand-offs with new work, minus the number of hand-offs with an answer */
	int64_t *work;
	/* (labels of both leaves, kind) -> number of edges that bring new work, and number of other edges */
	struct syt_counts arrivals, others;
	uint32_t *last_of; /* [barrier round]: leaf of the last thread to arrive */
};

/* Returns the leaf that ends at the event AT, or contains AT as a joined point, or SYT_NONE. */
static uint32_t leaf_before(const struct starts *s, struct syt_place at)
{
	uint64_t task = syt_task_before(s->in->tasks, at);

	return task == SYT_NO_TASK ? SYT_NONE : s->leaf_of[task];
}

/* Returns the leaf that begins at the event AT, or contains AT as a joined point, or SYT_NONE. */
static uint32_t leaf_after(const struct starts *s, struct syt_place at)
{
	uint64_t task = syt_task_after(s->in->tasks, at);

	return task == SYT_NO_TASK ? SYT_NONE : s->leaf_of[task];
}

static void add_inner(struct syt_model_input *in, uint32_t from, uint32_t to, uint8_t kind,
                      bool is_inferred)
{
	struct syt_model_inner arc = {from, to, kind, is_inferred};

	if (from != SYT_NONE && to != SYT_NONE && from != to)
		*SYT_STORE_ADD(in->inner, in->nr_inner, in->room_inner) = arc;
}

/* ---- arrivals over edges ---- */

/* Finds the objects at which threads wait for the queues of the program. */
static void find_queues(struct starts *s)
{
	const struct syt_order *o = s->order;

	for (size_t i = 0; i < o->handoffs.nr; i++)
		if (o->handoffs.queues[i].through != SYT_NONE)
			s->is_queue[o->handoffs.queues[i].through] = true;
}

/* Counts for each queue whether its hand-offs brought new work or an answer. */
static void count_work(struct starts *s)
{
	const struct syt_order *o = s->order;

	SYT_EACH(i, 0, o->edges.nr) {
		const struct syt_edge *e = &o->edges.all[i];
		uint32_t queue;

		if (e->kind != SYT_EDGE_HANDOFF)
			continue;
		queue = SYT_HANDOFF_QUEUE(e->bytes);
		s->work[queue] += s->services.origins[i] == SYT_ORIGIN_ARRIVED;
		s->work[queue] -= s->services.origins[i] == SYT_ORIGIN_ASKED;
	}
}

/* Returns true if the edge with the index NUMBER brings new work to the thread of its target. */
static bool is_arrival(const struct starts *s, uint64_t number)
{
	const struct syt_edge *e = &s->order->edges.all[number];

	switch ((enum syt_edge_kind)e->kind) {
	case SYT_EDGE_CREATE:
	case SYT_EDGE_FORK:
	case SYT_EDGE_EXEC:
		return true;
	case SYT_EDGE_HANDOFF:
		return s->work[SYT_HANDOFF_QUEUE(e->bytes)] >= 0;
	default:
		return s->services.origins[number] == SYT_ORIGIN_ARRIVED;
	}
}

/* Returns the leaves that the edge NUMBER connects. Returns false if it connects none, or starts none in any case. */
static bool find_ends(const struct starts *s, uint64_t number, uint32_t *from, uint32_t *to)
{
	const struct syt_edge *e = &s->order->edges.all[number];

	if (e->class == SYT_CLASS_RUN_AFTER || e->kind == SYT_EDGE_READY ||
	    e->flags & SYT_EDGE_AMBIGUOUS || e->from.thread == e->to.thread ||
	    e->from.thread == SYT_NONE || e->to.thread == SYT_NONE)
		return false;
	/* the edge of the hand-off through the queue stands for the wake-up too */
	if (e->kind == SYT_EDGE_COND && e->object != SYT_NONE && s->is_queue[e->object])
		return false;
	*from = leaf_before(s, e->from);
	*to = leaf_after(s, e->to);
	return *from != SYT_NONE && *to != SYT_NONE && *from != *to;
}

static uint64_t labels_of(const struct starts *s, uint32_t from, uint32_t to)
{
	return (uint64_t)s->in->leaves[from].label << 32 | s->in->leaves[to].label;
}

/* Counts for each pair of labels how often the edges between their leaves bring new work. If several requests are on
 * the way, service.h takes some of them for answers; the majority of the edges decides for all of them. */
static void count_arrivals(struct starts *s)
{
	SYT_EACH(i, 0, s->order->edges.nr) {
		uint32_t from, to;

		if (find_ends(s, i, &from, &to))
			++*syt_counts_at(is_arrival(s, i) ? &s->arrivals : &s->others,
			                 labels_of(s, from, to), s->order->edges.all[i].kind);
	}
}

/* Notes the arc to or from a barrier round. The last thread to arrive lets all other threads go on. */
static void take_round(struct starts *s, const struct syt_edge *e)
{
	const struct syt_edges *edges = &s->order->edges;
	bool is_arrival = e->to.thread == SYT_NONE;
	uint32_t round = is_arrival ? e->to.row : e->from.row;

	if (is_arrival && syt_edge_begin(edges, e) == edges->rounds[round].at)
		s->last_of[round] = leaf_before(s, e->from);
	else if (!is_arrival)
		add_inner(s->in, s->last_of[round], leaf_after(s, e->to), e->kind, false);
}

static void take_edge(struct starts *s, uint64_t number)
{
	const struct syt_edge *e = &s->order->edges.all[number];
	bool is_inferred = e->class == SYT_CLASS_INFERRED || e->flags & SYT_EDGE_INFERRED;
	uint32_t from, to;

	if (e->class != SYT_CLASS_RUN_AFTER && !(e->flags & SYT_EDGE_AMBIGUOUS) &&
	    (e->from.thread == SYT_NONE || e->to.thread == SYT_NONE))
		take_round(s, e);
	if (!find_ends(s, number, &from, &to))
		return;
	if (syt_counts_of(&s->arrivals, labels_of(s, from, to), e->kind) <
	    syt_counts_of(&s->others, labels_of(s, from, to), e->kind)) {
		add_inner(s->in, from, to, e->kind, is_inferred);
		return;
	}

	struct syt_model_leaf *leaf = &s->in->leaves[to];

	/* of several arrivals, the last one completes the work */
	if (s->has_arrived[to])
		add_inner(s->in, leaf->start, to, leaf->kind, leaf->is_inferred);
	s->has_arrived[to] = true;
	leaf->start = from;
	leaf->kind = e->kind;
	leaf->is_inferred = is_inferred;
	leaf->arrived = e->to.row;
}

/* ---- connections ---- */

/* Connects the exchanges of the accepted connection OBJECT: a receive that begins an exchange, and each send, follow
 * the previous use of the connection. */
static void follow_connection(struct starts *s, uint32_t object)
{
	struct syt_history h = syt_history_of(&s->order->histories, object);
	struct syt_place reported = {SYT_NONE, 0};
	uint32_t before = SYT_NONE;
	bool is_due = true; /* the next receive begins an exchange */

	for (uint64_t i = 0; i < h.nr && syt_store_goes_on(i, SYT_STORE_SPARSE); i++) {
		const struct syt_touch *t = &h.touches[i];
		bool sends = syt_touch_sends(t), receives = syt_touch_receives(t);
		uint32_t leaf;

		bool ends = t->shape == SYT_SHAPE_SHUTDOWN || t->shape == SYT_SHAPE_CLOSE;

		if (t->role == SYT_ROLE_READY)
			reported = t->place;
		if (t->role == SYT_ROLE_READY || !t->has_succeeded ||
		    !(sends || receives || ends || t->shape == SYT_SHAPE_ACCEPT))
			continue;
		leaf = leaf_after(s, t->place);
		if (leaf == SYT_NONE ||
		    s->in->tasks->all[s->in->leaves[leaf].task].begin != t->place.row)
			continue; /* the point is joined: no bytes */
		if ((sends || (receives && is_due)) && !s->has_arrived[leaf]) {
			s->in->leaves[leaf].start = before;
			s->in->leaves[leaf].kind = SYT_ARC_CONNECTION;
			s->in->leaves[leaf].is_unseen = before == SYT_NONE;
		}
		if (before != leaf)
			s->before[leaf] = before;
		s->reported[leaf] = reported;
		if (ends)
			continue;
		is_due = sends || (is_due && !receives);
		s->sends[leaf] = sends;
		before = leaf;
	}
}

static void follow_connections(struct starts *s)
{
	struct syt_servers servers;

	syt_servers_open(&servers, s->order);
	for (uint32_t i = 0; i < s->order->objects.nr; i++)
		if (servers.accepted[i] != SYT_ACCEPTED_NOT)
			follow_connection(s, i);
	syt_servers_close(&servers);
}

/* ---- the order of each thread ---- */

/* Lets the leaves without a start follow the previous leaf of their thread. Leaves of a label that mostly arrives never
 * do: the sender of their work is unknown. */
static void follow_threads(struct starts *s)
{
	struct syt_model_input *in = s->in;
	uint32_t *nr = syt_calloc(in->nr_labels, sizeof(*nr));
	uint32_t *nr_arrived = syt_calloc(in->nr_labels, sizeof(*nr_arrived));

	SYT_EACH(i, 0, in->nr_leaves) {
		nr[in->leaves[i].label]++;
		nr_arrived[in->leaves[i].label] += s->has_arrived[i];
	}
	SYT_EACH(i, 0, in->nr_leaves) {
		struct syt_model_leaf *leaf = &in->leaves[i];

		if (leaf->start != SYT_NONE)
			continue;
		if (2 * (uint64_t)nr_arrived[leaf->label] >= nr[leaf->label])
			leaf->is_unseen = true;
		else if (!leaf->is_unseen && i && in->leaves[i - 1].thread == leaf->thread &&
		         in->labels[leaf->label].turn > SYT_TURN_ACCEPT)
			leaf->start = i - 1; /* kind SYT_EDGE_PROGRAM */
	}
	free(nr);
	free(nr_arrived);
}

static syt_time arrival_time(const struct syt_model_input *in, uint32_t leaf)
{
	struct syt_place at = {in->leaves[leaf].thread, in->leaves[leaf].arrived};

	return syt_place_row(&in->order->places, at)->out;
}

/* Cuts cycles of starts. A cycle is possible because a joined leaf sends and receives inside. The leaf of a cycle whose
 * work arrived first loses its start. */
static void cut_cycles(struct syt_model_input *in)
{
	uint32_t *walk = syt_store_alloc(in->nr_leaves,
	                                 sizeof(*walk)); /* [leaf]: number of the walk, plus 1 */

	SYT_EACH(i, 0, in->nr_leaves) {
		uint32_t leaf = i, first;

		for (; leaf != SYT_NONE && !walk[leaf]; leaf = in->leaves[leaf].start)
			walk[leaf] = i + 1;
		if (leaf == SYT_NONE || walk[leaf] != i + 1)
			continue;
		first = leaf;
		for (uint32_t n = in->leaves[leaf].start; n != leaf; n = in->leaves[n].start)
			if (arrival_time(in, n) < arrival_time(in, first))
				first = n;
		in->leaves[first].start = SYT_NONE;
		in->leaves[first].is_unseen = true;
	}
	syt_store_free(walk);
}

static void count_unseen(struct syt_model_input *in)
{
	SYT_EACH(i, 0, in->nr_leaves)
		in->nr_unseen += in->leaves[i].is_unseen;
}

static void find_leaves(struct starts *s)
{
	const struct syt_model_input *in = s->in;

	SYT_EACH(i, 0, in->nr_leaves)
		for (uint64_t n = 0; n < syt_model_leaf_tasks(in, i); n++)
			s->leaf_of[in->leaves[i].task + n] = i;
}

int syt_model_input_open(struct syt_model_input *in, struct syt_order *order,
                         const struct syt_tasks *tasks, struct syt_symbols *symbols)
{
	struct starts s = {.in = in, .order = order};

	if (tasks->nr >= SYT_NONE / 2) {
		syt_warn("the trace has too many leaf tasks for a model: %llu, at most %u; limit "
		         "the "
		         "time with --from and --to",
		         (unsigned long long)tasks->nr, SYT_NONE / 2 - 1);
		return -1;
	}
	if (!order->handoffs.nr)
		syt_handoffs_infer(order, symbols);
	*in = (struct syt_model_input){
		.order = order,
		.tasks = tasks,
		.paths = syt_call_paths_create(&order->places, symbols),
		.nr_workers = order->places.trace->nr_workers,
	};
	syt_model_join(in, symbols);
	syt_services_open_with_handoffs(&s.services, order);
	s.leaf_of = syt_store_alloc(tasks->nr, sizeof(*s.leaf_of));
	s.has_arrived = syt_store_alloc(in->nr_leaves, sizeof(*s.has_arrived));
	s.before = syt_store_alloc(in->nr_leaves, sizeof(*s.before));
	s.reported = syt_store_alloc(in->nr_leaves, sizeof(*s.reported));
	s.sends = syt_store_alloc(in->nr_leaves, sizeof(*s.sends));
	SYT_EACH(i, 0, in->nr_leaves)
		s.before[i] = SYT_NONE;
	s.is_queue = syt_calloc(order->objects.nr, sizeof(*s.is_queue));
	s.work = syt_calloc(order->handoffs.nr, sizeof(*s.work));
	s.last_of = syt_alloc(order->edges.nr_rounds, sizeof(*s.last_of));
	memset(s.last_of, 0xff, order->edges.nr_rounds * sizeof(*s.last_of));
	find_leaves(&s);
	find_queues(&s);
	count_work(&s);
	count_arrivals(&s);
	SYT_EACH(i, 0, order->edges.nr)
		take_edge(&s, i);
	follow_connections(&s);
	syt_model_carry(in, s.has_arrived, s.before, s.sends, s.reported);
	follow_threads(&s);
	cut_cycles(in);
	syt_model_detours(in);
	count_unseen(in);
	syt_model_find_hidden(in);
	syt_services_close(&s.services);
	syt_store_free(s.leaf_of);
	syt_store_free(s.has_arrived);
	syt_store_free(s.before);
	syt_store_free(s.sends);
	syt_store_free(s.reported);
	free(s.is_queue);
	free(s.work);
	free(s.last_of);
	syt_counts_fini(&s.arrivals);
	syt_counts_fini(&s.others);
	return 0;
}
