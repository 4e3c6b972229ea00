/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Runs a program and waits for its end, as time(1) does. The program has the terminal, the file descriptors and the
 * process group of this tool. This tool forwards signals to the program. */
#ifndef SYT_TOOL_LAUNCH_H
#define SYT_TOOL_LAUNCH_H

#include <stdbool.h>
#include <sys/types.h>

/* milliseconds from the start of the program to the call of `check` */
#define SYT_LAUNCH_CHECK_MS 1000u
/* milliseconds from SIGTERM to SIGKILL if the program exceeds its duration */
#define SYT_LAUNCH_GRACE_MS 5000u

struct syt_launch {
	char *const *argv;         /* the program, which is searched in PATH, and its arguments */
	char *const *environment;  /* NULL: the environment of this tool */
	unsigned long duration_ms; /* 0: no limit */
	void (*check)(pid_t pid, void *context); /* may be NULL */
	int trigger; /* number of a signal that calls `on_trigger` and is not forwarded; 0: none */
	void (*on_trigger)(void *context);
	/* file descriptor whose input calls `on_watched`, until `on_watched` returns false; -1: none */
	int watched;
	bool (*on_watched)(void *context);
	void *context;
	pid_t pid;           /* result: process id of the program; 0: the program was not started */
	bool is_ended_by_us; /* result: the program ran longer than `duration_ms` */
};

/* Returns the exit status of the program, or minus the signal that ended the program. Returns 125, 126 or 127
 * (tool/verbs.h) after a message if the program did not run. */
int syt_launch(struct syt_launch *launch);

/* Ends this tool by the signal -STATUS, without a core dump, if STATUS < 0. STATUS is the result of syt_launch().
 * Otherwise, or if the signal does not end this tool, returns the exit status of this tool. */
int syt_launch_end(int status);

#endif
