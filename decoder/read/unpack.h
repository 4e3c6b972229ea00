/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Decodes the bytes of one segment to rows. */
#ifndef SYT_DECODER_UNPACK_H
#define SYT_DECODER_UNPACK_H

#include "decoder/read/image.h"

/* State of unpacking, and its growing results. One thread at a time may use it. All members except
 * the first two start as zero. */
struct syt_unpack {
	const struct syt_image *image;
	const struct syt_clock_map *clock;
	bool is_brief; /* skips optional fields: a row with optional fields has 0 in `extra` */
	uint32_t hint; /* for syt_clock_time() */
	struct syt_extra *extras;
	size_t nr_extras, room_extras;
	struct syt_ready *ready;
	size_t nr_ready, room_ready;
	uint64_t nr_unknown; /* references to objects, stacks or calls without a definition */
	uint64_t first_unknown;
};

/* Decodes the events of S to ROWS, except for the skipped ones. RAW: syt_segment_raw(). Returns how
 * many events could be read: fewer than S claims if it is damaged. */
uint32_t syt_unpack_rows(struct syt_unpack *u, const struct syt_segment *s, const uint8_t *raw,
                         struct syt_row *rows);

/* Appends U's optional fields to T's, which have room for them. Corrects the indices in U's NR final ROWS. */
void syt_unpack_append(struct syt_unpack *u, struct syt_thread *t, struct syt_row *rows,
                       uint64_t nr);

void syt_unpack_fini(struct syt_unpack *u);

#endif
