/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Replays the recorded order with changed durations, and computes the new time of each event.
 *
 * Each thread makes its recorded calls in their order. Its running time, and calls that no other
 * event ended, keep their length, or the part that the change leaves. A wait ends as long after the
 * event that ended it as recorded, or at once if that event is in the past. The holders of a lock
 * keep their order, unless the lock is removed. Without a change all times are the recorded times.
 * doc/reports.md lists the limits. Memory: 16 bytes for an event, in the store. One thread at a time.
 */
#ifndef SYT_DECODER_REPORT_WHAT_IF_REPLAY_H
#define SYT_DECODER_REPORT_WHAT_IF_REPLAY_H

#include "decoder/order/order.h"

#define SYT_REPLAY_WHOLE 1000u

struct syt_replay_change {
	/* Returns the thousandths that are left of THREAD's (trace-wide) running time between the events
	 * in rows BEGIN and END; if BEGIN equals END, of the call in that row. NULL: all. */
	unsigned (*left)(void *context, uint32_t thread, uint32_t begin, uint32_t end);
	void *context;
	const bool
		*is_removed; /* [object]: whether it is a removed lock; NULL: no lock is removed */
};

struct syt_replay {
	const struct syt_order *order;
	struct syt_replayed {
		syt_time in, out;
	} * *times;          /* replayed times, by thread and row */
	syt_time begin, end; /* begin of the first and end of the last event */
	syt_time error;      /* the largest difference of an event's time from the recorded time */
	uint64_t
		nr_late; /* happens-before edges of a damaged or interrupted event, which are not used */
	uint64_t nr_followed; /* waits that an event of another thread ended */
	uint64_t nr_kept;     /* calls with a length that no known event ended */
	syt_time kept;        /* recorded length of the calls in nr_kept */
};

/* Replays ORDER, which must hold all happens-before edges and outlive R. */
void syt_replay_open(struct syt_replay *r, const struct syt_order *order,
                     const struct syt_replay_change *change);
void syt_replay_close(struct syt_replay *r);

#endif
