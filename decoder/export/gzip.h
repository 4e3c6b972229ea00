/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Compresses the output of an exporter with gzip. The exporter writes to a pipe, and a thread compresses what it
 * reads from this pipe, so both work in parallel. */
#ifndef SYT_DECODER_EXPORT_GZIP_H
#define SYT_DECODER_EXPORT_GZIP_H

#include <pthread.h>

#include "base/out.h"

struct syt_gzip {
	struct syt_out *out;
	int from, to; /* read end of the pipe; destination of the compressed data */
	int error;    /* errno of the first failure, or 0 */
	uint64_t bytes;
	pthread_t thread;
};

/* Makes OUT compress all data that is written to it from now on. OUT must be empty. Returns 0, or -1 after a
 * message. */
int syt_gzip_begin(struct syt_gzip *g, struct syt_out *out);
/* Writes the end of the compressed data and restores OUT, which contains the first error. */
void syt_gzip_end(struct syt_gzip *g);

#endif
