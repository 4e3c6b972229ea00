/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Finds the order in which threads take locks, and the deadlocks to which it can lead.
 *
 * An arc A -> B means: a thread held lock A when it took lock B, by a call without a timeout. A cycle of arcs can
 * become a deadlock if all its arcs can be under way at the same time, each in a different thread. This is
 * impossible if
 * - one thread makes two of the arcs;
 * - two threads held a common lock (a gate), not both shared, while they made two of the arcs;
 * - the waiter and the holder of a lock both only read, that is, both hold the lock shared;
 * - one arc always ended before another arc began, by causal happens-before edges.
 *
 * An arc may lead through several threads (struct syt_lock_order_remote): one thread held A while it waited for a
 * message of another thread, which took B before it sent (decoder/report/lock_order/reply.h).
 */
#ifndef SYT_DECODER_REPORT_LOCK_ORDER_LOCK_ORDER_H
#define SYT_DECODER_REPORT_LOCK_ORDER_LOCK_ORDER_H

#include "decoder/order/label.h"
#include "decoder/analysis/blocked.h"
#include "decoder/analysis/lockset.h"

/* occurrences (instances) that are stored for each arc: the first ones and the last */
#define SYT_LOCK_ORDER_INSTANCES 32u
#define SYT_LOCK_ORDER_LENGTH 6u /* maximum number of arcs in a cycle */
#define SYT_LOCK_ORDER_HOPS 3u   /* maximum of threads in a chain of waits */

/* The verdicts about a cycle, the worst first: the report prints the worst verdict among all choices of arcs. */
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
	const char *word; /* the verdict in JSON */
	const char *text;
} syt_verdict_names[SYT_NR_VERDICTS];

/* A lock that a thread holds, and whether it holds it shared. */
struct syt_lock_order_held {
	uint32_t object;
	bool is_shared;
};

/* A wait of one thread, and the event of another thread that ended it. */
struct syt_lock_order_hop {
	struct syt_place wait, send;
};

/* The threads of an arc from lock FROM to lock TO, if another thread took TO. The thread of the arc waited for the
 * thread of the first hop, this thread had waited for the thread of the second hop, and so on. The last thread had
 * taken TO before it sent. */
struct syt_lock_order_remote {
	uint32_t nr;
	uint32_t gate; /* lock that two of the threads held, not both shared; or SYT_NONE */
	struct {
		uint32_t thread; /* thread that sent the message */
		uint32_t wait_side, send_side;
	} hops[SYT_LOCK_ORDER_HOPS];
	struct syt_lock_order_hop instances[SYT_LOCK_ORDER_INSTANCES][SYT_LOCK_ORDER_HOPS];
};

/* An arc: acquisitions of one lock and then another in one thread, by equal call paths and with equal locks
 * held. */
struct syt_lock_order_arc {
	uint32_t from, to, thread;
	uint32_t from_side, to_side; /* call paths of the two acquisitions */
	bool from_is_shared, to_is_shared;
	uint32_t nr_held;
	struct syt_lock_order_held *held;     /* locks that its threads held, FROM among them */
	struct syt_lock_order_remote *remote; /* other threads; NULL: THREAD took TO itself */
	uint64_t nr;                          /* number of times that the thread took both locks */
	struct {
		struct syt_place from, to; /* events that acquired the two locks */
	} instances[SYT_LOCK_ORDER_INSTANCES];
};

struct syt_lock_order_cycle {
	enum syt_verdict_kind verdict;
	uint32_t length;
	uint32_t arcs[SYT_LOCK_ORDER_LENGTH]; /* each ends at the lock where the next begins */
	/* verdict POSSIBLE: one instance of each arc; all of these can have been under way at the same time */
	uint32_t instances[SYT_LOCK_ORDER_LENGTH];
	uint32_t gate; /* verdict GATED: the common lock */
	uint64_t nr;   /* number of cycles with the same call paths, including this cycle */
};

/* A lock that a thread took and did not release in the trace, although the thread did not end. */
struct syt_lock_order_kept {
	uint32_t object, thread;
	struct syt_place acquire, last; /* event that took the lock; last event of the thread */
	bool is_shared;
	/* a thread has waited for a condition with this mutex, and this thread may do so now */
	bool has_waited;
	syt_time silence; /* time from the thread's last event to the last event of its process */
};

struct syt_lock_order {
	const struct syt_order *order;
	struct syt_labels *labels;
	struct syt_lockset locks;
	uint32_t nr_locks; /* number of locks that threads took at least once */
	size_t nr_arcs, room_arcs;
	struct syt_lock_order_arc *arcs;
	size_t nr_cycles, room_cycles;
	struct syt_lock_order_cycle *cycles; /* worst first; no two have equal call paths */
	size_t nr_kept, room_kept;
	struct syt_lock_order_kept *kept; /* locks held at the end; longest silence first */
	struct syt_blocked blocked; /* calls that had not returned; their cycles are deadlocks */
	size_t nr_deadlocks;
	uint64_t nr_waits; /* number of waits for another thread with a lock held */
	/* the next five members count what the analysis does not examine */
	uint64_t nr_waits_left_out;   /* number of waits that more than one thread may have ended */
	uint64_t nr_threads_left_out; /* number of threads with missing events */
	/* number of locks that a thread released without taking them, or that unknown processes share */
	uint64_t nr_locks_left_out;
	uint64_t nr_deep;        /* number of acquisitions by threads that held too many locks */
	uint64_t nr_other_locks; /* file locks, and semaphores that are not used as locks */
	bool is_cut;             /* the search reached a limit: more cycles may exist */
};

/* Analyses the lock order and stores the result in L. ORDER must contain its causal edges. */
void syt_lock_order_open(struct syt_lock_order *l, const struct syt_order *order,
                         struct syt_labels *labels);
void syt_lock_order_close(struct syt_lock_order *l);

/* Finds the cycles of the arcs in L (cycle.c). The arcs must be complete. */
void syt_lock_order_find_cycles(struct syt_lock_order *l);

/* Returns how many of the NR instances of an arc are stored. */
static inline uint32_t syt_lock_order_nr_kept(uint64_t nr)
{
	return nr < SYT_LOCK_ORDER_INSTANCES ? (uint32_t)nr : SYT_LOCK_ORDER_INSTANCES;
}

/* Returns the number of threads that are blocked if C becomes a deadlock. */
uint32_t syt_lock_order_nr_threads(const struct syt_lock_order *l,
                                   const struct syt_lock_order_cycle *c);

/* Returns true if threads deadlocked, or if a cycle of lock-order arcs can become a deadlock. */
bool syt_lock_order_is_defect(const struct syt_lock_order *l);

#endif
