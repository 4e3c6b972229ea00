/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Runs a program and waits for it, as env(1) and time(1) do. The program has the terminal, the file descriptors and
 * the process group of this tool. This tool passes signals that it gets to the program. */
#ifndef SYT_TOOL_LAUNCH_H
#define SYT_TOOL_LAUNCH_H

#include <stdbool.h>
#include <sys/types.h>

#define SYT_LAUNCH_CHECK_MS 1000u /* `check` is called after this time, if the program still runs */
#define SYT_LAUNCH_GRACE_MS 5000u /* time from SIGTERM to SIGKILL, after the duration */

struct syt_launch {
	char *const *argv; /* the program (searched in PATH as by execvp) and its arguments */
	char *const *environment;  /* of the program; NULL: the environment of this tool */
	unsigned long duration_ms; /* 0: no limit */
	void (*check)(pid_t pid, void *context); /* may be NULL */
	int trigger; /* a signal that is not passed on, but calls `on_trigger`; 0: none */
	void (*on_trigger)(void *context);
	int watched; /* a file descriptor; `on_watched` is called when it is readable, until it returns false; -1: none */
	bool (*on_watched)(void *context);
	void *context;
	pid_t pid;           /* out: the program; 0: not started */
	bool is_ended_by_us; /* out: the program ran longer than the duration */
};

/* Returns the exit status of the program, or minus the signal that ended it, or 125, 126, 127 (tool/verbs.h) after
 * a message. */
int syt_launch(struct syt_launch *launch);

/* Ends this tool as the program ended. STATUS: the result of syt_launch(). If it is a signal, this function raises
 * the signal without a core dump. Returns the exit status if there was no signal, or if the signal did not end this
 * tool. */
int syt_launch_end(int status);

#endif
