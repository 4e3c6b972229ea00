/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Any user may create files in /tmp, so a map is copied only if its owner is the user of the traced process, and if it
 * was written after the process began. */
#define _GNU_SOURCE
#include "tool/perf_map.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "format/format.h"
#include "tool/directory.h"

/* Returns the open map of the process that wrote the dump with the header F, or -1. */
static int open_map(const struct syt_file *f)
{
	char path[64];
	struct stat st;
	int fd;

	snprintf(path, sizeof(path), "/tmp/" SYT_SAVED_MAP_NAME, f->pid);
	fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return -1;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_uid == f->uid &&
	    !(st.st_mode & (S_IWGRP | S_IWOTH)) && st.st_size > 0 &&
	    (uint64_t)st.st_size <= SYT_SAVED_MAP_BYTES - sizeof(struct syt_saved_map) &&
	    (uint64_t)st.st_mtim.tv_sec * UINT64_C(1000000000) + (uint64_t)st.st_mtim.tv_nsec >=
	            f->start.real_ns)
		return fd;
	close(fd);
	return -1;
}

static bool write_all(int to, const void *bytes, size_t nr)
{
	const char *p = bytes;
	ssize_t n;

	for (; nr; p += n, nr -= (size_t)n) {
		n = write(to, p, nr);
		if (n <= 0)
			return false;
	}
	return true;
}

static bool copy(int from, int to, const uint8_t *trace_id)
{
	struct syt_saved_map head = {.magic = SYT_SAVED_MAP_MAGIC,
	                             .major = SYT_FORMAT_MAJOR,
	                             .minor = SYT_FORMAT_MINOR,
	                             .header_bytes = sizeof(head)};
	uint64_t left = SYT_SAVED_MAP_BYTES - sizeof(head);
	char buffer[65536];
	bool is_done;
	ssize_t n = 1;

	memcpy(head.trace_id, trace_id, sizeof(head.trace_id));
	is_done = write_all(to, &head, sizeof(head));
	/* the program may still append to the file */
	for (; is_done && left && n > 0; left -= (uint64_t)n) {
		n = read(from, buffer, left < sizeof(buffer) ? (size_t)left : sizeof(buffer));
		is_done = n >= 0 && write_all(to, buffer, (size_t)n);
	}
	return is_done;
}

static void keep(int to, const struct syt_file *f)
{
	char name[32];
	int map = open_map(f), fd;

	if (map < 0)
		return;
	snprintf(name, sizeof(name), SYT_SAVED_MAP_NAME, f->pid);
	fd = openat(to, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	/* the map exists if the process has two images, before and after an exec */
	if (fd < 0 ? errno != EEXIST : !copy(map, fd, f->trace_id)) {
		syt_warn_errno("cannot copy /tmp/%s into the trace: the decoder may not name "
		               "generated code of process %u",
		               name, f->pid);
		if (fd >= 0)
			unlinkat(to, name, 0);
	}
	if (fd >= 0)
		close(fd);
	close(map);
}

void syt_perf_maps_keep(int from, int to)
{
	int copy_of = openat(from, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = copy_of < 0 ? NULL : fdopendir(copy_of);
	struct dirent *e;

	if (!d && copy_of >= 0)
		close(copy_of);
	while (d && (e = readdir(d))) {
		struct syt_file header;

		if (syt_is_dump_name(e->d_name) &&
		    syt_file_read(from, e->d_name, &header, sizeof(header), 0) &&
		    header.magic == SYT_FILE_MAGIC && header.pid)
			keep(to, &header);
	}
	if (d)
		closedir(d);
}
