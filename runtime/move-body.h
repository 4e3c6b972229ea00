/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * The bodies of the functions that runtime/move.h declares; the rules in that file and in runtime/plain-body.h apply.
 * The wrappers contain them inline, because the calls and the memory between them would cost a quarter of the event.
 */
#ifndef SYT_RUNTIME_MOVE_BODY_H
#define SYT_RUNTIME_MOVE_BODY_H

#include "runtime/endpoint_peek.h"
#include "runtime/endpoint_slot.h"
#include "runtime/in-flight.h"
#include "runtime/move.h"
#include "runtime/plain-body.h"

/* Records the event E of the call M, whose object it sets, in the cases that the inline code does not cover. */
void syt_move_end_rare(const struct syt_moving *m, const void *fp, uint64_t out, bool is_release,
                       struct syt_event *e);

/* Begins a call on FD, or with HAS_FD false a call on no particular descriptor. IS_MOVE selects the note of bytes. */
static SYT_ALWAYS_INLINE bool syt_begin_body(struct syt_moving *m, const void *fp, uint32_t call,
                                             bool has_fd, int fd, bool is_move, bool is_out)
{
	struct syt_self *s = syt_self_now();

	if (!has_fd)
		m->endpoint = (struct syt_endpoint){.object = 0};
	m->alive = *syt_alive;
	if (__builtin_expect((m->alive & SYT_ALIVE_MASK) != SYT_ALIVE || syt_control() ||
	                             !syt_self_is_plain(s, fp) ||
	                             (has_fd && !syt_endpoint_peek(fd, &m->endpoint)),
	                     0))
		return false;
	syt_self_claim_plain(s, fp);
	m->stack = syt_self_capture_plain(s, fp);
	syt_self_unclaim(s, 0);
	if (__builtin_expect(!m->stack, 0))
		return false;
	m->self = s;
	if (is_move && m->endpoint.slot &&
	    __builtin_expect(
		    !syt_in_flight_note_first(s->slot.shared->in_flight, &m->endpoint, is_out), 0))
		return false;
	m->in = syt_clock_release();
	syt_self_publish_wait(s, m->in, call, m->stack, m->endpoint.object, 0, 0);
	return true;
}

/* Claims lane 0 for an event of M with STAMP and the duration DUR, if the short form covers the event. Returns the state
 * of the thread, or NULL. A thread that began a call on its own stack is still on it. */
static SYT_ALWAYS_INLINE struct syt_self *syt_move_claim(const struct syt_moving *m, const void *fp,
                                                         uint64_t stamp, uint64_t dur)
{
	struct syt_self *s = syt_self_now();

	if (__builtin_expect(*syt_alive != m->alive || s != m->self ||
	                             s->depth | s->torn | s->borrower || dur - 1 >= SYT_LONG_TICKS,
	                     0))
		return NULL;
	syt_self_claim_plain(s, fp);
	if (__builtin_expect(syt_self_is_quick(s, stamp), 1))
		return s;
	syt_self_unclaim(s, 0);
	return NULL;
}

/* Commits the event of M that the caller has encoded from AT to END, and removes the note of M. */
static SYT_ALWAYS_INLINE void syt_move_commit(const struct syt_moving *m, struct syt_self *s,
                                              const uint8_t *at, const uint8_t *end)
{
	syt_lane_commit(&s->slot.lane0, (uint64_t)(end - at));
	syt_self_unclaim(s, 0);
	if (m->endpoint.slot)
		syt_in_flight_remove(s->slot.shared->in_flight, m->endpoint.object);
}

static SYT_ALWAYS_INLINE bool syt_move_end_body(const struct syt_moving *m, const void *fp,
                                                uint32_t call, bool is_out, uint64_t bytes)
{
	struct syt_endpoint_slot *slot = m->endpoint.slot;
	uint8_t kind = syt_facts_kind(m->endpoint.facts);
	uint64_t offset, out, stamp;
	struct syt_lane_state *l;
	struct syt_self *s;
	uint8_t *at, *end;
	bool is_known;

	/* the counters of these endpoints count bytes */
	if ((kind != SYT_KIND_STREAM && kind != SYT_KIND_PIPE) || !slot)
		return false;
	offset = syt_endpoint_slot_count(slot, is_out ? &slot->tx : &slot->rx,
	                                 syt_facts_generation(m->endpoint.facts), bytes, &is_known);
	out = syt_clock_acquire();
	stamp = is_out ? m->in : out;
	s = __builtin_expect(is_known, 1) ? syt_move_claim(m, fp, stamp, out - m->in) : NULL;
	if (__builtin_expect(!s, 0)) {
		struct syt_moving copy = *m;
		struct syt_event e = {.call = call,
		                      .result = (int64_t)bytes,
		                      .bytes = bytes,
		                      .offset = offset,
		                      .flags = is_known ? 0
		                                        : syt_endpoint_no_offset(&copy.endpoint)};

		syt_move_end_rare(&copy, fp, out, is_out, &e);
		return true;
	}
	l = &s->slot.lane0;
	at = l->buffer + l->pos;
	end = at + syt_event_encode_moved_foreseen(&l->predictor, at, m->in, out,
	                                           SYT_CALL_OF(call, is_out), m->stack,
	                                           m->endpoint.object, bytes, offset);
	if (__builtin_expect(end == at, 0))
		end = syt_event_encode_moved(&l->predictor, at, m->in, out,
		                             SYT_CALL_OF(call, is_out), m->stack,
		                             m->endpoint.object, bytes, offset);
	syt_move_commit(m, s, at, end);
	return true;
}

/* Ends CALL, which one of the functions of runtime/move.h began with M and FP, which returned RESULT before the time OUT,
 * and whose data are counted: records the event with the errno ERR and, with HAS_EXTRA, these optional fields, of which one
 * is not 0. Removes the note. IS_RELEASE: the event's stamp is the time before the call, else OUT. On machines other than
 * x86-64, not for a function that makes the real call. */
static SYT_ALWAYS_INLINE void syt_move_end_fields(const struct syt_moving *m, const void *fp,
                                                  uint64_t out, uint32_t call, bool is_release,
                                                  int64_t result, uint64_t err, bool has_extra,
                                                  uint64_t offset, uint64_t bytes, uint64_t flags,
                                                  uint64_t peer)
{
	uint64_t stamp = is_release ? m->in : out;
	struct syt_self *s = syt_move_claim(m, fp, stamp, out - m->in);
	struct syt_lane_state *l;
	uint8_t *at, *end;

	if (__builtin_expect(!s, 0)) {
		struct syt_moving copy = *m;
		struct syt_event e = {.call = call,
		                      .result = result,
		                      .err = err,
		                      .offset = offset,
		                      .bytes = bytes,
		                      .flags = flags,
		                      .peer = peer};

		syt_move_end_rare(&copy, fp, out, is_release, &e);
		return;
	}
	l = &s->slot.lane0;
	at = l->buffer + l->pos;
	end = syt_event_encode_fields(&l->predictor, at, m->in, out, SYT_CALL_OF(call, is_release),
	                              m->stack, m->endpoint.object, result, err, has_extra, offset,
	                              bytes, flags, peer);
	syt_move_commit(m, s, at, end);
}

static SYT_ALWAYS_INLINE void syt_move_end_units_body(const struct syt_moving *m, const void *fp,
                                                      uint32_t call, bool is_out, uint64_t nr,
                                                      int64_t result, uint64_t bytes,
                                                      uint64_t flags, uint64_t peer)
{
	struct syt_endpoint_slot *slot = m->endpoint.slot;
	bool is_known;
	uint64_t offset =
		syt_endpoint_slot_count(slot, is_out ? &slot->tx : &slot->rx,
	                                syt_facts_generation(m->endpoint.facts), nr, &is_known);

	if (__builtin_expect(!is_known, 0)) {
		offset = 0;
		flags |= syt_endpoint_slot_no_offset(slot, syt_facts_generation(m->endpoint.facts));
	}
	syt_move_end_fields(m, fp, syt_clock_acquire(), call, is_out, result, 0, true, offset,
	                    bytes, flags, peer);
}

/* Does syt_move_end_fields() for the event E, of which the caller has set call, result (not negative), offset, bytes, count,
 * flags, peer, nr_ready and ready. */
static SYT_ALWAYS_INLINE void syt_move_end_list(const struct syt_moving *m, const void *fp,
                                                uint64_t out, bool is_release, struct syt_event *e)
{
	uint64_t stamp = is_release ? m->in : out;
	struct syt_self *s = NULL;
	struct syt_lane_state *l;
	uint8_t *at;

	if (__builtin_expect(
		    (e->offset | e->bytes | e->count | e->flags | e->peer | e->nr_ready) != 0, 1))
		s = syt_move_claim(m, fp, stamp, out - m->in);
	e->object = m->endpoint.object;
	e->object2 = 0;
	if (__builtin_expect(!s, 0)) {
		e->err = e->offset2 = e->cpu = e->thread = e->pid = e->arg = e->status = 0;
		e->left_out = e->gap = e->crossed = e->decision = 0;
		e->reserved = 0;
		syt_move_end_rare(m, fp, out, is_release, e);
		return;
	}
	l = &s->slot.lane0;
	at = l->buffer + l->pos;
	syt_move_commit(m, s, at,
	                syt_event_encode_list(&l->predictor, at, m->in, out,
	                                      SYT_CALL_OF(e->call, is_release), m->stack, e));
}

static SYT_ALWAYS_INLINE void syt_ready_end_body(const struct syt_moving *m, const void *fp,
                                                 uint64_t out, uint32_t call,
                                                 struct syt_ready ready)
{
	struct syt_self *s = syt_move_claim(m, fp, out, out - m->in);
	struct syt_lane_state *l;
	uint8_t *at, *end;

	if (__builtin_expect(!s, 0)) {
		struct syt_moving copy = *m;
		struct syt_event e = {
			.call = call, .result = 1, .count = 1, .nr_ready = 1, .ready = &ready};

		syt_move_end_rare(&copy, fp, out, false, &e);
		return;
	}
	l = &s->slot.lane0;
	at = l->buffer + l->pos;
	end = at + syt_event_encode_ready_foreseen(&l->predictor, at, m->in, out,
	                                           SYT_CALL_OF(call, 0), m->stack,
	                                           m->endpoint.object, ready);
	if (__builtin_expect(end == at, 0))
		end = syt_event_encode_ready(&l->predictor, at, m->in, out, SYT_CALL_OF(call, 0),
		                             m->stack, m->endpoint.object, ready);
	syt_lane_commit(l, (uint64_t)(end - at));
	syt_self_unclaim(s, 0);
}

static SYT_ALWAYS_INLINE bool syt_move_begin_body(struct syt_moving *m, const void *fp,
                                                  uint32_t call, int fd, bool is_out)
{
	return syt_begin_body(m, fp, call, true, fd, true, is_out);
}

static SYT_ALWAYS_INLINE bool syt_ready_begin_body(struct syt_moving *m, const void *fp,
                                                   uint32_t call, int ep)
{
	return syt_begin_body(m, fp, call, true, ep, false, false);
}

static SYT_ALWAYS_INLINE bool syt_poll_begin_body(struct syt_moving *m, const void *fp,
                                                  uint32_t call)
{
	return syt_begin_body(m, fp, call, false, -1, false, false);
}

/* Forms of the functions for wrappers, as in runtime/plain-body.h. */
#if defined(__x86_64__)
#define SYT_MOVE_BEGIN syt_move_begin_body
#define SYT_MOVE_END syt_move_end_body
#define SYT_MOVE_END_UNITS syt_move_end_units_body
#define SYT_READY_BEGIN syt_ready_begin_body
#define SYT_POLL_BEGIN syt_poll_begin_body
#define SYT_READY_END syt_ready_end_body
#else
#define SYT_MOVE_BEGIN syt_move_begin
#define SYT_MOVE_END syt_move_end
#define SYT_MOVE_END_UNITS syt_move_end_units
#define SYT_READY_BEGIN syt_ready_begin
#define SYT_POLL_BEGIN syt_poll_begin
#define SYT_READY_END syt_ready_end
#endif

#endif
