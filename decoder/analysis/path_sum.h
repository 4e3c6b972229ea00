/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The length of a critical path, summed up by function, by thread and by kind of hand-off. Each of the three
 * sums equals the length of the path. decoder/analysis/critical_path.h defines the segments of a path. */
#ifndef SYT_DECODER_ANALYSIS_PATH_SUM_H
#define SYT_DECODER_ANALYSIS_PATH_SUM_H

#include "decoder/order/label.h"
#include "decoder/analysis/cpu_time.h"
#include "decoder/analysis/critical_path.h"

/* One activity of one function. RUNNING: the thread was in FUNCTION, or in functions that FUNCTION calls, up to the
 * call with the call path SIDE. CALL: FUNCTION made this call, itself or through a library. HANDOVER: this call had
 * waited. */
struct syt_path_part {
	const char *function;          /* name, or NULL without a call stack */
	uint8_t kind;                  /* enum syt_path_kind */
	uint8_t edge_kind, edge_class; /* kind and class of the edge, for HANDOVER */
	uint32_t side; /* call path (decoder/order/label.h); for UNKNOWN: SYT_NONE */
	syt_time time;
	struct syt_cpu_use cpu; /* for RUNNING: the CPU time of the segments */
	uint64_t nr;            /* number of segments of the path */
	uint64_t longest;       /* index of the activity's longest segment */
};

struct syt_path_function {
	const char *name; /* name, or NULL if unknown */
	syt_time time;
	syt_time by_kind[SYT_NR_PATH_KINDS];
	struct syt_cpu_use cpu; /* CPU time of the segments between calls */
	uint64_t nr;
};

struct syt_path_thread {
	uint32_t thread; /* trace-wide number of the thread */
	syt_time time;
	syt_time by_kind[SYT_NR_PATH_KINDS];
	struct syt_cpu_use cpu; /* CPU time of the segments between calls */
	uint64_t nr_visits;     /* number of times that the path entered this thread */
};

struct syt_path_sum {
	size_t nr_parts, nr_functions, nr_threads;
	struct syt_path_part *parts; /* all three lists are sorted by time, the longest first */
	struct syt_path_function *functions; /* RUNNING and CALL; name NULL: all other time */
	struct syt_path_thread *threads;
	struct syt_cpu_use cpu;   /* CPU time of all segments between calls */
	struct syt_cpu_use known; /* CPU time of the segments between calls whose samples tell it */
	const struct syt_cpu_times *times;
};

/* Sums up the critical path PATH. SYMBOLS may be NULL. Several sums share TIMES, which must outlive S: the samples of a thread
 * come from all of its events. */
void syt_path_sum_open(struct syt_path_sum *s, const struct syt_path *path,
                       const struct syt_cpu_times *times, struct syt_labels *labels,
                       struct syt_symbols *symbols);
void syt_path_sum_close(struct syt_path_sum *s);

/* Returns the longest activity (struct syt_path_part) of F, a function of S, or NULL. Without a name, returns the
 * longest hand-off, or the longest activity without a function if there is no hand-off. */
const struct syt_path_part *syt_path_sum_part(const struct syt_path_sum *s,
                                              const struct syt_path_function *f);

/* The cause of the length of a request. The critical path leads to the end of the request. */
struct syt_request_cause {
	/* the function with most of the time, or NULL if the path has no length */
	const struct syt_path_function *function;
	const struct syt_path_part *part; /* longest part of `function`; NULL: hand-off, unknown */
	/* the hand-off at the end of the longest wait for a lock, or NULL */
	const struct syt_path_segment *lock;
	syt_time lock_wait; /* length of the longest wait for a lock */
};

/* Finds the cause of the length of a request from its path P and sum S. The result points into P and S. */
struct syt_request_cause syt_request_cause_of(const struct syt_path *p,
                                              const struct syt_path_sum *s);

/* Returns the name of the function to which the time of the segment S counts (struct syt_path_part). */
const char *syt_path_function(const struct syt_path *p, const struct syt_path_segment *s,
                              struct syt_symbols *symbols);

/* Returns the CPU time of the segment G, between two calls; empty for any other segment. */
struct syt_cpu_use syt_path_cpu_use(const struct syt_path_sum *s, const struct syt_path_segment *g);

#endif
