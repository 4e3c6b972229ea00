/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * syntrace-bench-measure CMD...: runs CMD with its output thrown away, and prints
 *
 *     <elapsed seconds> <user CPU seconds> <system CPU seconds> <peak RSS in KiB> <anonymous KiB> <file
 *     KiB>
 *
 * The peak RSS comes from the kernel. The program samples the anonymous and the file memory every few
 * milliseconds. The last two numbers are the highest anonymous memory in any sample, and the pages of
 * files (the dumps, the decoder's files in TMPDIR, programs) in the sample with the highest total.
 * Exits with CMD's status. With -f before CMD: prints the seconds until CMD has written the first byte of its output, and then
 * ends CMD. Other options before CMD:
 *
 *     -o FILE  writes the output of CMD to FILE
 *     -w MIB   first writes to MIB of memory and frees it. A hypervisor needs time to find memory that no program has used for
 *              some seconds, up to 5 ns for a byte. With this option, it has found the memory before CMD begins.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define LOOK_MS 5

static double seconds(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

static int fail(const char *what)
{
	fprintf(stderr, "syntrace-bench-measure: %s: %s\n", what, strerror(errno));
	return 125;
}

static int run(char **argv, int output)
{
	if (output < 0 || dup2(output, STDOUT_FILENO) < 0)
		return fail("standard output");
	execvp(argv[0], argv);
	return fail(argv[0]);
}

static double since(const struct timespec *begin)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)(now.tv_sec - begin->tv_sec) + (double)(now.tv_nsec - begin->tv_nsec) / 1e9;
}

static int first_output(char **argv)
{
	struct timespec begin;
	int ends[2], status;
	char byte;

	if (pipe(ends) < 0)
		return fail("pipe");
	clock_gettime(CLOCK_MONOTONIC, &begin);
	pid_t pid = fork();

	if (pid == 0)
		_exit(run(argv, ends[1]));
	close(ends[1]);
	if (pid < 0)
		return fail("fork");
	bool has_output = read(ends[0], &byte, 1) == 1;
	double seconds = since(&begin);

	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	if (!has_output)
		return 1;
	printf("%.3f\n", seconds);
	return 0;
}

/* Reads the memory of a process, in KiB. */
struct pages {
	unsigned long most; /* at one time */
	unsigned long anonymous;
	unsigned long file; /* KiB of file pages in the sample with the highest total */
};

static void look(struct pages *p, pid_t pid)
{
	unsigned long anonymous = 0, file = 0, shared = 0;
	char path[64], line[256];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	f = fopen(path, "re");
	if (!f)
		return;
	while (fgets(line, sizeof(line), f)) {
		sscanf(line, "RssAnon: %lu", &anonymous);
		sscanf(line, "RssFile: %lu", &file);
		sscanf(line, "RssShmem: %lu", &shared); /* files in tmpfs */
	}
	fclose(f);
	if (anonymous > p->anonymous)
		p->anonymous = anonymous;
	if (anonymous + file + shared > p->most) {
		p->most = anonymous + file + shared;
		p->file = file + shared;
	}
}

/*
 * Samples until PID ends; PID must not have been waited for. Without pidfds (Linux before 5.3)
 * there are no samples.
 */
static void watch(struct pages *p, pid_t pid)
{
	struct pollfd end = {.fd = (int)syscall(SYS_pidfd_open, pid, 0), .events = POLLIN};

	if (end.fd < 0)
		return;
	while (poll(&end, 1, LOOK_MS) == 0)
		look(p, pid);
	close(end.fd);
}

/* Without the memory, CMD is measured as it would be without -w. */
static void use_memory(size_t bytes)
{
	char *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (memory == MAP_FAILED)
		return;
	madvise(memory, bytes, MADV_HUGEPAGE);
	for (size_t at = 0; at < bytes; at += 4096)
		((volatile char *)memory)[at] = 1;
	munmap(memory, bytes);
}

int main(int argc, char **argv)
{
	struct pages pages = {0, 0, 0};
	const char *output = "/dev/null";
	struct timespec begin;
	struct rusage use;
	int status;

	if (argc < 2)
		return 2;
	if (!strcmp(argv[1], "-f"))
		return argc < 3 ? 2 : first_output(argv + 2);
	while (argv[1] && argv[1][0] == '-') {
		if (argc < 4)
			return 2;
		if (!strcmp(argv[1], "-o"))
			output = argv[2];
		else if (!strcmp(argv[1], "-w"))
			use_memory((size_t)strtoul(argv[2], NULL, 10) << 20);
		else
			return 2;
		argv += 2;
		argc -= 2;
	}
	clock_gettime(CLOCK_MONOTONIC, &begin);
	pid_t pid = fork();

	if (pid == 0)
		_exit(run(argv + 1, open(output, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)));
	if (pid > 0)
		watch(&pages, pid);
	if (pid < 0 || wait4(pid, &status, 0, &use) < 0)
		return fail("fork");
	printf("%.3f %.3f %.3f %ld %lu %lu\n", since(&begin), seconds(use.ru_utime),
	       seconds(use.ru_stime), use.ru_maxrss, pages.anonymous, pages.file);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
