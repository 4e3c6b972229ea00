/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Streams, pipes, eventfds, paired datagram sockets, message queues: in each direction, the sent units and the
 * received units (bytes, eventfd units, messages) form ranges without a hole and without an overlap. Positions do
 * not contradict time. The number of sent units equals received units plus units in flight, including the units
 * that untraced processes sent or received.
 *
 * The recorder gives each send or receive its position after the real call and before the end time `out`, by adding
 * to a counter that all processes share. Ranges therefore follow each other even if other processes use the stream.
 * If two calls do not overlap in time, the later call has the higher position. A hole means a call without an
 * event: the event was overwritten, or its thread was stopped before it could record the call. A call that never
 * returned may have moved any number of bytes, counted or not. A call of this kind may cause a hole, and the sent
 * and received numbers may differ.
 *
 * The report's sums also show bytes that no traced call sent or received: by stdio and dprintf inside of libc, or
 * by untraced processes. Sent and received numbers can then not be compared.
 */
#include "decoder/match/channel.h"
#include "decoder/check/check.h"
#include "base/compare.h"
#include "base/sort.h"

struct direction {
	struct syt_check *c;
	uint32_t object;    /* the sending or the receiving object */
	bool is_sampled;    /* a sampler may have left out sends or receives */
	bool has_no_offset; /* some send or receive has no position */
	uint64_t nr, units; /* number of sends or receives without peeks, and their units */
	uint64_t end, sure; /* position after the last; position up to which calls are certain */
	uint64_t nr_holes;
};

SYT_COMPARATOR(by_position, struct syt_move)
{
	SYT_ORDER_BY(begin);
	return SYT_COMPARE(a->end, b->end);
}

/* Returns true if the hole before AT is a violation, because no unrecorded send or receive explains it. */
static bool is_hole(struct direction *d, const struct syt_move *at)
{
	const struct syt_object *o = &d->c->order->objects.all[d->object];

	if (d->is_sampled)
		syt_check_excuse(d->c, SYT_EXCUSE_NOT_SAMPLED, 1);
	else if (syt_check_complete_from(d->c, d->object))
		syt_check_excuse(d->c, SYT_EXCUSE_OVERWRITTEN, 1);
	else if (d->c->has_untraced && o->info->flags & SYT_OBJECT_SHARED)
		syt_check_excuse(d->c, SYT_EXCUSE_UNTRACED, 1);
	else if (at->begin > d->sure ||
	         ++d->nr_holes <= syt_check_unrecorded(d->c, d->object, at->to))
		syt_check_excuse(d->c, SYT_EXCUSE_UNENDED, 1);
	else
		return true;
	return false;
}

/* Checks that the first range of an endpoint begins at position 0, if the endpoint was traced from its creation. An
 * eventfd begins with its initial value. */
static void check_first(struct direction *d, const struct syt_move *at)
{
	const struct syt_object_info *info = d->c->order->objects.all[d->object].info;

	if (!at->begin || info->flags & SYT_OBJECT_ADOPTED || info->kind == SYT_KIND_EVENTFD ||
	    info->kind == SYT_KIND_QUEUE || !is_hole(d, at))
		return;
	syt_check_numbers(d->c, "bytes before the first recorded send or receive are missing",
	                  d->object, at->place, SYT_NOWHERE, 0, at->begin);
}

static void violation(struct direction *d, const char *what, const struct syt_move *before,
                      const struct syt_move *at)
{
	syt_check_numbers(d->c, what, d->object, before->place, at->place, before->end, at->begin);
}

/* Checks that MOVES (sends or receives), sorted by position, follow each other without hole or overlap. */
static void check_ranges(struct direction *d, const struct syt_move *moves)
{
	syt_time latest = moves[0].from;

	check_first(d, &moves[0]);
	for (uint64_t i = 1; i < d->nr; i++) {
		const struct syt_move *before = &moves[i - 1], *at = &moves[i];

		if (at->begin < before->end)
			violation(d,
			          "the bytes of the second call overlap the bytes of the first "
			          "call",
			          before, at);
		else if (at->begin > before->end && is_hole(d, at))
			violation(d, "bytes between the two calls are missing", before, at);
		if (at->to < latest)
			violation(d,
			          "the second call moved later bytes than the first call, but "
			          "ended before it",
			          before, at);
		latest = at->from > latest ? at->from : latest;
	}
}

/* Removes receives with MSG_PEEK from MOVES, sorts the others by position, and checks their ranges. */
static void check_moves(struct direction *d, struct syt_move *moves, uint64_t nr)
{
	for (uint64_t i = 0; i < nr; i++)
		if (!moves[i].is_peek)
			moves[d->nr++] = moves[i];
	if (d->has_no_offset) {
		syt_check_excuse(d->c, SYT_EXCUSE_NO_OFFSET, d->nr);
		return;
	}
	if (!d->nr)
		return;
	syt_sort(moves, d->nr, sizeof(*moves), by_position);
	for (uint64_t i = 0; i < d->nr; i++) {
		d->units += moves[i].end - moves[i].begin;
		d->end = moves[i].end > d->end ? moves[i].end : d->end;
	}
	d->c->nr_checked += d->nr;
	check_ranges(d, moves);
}

static void sum(struct syt_check *c, const struct syt_channel *channel,
                const struct direction *sends, const struct direction *recvs)
{
	if (channel->from == SYT_NONE || recvs->has_no_offset || sends->has_no_offset) {
		syt_check_sum(c, "received_from_untraced", recvs->units);
		return;
	}
	if (channel->broken != SYT_NR_REASONS) {
		syt_check_sum(c, "sent_beside_untraced", sends->units);
		syt_check_sum(c, "received_beside_untraced", recvs->units);
		return;
	}
	/* only one of the two counts contains the urgent byte */
	if (channel->trusted != UINT64_MAX && channel->limit_reason == SYT_REASON_UNCERTAIN) {
		syt_check_sum(c, "sent_with_urgent", sends->units);
		syt_check_sum(c, "received_with_urgent", recvs->units);
		return;
	}
	syt_check_sum(c, "sent", sends->units);
	if (channel->is_sampled) {
		syt_check_sum(c, "received", recvs->units);
		return;
	}
	if (channel->end > sends->units) /* sent before tracing began, or overwritten */
		syt_check_sum(c, "sent_unseen", channel->end - sends->units);
	syt_check_sum(c, "received", recvs->units);
	if (recvs->end > recvs->units)
		syt_check_sum(c, "received_unseen", recvs->end - recvs->units);
	if (channel->end > recvs->end)
		syt_check_sum(c, "in_flight", channel->end - recvs->end);
	else if (channel->end < recvs->end) /* sent by a thread that was stopped */
		syt_check_sum(c, "sent_unrecorded", recvs->end - channel->end);
}

/* Checks the data that object FROM sends and object TO receives. If FROM is SYT_NONE, the peer of TO is untraced,
 * and the data that TO sends to this peer is checked instead. */
static void check_direction(struct syt_check *c, uint32_t from, uint32_t to)
{
	const struct syt_order *o = c->order;
	struct syt_match m = {.places = &o->places,
	                      .objects = &o->objects,
	                      .histories = &o->histories,
	                      .datagrams = &o->datagrams,
	                      .of_thread = c->of_thread};
	struct direction sends = {.c = c, .object = from}, recvs = {.c = c, .object = to};
	enum syt_kind kind = syt_object_kind(&o->objects, to);
	struct syt_channel channel;

	syt_channel_open(&channel, &m, from, to);
	sends.is_sampled = recvs.is_sampled = channel.is_sampled;
	sends.has_no_offset = channel.broken == SYT_REASON_NO_OFFSET;
	sends.sure = from == SYT_NONE ? UINT64_MAX : o->objects.all[from].sure_out;
	recvs.sure = o->objects.all[to].sure_in;
	recvs.has_no_offset = channel.nr_no_offset;
	check_moves(&sends, channel.sends, channel.nr_sends);
	check_moves(&recvs, channel.recvs, channel.nr_recvs);
	if (kind == SYT_KIND_STREAM || kind == SYT_KIND_PIPE) /* other kinds do not count bytes */
		sum(c, &channel, &sends, &recvs);
	syt_channel_close(&channel);
	if (from != SYT_NONE || kind != SYT_KIND_STREAM)
		return;
	syt_channel_open(&channel, &m, to, to);
	sends = (struct direction){.c = c,
	                           .object = to,
	                           .is_sampled = channel.is_sampled,
	                           .has_no_offset = channel.broken == SYT_REASON_NO_OFFSET,
	                           .sure = o->objects.all[to].sure_out};
	check_moves(&sends, channel.sends, channel.nr_sends);
	syt_check_sum(c, "sent_to_untraced", sends.units);
	syt_channel_close(&channel);
}

static void check_queue(struct syt_check *c, uint32_t object)
{
	const struct syt_places *p = &c->order->places;
	struct syt_history h = syt_history_of(&c->order->histories, object);
	struct direction sends = {.c = c, .object = object, .sure = UINT64_MAX}, recvs = sends;
	struct syt_move *sent = syt_store_alloc(h.nr, sizeof(*sent));
	struct syt_move *received = syt_store_alloc(h.nr, sizeof(*received));
	uint64_t nr_sent = 0, nr_received = 0;

	for (uint64_t i = 0; i < h.nr; i++) {
		struct syt_place at = h.touches[i].place;
		const struct syt_row *r = syt_place_row(p, at);
		const struct syt_extra *x = syt_place_extra(p, at);
		bool is_send = syt_touch_is(&h.touches[i], SYT_SHAPE_SEND);
		struct syt_move m = {.begin = x->offset,
		                     .end = x->offset + 1,
		                     .from = is_send ? r->in : syt_place_earliest(p, at),
		                     .to = is_send ? syt_place_latest(p, at) : r->out,
		                     .place = at,
		                     .is_peek = x->flags & SYT_EVENT_PEEK};

		if (!x->count || (!is_send && !syt_touch_is(&h.touches[i], SYT_SHAPE_RECV)))
			continue;
		sends.has_no_offset |= !!(x->flags & SYT_EVENT_NOOFFSET);
		if (is_send)
			sent[nr_sent++] = m;
		else
			received[nr_received++] = m;
	}
	recvs.has_no_offset = sends.has_no_offset;
	check_moves(&sends, sent, nr_sent);
	check_moves(&recvs, received, nr_received);
	syt_store_free(sent);
	syt_store_free(received);
}

static void check_object(struct syt_check *c, uint32_t object)
{
	const struct syt_object *o = &c->order->objects.all[object];

	switch (o->info->kind) {
	case SYT_KIND_STREAM:
		check_direction(c, o->peer, object);
		break;
	case SYT_KIND_PIPE:
	case SYT_KIND_EVENTFD:
		check_direction(c, object, object);
		break;
	case SYT_KIND_DGRAM:
		if (o->peer != SYT_NONE)
			check_direction(c, o->peer, object);
		break;
	case SYT_KIND_QUEUE:
		check_queue(c, object);
		break;
	default:
		break;
	}
}

void syt_check_stream(struct syt_check *c)
{
	syt_check_objects(c, check_object);
}
