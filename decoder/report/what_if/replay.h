/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Replays the recorded order with changed durations, and computes the new time of each event.
 *
 * In the replay, each thread makes its recorded calls in their order. The running time of a thread, and calls that
 * no event of another thread ended, keep their recorded length, or the part that the change leaves. A wait ends as
 * long after the event that ended it as recorded, or at once if that event is in the past. The holders of a lock
 * keep their order, unless the lock is removed. Without a change all times are the recorded times. doc/reports.md
 * lists the limits of the method. The replay uses 16 bytes of the store (base/store.h) for each event. Only one
 * thread at a time may use it.
 */
#ifndef SYT_DECODER_REPORT_WHAT_IF_REPLAY_H
#define SYT_DECODER_REPORT_WHAT_IF_REPLAY_H

#include "decoder/order/order.h"

#define SYT_REPLAY_WHOLE 1000u

struct syt_replay_change {
	/* Returns how many thousandths remain of the time that THREAD (trace-wide) ran between the events in rows
	 * BEGIN and END. If BEGIN equals END, the result is for the call in that row. NULL: all times remain. */
	unsigned (*left)(void *context, uint32_t thread, uint32_t begin, uint32_t end);
	void *context;
	const bool
		*is_removed; /* [object]: true if it is a removed lock; NULL: no lock is removed */
};

struct syt_replay {
	const struct syt_order *order;
	struct syt_replayed {
		syt_time in, out;
	} * *times;          /* replayed times, by thread and row */
	syt_time begin, end; /* begin of the first and end of the last event */
	/* largest difference between the replayed and the recorded time of an event */
	syt_time error;
	uint64_t
		/* number of happens-before edges of a damaged or interrupted event, which are not used */
		nr_late;
	uint64_t nr_followed; /* number of waits that an event of another thread ended */
	uint64_t nr_kept;     /* number of calls with a duration that no known event ended */
	syt_time kept;        /* recorded duration of the calls that nr_kept counts */
};

/* Replays ORDER and stores the result in R. ORDER must contain all happens-before edges and outlive R. */
void syt_replay_open(struct syt_replay *r, const struct syt_order *order,
                     const struct syt_replay_change *change);
void syt_replay_close(struct syt_replay *r);

#endif
