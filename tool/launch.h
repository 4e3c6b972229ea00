/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Runs a program and waits for it, as env(1) and time(1) do: the program keeps our terminal, our
 * descriptors and our process group; signals that somebody sends to us go on to it.
 */
#ifndef SYT_TOOL_LAUNCH_H
#define SYT_TOOL_LAUNCH_H

#include <stdbool.h>
#include <sys/types.h>

#define SYT_LAUNCH_CHECK_MS 1000u /* when `check` is called, if the program runs that long */
#define SYT_LAUNCH_GRACE_MS 5000u /* from SIGTERM to SIGKILL at the end of the duration */

struct syt_launch {
	char *const *argv; /* the program, looked up in PATH as execvp does, and its arguments */
	char *const *environment;                /* of the program; NULL: ours */
	unsigned long duration_ms;               /* 0: as long as the program wants */
	void (*check)(pid_t pid, void *context); /* may be NULL */
	int trigger; /* a signal that is not passed on, but calls `on_trigger`; 0: none */
	void (*on_trigger)(void *context);
	int watched; /* an fd: when there is something to read `on_watched` is called, until that is false; -1: none */
	bool (*on_watched)(void *context);
	void *context;
	pid_t pid;           /* out: of the program, 0 when none was started */
	bool is_ended_by_us; /* out: the duration was over before the program ended */
};

/* Returns the program's exit status, minus the signal that ended it, or 125, 126, 127 (tool/say.h)
 * after a message. */
int syt_launch(struct syt_launch *launch);

/* The last thing to do with what syt_launch() returned: dies of the signal that it tells, without a
 * core of our own. Otherwise, or where that signal does not end us: the exit status. */
int syt_launch_end(int status);

#endif
