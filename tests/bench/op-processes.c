/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Processes that end at once. A batch is small: each process leaves a dump, and the kernel writes these
 * dumps to the disk while later batches run.
 */
#include "ops.h"

#include <sys/wait.h>
#include <unistd.h>

static void start_and_wait(const char *program)
{
	int status;
	pid_t pid = fork();

	if (pid < 0)
		die("fork");
	if (!pid) {
		if (program)
			execl(program, program, (char *)NULL);
		_exit(program != NULL);
	}
	if (waitpid(pid, &status, 0) != pid || status)
		die("a child");
}

static void run_fork(unsigned nr)
{
	while (nr--)
		start_and_wait(NULL);
}

static void run_exec(unsigned nr)
{
	while (nr--)
		start_and_wait("/bin/true");
}

const struct op ops_processes[] = {
	{"fork", "fork + exit + wait", 50, NULL, run_fork, NULL},
	{"exec", "fork + exec of a small program + wait", 20, NULL, run_exec, NULL},
	{0},
};
