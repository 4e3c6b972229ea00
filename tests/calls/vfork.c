/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The trace contains the events of a vfork child, with a mark, in the thread of the parent. The child has its own
 * file descriptors. */
#include <fcntl.h>
#include <sys/wait.h>

#include "tests/calls/expect.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static char *const no_arguments[] = {"none", NULL};

static void lock(const char *fields)
{
	CHECK(pthread_mutex_lock(&m) == 0);
	expect("0.0 pthread_mutex_lock mutex:%p 0 %s", (void *)&m, fields);
	CHECK(pthread_mutex_unlock(&m) == 0);
	expect("0.0 pthread_mutex_unlock mutex:%p 0 %s", (void *)&m, fields);
}

static void reap(pid_t pid, int status)
{
	int got;

	CHECK(waitpid(pid, &got, 0) == pid && got == status);
	expect("0.0 waitpid - %d child=%d status=%d noflag=vfork", (int)pid, (int)pid, status);
}

/* The child fails to exec, and exits. */
static void exits(void)
{
	pid_t pid = vfork();

	CHECK(pid >= 0);
	if (pid == 0) {
		expect("0.0 vfork - %d child=%d flags=", (int)getpid(), (int)getpid());
		lock("flag=vfork");
		execve("/nonexistent", no_arguments, no_arguments);
		expect("0.0 execve - 0 child=%d flag=vfork", (int)getpid());
		expect("0.0 exec_failed - -1 errno=%d flag=vfork", ENOENT);
		expect("0.0 _exit - 9 flag=vfork");
		_exit(9);
	}
	lock("flags=");
	reap(pid, 9 << 8);
}

static void execs(void)
{
	static char *const arguments[] = {"true", NULL};
	pid_t pid = vfork();

	CHECK(pid >= 0);
	if (pid == 0) {
		expect("0.0 vfork - %d child=%d flags=", (int)getpid(), (int)getpid());
		expect("0.0 execv - 0 child=%d flag=vfork", (int)getpid());
		execv("/bin/true", arguments);
		_exit(1);
	}
	lock("flags=");
	reap(pid, 0);
}

/* Makes a vfork child that calls vfork itself. */
static void nests(void)
{
	volatile pid_t inner_pid = 0;
	pid_t pid = vfork();

	if (pid == 0) {
		expect("0.0 vfork - %d child=%d flags=", (int)getpid(), (int)getpid());
		inner_pid = vfork();
		if (inner_pid == 0) {
			expect("0.0 vfork - %d child=%d flag=vfork", (int)getpid(), (int)getpid());
			expect("0.0 _exit - 2 flag=vfork child=%d", (int)getpid());
			_exit(2);
		}
		expect("0.0 _exit - 3 flag=vfork child=%d", (int)getpid());
		_exit(3);
	}
	lock("flags=");
	reap(pid, 3 << 8);
}

int main(void)
{
	expect("only vfork execv execve exec_failed _exit waitpid pthread_mutex_lock "
	       "pthread_mutex_unlock");
	expect("image 1 ignored");
	exits();
	execs();
	nests();
	return 0;
}
