/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * A file that a verb writes: of another name until it is whole, so that what stands at its place is never half
 * of one.  What is no regular file (a pipe, a device) is written to as it is.
 */
#ifndef SYT_DECODER_COMMAND_OUTFILE_H
#define SYT_DECODER_COMMAND_OUTFILE_H

#include "base/out.h"

struct syt_outfile {
	const char *path;
	char *temporary; /* NULL: PATH is no regular file */
	int fd;
	struct syt_out out; /* to be written to, or `temporary` by its name */
};

/* Returns 0, or -1 after it has said why.  PATH must outlive F. */
int syt_outfile_open(struct syt_outfile *f, const char *path, bool must_be_regular);

/* Returns STATUS, or -1 after it has said that what was written did not arrive.  Unless it returns 0 the file
 * at PATH is what it was.  *BYTES: its size. */
int syt_outfile_close(struct syt_outfile *f, int status, uint64_t *bytes);

#endif
