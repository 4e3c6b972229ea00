/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * One dump on its way into a struct syt_image: definitions read, blocks validated and put into
 * order, nothing decoded yet.  Times in the image are still ticks until syt_image_set_times.
 */
#ifndef SYT_DECODER_IMAGE_H
#define SYT_DECODER_IMAGE_H

#include <stdbool.h>
#include <stddef.h>

#include "decoder/read/block.h"
#include "decoder/read/clock.h"
#include "decoder/read/input.h"
#include "decoder/read/meta.h"
#include "base/problem.h"
#include "decoder/read/trace.h"

struct syt_slot_count {
	uint32_t slot;
	uint64_t sealed, overwritten, dropped;
};

struct syt_loading {
	struct syt_input in;
	struct syt_problems problems;
	struct syt_image image;
	bool has_header; /* its checksum was right */
	/* rooms of the image's growing arrays */
	size_t room_calls, room_modules, room_objects, room_threads, room_blind, room_notes;
	size_t room_moving;
	struct syt_segment *segments; /* by thread, lane, first_seq; no event twice */
	size_t nr_segments, room_segments;
	struct syt_clock_pair *pairs; /* under a checksum */
	size_t nr_pairs, room_pairs;
	struct syt_slot_count *slots;
	size_t nr_slots, room_slots;
	struct syt_waiting *waiting; /* as the slots say */
	size_t nr_waiting, room_waiting;
	struct syt_meta_returned *returned; /* in ticks */
	size_t nr_returned, room_returned;
	uint8_t **copies; /* of current blocks: their process may still run */
	size_t nr_copies, room_copies;
	uint64_t bytes_in_lanes; /* that the current blocks say to hold */
	uint64_t nr_gaps; /* events between and before the segments */
	uint64_t nr_in_segments;
	const struct syt_clock_map *clock; /* set before decoding; not owned */
};

/* Indexes l->in. Returns NULL, or why nothing of it could be read (static text); the loading is
 * then to be ended with syt_loading_fini like any other. */
const char *syt_image_index(struct syt_loading *l);

/* Ticks of the definitions to times. */
void syt_image_set_times(struct syt_loading *l);

/* Adds the last call, which stands for all that have no definition. */
void syt_image_add_unknown_call(struct syt_loading *l);

/* Frees what loading held; the image stays. */
void syt_loading_fini(struct syt_loading *l);
/* Frees what the image holds. */
void syt_image_fini(struct syt_image *image);

/* ---- for image.c's parts ---- */

/* How many records of BYTES each the dump can hold at most: the bound of every id. */
uint64_t syt_loading_limit(const struct syt_loading *l, size_t bytes);

/* record.c. header: NULL, or why this is no dump that can be read. */
const char *syt_record_header(struct syt_loading *l);
void syt_record_meta(struct syt_loading *l, const struct syt_meta_ref *r);

/* Thread T of the image, made when it is new; NULL when T is impossible. */
struct syt_thread *syt_image_thread(struct syt_loading *l, uint32_t t);

/* segment.c: sorts, removes what is there twice, counts gaps, sets each thread's base and the
 * counters. */
void syt_segments_settle(struct syt_loading *l);

/* waiting.c: what each thread waited for at the end. Rows are there. */
void syt_waiting_settle(struct syt_loading *l);

#endif
