/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Causes: the reasons why threads with work to do could not go on, or did useless work. Each cause names its
 * mechanism, its object and its call paths, and has counts. doc/reports.md ("Causes") states the rules.
 *
 * The cost of a cause is the time of threads that had work to do and could not do it. A useless return of a
 * call costs its duration, and a useless wake-up costs SYT_CAUSE_SWITCH_NS. The cost orders causes of different
 * kinds. Only causes that pass the limits of their kind are kept, so a healthy program has none.
 *
 * Only one thread at a time may use a struct syt_causes.
 */
#ifndef SYT_DECODER_ANALYSIS_CAUSE_H
#define SYT_DECODER_ANALYSIS_CAUSE_H

#include "decoder/analysis/blame.h"

/* The kinds of causes: word in JSON. A program with the cause has ... */
/* clang-format off */
#define SYT_CAUSES(CAUSE)                                                                                     \
	CAUSE(HELD_ACROSS_CALL,  "held-across-call")  /* a lock that a thread held during a long call */      \
	CAUSE(HELD_ACROSS_WAIT,  "held-across-wait")  /* ... while it waited for another thread */            \
	CAUSE(HELD_LONG,         "lock-contention")   /* a lock that was held for most of the time */         \
	CAUSE(HELD_WITHOUT_CPU,  "held-without-cpu")  /* a lock holder that was ready, but had no CPU */      \
	CAUSE(HANDOVER,          "hand-over")         /* waits after the release of the lock */               \
	CAUSE(STARVED,           "starvation")        /* holders that left no gap for a writer or reader */   \
	CAUSE(HERD,              "thundering-herd")   /* broadcasts that woke threads without work */         \
	CAUSE(FALSE_WAKEUP,      "false-wake-up")     /* signals that woke a thread without work */           \
	CAUSE(MISSED_SIGNAL,     "missed-signal")     /* waits that timed out after a signal was lost */      \
	CAUSE(LATE_ARRIVAL,      "late-arrival")      /* a thread that is last at most rounds of a barrier */ \
	CAUSE(SEMAPHORE_LIMIT,   "semaphore-limit")   /* a semaphore that lets few threads in */              \
	CAUSE(POLLING,           "polling")           /* a thread that sleeps and checks without a result */  \
	CAUSE(TIMEOUTS,          "short-timeouts")    /* waits with a short timeout that timed out */         \
	CAUSE(BUSY_TRY,          "busy-try")          /* attempts without a wait that failed in a row */      \
	CAUSE(BUSY_READY,        "busy-readiness")    /* readiness calls that returned without work */        \
	CAUSE(STOLEN_READY,      "readiness-herd")    /* ... because another thread took the work */          \
	CAUSE(SLOW_CONSUMER,     "slow-consumer")     /* waits for free places in a queue or channel */       \
	CAUSE(SMALL_POOL,        "small-pool")        /* work that waited while all workers were busy */      \
	CAUSE(ROUND_TRIPS,       "round-trips")       /* requests that needed many round trips */             \
	CAUSE(STOP_AND_WAIT,     "stop-and-wait")     /* a wait for an acknowledgement after each send */     \
	CAUSE(DELAYED_ACK,       "delayed-ack")       /* small sends that wait for an acknowledgement */      \
	CAUSE(SHORT_THREADS,     "short-threads")     /* threads for short tasks */                           \
	CAUSE(SHORT_PROCESSES,   "short-processes")   /* processes for short tasks */                         \
	CAUSE(SHORT_CONNECTIONS, "short-connections") /* connections for one or two requests */       \
	CAUSE(ACCEPT_QUEUE,      "accept-queue")      /* connections that wait for a busy accepter */ \
	CAUSE(SLOW_HANDLER,      "slow-handler")      /* an event loop that a handler blocks */ \
	CAUSE(TINY_TRANSFERS,    "tiny-transfers")    /* many sends or receives of few bytes */ \
	CAUSE(SENT_AGAIN,        "sent-again")        /* receives that timed out, and then the data is sent again */ \
	CAUSE(TIMER_WAIT,        "timer-wait")        /* work that waits until a timeout, although a signal came */ \
	CAUSE(FLUSHES,           "flushes")           /* one flush to the disk for each record */

#define SYT_CAUSE_ID(name_, ...) SYT_CAUSE_##name_,
enum syt_cause_kind { SYT_CAUSES(SYT_CAUSE_ID) SYT_NR_CAUSES };
/* clang-format on */

#define SYT_CAUSE_SWITCH_NS                                                                        \
	20000u /* assumed cost of a useless wake-up: two context switches and cold caches */
#define SYT_CAUSE_LEAST 50u /* least cost of a cause, in thousandths of the observed time */
#define SYT_CAUSE_LEAST_OWN                                                                        \
	100u /* least cost in thousandths of the lifetime of the affected threads */

struct syt_cause {
	uint8_t kind;    /* enum syt_cause_kind */
	bool is_convoy;  /* threads queued at most releases of the lock */
	bool is_shared;  /* STARVED: the holders were readers */
	uint32_t object; /* trace-wide, or SYT_NONE */
	/* call paths (decoder/order/label.h), or SYT_NONE: where threads lost time; the acquisition, signal,
	 * creation or other event that began the cause; the call in which the causing thread spent most of the
	 * time */
	uint32_t waiter, origin, inside;
	uint32_t
		ender; /* HELD_ACROSS_WAIT: the call of the thread for which the holder waited, or SYT_NONE */
	uint32_t thread;     /* the causing thread, or SYT_NONE */
	uint32_t nr_threads; /* number of threads that lost time */
	/* MISSED_SIGNAL: number of condition variables with a missed signal; SHORT_CONNECTIONS: number of sends before
	 * the request */
	uint64_t nr_objects;
	uint64_t nr, of;     /* number of occurrences, and of cases in which one was possible */
	uint64_t
		limit; /* count of the semaphore, size of the pool, number of round trips of one request, ... */
	syt_time cost, mean;         /* time lost; mean time of an occurrence */
	syt_time of_wall;            /* lifetime of the threads that lost time */
	syt_time queued;             /* SMALL_POOL: mean time for which a task waits for a worker */
	unsigned inside_thousandths; /* share of `inside` in the causing time */
	/* share of the observed time in which the lock was held; HELD_WITHOUT_CPU: CPU share of the holder */
	unsigned busy_thousandths;
	/* examples of a loss, of its origin, and of the call `inside`; thread SYT_NONE: none */
	struct syt_place at, by, in;
};

struct syt_causes {
	const struct syt_order *order;
	syt_time observed; /* length of the trace */
	size_t nr, room;
	struct syt_cause *all; /* highest cost first, once sorted */
	/* waits for locks whose waiter got no CPU for a long time after the release, and this time */
	uint64_t nr_late_wakes;
	syt_time late_wakes;
};

/* ORDER must outlive C. */
void syt_causes_open(struct syt_causes *c, const struct syt_order *order);
void syt_causes_close(struct syt_causes *c);

/* Adds CAUSE, which has passed the limits of its kind. */
void syt_causes_add(struct syt_causes *c, struct syt_cause cause);

/* Adds all causes other than locks and wake-ups of condition variables, which decoder/report/contention/ adds.
 * Then sorts all causes, and drops a cause that a greater cause explains. BLAMER has the order of C. */
void syt_causes_find(struct syt_causes *c, struct syt_blamer *blamer);

/* Returns true if COST is at least SYT_CAUSE_LEAST of the observed time, and SYT_CAUSE_LEAST_OWN of WALL. */
bool syt_cause_is_large(const struct syt_causes *c, syt_time cost, syt_time wall);
/* Returns true if NR occurrences are at least PER_SECOND in the observed time. */
bool syt_cause_is_frequent(const struct syt_causes *c, uint64_t nr, unsigned per_second);

/* Returns the word for KIND in JSON. */
const char *syt_cause_word(enum syt_cause_kind kind);

/* ---- for the parts of syt_causes_find() ---- */

struct syt_cause_search {
	struct syt_causes *causes;
	const struct syt_order *order;
	struct syt_labels *labels; /* of the blamer */
	struct syt_blamer *blamer;
};

/* Time by call path: where threads spent a span of time. */
#define SYT_CAUSE_MOST_SIDES 32u
struct syt_cause_tally {
	unsigned nr;
	syt_time total; /* all time, in calls and between them */
	struct syt_cause_part {
		uint32_t side;
		syt_time time;
		syt_time most; /* the longest call, `at` */
		struct syt_place at;
	} all[SYT_CAUSE_MOST_SIDES];
};

/* Adds the time of thread THREAD from the end of event FROM to the begin of event TO: its calls in between, and
 * their call paths. */
void syt_cause_spend(const struct syt_cause_search *s, struct syt_cause_tally *t, uint32_t thread,
                     uint32_t from, uint32_t to);
/* Adds TIME at the call path of the event AT. */
void syt_cause_spend_at(const struct syt_cause_search *s, struct syt_cause_tally *t,
                        struct syt_place at, syt_time time);
/* Returns the call path with the most time, or NULL. */
const struct syt_cause_part *syt_cause_most(const struct syt_cause_tally *t);
/* Sets the members `inside`, `inside_thousandths` and `in` of CAUSE, if one call path has at least half of the
 * time of T. */
void syt_cause_set_inside(struct syt_cause *cause, const struct syt_cause_tally *t);

/* Returns the time from the first to the last event of THREAD. */
syt_time syt_cause_life(const struct syt_order *o, uint32_t thread);
/* Returns the trace-wide object of the event AT, or SYT_NONE. */
uint32_t syt_cause_object(const struct syt_order *o, struct syt_place at);
/* Returns true if the call AT waits for another thread of the program. More threads that make this call do not help. */
bool syt_cause_is_lock_call(const struct syt_order *o, struct syt_place at);

/* Returns true if the call C writes a file to its disk. */
bool syt_cause_is_flush(const struct syt_call_info *c);
/* Returns true if the wait R, a call C, ran to its timeout. */
bool syt_cause_has_timed_out(const struct syt_call_info *c, const struct syt_row *r);

/* Stores the first value of the semaphore OBJECT. Returns false if it is unknown. */
bool syt_cause_first_value(const struct syt_order *o, uint32_t object, uint64_t *value);

/* The parts. Each adds the causes of some kinds. */
void syt_cause_find_missed_signals(const struct syt_cause_search *s);
void syt_cause_find_barriers(const struct syt_cause_search *s);
void syt_cause_find_semaphores(const struct syt_cause_search *s);
void syt_cause_find_polls(const struct syt_cause_search *s);
void syt_cause_find_readiness(const struct syt_cause_search *s);
void syt_cause_find_queues(const struct syt_cause_search *s);
void syt_cause_find_round_trips(const struct syt_cause_search *s);
void syt_cause_find_backlogs(const struct syt_cause_search *s);
void syt_cause_find_slow_handlers(const struct syt_cause_search *s);
void syt_cause_find_tiny_transfers(const struct syt_cause_search *s);
void syt_cause_find_deadlines(const struct syt_cause_search *s);
void syt_cause_find_flushes(const struct syt_cause_search *s);
void syt_cause_find_delayed_acks(const struct syt_cause_search *s);
void syt_cause_find_lives(const struct syt_cause_search *s);

#endif
