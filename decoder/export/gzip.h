/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Compressed output. */
#ifndef SYT_DECODER_GZIP_H
#define SYT_DECODER_GZIP_H

#include <zlib.h>

#include "base/out.h"

struct syt_gzip {
	struct syt_out *out;
	z_stream stream;
};

/* Returns 0, or -1 if memory is exhausted. */
int syt_gzip_open(struct syt_gzip *z, struct syt_out *out);
void syt_gzip_bytes(struct syt_gzip *z, const void *bytes, size_t nr);
void syt_gzip_close(struct syt_gzip *z);

#endif
