/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Holdings: the times in which threads held a lock.  Covers mutexes, spin locks, the locks of stdio
 * streams, read-write locks, and semaphores that were used as locks (decoder/analysis/lockset.h).
 *
 * A holding goes from the `out` of an acquisition to the `in` of the release by the same thread, so it
 * lies inside the true holding.  A cond wait ends one holding and begins another.  For a recursive mutex
 * only the outermost acquisition counts.  Uncertain holdings are left out and counted.
 */
#ifndef SYT_DECODER_ANALYSIS_HOLDING_H
#define SYT_DECODER_ANALYSIS_HOLDING_H

#include "decoder/order/order.h"

struct syt_holding {
	syt_time from, to; /* to: UINT64_MAX if it had not ended at the end of the trace */
	struct syt_place acquire, release; /* release.thread: SYT_NONE if there is no release */
	bool is_shared;
};

enum syt_holdings_state {
	SYT_HOLDINGS_GOOD,
	SYT_HOLDINGS_FOREIGN, /* a thread released it without holding it: its holders are unknown */
	SYT_HOLDINGS_PRESHARED, /* in shared memory of unknown identity: other processes may use it */
};

struct syt_holdings {
	enum syt_holdings_state state; /* there are holdings only if it is GOOD */
	size_t nr, room;
	struct syt_holding *all; /* holdings that have ended, sorted by their ends */
	size_t nr_open, room_open;
	struct syt_holding *open; /* holdings that had not ended at the end of the trace */
	/* acquisitions without a release, although another thread acquired the lock later */
	uint64_t nr_unended;
	uint64_t nr_unbegun; /* releases without an acquisition */
};

/* Returns whether objects of KIND always have holdings.  Semaphores have holdings only if they are in the
 * lockset. */
bool syt_holdings_has_kind(enum syt_kind kind);

enum syt_holdings_step {
	SYT_HOLDINGS_NONE,
	SYT_HOLDINGS_ACQUIRE,
	SYT_HOLDINGS_SHARE,
	SYT_HOLDINGS_RELEASE
};

/* Returns how T changes the holdings of its object. */
enum syt_holdings_step syt_holdings_step(const struct syt_places *places,
                                         const struct syt_touch *t);

/* Fills H with the holdings of OBJECT (trace-wide). */
void syt_holdings_open(struct syt_holdings *h, const struct syt_order *o, uint32_t object);
void syt_holdings_close(struct syt_holdings *h);

/* Returns the number of holdings that had ended at UNTIL: h->all[0] to h->all[N - 1]. */
size_t syt_holdings_until(const struct syt_holdings *h, syt_time until);

#endif
