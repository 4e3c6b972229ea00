/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Reads trace directories and dumps into one struct syt_trace_data.  Never trusts a byte of them;
 * memory is bounded by the bytes they really hold times a constant.
 */
#ifndef SYT_DECODER_READER_H
#define SYT_DECODER_READER_H

#include <stdbool.h>
#include <stddef.h>

#include "decoder/read/trace.h"

struct syt_read_report {
	unsigned nr_read;       /* dumps of which something could be read */
	unsigned nr_unreadable; /* inputs, or dumps in a directory, of which nothing could */
	bool is_damaged;        /* something was told about a dump that was read */
};

struct syt_read_options {
	unsigned nr_workers;     /* 0: all processors */
	unsigned problems_shown; /* per dump */
	/* Called, if not NULL, when definitions have been read and before the events are: FIRST is
	 * the first image, in which everything but events and what is counted of them is there. */
	void (*on_index)(void *context, const struct syt_image *first);
	void *context;
	/* Nobody will want all rows: the trace may be a sparse one (decoder/read/sparse.h). */
	bool is_sparse;
};

/*
 * INPUTS: trace directories, dumps, "-" for a dump on standard input. Tells problems on standard
 * error. Returns the trace (owned by the caller, possibly without images), never NULL.
 */
struct syt_trace_data *syt_read(const char *const *inputs, size_t nr_inputs,
                                const struct syt_read_options *options,
                                struct syt_read_report *report);

/* The same for one dump in memory; for tests and fuzzing. */
struct syt_trace_data *syt_read_memory(const void *bytes, size_t nr_bytes,
                                       const struct syt_read_options *options,
                                       struct syt_read_report *report);

void syt_trace_destroy(struct syt_trace_data *trace);

#endif
