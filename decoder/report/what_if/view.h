/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Prints the effect of changes on the recorded times (decoder/report/what_if/replay.h). */
#ifndef SYT_DECODER_REPORT_WHAT_IF_VIEW_H
#define SYT_DECODER_REPORT_WHAT_IF_VIEW_H

#include "decoder/report/what_if/replay.h"
#include "decoder/show/listing.h"

/* A change that the user asked for, and the recorded calls that it affects. */
struct syt_whatif_change {
	const char *function;      /* name of the function that takes less time, or NULL */
	unsigned less_thousandths; /* part of its time that the function saves, in thousandths */
	const char *lock;          /* pattern of the names of removed locks, or NULL */
	uint64_t nr_calls;         /* number of calls in the function */
	uint64_t nr_tasks;         /* number of stretches between two calls in the function */
	uint64_t
		/* number of stretches between two calls of which one is in the function: they may belong to it */
		nr_possible;
	syt_time calls, tasks, possible;
	uint64_t nr_locks, nr_acquired, nr_waits;
	syt_time waited;
};

/* The result of the replay; the member `report` of a struct syt_view points to it. */
struct syt_whatif {
	const struct syt_replay *without; /* replay without a change */
	const struct syt_replay *with;    /* replay with the changes; NULL: no change was named */
	const struct syt_whatif_change *changes;
	size_t nr_changes;
	syt_time from; /* recorded begin of the first event */
	/* Times from the first to the last event of the trace. most_ns: as if all possible stretches belonged to
	 * the functions. */
	uint64_t recorded_ns, replayed_ns, expected_ns, most_ns;
};

void syt_whatif_list(const struct syt_view *v);

#endif
