/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * The order in which threads take locks, and the deadlocks to which it can lead.
 *
 * An arc A -> B means: a thread held lock A when it took lock B, by a call without a timeout.  A cycle of arcs can become
 * a deadlock if all its arcs can be under way at the same time, each in its own thread.  This is impossible in these cases:
 * - one thread makes two of the arcs;
 * - two threads held a common lock (a gate), not both shared, while they made two of the arcs;
 * - the waiter and the holder of a lock both only read;
 * - one arc always ended before another arc began, by causal happens-before edges.
 *
 * An arc may lead through several threads (struct syt_lock_order_remote): one thread held A while it waited for a message
 * of another thread, which took B before it sent (decoder/report/lock_order/reply.h).
 */
#ifndef SYT_DECODER_REPORT_LOCK_ORDER_LOCK_ORDER_H
#define SYT_DECODER_REPORT_LOCK_ORDER_LOCK_ORDER_H

#include "decoder/order/label.h"
#include "decoder/analysis/lockset.h"

#define SYT_LOCK_ORDER_INSTANCES 32u /* kept for each arc: the first ones and the last */
#define SYT_LOCK_ORDER_LENGTH 6u     /* the largest length of a cycle */
#define SYT_LOCK_ORDER_HOPS 3u       /* the most threads in a row that wait for each other */

/* The worst verdict comes first: the report gives the worst way through a cycle of locks. */
/* clang-format off */
#define SYT_VERDICTS(VERDICT) \
	VERDICT(POSSIBLE,    "possible",    "nothing in the trace rules the deadlock out")                    \
	VERDICT(UNCHECKED,   "unchecked",   "the cycle has too many variants to check all of them")      \
	VERDICT(ORDERED,     "ordered",     "one thread always released its locks before another thread took its locks")       \
	VERDICT(GATED,       "gated",       "two of the threads hold a common lock")                 \
	VERDICT(SHARED,      "shared",      "two of the threads take the shared lock only for reading")                      \
	VERDICT(SAME_THREAD, "same-thread", "one thread takes the locks of two steps of the cycle")

enum syt_verdict_kind {
#define VERDICT(name_, word_, text_) SYT_VERDICT_##name_,
	SYT_VERDICTS(VERDICT)
#undef VERDICT
	SYT_NR_VERDICTS
};
/* clang-format on */

extern const struct syt_verdict_name {
	const char *word; /* in JSON */
	const char *text;
} syt_verdict_names[SYT_NR_VERDICTS];

/* A held lock, and its mode. */
struct syt_lock_order_held {
	uint32_t object;
	bool is_shared;
};

/* A wait, and the event of another thread that ended it. */
struct syt_lock_order_hop {
	struct syt_place wait, send;
};

/* The threads of an arc that ends in another thread.  The thread of the arc waited for the thread of the first hop, this
 * thread had waited for the thread of the second hop, and so on.  The last thread had taken TO before it sent. */
struct syt_lock_order_remote {
	uint32_t nr;
	uint32_t gate; /* a lock that two of the threads held, not both shared; SYT_NONE: none */
	struct {
		uint32_t thread; /* the thread that sent the message */
		uint32_t wait_side, send_side;
	} hops[SYT_LOCK_ORDER_HOPS];
	struct syt_lock_order_hop instances[SYT_LOCK_ORDER_INSTANCES][SYT_LOCK_ORDER_HOPS];
};

/* The acquisitions of one lock and then another in one thread, by the same two call paths and with the same locks
 * held. */
struct syt_lock_order_arc {
	uint32_t from, to, thread;
	uint32_t from_side, to_side; /* call paths of the two acquisitions */
	bool from_is_shared, to_is_shared;
	uint32_t nr_held;
	struct syt_lock_order_held *held;     /* by all threads of the arc, FROM among them */
	struct syt_lock_order_remote *remote; /* NULL: THREAD took TO itself */
	uint64_t nr;                          /* number of times that the thread took both locks */
	struct {
		struct syt_place from, to; /* the acquisitions of both locks */
	} instances[SYT_LOCK_ORDER_INSTANCES];
};

struct syt_lock_order_cycle {
	enum syt_verdict_kind verdict;
	uint32_t length;
	uint32_t arcs[SYT_LOCK_ORDER_LENGTH]; /* each arc ends where the next arc begins */
	/* POSSIBLE: for each arc, an instance; all of these can have been under way together */
	uint32_t instances[SYT_LOCK_ORDER_LENGTH];
	uint32_t gate; /* GATED: the common lock */
	uint64_t nr;   /* number of cycles by the same call paths, this cycle included */
};

/* A lock that a thread took and did not release in the trace; the thread did not end, either. */
struct syt_lock_order_kept {
	uint32_t object, thread;
	struct syt_place acquire, last; /* LAST: the thread's last event */
	bool is_shared;
	bool has_waited;  /* a thread has waited for a condition with this lock, and this
	                    thread may do so now */
	syt_time silence; /* time from the thread's last event to the last event of its process */
};

/* A cycle of the wait-for graph at the end of the trace: each thread waits for a lock that the next thread holds, for a
 * token, signal or message of the next thread, or for its end. */
struct syt_lock_order_deadlock {
	uint32_t nr, nr_others; /* OTHERS wait for them, directly or through others */
	/* false: a thread waits for a token, signal or message, and another thread, not seen so far, might give it */
	bool is_sure;
	uint32_t *threads; /* trace-wide indices of the threads */
};

struct syt_lock_order {
	const struct syt_order *order;
	struct syt_labels *labels;
	struct syt_lockset locks;
	uint32_t nr_locks; /* number of locks that were taken at least once */
	size_t nr_arcs, room_arcs;
	struct syt_lock_order_arc *arcs;
	size_t nr_cycles, room_cycles;
	struct syt_lock_order_cycle *cycles; /* the worst cycle first; all call paths differ */
	size_t nr_kept, room_kept;
	struct syt_lock_order_kept *kept; /* the lock with the longest silence first */
	size_t nr_deadlocks, room_deadlocks;
	struct syt_lock_order_deadlock *deadlocks;
	uint64_t nr_waits; /* number of waits for another thread with a lock held */
	/* the next five: left out of the analysis */
	uint64_t nr_waits_left_out;   /* waits that more than one thread may have ended */
	uint64_t nr_threads_left_out; /* threads with missing events */
	/* locks that a thread released without taking them, or that unknown processes share */
	uint64_t nr_locks_left_out;
	uint64_t nr_deep;        /* acquisitions by threads that held too many locks */
	uint64_t nr_other_locks; /* file locks, and semaphores that are not used as locks */
	bool is_cut;             /* more cycles exist than were searched */
};

/* ORDER must hold its causal edges. */
void syt_lock_order_open(struct syt_lock_order *l, const struct syt_order *order,
                         struct syt_labels *labels);
void syt_lock_order_close(struct syt_lock_order *l);

/* Fills the cycles of L (cycle.c).  The arcs of L must be filled. */
void syt_lock_order_find_cycles(struct syt_lock_order *l);

/* Returns how many of NR instances are kept. */
static inline uint32_t syt_lock_order_nr_kept(uint64_t nr)
{
	return nr < SYT_LOCK_ORDER_INSTANCES ? (uint32_t)nr : SYT_LOCK_ORDER_INSTANCES;
}

/* Returns true if the thread's last event is its end. */
bool syt_lock_order_has_ended(const struct syt_places *p, uint32_t thread);

/* Returns true if THREAD is in one of the deadlocks. */
bool syt_lock_order_is_deadlocked(const struct syt_lock_order *l, uint32_t thread);

/* Returns the number of threads that are blocked if C becomes a deadlock. */
uint32_t syt_lock_order_nr_threads(const struct syt_lock_order *l,
                                   const struct syt_lock_order_cycle *c);

/* Returns true if threads deadlocked, or if a cycle of lock-order arcs can become a deadlock. */
bool syt_lock_order_is_defect(const struct syt_lock_order *l);

#endif
