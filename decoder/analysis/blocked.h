/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * The wait-for graph at the end of the trace: the calls that had not returned, and the threads that could end each call.
 *
 * A call without a timeout is stuck if no thread of the trace can end it:
 * - A call that acquires a lock is stuck if the holder is stuck, has ended, is the caller itself, or was a thread of the parent
 *   process before a fork. A wait for a condition also acquires its mutex.
 * - A join is stuck if the joined thread is stuck; a wait for a child process, if all children are.
 * - A wait for a token, a signal, a barrier, or room or data in a pipe or connection is stuck if all threads that could end
 *   it are stuck or have ended: all threads of the processes that know the object, and of their descendants.
 * A wait for data, a token or a signal that was on its way when the process ended is not stuck.
 *
 * A stuck call stays stuck, unless a signal handler or an untraced process ends it. The threads of a stuck set wait only for
 * each other, so the graph's cycles are deadlocks.
 *
 * A call is doubtful if it is stuck under one assumption: only threads that have done so before can give the token, the signal
 * or the data. Idle workers look the same, so a doubtful call counts only if another thread waits for its thread.
 *
 * Read-only once opened; any thread.
 */
#ifndef SYT_DECODER_ANALYSIS_BLOCKED_H
#define SYT_DECODER_ANALYSIS_BLOCKED_H

#include "decoder/analysis/blocked_object.h"
#include "decoder/analysis/lockset.h"

/* The reason why a call has not returned. */
/* clang-format off */
#define SYT_BLOCKED_REASONS(REASON)                 \
	REASON(OUTSIDE,  "outside")  /* a call that an event outside of the trace ends, or a call with a timeout */ \
	REASON(HELD,     "held")     /* another thread holds the lock */ \
	REASON(SELF,     "self")     /* the thread holds the lock itself */ \
	REASON(ENDED,    "ended")    /* the holder has ended */ \
	REASON(FORKED,   "forked")   /* a thread of the parent process held the lock at the fork */ \
	REASON(FREE,     "free")     /* no known thread holds the lock */ \
	REASON(JOIN,     "join")     /* the joined thread has not ended */ \
	REASON(CHILD,    "child")    /* no child process has ended */ \
	REASON(SIGNAL,   "signal")   /* no thread signalled the condition after the wait began */ \
	REASON(TOKEN,    "token")    /* no thread posted the semaphore */ \
	REASON(ARRIVAL,  "arrival")  /* fewer threads than the barrier's count arrived */ \
	REASON(DATA,     "data")     /* no thread sent to the other end */ \
	REASON(ROOM,     "room")     /* no thread read from the other end, and the buffer is full */ \
	REASON(WAKE,     "wake")     /* no thread woke the waiter (futex, pthread_once, file lock, ...) */
/* clang-format on */

enum syt_blocked_reason {
#define REASON(name_, word_) SYT_BLOCKED_##name_,
	SYT_BLOCKED_REASONS(REASON)
#undef REASON
};

enum syt_blocked_state {
	SYT_BLOCKED_FREE_END, /* a thread may end the call, or an event outside of the trace */
	SYT_BLOCKED_DOUBTFUL,
	SYT_BLOCKED_STUCK,
};

/* One call that had not returned. */
struct syt_blocked_call {
	uint32_t thread; /* trace-wide */
	uint32_t object,
		object2; /* trace-wide, or SYT_NONE; object2: the mutex of a wait for a condition */
	syt_time since, until; /* until: the end of its process, or of the recording */
	uint8_t reason;        /* enum syt_blocked_reason */
	uint8_t state;         /* enum syt_blocked_state */
	bool has_timeout, is_pause;
	/* Data, a token or a signal was on its way at the end: the process ended before the thread could take it. */
	bool is_under_way;
	/* The thread for which it waits: the holder, the joined thread, or a thread that could give; SYT_NONE: none is known. */
	uint32_t next;
	/* The event that explains the reason: the acquisition, or the last signal, post or arrival; thread SYT_NONE: none. */
	struct syt_place evidence;
	uint64_t nr_arrived, nr_needed; /* of a barrier; needed 0: unknown */
	uint64_t nr_tokens; /* of the semaphore: tokens that the thread took and did not post */
	/* The thread has waited for the same object before, like an idle worker for its queue. */
	bool is_usual;
	/* A receive from a pipe: a process that still holds the writing end, so the receive finds no end of file; SYT_NONE:
	 * none is known. It got the end at GOT, by creating the pipe or by a fork. */
	uint32_t writer, nr_writers;
	struct syt_place got;
	bool has_written;
	/* The holder of a waited condition's mutex, and its acquisition; thread SYT_NONE: none. */
	struct syt_place mutex_taken;
	/* The process images with threads that can end the call, for the reasons from CHILD on; NR 0: not known. */
	uint32_t nr_enders, *enders;
	/* The acquisitions of the holders, or the last gift of each thread that gave before; NR 0: none, or too many. */
	uint32_t nr_givers;
	struct syt_place givers[SYT_BLOCKED_GIVERS];
};

/* Threads that wait for each other, or for threads whose calls no thread ends. */
struct syt_blocked_group {
	bool is_cycle; /* the core's threads wait for each other; otherwise each cannot go on for the same reason */
	uint8_t state; /* of its calls; FREE_END: threads wait for a lock whose holder is blocked elsewhere */
	uint32_t
		nr_core; /* threads of the cycle, or roots: calls on one object that wait for no call */
	uint32_t nr;     /* all threads that wait for the core, the core included */
	uint32_t *
		calls; /* indices in syt_blocked.calls: the core in the order of waiting, then the others */
};

struct syt_blocked {
	const struct syt_order *order;
	uint32_t nr_calls;
	struct syt_blocked_call *calls; /* in order of thread */
	uint32_t *call_of;              /* [thread]: index in calls, or SYT_NONE */
	size_t nr_groups, room_groups;
	struct syt_blocked_group *groups; /* certain ones first, then the most threads */
};

/* ORDER must outlive B. */
void syt_blocked_open(struct syt_blocked *b, const struct syt_order *order);
void syt_blocked_close(struct syt_blocked *b);

/* Returns the word of JSON for REASON. */
const char *syt_blocked_word(enum syt_blocked_reason reason);

/* Returns the call that THREAD had not returned from, or NULL. */
static inline const struct syt_blocked_call *syt_blocked_call_of(const struct syt_blocked *b,
                                                                 uint32_t thread)
{
	return b->call_of[thread] == SYT_NONE ? NULL : &b->calls[b->call_of[thread]];
}

/* Returns true if THREAD is in the core of a cycle: it waits for itself, directly or through other threads. */
bool syt_blocked_is_deadlocked(const struct syt_blocked *b, uint32_t thread);

/* Returns the shape of the last event of THREAD; without events: the end of a thread. */
uint8_t syt_blocked_last_shape(const struct syt_places *p, uint32_t thread);

/* Returns true if THREAD has made its last call: its end, or the end or exec of its process. */
bool syt_blocked_has_ended(const struct syt_places *p, uint32_t thread);

/* ---- for the parts of syt_blocked_open() ---- */

struct syt_blocked_search {
	struct syt_blocked *b;
	const struct syt_order *o;
	struct syt_lockset locks;
	uint32_t nr_threads, nr_images;
	struct syt_blocked_object **facts; /* [object]; NULL: not yet needed */
	int64_t *tokens; /* [call]: tokens of a semaphore that its thread took and did not post */
	bool *has_ended; /* [thread] */
	uint32_t *of;    /* [thread]: index in trace->images */
	/* [image]: threads that have not ended, and the threads of them in a set of blocked calls */
	uint32_t *nr_live, *nr_held;
	uint32_t *first_stuck,
		*first_doubtful; /* [image]: first call with this state, or a higher one */
	uint32_t *parent;        /* [image]: index in trace->images, or SYT_NONE */
	bool *has_unseen;        /* [image]: it has made a process that is not in the trace */
	struct syt_place *fork;  /* [image]: the fork that made it; thread SYT_NONE: unknown */
};

/* Finds the reason of C, and the threads and process images that can end C. */
void syt_blocked_explain(struct syt_blocked_search *s, struct syt_blocked_call *c);

/* Takes the holder that acquired a lock at AT as the reason of C. */
void syt_blocked_blame(const struct syt_blocked_search *s, struct syt_blocked_call *c,
                       struct syt_place at);

#endif
