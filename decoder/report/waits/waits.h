/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Divides the wall time of each thread: on a processor, off it between calls, or waiting. Each wait has a kind (the
 * event for which it waits) and a class: harmful, idle or undecided (doc/reports.md).
 *
 * The parts of a thread's time are disjoint, and their sum is always its wall time. All times are syt_time
 * (sixteenths of a nanosecond). Only one thread at a time may use a struct syt_waits.
 */
#ifndef SYT_DECODER_REPORT_WAITS_WAITS_H
#define SYT_DECODER_REPORT_WAITS_WAITS_H

#include "decoder/command/option.h"
#include "decoder/analysis/classify.h"
#include "decoder/show/finding.h"

/* The wall time and its parts: wall = on_cpu + off_cpu + unmeasured + sum of by_class. The sums of by_kind and of
 * by_reason equal the sum of by_class. */
struct syt_waits_sums {
	syt_time wall;
	/* time on a processor: between calls, in short calls, and in the call before a measurement */
	syt_time on_cpu;
	/* time between calls without a processor: ready for one, or in an unrecorded call */
	syt_time off_cpu;
	/* time between calls before the first and after the last measurement of CPU time */
	syt_time unmeasured;
	syt_time by_kind[SYT_NR_WAITS_KINDS][SYT_NR_WAITS_CLASSES];
	syt_time by_class[SYT_NR_WAITS_CLASSES];
	syt_time by_reason[SYT_NR_WAITS_REASONS];
	uint64_t nr_waits;
};

/* The waits at one call path with one reason. An element of `groups` also has the call path that ended the waits,
 * and the call path to which they are charged. */
struct syt_waits_group {
	uint8_t kind, reason; /* enum syt_waits_kind, _reason */
	uint8_t blame;        /* enum syt_blame_kind of `culprit`, or SYT_NR_BLAMES */
	uint32_t waiter;      /* call path of the waits (decoder/order/label.h) */
	uint32_t ender;       /* call path that ended the wait or took the lock, or SYT_NONE */
	uint32_t culprit;     /* call path to which the wait is charged; SYT_NONE: none */
	uint32_t object;      /* trace-wide object of the wait with the largest part, or SYT_NONE */
	uint32_t
		key_object; /* with a filter that has `is_by_object`: the object of all waits of the group; otherwise SYT_NONE */
	bool has_others;    /* other waits of the group were for other objects */
	uint32_t nr_threads;
	/* number of waits; in `groups`: number of waits with a part in this group */
	uint64_t nr;
	syt_time time, most; /* total time, and the largest part of one wait */
	syt_time of_wall;    /* wall time of the threads that made such waits */
	/* event of the wait with the largest part; thread SYT_NONE: a call that had not returned */
	struct syt_place at;
	struct syt_cpu_use
		cpu; /* CPU time of the culprit between its calls; empty: it was in calls */
	/* event of `culprit` for this wait, or event that ended it; thread SYT_NONE: unknown */
	struct syt_place by;
	uint32_t thread; /* trace-wide index of the thread with the largest part */
};

struct syt_waits {
	const struct syt_order *order;
	struct syt_labels *labels;
	struct syt_waits_sums all;
	uint64_t nr_threads; /* number of threads with a wall time */
	struct syt_waits_sums
		/* [trace-wide index of a thread]: its sums; wall 0: it has no events, or was not examined */
		*threads;
	/* both arrays are sorted: harmful waits first, then undecided, then idle; longest first in each class */
	size_t nr_paths, nr_groups;
	struct syt_waits_group *paths; /* by call path, without `ender`, `culprit` and `blame` */
	struct syt_waits_group *groups;
};

/* Selects the threads and waits to examine. A condition is used only if the user gave it (is_given, has_number). */
struct syt_waits_filter {
	struct syt_option_number pid, tid; /* process and thread id of the kernel */
	bool has_number;
	uint64_t image, thread; /* the numbers P and T of "P.T" */
	bool has_period; /* only waits of calls that began from `from` until before `until`, with their whole time */
	syt_time from, until;
	bool is_by_object; /* waits for different objects are in different groups */
};

/* Analyses the waits in the order of BLAMER and stores the result in W. The order and the labels of BLAMER must outlive W. If
 * FILTER is NULL, all threads are examined. */
void syt_waits_open(struct syt_waits *w, struct syt_blamer *blamer,
                    const struct syt_waits_filter *filter);
void syt_waits_close(struct syt_waits *w);

/* Compares two groups for sorting. Returns 0 if their keys are equal. */
int syt_waits_group_order(const struct syt_waits_group *a, const struct syt_waits_group *b);

/* syt_waits_is_large() returns true if the waits PATH are at least LEAST_THOUSANDTHS of the wall time of their
 * threads. syt_waits_stands_out() returns true if they are also harmful. */
bool syt_waits_is_large(const struct syt_waits_group *path, unsigned least_thousandths);
bool syt_waits_stands_out(const struct syt_waits_group *path, unsigned least_thousandths);

/* ---- the output: the member `report` of the view points to a struct syt_waits ---- */

#define SYT_WAITS_LEAST 100u /* default limit for findings: thousandths of the threads' time */

/* Prints the whole report, as text or as JSON lines. */
void syt_waits_list(const struct syt_view *v);

/* Parts of the text: one line of sums, and the findings in sentences.  Both write to OUT. */
void syt_waits_headline(struct syt_out *out, const struct syt_view *v);
void syt_waits_findings(struct syt_out *out, const struct syt_view *v);

/* The report's part of diagnose and of the HTML page. */
void syt_waits_find(const struct syt_view *v, struct syt_finding *f, struct syt_html *page);

#endif
