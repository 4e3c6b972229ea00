/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The chain of chunks in a dump, with resynchronization at page multiples after damage. */
#ifndef SYT_DECODER_CHUNK_H
#define SYT_DECODER_CHUNK_H

#include <stdbool.h>
#include <stdint.h>

#include "decoder/read/input.h"
#include "base/problem.h"
#include "format/format.h"

struct syt_chunk_ref {
	struct syt_chunk header; /* a copy */
	uint64_t byte;           /* where it starts in the dump */
	const uint8_t *data;     /* what follows the header */
	uint64_t data_bytes;     /* how much of that is in the file and in use */
	uint64_t number;         /* from 0, for messages */
};

struct syt_chunk_walk {
	const struct syt_input *in;
	struct syt_problems *problems; /* may be NULL: nothing is told */
	uint64_t at, end;
	uint64_t number;
};

/* From the page after the header to END or the end of the file, whichever is nearer. */
void syt_chunk_walk_init(struct syt_chunk_walk *w, const struct syt_input *in,
                         struct syt_problems *problems, uint64_t end);

/* The next chunk whose header is intact; false at the end. */
bool syt_chunk_next(struct syt_chunk_walk *w, struct syt_chunk_ref *c);

/* Whether the bytes at P are an intact chunk header. */
bool syt_chunk_is_valid(const struct syt_chunk *p);

#endif
