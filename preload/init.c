/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Start of the recording in a new process image.  Calls may come before the constructor
 * (constructors of libraries that were loaded before us) and after everything (destructors):
 * nothing depends on it, and nothing is torn down.
 */
#include <string.h>

#include "preload/wrap.h"
#include "runtime/session.h"

#define SESSION_PREFIX "SYNTRACE_SESSION="

/* The program sees the environment that it was given, without the recorder's private variable. */
static void hide_session(char **envp)
{
	char **to = envp;

	for (char **from = envp; *from; from++)
		if (strncmp(*from, SESSION_PREFIX, sizeof(SESSION_PREFIX) - 1))
			*to++ = *from;
	*to = NULL;
}

__attribute__((constructor)) static void start(int argc, char **argv, char **envp)
{
	(void)argc;
	(void)argv;
	syt_real_resolve();
	syt_session_start(envp);
	hide_session(envp);
}
