/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "runtime/move.h"

#include "format/event.h"
#include "runtime/endpoint_slot.h"
#include "runtime/in-flight.h"
#include "runtime/plain-body.h"

uint8_t syt_move_begin(struct syt_frame *f, struct syt_endpoint *e, const void *fp, uint32_t call,
                       int fd, bool is_out)
{
	uint32_t alive = *syt_alive, stack;
	struct syt_self *s = syt_self_now();
	uint8_t note;
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
	uint64_t offset, stamp, dur;
	struct syt_lane_state *l;
	struct syt_self *s;
	bool is_known;

	/* the counters of these endpoints count bytes */
	if ((e->kind != SYT_KIND_STREAM && e->kind != SYT_KIND_PIPE) || !slot)
		return false;
	offset = syt_endpoint_slot_count(slot, is_out ? &slot->tx : &slot->rx, e->generation, bytes,
	                                 &is_known);
	f->out = syt_clock_acquire();
	dur = f->out - f->in;
	stamp = is_out ? f->in : f->out;
	s = syt_self_now();
	if (__builtin_expect(*syt_alive != f->alive || !syt_self_is_plain(s, f->fp) || !f->stack ||
	                             !is_known || dur > SYT_LONG_TICKS ||
	                             !syt_self_is_quick(s, stamp),
	                     0)) {
		record_rare(f, call, e->object, is_out, bytes, offset, is_known);
		syt_in_flight_end(f, e, note);
		return true;
	}
	syt_self_claim_plain(s, f->fp);
	l = &s->slot.lane0;
	syt_lane_note_stamp(l, stamp);

	uint8_t *at = l->buffer + l->pos;

	syt_lane_commit(l,
	                (uint64_t)(syt_event_encode_moved(&l->predictor, at, stamp, call, f->stack,
	                                                  e->object, dur, bytes, offset) -
	                           at));
	syt_self_unclaim(s, 0);
	if (note < SYT_NR_IN_FLIGHT)
		syt_in_flight_remove(&s->slot.shared->in_flight[note], e->object);
	return true;
}
