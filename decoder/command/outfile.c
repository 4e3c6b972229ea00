/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/command/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"

int syt_outfile_open(struct syt_outfile *f, const char *path, bool must_be_regular)
{
	struct stat st;

	*f = (struct syt_outfile){.path = path};
	if (stat(path, &st) == 0 && !S_ISREG(st.st_mode)) {
		if (must_be_regular) {
			syt_warn("%s: not a regular file", path);
			return -1;
		}
		f->fd = open(path, O_WRONLY | O_CLOEXEC);
	} else {
		f->temporary = syt_asprintf("%s.%ld", path, (long)getpid());
		f->fd = open(f->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	}
	if (f->fd < 0) {
		syt_warn("%s: %s", f->temporary ? f->temporary : path, strerror(errno));
		free(f->temporary);
		return -1;
	}
	syt_out_open(&f->out, f->fd, false);
	return 0;
}

int syt_outfile_close(struct syt_outfile *f, int status, uint64_t *bytes)
{
	int error = syt_out_close(&f->out);
	struct stat st;

	*bytes = f->out.written;
	/* fstat() and not stat(): another program may have replaced the file with this name */
	if (f->temporary && fstat(f->fd, &st) == 0)
		*bytes = (uint64_t)st.st_size;
	if (close(f->fd) < 0 && !error)
		error = errno;
	if (f->temporary && !status && !error && rename(f->temporary, f->path) < 0)
		error = errno;
	if (f->temporary && (status || error))
		unlink(f->temporary);
	free(f->temporary);
	if (error)
		syt_warn("%s: %s", f->path, strerror(error));
	return error ? -1 : status;
}
