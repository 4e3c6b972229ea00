/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* What a change would make of the recorded times (decoder/report/what_if/replay.h), for people and as JSON. */
#ifndef SYT_DECODER_REPORT_WHAT_IF_VIEW_H
#define SYT_DECODER_REPORT_WHAT_IF_VIEW_H

#include "base/out.h"
#include "decoder/report/what_if/replay.h"

/* A function that takes less of its time, or a lock that is not there, and what that concerns. */
struct syt_whatif {
	const char *function;                     /* or NULL */
	unsigned less_thousandths;                /* of its time */
	const char *lock;                         /* or NULL */
	uint64_t nr_calls, nr_tasks, nr_possible; /* calls in it; what ran between two; or maybe */
	syt_time calls, tasks, possible;          /* as recorded */
	uint64_t nr_locks, nr_acquired, nr_waits;
	syt_time waited;
};

struct syt_whatif_view {
	const struct syt_order *order;
	const struct syt_replay *without; /* a change */
	const struct syt_replay *with;    /* NULL: no change was asked for */
	const struct syt_replay *most; /* with all that is only possibly in a function; or NULL */
	const struct syt_whatif *changes;
	size_t nr_changes;
	syt_time from, to; /* recorded */
};

void syt_whatif_text(struct syt_out *out, const struct syt_whatif_view *v);
void syt_whatif_json(struct syt_out *out, const struct syt_whatif_view *v);

#endif
