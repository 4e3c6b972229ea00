/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* When somebody else's wait depended on what a thread did: for its answer, its lock, its end. */
#ifndef SYT_DECODER_AWAITED_H
#define SYT_DECODER_AWAITED_H

#include "decoder/report/blame.h"
#include "decoder/report/service.h"

/* Fills D, sorted by thread and time; takes what SERVICES has. */
void syt_awaited_gather(struct syt_demands *d, struct syt_blamer *blamer,
                        struct syt_services *services);

/* Instants of one thread, as disjoint spans in order of time. */
struct syt_awaited_spans {
	uint64_t nr, next; /* next: those before it end before what is asked for */
	size_t room;
	struct syt_demand *all;
};

struct syt_awaited {
	uint64_t next; /* demand of the next thread */
	/* [enum syt_demand_level]: of that one or a stronger one */
	struct syt_awaited_spans levels[4];
};

/* Of THREAD; threads in ascending order. A starts out as zeros. */
void syt_awaited_begin(struct syt_awaited *a, const struct syt_demands *d, uint32_t thread);
void syt_awaited_close(struct syt_awaited *a);

/* How much of [FROM, TO) there was a demand of LEVEL or stronger; FROM must not go back. */
syt_time syt_awaited_part(struct syt_awaited *a, enum syt_demand_level level, syt_time from,
                          syt_time to);

#endif
