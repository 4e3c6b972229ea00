/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Records one window of one paused trace, and makes its window file (doc/fleet.md, "The agent"). */
#ifndef SYT_TOOL_AGENT_WINDOW_H
#define SYT_TOOL_AGENT_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

#include "tool/agent_spool.h"
#include "tool/live.h"

struct syt_window_order {
	const char *host, *service, *version;
	double length_s, p_host;
	double period_s;  /* 0: the window represents only itself */
	double watch_s;   /* time after the window in which a killed process counts as a failure */
	const char *work; /* directory for the copy of the trace and the window file */
};

#define SYT_WINDOW_NAME "window.jsonl.gz" /* the window file in `work` */

struct syt_window_made {
	const char *failure;       /* NULL: none */
	char id[SYT_SPOOL_ID + 1]; /* empty: there is no window file */
	uint64_t nr_events;
	double length_s; /* measured */
	double cost_s;   /* CPU time that the window took */
};

/* Returns the number of CPUs that the living processes of L have used on average, and their number in *NR. */
double syt_live_cpus(const struct syt_live *l, unsigned *nr);

/* Returns the build-id of the program of the first living process of L in hexadecimal, or NULL. The caller frees the text. */
char *syt_live_build_id(const struct syt_live *l);

/* Records a window of L, whose recording is paused. */
void syt_window_make(struct syt_live *l, const struct syt_window_order *o,
                     struct syt_window_made *made);

#endif
