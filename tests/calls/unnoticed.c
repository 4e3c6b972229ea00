/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * The recorder reads the file of a program before it starts the program. The traced program must
 * not notice this: no pid is used up, no file descriptor number is taken (in this process or in a
 * process that shares its descriptors), and no open blocks.
 */
#include <fcntl.h>
#include <sched.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "tests/calls/expect.h"

#define NR_FILES 40

static char *const argv[] = {"true", NULL};

static void reap(pid_t pid)
{
	int status;

	CHECK(waitpid(pid, &status, 0) == pid && WIFEXITED(status) && !WEXITSTATUS(status));
}

static pid_t spawn(const char *file)
{
	pid_t pid;

	CHECK(posix_spawn(&pid, file, NULL, NULL, argv, environ) == 0);
	return pid;
}

/* An exec of a path that is no regular file fails at once. */
static void odd_files(void)
{
	pid_t pid;

	CHECK(mkfifo("fifo", 0700) == 0);
	alarm(30); /* the test is killed after 30 s instead of blocking for ever */
	CHECK(posix_spawn(&pid, "./fifo", NULL, NULL, argv, environ) == EACCES);
	CHECK(execv("./fifo", argv) == -1 && errno == EACCES);
	alarm(0);
	unlink("fifo");
}

/* In a new pid namespace, pids are consecutive, so the test detects a pid that the recorder has used
 * up. */
static void pids(void)
{
	pid_t pid, inside;

	if (unshare(CLONE_NEWPID))
		return; /* root only */
	pid = fork();
	CHECK(pid >= 0);
	if (!pid) {
		CHECK(getpid() == 1);
		for (pid_t next = 2; next < 8; next += 3) {
			reap(inside = spawn(next == 2 ? "/bin/true" : "/bin/sh"));
			CHECK(inside == next);
			CHECK(system("exit 0") == 0);
			inside = fork();
			CHECK(inside == next + 2 || !inside);
			if (!inside)
				_exit(0);
			reap(inside);
		}
		_exit(0);
	}
	reap(pid);
	CHECK(setns(open("/proc/self/ns/pid", O_RDONLY | O_CLOEXEC), CLONE_NEWPID) == 0);
}

static void copy(const char *to)
{
	static char bytes[1 << 20];
	int from = open("/bin/true", O_RDONLY), fd = open(to, O_WRONLY | O_CREAT | O_TRUNC, 0700);
	ssize_t n;

	CHECK(from >= 0 && fd >= 0);
	while ((n = read(from, bytes, sizeof(bytes))) > 0)
		CHECK(write(fd, bytes, (size_t)n) == n);
	close(from);
	close(fd);
}

static volatile int *shared; /* by other processes */

/* Opens and closes a file, which always gets the lowest free number, and makes no other call, until the
 * test ends. */
static void *open_and_close(void *arg)
{
	long lowest = -1;

	while (!shared[1]) {
		long fd = unseen(SYS_openat, AT_FDCWD, (long)"/dev/null", O_RDONLY | O_CLOEXEC, 0);

		if (lowest < 0)
			lowest = fd;
		CHECK(fd == lowest);
		unseen(SYS_close, fd, 0, 0, 0);
		shared[0] = 1;
	}
	return arg;
}

static int sharer(void *arg)
{
	open_and_close(arg);
	_exit(0);
}

/* The recorder looks at each file only once, so the test needs many files. */
static void make_many(const char *name)
{
	char file[64];

	for (int i = 0; i < NR_FILES; i++) {
		snprintf(file, sizeof(file), "./%s%d", name, i);
		copy(file);
	}
	shared[0] = shared[1] = 0;
}

static void spawn_many(const char *name)
{
	char file[64];

	while (!shared[0])
		sched_yield();
	for (int i = 0; i < NR_FILES; i++) {
		snprintf(file, sizeof(file), "./%s%d", name, i);
		reap(spawn(file));
	}
	shared[1] = 1;
}

static void beside_a_thread(void)
{
	pthread_t t;

	make_many("thread");
	CHECK(pthread_create(&t, NULL, open_and_close, NULL) == 0);
	spawn_many("thread");
	CHECK(pthread_join(t, NULL) == 0);
}

static void beside_a_process(void)
{
	static char stack[1 << 16] __attribute__((aligned(16)));
	pid_t pid;

	make_many("process");
	pid = clone(sharer, stack + sizeof(stack), CLONE_FILES | SIGCHLD, NULL);
	CHECK(pid > 0);
	spawn_many("process");
	reap(pid);
}

int main(void)
{
	pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

	expect("only pthread_mutex_lock"); /* other tests check the events */
	shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	CHECK(shared != MAP_FAILED);
	odd_files();
	pids();
	beside_a_thread();
	beside_a_process();
	pthread_mutex_lock(&m);
	expect("0.0 pthread_mutex_lock mutex:* 0");
	return 0;
}
