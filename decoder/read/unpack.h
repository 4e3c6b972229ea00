/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Decodes the bytes of one block of events (a segment) to rows: one struct syt_row for each event. */
#ifndef SYT_DECODER_UNPACK_H
#define SYT_DECODER_UNPACK_H

#include "decoder/read/image.h"

/* State of a job that decodes blocks of events, and its growing results. One thread at a time may use it. All
 * members except the first three start as zero. */
struct syt_unpack {
	const struct syt_image *image;
	const struct syt_clock_map *clock;
	bool is_as_sampled; /* the events of a shadow recording become those of a sampled one */
	bool is_brief; /* the optional fields of events are skipped: each row has 0 in `extra` */
	uint32_t hint; /* position cache of syt_clock_time() */
	struct syt_clock_part part;
	/* Thread whose array `extras` gets the optional fields (syt_unpack_share()), or NULL: then `extras` is an array of this
	 * job. */
	struct syt_thread *sharer;
	struct syt_packed_extra *extras;
	size_t nr_extras, room_extras;
	struct syt_extra *wide;
	size_t nr_wide, room_wide;
	struct syt_ready *ready;
	size_t nr_ready, room_ready;
	uint64_t nr_unknown; /* number of references to undefined objects, stacks or calls */
	uint64_t first_unknown;
};

#define SYT_EXTRAS_LEASE 1024u

/* Gives thread T an array for the optional fields of NR_ROWS events, which NR_JOBS jobs fill at the same time: each job takes
 * SYT_EXTRAS_LEASE elements at a time. */
void syt_unpack_share(struct syt_thread *t, uint64_t nr_rows, uint64_t nr_jobs);
/* Appends the other arrays of U, whose job is complete and has decoded the NR rows at ROWS, to the arrays of its sharer. The
 * caller holds a lock. */
void syt_unpack_publish(struct syt_unpack *u, struct syt_row *rows, uint64_t nr);

/* Decodes the events of segment S to ROWS, except for the first S->skip events. RAW is the result of
 * syt_segment_raw(). Returns the number of events that could be read, which is less than S->nr_events if the
 * segment is damaged. */
uint32_t syt_unpack_rows(struct syt_unpack *u, const struct syt_segment *s, const uint8_t *raw,
                         struct syt_row *rows);

/* Gives thread T memory for the optional fields of its events. */
void syt_unpack_reserve(struct syt_thread *t, uint64_t nr_extras, uint64_t nr_wide,
                        uint64_t nr_ready);

/* Appends the optional fields in U to the arrays of thread T, which have memory for them. Corrects the
 * indices of optional fields in the last NR rows of U, at ROWS. */
void syt_unpack_append(struct syt_unpack *u, struct syt_thread *t, struct syt_row *rows,
                       uint64_t nr);

void syt_unpack_fini(struct syt_unpack *u);

#endif
