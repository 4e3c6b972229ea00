/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * The bytes of one dump, mapped read-only.  A dump is sparse and may be many GiB long: pages are
 * touched only where something is read, and holes can be asked for.
 */
#ifndef SYT_DECODER_INPUT_H
#define SYT_DECODER_INPUT_H

#include <stdint.h>

struct syt_input {
	char *name;          /* for messages */
	const uint8_t *data; /* `bytes` of them; NULL when there are none */
	uint64_t bytes;
	uint64_t allocated_bytes; /* on disk, or in memory for standard input */
	int fd;                   /* kept for syt_input_next_data, -1 for memory */
};

/* Maps the file at PATH; "-" reads standard input to its end. What is no regular file is read to
 * its end, too; of a directory -EISDIR. Returns 0 or -errno, then nothing is held. */
int syt_input_open(struct syt_input *in, const char *path);

/* Over memory of the caller's, which must live longer. */
void syt_input_memory(struct syt_input *in, const char *name, const void *data, uint64_t bytes);

void syt_input_close(struct syt_input *in);

/* The first position at or after AT that is not in a hole; in->bytes when there is none. */
uint64_t syt_input_next_data(const struct syt_input *in, uint64_t at);

#endif
