/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Contention: how long threads waited for each lock and how long they held it, by call path. Each wait is charged
 * to its causes (decoder/analysis/blame.h). The report also finds lock convoys (threads queue for a lock) and
 * thundering herds (a broadcast wakes many threads, and most of them wait again).
 *
 * An acquisition is contended if its first, non-blocking attempt failed. A wait on a condition variable also takes
 * its mutex back. If a happens-before edge shows the waker of such a wait, its time after the waker's critical
 * section, in which other threads held the mutex, is a wait for the mutex. Otherwise the wait for the mutex is part
 * of the wait for the condition, and nr_untold counts it.
 *
 * All times are syt_time (sixteenths of a nanosecond). Only one thread at a time may use a struct syt_contention.
 */
#ifndef SYT_DECODER_REPORT_CONTENTION_CONTENTION_H
#define SYT_DECODER_REPORT_CONTENTION_CONTENTION_H

#include "decoder/analysis/blame.h"
#include "decoder/analysis/cause.h"
#include "decoder/analysis/spread.h"
#include "decoder/show/finding.h"

/* The acquisitions of one lock by one call path. */
struct syt_contention_path {
	uint32_t side;        /* call path (decoder/order/label.h) */
	uint64_t nr_acquired; /* number of acquisitions */
	/* waits of these acquisitions, including waits that timed out or failed */
	struct syt_spread wait;
	struct syt_spread hold; /* times for which a thread held the lock, with a known end */
	uint64_t
		nr_passed; /* read-write lock: number of holdings that began and ended during these waits */
	/* example: the longest wait, otherwise the longest holding, otherwise any acquisition */
	struct syt_place at;
};

/* The waits at one call path with one cause. One wait may have several parts (pieces) with different causes. */
struct syt_contention_blame {
	uint32_t waiter; /* call path at which threads waited */
	/* cause, and sum of its parts; `at` is the event that caused the longest part */
	struct syt_blame blame;
	uint64_t nr_waits;     /* number of waits with this cause */
	struct syt_place wait; /* wait with the longest part */
	syt_time largest;      /* length of this longest part */
};

/* The calls of one call path across which threads held the lock that they had acquired by one call path. */
struct syt_contention_across {
	uint32_t holder, side; /* call paths of the acquisition and of the call */
	uint64_t nr;
	syt_time time, most; /* sum, and the longest of these calls */
	struct syt_place at; /* the longest of these calls */
};

struct syt_contention_lock {
	uint32_t object;
	bool is_inferred; /* the object is a semaphore that was used as a lock */
	enum syt_holdings_state state;
	/* numbers of threads that used the lock, and that waited for it */
	uint32_t nr_threads, nr_waiters;
	/* number of acquisitions, including the inner acquisitions of a recursive mutex */
	uint64_t nr_acquired;
	uint64_t nr_busy;     /* number of attempts (trylock) that failed at once */
	uint64_t nr_given_up; /* number of waits that timed out or failed */
	uint64_t nr_untold;   /* number of condition waits without a known waker */
	uint64_t
		nr_timed_out; /* number of condition waits that timed out; nr_untold counts them too */
	/* number of holdings of the lock without an end in the trace */
	uint64_t nr_unended;
	struct syt_spread wait, hold;
	syt_time by_kind[SYT_NR_BLAMES]; /* waiting time by kind of cause; the sum is wait.total */
	syt_time lifetime;               /* sum of the lifetimes of threads that used the lock */
	uint64_t nr_releases,
		/* nr_queued: sum over all releases of the number of threads that waited then */
		nr_queued;
	uint64_t nr_crowded; /* number of releases at which two or more threads waited */
	size_t nr_paths, nr_blames;
	struct syt_contention_path *paths;   /* paths: longest waits first, then longest holds */
	struct syt_contention_blame *blames; /* causes of waits: longest first */
	size_t nr_across;
	struct syt_contention_across
		*across; /* calls across which the lock was held: longest first */
};

/* Broadcasts of one condition variable by one call path, and the threads that they woke. */
struct syt_contention_herd {
	uint32_t object, side;
	uint64_t nr_broadcasts; /* number of broadcasts that woke a thread, or may have woken one */
	uint64_t nr_woken;      /* number of waits that the broadcasts ended */
	/* number of these waits after which the thread waited again for the same condition */
	uint64_t nr_in_vain;
	uint64_t nr_useful; /* number of these waits after which the thread synchronized otherwise */
	uint64_t most;       /* largest number of waits that one broadcast certainly ended */
	struct syt_place at; /* broadcast that ended the most waits */
};

struct syt_contention {
	const struct syt_order *order;
	struct syt_labels *labels;
	size_t nr_locks;
	struct syt_contention_lock *locks; /* locks: longest waits first, then longest holds */
	size_t nr_herds;
	struct syt_contention_herd *herds; /* herds: most useless wake-ups first */
	size_t nr_signals;
	struct syt_contention_herd *signals; /* the same for signals, which wake one thread each */
	/* sums over all locks */
	uint64_t nr_acquired, nr_waits, nr_untold, nr_timed_out, nr_unended;
	uint64_t nr_unknown_locks; /* number of locks whose state is FOREIGN or PRESHARED */
	uint64_t nr_inferred;      /* number of semaphores that were used as locks */
	/* number of other semaphores, file locks and futexes: not examined, although they may be locks */
	uint64_t nr_others;
	syt_time waited, by_kind[SYT_NR_BLAMES];
	/* number of wake-ups by one of several possible call paths, or possibly by a signal of the condition */
	uint64_t nr_ambiguous_wakeups;
};

/* Analyses the contention in the order of BLAMER and stores the result in C. The order and the labels of BLAMER must outlive C. */
void syt_contention_open(struct syt_contention *c, struct syt_blamer *blamer);
void syt_contention_close(struct syt_contention *c);

/* Merges those of the NR elements of ALL that have equal cause and waiter, and sorts the sums, longest first.
 * Returns the number of sums. */
size_t syt_contention_sum_blames(struct syt_contention_blame *all, size_t nr);

/* Sets C->herds, worst first, and C->nr_ambiguous_wakeups. Only syt_contention_open() calls this function. */
void syt_herds_find(struct syt_contention *c);

/* Returns true if the waits for lock L took at least LEAST_THOUSANDTHS of the lifetime of its threads. */
bool syt_contention_stands_out(const struct syt_contention_lock *l, unsigned least_thousandths);
/* Returns true if lock L is a convoy: two or more threads waited at half of its releases or more. A lock with
 * fewer than 16 releases, or fewer than 3 waiters, is no convoy. */
bool syt_contention_is_convoy(const struct syt_contention_lock *l);
/* Returns true if H is a thundering herd: a broadcast wakes 3 or more threads on average, at least half in
 * vain. */
bool syt_contention_is_herd(const struct syt_contention_herd *h);

/* ---- the output: the member `report` of the view points to a struct syt_contention ---- */

#define SYT_CONTENTION_LEAST 10u /* default limit for findings: thousandths of the threads' time */

/* Prints the whole report, as text or as JSON lines. */
void syt_contention_list(const struct syt_view *v);

/* Parts of the text: one line of sums, and the findings in sentences.  Both write to OUT. */
void syt_contention_headline(struct syt_out *out, const struct syt_view *v);
void syt_contention_findings(struct syt_out *out, const struct syt_view *v);
void syt_contention_put_lock(struct syt_out *out, const struct syt_view *v,
                             const struct syt_contention_lock *l);

/* Adds the causes of waits for locks, and of useless wake-ups, to TO. */
void syt_contention_add_causes(struct syt_causes *to, const struct syt_contention *c);

/* The report's part of diagnose and of the HTML page. */
void syt_contention_find(const struct syt_view *v, struct syt_finding *f, struct syt_html *page);

#endif
