/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * One dump while it is loaded into a struct syt_image: definitions read, blocks validated and
 * ordered, no event decoded yet. Times in the image are ticks until syt_image_set_times().
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
	bool has_header; /* the checksum of the file header is right */
	/* allocated elements of the image's growing arrays */
	size_t room_calls, room_modules, room_objects, room_threads, room_blind, room_notes;
	size_t room_in_flight;
	struct syt_segment *segments; /* by thread, lane, first_seq; no event twice */
	size_t nr_segments, room_segments;
	struct syt_clock_pair *pairs; /* clock pairs that are under a checksum */
	size_t nr_pairs, room_pairs;
	struct syt_slot_count *slots;
	size_t nr_slots, room_slots;
	struct syt_waiting *waiting; /* calls without a return, as the slots say */
	size_t nr_waiting, room_waiting;
	struct syt_meta_returned *returned; /* in ticks */
	size_t nr_returned, room_returned;
	uint8_t **copies; /* of current blocks, because their process may still run */
	size_t nr_copies, room_copies;
	uint64_t bytes_in_lanes; /* bytes that the current blocks claim */
	uint64_t nr_gaps;        /* missing events between and before the segments */
	uint64_t nr_in_segments;
	const struct syt_clock_map *clock; /* set before decoding; the caller owns it */
};

/* Indexes l->in. Returns NULL, or static text with the reason if it cannot be read at all. In both
 * cases the caller ends the loading with syt_loading_fini(). */
const char *syt_image_index(struct syt_loading *l);

/* Converts the ticks of the definitions to times. */
void syt_image_set_times(struct syt_loading *l);

/* Adds the last call. It stands for all calls without a definition. */
void syt_image_add_unknown_call(struct syt_loading *l);

/* Frees the loading's own memory; the image stays. */
void syt_loading_fini(struct syt_loading *l);
/* Frees the members of the image. */
void syt_image_fini(struct syt_image *image);

/* ---- shared by the files that load an image ---- */

/* Returns how many records of BYTES each the dump can hold at most. This bounds every id. */
uint64_t syt_loading_limit(const struct syt_loading *l, size_t bytes);

/* Reads the file header (record.c). Returns NULL, or the reason why the file is no readable dump. */
const char *syt_record_header(struct syt_loading *l);
void syt_record_meta(struct syt_loading *l, const struct syt_meta_ref *r);

/* Returns thread T of the image and creates it if it is new. Returns NULL if T is impossible. */
struct syt_thread *syt_image_thread(struct syt_loading *l, uint32_t t);

/* Sorts the segments, removes duplicates, counts gaps, sets each thread's base and counters (segment.c). */
void syt_segments_settle(struct syt_loading *l);

/* Returns the index after the last segment of the thread of segment FROM. */
size_t syt_segments_of_thread(const struct syt_loading *l, size_t from);

/* Sets `home_id` of the images of LOADINGS: the id in the shared file beside the dump or, without
 * that file, the id of the first dump of the directory (identity.c). LOADINGS are in the order of
 * finding. */
void syt_identity_read(struct syt_loading **loadings, size_t nr);

/* Sets the pauses of the images (pause.c). Requires their clocks. */
void syt_pauses_read(struct syt_loading **loadings, size_t nr);

/* Sets the pauses from the BYTES of a shared file, for the images of its trace. */
void syt_pauses_add(struct syt_loading **loadings, size_t nr, const void *bytes, size_t nr_bytes);

/* Finds for each pause of L the end of the last call that it left out. Requires rows. */
void syt_pauses_settle(struct syt_loading *l);

/* Decodes the segments of all dumps in parallel and merges each thread's lanes (rows.c). Fills
 * rows, extras and ready lists of every thread, and nr_decoded and nr_missing of every image.
 * Requires clocks. The result does not depend on NR_WORKERS. */
void syt_rows_decode(struct syt_loading **loadings, size_t nr, unsigned nr_workers);

/* Finds the call in which each thread was blocked at the end (waiting.c). Requires rows. */
void syt_waiting_settle(struct syt_loading *l);

#endif
