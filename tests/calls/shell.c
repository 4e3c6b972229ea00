/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* system, popen, pclose, daemon: the visible effects of a child that libc does not show. */
#include <sys/wait.h>

#include "tests/calls/expect.h"

int main(void)
{
	int status, ends[2];
	pid_t pid;
	FILE *f;

	expect("only system system_wait popen pclose fork daemon waitpid");
	status = system("exit 3");
	CHECK(WEXITSTATUS(status) == 3);
	expect("0.0 system - 0");
	expect("0.0 system_wait - %d status=%d flags=blocked", status, status);
	CHECK(system(NULL) == 1); /* a question; libc runs a shell to answer it */
	expect("0.0 system - 0");
	expect("0.0 system_wait - 1 status=0");
	f = popen("exit 4", "r");
	CHECK(f);
	expect("0.0 popen - 0");
	CHECK(fgetc(f) == EOF);
	status = pclose(f);
	CHECK(WEXITSTATUS(status) == 4);
	expect("0.0 pclose - %d status=%d", status, status);
	CHECK(pipe(ends) == 0);
	pid = fork();
	if (pid == 0) {
		expect("4.0 daemon - 0");
		CHECK(daemon(1, 1) == 0);
		_Exit(0);
	}
	close(ends[1]);
	/* read() returns at end of file, when both processes have ended */
	CHECK(read(ends[0], &status, 1) == 0);
	expect("0.0 fork - %d", (int)pid);
	CHECK(waitpid(pid, &status, 0) == pid && status == 0);
	expect("0.0 waitpid - %d", (int)pid);
	return 0;
}
