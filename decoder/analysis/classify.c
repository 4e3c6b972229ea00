/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/analysis/classify.h"

#include <errno.h>

#include "base/bisect.h"

/* least length of a call that counts as a wait; the recorder uses the same limit */
#define LONG_NS 100000u
#define LEAST_ROOM 4096u /* number of bytes for which every pipe and socket has space */

const struct syt_waits_words syt_waits_kinds[] = {
#define KIND(name_, word_, noun_, text_) {word_, noun_, text_},
	SYT_WAITS_KINDS(KIND)
#undef KIND
};

const struct syt_waits_reason_words syt_waits_reasons[] = {
#define REASON(name_, class_, word_, text_) {SYT_WAITS_CLASS_##class_, word_, text_},
	SYT_WAITS_REASONS(REASON)
#undef REASON
};

const char *const syt_waits_classes[] = {
#define CLASS(name_, word_) word_,
	SYT_WAITS_CLASSES(CLASS)
#undef CLASS
};

enum syt_waits_kind syt_waits_kind_of(uint8_t shape, enum syt_kind kind)
{
	switch (shape) {
	case SYT_SHAPE_LOCK:
	case SYT_SHAPE_RDLOCK:
	case SYT_SHAPE_FILE_LOCK:
		return SYT_WAITS_FOR_LOCK;
	case SYT_SHAPE_COND_WAIT:
	case SYT_SHAPE_CANCELLED:
	case SYT_SHAPE_SEM_WAIT:
	case SYT_SHAPE_SEM_ZERO:
	case SYT_SHAPE_FUTEX_WAIT:
	case SYT_SHAPE_SIGNAL_RECV:
		return SYT_WAITS_FOR_PRODUCER;
	case SYT_SHAPE_ONCE:
		return SYT_WAITS_FOR_ONCE;
	case SYT_SHAPE_BARRIER_WAIT:
		return SYT_WAITS_FOR_PEERS;
	case SYT_SHAPE_TEAM:
	case SYT_SHAPE_TEAM_BARRIER:
	case SYT_SHAPE_TASK_WAIT:
	case SYT_SHAPE_TASK_GROUP_END:
		return SYT_WAITS_FOR_TEAM;
	case SYT_SHAPE_READY:
		return SYT_WAITS_FOR_READINESS;
	case SYT_SHAPE_PAUSE:
		return SYT_WAITS_FOR_TIMER;
	case SYT_SHAPE_REAP:
		return SYT_WAITS_FOR_CHILD;
	case SYT_SHAPE_JOIN:
		return SYT_WAITS_FOR_THREAD;
	case SYT_SHAPE_ACCEPT:
	case SYT_SHAPE_CONNECT:
		return SYT_WAITS_FOR_MESSAGE;
	case SYT_SHAPE_RECV:
	case SYT_SHAPE_SEND:
	case SYT_SHAPE_TRANSFER:
	case SYT_SHAPE_BLOCK:
		break;
	default:
		return SYT_WAITS_FOR_CALL;
	}
	if (kind == SYT_KIND_FILE)
		return SYT_WAITS_FOR_FILE;
	if (shape == SYT_SHAPE_SEND)
		return SYT_WAITS_FOR_ROOM;
	if (kind == SYT_KIND_TIMERFD)
		return SYT_WAITS_FOR_TIMER;
	return kind == SYT_KIND_QUEUE || kind == SYT_KIND_EVENTFD || kind == SYT_KIND_SIGNALFD
	               ? SYT_WAITS_FOR_PRODUCER
	               : SYT_WAITS_FOR_MESSAGE;
}

/* Returns true if a call whose begin and end are recorded always counts as a wait: the recorder stores both only
 * after a failed non-blocking attempt, or the call waits in any case. */
static bool is_wait_by_nature(enum syt_waits_kind kind, uint8_t shape)
{
	switch (kind) {
	case SYT_WAITS_FOR_LOCK:
		return shape != SYT_SHAPE_FILE_LOCK;
	case SYT_WAITS_FOR_PRODUCER:
		return shape != SYT_SHAPE_RECV && shape != SYT_SHAPE_TRANSFER;
	case SYT_WAITS_FOR_PEERS:
	case SYT_WAITS_FOR_TEAM:
	case SYT_WAITS_FOR_ONCE:
	case SYT_WAITS_FOR_THREAD:
		return true;
	case SYT_WAITS_FOR_TIMER:
		return shape == SYT_SHAPE_PAUSE;
	default:
		return false;
	}
}

/* Returns true if AT, a send on OBJECT, may have waited for space: the other end received earlier data during the
 * send, and the earlier and the new data together exceed LEAST_ROOM. Any other long send is not a wait for space,
 * because a send on a non-blocking socket also takes time. */
static bool room_was_made(const struct syt_order *o, struct syt_place at, uint32_t object)
{
	const struct syt_row *r = syt_place_row(&o->places, at);
	struct syt_extra sent = *syt_place_extra(&o->places, at);
	enum syt_kind kind =
		object == SYT_NONE ? SYT_KIND_OTHER : syt_object_kind(&o->objects, object);
	uint32_t end = kind == SYT_KIND_STREAM ? o->objects.all[object].peer
	               : kind == SYT_KIND_PIPE ? object
	                                       : SYT_NONE;
	struct syt_history h;
	syt_time from = r->in, to = r->out;

	if (end == SYT_NONE || sent.flags & SYT_EVENT_NOOFFSET)
		return false;
	h = syt_history_of(&o->histories, end);
	for (uint64_t i = SYT_BISECT(n, 0, h.nr, h.touches[n].at <= from);
	     i < h.nr && h.touches[i].at <= to; i++) {
		const struct syt_touch *t = &h.touches[i];
		const struct syt_extra *got;

		if (t->shape != SYT_SHAPE_RECV || t->role != SYT_ROLE_SELF || !t->has_succeeded)
			continue;
		got = syt_place_extra(&o->places, t->place);
		if (!got->bytes || got->flags & SYT_EVENT_NOOFFSET)
			continue;
		return got->offset + got->bytes <= sent.offset &&
		       sent.offset - got->offset + sent.bytes > LEAST_ROOM;
	}
	return false;
}

static bool has_timed_out(const struct syt_places *p, struct syt_place at)
{
	const struct syt_row *r = syt_place_row(p, at);

	switch (syt_place_call(p, at)->shape) {
	case SYT_SHAPE_READY:
		return r->result == 0;
	case SYT_SHAPE_COND_WAIT:
		return r->result != 0 && r->result != EOWNERDEAD && syt_place_gave_mutex(p, at);
	default:
		return r->result < 0 && (r->err == ETIMEDOUT || r->err == EAGAIN);
	}
}

/* Returns the reason for a wait on a socket with an untraced peer: the end that connected is the client. */
static enum syt_waits_reason reason_of_side(enum syt_side side)
{
	return side == SYT_SIDE_ACCEPTED    ? SYT_WAITS_CLIENT
	       : side == SYT_SIDE_CONNECTED ? SYT_WAITS_SERVER
	                                    : SYT_WAITS_UNTOLD;
}

/* Returns the reason that all objects reported by AT, a readiness call, have in common, or UNTOLD. */
static enum syt_waits_reason reason_of_ready(const struct syt_services *s, struct syt_place at)
{
	const struct syt_order *o = s->order;
	const struct syt_extra *x = syt_place_extra(&o->places, at);
	const struct syt_thread *t = syt_place_thread(&o->places, at);
	enum syt_waits_reason all = SYT_WAITS_UNTOLD;

	for (uint32_t i = 0; i < x->nr_ready; i++) {
		const struct syt_ready *ready = &t->ready[x->ready + i];
		uint32_t object = syt_object_of(&o->objects, syt_place_image_idx(&o->places, at),
		                                ready->object);
		enum syt_waits_reason reason;

		if (object == SYT_NONE)
			return SYT_WAITS_UNTOLD;
		if (!(ready->events & ~SYT_READY_OUT))
			reason = SYT_WAITS_ROOM;
		else if (syt_object_kind(&o->objects, object) == SYT_KIND_TIMERFD)
			reason = SYT_WAITS_TIME;
		else
			reason = reason_of_side(s->sides[object]);
		if (i && reason != all)
			return SYT_WAITS_UNTOLD;
		all = reason;
	}
	return all;
}

/* Returns the reason for the wait AT on the connection OBJECT, by its side: accepted or connected. */
static enum syt_waits_reason reason_of_socket(const struct syt_services *s, struct syt_place at,
                                              uint32_t object)
{
	switch (syt_place_call(&s->order->places, at)->shape) {
	case SYT_SHAPE_READY:
		return reason_of_ready(s, at);
	case SYT_SHAPE_ACCEPT:
		return SYT_WAITS_CLIENT;
	case SYT_SHAPE_CONNECT:
		return SYT_WAITS_SERVER;
	case SYT_SHAPE_RECV:
	case SYT_SHAPE_TRANSFER:
		return object == SYT_NONE ? SYT_WAITS_UNTOLD : reason_of_side(s->sides[object]);
	default:
		return SYT_WAITS_UNTOLD;
	}
}

/* Returns the kind of the object of CALL. A call of the shape BLOCK may have no object, as an open that failed. */
static enum syt_kind kind_of_object(const struct syt_call_info *call, enum syt_kind kind)
{
	return kind == SYT_KIND_OTHER && call->shape == SYT_SHAPE_BLOCK ? call->kind : kind;
}

static const uint8_t reason_of_origin[] = {
	[SYT_ORIGIN_NONE] = SYT_WAITS_UNTOLD,
	[SYT_ORIGIN_ARRIVED] = SYT_WAITS_ARRIVED,
	[SYT_ORIGIN_ASKED] = SYT_WAITS_ASKED,
	[SYT_ORIGIN_MADE] = SYT_WAITS_MADE,
	[SYT_ORIGIN_HIDDEN] = SYT_WAITS_HIDDEN,
	[SYT_ORIGIN_MUTUAL] = SYT_WAITS_MUTUAL,
	[SYT_ORIGIN_AMBIGUOUS] = SYT_WAITS_AMBIGUOUS,
	[SYT_ORIGIN_MISSING] = SYT_WAITS_MISSING,
	[SYT_ORIGIN_FAR] = SYT_WAITS_FAR,
};

static enum syt_waits_reason reason_of(const struct syt_wait_reason *why,
                                       const struct syt_services *s, struct syt_place at,
                                       uint32_t object, uint32_t last)
{
	const struct syt_order *o = s->order;
	const struct syt_edge *e = last == SYT_NONE ? NULL : &o->edges.all[last];
	enum syt_waits_reason reason, side = SYT_WAITS_UNTOLD;

	switch (why->kind) {
	case SYT_WAITS_FOR_LOCK:
		return SYT_WAITS_LOCKED;
	case SYT_WAITS_FOR_PEERS:
		return SYT_WAITS_PEERS;
	case SYT_WAITS_FOR_TEAM:
		return SYT_WAITS_TEAM;
	case SYT_WAITS_FOR_ONCE:
		return SYT_WAITS_ONCE;
	case SYT_WAITS_FOR_TIMER:
		return SYT_WAITS_TIME;
	case SYT_WAITS_FOR_THREAD:
	case SYT_WAITS_FOR_CHILD:
		return SYT_WAITS_END;
	case SYT_WAITS_FOR_FILE:
		return SYT_WAITS_OWN;
	case SYT_WAITS_FOR_MESSAGE:
		if (object == SYT_NONE && syt_place_call(&o->places, at)->shape == SYT_SHAPE_BLOCK)
			return SYT_WAITS_ASKED; /* a name server answered */
		break;
	case SYT_WAITS_FOR_ROOM:
		return e || room_was_made(o, at, object) ? SYT_WAITS_ROOM : SYT_WAITS_UNTOLD;
	default:
		break;
	}
	if (e && e->class == SYT_CLASS_RUN_AFTER)
		/* the thread waited for a semaphore or a futex that serves as a lock */
		return SYT_WAITS_LOCKED;
	if (e && e->kind == SYT_EDGE_TIMER)
		return SYT_WAITS_TIME;
	if (e) {
		reason = reason_of_origin[s->origins[last]];
		if (syt_waits_reasons[reason].class == SYT_WAITS_CLASS_UNDECIDED)
			side = reason_of_socket(s, at, object);
		return side == SYT_WAITS_CLIENT || side == SYT_WAITS_SERVER ? side : reason;
	}
	if (has_timed_out(&o->places, at))
		return SYT_WAITS_TIME;
	return reason_of_socket(s, at, object);
}

bool syt_wait_classify(struct syt_wait_reason *why, const struct syt_blamer *blamer,
                       const struct syt_services *s, struct syt_place at)
{
	const struct syt_order *o = s->order;
	const struct syt_row *r = syt_place_row(&o->places, at);
	const struct syt_call_info *call = syt_place_call(&o->places, at);
	uint8_t shape = call->shape;
	uint32_t object =
		syt_object_of(&o->objects, syt_place_image_idx(&o->places, at), r->object);
	enum syt_kind kind = kind_of_object(
		call, object == SYT_NONE ? SYT_KIND_OTHER : syt_object_kind(&o->objects, object));
	uint32_t last = syt_blamer_last_into(blamer, at);

	*why = (struct syt_wait_reason){.kind = syt_waits_kind_of(shape, kind),
	                                .edge = syt_blamer_ended_by_last(blamer, last),
	                                .lock = SYT_NONE};
	if (why->edge != SYT_NONE && o->edges.all[why->edge].from.thread == SYT_NONE)
		why->edge = SYT_NONE;
	if (!is_wait_by_nature(why->kind, shape) && SYT_TIME_NS(r->out - r->in) < LONG_NS &&
	    (why->edge == SYT_NONE || syt_edge_begin(&o->edges, &o->edges.all[why->edge]) <= r->in))
		return false;
	why->reason = reason_of(why, s, at, object, last);
	if (why->reason == SYT_WAITS_LOCKED &&
	    (shape == SYT_SHAPE_LOCK || shape == SYT_SHAPE_RDLOCK) && object != SYT_NONE &&
	    syt_holdings_has_kind(kind))
		why->lock = object;
	if (why->reason == SYT_WAITS_LOCKED)
		why->kind = SYT_WAITS_FOR_LOCK;
	if (why->reason == SYT_WAITS_UNTOLD && why->kind == SYT_WAITS_FOR_ROOM)
		why->kind = SYT_WAITS_FOR_CALL;
	return true;
}

struct syt_wait_reason syt_wait_classify_unended(const struct syt_image *image,
                                                 const struct syt_waiting_info *waiting)
{
	const struct syt_call_info *call = &image->calls[waiting->call];
	enum syt_kind kind = kind_of_object(call, waiting->object == SYT_NONE
	                                                  ? SYT_KIND_OTHER
	                                                  : image->objects[waiting->object].kind);
	struct syt_wait_reason why = {
		.kind = syt_waits_kind_of(call->shape, kind),
		.reason = SYT_WAITS_UNENDED,
		.edge = SYT_NONE,
		.lock = SYT_NONE,
	};

	if (why.kind == SYT_WAITS_FOR_LOCK)
		why.reason = SYT_WAITS_LOCKED;
	else if (why.kind == SYT_WAITS_FOR_TIMER)
		why.reason = SYT_WAITS_TIME;
	else if (why.kind == SYT_WAITS_FOR_THREAD || why.kind == SYT_WAITS_FOR_CHILD)
		why.reason = SYT_WAITS_END;
	return why;
}
