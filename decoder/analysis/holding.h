/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Who held a lock from when to when: mutexes, spin locks, stdio streams' locks, read-write locks, and
 * semaphores that were used as locks (decoder/analysis/lockset.h).
 *
 * A holding goes from the `out` of an acquisition to the `in` of the release by the same thread, so it
 * lies inside of the true one.  A cond wait ends one and begins another; of a recursive mutex only the
 * outermost counts.  What is not certain is left out and counted.
 */
#ifndef SYT_DECODER_ANALYSIS_HOLDING_H
#define SYT_DECODER_ANALYSIS_HOLDING_H

#include "decoder/history/history.h"

struct syt_holding {
	syt_time from, to; /* to: UINT64_MAX when it had not ended by the end of the trace */
	struct syt_place acquire, release; /* release: thread SYT_NONE when there is none */
	bool is_shared;
};

enum syt_holdings_state {
	SYT_HOLDINGS_GOOD,
	SYT_HOLDINGS_FOREIGN, /* a thread releases it that does not hold it: who holds it is unknown */
	SYT_HOLDINGS_PRESHARED, /* in shared memory whose identity is unknown: others may use it */
};

struct syt_holdings {
	enum syt_holdings_state state; /* but for GOOD there are no holdings */
	size_t nr, room;
	struct syt_holding *all; /* that have ended, in the order of their ends */
	size_t nr_open, room_open;
	struct syt_holding *open; /* that had not, by the end of the trace */
	/* others got it, so it must have ended, and the release is not there */
	uint64_t nr_unended;
	uint64_t nr_unbegun; /* a release whose acquisition is missing */
};

/* A kind of object whose holdings syt_holdings_open() tells; beside semaphores. */
bool syt_holdings_has_kind(enum syt_kind kind);

enum syt_holdings_step {
	SYT_HOLDINGS_NONE,
	SYT_HOLDINGS_ACQUIRE,
	SYT_HOLDINGS_SHARE,
	SYT_HOLDINGS_RELEASE
};

/* What a touch does to such an object. */
enum syt_holdings_step syt_holdings_step(const struct syt_places *places,
                                         const struct syt_touch *t);

void syt_holdings_open(struct syt_holdings *h, const struct syt_places *places,
                       const struct syt_objects *objects, const struct syt_histories *histories,
                       uint32_t object);
void syt_holdings_close(struct syt_holdings *h);

/* How many of H, which are in the order of their ends, had ended at UNTIL. */
size_t syt_holdings_until(const struct syt_holdings *h, syt_time until);

#endif
