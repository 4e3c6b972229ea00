/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "runtime/skip.h"

#include "runtime/frame.h"

/* Returns true if the thread S can write a ghost of the frame FP with STAMP at once. */
static SYT_ALWAYS_INLINE bool can_ghost(const struct syt_self *s, const void *fp, uint64_t stamp)
{
	return s->top - (uintptr_t)fp - 1 < SYT_STACK_SPAN - 1 && !s->depth &&
	       s->torn == SYT_SAMPLED && syt_self_is_quick(s, stamp);
}

/* Begins the ghost of the call K with STAMP. Sets *LEFT_OUT to the number of calls left out before it, and *GAP. Returns the place
 * for the event. */
static SYT_ALWAYS_INLINE uint8_t *begin_ghost(struct syt_self *s, const struct syt_skip *k,
                                              const void *fp, uint64_t stamp, uint64_t *left_out,
                                              uint64_t *gap)
{
	struct syt_lane_state *l = &s->slot.lane0;

	syt_self_claim_plain(s, fp);
	syt_skip_count_recorded(s, k->site);
	*left_out = 0;
	if (s->sample.shared->left_out)
		*left_out = syt_sample_takes_gap(s, stamp, gap);
	syt_lane_note_stamp(l, stamp);
	return l->buffer + l->pos;
}

static SYT_ALWAYS_INLINE void end_ghost(struct syt_self *s, const uint8_t *end)
{
	struct syt_lane_state *l = &s->slot.lane0;

	syt_lane_commit(l, (uint64_t)(end - (l->buffer + l->pos)));
	syt_self_unclaim(s, 0);
}

static uint32_t key_of(const struct syt_self *s, const struct syt_skip *k)
{
	return SYT_GHOST_KEY(k->site - s->sample.shared->sites.all);
}

uint64_t syt_skip_wait(const struct syt_skip *k, uint32_t call, uint32_t object, uint32_t object2)
{
	uint64_t in = syt_clock_release();
	struct syt_self *s = syt_sample_skips;

	if (s && s == k->self && !s->depth)
		syt_self_publish_wait(s, in, call, 0, object, object2, 0);
	return in;
}

/* Writes the ghost of a wait for OBJECT, which has the second object OBJECT2, after LEFT_OUT calls that are left out. */
static SYT_ALWAYS_INLINE uint8_t *put_waited(struct syt_predictor *p, uint8_t *at, uint64_t in,
                                             uint64_t out, uint32_t call_of, uint32_t key,
                                             uint32_t object, uint32_t object2, uint64_t left_out,
                                             uint64_t gap)
{
	uint64_t habit = SYT_HABIT_WAITED | object2;
	uint8_t *q, *fields;

	if (!left_out) {
		unsigned bytes = syt_event_encode_waited_foreseen(p, at, in, out, call_of, key,
		                                                  object, object2);

		return bytes ? at + bytes
		             : syt_event_encode_waited(p, at, in, out, call_of, key, object,
		                                       object2);
	}
	q = syt_put_until_result(p, at, in, out, call_of, key, object, SYT_HAS_EXTRA);
	if (__builtin_expect(*syt_habit(p) == habit, 1))
		return syt_put_gap(q, SYT_FIELD_GUESSED, left_out, gap);
	fields = ++q;
	q = syt_put_field(q, SYT_FIELD_OBJECT2, object2);
	q = syt_put_field(q, SYT_FIELD_FLAGS, SYT_EVENT_BLOCKED);
	q = syt_put_field(q, SYT_FIELD_LEFT_OUT, left_out);
	q = syt_put_field(q, SYT_FIELD_GAP, gap);
	fields[-1] = (uint8_t)(q - fields);
	p->has_habits = 1; /* as syt_predictor_learn_extra() */
	*syt_habit(p) = habit;
	return q;
}

/* Does put_waited() for a call without a second object that took OBJECT at OUT (IN is 0), or released it from IN to OUT. */
static SYT_ALWAYS_INLINE uint8_t *put_plain(struct syt_predictor *p, uint8_t *at, uint64_t in,
                                            uint64_t out, uint32_t call_of, uint32_t key,
                                            uint32_t object, uint64_t left_out, uint64_t gap)
{
	unsigned flags = left_out ? SYT_HAS_EXTRA : 0, bytes;
	uint8_t *q;

	if (!in && !left_out) {
		bytes = syt_event_encode_foreseen(p, at, out, call_of >> 1, key, object);
		return bytes ? at + bytes
		             : syt_event_encode_plain(p, at, out, call_of >> 1, key, object);
	}
	q = in ? syt_put_until_result(p, at, in, out, call_of, key, object, flags)
	       : syt_put_head(p, at, out, call_of, key, object, 0, flags);
	return left_out ? syt_put_gap(q, SYT_FIELD_LEFT_OUT, left_out, gap) : q;
}

void syt_skip_end_ghost(const struct syt_skip *k, const void *fp, uint32_t call, uint32_t object,
                        uint32_t object2, enum syt_skip_ghost kind)
{
	uint64_t in = k->in, out = syt_clock_acquire(), left_out, gap = 0;
	bool is_release = kind == SYT_GHOST_RELEASE, has_waited = !is_release && in;
	struct syt_self *s = syt_sample_skips;
	uint8_t *at;

	if (__builtin_expect(
		    syt_skip_is_valid(k, s) && can_ghost(s, fp, is_release ? in : out) &&
			    !((*syt_alive ^ k->alive) & ~SYT_ALIVE_MASK) &&
			    (!in || out - in - 1 < SYT_LONG_TICKS) &&
			    (is_release ? in >= s->slot.lane0.predictor.end
	                                : !s->sample.sampler.options.hops ||
	                                          !syt_mark_may_be_on(object)) &&
			    /* the wait may become the head of the loop */
			    (kind != SYT_GHOST_TAKE || !in || s->sample.head.fp == (uintptr_t)fp),
		    1)) {
		struct syt_predictor *p = &s->slot.lane0.predictor;
		uint32_t call_of = SYT_CALL_OF(call, is_release), key = key_of(s, k);

		at = begin_ghost(s, k, fp, is_release ? in : out, &left_out, &gap);
		end_ghost(s, has_waited ? put_waited(p, at, in, out, call_of, key, object, object2,
		                                     left_out, gap)
		                        : put_plain(p, at, in, out, call_of, key, object, left_out,
		                                    gap));
	} else {
		struct syt_frame f = {
			.fp = fp, .in = in, .out = out, .alive = k->alive, .blocked = has_waited};
		struct syt_event e = {.call = call, .object = object, .object2 = object2};

		syt_skip_records(fp, call);
		if (is_release)
			syt_leave_in(&f, &e);
		else
			syt_leave_out(&f, &e);
	}
}

/* Writes the ghost of a call from IN to OUT, which moved one datagram, after LEFT_OUT calls that are left out. Does what
 * syt_event_encode() does. */
static SYT_ALWAYS_INLINE uint8_t *put_datagram(struct syt_predictor *p, uint8_t *at, uint64_t in,
                                               uint64_t out, uint32_t call_of, uint32_t key,
                                               uint32_t object, uint64_t offset, uint64_t bytes,
                                               uint64_t flags, uint64_t peer, uint64_t left_out,
                                               uint64_t gap)
{
	uint32_t place = syt_guess_at(key) / sizeof(struct syt_guess);
	uint8_t *q, *fields;
	bool is_guessed;

	if (!left_out)
		return syt_event_encode_fields(p, at, in, out, call_of, key, object, (int64_t)bytes,
		                               0, 1, offset, bytes, flags, peer);
	is_guessed =
		p->habits[place] == SYT_HABIT_REPEAT &&
		syt_is_repeated(&p->repeats[place], (int64_t)bytes, offset, bytes, flags, peer);
	q = syt_put_until_result(p, at, in, out, call_of, key, object,
	                         is_guessed ? SYT_HAS_EXTRA : SYT_HAS_RESULT | SYT_HAS_EXTRA);
	if (is_guessed) {
		q = syt_put_gap(q, SYT_FIELD_GUESSED, left_out, gap);
	} else {
		q = syt_put_varint(q, syt_zigzag((int64_t)bytes));
		fields = ++q;
		q = syt_put_moved(q, offset, bytes, flags, peer);
		q = syt_put_field(q, SYT_FIELD_LEFT_OUT, left_out);
		q = syt_put_field(q, SYT_FIELD_GAP, gap);
		fields[-1] = (uint8_t)(q - fields);
	}
	syt_predictor_learn_fields(p, call_of >> 1, object, (int64_t)bytes, offset, bytes, flags,
	                           peer, 0);
	return q;
}

bool syt_skip_datagram(const struct syt_skip *k, const void *fp, uint32_t call, bool is_out,
                       uint64_t bytes, uint64_t flags, uint64_t peer)
{
	struct syt_self *s = syt_sample_skips;
	struct syt_endpoint_slot *slot = k->endpoint.slot;
	uint64_t was = k->was, offset = was & SYT_ENDPOINT_COUNT, out, stamp;
	uint64_t left_out, gap = 0;
	uint8_t *at;

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

	/* a receive that waited may become the head of the loop */
	if (out - k->in - 1 < SYT_LONG_TICKS && !(is_out && stamp < s->slot.lane0.predictor.end) &&
	    (is_out || out - k->in < SYT_LONG_TICKS / 5 || s->sample.head.fp == (uintptr_t)fp) &&
	    can_ghost(s, fp, stamp) && !s->sample.has_budget) {
		uint32_t key = key_of(s, k);

		at = begin_ghost(s, k, fp, stamp, &left_out, &gap);
		end_ghost(s, put_datagram(&s->slot.lane0.predictor, at, k->in, out,
		                          SYT_CALL_OF(call, is_out), key, k->endpoint.object,
		                          offset, bytes, flags, peer, left_out, gap));
	} else {
		struct syt_frame f = {.fp = fp, .in = k->in, .out = out, .alive = *syt_alive};
		struct syt_event e = {
			.call = call,
			.object = k->endpoint.object,
			.result = (int64_t)bytes,
			.bytes = bytes,
			.flags = flags,
			.peer = peer,
			.offset = offset,
		};

		syt_skip_records(fp, call);
		if (is_out)
			syt_leave_in(&f, &e);
		else
			syt_leave_out(&f, &e);
	}
	syt_in_flight_remove(s->slot.shared->in_flight, k->endpoint.object);
	return true;
}
