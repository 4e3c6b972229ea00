/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#define _GNU_SOURCE
#include "tool/decoder.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tool/say.h"

char *syt_decoder_find(void)
{
	char *own = realpath("/proc/self/exe", NULL), *slash = own ? strrchr(own, '/') : NULL,
	     *path;

	if (slash)
		*slash = 0;
	path = syt_text("%s/syntrace-decode", own ? own : ".");
	free(own);
	if (access(path, X_OK)) {
		free(path);
		path = syt_text("syntrace-decode");
	}
	return path;
}
