/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * A file that a verb writes. It has a temporary name until it is complete, so PATH never names half
 * a file. A file that is not regular (a pipe, a device) is written directly.
 */
#ifndef SYT_DECODER_COMMAND_OUTFILE_H
#define SYT_DECODER_COMMAND_OUTFILE_H

#include "base/out.h"

struct syt_outfile {
	const char *path;
	char *temporary; /* NULL: PATH is not a regular file */
	int fd;
	struct syt_out out; /* write to this, or to the file named `temporary` */
};

/* Opens F. Returns 0, or -1 after a message. PATH must outlive F. */
int syt_outfile_open(struct syt_outfile *f, const char *path, bool must_be_regular);

/* Completes the file. Returns STATUS, or -1 after a message if data could not be written. Unless it
 * returns 0, the file at PATH is unchanged. *BYTES: its size. */
int syt_outfile_close(struct syt_outfile *f, int status, uint64_t *bytes);

#endif
