/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#define _GNU_SOURCE
#include "tool/directory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "format/format.h"

enum content {
	CONTENT_ERROR = -1,
	CONTENT_EMPTY,
	CONTENT_TRACE, /* only the shared file and dumps */
	CONTENT_OTHER,
};

/* Returns the start time of the process PID in clock ticks since boot; 0 if it is unknown; UINT64_MAX if the
 * process has ended and was not reaped. */
static unsigned long long start_time_of(unsigned pid)
{
	char path[64], text[1024], state;
	unsigned long long start;

	snprintf(path, sizeof(path), "/proc/%u/stat", pid);
	FILE *f = fopen(path, "re");

	if (!f)
		return 0;
	size_t n = fread(text, 1, sizeof(text) - 1, f);

	fclose(f);
	text[n] = 0;
	/* The name in parentheses may contain any bytes.  Reads field 3, skips fields 4 to 21, reads field 22. */
	char *p = strrchr(text, ')');

	if (!p ||
	    sscanf(p + 1,
	           " %c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s"
	           " %llu",
	           &state, &start) != 2)
		return 0;
	return state == 'Z' || state == 'X' ? UINT64_MAX : start;
}

bool syt_process_lives(unsigned pid, unsigned long long start_time)
{
	if (!pid || pid > INT_MAX || (kill((pid_t)pid, 0) && errno == ESRCH))
		return false;
	unsigned long long start = start_time_of(pid);

	if (start == UINT64_MAX)
		return false;
	return !start || !start_time || start == start_time;
}

static enum content content_of(int fd)
{
	int copy = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = copy < 0 ? NULL : fdopendir(copy);
	enum content content = CONTENT_EMPTY;
	bool has_trace = false;
	struct dirent *e;

	if (!d) {
		if (copy >= 0)
			close(copy);
		return CONTENT_ERROR;
	}
	while ((e = readdir(d))) {
		if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
			continue;
		content = CONTENT_TRACE;
		if (!strcmp(e->d_name, SYT_PEERS_NAME))
			continue;
		if (!strcmp(e->d_name, SYT_TRACE_NAME))
			has_trace = true;
		else if (fnmatch("[0-9]*.[0-9]*" SYT_DUMP_SUFFIX, e->d_name, 0) &&
		         fnmatch(SYT_TRACE_NAME ".[0-9]*", e->d_name, 0))
			break;
	}
	if (e || (content == CONTENT_TRACE && !has_trace))
		content = CONTENT_OTHER;
	closedir(d);
	return content;
}

/* Returns the id of a process that still records into the trace, or 0. */
static unsigned recording_pid(int fd)
{
	struct syt_trace *t = NULL;
	int file = openat(fd, SYT_TRACE_NAME, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	size_t bytes = offsetof(struct syt_trace, endpoints);
	unsigned pid = 0;

	if (file < 0)
		return 0;
	t = syt_calloc(1, bytes);
	ssize_t n = pread(file, t, bytes, 0);

	close(file);
	if (n == (ssize_t)bytes && t->magic == SYT_TRACE_MAGIC) {
		for (unsigned i = 0; i < SYT_NR_TRACE_PROCESSES && !pid; i++) {
			struct syt_file header;
			char name[64];

			if (!t->pids[i])
				continue;
			snprintf(name, sizeof(name), "%04u.%u" SYT_DUMP_SUFFIX, i, t->pids[i]);
			int dump = openat(fd, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
			bool is_read = dump >= 0 && pread(dump, &header, sizeof(header), 0) ==
			                                    (ssize_t)sizeof(header);

			if (dump >= 0)
				close(dump);
			if (syt_process_lives(t->pids[i], is_read ? header.start_time : 0))
				pid = t->pids[i];
		}
	}
	free(t);
	return pid;
}

#define ID_BYTES 16u
#define OTHERS_WRITE (S_IWGRP | S_IWOTH)

/* Reads the id of the trace from NAME in the directory FD. Returns whether syntrace wrote the file. */
static bool read_id(int fd, const char *name, uint8_t *id)
{
	const char *dot = strrchr(name, '.');
	bool is_dump = dot && !strcmp(dot, SYT_DUMP_SUFFIX),
	     is_peers = !strcmp(name, SYT_PEERS_NAME);
	uint64_t magic = 0, wanted = is_dump    ? SYT_FILE_MAGIC
	                             : is_peers ? SYT_PEERS_MAGIC
	                                        : SYT_TRACE_MAGIC;
	size_t at = is_dump    ? offsetof(struct syt_file, trace_id)
	            : is_peers ? offsetof(struct syt_peers, trace_id)
	                       : offsetof(struct syt_trace, trace_id);
	int file = openat(fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat st;
	bool is_ours = file >= 0 && !fstat(file, &st) && S_ISREG(st.st_mode) &&
	               st.st_uid == geteuid() &&
	               pread(file, &magic, sizeof(magic), 0) == (ssize_t)sizeof(magic) &&
	               pread(file, id, ID_BYTES, (off_t)at) == (ssize_t)ID_BYTES && magic == wanted;

	if (file >= 0)
		close(file);
	return is_ours;
}

/* Returns whether each file in the directory FD is one of the trace ID, by its content. REMOVE: removes these files,
 * but for the shared one, which proves the others. */
static bool walk(int fd, const uint8_t *id, bool remove)
{
	int copy = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = copy < 0 ? NULL : fdopendir(copy);
	bool is_all = d;
	struct dirent *e;

	if (!d && copy >= 0)
		close(copy);
	while (is_all && (e = readdir(d))) {
		uint8_t found[ID_BYTES];
		/* A process that was killed while it made the shared file left this file, with another id. */
		bool is_temporary = !fnmatch(SYT_TRACE_NAME ".[0-9]*", e->d_name, 0);

		if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
			continue;
		is_all = read_id(fd, e->d_name, found) &&
		         (is_temporary || !memcmp(found, id, ID_BYTES));
		if (is_all && remove && strcmp(e->d_name, SYT_TRACE_NAME))
			unlinkat(fd, e->d_name, 0);
	}
	if (d)
		closedir(d);
	return is_all;
}

/* Removes OLD when it is a finished trace and syntrace wrote each file in it. Returns whether OLD is gone. */
static bool remove_trace(const char *old)
{
	int fd = open(old, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	uint8_t id[ID_BYTES];
	struct stat st;
	bool is_done;

	if (fd < 0)
		return false;
	is_done = !fstat(fd, &st) && st.st_uid == geteuid() && !(st.st_mode & OTHERS_WRITE) &&
	          content_of(fd) == CONTENT_TRACE && !recording_pid(fd) &&
	          read_id(fd, SYT_TRACE_NAME, id) && walk(fd, id, false) && walk(fd, id, true) &&
	          !unlinkat(fd, SYT_TRACE_NAME, 0);
	close(fd);
	return is_done && !rmdir(old);
}

#define NR_OLD_NAMES                                                                               \
	10u /* DIR.old, DIR.old.1 to DIR.old.9; the recorder uses the same names (runtime/aside.h) */

/* Renames DIR to OLD, unless OLD is there. */
static int rename_to(const char *dir, const char *old)
{
	int rv = renameat2(AT_FDCWD, dir, AT_FDCWD, old, RENAME_NOREPLACE);
	struct stat st;

	if (!rv || (errno != EINVAL && errno != ENOSYS))
		return rv;
	if (!lstat(old, &st)) { /* this file system does not support RENAME_NOREPLACE */
		errno = EEXIST;
		return -1;
	}
	return rename(dir, old);
}

/* Renames the finished trace DIR to the first of these names that is free or can be freed. */
static int move_aside(const char *dir)
{
	char *first = syt_asprintf("%s.old", dir), *old = NULL;
	int rv = -1;

	errno = EEXIST;
	for (unsigned nr = 0; nr < NR_OLD_NAMES && rv && errno == EEXIST; nr++) {
		free(old);
		old = nr ? syt_asprintf("%s.old.%u", dir, nr) : syt_asprintf("%s", first);
		rv = rename_to(dir, old);
		if (rv && errno == EEXIST) {
			bool is_free = remove_trace(old);

			errno = EEXIST;
			if (is_free)
				rv = rename_to(dir, old);
		}
	}
	if (rv)
		syt_warn_errno("cannot rename %s to %s", dir, old);
	else if (strcmp(old, first))
		syt_warn("%s is not a finished trace, or contains other files, so it was kept; the "
		         "previous trace is now %s",
		         first, old);
	free(old);
	free(first);
	return rv;
}

/* Makes the existing directory DIR usable, or renames it and sets *IS_MOVED. */
static int clear_existing(const char *dir, bool keep, bool *is_moved)
{
	struct stat st;
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0) {
		if (errno == ENOTDIR || errno == ELOOP)
			syt_warn("%s exists and is not a directory: choose another directory with "
			         "-o",
			         dir);
		else
			syt_warn_errno("cannot use %s", dir);
		return -1;
	}
	enum content content = fstat(fd, &st) ? CONTENT_ERROR : content_of(fd);
	unsigned pid = content == CONTENT_TRACE ? recording_pid(fd) : 0;
	int rv = 0;

	if (content == CONTENT_EMPTY && st.st_uid == geteuid()) {
		rv = fchmod(fd, 0700);
		st.st_mode = 0700;
		content =
			content_of(fd); /* before the chmod, other users may have made files here */
	}
	close(fd);
	if (content == CONTENT_ERROR || rv) {
		syt_warn_errno("cannot use %s", dir);
		return -1;
	}
	if (st.st_uid != geteuid()) {
		syt_warn("%s belongs to another user: choose another directory with -o", dir);
		return -1;
	}
	if (content == CONTENT_EMPTY)
		return 0;
	if (st.st_mode & OTHERS_WRITE) {
		syt_warn("other users may write to %s, and could end the program in this way: run "
		         "chmod go-w %s, or choose another directory with -o",
		         dir, dir);
		return -1;
	}
	if (content == CONTENT_OTHER) {
		syt_warn("%s contains files that are not part of a trace: choose another directory "
		         "with -o",
		         dir);
		return -1;
	}
	if (pid) {
		syt_warn("process %u still records into %s: choose another directory with -o", pid,
		         dir);
		return -1;
	}
	if (keep) {
		syt_warn("%s contains a trace, which --no-clobber keeps: choose another directory "
		         "with -o",
		         dir);
		return -1;
	}
	rv = move_aside(dir);
	*is_moved = !rv;
	return rv;
}

char *syt_directory_create(const char *dir, bool keep, bool *is_new)
{
	char *name = syt_asprintf("%s", dir);
	size_t n = strlen(name);
	bool is_moved = false;

	while (n > 1 && name[n - 1] == '/')
		name[--n] = 0;
	int rv = mkdir(name, 0700);
	bool is_created = !rv;

	if (rv && errno == EEXIST) {
		rv = clear_existing(name, keep, &is_moved);
		if (!rv && is_moved && (rv = mkdir(name, 0700)))
			syt_warn_errno("cannot create %s", name);
	} else if (rv) {
		syt_warn_errno("cannot create %s", name);
	}
	char *path = rv ? NULL : realpath(name, NULL);

	*is_new = is_created || is_moved;
	if (!rv && !path)
		syt_warn_errno("cannot find the path of %s after creating it", name);
	free(name);
	return path;
}
