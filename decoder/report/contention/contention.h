/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Contention: how long threads waited for each lock, by the call path that waited, and who held it
 * meanwhile (decoder/analysis/blame.h); how long each call path held it; and whether threads queue up
 * (convoy), or are woken by many to go on waiting (thundering herd).
 *
 * An acquisition is contended when its quick try had failed.  A cond wait takes its mutex back, too:
 * when an edge tells who woke it, its wait for the mutex is the time in which others than the
 * waker's own section held it after that; when not, it is not told apart from the wait for the
 * condition, and counted.
 */
#ifndef SYT_DECODER_REPORT_CONTENTION_CONTENTION_H
#define SYT_DECODER_REPORT_CONTENTION_CONTENTION_H

#include "decoder/analysis/blame.h"
#include "decoder/analysis/spread.h"

/* One call path and one lock. */
struct syt_contention_path {
	uint32_t side;          /* of the acquisition */
	uint64_t nr_acquired;   /* by it */
	struct syt_spread wait; /* of those that had to, and of those that gave up */
	struct syt_spread hold; /* of those whose end is known */
	struct syt_place at;    /* its longest wait, else its longest holding, else any */
};

/* What a call path waited, and what it is charged to. */
struct syt_contention_blame {
	uint32_t waiter;        /* side */
	struct syt_blame blame; /* the sum; `at`: of the longest piece */
	uint64_t nr_waits;      /* of which it has a part */
	struct syt_place wait;  /* one of them: where it has its largest part */
	syt_time largest;       /* which is so long */
};

struct syt_contention_lock {
	uint32_t object;
	bool is_inferred; /* a semaphore that was used as a lock */
	enum syt_holdings_state state;
	uint32_t nr_threads, nr_waiters; /* that used it, and that waited for it */
	uint64_t nr_acquired;            /* in all, with inner ones of a recursive mutex */
	uint64_t nr_busy;                /* tries that failed at once */
	uint64_t nr_given_up;            /* waits that ended without it */
	uint64_t nr_untold;  /* taken back by a cond wait of which nobody knows when it was woken */
	uint64_t nr_unended; /* holdings whose end is not in the trace */
	struct syt_spread wait, hold;
	syt_time by_kind[SYT_NR_BLAMES]; /* sum: wait.total */
	syt_time lifetime;               /* of the threads that used it, in all */
	uint64_t nr_releases, nr_queued; /* releases; threads that waited then, in all */
	uint64_t nr_crowded;             /* releases when two or more waited */
	size_t nr_paths, nr_blames;
	struct syt_contention_path *paths;   /* longest waits first, then longest holds */
	struct syt_contention_blame *blames; /* longest first */
};

/* Broadcasts of a condition variable by one call path, and those that they woke. */
struct syt_contention_herd {
	uint32_t object, side;
	uint64_t nr_broadcasts, nr_woken; /* broadcasts that woke somebody, or may have */
	uint64_t nr_in_vain; /* woken, and waited for the same as the next thing that they did */
	uint64_t most;       /* woken for certain by one */
	struct syt_place at;
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
	uint64_t nr_unknown_locks; /* foreign or preshared */
	uint64_t nr_inferred;      /* semaphores that were used as locks */
	/* other semaphores, files' locks and futexes, which may be locks, too: not looked at */
	uint64_t nr_others;
	syt_time waited, by_kind[SYT_NR_BLAMES];
	uint64_t nr_ambiguous_wakeups; /* by one of several call paths, or by a signal */
};

/* ORDER must hold its causal edges. */
void syt_contention_open(struct syt_contention *c, const struct syt_order *order,
                         struct syt_labels *labels);
void syt_contention_close(struct syt_contention *c);

/* What stands out. LEAST_THOUSANDTHS: the share of the threads' time from which on waiting does. */
bool syt_contention_stands_out(const struct syt_contention_lock *l, unsigned least_thousandths);
/* At half of the releases or more, at least two threads were waiting. */
bool syt_contention_is_convoy(const struct syt_contention_lock *l);
/* Three or more are woken at a time, and most of them in vain. */
bool syt_contention_is_herd(const struct syt_contention_herd *h);

#endif
