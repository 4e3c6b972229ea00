/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Walks through the records (definitions of calls, objects, threads ...) of a META chunk. After
 * damaged bytes the walk looks for the next record at 8-byte multiples. */
#ifndef SYT_DECODER_META_H
#define SYT_DECODER_META_H

#include <stdbool.h>
#include <stdint.h>

#include "decoder/read/chunk.h"

struct syt_meta_ref {
	uint16_t type;
	uint32_t bytes;      /* size of the record's payload in bytes */
	const uint8_t *data; /* payload of the record; its checksum is right */
	uint64_t byte;       /* position of the record in the dump */
};

struct syt_meta_walk {
	const struct syt_chunk_ref *chunk;
	struct syt_problems *problems;
	uint64_t at;
};

void syt_meta_walk_init(struct syt_meta_walk *w, const struct syt_chunk_ref *chunk,
                        struct syt_problems *problems);

/* Finds the next intact record. Returns false at the end of the chunk. */
bool syt_meta_next(struct syt_meta_walk *w, struct syt_meta_ref *r);

#endif
