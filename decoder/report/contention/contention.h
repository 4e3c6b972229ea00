/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Contention: how long threads waited for each lock and how long they held it, by call path. Each
 * wait is charged to its causes (decoder/analysis/blame.h). The report also finds lock convoys
 * (threads queue up for a lock) and thundering herds (a broadcast wakes many threads, and most of
 * them wait again).
 *
 * An acquisition is contended if its quick try failed. A cond wait also takes its mutex back. If a
 * happens-before edge shows the waker, only the time after the waker's critical section, in which
 * other threads held the mutex, is a wait for the mutex. Otherwise the wait for the mutex is part
 * of the wait for the condition, and nr_untold counts the cond wait.
 *
 * All times are syt_time (sixteenths of a nanosecond). One thread at a time.
 */
#ifndef SYT_DECODER_REPORT_CONTENTION_CONTENTION_H
#define SYT_DECODER_REPORT_CONTENTION_CONTENTION_H

#include "decoder/analysis/blame.h"
#include "decoder/analysis/spread.h"
#include "decoder/show/finding.h"

/* The acquisitions of one lock by one call path. */
struct syt_contention_path {
	uint32_t side;          /* call path (decoder/order/label.h) */
	uint64_t nr_acquired;   /* acquisitions */
	struct syt_spread wait; /* acquisitions that waited, including waits that gave up */
	struct syt_spread hold; /* holdings with a known end */
	struct syt_place at; /* the longest wait, else the longest holding, else any acquisition */
};

/* The waits of one call path with one cause. A blame has pieces, parts of one wait. */
struct syt_contention_blame {
	uint32_t waiter;        /* call path of the waits */
	struct syt_blame blame; /* the sum; `at` is the event of the longest piece */
	uint64_t nr_waits;      /* number of waits with this cause */
	struct syt_place wait;  /* the wait with the longest piece */
	syt_time largest;       /* length of the longest piece */
};

struct syt_contention_lock {
	uint32_t object;
	bool is_inferred; /* a semaphore that was used as a lock */
	enum syt_holdings_state state;
	uint32_t nr_threads, nr_waiters; /* threads that used the lock, and that waited for it */
	uint64_t nr_acquired;            /* including the inner acquisitions of a recursive mutex */
	uint64_t nr_busy;                /* tries that failed at once */
	uint64_t nr_given_up;            /* waits that timed out or failed */
	uint64_t nr_untold;              /* cond waits with an unknown waker */
	uint64_t nr_unended;             /* holdings without an end in the trace */
	struct syt_spread wait, hold;
	syt_time by_kind[SYT_NR_BLAMES]; /* adds up to wait.total */
	syt_time lifetime;               /* sum over the threads that used the lock */
	uint64_t nr_releases,
		nr_queued;   /* nr_queued: sum of the threads that waited at each release */
	uint64_t nr_crowded; /* releases at which two or more threads waited */
	size_t nr_paths, nr_blames;
	struct syt_contention_path *paths;   /* longest waits first, then longest holds */
	struct syt_contention_blame *blames; /* longest first */
};

/* Broadcasts of one condition variable by one call path, and the threads that they woke. */
struct syt_contention_herd {
	uint32_t object, side;
	uint64_t nr_broadcasts; /* broadcasts that woke a thread, or may have */
	uint64_t nr_woken;      /* waits that the broadcasts ended */
	uint64_t nr_in_vain;    /* woken waits after which the thread waited for the same again */
	uint64_t most;          /* waits that one broadcast certainly ended */
	struct syt_place at;    /* the broadcast that ended the most waits */
};

struct syt_contention {
	const struct syt_order *order;
	struct syt_labels *labels;
	size_t nr_locks;
	struct syt_contention_lock *locks; /* most waiting first, then most holding */
	size_t nr_herds;
	struct syt_contention_herd *herds; /* most in vain first */
	/* sums over the locks */
	uint64_t nr_acquired, nr_waits, nr_untold, nr_unended;
	uint64_t nr_unknown_locks; /* state FOREIGN or PRESHARED */
	uint64_t nr_inferred;      /* semaphores that were used as locks */
	/* other semaphores, file locks and futexes: not examined, although they may be locks */
	uint64_t nr_others;
	syt_time waited, by_kind[SYT_NR_BLAMES];
	/* wake-ups by one of several call paths, or by a signal of the condition */
	uint64_t nr_ambiguous_wakeups;
};

/* Fills C.  ORDER must contain its causal edges.  ORDER and LABELS must outlive C. */
void syt_contention_open(struct syt_contention *c, const struct syt_order *order,
                         struct syt_labels *labels);
void syt_contention_close(struct syt_contention *c);

/* Merges the NR blames of ALL with one cause and one waiter, and sorts the sums, longest first. Returns
 * the number of sums. */
size_t syt_contention_sum_blames(struct syt_contention_blame *all, size_t nr);

/* Fills C->herds, worst first, and C->nr_ambiguous_wakeups. Only syt_contention_open() calls it. */
void syt_herds_find(struct syt_contention *c);

/* Returns whether the waits for L took at least LEAST_THOUSANDTHS of its threads' lifetime. */
bool syt_contention_stands_out(const struct syt_contention_lock *l, unsigned least_thousandths);
/* Returns whether two or more threads waited at half of the releases of L or more. A lock with fewer
 * than 16 releases, or fewer than 3 waiters, is no convoy. */
bool syt_contention_is_convoy(const struct syt_contention_lock *l);
/* Returns whether a broadcast wakes three or more threads on average, at least half in vain. */
bool syt_contention_is_herd(const struct syt_contention_herd *h);

/* ---- the output: the report of the view is a struct syt_contention ---- */

#define SYT_CONTENTION_LEAST 10u /* default limit for findings: thousandths of the threads' time */

/* Prints the whole report, as text or as JSON lines. */
void syt_contention_list(const struct syt_view *v);

/* Parts of the text: one line of sums, and the findings in sentences.  Both write to OUT. */
void syt_contention_headline(struct syt_out *out, const struct syt_view *v);
void syt_contention_findings(struct syt_out *out, const struct syt_view *v);
void syt_contention_put_lock(struct syt_out *out, const struct syt_view *v,
                             const struct syt_contention_lock *l);

/* The report's part of diagnose and of the HTML page. */
void syt_contention_find(const struct syt_view *v, struct syt_finding *f, struct syt_html *page);

#endif
