/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* A file that the decoder writes. The file has a temporary name until it is complete, so PATH never names an
 * incomplete file. If PATH names a pipe or a device, it is written directly. */
#ifndef SYT_DECODER_COMMAND_OUTFILE_H
#define SYT_DECODER_COMMAND_OUTFILE_H

#include "base/out.h"

struct syt_outfile {
	const char *path;
	char *temporary; /* temporary name; NULL: PATH is not a regular file */
	int fd;
	struct syt_out out; /* the caller writes to this, or to the file named `temporary` */
};

/* Opens the output file F, whose final name is PATH. Returns 0, or -1 after a message. PATH must outlive F. */
int syt_outfile_open(struct syt_outfile *f, const char *path, bool must_be_regular);

/* Completes the output file F. Returns STATUS, or -1 after a message if data could not be written. Unless this
 * function returns 0, a file that existed at PATH is unchanged. Stores the size of the file in *BYTES. */
int syt_outfile_close(struct syt_outfile *f, int status, uint64_t *bytes);

#endif
