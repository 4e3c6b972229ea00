/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The output of what-if: the effect of changes on the recorded times (decoder/report/what_if/replay.h). */
#ifndef SYT_DECODER_REPORT_WHAT_IF_VIEW_H
#define SYT_DECODER_REPORT_WHAT_IF_VIEW_H

#include "decoder/report/what_if/replay.h"
#include "decoder/show/listing.h"

/* A change that the user asked for, and the recorded times that it affects. */
struct syt_whatif_change {
	const char *function;      /* takes less time; or NULL */
	unsigned less_thousandths; /* of its time */
	const char *lock;     /* pattern of the names of locks that exclude no thread; or NULL */
	uint64_t nr_calls;    /* in the function */
	uint64_t nr_tasks;    /* stretches between two calls in the function */
	uint64_t nr_possible; /* stretches with one end in the function: they may belong to it */
	syt_time calls, tasks, possible;
	uint64_t nr_locks, nr_acquired, nr_waits;
	syt_time waited;
};

#define SYT_WHATIF_NONE SYT_CELL_NONE /* there was no such replay */

/* The report of a syt_view. */
struct syt_whatif {
	const struct syt_replay *without; /* any change */
	const struct syt_replay *with;    /* NULL: no change was asked for */
	const struct syt_whatif_change *changes;
	size_t nr_changes;
	syt_time from; /* the recorded begin */
	/* From the first event to the last.  MOST: all possible stretches belong to the functions. */
	uint64_t recorded_ns, replayed_ns, expected_ns, most_ns;
};

void syt_whatif_list(const struct syt_view *v);

#endif
