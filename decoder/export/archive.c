/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/export/archive.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"

#define BLOCK 512u

/* The header of a file in the archive. Numbers are octal text. */
struct header {
	char name[100], mode[8], uid[8], gid[8], size[12], mtime[12], checksum[8], type, link[100];
	char magic[6], version[2], user[32], group[32], major[8], minor[8], prefix[155], rest[12];
};
_Static_assert(sizeof(struct header) == BLOCK, "ustar");

static void put_header(struct syt_out *out, const char *directory, const char *file, uint64_t bytes)
{
	struct header h = {.type = '0', .magic = "ustar", .version = {'0', '0'}};
	const unsigned char *p = (const unsigned char *)&h;
	unsigned sum = 0;

	snprintf(h.name, sizeof(h.name), "%.80s/%.16s", directory, file);
	memcpy(h.mode, "0000644", 8);
	memcpy(h.uid, "0000000", 8);
	memcpy(h.gid, "0000000", 8);
	memcpy(h.mtime, "00000000000", 12);
	if (bytes < UINT64_C(1) << 33) {
		snprintf(h.size, sizeof(h.size), "%011" PRIo64, bytes);
	} else { /* GNU's and POSIX's form for large files: a binary number */
		h.size[0] = (char)0x80;
		for (unsigned n = 0; n < 8; n++)
			h.size[11 - n] = (char)(bytes >> 8 * n);
	}
	memset(h.checksum, ' ', sizeof(h.checksum));
	for (unsigned n = 0; n < sizeof(h); n++)
		sum += p[n];
	snprintf(h.checksum, sizeof(h.checksum), "%06o", sum & 0777777);
	syt_out_bytes(out, &h, sizeof(h));
}

/* Copies BYTES bytes from FD to OUT, and fills the last block with zeros. Returns 0 or an errno. */
static int copy(struct syt_out *out, int fd, uint64_t bytes)
{
	static const char zeros[BLOCK];
	char buffer[1 << 16];
	uint64_t left = bytes;

	while (left && !out->is_closed) {
		ssize_t n = read(fd, buffer, left < sizeof(buffer) ? left : sizeof(buffer));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? errno : EIO;
		syt_out_bytes(out, buffer, (size_t)n);
		left -= (uint64_t)n;
	}
	syt_out_bytes(out, zeros, (BLOCK - bytes % BLOCK) % BLOCK);
	return 0;
}

static int add(struct syt_out *out, int directory, const char *name, const char *file)
{
	int fd = openat(directory, file, O_RDONLY | O_CLOEXEC), error = 0;
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0) {
		error = errno;
	} else {
		put_header(out, name, file, (uint64_t)st.st_size);
		error = copy(out, fd, (uint64_t)st.st_size);
	}
	if (fd >= 0)
		close(fd);
	return error;
}

int syt_archive_write(struct syt_out *out, const char *path, const char *name)
{
	static const char end[2 * BLOCK];
	struct dirent **entries = NULL;
	int nr = scandir(path, &entries, NULL, alphasort);
	int dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int error = nr < 0 || dir < 0 ? errno : 0;

	for (int n = 0; n < nr; n++) {
		if (!error && entries[n]->d_name[0] != '.')
			error = add(out, dir, name, entries[n]->d_name);
		free(entries[n]);
	}
	free(entries);
	if (dir >= 0)
		close(dir);
	syt_out_bytes(out, end, sizeof(end));
	if (error)
		syt_warn("%s: %s", path, strerror(error));
	return error ? -1 : 0;
}
