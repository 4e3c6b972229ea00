/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The bytes of one dump, mapped read-only. A dump is sparse and may have many GiB. The decoder therefore touches
 * only pages that it reads, and can ask for holes. */
#ifndef SYT_DECODER_INPUT_H
#define SYT_DECODER_INPUT_H

#include <stdbool.h>
#include <stdint.h>

struct syt_input {
	char *name;          /* name of the dump for messages */
	const uint8_t *data; /* contents of the dump; NULL if it has no bytes */
	uint64_t bytes;
	uint64_t allocated_bytes; /* allocated bytes on disk, or in memory for standard input */
	/* file descriptor for syt_input_next_data(); -1 if the dump is in memory */
	int fd;
};

/* Maps the file at PATH. "-" is standard input. Standard input, and files that are not regular, are read to their
 * end. Returns 0, or -errno; after an error IN holds no resource. The error is -EISDIR for a directory. */
int syt_input_open(struct syt_input *in, const char *path);

/* Uses the caller's memory, which must outlive IN. */
void syt_input_memory(struct syt_input *in, const char *name, const void *data, uint64_t bytes);

void syt_input_close(struct syt_input *in);

/* Returns the path of the file `trace` in the directory of the dump NAME. The caller frees it. */
char *syt_input_shared(const char *name);

/* Returns true if NAME is the file name of a dump. */
bool syt_input_is_dump(const char *name);

/* Returns the first position, at AT or later, that is not in a hole of the file; or in->bytes if there is none. */
uint64_t syt_input_next_data(const struct syt_input *in, uint64_t at);

#endif
