/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Of what a critical path consists: its length by function, by thread and by what was handed over.
 * Each of the three adds up to the path.
 */
#ifndef SYT_DECODER_ANALYSIS_PATH_SUM_H
#define SYT_DECODER_ANALYSIS_PATH_SUM_H

#include "decoder/order/label.h"
#include "decoder/analysis/critical_path.h"

/* What one function did on the path, in one way.  RUNNING: what ran was in FUNCTION, or in what that
 * calls, all the time; SIDE is the call that it led to.  CALL: FUNCTION made the call SIDE, itself or by
 * a library.  HANDOVER: SIDE had waited. */
struct syt_path_part {
	const char *function;          /* NULL: no stack is known */
	uint8_t kind;                  /* enum syt_path_kind */
	uint8_t edge_kind, edge_class; /* HANDOVER */
	uint32_t side;                 /* decoder/order/label.h; SYT_NONE: UNKNOWN */
	syt_time time;
	uint64_t nr;      /* segments */
	uint64_t longest; /* of them: number of the segment */
};

struct syt_path_function {
	const char *name; /* NULL: not known */
	syt_time time;
	syt_time by_kind[SYT_NR_PATH_KINDS];
	uint64_t nr;
};

struct syt_path_thread {
	uint32_t thread; /* trace-wide */
	syt_time time;
	syt_time by_kind[SYT_NR_PATH_KINDS];
	uint64_t nr_visits; /* the path was in it without a break */
};

struct syt_path_sum {
	size_t nr_parts, nr_functions, nr_threads;
	struct syt_path_part *parts;         /* most time first, as all of them */
	struct syt_path_function *functions; /* of RUNNING and CALL; the rest stands under NULL */
	struct syt_path_thread *threads;
	/* of so much running the CPU time is known, and it is at most this */
	syt_time cpu_of, cpu_ns;
};

/* SYMBOLS may be NULL. */
void syt_path_sum_open(struct syt_path_sum *s, const struct syt_path *path,
                       struct syt_labels *labels, struct syt_symbols *symbols);
void syt_path_sum_close(struct syt_path_sum *s);

/* The part of F, one of S, that has most of its time; of what belongs to no function, of the
 * hand-overs.  NULL when there is none. */
const struct syt_path_part *syt_path_sum_part(const struct syt_path_sum *s,
                                              const struct syt_path_function *f);

/* The function that a segment stands for, as above. */
const char *syt_path_function(const struct syt_path *p, const struct syt_path_segment *s,
                              struct syt_symbols *symbols);

/* The most CPU time, ns, that a RUNNING segment can have had: what was recorded is that of the call
 * behind it, too.  SYT_PATH_CPU_UNKNOWN where it was not recorded, or the segment is not whole. */
#define SYT_PATH_CPU_UNKNOWN UINT64_MAX
uint64_t syt_path_cpu_ns(const struct syt_path *p, const struct syt_path_segment *s);

#endif
