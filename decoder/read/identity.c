/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Finds the trace to which the directory of each dump belongs. */
#include "decoder/read/image.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_same_directory(const char *a, const char *b)
{
	size_t n = (size_t)(basename(a) - a);

	return n == (size_t)(basename(b) - b) && !memcmp(a, b, n);
}

/* Reads the trace id from the shared file `trace` in the directory of the dump NAME. */
static bool read_shared(const char *name, uint8_t *id)
{
	char *path = syt_input_shared(name);
	/* opening a FIFO must not block the decoder */
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	uint64_t magic = 0;
	struct stat st;
	bool is_read = fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode) &&
	               pread(fd, &magic, sizeof(magic), 0) == (ssize_t)sizeof(magic) &&
	               pread(fd, id, 16, offsetof(struct syt_trace, trace_id)) == 16 &&
	               magic == SYT_TRACE_MAGIC;

	if (fd >= 0)
		close(fd);
	free(path);
	return is_read;
}

void syt_identity_read(struct syt_loading **loadings, size_t nr)
{
	const struct syt_loading *last = NULL;

	for (size_t n = 0; n < nr; n++) {
		struct syt_loading *l = loadings[n];
		struct syt_image *i = &l->image;

		/* the header of this dump is damaged, so its trace id is not reliable */
		if (l->in.fd < 0 || !l->has_header)
			continue;
		i->has_home = true;
		if (last && is_same_directory(last->in.name, l->in.name))
			memcpy(i->home_id, last->image.home_id, sizeof(i->home_id));
		else if (!read_shared(l->in.name, i->home_id))
			memcpy(i->home_id, i->file.trace_id, sizeof(i->home_id));
		last = l;
	}
}
