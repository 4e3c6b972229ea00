/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/read/input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/store.h"
#include "format/format.h"

#define COPY_BYTES 65536u

/* Copies the rest of FROM to a file in memory (memfd). Pages that contain only zeros become holes. */
static int copy_sparse(int from)
{
	int to = memfd_create("syntrace-input", MFD_CLOEXEC);
	uint8_t *buffer = syt_alloc(COPY_BYTES, 1);
	static const uint8_t zeros[COPY_BYTES];
	off_t at = 0;
	int rv = to < 0 ? -errno : 0;

	while (rv == 0) {
		ssize_t n = read(from, buffer, COPY_BYTES);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			rv = n < 0 ? -errno : ftruncate(to, at) < 0 ? -errno : to;
			break;
		}
		if (memcmp(buffer, zeros, (size_t)n) != 0) {
			ssize_t written = pwrite(to, buffer, (size_t)n, at);

			if (written != n)
				rv = written < 0 ? -errno : -ENOSPC;
		}
		at += n;
	}
	free(buffer);
	if (rv < 0 && to >= 0)
		close(to);
	return rv;
}

int syt_input_open(struct syt_input *in, const char *path)
{
	bool is_stdin = strcmp(path, "-") == 0;
	int fd = is_stdin ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	struct stat st;
	int rv;

	*in = (struct syt_input){.fd = -1};
	if (fd < 0)
		return -errno;
	rv = fstat(fd, &st) < 0 ? -errno : S_ISDIR(st.st_mode) ? -EISDIR : 0;
	if (rv == 0 && (is_stdin || !S_ISREG(st.st_mode))) {
		int copy = copy_sparse(fd);

		close(fd);
		fd = copy;
		if (fd < 0)
			return fd;
		rv = fstat(fd, &st) < 0 ? -errno : 0;
	}
	if (rv == 0 && st.st_size > 0) {
		void *p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_SHARED, fd, 0);

		rv = p == MAP_FAILED ? -errno : 0;
		in->data = p;
	}
	if (rv < 0) {
		close(fd);
		return rv;
	}
	if (in->data && !is_stdin)
		syt_store_watch(in->data, (uint64_t)st.st_size);
	in->name = is_stdin ? syt_asprintf("standard input") : syt_asprintf("%s", path);
	in->bytes = (uint64_t)st.st_size;
	in->allocated_bytes = (uint64_t)st.st_blocks * 512;
	in->fd = fd;
	return 0;
}

void syt_input_memory(struct syt_input *in, const char *name, const void *data, uint64_t bytes)
{
	*in = (struct syt_input){
		.name = syt_asprintf("%s", name),
		.data = data,
		.bytes = bytes,
		.allocated_bytes = bytes,
		.fd = -1,
	};
}

void syt_input_close(struct syt_input *in)
{
	if (in->fd >= 0) {
		syt_store_unwatch(in->data);
		if (in->bytes)
			munmap((void *)(uintptr_t)in->data, (size_t)in->bytes);
		close(in->fd);
	}
	free(in->name);
	*in = (struct syt_input){.fd = -1};
}

char *syt_input_shared(const char *name)
{
	return syt_asprintf("%.*s" SYT_TRACE_NAME, (int)(basename(name) - name), name);
}

bool syt_input_is_dump(const char *name)
{
	size_t n = strlen(name), suffix = strlen(SYT_DUMP_SUFFIX);

	return n > suffix && strcmp(name + n - suffix, SYT_DUMP_SUFFIX) == 0;
}

uint64_t syt_input_next_data(const struct syt_input *in, uint64_t at)
{
	if (at >= in->bytes)
		return in->bytes;
	if (in->fd < 0)
		return at;
	off_t data = lseek(in->fd, (off_t)at, SEEK_DATA);

	if (data < 0)
		return errno == ENXIO ? in->bytes : at;
	return (uint64_t)data < in->bytes ? (uint64_t)data : in->bytes;
}
