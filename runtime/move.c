/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "runtime/move.h"

#include "format/event.h"
#include "runtime/endpoint_slot.h"
#include "runtime/in-flight.h"
#include "runtime/plain-body.h"

/* Begins a call before the step that IS_MOVE selects: the note of bytes. */
static SYT_ALWAYS_INLINE uint8_t begin(struct syt_frame *f, struct syt_endpoint *e, const void *fp,
                                       uint32_t call, int fd, bool is_move, bool is_out)
{
	uint32_t alive = *syt_alive, stack;
	struct syt_self *s = syt_self_now();
	uint8_t note = SYT_NR_IN_FLIGHT;
	uint64_t in;

	if (__builtin_expect((alive & SYT_ALIVE_MASK) != SYT_ALIVE || syt_control() ||
	                             !syt_self_is_plain(s, fp),
	                     0))
		return SYT_MOVE_UNUSUAL;
	if (__builtin_expect(!syt_endpoint_peek(fd, e), 0))
		return SYT_MOVE_UNUSUAL;
	syt_self_claim_plain(s, fp);
	stack = syt_self_capture_plain(s, fp);
	syt_self_unclaim(s, 0);
	if (is_move)
		note = syt_in_flight_note(s->slot.shared->in_flight, e, is_out);
	in = syt_clock_release();
	syt_self_publish_wait(s, in, call, stack, e->object, 0, 0);
	f->fp = fp;
	f->in = in;
	f->out = 0;
	f->stack = stack;
	f->alive = alive;
	f->blocked = false;
	return note;
}

uint8_t syt_move_begin(struct syt_frame *f, struct syt_endpoint *e, const void *fp, uint32_t call,
                       int fd, bool is_out)
{
	return begin(f, e, fp, call, fd, true, is_out);
}

bool syt_ready_begin(struct syt_frame *f, struct syt_endpoint *e, const void *fp, uint32_t call,
                     int ep)
{
	return begin(f, e, fp, call, ep, false, false) != SYT_MOVE_UNUSUAL;
}

/* Returns the state of the thread if it can record the event of F with STAMP by the short form, else NULL. */
static SYT_ALWAYS_INLINE struct syt_self *self_of(const struct syt_frame *f, uint64_t stamp)
{
	struct syt_self *s = syt_self_now();

	return __builtin_expect(*syt_alive == f->alive && syt_self_is_plain(s, f->fp) && f->stack &&
	                                f->out - f->in <= SYT_LONG_TICKS &&
	                                syt_self_is_quick(s, stamp),
	                        1)
	               ? s
	               : NULL;
}

/* Records an event that syt_move_end() cannot record. */
static __attribute__((noinline, cold)) void record_rare(struct syt_frame *f, uint32_t call,
                                                        uint32_t object, bool is_out,
                                                        uint64_t bytes, uint64_t offset,
                                                        bool is_known)
{
	struct syt_event e = {
		.call = call,
		.object = object,
		.result = (int64_t)bytes,
		.bytes = bytes,
		.offset = offset,
		.flags = is_known ? 0 : SYT_EVENT_NOOFFSET,
	};

	if (is_out)
		syt_leave_in(f, &e);
	else
		syt_leave_out(f, &e);
}

bool syt_move_end(struct syt_frame *f, const struct syt_endpoint *e, uint32_t call, bool is_out,
                  uint8_t note, uint64_t bytes)
{
	struct syt_endpoint_slot *slot = e->slot;
	uint64_t offset, stamp;
	struct syt_lane_state *l;
	struct syt_self *s;
	bool is_known;

	/* the counters of these endpoints count bytes */
	if ((e->kind != SYT_KIND_STREAM && e->kind != SYT_KIND_PIPE) || !slot)
		return false;
	offset = syt_endpoint_slot_count(slot, is_out ? &slot->tx : &slot->rx, e->generation, bytes,
	                                 &is_known);
	f->out = syt_clock_acquire();
	stamp = is_out ? f->in : f->out;
	s = self_of(f, stamp);
	if (__builtin_expect(!s || !is_known, 0)) {
		record_rare(f, call, e->object, is_out, bytes, offset, is_known);
		syt_in_flight_end(f, e, note);
		return true;
	}
	syt_self_claim_plain(s, f->fp);
	l = &s->slot.lane0;
	syt_lane_note_stamp(l, stamp);

	uint8_t *at = l->buffer + l->pos;

	syt_lane_commit(
		l, (uint64_t)(syt_event_encode_moved(&l->predictor, at, stamp, call, f->stack,
	                                             e->object, f->out - f->in, bytes, offset) -
	                      at));
	syt_self_unclaim(s, 0);
	if (note < SYT_NR_IN_FLIGHT)
		syt_in_flight_remove(&s->slot.shared->in_flight[note], e->object);
	return true;
}

static __attribute__((noinline, cold)) void ready_rare(struct syt_frame *f, uint32_t call,
                                                       uint32_t object, struct syt_ready ready)
{
	struct syt_event e = {
		.call = call,
		.object = object,
		.result = 1,
		.count = 1,
		.nr_ready = 1,
		.ready = &ready,
	};

	syt_leave_out(f, &e);
}

void syt_ready_end(struct syt_frame *f, uint32_t call, uint32_t object, struct syt_ready ready)
{
	struct syt_self *s = self_of(f, f->out);
	struct syt_lane_state *l;
	uint8_t *at;

	if (__builtin_expect(!s, 0)) {
		ready_rare(f, call, object, ready);
		return;
	}
	syt_self_claim_plain(s, f->fp);
	l = &s->slot.lane0;
	at = l->buffer + l->pos;
	syt_lane_note_stamp(l, f->out);
	syt_lane_commit(l,
	                (uint64_t)(syt_event_encode_ready(&l->predictor, at, f->out, call, f->stack,
	                                                  object, f->out - f->in, ready) -
	                           at));
	syt_self_unclaim(s, 0);
}
