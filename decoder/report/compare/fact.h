/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Counts the facts of one run of a program, for the comparison with another run: doc/reports.md, "Runs compared".
 *
 * A fact is a call path, or two call paths with a relation, and the number of its occurrences. Failed calls are not
 * counted. The name of a fact consists of call paths (decoder/analysis/call_path.h), without addresses, numbers and
 * times.
 */
#ifndef SYT_DECODER_REPORT_COMPARE_FACT_H
#define SYT_DECODER_REPORT_COMPARE_FACT_H

#include "decoder/model/input.h"
#include "decoder/order/order.h"
#include "decoder/read/symbol.h"
#include "decoder/report/compare/build.h"
#include "decoder/report/compare/path_object.h"

/* clang-format off */
enum syt_fact_type {
#define FACT(name_, text_, parts_) SYT_FACT_##name_,
#include "decoder/report/compare/fact-types.def"
	SYT_NR_FACT_TYPES
};
/* clang-format on */

/* A run is divided into this number of slices with equally many events. A burst of events lies in few slices. */
#define SYT_SLICES 64u

struct syt_fact {
	enum syt_fact_type type;
	char *name; /* name of the fact: its parts, separated by tabs */
	uint64_t nr;
	uint64_t most;      /* largest count of the fact in one slice of the run */
	uint32_t nr_slices; /* number of slices of the run that contain the fact */
	uint64_t ns;        /* type NEXT: time between the two calls, if the thread did not wait */
};

struct syt_run {
	char *name;
	struct syt_builds builds;
	struct syt_run_origin origin;
	uint64_t nr_exchanges, nr_visits; /* numbers of exchanges and visits (work_unit.h) */
	double seconds;
	uint64_t nr_events, nr_lost, nr_blind;
	uint64_t
		nr_wakes; /* calls in which a thread waits for work: their number depends on time */
	uint64_t acquires, unattributed, bytes_received, bytes_unmatched, defects;
	size_t nr;
	struct syt_fact *facts; /* facts, sorted by type, then name */
	struct syt_path_objects objects;
	struct syt_model_input graph; /* the leaves of the run, for its tasks (task_rules.h) */
	bool has_tasks;               /* `facts` contains the tasks of the run */
};

/* The happens-before edges that decoder/report/compare/fact.c needs. */
extern const struct syt_edges_wanted syt_run_edges;

/* Counts the facts of the order O and stores them in RUN. SYMBOLS may be NULL. Also counts visits of FUNCTION, unless it is NULL. */
void syt_run_open(struct syt_run *run, const char *name, const struct syt_order *o,
                  struct syt_symbols *symbols, const char *function);
void syt_run_close(struct syt_run *run);

const char *syt_fact_type_text(enum syt_fact_type type);
/* Returns the type of fact with the name at TEXT, or SYT_NR_FACT_TYPES if the BYTES at TEXT are no such name. */
enum syt_fact_type syt_fact_type_find(const char *text, size_t bytes);
unsigned syt_fact_type_parts(enum syt_fact_type type);

/* Compares two facts by type, then by name. */
int syt_fact_compare(enum syt_fact_type a, const char *a_name, enum syt_fact_type b,
                     const char *b_name);
/* Returns the fact NAME of TYPE in run R, or NULL. */
const struct syt_fact *syt_run_find(const struct syt_run *r, enum syt_fact_type type,
                                    const char *name);

#endif
