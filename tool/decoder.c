/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#define _GNU_SOURCE
#include "tool/decoder.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "settings/settings.h"

char *syt_decoder_find(void)
{
	char *own = realpath("/proc/self/exe", NULL), *slash = own ? strrchr(own, '/') : NULL,
	     *path;

	if (slash)
		*slash = 0;
	path = syt_asprintf("%s/syntrace-decode", own ? own : ".");
	free(own);
	if (access(path, X_OK)) {
		free(path);
		path = syt_asprintf("syntrace-decode");
	}
	return path;
}

char **syt_decoder_environment(void)
{
	static char none[] = SYT_SETTINGS_VARIABLE "=";
	size_t nr = 0, to = 0;

	while (environ[nr])
		nr++;
	char **made = syt_calloc(nr + 2, sizeof(*made));

	for (size_t i = 0; i < nr; i++)
		if (strncmp(environ[i], none, sizeof(none) - 1))
			made[to++] = environ[i];
	made[to] = none;
	return made;
}
