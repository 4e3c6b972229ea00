/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Message queues: a send happens before the receive that returned its message.
 *
 * A receive gets the oldest message of some priority (POSIX) or type (System V), and its event records which. The
 * messages of one priority or type therefore form a queue of their own: the n-th receive returned the message of
 * the n-th send.
 *
 * The recorder counts the messages of the whole queue across all processes. The queue was empty when as many
 * receives had returned as sends had begun. Between two such times, the sends and receives of one priority or type
 * belong together. The order of overlapping calls is unknown, so these calls have ranges of ranks
 * (decoder/history/rank.h). Sends of shorter messages are excluded. If several sends are possible for one receive,
 * the edges are ambiguous. A readiness report, or a look at a message without taking it, follows the sends of
 * messages that were not surely taken before.
 *
 * The decoder notices processes that use the queue without being traced in these cases, and then adds no edges:
 * - More messages were received than sent, or a message was received before it was sent.
 * - A call that opens, closes or removes the queue finds a number of messages that the calls in progress do not
 *   explain.
 * - The numbers of sends and receives of one priority or type do not agree.
 *
 * Missing events, and messages from before tracing: counting starts at the next time at which the queue is known to
 * be empty.
 */
#include "decoder/match/match.h"

#include <stdlib.h>

#include "base/bisect.h"
#include "base/compare.h"
#include "base/err.h"
#include "base/sort.h"
#include "decoder/history/instants.h"
#include "decoder/history/rank.h"

#define MOST_STEPS 4096u /* maximum of work for one readiness report or peek */

enum step { STEP_SEND, STEP_RECV, STEP_LOOK };

struct op {
	struct syt_ranked r;  /* first member: a pointer to it points to the op */
	uint64_t sort, bytes; /* priority or type (for a look only if has_sort); message length */
	enum step step;
	bool has_sort;
};

struct queue {
	struct syt_match *m;
	uint32_t object;
	syt_time complete_from;
	uint64_t nr, sent, received; /* number of ops; total messages sent and received */
	struct op *ops;              /* sorted by key(), sends first */
	/* sends and receives since the queue was empty, sorted by priority or type, then time */
	struct syt_ranked **sends, **recvs;
	uint64_t *highest;         /* [send]: highest rank of it and of earlier sends of its kind */
	struct syt_rank_sum *sums; /* scratch memory for ranking */
	uint32_t nr_kinds;
	size_t room_kinds;
	struct kind { /* The messages of one priority or type. */
		uint64_t sort;
		uint32_t first_send, nr_sends, first_recv, nr_recvs;
		bool is_good;
	} * kinds;
};

static void add(struct queue *q, const struct syt_touch *t, enum step step)
{
	const struct syt_places *p = q->m->places;
	struct syt_place at = t->place;
	const struct syt_row *r = syt_place_row(p, at);
	const struct syt_extra *x = syt_place_extra(p, at);
	struct op op = {.r = {.place = at, .amount = 1},
	                .sort = x->arg,
	                .bytes = x->bytes,
	                .step = step,
	                .has_sort = t->role == SYT_ROLE_SELF};
	uint64_t *total = step == STEP_SEND ? &q->sent : &q->received;

	op.r.from = step == STEP_SEND ? r->in : syt_place_earliest(p, at);
	op.r.to = step == STEP_SEND ? syt_place_latest(p, at) : r->out;
	if (step != STEP_LOOK && x->offset >= *total && x->offset != UINT64_MAX)
		*total = x->offset + 1;
	q->ops[q->nr++] = op;
}

/* Collects the operations on the queue Q. Returns false if the recorder could not count the messages. */
static bool collect(struct queue *q, const struct syt_history *h, enum syt_reason *reason)
{
	const struct syt_places *p = q->m->places;
	bool is_good = true;

	for (uint64_t i = 0; i < h->nr; i++) {
		const struct syt_touch *t = &h->touches[i];
		const struct syt_extra *x = syt_place_extra(p, t->place);
		bool is_send = syt_touch_is(t, SYT_SHAPE_SEND);

		if (t->role == SYT_ROLE_READY && syt_match_reported(q->m, t) & SYT_READY_IN)
			add(q, t, STEP_LOOK);
		else if (t->role == SYT_ROLE_READY) /* unknown which receive made room */
			syt_match_unattributed(q->m, SYT_REASON_KERNEL);
		if (!x->count || (!is_send && !syt_touch_is(t, SYT_SHAPE_RECV)))
			continue;
		if (x->flags & SYT_EVENT_NOOFFSET) {
			*reason = SYT_REASON_NO_OFFSET;
			is_good = false;
		}
		add(q, t, is_send ? STEP_SEND : x->flags & SYT_EVENT_PEEK ? STEP_LOOK : STEP_RECV);
	}
	return is_good;
}

static syt_time key(const struct op *op)
{
	return op->step == STEP_SEND ? op->r.from : op->r.to;
}

SYT_COMPARATOR(by_key, struct op)
{
	SYT_ORDER(key(a), key(b));
	SYT_ORDER(a->step, b->step);
	return syt_place_compare(a->r.place, b->r.place);
}

SYT_COMPARATOR(by_sort, struct op)
{
	SYT_ORDER(a->sort, b->sort);
	return by_key(a, b);
}

/* ---- counting of a receive ---- */

static void give_up(struct queue *q, const struct op *op, enum syt_reason reason)
{
	if (op->step == STEP_SEND)
		return;
	if (op->step == STEP_RECV) {
		q->m->coverage->bytes_received += op->bytes;
		q->m->coverage->bytes_unmatched[reason] += op->bytes;
	}
	syt_match_unattributed(q->m, reason);
}

static void attribute(struct queue *q, const struct op *op, enum syt_edge_kind kind,
                      struct syt_ranked **found, uint32_t nr)
{
	bool is_implied =
		nr == 1 && kind == SYT_EDGE_READY && found[0]->place.thread == op->r.place.thread;

	if (op->step == STEP_RECV) {
		q->m->coverage->bytes_received += op->bytes;
		q->m->coverage->bytes_matched += op->bytes;
	}
	for (uint32_t i = 0; i < nr && !is_implied; i++)
		syt_edges_add(q->m->edges,
		              (struct syt_edge){found[i]->place, op->r.place,
		                                kind == SYT_EDGE_QUEUE ? op->bytes : 0, q->object,
		                                (uint8_t)kind, SYT_CLASS_CAUSAL,
		                                nr > 1 ? SYT_EDGE_AMBIGUOUS : 0, 0});
	syt_match_attributed(q->m, nr > 1);
}

/* ---- matching of receives with sends ---- */

static const struct op *op_of(const struct syt_ranked *r)
{
	return (const struct op *)r;
}

static void match_recv(struct queue *q, const struct op *recv, uint32_t from, uint32_t end)
{
	struct syt_ranked *found[SYT_AMBIGUOUS_MAX];
	uint32_t nr = 0;

	for (uint32_t i = from; i < end && q->sends[i]->low < recv->r.high; i++) {
		/* msgrcv may truncate a message, and its event does not record the original length */
		if (!syt_ranked_may_meet(q->sends[i], &recv->r) ||
		    op_of(q->sends[i])->bytes < recv->bytes)
			continue;
		if (nr == SYT_AMBIGUOUS_MAX) {
			give_up(q, recv, SYT_REASON_TOO_MANY);
			return;
		}
		found[nr++] = q->sends[i];
	}
	if (nr)
		attribute(q, recv, SYT_EDGE_QUEUE, found, nr);
	else
		give_up(q, recv, SYT_REASON_UNCERTAIN);
}

/* Matches the sends and receives of one priority or type K. IS_CLOSED: all of them happened before a time at which
 * the queue was empty. */
static void match_kind(struct queue *q, struct kind *k, bool is_closed)
{
	struct syt_ranked **sends = q->sends + k->first_send, **recvs = q->recvs + k->first_recv;
	uint64_t lowest = UINT64_MAX;
	uint32_t from = k->first_send, end = from + k->nr_sends;

	syt_rank(sends, k->nr_sends, 0, q->sums, q->m->of_thread);
	syt_rank(recvs, k->nr_recvs, 0, q->sums, q->m->of_thread);
	k->is_good = is_closed ? k->nr_sends == k->nr_recvs : k->nr_sends >= k->nr_recvs;
	for (uint32_t i = 0; i < k->nr_sends; i++) {
		uint64_t before = i ? q->highest[from + i - 1] : 0;

		q->highest[from + i] = sends[i]->high > before ? sends[i]->high : before;
	}
	for (uint32_t i = k->nr_recvs; i--;) { /* `sums` is free for reuse here */
		lowest = recvs[i]->low < lowest ? recvs[i]->low : lowest;
		q->sums[i].before = lowest;
	}
	for (uint32_t i = 0; i < k->nr_recvs; i++) {
		while (from < end && q->highest[from] <= q->sums[i].before)
			from++;
		if (k->is_good)
			match_recv(q, op_of(recvs[i]), from, end);
		else
			give_up(q, op_of(recvs[i]), SYT_REASON_UNTRACED_WRITER);
	}
}

/* Returns how many receives of the priority or type K had surely returned before T. */
static uint64_t taken_before(const struct queue *q, const struct kind *k, syt_time t)
{
	return SYT_BISECT(i, 0, k->nr_recvs, q->recvs[k->first_recv + i]->to < t);
}

/* Returns the first send of K whose message may remain after TAKEN messages of K were received. */
static uint32_t first_left(const struct queue *q, const struct kind *k, uint64_t taken)
{
	return SYT_BISECT(i, 0, k->nr_sends, q->highest[k->first_send + i] <= taken);
}

static void match_look(struct queue *q, const struct op *look, syt_time period_from)
{
	struct syt_ranked *found[SYT_AMBIGUOUS_MAX];
	uint32_t nr = 0, nr_steps = 0;
	bool is_good = look->r.from >= period_from;

	for (uint32_t g = 0; g < q->nr_kinds && is_good; g++) {
		const struct kind *k = &q->kinds[g];
		uint64_t taken;

		if (nr_steps++ > MOST_STEPS || (look->has_sort && k->sort != look->sort))
			continue;
		is_good = k->is_good;
		taken = taken_before(q, k, look->r.from);
		for (uint32_t i = first_left(q, k, taken);
		     i < k->nr_sends && nr_steps <= MOST_STEPS; i++, nr_steps++) {
			struct syt_ranked *send = q->sends[k->first_send + i];

			if (send->from > look->r.to)
				break;
			if (send->high <= taken)
				continue;
			if (nr == SYT_AMBIGUOUS_MAX)
				nr_steps = MOST_STEPS + 1;
			else
				found[nr++] = send;
		}
	}
	if (nr_steps > MOST_STEPS)
		give_up(q, look, SYT_REASON_TOO_MANY);
	else if (nr && is_good)
		attribute(q, look, look->has_sort ? SYT_EDGE_QUEUE : SYT_EDGE_READY, found, nr);
	else
		give_up(q, look, SYT_REASON_UNCERTAIN);
}

/* Matches OPS, sorted by key(): all operations since the queue was empty, which was certain from PERIOD_FROM on. */
static void match_period(struct queue *q, struct op *ops, uint64_t nr, syt_time period_from,
                         bool is_closed)
{
	uint32_t nr_sends = 0, nr_recvs = 0;
	struct kind *k = NULL;

	syt_sort(ops, nr, sizeof(*ops), by_sort);
	q->nr_kinds = 0;
	for (uint64_t i = 0; i < nr; i++) {
		if (ops[i].step == STEP_LOOK)
			continue;
		if (!k || k->sort != ops[i].sort) {
			k = SYT_ADD(q->kinds, q->nr_kinds, q->room_kinds);
			*k = (struct kind){ops[i].sort, nr_sends, 0, nr_recvs, 0, false};
		}
		if (ops[i].step == STEP_SEND) {
			q->sends[nr_sends++] = &ops[i].r;
			k->nr_sends++;
		} else {
			q->recvs[nr_recvs++] = &ops[i].r;
			k->nr_recvs++;
		}
	}
	for (uint32_t g = 0; g < q->nr_kinds; g++)
		match_kind(q, &q->kinds[g], is_closed);
	for (uint64_t i = 0; i < nr; i++)
		if (ops[i].step == STEP_LOOK)
			match_look(q, &ops[i], period_from);
}

/* ---- processes that use the queue without being traced ---- */

/* The earliest and the latest times of effect of all sends, or of all receives, each sorted. */
struct bounds {
	uint64_t nr;
	syt_time *from, *to;
};

static void bounds_open(struct bounds *b, const struct queue *q, enum step step)
{
	b->nr = 0;
	b->from = syt_store_alloc(q->nr + 1, sizeof(*b->from));
	b->to = syt_store_alloc(q->nr + 1, sizeof(*b->to));
	for (uint64_t i = 0; i < q->nr; i++) {
		if (q->ops[i].step != step)
			continue;
		b->from[b->nr] = q->ops[i].r.from;
		b->to[b->nr++] = q->ops[i].r.to;
	}
	syt_instants_sort(b->from, b->nr);
	syt_instants_sort(b->to, b->nr);
}

/* Returns true if a call found NR messages in the queue at some time in [IN, OUT], and no order of the sends and
 * receives in progress explains this number. */
static bool is_contradiction(const struct queue *q, const struct bounds *sends,
                             const struct bounds *recvs, syt_time in, syt_time out, uint64_t nr)
{
	/* messages surely sent by IN, and perhaps sent by OUT; then the same two numbers for received messages */
	uint64_t sent = q->sent - sends->nr + syt_instants_before(sends->to, sends->nr, in);
	uint64_t begun = q->sent - sends->nr + syt_instants_until(sends->from, sends->nr, out);
	uint64_t received = q->received - recvs->nr + syt_instants_before(recvs->to, recvs->nr, in);
	uint64_t taken = q->received - recvs->nr + syt_instants_until(recvs->from, recvs->nr, out);

	return nr + received > begun || nr + taken < sent;
}

static bool is_contradicted(const struct queue *q, const struct syt_history *h)
{
	const struct syt_places *p = q->m->places;
	struct bounds sends, recvs;
	bool is_bad = false;

	bounds_open(&sends, q, STEP_SEND);
	bounds_open(&recvs, q, STEP_RECV);
	for (uint64_t i = 0; i < h->nr && !is_bad; i++) {
		struct syt_place at = h->touches[i].place;
		const struct syt_row *r = syt_place_row(p, at);
		uint64_t count = syt_place_extra(p, at)->count;
		uint8_t shape = h->touches[i].shape;

		if (h->touches[i].role == SYT_ROLE_SELF && shape != SYT_SHAPE_SEND &&
		    shape != SYT_SHAPE_RECV && count && r->in >= q->complete_from && r->in)
			is_bad = is_contradiction(q, &sends, &recvs, r->in, r->out, count - 1);
	}
	syt_store_free(sends.from);
	syt_store_free(sends.to);
	syt_store_free(recvs.from);
	syt_store_free(recvs.to);
	return is_bad;
}

/* Returns true if more messages were received than sent by a time after which no event is missing. */
static bool is_impossible(const struct queue *q, uint64_t sent, uint64_t received)
{
	for (uint64_t i = 0; i < q->nr; i++) {
		sent += q->ops[i].step == STEP_SEND;
		received += q->ops[i].step == STEP_RECV;
		if (key(&q->ops[i]) >= q->complete_from && received > sent)
			return true;
	}
	return false;
}

static void match_all(struct queue *q, const struct syt_history *h)
{
	uint64_t begin = 0, nr_sends = 0, nr_recvs = 0, sent, received;
	syt_time period_from = 0;
	bool is_known;

	for (uint64_t i = 0; i < q->nr; i++) {
		nr_sends += q->ops[i].step == STEP_SEND;
		nr_recvs += q->ops[i].step == STEP_RECV;
	}
	sent = q->sent - nr_sends;
	received = q->received - nr_recvs;
	if (nr_sends > q->sent || nr_recvs > q->received || is_impossible(q, sent, received) ||
	    is_contradicted(q, h)) {
		for (uint64_t i = 0; i < q->nr; i++)
			give_up(q, &q->ops[i],
			        nr_sends ? SYT_REASON_UNTRACED_WRITER : SYT_REASON_UNTRACED_PEER);
		return;
	}
	is_known = !q->complete_from && sent == received;
	for (uint64_t i = 0; i <= q->nr; i++) {
		bool is_end = i == q->nr, is_empty = false;

		if (!is_end) {
			sent += q->ops[i].step == STEP_SEND;
			received += q->ops[i].step == STEP_RECV;
			is_empty = q->ops[i].step == STEP_RECV && sent == received &&
			           key(&q->ops[i]) >= q->complete_from;
		}
		if (!is_end && !is_empty)
			continue;
		uint64_t end = is_end ? i : i + 1;
		syt_time at = is_end ? 0 : key(&q->ops[i]);

		if (is_known)
			match_period(q, &q->ops[begin], end - begin, period_from, is_empty);
		for (; !is_known && begin < end; begin++)
			give_up(q, &q->ops[begin],
			        q->complete_from ? SYT_REASON_OVERWRITTEN : SYT_REASON_BEFORE);
		begin = end;
		period_from = at;
		is_known = true;
	}
}

void syt_match_queue(struct syt_match *m, uint32_t object)
{
	const struct syt_object_info *info = m->objects->all[object].info;
	struct syt_history h = syt_history_of(m->histories, object);
	struct queue q = {
		.m = m, .object = object, .complete_from = syt_match_complete_from(m, object)};
	enum syt_reason reason = SYT_REASON_OVERWRITTEN;

	if (!h.nr || h.nr >= SYT_NONE)
		return;
	/* numbers of messages sent and received before the recorder first saw the queue */
	if (info->endpoint) {
		q.sent = info->endpoint->tx;
		q.received = info->endpoint->rx;
	}
	q.ops = syt_store_alloc(h.nr, sizeof(*q.ops));
	if (!collect(&q, &h, &reason) || q.complete_from == UINT64_MAX) {
		for (uint64_t i = 0; i < q.nr; i++)
			give_up(&q, &q.ops[i], reason);
		syt_store_free(q.ops);
		return;
	}
	q.sends = syt_store_alloc(h.nr, sizeof(*q.sends));
	q.recvs = syt_store_alloc(h.nr, sizeof(*q.recvs));
	q.highest = syt_store_alloc(h.nr, sizeof(*q.highest));
	q.sums = syt_store_alloc(h.nr + 1, sizeof(*q.sums));
	syt_sort(q.ops, q.nr, sizeof(*q.ops), by_key);
	match_all(&q, &h);
	syt_store_free(q.ops);
	syt_store_free(q.sends);
	syt_store_free(q.recvs);
	syt_store_free(q.highest);
	syt_store_free(q.sums);
	free(q.kinds);
}
