/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Calls in which libc starts a shell. The shell's environment is `environ`, to which preload/env.h adds the
 * recorder's entries during the call. libc does not reveal the pid of the shell. The decoder finds the child by
 * its parent and time. */
#include <string.h>

#include "preload/env.h"
#include "preload/cleanup.h"
#include "preload/wrap.h"
#include "runtime/endpoint.h"
#include "runtime/mark.h"
#include "runtime/object.h"

#define SHELL "/bin/sh" /* libc's _PATH_BSHELL */

static bool show_shell(void)
{
	static char *const argv[] = {(char *)"sh", NULL};
	struct syt_new_image image = {.target = SYT_TARGET_TRACEABLE};

	syt_target_find_unnoticed(&image, SHELL, argv);
	syt_target_note(image.target, SHELL);
	if (syt_mark_may())
		syt_mark_spawn();
	return syt_environ_extend(&image);
}

struct shell {
	const char *command;
	int rv;
};

static void run(void *arg)
{
	struct shell *s = arg;

	s->rv = SYT_REAL(system)(s->command);
}

static void unwound(void *arg)
{
	(void)arg;
	syt_environ_restore();
}

SYT_EXPORT int system(const char *command)
{
	SYT_ENTER_OR_FORWARD(SYT_ENTER, f, system, (command));
	struct syt_event e = {.call = SYT_CALL_system};
	struct syt_event waited = {.call = SYT_CALL_system_wait};
	struct shell s = {.command = command};
	bool is_shown = show_shell();

	syt_stamp_in(&f);
	syt_leave_in(&f, &e);
	uint32_t stack = f.stack;
	syt_block(&f, &waited);
	if (is_shown) {
		syt_cleanup_run(run, unwound, &s);
		syt_environ_restore();
	} else {
		run(&s);
	}
	f.stack = stack;
	/* without a command, the result of system() is not a wait status */
	waited.status = command && s.rv >= 0 ? (uint64_t)s.rv : 0;
	syt_result(&waited, s.rv);
	syt_leave_out(&f, &waited);
	return s.rv;
}

SYT_EXPORT FILE *popen(const char *command, const char *type)
{
	SYT_ENTER_OR_FORWARD(SYT_ENTER, f, popen, (command, type));
	struct syt_event e = {.call = SYT_CALL_popen};
	bool is_shown = show_shell();

	syt_stamp_in(&f);
	FILE *file = SYT_REAL(popen)(command, type);
	syt_stamp_out(&f);
	if (is_shown)
		syt_environ_restore();
	if (file)
		syt_endpoint_forget(file->_fileno);
	syt_result(&e, file ? 0 : -1);
	syt_leave_in(&f, &e);
	return file;
}

SYT_EXPORT int pclose(FILE *file)
{
	SYT_ENTER_OR_FORWARD(SYT_ENTER, f, pclose, (file));
	struct syt_event e = {.call = SYT_CALL_pclose};
	syt_capture(&f);
	syt_block(&f, &e);
	if (file) /* pclose closes the fd inside libc */
		syt_endpoint_forget(file->_fileno);
	syt_object_end(SYT_KIND_STDIO, file);
	int rv = SYT_REAL(pclose)(file);
	e.status = rv >= 0 ? (uint64_t)rv : 0;
	return syt_leave_out_int(&f, &e, rv);
}

/* wordexp starts a shell for each command in the words and waits for it. */

struct expansion {
	const char *words;
	wordexp_t *to;
	int flags, rv;
};

static void expand(void *arg)
{
	struct expansion *x = arg;

	x->rv = SYT_REAL(wordexp)(x->words, x->to, x->flags);
}

SYT_EXPORT int wordexp(const char *restrict words, wordexp_t *restrict to, int flags)
{
	struct syt_frame f;

	if ((flags & WRDE_NOCMD) || !words[strcspn(words, "`$")] || !SYT_ENTER(&f))
		return SYT_REAL(wordexp)(words, to, flags);
	struct syt_event e = {.call = SYT_CALL_wordexp};
	struct expansion x = {.words = words, .to = to, .flags = flags};

	syt_stamp_in(&f);
	if (show_shell()) {
		syt_cleanup_run(expand, unwound, &x);
		syt_environ_restore();
	} else {
		expand(&x);
	}
	e.result = x.rv;
	syt_leave_in(&f, &e);
	return x.rv;
}
