/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * The bodies of the functions that runtime/plain.h declares; the rules in that file apply. The wrappers of
 * locks, semaphores and condition variables contain them inline, because the calls would cost half as much as the bodies.
 *
 * The thread's state is looked up again after the real call, with one instruction that reads thread-local
 * memory: the call may have returned on another thread, so its address must not be kept.
 */
#ifndef SYT_RUNTIME_PLAIN_BODY_H
#define SYT_RUNTIME_PLAIN_BODY_H

#include <stdbool.h>
#include <stdint.h>

#include "format/event.h"
#include "runtime/plain.h"
#include "runtime/self.h"

#define SYT_ALWAYS_INLINE inline __attribute__((always_inline))

/* These functions handle the unusual cases; only this file calls them. */
struct syt_entered syt_plain_enter_capture_slow(const void *fp);
void syt_plain_leave_in_slow(const void *fp, uint32_t alive, uint64_t in, uint32_t call,
                             uint32_t object);
void syt_plain_leave_out_slow(const void *fp, struct syt_entered entered, uint64_t out,
                              uint32_t call, uint32_t object);
void syt_plain_leave_waited_slow(const void *fp, struct syt_entered entered, uint64_t in,
                                 uint64_t out, uint32_t call, uint32_t object, uint32_t object2);
void syt_plain_wait_slow(struct syt_entered entered, uint64_t in, uint32_t call, uint32_t object,
                         uint32_t object2);
/* Reads the CPU time before an acquire, if the thread needs it. */
void syt_plain_sample_early(struct syt_self *s);
/* Record the event into the lane (event buffer) that the thread has claimed, and release the lane. */
void syt_plain_record_unforeseen(struct syt_self *s, uint64_t stamp, uint32_t call, uint32_t stack,
                                 uint32_t object, bool is_release);

static SYT_ALWAYS_INLINE struct syt_self *syt_self_now(void)
{
#if defined(__x86_64__)
	struct syt_self *s;

	__asm__ volatile("movq syt_self_tls@gottpoff(%%rip), %0\n\t"
	                 "movq %%fs:(%0), %0"
	                 : "=r"(s)
	                 :
	                 : "memory");
	return s;
#else
	return syt_self_tls;
#endif
}

/* Returns true in the usual case: the thread is not in a signal handler that interrupted the recorder, no
 * recording was left by a jump, no vfork child runs on the thread, and FP is on the thread's own stack. */
static SYT_ALWAYS_INLINE bool syt_self_is_plain(const struct syt_self *s, const void *fp)
{
	return s && !(s->depth | s->torn | s->borrower) &&
	       s->top - (uintptr_t)fp - 1 < SYT_STACK_SPAN - 1;
}

/* Claims lane 0 (the thread's event buffer) for one event, in the usual case. */
static SYT_ALWAYS_INLINE void syt_self_claim_plain(struct syt_self *s, const void *fp)
{
	s->guards[0] = (uintptr_t)fp;
	SYT_ORDERED();
	s->depth = 1;
	SYT_ORDERED();
}

static SYT_ALWAYS_INLINE void syt_self_unclaim(struct syt_self *s, uint32_t lane)
{
	SYT_ORDERED();
	s->depth = lane;
}

static SYT_ALWAYS_INLINE uint32_t syt_self_capture_plain(struct syt_self *s, const void *fp)
{
	return syt_stack_capture_caller(s->stack_state, fp, s->top);
}

/* Records the event into the lane (event buffer) that the thread has claimed, and releases the lane. */
static SYT_ALWAYS_INLINE void syt_self_record_plain(struct syt_self *s, uint64_t stamp,
                                                    uint32_t call, uint32_t stack, uint32_t object,
                                                    bool is_release)
{
	struct syt_lane_state *l = &s->slot.lane0;
	unsigned bytes = 0;

	if (__builtin_expect(syt_lane_has_room(l), 1))
		bytes = syt_event_encode_foreseen(&l->predictor, l->buffer + l->pos, stamp, call,
		                                  stack, object);
	if (__builtin_expect(!bytes, 0)) {
		syt_plain_record_unforeseen(s, stamp, call, stack, object, is_release);
		return;
	}
	syt_lane_commit(l, bytes);
	syt_self_unclaim(s, 0);
}

/* Writes the call stack of the first event on the object that this thread has just defined. */
void syt_self_note_origin(struct syt_self *s, uint32_t stack);

static SYT_ALWAYS_INLINE void syt_self_check_origin(struct syt_self *s, uint32_t object,
                                                    uint32_t stack)
{
	if (__builtin_expect(s->fresh == object, 0) && object && stack)
		syt_self_note_origin(s, stack);
}

/* Shows in the dump that the thread waits. While `since` is 0, readers ignore the other members, because
 * the program may be killed between two stores. syt_slot_assign() has set the number of the thread. */
static SYT_ALWAYS_INLINE void syt_self_publish_wait(struct syt_self *s, uint64_t since,
                                                    uint32_t call, uint32_t stack, uint32_t object,
                                                    uint32_t object2, uint32_t joined)
{
	struct syt_waiting *w = &s->slot.shared->waiting;

	w->since = 0;
	SYT_ORDERED();
	w->call = call;
	w->stack = stack;
	w->object = object;
	w->object2 = object2;
	w->joined = joined;
	SYT_ORDERED();
	w->since = since;
	syt_self_check_origin(s, object, stack);
}

/* A thread that records events all the time has one event with its CPU time in this time (5 ms at 3 GHz). */
#define SYT_CPU_AGE_TICKS (UINT64_C(50) * SYT_LONG_TICKS)

static SYT_ALWAYS_INLINE bool syt_self_is_after_gap(const struct syt_self *s, uint64_t stamp)
{
	return (int64_t)(stamp - s->slot.lane0.predictor.end) > SYT_LONG_TICKS;
}

/* Returns true if an event in lane 0 needs the thread's CPU time, which costs a system call (0.2 to 0.3 us): after
 * a long time without events, and once in SYT_CPU_AGE_TICKS. So a reader knows the CPU time of long pieces of work. */
static SYT_ALWAYS_INLINE bool syt_self_needs_cpu(const struct syt_self *s, uint64_t stamp)
{
	return __builtin_expect(syt_self_is_after_gap(s, stamp) ||
	                                (int64_t)(stamp - s->cpu_at) > (int64_t)SYT_CPU_AGE_TICKS,
	                        0);
}

/* Returns true if an event with STAMP fits into lane 0, has no CPU time, and was not overtaken by an event of a signal
 * handler. If the event is the first one on an object, syt_self_publish_wait() has written its call stack. */
static SYT_ALWAYS_INLINE bool syt_self_is_quick(const struct syt_self *s, uint64_t stamp)
{
	return stamp - s->slot.lane0.predictor.end <= SYT_LONG_TICKS &&
	       (int64_t)(stamp - s->cpu_at) <= (int64_t)SYT_CPU_AGE_TICKS &&
	       syt_lane_has_room(&s->slot.lane0);
}

static SYT_ALWAYS_INLINE struct syt_entered syt_plain_enter_capture_body(const void *fp)
{
	uint32_t alive = *syt_alive, stack;
	struct syt_self *s = syt_self_now();

	if (__builtin_expect((alive & SYT_ALIVE_MASK) != SYT_ALIVE || !syt_self_is_plain(s, fp), 0))
		return syt_plain_enter_capture_slow(fp);
	if (__builtin_expect(s->nr_early, 0))
		syt_plain_sample_early(s);
	syt_self_claim_plain(s, fp);
	stack = syt_self_capture_plain(s, fp);
	syt_self_unclaim(s, 0);
	return (struct syt_entered){alive, stack};
}

static SYT_ALWAYS_INLINE void syt_plain_leave_in_body(const void *fp, uint32_t alive, uint64_t in,
                                                      uint32_t call, uint32_t object)
{
	struct syt_self *s = syt_self_now();

	if (__builtin_expect(*syt_alive != alive || !syt_self_is_plain(s, fp), 0)) {
		syt_plain_leave_in_slow(fp, alive, in, call, object);
		return;
	}
	syt_self_claim_plain(s, fp);
	syt_self_record_plain(s, in, call, syt_self_capture_plain(s, fp), object, true);
}

/* The stack id is 0 if the stack was unavailable at the entry, in a signal handler that interrupted the
 * recorder. */
static SYT_ALWAYS_INLINE void syt_plain_leave_out_body(const void *fp, struct syt_entered entered,
                                                       uint32_t call, uint32_t object)
{
	if (__builtin_expect(!syt_clock_is_quick(), 0)) {
		syt_plain_leave_out_slow(fp, entered, 0, call, object);
		return;
	}

	uint64_t out = syt_clock_acquire();
	struct syt_self *s;

	if (__builtin_expect(*syt_alive == entered.alive, 1)) {
		s = syt_self_now();
		if (__builtin_expect(syt_self_is_plain(s, fp) && entered.stack, 1)) {
			syt_self_claim_plain(s, fp);
			syt_self_record_plain(s, out, call, entered.stack, object, false);
			return;
		}
	}
	syt_plain_leave_out_slow(fp, entered, out, call, object);
}

static SYT_ALWAYS_INLINE uint64_t syt_plain_wait_body(struct syt_entered entered, uint32_t call,
                                                      uint32_t object, uint32_t object2)
{
	uint64_t in = syt_clock_release();
	struct syt_self *s = syt_self_now();

	/* a thread that entered in the usual case is not in a handler that interrupted the recorder */
	if (__builtin_expect(*syt_alive == entered.alive && s, 1))
		syt_self_publish_wait(s, in, call, entered.stack, object, object2, 0);
	else
		syt_plain_wait_slow(entered, in, call, object, object2);
	return in;
}

static SYT_ALWAYS_INLINE void syt_plain_leave_waited_body(const void *fp,
                                                          struct syt_entered entered, uint64_t in,
                                                          uint32_t call, uint32_t object,
                                                          uint32_t object2)
{
	uint64_t out = syt_clock_acquire(), dur = out - in;
	struct syt_self *s = NULL;

	if (__builtin_expect(*syt_alive == entered.alive, 1))
		s = syt_self_now();
	if (__builtin_expect(syt_self_is_plain(s, fp) && entered.stack && dur - 1 < SYT_LONG_TICKS,
	                     1)) {
		syt_self_claim_plain(s, fp);
		if (__builtin_expect(syt_self_is_quick(s, out), 1)) {
			struct syt_lane_state *l = &s->slot.lane0;
			uint8_t *at = l->buffer + l->pos;
			uint64_t bytes = syt_event_encode_waited_foreseen(
				&l->predictor, at, in, out, SYT_CALL_OF(call, 0), entered.stack,
				object, object2);

			if (__builtin_expect(!bytes, 0))
				bytes = (uint64_t)(syt_event_encode_waited(
							   &l->predictor, at, in, out,
							   SYT_CALL_OF(call, 0), entered.stack,
							   object, object2) -
				                   at);
			syt_lane_commit(l, bytes);
			syt_self_unclaim(s, 0);
			return;
		}
		syt_self_unclaim(s, 0);
	}
	syt_plain_leave_waited_slow(fp, entered, in, out, call, object, object2);
}

/* Inline forms of the functions for wrappers. On machines other than x86-64 the compiler may keep the
 * address of thread-local memory across the real call, so wrappers there call the functions out of line. */
#if defined(__x86_64__)
#define SYT_PLAIN_ENTER_CAPTURE syt_plain_enter_capture_body
#define SYT_PLAIN_LEAVE_IN syt_plain_leave_in_body
#define SYT_PLAIN_LEAVE_OUT syt_plain_leave_out_body
#define SYT_PLAIN_WAIT syt_plain_wait_body
#define SYT_PLAIN_LEAVE_WAITED syt_plain_leave_waited_body
#else
#define SYT_PLAIN_ENTER_CAPTURE syt_plain_enter_capture
#define SYT_PLAIN_LEAVE_IN syt_plain_leave_in
#define SYT_PLAIN_LEAVE_OUT syt_plain_leave_out
#define SYT_PLAIN_WAIT syt_plain_wait
#define SYT_PLAIN_LEAVE_WAITED syt_plain_leave_waited
#endif

#endif
