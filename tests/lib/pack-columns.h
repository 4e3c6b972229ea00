/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Makes the payload of a block of SYT_CODEC_COLUMNS. */
#ifndef SYT_TESTS_LIB_PACK_COLUMNS_H
#define SYT_TESTS_LIB_PACK_COLUMNS_H

#include <lz4.h>
#include <string.h>

#include "format/columns.h"

/* Most bytes that syt_pack_columns() writes for BYTES. */
#define SYT_PACK_COLUMNS_MOST(bytes) (2 * (bytes) + 1024)

/* Packs the BYTES of events at RAW to TO. Returns the number of bytes, or 0 if they are more than SYT_LANE0_BYTES. */
static inline uint32_t syt_pack_columns(const uint8_t *raw, uint32_t bytes, uint8_t *to)
{
	static struct syt_columns_scratch scratch;
	struct syt_columns head;
	uint32_t at, rest;

	if (bytes > SYT_LANE0_BYTES)
		return 0;
	syt_columns_sample(&scratch, &head, raw, bytes);
	rest = syt_columns_split(&scratch, &head, raw, bytes, to + sizeof(head),
	                         bytes + SYT_COLUMNS_SLACK);
	at = sizeof(head) + head.time_bytes;
	memcpy(to, &head, sizeof(head));
	return at + (uint32_t)LZ4_compress_default((const char *)scratch.rest, (char *)to + at,
	                                           (int)rest, LZ4_compressBound((int)rest));
}

#endif
