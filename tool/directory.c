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
	CONTENT_TRACE, /* the directory contains the shared file and dumps, and no other file */
	CONTENT_OTHER,
};

bool syt_file_read(int dir, const char *name, void *to, size_t bytes, size_t at)
{
	int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	bool is_read = fd >= 0 && pread(fd, to, bytes, (off_t)at) == (ssize_t)bytes;

	if (fd >= 0)
		close(fd);
	return is_read;
}

size_t syt_file_text(const char *path, char *text, size_t bytes)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : pread(fd, text, bytes - 1, 0);

	if (fd >= 0)
		close(fd);
	n = n < 0 ? 0 : n;
	text[n] = 0;
	return (size_t)n;
}

void syt_dump_name(char name[SYT_DUMP_NAME_BYTES], unsigned image, unsigned pid)
{
	snprintf(name, SYT_DUMP_NAME_BYTES, "%04u.%u" SYT_DUMP_SUFFIX, image, pid);
}

bool syt_is_dump_name(const char *name)
{
	return !fnmatch("?*" SYT_DUMP_SUFFIX, name, 0);
}

bool syt_is_map_name(const char *name)
{
	const char *digits = name + strlen("perf-");

	return !strncmp(name, "perf-", strlen("perf-")) && *digits >= '0' && *digits <= '9' &&
	       !strcmp(digits + strspn(digits, "0123456789"), ".map");
}

/* Returns the start time of the process PID in clock ticks since boot. Returns 0 if the time is unknown, and
 * UINT64_MAX if PID is a zombie. */
static unsigned long long start_time_of(unsigned pid)
{
	char path[64], text[1024], state;
	unsigned long long start;

	snprintf(path, sizeof(path), "/proc/%u/stat", pid);
	syt_file_text(path, text, sizeof(text));
	/* In /proc/PID/stat, the name in parentheses may contain any bytes. sscanf() reads fields 3 (state)
	 * and 22 (start time). */
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

/* Opens the directory FD for next_entry(). Returns NULL and sets errno on failure. */
static DIR *open_entries(int fd)
{
	int copy = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = copy < 0 ? NULL : fdopendir(copy);

	if (!d && copy >= 0)
		close(copy);
	return d;
}

/* Returns the name of the next entry except "." and "..", or NULL. */
static const char *next_entry(DIR *d)
{
	struct dirent *e;

	do
		e = readdir(d);
	while (e && (!strcmp(e->d_name, ".") || !strcmp(e->d_name, "..")));
	return e ? e->d_name : NULL;
}

static enum content content_of(int fd)
{
	DIR *d = open_entries(fd);
	enum content content = CONTENT_EMPTY;
	bool has_trace = false;
	const char *name;

	if (!d)
		return CONTENT_ERROR;
	while ((name = next_entry(d))) {
		content = CONTENT_TRACE;
		if (!strcmp(name, SYT_TRACE_NAME))
			has_trace = true;
		else if (strcmp(name, SYT_PEERS_NAME) && !syt_is_map_name(name) &&
		         fnmatch("[0-9]*.[0-9]*" SYT_DUMP_SUFFIX, name, 0) &&
		         fnmatch(SYT_TRACE_NAME ".[0-9]*", name, 0))
			break;
	}
	if (name || (content == CONTENT_TRACE && !has_trace))
		content = CONTENT_OTHER;
	closedir(d);
	return content;
}

/* Returns the id of a process that still records into the trace, or 0. */
static unsigned recording_pid(int fd)
{
	size_t bytes = offsetof(struct syt_trace, endpoints);
	struct syt_trace *t = syt_calloc(1, bytes);
	unsigned pid = 0;

	if (!syt_file_read(fd, SYT_TRACE_NAME, t, bytes, 0) || t->magic != SYT_TRACE_MAGIC)
		memset(t->pids, 0, sizeof(t->pids));
	for (unsigned i = 0; i < SYT_NR_TRACE_PROCESSES && !pid; i++) {
		struct syt_file header;
		char name[SYT_DUMP_NAME_BYTES];

		if (!t->pids[i])
			continue;
		syt_dump_name(name, i, t->pids[i]);
		if (!syt_file_read(fd, name, &header, sizeof(header), 0))
			header.start_time = 0;
		if (syt_process_lives(t->pids[i], header.start_time))
			pid = t->pids[i];
	}
	free(t);
	return pid;
}

#define ID_BYTES 16u
#define CHOOSE_ANOTHER "choose another directory with -o"
#define OTHERS_WRITE (S_IWGRP | S_IWOTH)

/* Reads the id of the trace from NAME in the directory FD. Returns whether syntrace wrote the file. */
static bool read_id(int fd, const char *name, uint8_t *id)
{
	const char *dot = strrchr(name, '.');
	bool is_dump = dot && !strcmp(dot, SYT_DUMP_SUFFIX),
	     is_peers = !strcmp(name, SYT_PEERS_NAME), is_map = syt_is_map_name(name);
	uint64_t magic = 0, wanted = is_dump    ? SYT_FILE_MAGIC
	                             : is_peers ? SYT_PEERS_MAGIC
	                             : is_map   ? SYT_SAVED_MAP_MAGIC
	                                        : SYT_TRACE_MAGIC;
	size_t at = is_dump    ? offsetof(struct syt_file, trace_id)
	            : is_peers ? offsetof(struct syt_peers, trace_id)
	            : is_map   ? offsetof(struct syt_saved_map, trace_id)
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

/* Returns whether the content of each file in the directory FD belongs to the trace ID. REMOVE: removes the files
 * except the shared file, which contains ID. */
static bool walk(int fd, const uint8_t *id, bool remove)
{
	DIR *d = open_entries(fd);
	bool is_all = d;
	const char *name;

	while (is_all && (name = next_entry(d))) {
		uint8_t found[ID_BYTES];
		/* A process that was killed while it made the shared file leaves this file with another id. */
		bool is_temporary = !fnmatch(SYT_TRACE_NAME ".[0-9]*", name, 0);

		is_all = read_id(fd, name, found) && (is_temporary || !memcmp(found, id, ID_BYTES));
		if (is_all && remove && strcmp(name, SYT_TRACE_NAME))
			unlinkat(fd, name, 0);
	}
	if (d)
		closedir(d);
	return is_all;
}

/* Removes the directory OLD if OLD is a finished trace without other files. Returns whether OLD was removed. */
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

/* The number of the names DIR.old and DIR.old.1 to DIR.old.9, which the recorder uses, too (runtime/aside.h). */
#define NR_OLD_NAMES 10u

/* Renames DIR to OLD, unless OLD exists. */
static int rename_to(const char *dir, const char *old)
{
	int rv = renameat2(AT_FDCWD, dir, AT_FDCWD, old, RENAME_NOREPLACE);
	struct stat st;

	if (!rv || (errno != EINVAL && errno != ENOSYS))
		return rv;
	if (!lstat(old, &st)) {
		/* this fallback is for file systems that do not support RENAME_NOREPLACE */
		errno = EEXIST;
		return -1;
	}
	return rename(dir, old);
}

/* Renames the finished trace DIR to the first of DIR.old and DIR.old.1 to DIR.old.9 that does not exist or can be
 * removed. */
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

/* Returns why the existing directory DIR cannot be used, or NULL. The caller frees the text. */
static char *why_unusable(const char *dir, bool keep, bool *is_empty)
{
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;

	if (fd < 0 && (errno == ENOTDIR || errno == ELOOP))
		return syt_asprintf("%s exists and is not a directory: " CHOOSE_ANOTHER, dir);
	enum content content = fd < 0 || fstat(fd, &st) ? CONTENT_ERROR : content_of(fd);
	unsigned pid = content == CONTENT_TRACE ? recording_pid(fd) : 0;

	if (content == CONTENT_EMPTY && st.st_uid == geteuid()) {
		st.st_mode = 0700;
		/* Before the chmod, other users may have made files in the directory. */
		content = fchmod(fd, st.st_mode) ? CONTENT_ERROR : content_of(fd);
	}
	int err = errno;

	if (fd >= 0)
		close(fd);
	*is_empty = content == CONTENT_EMPTY;
	if (content == CONTENT_ERROR)
		return syt_asprintf("cannot use %s: %s", dir, strerror(err));
	if (st.st_uid != geteuid())
		return syt_asprintf("%s belongs to another user: " CHOOSE_ANOTHER, dir);
	if (*is_empty)
		return NULL;
	if (st.st_mode & OTHERS_WRITE)
		return syt_asprintf("other users may write to %s, and could end the program in "
		                    "this way: run chmod go-w %s, or " CHOOSE_ANOTHER,
		                    dir, dir);
	if (content == CONTENT_OTHER)
		return syt_asprintf(
			"%s contains files that are not part of a trace: " CHOOSE_ANOTHER, dir);
	if (pid)
		return syt_asprintf("process %u is still writing a trace into %s: " CHOOSE_ANOTHER,
		                    pid, dir);
	if (keep)
		return syt_asprintf(
			"%s contains a trace, which --no-clobber keeps: " CHOOSE_ANOTHER, dir);
	return NULL;
}

/* Makes the existing directory DIR usable, or renames it and sets *IS_MOVED. */
static int clear_existing(const char *dir, bool keep, bool *is_moved)
{
	bool is_empty = false;
	char *why = why_unusable(dir, keep, &is_empty);
	int rv = why ? -1 : is_empty ? 0 : move_aside(dir);

	if (why)
		syt_warn("%s", why);
	free(why);
	*is_moved = !rv && !is_empty;
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
		syt_warn_errno("cannot find the absolute path of the new directory %s", name);
	free(name);
	return path;
}
