/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Reads trace directories and dumps into one struct syt_trace_data. The reader trusts no byte of
 * them. Its memory is bounded by a constant times the bytes that the dumps really hold.
 */
#ifndef SYT_DECODER_READER_H
#define SYT_DECODER_READER_H

#include <stdbool.h>
#include <stddef.h>

#include "decoder/read/trace.h"

struct syt_read_report {
	unsigned nr_read;       /* dumps that were at least partly readable */
	unsigned nr_unreadable; /* unreadable inputs, and unreadable dumps of a directory */
	bool is_damaged;        /* a problem of a dump that was read was reported */
};

struct syt_read_options {
	unsigned nr_workers;     /* 0: all processors */
	unsigned problems_shown; /* messages per dump */
	/* If not NULL, called after the definitions are read and before the events are. FIRST is
	 * the first image: complete except for events and their counts. */
	void (*on_index)(void *context, const struct syt_image *first);
	void *context;
	/* the caller does not need all rows: the trace may be sparse (decoder/read/sparse.h) */
	bool is_sparse;
};

/* Reads INPUTS: trace directories, dumps, "-" for a dump on standard input. Reports problems on
 * standard error. Returns the caller's trace, perhaps without images, never NULL. */
struct syt_trace_data *syt_read(const char *const *inputs, size_t nr_inputs,
                                const struct syt_read_options *options,
                                struct syt_read_report *report);

/* Reads one dump in memory; for tests and fuzzing. */
struct syt_trace_data *syt_read_memory(const void *bytes, size_t nr_bytes,
                                       const struct syt_read_options *options,
                                       struct syt_read_report *report);

void syt_trace_destroy(struct syt_trace_data *trace);

#endif
