/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#define _GNU_SOURCE
#include "tool/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "settings/settings.h"

char *syt_own_directory(void)
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

pid_t syt_decoder_start(char **argv, int out, const char *loss)
{
	static const char *const own[] = {SYT_SETTINGS_VARIABLE "=", NULL};
	char *dir = syt_own_directory(),
	     *path = syt_asprintf("%s/syntrace-decode", dir ? dir : ".");
	bool is_beside = !access(path, X_OK);
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
		environment[nr] = (char *)own[0];
	}
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setsigmask(&attributes, &mask);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
	errno = posix_spawnp(&pid, is_beside ? path : "syntrace-decode", &actions, &attributes,
	                     argv, out < 0 ? environ : environment);
	if (errno) {
		syt_warn_errno("cannot run %s%s", is_beside ? path : "syntrace-decode", loss);
		pid = 0;
	}
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attributes);
	free(environment);
	free(path);
	free(dir);
	return pid;
}
