/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Demands: the times in which the wait of another thread depended on a thread.
 *
 * A demand on a thread is a span of time in which another thread waited for its answer, its lock or its end (enum
 * syt_demand_level). A sleep or an idle wait is harmless outside of demands. The part of such a wait inside of
 * demands is harmful (reason "awaited") or undecided (reason "joined").
 */
#ifndef SYT_DECODER_REPORT_WAITS_DEMAND_H
#define SYT_DECODER_REPORT_WAITS_DEMAND_H

#include "decoder/analysis/blame.h"
#include "decoder/analysis/service.h"

/* Fills D with all demands, sorted by thread and time. Moves the demands that SERVICES contains into D. The caller
 * frees D with syt_demands_close(). */
void syt_demand_gather(struct syt_demands *d, struct syt_blamer *blamer,
                       struct syt_services *services);

/* Adds the demands of clients to D. Only syt_demand_gather() calls this function. */
void syt_demand_client_gather(struct syt_demands *d, const struct syt_services *s);

/* Demands on one thread, merged into disjoint spans in the order of time. */
struct syt_demand_spans {
	/* next: all spans before this index end before the FROM of the last query */
	uint64_t nr, next;
	size_t room;
	struct syt_demand *all;
};

struct syt_demand_cursor {
	uint64_t next; /* index of the first demand on a thread with a higher index */
	/* [enum syt_demand_level]: demands of this level or a stronger level */
	struct syt_demand_spans levels[4];
};

/* Sets the cursor A to the demands on THREAD (trace-wide index). The caller zeroes A before the first call, passes
 * threads in ascending order, and closes A after the last call. */
void syt_demand_cursor_begin(struct syt_demand_cursor *a, const struct syt_demands *d,
                             uint32_t thread);
void syt_demand_cursor_close(struct syt_demand_cursor *a);

/* Returns how much of the time from FROM to TO lies in demands of LEVEL or a stronger level. For each LEVEL, FROM
 * must not decrease from call to call. */
syt_time syt_demand_part(struct syt_demand_cursor *a, enum syt_demand_level level, syt_time from,
                         syt_time to);

#endif
