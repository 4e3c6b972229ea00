/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * directory N [FILE]: locks N times in two threads. With FILE: maps the file of its own that MAPPED names, writes "ready",
 * locks now and then until FILE is there, and makes children in every way: fork, fork and exec, posix_spawn, system; then
 * replaces itself by `directory N`.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "tests/robustness/need.h"

extern char **environ;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *nr)
{
	for (int i = 0; i < *(int *)nr; i++)
		NEED(!pthread_mutex_lock(&mutex) && !pthread_mutex_unlock(&mutex));
	return nr;
}

static void await(pid_t pid)
{
	int status;

	NEED(pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) &&
	     WEXITSTATUS(status) == 0);
}

/* The mapping is so large that the kernel places it below all earlier mappings, so /proc/PID/maps shows
 * it first. */
#define MAPPED_BYTES ((size_t)1 << 30)

static void map_own(const char *path)
{
	int fd = path ? open(path, O_RDWR) : -1;

	NEED(!path ||
	     (fd >= 0 && mmap(NULL, MAPPED_BYTES, PROT_READ, MAP_SHARED, fd, 0) != MAP_FAILED));
	if (fd >= 0)
		close(fd);
}

static void make_children(char *self, char *nr)
{
	char *argv[] = {self, nr, NULL};
	pid_t pid = fork();

	if (!pid) {
		work(&(int){5});
		_exit(0);
	}
	await(pid);
	pid = fork();
	if (!pid) {
		execv(self, argv);
		_exit(9);
	}
	await(pid);
	NEED(!posix_spawn(&pid, self, NULL, NULL, argv, environ));
	await(pid);
	NEED(!system("exit 0"));
	execv(self, argv);
	_exit(9);
}

int main(int argc, char **argv)
{
	int nr = argc > 1 ? atoi(argv[1]) : 0;
	pthread_t t;

	work(&nr);
	NEED(!pthread_create(&t, NULL, work, &nr) && !pthread_join(t, NULL));
	if (argc == 3) {
		map_own(getenv("MAPPED"));
		puts("ready");
		fflush(stdout);
		while (access(argv[2], F_OK)) {
			work(&(int){1});
			usleep(5000);
		}
		make_children(argv[0], argv[1]);
	}
	return 0;
}
