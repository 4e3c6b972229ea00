/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * In which order threads take locks, and whether that can end in a deadlock.
 *
 * An arc A -> B: a thread had A when it took B, by a call that would have waited for it.  A cycle of
 * arcs is a deadlock to come if, at one time, each of its arcs can be under way in a thread of its
 * own.  That cannot be when one thread has made two of them, when two of them were made with the same
 * other lock held (a gate) or hold what excludes each other, when who wants a lock and who has it
 * only read, or when each time one had come to an end before the other began, by edges that are no
 * mutual exclusion.
 *
 * An arc may be of several threads (struct syt_lock_order_remote): one had A when it waited for what
 * another one sent, which took B before that (decoder/report/lock_order/reply.h).
 */
#ifndef SYT_DECODER_REPORT_LOCK_ORDER_LOCK_ORDER_H
#define SYT_DECODER_REPORT_LOCK_ORDER_LOCK_ORDER_H

#include "decoder/order/label.h"
#include "decoder/order/order.h"
#include "decoder/analysis/lockset.h"

#define SYT_LOCK_ORDER_INSTANCES 32u /* of an arc, that are kept: the first ones and the last */
#define SYT_LOCK_ORDER_LENGTH 6u     /* of a cycle, at most */
#define SYT_LOCK_ORDER_HOPS 3u       /* of threads that wait for each other's doing, at most */

/* The worst first: of several ways through a cycle of locks the worst is told. */
/* clang-format off */
#define SYT_VERDICTS(VERDICT) \
	VERDICT(POSSIBLE,    "possible",    "nothing in the trace rules it out")                    \
	VERDICT(UNCHECKED,   "unchecked",   "it has too many variants to check all")      \
	VERDICT(ORDERED,     "ordered",     "one step always ended before another began")       \
	VERDICT(GATED,       "gated",       "two steps hold a common lock")                 \
	VERDICT(SHARED,      "shared",      "two steps only read the lock where they meet")                      \
	VERDICT(SAME_THREAD, "same-thread", "one thread makes two of the steps")

enum syt_verdict_kind {
#define VERDICT(name_, word_, text_) SYT_VERDICT_##name_,
	SYT_VERDICTS(VERDICT)
#undef VERDICT
	SYT_NR_VERDICTS
};
/* clang-format on */

/* A lock that was held, and how. */
struct syt_lock_order_held {
	uint32_t object;
	bool is_shared;
};

/* A wait, and what another thread did that ended it. */
struct syt_lock_order_hop {
	struct syt_place wait, send;
};

/* Of an arc that ends in another thread: the arc's own one waited for what the first of HOPS sent, that
 * one had waited for the second one before, and the last one had taken TO before it sent. */
struct syt_lock_order_remote {
	uint32_t nr;
	uint32_t gate; /* a lock that two of its threads had and cannot both have, or SYT_NONE */
	struct {
		uint32_t thread; /* that sent */
		uint32_t wait_side, send_side;
	} hops[SYT_LOCK_ORDER_HOPS];
	struct syt_lock_order_hop instances[SYT_LOCK_ORDER_INSTANCES][SYT_LOCK_ORDER_HOPS];
};

/* One thread, from one lock to another, by the same two call paths and with the same locks held. */
struct syt_lock_order_arc {
	uint32_t from, to, thread;
	uint32_t from_side, to_side; /* of the acquisitions */
	bool from_is_shared, to_is_shared;
	uint32_t nr_held;
	struct syt_lock_order_held
		*held; /* all that were held, by all its threads, FROM among them */
	struct syt_lock_order_remote *remote; /* NULL: THREAD took TO itself */
	uint64_t nr;                          /* times */
	struct {
		struct syt_place from, to; /* the acquisitions */
	} instances[SYT_LOCK_ORDER_INSTANCES];
};

struct syt_lock_order_cycle {
	enum syt_verdict_kind verdict;
	uint32_t length;
	uint32_t arcs[SYT_LOCK_ORDER_LENGTH];      /* the one ends where the next begins */
	uint32_t instances[SYT_LOCK_ORDER_LENGTH]; /* of POSSIBLE: that may have been at one time */
	uint32_t gate;                             /* of GATED: the lock */
	uint64_t nr; /* cycles of other locks by the same call paths, with this one */
};

/* A lock that a thread took and was not seen to give back, and the thread was not seen to end. */
struct syt_lock_order_kept {
	uint32_t object, thread;
	struct syt_place acquire, last; /* LAST: the thread's last event */
	bool is_shared;
	bool has_waited;  /* some thread has waited for a condition with this lock, and it is not
	                    known whether this one does */
	syt_time silence; /* from its last event to the last one of its process */
};

/* Threads of which each waits, at the end of the trace, for what the next one has, or gives, or for the
 * next one's end; the last one for the first. */
struct syt_lock_order_deadlock {
	uint32_t nr, nr_others; /* OTHERS wait for them, directly or by others */
	/* false: one waits for what only others of them were ever seen to give; it is not known whether
	 * nobody else would */
	bool is_sure;
	uint32_t *threads; /* trace-wide */
};

struct syt_lock_order {
	const struct syt_order *order;
	struct syt_labels *labels;
	struct syt_lockset locks;
	uint32_t nr_locks; /* that were ever taken */
	size_t nr_arcs, room_arcs;
	struct syt_lock_order_arc *arcs;
	size_t nr_cycles, room_cycles;
	struct syt_lock_order_cycle *cycles; /* the worst first; no two by the same call paths */
	size_t nr_kept, room_kept;
	struct syt_lock_order_kept *kept; /* the longest silence first */
	size_t nr_deadlocks, room_deadlocks;
	struct syt_lock_order_deadlock *deadlocks;
	uint64_t nr_waits; /* for what another thread does, with a lock held */
	/* not looked at */
	uint64_t
		nr_waits_left_out; /* of which it is not known for certain that one thread alone ends them */
	uint64_t nr_threads_left_out; /* events are missing among theirs */
	/* given back by threads that had not taken them, or shared unknown */
	uint64_t nr_locks_left_out;
	uint64_t nr_deep;        /* acquisitions by threads that had too many locks */
	uint64_t nr_other_locks; /* semaphores that are none, files' locks */
	bool is_cut;             /* there are more cycles */
};

/* ORDER must hold its causal edges. */
void syt_lock_order_open(struct syt_lock_order *l, const struct syt_order *order,
                         struct syt_labels *labels);
void syt_lock_order_close(struct syt_lock_order *l);

/* Its last event is its end. */
bool syt_lock_order_has_ended(const struct syt_places *p, uint32_t thread);

/* Returns true if THREAD is in one of the deadlocks. */
bool syt_lock_order_is_deadlocked(const struct syt_lock_order *l, uint32_t thread);

/* Returns the number of threads that are blocked if C becomes a deadlock. */
uint32_t syt_lock_order_nr_threads(const struct syt_lock_order *l,
                                   const struct syt_lock_order_cycle *c);

const char *syt_verdict_word(enum syt_verdict_kind verdict); /* in JSON */
const char *syt_verdict_text(enum syt_verdict_kind verdict);

/* Returns true if threads deadlocked, or if a cycle of lock-order arcs can become a deadlock. */
bool syt_lock_order_is_defect(const struct syt_lock_order *l);

#endif
