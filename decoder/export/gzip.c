/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/export/gzip.h"

#define WITH_GZIP_HEADER (16 + MAX_WBITS)

int syt_gzip_open(struct syt_gzip *z, struct syt_out *out)
{
	*z = (struct syt_gzip){.out = out};
	return deflateInit2(&z->stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, WITH_GZIP_HEADER, 8,
	                    Z_DEFAULT_STRATEGY) == Z_OK
	               ? 0
	               : -1;
}

static void compress_all(struct syt_gzip *z, int flush)
{
	unsigned char buffer[16384];

	do {
		z->stream.next_out = buffer;
		z->stream.avail_out = sizeof(buffer);
		deflate(&z->stream, flush);
		syt_out_bytes(z->out, buffer, sizeof(buffer) - z->stream.avail_out);
	} while (!z->stream.avail_out);
}

void syt_gzip_bytes(struct syt_gzip *z, const void *bytes, size_t nr)
{
	const unsigned char *p = bytes;

	while (nr) {
		size_t part = nr < UINT32_MAX ? nr : UINT32_MAX;

		z->stream.next_in = (unsigned char *)(uintptr_t)p;
		z->stream.avail_in = (uInt)part;
		compress_all(z, Z_NO_FLUSH);
		p += part;
		nr -= part;
	}
}

void syt_gzip_close(struct syt_gzip *z)
{
	compress_all(z, Z_FINISH);
	deflateEnd(&z->stream);
}
