/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Traces made by hand, for tests of code that works on struct syt_trace_data.
 *
 *	struct syt_builder *b = syt_builder_create();
 *	uint32_t p = syt_builder_image(b, 100), t = syt_builder_thread(b, p);
 *	uint32_t m = syt_builder_object(b, p, SYT_KIND_MUTEX, 0x1000, 0, 0);
 *	syt_builder_event(b, p, t, (struct syt_made){SYT_SHAPE_LOCK, m, .in = 5, .out = 10});
 *	struct syt_trace_data *trace = syt_builder_trace(b);
 *
 * Every shape has one call, named like it. Events may be added in any order of threads, and of time
 * within a thread. Wrong use ends the process.
 */
#ifndef SYT_TESTS_LIB_TRACE_BUILDER_H
#define SYT_TESTS_LIB_TRACE_BUILDER_H

#include "decoder/read/trace.h"

struct syt_builder;

/* An event. Absent members are 0. The first object has the number 1, and 0 means no object. */
struct syt_made {
	enum syt_shape shape;
	uint32_t object;
	syt_time in, out; /* times in ns; out 0: equal to in; in 0: equal to out */
	int64_t result;
	uint16_t err;
	uint32_t object2;
	uint32_t thread1; /* T + 1 */
	uint32_t stack;
	uint64_t offset, offset2, bytes, cpu, pid, arg, count, status, flags, peer;
	struct syt_ready ready[4]; /* reported objects, numbered from 1, up to the first 0 */
	/* in a sampled process image: number of calls left out before, the amount that other calls moved */
	uint32_t left_out, crossed;
	bool is_ghost;
};

struct syt_builder *syt_builder_create(void);
void syt_builder_destroy(struct syt_builder *b);

/* Numbers are returned from 0 for images and threads, from 1 for objects of an image. */
uint32_t syt_builder_image(struct syt_builder *b, uint32_t pid);
uint32_t syt_builder_thread(struct syt_builder *b, uint32_t image);
uint32_t syt_builder_object(struct syt_builder *b, uint32_t image, enum syt_kind kind,
                            uint64_t identity, uint32_t generation, uint16_t flags);
/* Records that at AT, before any operation of its process, the recorder read VALUE from the semaphore. */
void syt_builder_value(struct syt_builder *b, uint32_t image, uint32_t object, uint32_t value,
                       syt_time at);
/*
 * Adds the facts about the endpoint. INFO is copied; here, its peer_object counts from 1, 0: none.
 */
void syt_builder_endpoint(struct syt_builder *b, uint32_t image, uint32_t object,
                          struct syt_endpoint_info info);
void syt_builder_event(struct syt_builder *b, uint32_t image, uint32_t thread, struct syt_made e);

/* Adds a call of the image that was to move bytes of OBJECT and never returned; the byte counter was
 * POSITION when the call began. */
void syt_builder_moving(struct syt_builder *b, uint32_t image, uint32_t object, uint64_t position,
                        bool is_out);

/* Makes the image that of a sampled process. */
void syt_builder_sample(struct syt_builder *b, uint32_t image);

/* Pauses the recording of the image from FROM to the end of the trace. */
void syt_builder_pause(struct syt_builder *b, uint32_t image, syt_time from);

/* Completes the trace, which the builder owns; afterwards only syt_builder_drop may be called. */
struct syt_trace_data *syt_builder_trace(struct syt_builder *b);

/* Removes the first NR events of the thread, as if a ring had overwritten them. */
void syt_builder_drop(struct syt_builder *b, uint32_t image, uint32_t thread, uint64_t nr);

/* Removes the events of the thread after its first NR events, as if they were recorded later. */
void syt_builder_cut(struct syt_builder *b, uint32_t image, uint32_t thread, uint64_t nr);

#endif
