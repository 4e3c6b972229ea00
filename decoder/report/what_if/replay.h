/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * The recorded order once more, with changed durations: when everything would have happened.
 *
 * Each thread does what it did, in its order. What it ran, and calls that nobody else ended, take the
 * time that they took, or what is left of it. A wait ends as long after what ended it as it did; and at
 * once when that has come already. Who has a lock after whom stays as recorded, unless the lock is
 * removed. Without a change all times are the recorded ones. doc/reports.md says what that cannot know.
 *
 * Memory: 16 bytes for an event, in the store. One thread at a time.
 */
#ifndef SYT_DECODER_REPORT_WHAT_IF_REPLAY_H
#define SYT_DECODER_REPORT_WHAT_IF_REPLAY_H

#include "decoder/order/order.h"

#define SYT_REPLAY_WHOLE 1000u

struct syt_replay_change {
	/* How many thousandths of it are left of what THREAD (trace-wide) ran between its events in
	 * the rows BEGIN and END; or of the call in row BEGIN, when it is END, too. NULL: all. */
	unsigned (*left)(void *context, uint32_t thread, uint32_t begin, uint32_t end);
	void *context;
	const bool *is_removed; /* [object]: a lock that is not there any more; NULL: none */
};

struct syt_replay {
	const struct syt_order *order;
	struct syt_replayed {
		syt_time in, out;
	} * *times;          /* [thread][row] */
	syt_time begin, end; /* of all */
	syt_time error;      /* the most that an event's times differ from the recorded ones */
	/* edges that could not be regarded: a damaged or an interrupted event's */
	uint64_t nr_late;
	uint64_t nr_followed; /* waits that others ended */
	uint64_t nr_kept;     /* calls with a length that nobody is known to have ended */
	syt_time kept;        /* and how long these took, as recorded */
};

/* ORDER must hold all edges, and outlive R. */
void syt_replay_open(struct syt_replay *r, const struct syt_order *order,
                     const struct syt_replay_change *change);
void syt_replay_close(struct syt_replay *r);

#endif
