/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * The length of a critical path by function, by thread and by kind of hand-off. Each of the three sums equals the
 * length of the path, whose segments decoder/analysis/critical_path.h defines.
 */
#ifndef SYT_DECODER_ANALYSIS_PATH_SUM_H
#define SYT_DECODER_ANALYSIS_PATH_SUM_H

#include "decoder/order/label.h"
#include "decoder/analysis/critical_path.h"

/* One activity of one function. RUNNING: the thread ran in FUNCTION, or in functions that FUNCTION calls, up to the
 * call SIDE. CALL: FUNCTION made the call SIDE, itself or by a library. HANDOVER: the call SIDE had waited. */
struct syt_path_part {
	const char *function;          /* NULL: no call stack */
	uint8_t kind;                  /* enum syt_path_kind */
	uint8_t edge_kind, edge_class; /* HANDOVER */
	uint32_t side;                 /* call path (decoder/order/label.h); UNKNOWN: SYT_NONE */
	syt_time time;
	uint64_t nr;      /* number of segments */
	uint64_t longest; /* index of the longest segment */
};

struct syt_path_function {
	const char *name; /* NULL: unknown */
	syt_time time;
	syt_time by_kind[SYT_NR_PATH_KINDS];
	uint64_t nr;
};

struct syt_path_thread {
	uint32_t thread; /* trace-wide */
	syt_time time;
	syt_time by_kind[SYT_NR_PATH_KINDS];
	uint64_t nr_visits; /* uninterrupted stretches of the path in this thread */
};

struct syt_path_sum {
	size_t nr_parts, nr_functions, nr_threads;
	struct syt_path_part *parts;         /* all three lists: most time first */
	struct syt_path_function *functions; /* time of RUNNING and CALL; NULL has all other time */
	struct syt_path_thread *threads;
	/* the running time with a known CPU time, and the upper bound of this CPU time */
	syt_time cpu_of, cpu_ns;
};

/* SYMBOLS may be NULL. */
void syt_path_sum_open(struct syt_path_sum *s, const struct syt_path *path,
                       struct syt_labels *labels, struct syt_symbols *symbols);
void syt_path_sum_close(struct syt_path_sum *s);

/* Returns the longest part of F, a function of S, or NULL. If F has no name: the longest part of the hand-offs. */
const struct syt_path_part *syt_path_sum_part(const struct syt_path_sum *s,
                                              const struct syt_path_function *f);

/* The cause of the length of a request, whose path leads to its end. */
struct syt_request_cause {
	/* the function with most of the time; NULL: the path has no length */
	const struct syt_path_function *function;
	const struct syt_path_part *part; /* its longest part; NULL: hand-offs, or unknown */
	/* hand-off at the end of the longest wait for a lock, or NULL */
	const struct syt_path_segment *lock;
	syt_time lock_wait; /* length of this wait */
};

/* P, S and the result live as long as each other. */
struct syt_request_cause syt_request_cause_of(const struct syt_path *p,
                                              const struct syt_path_sum *s);

/* Returns the name of the function of a segment (struct syt_path_part). */
const char *syt_path_function(const struct syt_path *p, const struct syt_path_segment *s,
                              struct syt_symbols *symbols);

/* Returns an upper bound of the CPU time of a RUNNING segment in ns: the recorded time includes the next call.
 * SYT_PATH_CPU_UNKNOWN: the CPU time was not recorded, or the segment is cut. */
#define SYT_PATH_CPU_UNKNOWN UINT64_MAX
uint64_t syt_path_cpu_ns(const struct syt_path *p, const struct syt_path_segment *s);

#endif
