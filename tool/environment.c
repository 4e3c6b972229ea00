/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Checks the directory by the rules of the recorder (runtime/own.c).  It must belong to the user, and no other
 * user may write to it or to the trace's shared file.  The directory that SYNTRACE_SESSION names must exist.
 * The recorder creates any other directory.
 */
#include "base/err.h"
#include "tool/environment.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "format/format.h"
#include "tool/options.h"

static const char *variable(const char *name)
{
	const char *value = getenv(name);

	return value && *value ? value : NULL;
}

/* Returns why DIR cannot be created, or NULL. */
static const char *refuses(const char *dir)
{
	char *above = syt_asprintf("%s", dir), *end = above + strlen(above);
	const char *why = NULL;

	while (end > above && end[-1] == '/')
		*--end = 0;
	while (end > above && end[-1] != '/')
		*--end = 0;
	if (access(*above ? above : ".", W_OK | X_OK))
		why = strerror(errno);
	free(above);
	return why;
}

#define OTHERS_WRITE (S_IWGRP | S_IWOTH)

/* Returns why the shared file in DIR cannot be used, or NULL. */
static const char *why_not_shared(const char *dir)
{
	char *path = syt_asprintf("%s/" SYT_TRACE_NAME, dir);
	const char *why = NULL;
	struct stat st;

	if (!lstat(path, &st)) {
		if (!S_ISREG(st.st_mode) || st.st_uid != geteuid() || st.st_nlink != 1)
			why = "its file " SYT_TRACE_NAME " is not a file of this user's alone";
		else if (st.st_mode & OTHERS_WRITE)
			why = "other users may write to its file " SYT_TRACE_NAME;
	}
	free(path);
	return why;
}

/* Returns why DIR cannot be recorded into, or NULL. */
static const char *why_not(const char *dir, bool is_made)
{
	struct stat st;
	uint64_t room;
	struct statvfs fs;

	if (lstat(dir, &st))
		return errno != ENOENT || !is_made ? strerror(errno) : refuses(dir);
	if (!S_ISDIR(st.st_mode))
		return strerror(ENOTDIR);
	if (st.st_uid != geteuid())
		return "it belongs to another user";
	if (st.st_mode & OTHERS_WRITE)
		return "other users may write to it: chmod go-w";
	if (access(dir, W_OK | X_OK))
		return strerror(errno);
	room = statvfs(dir, &fs) ? UINT64_MAX : fs.f_bavail * fs.f_frsize / 2;
	return room < SYT_DUMP_LEAST_BYTES ? strerror(ENOSPC) : why_not_shared(dir);
}

void syt_environment_check(struct syt_program *p)
{
	const char *disable = variable("SYNTRACE_DISABLE"), *size = variable("SYNTRACE_MAX_SIZE");
	const char *name = variable("SYNTRACE_SESSION") ? "SYNTRACE_SESSION" : "SYNTRACE_DIR";
	const char *dir = variable(name);
	const char *why = why_not(dir ? dir : SYT_DIR_DEFAULT, strcmp(name, "SYNTRACE_SESSION"));
	uint64_t bytes;

	if (disable && strcmp(disable, "0"))
		syt_finding_add(p, "disabled", SYT_BLINDNESS_ALL,
		                "SYNTRACE_DISABLE is set in the environment, so nothing is "
		                "recorded: unset it");
	if (why && dir)
		syt_finding_add(p, "directory", SYT_BLINDNESS_NOTE,

		                "%s is %s (%s): with LD_PRELOAD alone, nothing is recorded, "
		                "without a message; unset the variable, or use syntrace record",
		                name, dir, why);
	else if (why)
		syt_finding_add(p, "directory", SYT_BLINDNESS_NOTE,
		                "the directory is " SYT_DIR_DEFAULT
		                " (%s): with LD_PRELOAD alone, nothing is recorded, without a "
		                "message; set SYNTRACE_DIR to another directory",
		                why);
	if (size && syt_parse_size(size, &bytes) && bytes < SYT_DUMP_LEAST_BYTES)
		syt_finding_add(
			p, "room", SYT_BLINDNESS_NOTE,
			"SYNTRACE_MAX_SIZE is %s, but a dump needs at least %uK: with LD_PRELOAD "
			"alone, nothing is recorded, without a message; increase it",
			size, (unsigned)(SYT_DUMP_LEAST_BYTES >> 10));
}
