/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* A dump that is being loaded into a struct syt_image: its definitions are read, its blocks of events are validated
 * and ordered, but no event is decoded yet. Times in the image are ticks until syt_image_set_times() converts
 * them. */
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

/* Number of calls that the sampler left out at a site: a record of the dump, or the entry of a slot. */
struct syt_left_out_count {
	uint32_t thread, stack, call;
	uint32_t site;
	uint32_t
		number; /* record: its number in its slot; entry: number of the next record of the slot */
	bool is_entry;
	uint64_t nr;
};

struct syt_loading {
	struct syt_input in;
	struct syt_problems problems;
	struct syt_image image;
	size_t input;       /* number of the reader's input that contains the dump */
	bool has_header;    /* the checksum of the file header matches */
	bool is_as_sampled; /* see struct syt_read_options */
	/* numbers of allocated elements of the image's growing arrays */
	size_t room_calls, room_modules, room_objects, room_threads, room_blind, room_notes;
	size_t room_in_flight;
	size_t nr_left_out_counts, room_left_out;
	/* blocks of events, sorted by thread, lane, first_seq; no two hold the same event */
	struct syt_segment *segments;
	size_t nr_segments, room_segments;
	/* lowest index of an object that was defined or named since the caller set this to SYT_NONE */
	uint32_t first_changed;
	struct syt_clock_pair *pairs; /* clock pairs that a checksum protects */
	size_t nr_pairs, room_pairs;
	struct syt_slot_count *slots;
	size_t nr_slots, room_slots;
	struct syt_waiting *waiting; /* calls in which threads wait, according to the slots */
	size_t nr_waiting, room_waiting;
	bool is_latest_sound; /* the header's last clock pair does not contradict the others */
	/* returns of threads from calls during pauses; times in ticks */
	struct syt_meta_returned *returned;
	size_t nr_returned, room_returned;
	struct syt_left_out_count *left_out; /* in the order of the dump */
	/* copies of the blocks that threads are filling, because their process may still run */
	uint8_t **copies;
	size_t nr_copies, room_copies;
	/* blocks that end before this tick are left out; 0: none. See struct syt_read_options. */
	uint64_t from_ticks;
	uint64_t nr_left_out;    /* number of events in these blocks */
	uint64_t bytes_in_lanes; /* bytes that slots claim for blocks being filled */
	uint64_t nr_gaps;        /* number of missing events between and before the segments */
	uint64_t nr_in_segments;
	const struct syt_clock_map *clock; /* clock of the dump; set by the caller, who owns it */
};

/* Reads the definitions of the dump l->in and finds its blocks, which syt_segments_settle() then puts in order. Returns NULL, or static text with the reason if
 * the dump cannot be read at all. In both cases the caller ends the loading with syt_loading_fini(). */
const char *syt_image_index(struct syt_loading *l);

/* Converts the ticks of the definitions to times. */
void syt_image_set_times(struct syt_loading *l);

/* Adds a call after the last call of the image. The added call stands for all calls without a definition. */
void syt_image_add_unknown_call(struct syt_loading *l);

/* Frees the memory that only loading needs; the image stays. */
void syt_loading_fini(struct syt_loading *l);
/* Frees the members of the image. */
void syt_image_fini(struct syt_image *image);

/* ---- shared by the files that load an image ---- */

/* Read the numbers of calls that a sampler left out (left_out.c): the record R, and the entries in the SLOT chunk C, whose slot
 * the thread with number THREAD has now. */
void syt_left_out_add_record(struct syt_loading *l, const struct syt_meta_left_out *m);
void syt_left_out_add_slot(struct syt_loading *l, const struct syt_chunk_ref *c, uint32_t thread);
/* Returns true if the dump is that of a sampled process. All definitions of L must be read. */
bool syt_left_out_is_known(const struct syt_loading *l);
/* Sums up the numbers of L in the image and its threads. */
void syt_left_out_settle(struct syt_loading *l);

/* Returns the maximum number of records of BYTES bytes each that the dump can hold. This number limits the
 * ids that a dump can contain. */
uint64_t syt_loading_limit(const struct syt_loading *l, size_t bytes);

/* Reads the file header (record.c). Returns NULL, or the reason why the file is no readable dump. */
const char *syt_record_header(struct syt_loading *l);
void syt_record_meta(struct syt_loading *l, const struct syt_meta_ref *r);

/* Returns the thread with number T of the image, and creates it if it is new. Returns NULL if T is impossible. */
struct syt_thread *syt_image_thread(struct syt_loading *l, uint32_t t);

/* Sorts the segments (blocks of events), removes duplicates, counts gaps, and sets the base and the
 * counters of each thread (segment.c). */
void syt_segments_settle(struct syt_loading *l);

/* Returns the index after the last segment of the thread to which segment FROM belongs. */
size_t syt_segments_of_thread(const struct syt_loading *l, size_t from);

/* Sets home_id, the trace id, of the images of LOADINGS (identity.c). The id comes from the shared file in
 * the dump's directory or, without that file, from the first dump of the directory. LOADINGS are in the
 * order in which their dumps were found. */
void syt_identity_read(struct syt_loading **loadings, size_t nr);

/* Returns a number less than 0, 0 or greater than 0: the order of the boots of A and B. An unknown boot belongs to one trace. */
int syt_identity_compare_boots(const struct syt_image *a, const struct syt_image *b);

/* Returns true if A and B belong to one trace and one clock. */
bool syt_identity_is_one_recording(const struct syt_image *a, const struct syt_image *b);

/* Names the components of a trace of several hosts: syt_image_component() (decoder/read/trace.h). */
void syt_components_name(struct syt_trace_data *t);
/* Sets the numbers of the hosts and recordings of the images. LOADINGS are sorted by recording. */
void syt_identity_number(struct syt_loading **loadings, size_t nr);

/* Sets the pauses of the images (pause.c). The clocks of the images must be set. */
void syt_pauses_read(struct syt_loading **loadings, size_t nr);

/* Sets the pauses of the images from the BYTES of a trace's shared file. Images of other traces do not change. */
void syt_pauses_add(struct syt_loading **loadings, size_t nr, const void *bytes, size_t nr_bytes);

/* Finds, for each pause of recording in L, the end of the last call that the pause left unrecorded. The
 * rows of L must be decoded. */
void syt_pauses_settle(struct syt_loading *l);

/* Decodes the events of all dumps in parallel and merges the events of each thread and its signal handlers
 * (rows.c). Sets rows, extras and ready lists of every thread, and nr_decoded and nr_missing of every
 * image. The clocks must be set. The result does not depend on NR_WORKERS. */
void syt_rows_decode(struct syt_loading **loadings, size_t nr, unsigned nr_workers);

/* Finds the call in which each thread was blocked at the end (waiting.c). The rows of L must be decoded. */
void syt_waiting_settle(struct syt_loading *l);

#endif
