/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* When somebody else's wait depended on what a thread did: for its answer, its lock, its end. */
#ifndef SYT_DECODER_REPORT_WAITS_DEMAND_H
#define SYT_DECODER_REPORT_WAITS_DEMAND_H

#include "decoder/analysis/blame.h"
#include "decoder/report/waits/service.h"

/* Fills D, sorted by thread and time; takes what SERVICES has. */
void syt_demand_gather(struct syt_demands *d, struct syt_blamer *blamer,
                       struct syt_services *services);

/* Instants of one thread, as disjoint spans in order of time. */
struct syt_demand_spans {
	uint64_t nr, next; /* next: those before it end before what is asked for */
	size_t room;
	struct syt_demand *all;
};

struct syt_demand_cursor {
	uint64_t next; /* demand of the next thread */
	/* [enum syt_demand_level]: of that one or a stronger one */
	struct syt_demand_spans levels[4];
};

/* Of THREAD; threads in ascending order. A starts out as zeros. */
void syt_demand_cursor_begin(struct syt_demand_cursor *a, const struct syt_demands *d,
                             uint32_t thread);
void syt_demand_cursor_close(struct syt_demand_cursor *a);

/* How much of [FROM, TO) there was a demand of LEVEL or stronger; FROM must not go back. */
syt_time syt_demand_part(struct syt_demand_cursor *a, enum syt_demand_level level, syt_time from,
                         syt_time to);

#endif
