/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Parts of a sampled trace (doc/sampling.md). A sampler leaves out calls, and leaves ghosts: events without call stack.
 *
 * A part is a sequence of whole events of a thread without a gap between them. A ghost is a part of its own, because the
 * recorder did not record the thread at that time: a rule that looks at the events of a thread one after the other must not look
 * across a ghost. A thread of a full trace is one part.
 */
#ifndef SYT_DECODER_READ_PART_H
#define SYT_DECODER_READ_PART_H

#include "base/bisect.h"
#include "base/counts.h"
#include "decoder/read/trace.h"

/* Returns the number of the part of the row ROW of the thread T. */
static inline uint64_t syt_part_of(const struct syt_thread *t, uint64_t row)
{
	return t->nr_parts ? SYT_BISECT(i, (uint64_t)0, t->nr_parts, t->parts[i].row <= row) : 0;
}

/* Returns true if the thread T has no gap and no ghost from the row FROM to the row TO. */
static inline bool syt_part_is_one(const struct syt_thread *t, uint64_t from, uint64_t to)
{
	return !t->nr_parts || syt_part_of(t, from) == syt_part_of(t, to);
}

/* Returns the time at which the first call began that the sampler left out after the row ROW of the thread T, or UINT64_MAX if
 * it left out no call before the next row. */
syt_time syt_part_gap_after(const struct syt_thread *t, uint64_t row);

/* Returns true if the sampler left out calls of the thread T after the row ROW, and the trace has no later row. */
static inline bool syt_part_is_cut(const struct syt_thread *t, uint64_t row)
{
	return row + 1 >= t->nr_rows && t->left_out_last;
}

/* Returns true if the event R of the thread T is a ghost. */
static inline bool syt_row_is_ghost(const struct syt_thread *t, const struct syt_row *r)
{
	return syt_extra_of(t, r).flags & SYT_EXTRA_GHOST;
}

/* Returns true if a process image of TRACE is sampled. */
bool syt_trace_is_sampled(const struct syt_trace_data *trace);

/* The numbers of calls of an image, of a thread, of an intercepted function or of a call path. Sums of numbers from a dump
 * end at UINT64_MAX. */
struct syt_calls {
	uint64_t whole, ghosts, left_out;
};

static inline uint64_t syt_saturated(uint64_t a, uint64_t b)
{
	return a + b < a ? UINT64_MAX : a + b;
}

static inline uint64_t syt_calls_sum(const struct syt_calls *c)
{
	return syt_saturated(syt_saturated(c->whole, c->ghosts), c->left_out);
}

/* Returns the number of all calls of TRACE. */
struct syt_calls syt_calls_of(const struct syt_trace_data *trace);

/* Returns the sampler of TRACE, as in SYNTRACE_SAMPLE, or "?" if it is unknown. */
const char *syt_sampler_of(const struct syt_trace_data *trace);

/* Number of different pairs of a call stack and a call in the trace: all, and those with a whole event. */
struct syt_sampled_paths {
	uint64_t all, whole;
};

struct syt_sampled_paths syt_sampled_paths_of(const struct syt_trace_data *trace);

/* ---- for the reader ---- */

/* Removes the rows of T that the sampler of a shadow recording would have left out, and notes the gaps. Counts these rows in
 * LEFT_OUT by call stack and call. Returns their number. */
uint64_t syt_parts_strip(struct syt_thread *t, struct syt_counts *left_out);

/* Finds the parts of T, a thread of a sampled image, and counts its ghosts. */
void syt_parts_find(struct syt_thread *t);

#endif
