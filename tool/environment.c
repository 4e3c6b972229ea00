/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * The directory is judged as the recorder does it (runtime/place.c): it must be the user's own.  One
 * that SYNTRACE_SESSION names must be there, another one is made.
 */
#include "tool/environment.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tool/say.h"

static const char *variable(const char *name)
{
	const char *value = getenv(name);

	return value && *value ? value : NULL;
}

/* Why DIR cannot be made, or NULL. */
static const char *refuses(const char *dir)
{
	char *above = syt_text("%s", dir), *end = above + strlen(above);
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

/* Why nothing can be recorded into DIR, or NULL. */
static const char *why_not(const char *dir, bool is_made)
{
	struct stat st;

	if (lstat(dir, &st))
		return errno != ENOENT || !is_made ? strerror(errno) : refuses(dir);
	if (!S_ISDIR(st.st_mode))
		return strerror(ENOTDIR);
	if (st.st_uid != geteuid())
		return "it belongs to somebody else";
	return access(dir, W_OK | X_OK) ? strerror(errno) : NULL;
}

void syt_environment_check(struct syt_program *p)
{
	const char *disable = variable("SYNTRACE_DISABLE");
	const char *name = variable("SYNTRACE_SESSION") ? "SYNTRACE_SESSION" : "SYNTRACE_DIR";
	const char *dir = variable(name);
	const char *why = dir ? why_not(dir, !strcmp(name, "SYNTRACE_DIR")) : NULL;

	if (disable && strcmp(disable, "0"))
		syt_finding_add(p, "disabled", SYT_BLINDNESS_ALL,
		                syt_text("SYNTRACE_DISABLE is set in the environment: unset it"));
	if (why)
		syt_finding_add(p, "directory", SYT_BLINDNESS_NOTE,
		                syt_text("%s is %s (%s): with LD_PRELOAD alone nothing is "
		                         "recorded, in silence; unset it, or use syntrace record",
		                         name, dir, why));
}
