/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * One intercepted call as a wrapper sees it.
 *
 *      int pthread_mutex_unlock(pthread_mutex_t *m) {
 *              struct syt_frame f;
 *
 *              if (!SYT_ENTER(&f))                             // tracing is off: a plain forward
 *                      return SYT_REAL(pthread_mutex_unlock)(m);
 *              struct syt_event e = {.call = SYT_CALL_pthread_mutex_unlock,
 *                                    .object = syt_object(SYT_KIND_MUTEX, m)};
 *              syt_stamp_in(&f); int rv = SYT_REAL(pthread_mutex_unlock)(m);     // may never return: no
 *              resource is held e.result = rv; syt_leave_in(&f, &e);                           // records;
 *              m is not touched any more return rv;
 *      }
 *
 * Calls with an event as simple as pthread_mutex_unlock's use a shorter form: runtime/plain.h.
 *
 * Rules. Between SYT_ENTER and syt_leave the recorder holds no lock, no guard and no pointer to thread
 * state. The real call may block, be cancelled, throw, be left by longjmp, or return on another thread. If
 * a wrapper never reaches syt_leave, its call records no event. No function here touches errno, allocates
 * with malloc, blocks, or calls an intercepted function. All may be called in any thread and in signal
 * handlers; an event that a handler interrupts while it is written stays whole (doc/internals.md, "Lanes").
 */
#ifndef SYT_RUNTIME_FRAME_H
#define SYT_RUNTIME_FRAME_H

#include <stdbool.h>
#include <stdint.h>

#include "format/event.h"
#include "format/format.h"

/* A call that takes longer than this (100 us at 3 GHz) is long: the recorder then asks the kernel for the
 * thread's CPU time and for the name of the file, and records the opening of a file. */
#define SYT_LONG_NS 100000u
#define SYT_LONG_TICKS (SYT_LONG_NS * 3u)

struct syt_frame {
	/* the wrapper's frame: [fp] is the caller's rbp, [fp + 8] the return address; NULL: no stack */
	const void *fp;
	uint64_t in, out; /* ticks; 0 until stamped */
	uint32_t stack;   /* id of the call stack, 0 until captured */
	/* the process, as in syt_alive: a frame entered before a fork records no event in the child */
	uint32_t alive;
	bool blocked; /* a quick try failed, so the call waited */
};

/* Returns true if this call must be recorded. Starts the session and the thread if they are new. Wrappers
 * for begin and end of threads, processes and objects in memory use this function, because such calls are
 * recorded during a pause, too. Other calls use syt_enter_use() or syt_enter_idle(). */
bool syt_enter(struct syt_frame *f, const void *fp);
#define SYT_ENTER(f_, ...) syt_enter((f_), __builtin_frame_address(0))

/* Like syt_enter() for a call that may create happens-before edges, but also returns false during a pause. The
 * dump then notes that the thread made such a call, and F is set for wrappers that count the bytes moved. */
bool syt_enter_use(struct syt_frame *f, const void *fp, uint32_t call);
#define SYT_ENTER_USE(f_, ...) syt_enter_use((f_), __builtin_frame_address(0), 0)

/* Like syt_enter_use() for a call whose absence does no harm: a lock, because missing calls do not
 * invalidate the rules about locks, or a call that orders no threads. */
bool syt_enter_idle(struct syt_frame *f, const void *fp, uint32_t call);
#define SYT_ENTER_IDLE(f_, name_) syt_enter_idle((f_), __builtin_frame_address(0), SYT_CALL_##name_)

/* Returns true if CONTROL, the value of syt_control(), which is not 0, lets CALL (or SYT_CALL_NONE) of the wrapper's frame FP be
 * recorded: a sampler then decides in which form. In a pause, the dump notes that the calling thread makes a call that is not
 * recorded and may create happens-before edges; the pause may be over by now. */
bool syt_control_allows(const void *fp, uint32_t control, uint32_t call);

/* Returns true if a sampler did not select the call F of this thread. */
bool syt_frame_is_unselected(const struct syt_frame *f);

/* Returns false if a sampler leaves out CALL of the wrapper's frame FP. */
bool syt_sample_call(const void *fp, uint32_t call);

/* Captures the caller's stack now, so that the capture does not delay the steps after an acquire. Without
 * this call, syt_leave_in() and syt_leave_out() capture the stack. */
void syt_capture(struct syt_frame *f);

/* Read the clock before the real call (unfenced) and after it (fenced; doc/happens-before.md). */
void syt_stamp_in(struct syt_frame *f);
void syt_stamp_out(struct syt_frame *f);

/* Stamps before the real call, for a call that may wait. Until the call returns, the dump shows the
 * call, its stack and the objects in E. A call of a signal handler in the middle of a record, of a
 * vfork child, or of a task without thread-local memory of its own is not shown. */
void syt_stamp_wait(struct syt_frame *f, const struct syt_event *e);

/* Same, after the quick try of an acquire failed: also remembers that the call waits. */
void syt_block(struct syt_frame *f, const struct syt_event *e);

/* Ends the call, between syt_stamp_wait() and the end of the wrapper, without an event: the dump does not
 * show it any more. */
void syt_leave_unrecorded(const struct syt_frame *f);

/* Returns true if the call was long. Both times are stamped. */
static inline bool syt_was_long(const struct syt_frame *f)
{
	return f->in && f->out - f->in > SYT_LONG_TICKS;
}

/*
 * Record the event E. The wrapper has set E's call, object, result, fields, and err if result < 0. The
 * function sets E's stamp, dur, stack, cpu and BLOCKED flag from F.
 *
 * syt_leave_in(): for a call that is only a release. The event's stamp is F->in; its duration is out - in
 * if F->out was stamped. If a signal handler has recorded events during the call, out is the time of this
 * call: the thread's next event then does not bound the time when the release took effect.
 *
 * syt_leave_out(): for an acquire, or a call that both acquires and releases. The event's stamp is F->out
 * (read now if it is 0); its duration is out - in if F->in was stamped.
 */
void syt_leave_in(struct syt_frame *f, struct syt_event *e);
void syt_leave_out(struct syt_frame *f, struct syt_event *e);

/* For a call that a thread repeats while it spins (sched_yield). Returns true for the 1st, 2nd, 4th, 8th,
 * ... call in a row without another event of the thread in between. Stores the call's number in *COUNT. */
bool syt_is_rare(uint64_t *count);

/* Returns T, the number of the calling thread, which begins to record if it is new. Returns UINT32_MAX if
 * the thread cannot record. */
uint32_t syt_self(void);

/* Returns true in a process that records. Wrappers that keep tables of fds check this. */
bool syt_is_recording(void);

#endif
