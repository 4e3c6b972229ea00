/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Tests the exec family and posix_spawn, which start this program again. The new process image checks
 * its arguments and environment, and is traced although its environment does not say so.
 */
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>

#include "tests/calls/expect.h"

static const char *self;
static char *const environment[] = {"A=1", "LD_PRELOAD=", "B=2", NULL};
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int image = 1; /* number P of the next process image */

/* Checks the arguments of a new process image, and that its environment is PLAIN or equal to that of
 * its parent. */
static int child(int argc, char **argv)
{
	CHECK(argc == 5 && !strcmp(argv[3], "x") && !strcmp(argv[4], "y z"));
	if (!strcmp(argv[2], "given")) {
		CHECK(!strcmp(environ[0], "A=1") && !strcmp(environ[1], "LD_PRELOAD="));
		CHECK(!strcmp(environ[2], "B=2") && !environ[3]);
	} else if (!strcmp(argv[2], "empty")) {
		CHECK(!environ[0]);
	} else {
		CHECK(getenv("INHERITED"));
	}
	for (char **e = environ; *e; e++)
		CHECK(strncmp(*e, "SYNTRACE_SESSION", 16) && strncmp(*e, "SYNTRACE_LD", 11) &&
		      strncmp(*e, "SYNTRACE_NO", 11));
	pthread_mutex_lock(&m);
	expect("%s.0 pthread_mutex_lock mutex:* 0", argv[1]);
	return 0;
}

#define EXEC(name_, kind_, ...)                                                                    \
	do {                                                                                       \
		char number[16], *argv[] = {(char *)self, number, kind_, "x", "y z", NULL};        \
		int forked = image++, executed = image++;                                          \
		pid_t pid = fork();                                                                \
                                                                                                   \
		(void)argv;                                                                        \
		snprintf(number, sizeof(number), "%d", executed);                                  \
		if (pid == 0) {                                                                    \
			expect("%d.0 " #name_ " - 0 child=%d", forked, (int)getpid());             \
			name_(__VA_ARGS__);                                                        \
			CHECK(!"" #name_);                                                         \
		}                                                                                  \
		reap(pid);                                                                         \
	} while (0)

#define SPAWN(name_, kind_, environ_)                                                              \
	do {                                                                                       \
		char number[16], *argv[] = {(char *)self, number, kind_, "x", "y z", NULL};        \
		pid_t pid;                                                                         \
                                                                                                   \
		snprintf(number, sizeof(number), "%d", image++);                                   \
		CHECK(name_(&pid, self, NULL, NULL, argv, environ_) == 0);                         \
		expect("0.0 " #name_ " - 0 child=%d", (int)pid);                                   \
		reap(pid);                                                                         \
	} while (0)

static void reap(pid_t pid)
{
	int status;

	CHECK(waitpid(pid, &status, 0) == pid);
	CHECK(status == 0);
}

static void execs(void)
{
	static char *const none[] = {NULL};
	int fd = open(self, O_RDONLY | O_CLOEXEC);

	CHECK(fd >= 0);
	EXEC(execve, "given", self, argv, environment);
	EXEC(execve, "empty", self, argv, none);
	EXEC(execve, "empty", self, argv, NULL);
	EXEC(execv, "own", self, argv);
	EXEC(execvp, "own", self, argv);
	EXEC(execvpe, "given", self, argv, environment);
	EXEC(execl, "own", self, argv[0], argv[1], argv[2], argv[3], argv[4], NULL);
	EXEC(execlp, "own", self, argv[0], argv[1], argv[2], argv[3], argv[4], NULL);
	EXEC(execle, "given", self, argv[0], argv[1], argv[2], argv[3], argv[4], NULL, environment);
	EXEC(fexecve, "given", fd, argv, environment);
	EXEC(execveat, "given", AT_FDCWD, self, argv, environment, 0);
	close(fd);
	SPAWN(posix_spawn, "given", environment);
	SPAWN(posix_spawn, "empty", none);
	SPAWN(posix_spawnp, "own", environ);
}

static void failures(void)
{
	char *const argv[] = {"none", NULL};
	const char *volatile unreadable = (const char *)1;
	pid_t pid;

	CHECK(execvp("syntrace-no-such-program", argv) == -1 && errno == ENOENT);
	expect("0.0 execvp - 0 child=%d", (int)getpid());
	expect("0.0 exec_failed - -1 errno=%d", ENOENT);
	CHECK(execve("/", argv, environ) == -1 && errno == EACCES);
	expect("0.0 execve - 0 child=%d", (int)getpid());
	expect("0.0 exec_failed - -1 errno=%d", EACCES);
	CHECK(execve(unreadable, argv, environ) == -1 && errno == EFAULT);
	expect("0.0 execve - 0 child=%d", (int)getpid());
	expect("0.0 exec_failed - -1 errno=%d", EFAULT);
	CHECK(posix_spawnp(&pid, "syntrace-no-such-program", NULL, NULL, argv, environ) == ENOENT);
	expect("0.0 posix_spawnp - %d", ENOENT);
}

int main(int argc, char **argv)
{
	char path[4096];
	ssize_t n;

	if (argc > 1)
		return child(argc, argv);
	n = readlink("/proc/self/exe", path, sizeof(path) - 1);
	CHECK(n > 0);
	path[n] = 0;
	self = path;
	setenv("INHERITED", "1", 1);
	expect("only execve execv execvp execvpe execl execlp execle fexecve execveat exec_failed "
	       "posix_spawn posix_spawnp pthread_mutex_lock");
	failures();
	execs();
	return 0;
}
