/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Blame: charges each instant of a wait to its cause at this instant.
 *
 * The cause of a wait for a lock is the thread that held the lock, with the call path of its acquisition. If this
 * holder was itself in a call at an instant, the blame for this instant is passed on:
 *
 * - A holder that waited for another lock passes the blame to the holders of that lock.
 * - If a happens-before edge shows which thread ended the holder's wait, the blame goes to that thread.
 * - Otherwise the call of the holder is the cause, for example a sleep or a read from a disk.
 *
 * The same rules apply to each thread that gets the blame. Example: thread A waits for a mutex that thread B holds,
 * and B waits for a message from thread C. The time is charged to the calls of C, or to C itself while C ran
 * between its calls. A thread between its calls may be on a CPU or not: `cpu` tells how much of the time is known.
 *
 * A wait is split into pieces that do not overlap and together are as long as the wait. Times have the type
 * syt_time. Only one thread at a time may use a struct syt_blamer. doc/reports.md ("Contention") states the limits.
 */
#ifndef SYT_DECODER_ANALYSIS_BLAME_H
#define SYT_DECODER_ANALYSIS_BLAME_H

#include "decoder/order/label.h"
#include "decoder/analysis/cpu_time.h"
#include "decoder/analysis/holding.h"
#include "decoder/analysis/lockset.h"

/* clang-format off */
#define SYT_BLAMES(BLAME) \
	BLAME(HELD,     "held",      "the lock holder was between two calls")                        \
	BLAME(CALL,     "call",      "the lock holder was in a call")                                \
	BLAME(RUNNING,  "running",   "the thread for which the lock holder waited was between two calls") \
	BLAME(HANDOVER, "hand-over", "hand-off: from the release until the waiter ran")              \
	BLAME(UNSEEN,   "unseen",    "unknown: the trace does not show the lock holder")             \
	BLAME(CUT,      "cut",       "unknown: the chain of causes is too long to follow") \
	BLAME(NOT_SAMPLED, "not-sampled", "not sampled: the sampler left out the calls of the thread that caused the wait")

#define SYT_BLAME_ID(name_, ...) SYT_BLAME_##name_,
enum syt_blame_kind { SYT_BLAMES(SYT_BLAME_ID) SYT_NR_BLAMES };
/* clang-format on */

/* One piece of a wait with its cause, or the sum of pieces with equal causes. */
struct syt_blame {
	uint8_t kind;      /* enum syt_blame_kind */
	bool is_passed_on; /* charged to another thread than the holder of the first lock */
	uint32_t side;     /* call path (decoder/order/label.h) of the event `at`, or SYT_NONE */
	uint32_t direct;   /* call path of the acquisition of the first lock, or SYT_NONE */
	/* for HELD and CALL: the held lock; for RUNNING: the object of the happens-before edge; or SYT_NONE */
	uint32_t object;
	syt_time time;
	/* for HELD: the acquisition; for CALL: the call; for RUNNING: the event that the thread ran until */
	struct syt_place at;
	struct syt_cpu_use
		cpu; /* for HELD, RUNNING: the CPU time of the thread in this time; else 0 */
};

struct syt_blames {
	size_t nr, room;
	struct syt_blame *all;
};

/* Blocks of memory (base/store.h) that each store many short lists of holdings. */
struct syt_holding_blocks {
	size_t nr, room;
	size_t nr_in_last; /* number of holdings in the last block */
	struct syt_holding **all;
};

struct syt_blamer {
	const struct syt_order *order;
	struct syt_labels *labels;
	struct syt_lockset locks;
	struct syt_cpu_times cpu;
	struct syt_holdings **holdings; /* [object]: its holdings, or NULL until the first use */
	struct syt_holding_blocks blocks;
	uint64_t nr_edges;
	uint32_t *edges; /* indices of the edges that pass syt_blamer_tells(), by target */
	uint64_t *
		ends; /* [thread]: end of the edges into the thread; the rounds of barriers come behind all threads */
	uint64_t *near;    /* [thread]: result of the last search, near which the next one begins */
	size_t near_holding; /* the same for holdings of locks */
	uint32_t chain[8]; /* threads through which the blame was passed on, the waiter first */
	unsigned depth;
	uint32_t direct;
	uint64_t nr_left; /* number of pieces that the present wait may still get */
	struct syt_blames *out;
};

/* ORDER must contain the happens-before edges of class causal. ORDER and LABELS must outlive the blamer B. */
void syt_blamer_open(struct syt_blamer *b, const struct syt_order *order,
                     struct syt_labels *labels);
/* The same without the edges, for one blamer of several reports. The caller calls syt_blamer_see_edges() before the first
 * wait, and again when the edges of the order have changed. */
void syt_blamer_prepare(struct syt_blamer *b, const struct syt_order *order,
                        struct syt_labels *labels);
void syt_blamer_see_edges(struct syt_blamer *b);
void syt_blamer_close(struct syt_blamer *b);

/* Splits the objects of O into jobs of consecutive objects with similar numbers of events. Returns the number of jobs. *ENDS has for
 * each job the object behind its last one; the caller frees it. */
size_t syt_blamer_share(const struct syt_order *o, uint32_t **ends);

/* Finds the holdings of many locks, in several threads: of the locks for which IS_WANTED [object] is true; NULL: of all. */
void syt_blamer_find_holdings(struct syt_blamer *b, const bool *is_wanted);

/* Returns the holdings of the lock OBJECT (trace-wide number). B owns the result. Several threads may call this function for locks
 * whose holdings were found before. */
const struct syt_holdings *syt_blamer_holdings(struct syt_blamer *b, uint32_t object);

/* Returns true if the edge E may show which thread ended a wait: E is neither inferred nor the edge of a lock. */
bool syt_blamer_tells(const struct syt_edge *e);

/* Returns the last edge (perhaps ambiguous) into the event WAIT that passes syt_blamer_tells(), or SYT_NONE. */
uint32_t syt_blamer_last_into(const struct syt_blamer *b, struct syt_place wait);

/* Returns the happens-before edge that ended the wait WAIT, or SYT_NONE if no edge is certain. */
uint32_t syt_blamer_ended_by(const struct syt_blamer *b, struct syt_place wait);
/* The same for the wait with LAST = syt_blamer_last_into(). */
uint32_t syt_blamer_ended_by_last(const struct syt_blamer *b, uint32_t last);

/* Charges the time [FROM, TO) of the event WAIT, a wait for the lock OBJECT. Appends the pieces to OUT. */
void syt_blame_wait(struct syt_blamer *b, uint32_t object, struct syt_place wait, syt_time from,
                    syt_time to, struct syt_blames *out);

/* Charges the time [FROM, TO) of the event WAIT, which does not wait for a lock. Appends the pieces to OUT. */
void syt_blame_call(struct syt_blamer *b, struct syt_place wait, syt_time from, syt_time to,
                    struct syt_blames *out);

/* Adds the time of the piece FROM to the piece TO. */
static inline void syt_blame_merge(struct syt_blame *to, const struct syt_blame *from)
{
	to->time += from->time;
	syt_cpu_add(&to->cpu, from->cpu);
}

/* Adds up the pieces with the same kind, call paths and object, and sorts the sums by these members. */
void syt_blames_merge(struct syt_blames *blames);
void syt_blames_close(struct syt_blames *blames);

/* Return the word for KIND in JSON, and the text for KIND in sentences. */
const char *syt_blame_word(enum syt_blame_kind kind);
const char *syt_blame_text(enum syt_blame_kind kind);

#endif
