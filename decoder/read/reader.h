/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Reads trace directories and dumps into one struct syt_trace_data. The reader checks all their bytes before it
 * uses them. The memory use of the reader is at most a constant times the number of bytes that the dumps really
 * hold. */
#ifndef SYT_DECODER_READER_H
#define SYT_DECODER_READER_H

#include <stdbool.h>
#include <stddef.h>

#include "decoder/read/trace.h"

struct syt_read_report {
	unsigned nr_read; /* number of dumps that were at least partly readable */
	/* number of unreadable inputs, and of unreadable dumps in a directory */
	unsigned nr_unreadable;
	/* the reader reported a problem of a dump that was at least partly readable */
	bool is_damaged;
	/* an input has no readable dump, or a file of an input could not be opened */
	bool has_unreadable_input;
};

struct syt_loading;
struct syt_clock_map;

/* The dumps and their clocks, before the events are read. */
struct syt_clocks {
	struct syt_loading *const
		*loadings; /* in the order of trace->images; complete except for events */
	struct syt_clock_map *all;
	uint32_t nr_loadings, nr;
	unsigned nr_workers;
	int64_t *wall_offset_ns; /* wall-clock time minus time of the trace */
};

/* Joins the clocks of several hosts (decoder/host/join.h). */
struct syt_join {
	/* Reads events of the dumps if necessary, and changes the maps of their clocks. Returns the hosts, or NULL if the
	 * dumps have one clock and one network namespace. */
	struct syt_hosts *(*join)(const struct syt_join *join, const struct syt_clocks *clocks);
	void (*destroy)(struct syt_hosts *hosts);
};

struct syt_read_options {
	unsigned nr_workers;     /* number of threads; 0: one for each processor */
	unsigned problems_shown; /* maximum number of printed problems for each dump */
	/* If not NULL, the reader calls this function after it has read the definitions and before it reads the
	 * events. FIRST is the first process image: complete except for events and their counts. */
	void (*on_index)(void *context, const struct syt_image *first);
	void *context;
	const struct syt_join *join; /* NULL: the clocks are aligned by wall-clock time only */
	/* If not 0: the reader reads a window of a trace that is being recorded. It leaves out the blocks of events that
	 * end before this tick of the event clock. These events count as overwritten, as in a ring. */
	uint64_t from_ticks;
	/* a window has about this number of events at most; the reader leaves out the oldest blocks */
	uint64_t most_events;
	/* The events that the recorder marked as left out by a sampler (SYNTRACE_SAMPLE_SHADOW) are left out, and ghosts lose their call
	 * stack: the trace becomes the trace of a sampled recording. */
	bool is_as_sampled;
	/* the caller does not need all events in memory: the trace may be sparse (decoder/read/sparse.h) */
	bool is_sparse;
	/* unless memory suffices for so many bytes for each event; 0: always */
	uint32_t dense_bytes;
};

/* Reads INPUTS: each is a trace directory, a dump, or "-" for a dump on standard input. Reports problems on
 * standard error. Returns a trace, which the caller frees; it is never NULL, but may contain no process image. */
struct syt_trace_data *syt_read(const char *const *inputs, size_t nr_inputs,
                                const struct syt_read_options *options,
                                struct syt_read_report *report);

/* Reads one dump in memory; for tests and fuzzing. */
struct syt_trace_data *syt_read_memory(const void *bytes, size_t nr_bytes,
                                       const struct syt_read_options *options,
                                       struct syt_read_report *report);

void syt_trace_destroy(struct syt_trace_data *trace);

#endif
