/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * syntrace-bench-measure CMD...: runs CMD with its output thrown away, and prints
 *
 *     <seconds that passed> <user CPU seconds> <system CPU seconds> <peak RSS in KiB>
 *
 * Exits with CMD's status.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double seconds(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

static int fail(const char *what)
{
	fprintf(stderr, "syntrace-bench-measure: %s: %s\n", what, strerror(errno));
	return 125;
}

static int run(char **argv)
{
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

	if (null < 0 || dup2(null, STDOUT_FILENO) < 0)
		return fail("/dev/null");
	execvp(argv[0], argv);
	return fail(argv[0]);
}

int main(int argc, char **argv)
{
	struct timespec begin, end;
	struct rusage use;
	int status;

	if (argc < 2)
		return 2;
	clock_gettime(CLOCK_MONOTONIC, &begin);
	pid_t pid = fork();

	if (pid == 0)
		_exit(run(argv + 1));
	if (pid < 0 || wait4(pid, &status, 0, &use) < 0)
		return fail("fork");
	clock_gettime(CLOCK_MONOTONIC, &end);
	printf("%.3f %.3f %.3f %ld\n",
	       (double)(end.tv_sec - begin.tv_sec) + (double)(end.tv_nsec - begin.tv_nsec) / 1e9,
	       seconds(use.ru_utime), seconds(use.ru_stime), use.ru_maxrss);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
