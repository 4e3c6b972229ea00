/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "runtime/skip.h"

#include "runtime/frame.h"

/* Writes the ghost of a call from IN to OUT, which moved one datagram, after LEFT_OUT calls that are left out (not 0). Does what
 * syt_event_encode() does. */
static __attribute__((noinline)) uint8_t *put_datagram(struct syt_predictor *p, uint8_t *at,
                                                       uint64_t in, uint64_t out, uint32_t call_of,
                                                       const struct syt_event *e)
{
	uint8_t *q = syt_put_until_result(p, at, in, out, call_of, 0, e->object,
	                                  SYT_HAS_RESULT | SYT_HAS_EXTRA);
	uint8_t *fields;

	q = syt_put_varint(q, syt_zigzag(e->result));
	fields = ++q;
	q = syt_put_field(q, SYT_FIELD_OFFSET, e->offset);
	q = syt_put_field(q, SYT_FIELD_BYTES, e->bytes);
	q = syt_put_field(q, SYT_FIELD_FLAGS, e->flags);
	if (e->peer) {
		*q++ = SYT_FIELD_PEER;
		q = syt_put_varint_long(q, e->peer);
	}
	q = syt_put_field(q, SYT_FIELD_LEFT_OUT, e->left_out);
	q = syt_put_field(q, SYT_FIELD_GAP, e->gap);
	fields[-1] = (uint8_t)(q - fields);
	syt_predictor_learn_fields(p, e->call, e->object, e->result, e->offset, e->bytes, e->flags,
	                           e->peer, 1);
	return q;
}

bool syt_skip_datagram(const struct syt_skip *k, const void *fp, uint32_t call, bool is_out,
                       uint64_t bytes, uint64_t flags, uint64_t peer)
{
	struct syt_self *s = syt_sample_skips;
	struct syt_endpoint_slot *slot = k->endpoint.slot;
	uint64_t was = k->was, offset = was & SYT_ENDPOINT_COUNT, out, stamp;
	struct syt_lane_state *l;
	uint8_t *at, *end;

	if (!syt_skip_is_valid(k, s) || s->depth || s->torn != SYT_SAMPLED ||
	    (!is_out && s->sample.sampler.options.hops &&
	     syt_skip_may_be_marked(k->endpoint.word)) ||
	    !__atomic_compare_exchange_n(is_out ? &slot->tx : &slot->rx, &was, was + 1, false,
	                                 __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
		return false;
	if (!is_out)
		syt_skip_note_reader(k, s->thread);
	out = syt_clock_acquire();
	stamp = is_out ? k->in : out;

	struct syt_event e = {
		.call = call,
		.object = k->endpoint.object,
		.result = (int64_t)bytes,
		.bytes = bytes,
		.flags = flags,
		.peer = peer,
		.offset = offset,
	};

	l = &s->slot.lane0;
	/* a receive that waited may become the head of the loop */
	if (out - k->in - 1 < SYT_LONG_TICKS && !(is_out && stamp < l->predictor.end) &&
	    (is_out || out - k->in < SYT_LONG_TICKS / 5 || s->sample.head.fp == (uintptr_t)fp) &&
	    syt_self_is_quick(s, stamp) && syt_sample_ghosts_at(s, k->site)) {
		syt_self_claim_plain(s, fp);
		e.left_out = syt_sample_takes_gap(s, stamp, &e.gap);
		syt_lane_note_stamp(l, stamp);
		at = l->buffer + l->pos;
		if (e.left_out)
			end = put_datagram(&l->predictor, at, k->in, out, SYT_CALL_OF(call, is_out),
			                   &e);
		else
			end = syt_event_encode_fields(&l->predictor, at, k->in, out,
			                              SYT_CALL_OF(call, is_out), 0, e.object,
			                              e.result, 0, 1, offset, bytes, flags, peer);
		syt_lane_commit(l, (uint64_t)(end - at));
		syt_self_unclaim(s, 0);
	} else {
		struct syt_frame f = {.fp = fp, .in = k->in, .out = out, .alive = *syt_alive};

		syt_skip_records(fp, call);
		if (is_out)
			syt_leave_in(&f, &e);
		else
			syt_leave_out(&f, &e);
	}
	syt_in_flight_remove(s->slot.shared->in_flight, k->endpoint.object);
	return true;
}
