/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#define _GNU_SOURCE
#include "tool/live.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "tool/directory.h"

#define MAPPED_BYTES offsetof(struct syt_trace, endpoints)

static bool is_number(const char *text)
{
	return *text && !text[strspn(text, "0123456789")];
}

/* Returns the directory of the trace that process PID maps, or NULL. */
static char *directory_of(const char *pid)
{
	char *path = syt_asprintf("/proc/%s/maps", pid), *line = NULL, *dir = NULL;
	FILE *f = fopen(path, "re");
	size_t room = 0;
	ssize_t n;

	while (f && !dir && (n = getline(&line, &room, f)) > 0) {
		char *start = strchr(line, '/'), *name;

		line[n - 1] = 0;
		name = start ? strrchr(start, '/') : NULL;
		if (name && !strcmp(name + 1, SYT_TRACE_NAME)) {
			*name = 0;
			dir = syt_asprintf("%s", start);
		}
	}
	if (f)
		fclose(f);
	free(line);
	free(path);
	return dir;
}

static bool has_name(const char *pid, const char *name)
{
	char *path = syt_asprintf("/proc/%s/comm", pid), comm[64];

	syt_file_text(path, comm, sizeof(comm));
	free(path);
	comm[strcspn(comm, "\n")] = 0;
	/* /proc/PID/comm contains only the first 15 characters of a process name. */
	return !strcmp(comm, name) || (strlen(comm) == 15 && !strncmp(comm, name, 15));
}

/* Returns the directory of the trace into which all processes called NAME record. Returns NULL after a message if
 * there is no trace, or several. */
static char *directory_by_name(const char *name)
{
	DIR *d = opendir("/proc");
	char *dir = NULL;
	struct dirent *e;
	unsigned nr = 0;

	while (d && (e = readdir(d))) {
		char *found;

		if (!is_number(e->d_name) || !has_name(e->d_name, name))
			continue;
		nr++;
		found = directory_of(e->d_name);
		if (found && dir && strcmp(found, dir)) {
			syt_warn("processes called %s write several traces: name one of them by a "
			         "pid or a directory",
			         name);
			free(found);
			free(dir);
			dir = NULL;
			break;
		}
		free(dir ? found : NULL);
		dir = dir ? dir : found;
	}
	if (d && !e && !dir)
		syt_warn(nr ? "%s is not being recorded"
		            : "there is no process or directory called %s",
		         name);
	if (d)
		closedir(d);
	return dir;
}

bool syt_live_open_directory(struct syt_live *l, const char *dir)
{
	bool is_open = false;
	int file = -1;
	struct stat st;

	*l = (struct syt_live){.fd = -1, .trace = MAP_FAILED};
	l->dir = realpath(dir, NULL);
	l->fd = l->dir ? open(l->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	if (l->fd >= 0)
		file = openat(l->fd, SYT_TRACE_NAME, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
	if (file < 0 || fstat(file, &st)) {
		syt_warn_errno("cannot open the trace in %s", dir);
	} else if (st.st_mode & (S_IWGRP | S_IWOTH)) {
		/* Another user could truncate the mapped file, and this tool would get SIGBUS. */
		syt_warn("other users may write to the trace in %s", dir);
	} else {
		if (S_ISREG(st.st_mode) && (size_t)st.st_size >= sizeof(struct syt_trace))
			l->trace = mmap(NULL, MAPPED_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED,
			                file, 0);
		is_open = l->trace != MAP_FAILED && l->trace->magic == SYT_TRACE_MAGIC &&
		          l->trace->major == SYT_FORMAT_MAJOR;
		if (!is_open)
			syt_warn("%s contains no trace that this version of syntrace can read",
			         dir);
	}
	if (file >= 0)
		close(file);
	return is_open;
}

bool syt_live_open(struct syt_live *l, const char *what)
{
	struct stat st;
	char *dir = NULL;
	bool is_open;

	*l = (struct syt_live){.fd = -1, .trace = MAP_FAILED};
	if (is_number(what)) {
		dir = directory_of(what);
		if (!dir)
			syt_warn("process %s is not being recorded, or it belongs to another user",
			         what);
	} else if (strchr(what, '/') || (!stat(what, &st) && S_ISDIR(st.st_mode))) {
		dir = syt_asprintf("%s", what);
	} else {
		dir = directory_by_name(what);
	}
	is_open = dir && syt_live_open_directory(l, dir);
	free(dir);
	return is_open;
}

void syt_live_lock(struct syt_live *l)
{
	(void)TEMP_FAILURE_RETRY(flock(l->fd, LOCK_EX));
}

void syt_live_unlock(struct syt_live *l)
{
	flock(l->fd, LOCK_UN);
}

void syt_live_close(struct syt_live *l)
{
	if (l->trace != MAP_FAILED)
		munmap(l->trace, MAPPED_BYTES);
	if (l->fd >= 0)
		close(l->fd);
	free(l->dir);
}

error_t syt_live_parse(int key, char *argument, struct argp_state *state, const char **what)
{
	switch (key) {
	case ARGP_KEY_ARG:
		if (*what)
			argp_error(state, "the command line may name only one trace");
		*what = argument;
		return 0;
	case ARGP_KEY_NO_ARGS:
		*what = "./" SYT_DIR_DEFAULT;
		if (access(*what, F_OK))
			argp_error(state,
			           "no trace is given, and %s does not exist: name a pid, a "
			           "program or a trace directory",
			           *what);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}
