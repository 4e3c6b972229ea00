/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * The hot path: writes the event of a wrapped call into the thread's buffer.
 *
 * The thread's counter `depth` is the number of events that it is recording now (more than one in nested
 * signal handlers), and chooses the buffer (lane). `depth` is a plain counter, which a signal handler
 * restores before it returns. A handler that jumps out of an interrupted recording leaves `depth` too high.
 * The next recording that starts in a shallower frame of the same stack detects this error.
 */
#include "runtime/frame.h"

#include <stddef.h>

#include "format/calls.h"
#include "runtime/clock.h"
#include "runtime/endpoint.h"
#include "runtime/meta.h"
#include "runtime/object.h"
#include "runtime/plain-body.h"
#include "runtime/sample.h"
#include "runtime/self.h"
#include "runtime/session.h"
#include "runtime/skip.h"
#include "runtime/thread.h"

/* Holds its own address once the dynamic loader has relocated this library. An ifunc resolver of a library
 * that is relocated earlier may call this library before its relocation. */
static const void *const volatile relocated = (const void *)&relocated;

/* Finds the calling thread's state in the unusual cases. Returns NULL if the call is not recorded. */
static __attribute__((noinline, cold)) struct syt_self *find_slow(void)
{
	extern char **environ;

	if (syt_control() == SYT_CONTROL_NEVER)
		return NULL;
	if (__builtin_expect(relocated != (const void *)&relocated, 0))
		return NULL;
	syt_session_start(environ);
	syt_session_check_fork();
	if (!*syt_alive)
		return NULL;
	if ((*syt_alive & SYT_ALIVE_MASK) == SYT_ALIVE_CLONED)
		return syt_cloned_self(false);
	return syt_self_tls ? syt_self_tls : syt_thread_attach(SYT_THREAD_NONE, SYT_THREAD_NONE);
}

/* Finds the calling thread's state again after the real call: a coroutine may have moved to a new thread,
 * or the process may have forked. */
static SYT_ALWAYS_INLINE struct syt_self *find(void)
{
	struct syt_self *s;

	if (__builtin_expect((*syt_alive & SYT_ALIVE_MASK) != SYT_ALIVE, 0))
		return find_slow();
	s = syt_self_tls;
	return __builtin_expect(s != NULL, 1) ? s : find_slow();
}

static SYT_ALWAYS_INLINE bool enter(struct syt_frame *f, const void *fp)
{
	if (!find())
		return false;
	*f = (struct syt_frame){.fp = fp, .alive = *syt_alive};
	return true;
}

/* Asks the sampler about CALL (or SYT_CALL_NONE) of the wrapper's frame FP. */
static __attribute__((noinline, cold)) void ask(const void *fp, uint32_t call)
{
	struct syt_self *s;

	if (syt_control() != SYT_CONTROL_SAMPLED || syt_sample_skips_recorded(fp, call))
		return;
	s = find();
	if (s)
		syt_sample_selects(s, fp, call);
}

bool syt_enter(struct syt_frame *f, const void *fp)
{
	if (__builtin_expect((int32_t)syt_control() < 0, 0))
		ask(fp, SYT_CALL_NONE);
	return enter(f, fp);
}

static SYT_ALWAYS_INLINE bool is_on_stack(const struct syt_self *s, uintptr_t sp)
{
	return sp < s->top && s->top - sp < SYT_STACK_SPAN;
}

void syt_self_returned(struct syt_self *s, uint64_t ticks)
{
	struct syt_meta_returned m = {
		.thread = s->thread, .pause = s->skipped_in & ~SYT_CONTROL_DEEP, .ticks = ticks};

	/* a call that counts before this step may have a wrong offset, and began before the time in the definition */
	if (s->skipped_in & SYT_CONTROL_DEEP && ticks != UINT64_MAX) {
		syt_endpoint_stale();
		m.ticks = syt_clock_release();
	}
	s->torn &= ~SYT_SKIPPED;
	s->slot.shared->skipped = 0;
	syt_meta_append(SYT_META_RETURNED, &m, sizeof(m), NULL, 0, NULL, 0);
}

/* Notes that the thread makes a call that is not recorded because of PAUSE, which may have SYT_CONTROL_DEEP. */
static void skip(const void *fp, uint32_t pause)
{
	struct syt_self *s = find();

	if (!s)
		return;
	if (s->torn & SYT_SKIPPED && (s->skipped_in ^ pause) & ~SYT_CONTROL_DEEP) {
		pause |= s->skipped_in & SYT_CONTROL_DEEP;
		syt_self_returned(s, UINT64_MAX);
	} else if (s->torn & SYT_SKIPPED) {
		pause |= s->skipped_in;
	}
	s->skipped_in = pause;
	s->slot.shared->skipped = pause & ~SYT_CONTROL_DEEP;
	SYT_ORDERED();
	/* if a signal handler makes a skipped call during another skipped call, keep the frame address of
	 * the outer call */
	if (!(s->torn & SYT_SKIPPED) || !is_on_stack(s, s->skipped_at) ||
	    (is_on_stack(s, (uintptr_t)fp) && (uintptr_t)fp > s->skipped_at))
		s->skipped_at = (uintptr_t)fp;
	SYT_ORDERED();
	s->torn |= SYT_SKIPPED;
}

__attribute__((cold)) bool syt_control_allows(const void *fp, uint32_t control, uint32_t call)
{
	if (control == SYT_CONTROL_SAMPLED) {
		if (!syt_sample_skips_recorded(fp, call))
			ask(fp, call);
		return true;
	}
	if (control != SYT_CONTROL_NEVER)
		skip(fp, control);
	return false;
}

__attribute__((cold)) bool syt_frame_is_unselected(const struct syt_frame *f)
{
	const struct syt_self *s = find();

	return s && syt_sample_is_unselected(s, f->fp);
}

__attribute__((cold)) bool syt_sample_call(const void *fp, uint32_t call)
{
	struct syt_self *s = syt_control() == SYT_CONTROL_SAMPLED ? find() : NULL;

	return !s || syt_sample_records(s, fp, call);
}

/* Records that the call which a pause left out (skipped) has returned, unless the frame at SP belongs to a
 * signal handler that interrupts that call. The frame of a handler is below the call's frame, or on a stack
 * of its own. */
static __attribute__((noinline, cold)) void end_skipped(struct syt_self *s, uintptr_t sp,
                                                        uint64_t stamp)
{
	if (is_on_stack(s, sp) && (!is_on_stack(s, s->skipped_at) || sp >= s->skipped_at))
		syt_self_returned(s, stamp);
}

bool syt_enter_use(struct syt_frame *f, const void *fp, uint32_t call)
{
	uint32_t control = syt_control();

	if (__builtin_expect(!control, 1) || syt_control_allows(fp, control, call))
		return enter(f, fp);
	*f = (struct syt_frame){.fp = fp, .alive = *syt_alive};
	return false;
}

bool syt_enter_idle(struct syt_frame *f, const void *fp, uint32_t call)
{
	uint32_t control = syt_control();

	if (__builtin_expect(control != 0, 0) &&
	    (control != SYT_CONTROL_SAMPLED || !syt_sample_call(fp, call)))
		return false;
	return enter(f, fp);
}

/* Cleans up after a recording that was left by a jump while it wrote into LANE. */
static __attribute__((noinline)) void recover(struct syt_self *s, uint32_t lane)
{
	if (lane == 0)
		syt_stack_state_abandon(s->stack_state);
	syt_lane_recover(&s->slot, lane);
	SYT_ORDERED();
	s->torn &= ~(1u << lane);
}

/* Claims a lane (event buffer) for the event of a wrapper whose frame is at SP, and raises depth. Returns
 * the lane's number, or -1. */
static SYT_ALWAYS_INLINE int claim_lane(struct syt_self *s, uintptr_t sp)
{
	uint32_t depth = s->depth;

	if (__builtin_expect(depth, 0)) {
		/* if this frame is above the frame in which the interrupted recording began, that recording
		 * was left by a jump */
		while (depth && is_on_stack(s, sp) && is_on_stack(s, s->guards[depth - 1]) &&
		       sp >= s->guards[depth - 1])
			s->torn |= 1u << --depth;
		if (depth >= SYT_NR_LANES) {
			syt_lost(SYT_LOSS_NESTED, 1);
			return -1;
		}
	}
	s->guards[depth] = sp;
	SYT_ORDERED();
	s->depth = depth + 1;
	SYT_ORDERED();
	if (__builtin_expect(s->torn >> depth & 1, 0))
		recover(s, depth);
	return (int)depth;
}

static SYT_ALWAYS_INLINE uint32_t capture(struct syt_self *s, const struct syt_frame *f, int lane)
{
	if (!f->fp)
		return 0;
	struct syt_stack_regs regs = syt_caller_regs(f->fp);

	return syt_stack_capture(lane == 0 ? s->stack_state : NULL, &regs,
	                         is_on_stack(s, regs.sp) ? s->top : 0);
}

void syt_capture(struct syt_frame *f)
{
	struct syt_self *s = find();
	int lane;

	if (!s || (__builtin_expect(s->torn & SYT_SAMPLED, 0) && syt_sample_is_real() &&
	           syt_sample_is_unselected(s, f->fp)))
		return;
	lane = claim_lane(s, (uintptr_t)f->fp);
	if (lane < 0)
		return;
	f->stack = capture(s, f, lane);
	syt_self_unclaim(s, (uint32_t)lane);
}

uint32_t syt_sample_capture(const void *fp)
{
	struct syt_frame f = {.fp = fp};

	syt_capture(&f);
	return f.stack;
}

void syt_stamp_in(struct syt_frame *f)
{
	f->in = syt_clock_release();
}

void syt_stamp_out(struct syt_frame *f)
{
	f->out = syt_clock_acquire();
}

__attribute__((noinline, cold)) void syt_self_note_origin(struct syt_self *s, uint32_t stack)
{
	struct syt_meta_origin m = {.object = s->fresh, .stack = stack};

	s->fresh = 0;
	syt_meta_append(SYT_META_ORIGIN, &m, sizeof(m), NULL, 0, NULL, 0);
}

void syt_object_defined(uint32_t object)
{
	struct syt_self *s = syt_self_tls;

	if ((*syt_alive & SYT_ALIVE_MASK) == SYT_ALIVE && s)
		s->fresh = object;
}

void syt_stamp_wait(struct syt_frame *f, const struct syt_event *e)
{
	struct syt_self *s = syt_self_tls;

	f->in = syt_clock_release();
	if (*syt_alive == f->alive && (f->alive & SYT_ALIVE_MASK) == SYT_ALIVE && s && !s->depth &&
	    !s->borrower)
		syt_self_publish_wait(s, f->in, e->call, f->stack, e->object, e->object2,
		                      (uint32_t)e->thread);
}

void syt_block(struct syt_frame *f, const struct syt_event *e)
{
	syt_stamp_wait(f, e);
	f->blocked = true;
}

void syt_leave_unrecorded(const struct syt_frame *f)
{
	struct syt_self *s = syt_self_tls;

	if (*syt_alive == f->alive && (f->alive & SYT_ALIVE_MASK) == SYT_ALIVE && s && !s->depth &&
	    s->slot.shared->waiting.since == f->in)
		s->slot.shared->waiting.since = 0;
}

/* Returns true if a signal handler that interrupted the call has recorded an event with a stamp later than
 * STAMP. The release then took effect before now, but not necessarily before the handler's event began. */
static SYT_ALWAYS_INLINE bool is_interrupted(const struct syt_lane_state *l, uint64_t stamp)
{
	return __builtin_expect(stamp < l->predictor.end, 0);
}

/* After an acquire that needed the CPU time, this number of acquires look whether they need it before the call. */
#define NR_EARLY 64u

/* Returns the thread's CPU time, or 0: a vfork child has another CPU clock, and the first event of a thread
 * saves the system call. */
static __attribute__((noinline, cold)) uint64_t cpu_now(struct syt_self *s, uint64_t stamp)
{
	bool is_first = !s->cpu_at;

	if (s->borrower)
		return 0;
	s->cpu_at = stamp;
	return is_first ? 0 : syt_clock_thread_cpu();
}

void syt_plain_sample_early(struct syt_self *s)
{
	uint64_t stamp = syt_clock_release();

	s->nr_early--;
	if (!syt_self_is_after_gap(s, stamp))
		return;
	s->early_cpu = cpu_now(s, stamp);
	s->early_at = stamp;
	s->nr_early = NR_EARLY;
}

/* Returns the CPU time for an event. An acquire must not ask the kernel: the system call would make the critical section
 * longer, and a scheduler that finds the time slice used up (Linux 6.6 and later) takes the CPU away from the holder of the
 * lock. So an acquire uses the CPU time read before the call. Only if no gap was expected, an acquire asks now. */
static __attribute__((noinline, cold)) uint64_t cpu_of_event(struct syt_self *s, uint64_t stamp,
                                                             bool is_release)
{
	uint64_t early = s->early_at;

	if (is_release)
		return cpu_now(s, stamp);
	s->early_at = 0;
	return early && stamp - early < SYT_LONG_TICKS ? s->early_cpu : cpu_now(s, stamp);
}

/* Completes the event E of a thread that has made calls in a pause, or whose calls are sampled. Returns its form. */
static __attribute__((noinline, cold)) enum syt_form
end_unusual(struct syt_self *s, const struct syt_frame *f, struct syt_event *e, bool is_release)
{
	if (s->torn & SYT_SKIPPED)
		end_skipped(s, (uintptr_t)f->fp, e->stamp);
	return s->torn & SYT_SAMPLED ? syt_sample_event(s, f, e, is_release) : SYT_FORM_WHOLE;
}

static void record_timed(struct syt_self *s, const struct syt_frame *f, struct syt_event *e,
                         bool is_release);

static SYT_ALWAYS_INLINE void record(const struct syt_frame *f, struct syt_event *e,
                                     bool is_release)
{
	struct syt_self *s = find();
	enum syt_form form = SYT_FORM_WHOLE;
	int lane;

	if (!s)
		return;
	/* the event's stack and object ids belong to the parent's dump */
	if (__builtin_expect((f->alive ^ *syt_alive) & ~SYT_ALIVE_MASK, 0))
		return;
	lane = claim_lane(s, (uintptr_t)f->fp);
	if (lane < 0)
		return;
	if (__builtin_expect(s->torn & (SYT_SKIPPED | SYT_SAMPLED), 0)) {
		if (syt_sample_is_timed(s)) {
			syt_self_unclaim(s, (uint32_t)lane);
			record_timed(s, f, e, is_release);
			return;
		}
		form = end_unusual(s, f, e, is_release);
		if (form == SYT_FORM_NONE) {
			syt_self_unclaim(s, (uint32_t)lane);
			return;
		}
	}
	if (__builtin_expect(form == SYT_FORM_WHOLE, 1)) {
		e->stack = f->stack ? f->stack : capture(s, f, lane);
		syt_self_check_origin(s, e->object, e->stack);
	}
	if (__builtin_expect(s->borrower, 0)) {
		e->flags |= SYT_EVENT_VFORK;
		e->pid = e->pid ? e->pid : s->borrower;
	}

	struct syt_lane_state *l = syt_slot_lane(&s->slot, (unsigned)lane);

	if (e->dur > SYT_LONG_TICKS)
		e->cpu = cpu_now(s, e->stamp);
	else if (!lane && syt_self_needs_cpu(s, e->stamp))
		e->cpu = cpu_of_event(s, e->stamp, is_release);
	if (is_release && !e->dur && is_interrupted(l, e->stamp))
		e->dur = syt_clock_acquire() - e->stamp;

	uint8_t *p = syt_lane_reserve(&s->slot, (unsigned)lane);

	if (__builtin_expect(p != NULL, 1))
		syt_lane_put(l, p, e, is_release);
	syt_self_unclaim(s, (uint32_t)lane);
}

/* Does record(), and measures its time. */
static __attribute__((noinline, cold)) void
record_timed(struct syt_self *s, const struct syt_frame *f, struct syt_event *e, bool is_release)
{
	uint64_t from = syt_clock_slow();

	record(f, e, is_release);
	syt_sample_used(s, syt_clock_slow() - from);
}

void syt_leave_in(struct syt_frame *f, struct syt_event *e)
{
	e->stamp = f->in;
	e->dur = f->out ? f->out - f->in : 0;
	record(f, e, true);
}

void syt_leave_out(struct syt_frame *f, struct syt_event *e)
{
	if (!f->out)
		f->out = syt_clock_acquire();
	e->stamp = f->out;
	e->dur = f->in ? f->out - f->in : 0;
	if (f->blocked)
		e->flags |= SYT_EVENT_BLOCKED;
	record(f, e, false);
}

/* Records an event with its CPU time, or an event that a signal handler interrupted. */
static __attribute__((noinline, cold)) void
record_rare(struct syt_self *s, const struct syt_event *plain, bool is_release)
{
	struct syt_lane_state *l = &s->slot.lane0;
	struct syt_event e = *plain;

	if (syt_self_needs_cpu(s, e.stamp)) {
		s->nr_early = is_release ? s->nr_early : NR_EARLY;
		e.cpu = cpu_of_event(s, e.stamp, is_release);
	}
	if (is_release && is_interrupted(l, e.stamp))
		e.dur = syt_clock_acquire() - e.stamp;

	uint8_t *p = syt_lane_reserve(&s->slot, 0);

	if (p)
		syt_lane_put(l, p, &e, is_release);
}

void syt_plain_record_unforeseen(struct syt_self *s, uint64_t stamp, uint32_t call, uint32_t stack,
                                 uint32_t object, bool is_release)
{
	struct syt_lane_state *l = &s->slot.lane0;
	uint8_t *p;

	syt_self_check_origin(s, object, stack); /* an event on a new object is never foreseen */
	if (syt_self_needs_cpu(s, stamp) || (is_release && is_interrupted(l, stamp))) {
		record_rare(s,
		            &(struct syt_event){
				    .stamp = stamp, .call = call, .stack = stack, .object = object},
		            is_release);
	} else if ((p = syt_lane_reserve(&s->slot, 0))) {
		syt_lane_note_stamp(l, stamp);

		uint8_t *end = syt_event_encode_plain(&l->predictor, p, stamp, call, stack, object);

		syt_lane_commit(l, (uint64_t)(end - p));
	}
	syt_self_unclaim(s, 0);
}

/* Does syt_plain_enter() in an unusual case. The result differs from every value of syt_alive[0], so the
 * event is recorded by the slow path, too. */
uint32_t syt_plain_enter_slow(void)
{
	return find_slow() ? *syt_alive | SYT_ALIVE_MASK : 0;
}

__attribute__((cold)) struct syt_entered syt_plain_enter_capture_slow(const void *fp)
{
	struct syt_self *s = syt_sample_skips;
	struct syt_frame f;

	if ((*syt_alive & SYT_ALIVE_MASK) == SYT_ALIVE && s &&
	    s->sample.choices[0].fp == (uintptr_t)fp) /* a ghost has no call stack */
		return (struct syt_entered){*syt_alive | SYT_ALIVE_MASK, 0};
	if (!enter(&f, fp)) /* the wrapper has asked the sampler */
		return (struct syt_entered){0, 0};
	syt_capture(&f);
	return (struct syt_entered){f.alive | SYT_ALIVE_MASK, f.stack};
}

__attribute__((cold)) void syt_plain_wait_slow(struct syt_entered entered, uint64_t in,
                                               uint32_t call, uint32_t object, uint32_t object2)
{
	struct syt_self *s = syt_self_tls;
	uint32_t alive = *syt_alive;

	/* a word from syt_plain_enter_slow() differs from *syt_alive under the mask */
	if (!((alive ^ entered.alive) & ~SYT_ALIVE_MASK) && (alive & SYT_ALIVE_MASK) == SYT_ALIVE &&
	    s && !(s->depth | s->borrower))
		syt_self_publish_wait(s, in, call, entered.stack, object, object2, 0);
}

uint64_t syt_plain_wait(struct syt_entered entered, uint32_t call, uint32_t object,
                        uint32_t object2)
{
	return syt_plain_wait_body(entered, call, object, object2);
}

__attribute__((cold)) void syt_plain_leave_waited_slow(const void *fp, struct syt_entered entered,
                                                       uint64_t in, uint64_t out, uint32_t call,
                                                       uint32_t object, uint32_t object2)
{
	struct syt_frame f = syt_plain_frame(fp, entered, in);
	struct syt_event e = {.call = call, .object = object, .object2 = object2};

	f.out = out;
	f.blocked = true;
	syt_leave_out(&f, &e);
}

void syt_plain_leave_waited(const void *fp, struct syt_entered entered, uint64_t in, uint32_t call,
                            uint32_t object, uint32_t object2)
{
	syt_plain_leave_waited_body(fp, entered, in, call, object, object2);
}

__attribute__((cold)) void syt_plain_leave_in_slow(const void *fp, uint32_t alive, uint64_t in,
                                                   uint32_t call, uint32_t object)
{
	struct syt_frame f = {.fp = fp, .in = in, .alive = alive};
	struct syt_event e = {.call = call, .object = object};

	syt_leave_in(&f, &e);
}

__attribute__((cold)) void syt_plain_leave_out_slow(const void *fp, struct syt_entered entered,
                                                    uint64_t out, uint32_t call, uint32_t object)
{
	struct syt_frame f = syt_plain_frame(fp, entered, 0);
	struct syt_event e = {.call = call, .object = object};

	f.out = out;
	syt_leave_out(&f, &e);
}

struct syt_entered syt_plain_enter_capture(const void *fp)
{
	return syt_plain_enter_capture_body(fp);
}

void syt_plain_leave_in(const void *fp, uint32_t alive, uint64_t in, uint32_t call, uint32_t object)
{
	syt_plain_leave_in_body(fp, alive, in, call, object);
}

void syt_plain_leave_out(const void *fp, struct syt_entered entered, uint32_t call, uint32_t object)
{
	syt_plain_leave_out_body(fp, entered, call, object);
}

bool syt_is_rare(uint64_t *count)
{
	struct syt_self *s = find();
	const struct syt_lane_state *l;
	uint64_t nr_events;

	if (!s)
		return false;
	l = &s->slot.lane0;
	nr_events = l->shared->block.first_seq + l->nr_events;
	*count = s->in_a_row = nr_events == s->nr_events_then ? s->in_a_row + 1 : 1;
	bool is_rare = !(s->in_a_row & (s->in_a_row - 1));

	s->nr_events_then = nr_events + is_rare;
	return is_rare;
}

uint32_t syt_self(void)
{
	const struct syt_self *s = find();

	return s ? s->thread : SYT_THREAD_NONE;
}

bool syt_is_recording(void)
{
	return *syt_alive != 0;
}
