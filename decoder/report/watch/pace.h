/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Decides when watch --against may make its next analysis, and how many events the analysis may read, so that the process
 * never uses more than SYT_PACE_SHARE of the time of a processor since its begin.
 *
 * The share accrues as credit, of which an analysis and all other work of the process are paid. If an analysis had to leave
 * out requests, the next one waits for the credit of SYT_PACE_PERIOD_NS: one large window has fewer requests at its edges
 * than several small windows. The credit never exceeds this amount, so an idle time is not followed by a long analysis.
 */
#ifndef SYT_DECODER_REPORT_WATCH_PACE_H
#define SYT_DECODER_REPORT_WATCH_PACE_H

#include <stdbool.h>
#include <stdint.h>

#define SYT_PACE_SHARE 0.05                   /* of the time of a processor */
#define SYT_PACE_STEP_NS UINT64_C(1000000000) /* least time between two analyses */
#define SYT_PACE_PERIOD_NS                                                                         \
	UINT64_C(10000000000) /* time between two analyses that leave out requests */

struct syt_pace {
	double credit_ns;        /* CPU time that the process may use now */
	uint64_t now_ns, cpu_ns; /* until these times, the credit is computed */
	uint64_t next_ns;        /* time of the next analysis */
	double event_ns;         /* CPU time per event of the last analysis, or a guess */
};

/* Begins at NOW_NS with a process that has used no CPU time. All functions take the time by CLOCK_MONOTONIC. */
void syt_pace_begin(struct syt_pace *p, uint64_t now_ns);

/* Returns the number of events that an analysis may read now; 0: none is due. CPU_NS is the CPU time of the process. */
uint64_t syt_pace_due(struct syt_pace *p, uint64_t now_ns, uint64_t cpu_ns);

/* Returns the number of events that the analysis after the end of the trace may read. */
uint64_t syt_pace_last(const struct syt_pace *p);

/* Ends an analysis that began when the CPU time was BEGUN_NS. It read NR_EVENTS events; IS_SHORT: it left out requests. */
void syt_pace_end(struct syt_pace *p, uint64_t now_ns, uint64_t begun_ns, uint64_t cpu_ns,
                  uint64_t nr_events, bool is_short);

#endif
