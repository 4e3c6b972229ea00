/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* One segment's bytes to rows. */
#ifndef SYT_DECODER_UNPACK_H
#define SYT_DECODER_UNPACK_H

#include "decoder/read/image.h"

/* Who unpacks, and what grows as it does: one at a time may use it. Starts out as zeros but for the
 * first two. */
struct syt_unpack {
	const struct syt_image *image;
	const struct syt_clock_map *clock;
	bool is_brief; /* optional fields are not wanted: a row that has some says 0 for `extra` */
	uint32_t hint; /* of the clock */
	struct syt_extra *extras;
	size_t nr_extras, room_extras;
	struct syt_ready *ready;
	size_t nr_ready, room_ready;
	uint64_t nr_unknown; /* objects, stacks or calls that have no definition */
	uint64_t first_unknown;
};

/* The events of S, whose bytes are RAW (syt_segment_raw()), but for those that it skips, to ROWS.
 * Returns how many events could be read: fewer than S says when it is damaged. */
uint32_t syt_unpack_rows(struct syt_unpack *u, const struct syt_segment *s, const uint8_t *raw,
                         struct syt_row *rows);

/* What U has collected goes behind T's optional fields, for which there is room; ROWS, NR of them, which are in their place,
 * say so. */
void syt_unpack_append(struct syt_unpack *u, struct syt_thread *t, struct syt_row *rows,
                       uint64_t nr);

void syt_unpack_fini(struct syt_unpack *u);

#endif
