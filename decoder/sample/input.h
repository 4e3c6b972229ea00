/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * The events of a trace as the replay of samplers needs them: compact, and in the order of time over all threads.
 *
 * The site of an event is its call and its call stack. A recorder would use the return address and the stack pointer; a trace
 * contains no stack pointers. Once opened, the structure is read-only.
 */
#ifndef SYT_DECODER_SAMPLE_INPUT_H
#define SYT_DECODER_SAMPLE_INPUT_H

#include "decoder/analysis/call_path.h"
#include "decoder/order/order.h"

/* An event. An index of an event is its index in the order of time. */
struct syt_sample_event {
	uint64_t
		ns; /* the time by which the event is ordered; within a thread, it does not decrease */
	uint32_t thread, site, path; /* path: see decoder/analysis/call_path.h */
	uint32_t turn;         /* turn of the thread in the full trace (decoder/sample/turn.h) */
	uint32_t first_source; /* the first edge that ends at the event */
	/* The leaf task that ends at the event began this number of events of the thread before, after an event with this path;
	 * task_rows 0: no leaf task ends here. */
	uint32_t task_rows, task_path;
	float task_ms;
	uint32_t call;  /* index in the array `calls` */
	uint16_t depth; /* number of frames of the call stack */
	bool is_wait, is_ghost;
	bool is_unselected; /* of a shadow recording: the sampler of the recorder did not keep the event */
};

/* Calls that the sampler of the trace left out. A full trace has none. */
struct syt_sample_left_out {
	uint32_t path, call; /* as in an event */
	uint64_t nr;
};

/* The source of an edge that ends at an event. */
struct syt_sample_source {
	uint32_t from; /* index of the source event, or the event itself for a round of a barrier */
	uint8_t kind;  /* enum syt_edge_kind */
	bool is_mark;  /* a release that ended the acquire: it passes sampling to another thread */
};

struct syt_sample_input {
	uint64_t nr;
	struct syt_sample_event
		*events; /* nr elements, and one more, whose first_source ends the last event */
	uint64_t nr_sources;
	size_t room_sources;
	struct syt_sample_source *sources;
	uint32_t nr_threads, nr_sites, nr_paths, nr_turns;
	uint64_t bytes; /* bytes of the events in the trace */
	uint64_t nr_unselected;
	size_t nr_left_out, room_left_out;
	struct syt_sample_left_out *left_out;
	struct syt_call_paths *paths;
	/* names of the intercepted calls; calls of several process images with one name have one number */
	size_t room_calls;
	uint32_t nr_calls;
	const char **calls;
};

/* The edges that ORDER must contain. */
extern const struct syt_edges_wanted syt_sample_edges;

/* Collects the events of ORDER. ORDER and SYMBOLS must outlive IN. Returns 0, or -1 after a message (syt_warn) if the trace has
 * too many events. One thread at a time may use IN. */
int syt_sample_input_open(struct syt_sample_input *in, const struct syt_order *order,
                          struct syt_symbols *symbols);
void syt_sample_input_close(struct syt_sample_input *in);

#endif
