/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Walks through the chunks (parts at page multiples) of a dump. After damaged bytes the walk looks
 * for the next chunk at page multiples. */
#ifndef SYT_DECODER_CHUNK_H
#define SYT_DECODER_CHUNK_H

#include <stdbool.h>
#include <stdint.h>

#include "decoder/read/input.h"
#include "base/problem.h"
#include "format/format.h"

struct syt_chunk_ref {
	struct syt_chunk header; /* copy of the chunk's header */
	uint64_t byte;           /* position of the chunk in the dump */
	const uint8_t *data;     /* bytes of the chunk after its header */
	/* size of `data` in bytes: the part that is in the file and in use */
	uint64_t data_bytes;
	uint64_t number; /* number of the chunk, from 0, for messages */
};

struct syt_chunk_walk {
	const struct syt_input *in;
	/* receives the problems found; NULL: problems are not reported */
	struct syt_problems *problems;
	uint64_t at, end;
	uint64_t number;
};

/* Starts a walk through the chunks, from the page after the file header to the position END or the
 * end of the file, whichever is first. */
void syt_chunk_walk_init(struct syt_chunk_walk *w, const struct syt_input *in,
                         struct syt_problems *problems, uint64_t end);

/* Finds the next chunk with an intact header. Returns false at the end of the walk. */
bool syt_chunk_next(struct syt_chunk_walk *w, struct syt_chunk_ref *c);

/* Returns true if the bytes at P are an intact chunk header. */
bool syt_chunk_is_valid(const struct syt_chunk *p);

#endif
