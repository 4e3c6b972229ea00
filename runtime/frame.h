/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * One intercepted call as a wrapper sees it.
 *
 *	int pthread_mutex_unlock(pthread_mutex_t *m)
 *	{
 *		struct syt_frame f;
 *
 *		if (!SYT_ENTER(&f))                             // tracing is off: a plain forward
 *			return SYT_REAL(pthread_mutex_unlock)(m);
 *		struct syt_event e = {.call = SYT_CALL_pthread_mutex_unlock,
 *		                      .object = syt_object(SYT_KIND_MUTEX, m)};
 *		syt_stamp_in(&f);
 *		int rv = SYT_REAL(pthread_mutex_unlock)(m);     // may never return: nothing of ours is held
 *		e.result = rv;
 *		syt_leave_in(&f, &e);                           // records; m is not touched any more
 *		return rv;
 *	}
 *
 * Most calls that have no more to say than this one go a shorter way: runtime/plain.h.
 *
 * Rules.  Between SYT_ENTER and syt_leave nothing is held: no lock, no guard, no pointer to thread
 * state; the real call may block, be cancelled, throw, be left by longjmp, or return on another
 * thread.  A frame that never leaves records nothing.  No function here touches errno, allocates with
 * malloc, blocks, or calls an intercepted function; all may be called in any thread and in signal
 * handlers, where a record that was interrupted stays whole (doc/internals.md, "Lanes").
 */
#ifndef SYT_RUNTIME_FRAME_H
#define SYT_RUNTIME_FRAME_H

#include <stdbool.h>
#include <stdint.h>

#include "format/event.h"
#include "format/format.h"

struct syt_frame {
	/* the wrapper's frame: [fp] is the caller's rbp, [fp + 8] the return address; NULL: no stack */
	const void *fp;
	uint64_t in, out; /* ticks; 0 until stamped */
	uint32_t stack;   /* id, 0 until captured */
	/* the process, as syt_alive names it: a frame entered before a fork records nothing in the child */
	uint32_t alive;
	bool blocked; /* a quick try failed, so the call waited */
};

/*
 * True when this call is to be recorded.  Starts the session and the thread when they are new.  What begins and ends
 * (threads, processes, objects in memory) is recorded while recording is paused, too; other calls ask one of the next two.
 */
bool syt_enter(struct syt_frame *f, const void *fp);
#define SYT_ENTER(f_) syt_enter((f_), __builtin_frame_address(0))

/* False while recording is paused, too: a call that others may be ordered by.  The dump tells that the thread made one, and F
 * is set for who counts what the call moves. */
bool syt_enter_use(struct syt_frame *f, const void *fp);
#define SYT_ENTER_USE(f_) syt_enter_use((f_), __builtin_frame_address(0))

/* The same of a call that is missed by nobody: locks, because rules about them hold whatever is missing, and what orders
 * nothing. */
bool syt_enter_idle(struct syt_frame *f, const void *fp);
#define SYT_ENTER_IDLE(f_) syt_enter_idle((f_), __builtin_frame_address(0))

/* The calling thread has seen PAUSE (syt_control()) and makes a call that others may be ordered by, which is not recorded,
 * also when the pause is over by now: the dump tells so. FP: its frame. */
void syt_skip(const void *fp, uint32_t pause);

/* Captures the caller's stack now, so that it does not lengthen what follows (acquires).  Without it
 * leaving captures it. */
void syt_capture(struct syt_frame *f);

/* Before the real call (unfenced reading) and after it (fenced reading, see doc/happens-before.md). */
void syt_stamp_in(struct syt_frame *f);
void syt_stamp_out(struct syt_frame *f);

/* The quick try of an acquire failed: stamps in, and remembers that the call waits. */
void syt_block(struct syt_frame *f);

/* After syt_block: for as long as the call does not return the dump says what it waits for. E: with call and
 * objects. Of calls of signal handlers in the middle of a record, of vfork children and of tasks without thread-local
 * memory of their own nothing is said. */
void syt_wait_note(const struct syt_frame *f, const struct syt_event *e);

/*
 * Record E, whose call, object, result (and err when result < 0) and fields the wrapper has set.
 * E's stamp, dur, stack, cpu and the BLOCKED flag are filled in from F:
 * _in: a pure release (shape's stamp IN): stamp = in, dur = out - in when out was stamped, or is now because a signal
 * handler has made events in the middle of the call: then the next event of the thread does not bound its effect;
 * _out: an acquire, or a call that is both: stamp = out (read now if it was not), dur = out - in when in was.
 */
void syt_leave_in(struct syt_frame *f, struct syt_event *e);
void syt_leave_out(struct syt_frame *f, struct syt_event *e);

/* For a call that a thread repeats while it spins: true for the 1st, 2nd, 4th, 8th, ... in a row, that
 * is without another event of the thread in between. *COUNT: which one this is. */
bool syt_is_rare(uint64_t *count);

/* T of the calling thread; attaches it when it is new. UINT32_MAX when it cannot be recorded. */
uint32_t syt_self(void);

/* True in a process that records. Wrappers that keep tables (fds) consult it. */
bool syt_is_recording(void);

#endif
