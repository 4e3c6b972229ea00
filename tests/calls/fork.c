/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Tests every way to fork, to wait for a child and to end a process. */
#include <sys/resource.h>
#include <sys/wait.h>

#include "tests/calls/expect.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void lock(int image)
{
	CHECK(pthread_mutex_lock(&m) == 0);
	CHECK(pthread_mutex_unlock(&m) == 0);
	expect("%d.0 pthread_mutex_lock mutex:%p 0", image, (void *)&m);
	expect("%d.0 pthread_mutex_unlock mutex:%p 0", image, (void *)&m);
}

#define FORKED(image_, fork_, end_, status_)                                                       \
	do {                                                                                       \
		pid = fork_();                                                                     \
		CHECK(pid >= 0);                                                                   \
		if (pid == 0) {                                                                    \
			lock(image_);                                                              \
			expect("%d.0 " #end_ " - %d", image_, status_);                            \
			end_(status_);                                                             \
		}                                                                                  \
		expect("0.0 " #fork_ " - %d child=%d", (int)pid, (int)pid);                        \
	} while (0)

int main(void)
{
	struct rusage usage;
	int status;
	siginfo_t info;
	pid_t pid;

	lock(0);
	FORKED(1, fork, _exit, 3);
	CHECK(wait(&status) == pid && WEXITSTATUS(status) == 3);
	expect("0.0 wait - %d child=%d status=%d", (int)pid, (int)pid, 3 << 8);
	FORKED(2, _Fork, _Exit, 4);
	CHECK(waitpid(pid, NULL, 0) == pid);
	expect("0.0 waitpid - %d child=%d status=%d", (int)pid, (int)pid, 4 << 8);
	FORKED(3, fork, exit, 5);
	CHECK(wait3(&status, 0, &usage) == pid);
	expect("0.0 wait3 - %d child=%d status=%d", (int)pid, (int)pid, 5 << 8);
	FORKED(4, fork, quick_exit, 6);
	CHECK(wait4(pid, &status, 0, NULL) == pid);
	expect("0.0 wait4 - %d child=%d status=%d", (int)pid, (int)pid, 6 << 8);
	FORKED(5, fork, _exit, 0);
	CHECK(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT) == 0 && info.si_pid == pid);
	expect("0.0 waitid - 0 child=%d flag=peek", (int)pid);
	CHECK(waitid(P_PID, (id_t)pid, &info, WEXITED) == 0 && info.si_pid == pid);
	expect("0.0 waitid - 0 child=%d flags=", (int)pid);
	CHECK(waitpid(-1, &status, WNOHANG) == -1 && errno == ECHILD);
	expect("0.0 waitpid - -1 errno=%d", ECHILD);
	pid = fork();
	if (pid == 0) {
		expect("6.0 abort - 134");
		abort();
	}
	expect("0.0 fork - %d child=%d", (int)pid, (int)pid);
	CHECK(waitid(P_ALL, 0, &info, WEXITED) == 0 && info.si_pid == pid);
	expect("0.0 waitid - 0 child=%d status=%d", (int)pid,
	       info.si_code == CLD_DUMPED ? 0x86 : 6);
	lock(0);
	expect("0.0 _exit - 0");
	_exit(0);
}
