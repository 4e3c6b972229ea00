/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#define _GNU_SOURCE
#include "tool/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/err.h"
#include "settings/settings.h"

#define LIBRARY_NAME "libsyntrace.so"

#if defined(__x86_64__)
#define LOADER "/lib64/ld-linux-x86-64.so.2"
#elif defined(__aarch64__)
#define LOADER "/lib/ld-linux-aarch64.so.1"
#endif

/* Returns the directory of this tool, with symbolic links resolved, or NULL. */
static char *own_directory(void)
{
	char *path = realpath("/proc/self/exe", NULL), *slash = path ? strrchr(path, '/') : NULL;

	if (slash)
		*slash = 0;
	return path;
}

char **syt_environment_without(const char *const *prefixes, size_t more, size_t *nr)
{
	size_t all = 0;

	while (environ[all])
		all++;
	char **made = syt_calloc(all + more + 1, sizeof(*made));

	*nr = 0;
	for (size_t i = 0; i < all; i++) {
		const char *const *p = prefixes;

		while (*p && strncmp(environ[i], *p, strlen(*p)))
			p++;
		if (!*p)
			made[(*nr)++] = environ[i];
	}
	return made;
}

char *syt_library_find(void)
{
	char *own = own_directory();
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
		/* Spaces and colons separate names in LD_PRELOAD, which has no quoting. */
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
	/* If one of these variables is set, the loader lists other libraries than without it. */
	static const char *const others[] = {"LD_PRELOAD=", "LD_AUDIT=", "LD_DEBUG", NULL};
	size_t nr;
	char **environment = syt_environment_without(others, 1, &nr);
	posix_spawn_file_actions_t actions;
	char *line = NULL;
	size_t capacity = 0;
	int fds[2];
	pid_t pid;

	/* With this variable the loader lists the libraries and does not run the program. */
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

/* Returns the path of the syntrace-decode beside this tool, or its name if there is none. The caller frees the text. */
static char *find_decoder(void)
{
	char *dir = own_directory(), *path = syt_asprintf("%s/syntrace-decode", dir ? dir : ".");

	free(dir);
	if (!access(path, X_OK))
		return path;
	free(path);
	return syt_asprintf("syntrace-decode");
}

void syt_decoder_exec(char **argv)
{
	char *path = find_decoder();

	execvp(path, argv);
	syt_warn_errno("cannot run %s", path);
	free(path);
}

pid_t syt_decoder_start(char **argv, int out, int err, const char *loss)
{
	static const char *const own[] = {SYT_SETTINGS_VARIABLE "=", NULL};
	char *path = find_decoder();
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	size_t nr;
	char **environment = syt_environment_without(own, 1, &nr);
	sigset_t mask;
	pid_t pid;

	sigemptyset(&mask);
	posix_spawn_file_actions_init(&actions);
	if (out >= 0) {
		sigfillset(&mask);
		posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
		posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
		if (err >= 0)
			posix_spawn_file_actions_adddup2(&actions, err, STDERR_FILENO);
		environment[nr] = (char *)own[0];
	}
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setsigmask(&attributes, &mask);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
	errno = posix_spawnp(&pid, path, &actions, &attributes, argv,
	                     out < 0 ? environ : environment);
	if (errno) {
		syt_warn_errno("cannot run %s%s", path, loss);
		pid = 0;
	}
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attributes);
	free(environment);
	free(path);
	return pid;
}
