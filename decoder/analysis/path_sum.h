/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * The parts of a critical path: its length by function, by thread and by kind of hand-off.  Each of the three sums equals the
 * length of the path.
 */
#ifndef SYT_DECODER_ANALYSIS_PATH_SUM_H
#define SYT_DECODER_ANALYSIS_PATH_SUM_H

#include "decoder/order/label.h"
#include "decoder/analysis/critical_path.h"

/* One kind of activity of one function.  RUNNING: the thread ran in FUNCTION, or in functions that it calls, up to the
 * call SIDE.  CALL: FUNCTION made the call SIDE, itself or through a library.  HANDOVER: the call SIDE had waited. */
struct syt_path_part {
	const char *function;          /* NULL: no call stack */
	uint8_t kind;                  /* enum syt_path_kind */
	uint8_t edge_kind, edge_class; /* HANDOVER */
	uint32_t side;                 /* decoder/order/label.h; SYT_NONE: UNKNOWN */
	syt_time time;
	uint64_t nr;      /* segments */
	uint64_t longest; /* number of the longest segment */
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
	struct syt_path_part *parts;         /* most time first, like the others */
	struct syt_path_function *functions; /* of RUNNING and CALL; all other time is under NULL */
	struct syt_path_thread *threads;
	/* the running time with known CPU time, and the most CPU time that it took */
	syt_time cpu_of, cpu_ns;
};

/* SYMBOLS may be NULL. */
void syt_path_sum_open(struct syt_path_sum *s, const struct syt_path *path,
                       struct syt_labels *labels, struct syt_symbols *symbols);
void syt_path_sum_close(struct syt_path_sum *s);

/* Returns the longest part of F, a function of S; if F has no name, of the hand-offs.  NULL: there is none. */
const struct syt_path_part *syt_path_sum_part(const struct syt_path_sum *s,
                                              const struct syt_path_function *f);

/* Returns the function of a segment, as above. */
const char *syt_path_function(const struct syt_path *p, const struct syt_path_segment *s,
                              struct syt_symbols *symbols);

/* Returns the most CPU time, in ns, of a RUNNING segment: the recorded time includes the call after it.
 * SYT_PATH_CPU_UNKNOWN: it was not recorded, or the segment is cut. */
#define SYT_PATH_CPU_UNKNOWN UINT64_MAX
uint64_t syt_path_cpu_ns(const struct syt_path *p, const struct syt_path_segment *s);

#endif
