/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/analysis/exchange.h"

#include <stdlib.h>
#include <string.h>

#include "base/counts.h"
#include "base/err.h"
#include "format/address.h"

static const struct syt_place nowhere = {SYT_NONE, 0};

static bool find_accept(const struct syt_order *o, uint32_t object, struct syt_place *found)
{
	struct syt_history h = syt_history_of(&o->histories, object);

	for (uint64_t i = 0; i < h.nr; i++) {
		const struct syt_touch *t = &h.touches[i];

		if (t->shape != SYT_SHAPE_ACCEPT || t->role != SYT_ROLE_SELF || !t->has_succeeded)
			continue;
		*found = t->place;
		return true;
	}
	return false;
}

#define PORT_AT 2u
#define PORT_BYTES 2u

/* Returns the hash of the wildcard address of FAMILY with the port of the endpoint E. */
static uint64_t hash_of_any(const struct syt_endpoint_info *e, unsigned family, uint32_t bytes)
{
	uint8_t any[SYT_ADDRESS_BYTES] = {(uint8_t)family};

	memcpy(any + PORT_AT, e->local + PORT_AT, PORT_BYTES);
	return syt_address_hash(any, bytes);
}

/* Returns a number for the network namespace of the endpoint E on HOST. */
static uint64_t net_of(const struct syt_endpoint_info *e, uint32_t host)
{
	return e->netns ^ (uint64_t)host << 40;
}

/* Returns true if a socket of HOST listens on the local address of the endpoint E, or on its port with the wildcard
 * address. E is then the accepting end. LISTENING has a key (network namespace, address hash) for each listening
 * socket. */
static bool is_listened(const struct syt_counts *listening, const struct syt_endpoint_info *e,
                        uint32_t host)
{
	uint64_t net = net_of(e, host);
	uint64_t own = syt_address_hash(e->local, e->local_bytes);
	bool is_inet = e->local_bytes >= PORT_AT + PORT_BYTES &&
	               (e->local[0] == SYT_AF_INET || e->local[0] == SYT_AF_INET6);

	if (!own || syt_counts_of(listening, net, own))
		return own;
	return is_inet && (syt_counts_of(listening, net, hash_of_any(e, SYT_AF_INET, 16)) ||
	                   syt_counts_of(listening, net, hash_of_any(e, SYT_AF_INET6, 28)));
}

/* Finds the accepting ends of connections whose accept call is not in the trace. */
static void find_listened(struct syt_servers *s)
{
	const struct syt_objects *objects = &s->order->objects;
	struct syt_counts listening = {0};

	for (uint32_t n = 0; n < objects->nr; n++) {
		const struct syt_endpoint_info *e = objects->all[n].info->endpoint;

		if (syt_object_kind(objects, n) == SYT_KIND_LISTEN && e && e->local_bytes)
			++*syt_counts_at(&listening, net_of(e, syt_object_host(objects, n)),
			                 syt_address_hash(e->local, e->local_bytes));
	}
	for (uint32_t n = 0; listening.nr && n < objects->nr; n++) {
		const struct syt_endpoint_info *e = objects->all[n].info->endpoint;

		if (s->accepted[n] == SYT_ACCEPTED_NOT &&
		    syt_object_kind(objects, n) == SYT_KIND_STREAM && e &&
		    is_listened(&listening, e, syt_object_host(objects, n))) {
			uint8_t *serves = &s->serves[objects->all[n].image];

			s->accepted[n] = SYT_ACCEPTED_LISTENED;
			if (*serves == SYT_ACCEPTED_NOT)
				*serves = SYT_ACCEPTED_LISTENED;
		}
	}
	syt_counts_fini(&listening);
}

void syt_servers_open(struct syt_servers *s, const struct syt_order *o)
{
	struct syt_place at;

	*s = (struct syt_servers){o, syt_calloc(o->objects.nr, sizeof(uint8_t)),
	                          syt_calloc(o->places.trace->nr_images, sizeof(uint8_t))};
	for (uint32_t object = 0; object < o->objects.nr; object++) {
		if (syt_object_kind(&o->objects, object) != SYT_KIND_STREAM ||
		    !find_accept(o, object, &at))
			continue;
		s->accepted[object] = SYT_ACCEPTED_SEEN;
		s->serves[syt_place_image_idx(&o->places, at)] = SYT_ACCEPTED_SEEN;
	}
	find_listened(s);
}

void syt_servers_close(struct syt_servers *s)
{
	free(s->accepted);
	free(s->serves);
	memset(s, 0, sizeof(*s));
}

bool syt_servers_is_outside(const struct syt_servers *s, uint32_t object, enum syt_accepted least)
{
	const struct syt_objects *objects = &s->order->objects;
	uint32_t peer = objects->all[object].peer;

	return peer == SYT_NONE || s->serves[objects->all[peer].image] < least;
}

struct syt_exchanges syt_exchanges_of(const struct syt_order *o, uint32_t object)
{
	struct syt_place accept;

	return (struct syt_exchanges){
		.order = o,
		.history = syt_history_of(&o->histories, object),
		.complete_from = o->objects.all[object].complete_from,
		.is_due = true,
		.is_sampled = o->objects.all[object].is_sampled,
		.is_due_surely =
			!o->objects.all[object].complete_from && find_accept(o, object, &accept),
		.reported = nowhere,
		.before = nowhere,
	};
}

enum move { NOTHING, RECEIVED, SENT };

static enum move move_of(const struct syt_touch *t)
{
	if (t->shape == SYT_SHAPE_SEND)
		return SENT;
	if (t->shape == SYT_SHAPE_RECV)
		return RECEIVED;
	if (t->shape == SYT_SHAPE_TRANSFER)
		return t->role == SYT_ROLE_SELF ? SENT : RECEIVED;
	return NOTHING;
}

/* Returns true if T is a readiness report (poll, epoll_wait) that the connection can be read. */
static bool is_report(const struct syt_order *o, const struct syt_touch *t)
{
	const struct syt_extra *x;

	if (t->role != SYT_ROLE_READY)
		return false;
	x = syt_place_extra(&o->places, t->place);
	return syt_place_thread(&o->places, t->place)->ready[x->ready + t->part].events &
	       (SYT_READY_IN | SYT_READY_RDHUP | SYT_READY_HUP);
}

/* Handles the event T, which moved no bytes of the connection. */
static void look_aside(struct syt_exchanges *w, const struct syt_touch *t, struct syt_exchange *x)
{
	bool is_receive = move_of(t) == RECEIVED;

	if (is_report(w->order, t)) {
		if (w->reported.thread == SYT_NONE)
			w->reported = t->place;
		return;
	}
	/* a receive without data: another thread had received the reported data */
	if (is_receive || t->shape == SYT_SHAPE_ACCEPT) {
		w->reported = nowhere;
		w->before = t->place;
		w->before_at = t->at;
	}
	if (t->shape == SYT_SHAPE_ACCEPT && t->at >= w->complete_from)
		w->is_due_surely = true;
	if (t->shape == SYT_SHAPE_CLOSE && t->role == SYT_ROLE_SELF && x && !x->nr_sends)
		x->closed = t->place;
}

static void begin(const struct syt_exchanges *w, const struct syt_touch *t, struct syt_exchange *x)
{
	memset(x, 0, sizeof(*x));
	x->received = t->place;
	x->reported = w->reported;
	x->before = w->before;
	x->before_at = w->before_at;
	x->answered = x->closed = nowhere;
	x->is_sure = w->is_due_surely;
}

static void add_send(struct syt_exchanges *w, const struct syt_touch *t, struct syt_exchange *x)
{
	const struct syt_places *p = &w->order->places;
	const struct syt_row *r = syt_place_row(p, t->place);

	if (!x->nr_sends++)
		x->first_answer = r->in;
	x->bytes_sent += syt_place_extra(p, t->place)->bytes;
	x->closed = nowhere;
	if (x->answered.thread == SYT_NONE || r->out >= syt_place_row(p, x->answered)->out)
		x->answered = t->place;
	if (r->out > syt_places_window(p, syt_place_image_idx(p, t->place))->complete_until)
		x->is_sure = false;
}

/* Notes the move T in a sampled trace. IS_FIRST: the exchange X begins with it. */
static void meet_move(struct syt_exchanges *w, const struct syt_touch *t, enum move move,
                      const struct syt_exchange *x, bool is_first)
{
	const struct syt_places *p = &w->order->places;
	const struct syt_extra *extra = syt_place_extra(p, t->place);
	uint64_t from = t->role == SYT_ROLE_SECOND ? extra->offset2 : extra->offset;
	uint64_t *end = move == SENT ? &w->sent : &w->received;

	if (is_first)
		w->is_whole = true;
	w->is_whole &= *end == from && !(extra->flags & SYT_EVENT_NOOFFSET) && !extra->crossed;
	if (x)
		w->is_whole &= t->place.thread == x->received.thread &&
		               syt_place_part(p, t->place) == syt_place_part(p, x->received) &&
		               !syt_place_is_ghost(p, t->place);
	*end = from + extra->bytes;
}

/* Returns true if no send is missing behind the last recorded send: the next send or the close of the connection tells it. */
static bool is_answer_complete(const struct syt_exchanges *w)
{
	const struct syt_places *p = &w->order->places;

	for (uint64_t n = w->next; n < w->history.nr; n++) {
		const struct syt_touch *t = &w->history.touches[n];
		const struct syt_extra *extra = syt_place_extra(p, t->place);

		if (move_of(t) == SENT && syt_place_row(p, t->place)->result > 0)
			return extra->offset == w->sent;
		if (t->shape == SYT_SHAPE_CLOSE && extra->arg == 1)
			return !(extra->flags & SYT_EVENT_NOOFFSET) && extra->offset == w->sent;
	}
	return false;
}

/* Ends the exchange X. Returns true. */
static bool end(const struct syt_exchanges *w, struct syt_exchange *x)
{
	if (w->is_sampled)
		x->is_sure &= w->is_whole && is_answer_complete(w);
	return true;
}

bool syt_exchanges_next(struct syt_exchanges *w, struct syt_exchange *x)
{
	const struct syt_places *p = &w->order->places;
	bool has_begun = false;

	for (; w->next < w->history.nr && syt_store_goes_on(w->next, SYT_STORE_SPARSE); w->next++) {
		const struct syt_touch *t = &w->history.touches[w->next];
		enum move move = move_of(t);
		bool is_first = false;

		if (move == NOTHING || syt_place_row(p, t->place)->result <= 0) {
			look_aside(w, t, has_begun ? x : NULL);
			continue;
		}
		if (move == RECEIVED && w->is_due && has_begun)
			return end(w, x);
		if (move == RECEIVED && w->is_due) {
			begin(w, t, x);
			has_begun = is_first = true;
		}
		if (w->is_sampled)
			meet_move(w, t, move, has_begun ? x : NULL, is_first);
		if (move == RECEIVED && has_begun) {
			x->nr_receives++;
			x->bytes_received += syt_place_extra(p, t->place)->bytes;
		} else if (has_begun) {
			add_send(w, t, x);
		}
		w->is_due = move == SENT;
		if (move == SENT)
			w->is_due_surely = t->at >= w->complete_from;
		w->reported = nowhere;
		w->before = t->place;
		w->before_at = t->at;
	}
	return has_begun && end(w, x);
}
