/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * tests/cost/processes fork N: forks N children, one after the other, that exit at once; prints how many page faults each of
 * them had.
 * tests/cost/processes piped N: the same in a process that knows two file descriptors.
 * tests/cost/processes started N: the same children print "PID TICKS", when each was started as /proc says.
 * tests/cost/processes cached FILE: prints how many pages of the first 64 MiB of FILE the kernel keeps in memory.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGE_BYTES 4096u
#define NR_PAGES (64u << 20 >> 12)

static void need(int ok, const char *what)
{
	if (ok)
		return;
	perror(what);
	exit(9);
}

/* The first children find pages that the parent has not touched since it was loaded. */
static void fork_children(int nr)
{
	long faults = 0;

	for (int i = -3; i < nr; i++) {
		struct rusage usage;
		int status;
		pid_t pid = fork();

		need(pid >= 0, "fork");
		if (!pid)
			_exit(0);
		need(wait4(pid, &status, 0, &usage) == pid && !status, "a child");
		if (i >= 0)
			faults += usage.ru_minflt;
	}
	printf("%ld\n", faults / nr);
}

/* Reads field 22 of /proc/self/stat. The name of this program contains no space. */
static void tell_start(void)
{
	FILE *stat = fopen("/proc/self/stat", "r");
	char ticks[32] = "";

	need(stat != NULL, "/proc/self/stat");
	for (int field = 1; field <= 22; field++)
		need(fscanf(stat, "%31s", ticks) == 1, "/proc/self/stat");
	printf("%d %s\n", (int)getpid(), ticks);
	fflush(stdout);
}

static void start_children(int nr)
{
	for (int i = 0; i < nr; i++) {
		int status;
		pid_t pid = fork();

		need(pid >= 0, "fork");
		if (!pid) {
			tell_start();
			_exit(0);
		}
		need(waitpid(pid, &status, 0) == pid && !status, "a child");
	}
}

static void count_cached(const char *path)
{
	static unsigned char is_cached[NR_PAGES];
	int fd = open(
		path,
		O_RDWR | O_CLOEXEC); /* the kernel tells this of a file that the caller may write */
	struct stat st;
	unsigned nr = 0;
	size_t bytes;
	void *file;

	need(fd >= 0 && !fstat(fd, &st), path);
	bytes = st.st_size < (off_t)NR_PAGES * PAGE_BYTES ? (size_t)st.st_size
	                                                  : (size_t)NR_PAGES * PAGE_BYTES;
	file = mmap(NULL, bytes, PROT_READ, MAP_SHARED, fd, 0);
	need(file != MAP_FAILED && !mincore(file, bytes, is_cached), path);
	for (size_t i = 0; i < bytes / PAGE_BYTES; i++)
		nr += is_cached[i] & 1;
	printf("%u\n", nr);
}

int main(int argc, char **argv)
{
	if (argc != 3)
		return 2;
	if (!strcmp(argv[1], "piped"))
		need(!pipe((int[2]){0}), "pipe");
	if (!strcmp(argv[1], "fork") || !strcmp(argv[1], "piped"))
		fork_children(atoi(argv[2]));
	else if (!strcmp(argv[1], "started"))
		start_children(atoi(argv[2]));
	else if (!strcmp(argv[1], "cached"))
		count_cached(argv[2]);
	else
		return 2;
	return 0;
}
