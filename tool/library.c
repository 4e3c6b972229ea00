/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#define _GNU_SOURCE
#include "tool/library.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/err.h"
#include "tool/child.h"

#define LIBRARY_NAME "libsyntrace.so"

#if defined(__x86_64__)
#define LOADER "/lib64/ld-linux-x86-64.so.2"
#elif defined(__aarch64__)
#define LOADER "/lib/ld-linux-aarch64.so.1"
#endif

char *syt_library_find(void)
{
	char *own = syt_own_directory();
	char *candidates[] = {
		own ? syt_asprintf("%s/.libs/" LIBRARY_NAME, own) : NULL,
		own ? syt_asprintf("%s/" SYT_LIB_FROM_BIN "/" LIBRARY_NAME, own) : NULL,
		syt_asprintf(SYT_LIBDIR "/" LIBRARY_NAME),
	};
	char *found = NULL;

	for (size_t i = 0; i < sizeof(candidates) / sizeof(*candidates); i++) {
		if (candidates[i] && !found && !access(candidates[i], R_OK))
			found = realpath(candidates[i], NULL);
		free(candidates[i]);
	}
	free(own);
	if (!found) {
		syt_warn("cannot find %s beside this tool or in %s: check that syntrace is "
		         "installed",
		         LIBRARY_NAME, SYT_LIBDIR);
	} else if (strpbrk(found, ": ")) {
		/* Both characters separate names in LD_PRELOAD, and there is no quoting. */
		syt_warn("LD_PRELOAD cannot contain the path %s, because it has a space or a "
		         "colon: install syntrace in another directory",
		         found);
		free(found);
		found = NULL;
	}
	return found;
}

/* Parses one line of the loader's list: "soname => path (address)" or "soname => not found". */
static void take_line(char *line, void (*each)(void *, const char *, const char *), void *context)
{
	char *arrow = strstr(line, " => ");

	line += strspn(line, " \t");
	if (!arrow)
		return;
	*arrow = 0;
	char *path = arrow + 4, *end = strstr(path, " (0x");

	if (!strncmp(path, "not found", 9))
		each(context, line, NULL);
	else if (end) {
		*end = 0;
		each(context, line, path);
	}
}

void syt_library_each(const char *path,
                      void (*each)(void *context, const char *soname, const char *library),
                      void *context)
{
	char *absolute = realpath(path, NULL);
	char *argv[] = {(char *)LOADER, absolute, NULL};
	/* These variables would change the list. */
	static const char *const others[] = {"LD_PRELOAD=", "LD_AUDIT=", "LD_DEBUG", NULL};
	size_t nr;
	char **environment = syt_environment_without(others, 1, &nr);
	posix_spawn_file_actions_t actions;
	char *line = NULL;
	size_t capacity = 0;
	int fds[2];
	pid_t pid;

	/* The loader lists the libraries, and does not run the program. */
	environment[nr] = (char *)"LD_TRACE_LOADED_OBJECTS=1";
	if (!absolute || pipe2(fds, O_CLOEXEC))
		goto end;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, fds[1], 1);
	posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
	posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
	int rv = posix_spawn(&pid, LOADER, &actions, NULL, argv, environment);

	posix_spawn_file_actions_destroy(&actions);
	close(fds[1]);
	FILE *f = fdopen(fds[0], "r");

	while (!rv && f && getline(&line, &capacity, f) > 0)
		take_line(line, each, context);
	if (f)
		fclose(f);
	else
		close(fds[0]);
	if (!rv)
		(void)TEMP_FAILURE_RETRY(waitpid(pid, NULL, 0));
	free(line);
end:
	free(environment);
	free(absolute);
}
