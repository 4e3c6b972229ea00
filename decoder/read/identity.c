/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/read/identity.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"

/* Returns the length of NAME's directory, with its slash. */
static size_t directory_length(const char *name)
{
	const char *slash = strrchr(name, '/');

	return slash ? (size_t)(slash - name) + 1 : 0;
}

static bool is_same_directory(const char *a, const char *b)
{
	size_t n = directory_length(a);

	return n == directory_length(b) && !memcmp(a, b, n);
}

/* Reads the id from the shared file beside the dump NAME. */
static bool read_shared(const char *name, uint8_t *id)
{
	char *path = syt_asprintf("%.*s" SYT_TRACE_NAME, (int)directory_length(name), name);
	int fd = open(path,
	              /* opening a FIFO must not block the decoder */
	              O_RDONLY | O_NONBLOCK | O_CLOEXEC);
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

		/* a damaged header contains no reliable id */
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
