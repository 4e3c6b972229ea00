/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Holdings: the times in which threads held a lock. Locks are mutexes, spin locks, the locks of stdio streams,
 * read-write locks, and semaphores that were used as locks (decoder/analysis/lockset.h).
 *
 * A holding begins when the call that acquired the lock returned. A holding ends when the same thread calls the
 * release. The true holding is at least as long. A wait for a condition variable ends one holding and begins
 * another. A wait that had not returned when the trace ended ends a holding, too. Only the outermost acquisition of a recursive mutex counts. Uncertain holdings are left out and counted.
 */
#ifndef SYT_DECODER_ANALYSIS_HOLDING_H
#define SYT_DECODER_ANALYSIS_HOLDING_H

#include "decoder/order/order.h"

struct syt_holding {
	syt_time from, to; /* begin and end; end UINT64_MAX if the trace has no release */
	struct syt_place acquire;
	struct syt_place release; /* thread SYT_NONE: no event of the trace is the release */
	bool is_shared;
};

enum syt_holdings_state {
	SYT_HOLDINGS_GOOD,
	SYT_HOLDINGS_FOREIGN,   /* a thread released the lock without holding it */
	SYT_HOLDINGS_PRESHARED, /* unidentified shared memory: other processes may use the lock */
};

struct syt_holdings {
	enum syt_holdings_state state; /* if not GOOD: the holders are unknown, so no holdings */
	size_t nr, room;
	struct syt_holding *all; /* holdings that have ended, sorted by their ends */
	size_t nr_open, room_open;
	struct syt_holding *open; /* holdings that had not ended at the end of the trace */
	uint64_t nr_unended;      /* number of acquisitions without a release before the next one */
	uint64_t nr_unbegun;      /* number of releases without an acquisition */
};

/* Returns true if objects of KIND are locks. A semaphore has holdings only if it is used as a lock. */
bool syt_holdings_has_kind(enum syt_kind kind);

enum syt_holdings_step {
	SYT_HOLDINGS_NONE,
	SYT_HOLDINGS_ACQUIRE,
	SYT_HOLDINGS_SHARE,
	SYT_HOLDINGS_RELEASE
};

/* Returns how the event T changes the holdings of its object. */
enum syt_holdings_step syt_holdings_step(const struct syt_places *places,
                                         const struct syt_touch *t);

/* Fills H with the holdings of the lock OBJECT (trace-wide number). */
void syt_holdings_open(struct syt_holdings *h, const struct syt_order *o, uint32_t object);
/* The same in steps, for a caller that never has the whole history in memory: begins with H, adds the next NR touches of
 * the lock each time, and ends. With ONLY_COUNTS, holdings that have ended are only counted: H->all stays NULL. */
struct syt_holdings_builder *syt_holdings_begin(struct syt_holdings *h, const struct syt_order *o,
                                                uint32_t object, bool only_counts);
void syt_holdings_add(struct syt_holdings_builder *b, const struct syt_touch *all, uint64_t nr);
void syt_holdings_end(struct syt_holdings_builder *b); /* frees B */
void syt_holdings_close(struct syt_holdings *h);

/* Finds the next call, behind row *ROW, that the holder made during the holding H and that lasted 10 us or more.
 * Begin with *ROW as the row of H->acquire. Sets *ROW and returns the time of the call, cut to the holding; 0: there is no
 * further call. The lock was held across this call. */
syt_time syt_holding_next_call(const struct syt_places *places, const struct syt_holding *h,
                               uint32_t *row);

/* Stores in LOCKS the locks (trace-wide numbers; no semaphores) that the thread of AT held when it made the call AT:
 * at most MOST locks, the last acquired first. Examines a limited number of earlier events. Returns the number of
 * locks. */
size_t syt_holdings_at(const struct syt_order *o, struct syt_place at, uint32_t *locks,
                       size_t most);

/* Returns the number N of holdings that had ended by UNTIL: h->all[0] to h->all[N - 1]. Searches from *NEAR, which may be any
 * number, and stores N there. */
size_t syt_holdings_until(const struct syt_holdings *h, syt_time until, size_t *near);

#endif
