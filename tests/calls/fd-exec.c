/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Eventfds, epoll instances and other endpoints without a kernel name keep their identity over exec and
 * spawn. */
#include <spawn.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/wait.h>

#include "tests/calls/expect.h"

static const char *self;
static int image = 1; /* number P of the next process image */

/* The new image: writes to the eventfd ARGV[3], which is named ARGV[2] and has had ARGV[5] units,
 * and waits at the epoll instance ARGV[4]. */
static int child(char **argv)
{
	int e = atoi(argv[3]), ep = atoi(argv[4]);
	struct epoll_event event;
	uint64_t v = 1;

	expect("only read write epoll_wait");
	for (char **at = environ; *at; at++)
		CHECK(strncmp(*at, "SYNTRACE_FDS", 12));
	EXPECT(write(e, &v, 8), 8, "%s.0 write eventfd:$%s 8 bytes=1 offset=%s flags=", argv[1],
	       argv[2], argv[5]);
	EXPECT(epoll_wait(ep, &event, 1, 0), 0, "%s.0 epoll_wait epoll:$epoll1 0", argv[1]);
	return 0;
}

static void reap(pid_t pid)
{
	int status;

	CHECK(pid > 0 && waitpid(pid, &status, 0) == pid && status == 0);
}

int main(int argc, char **argv)
{
	char number[16], fd[16], ep[16], offset[16];
	char *known[] = {argv[0], number, "eventfd1", fd, ep, offset, NULL};
	char *replaced[] = {argv[0], number, "eventfd0", fd, ep, offset, NULL};
	posix_spawn_file_actions_t actions;
	int e, copy, closing, instance, nr = 5;
	uint64_t v = 5;
	pid_t pid;

	if (argc > 1)
		return child(argv);
	self = argv[0];
	expect("only read write epoll_wait");
	e = eventfd(0, 0);
	copy = dup(e);
	closing = eventfd(0, EFD_CLOEXEC);
	instance = epoll_create1(0);
	EXPECT(write(e, &v, 8), 8, "0.0 write eventfd:$eventfd1 8 bytes=5 offset=0 flags=");
	EXPECT(write(closing, &v, 8), 8, "0.0 write eventfd:$eventfd0 8 bytes=5 offset=0 flags=");
	snprintf(fd, sizeof(fd), "%d", copy);
	snprintf(ep, sizeof(ep), "%d", instance);

	/* fork, then exec */
	snprintf(offset, sizeof(offset), "%d", nr++);
	snprintf(number, sizeof(number), "%d", image + 1);
	image += 2;
	pid = fork();
	if (pid == 0)
		execv(self, known);
	reap(pid);

	/* vfork, then exec */
	snprintf(offset, sizeof(offset), "%d", nr++);
	snprintf(number, sizeof(number), "%d", image++);
	pid = vfork();
	if (pid == 0) {
		execv(self, known);
		_exit(1);
	}
	reap(pid);

	/* spawn */
	snprintf(offset, sizeof(offset), "%d", nr++);
	snprintf(number, sizeof(number), "%d", image++);
	CHECK(posix_spawn(&pid, self, NULL, NULL, known, environ) == 0);
	reap(pid);

	/* if a vfork child or file actions put another file on the fd, the recorder asks the kernel */
	snprintf(offset, sizeof(offset), "5");
	snprintf(number, sizeof(number), "%d", image++);
	pid = vfork();
	if (pid == 0) {
		dup2(closing, copy);
		execv(self, replaced);
		_exit(1);
	}
	reap(pid);
	snprintf(number, sizeof(number), "%d", image++);
	snprintf(offset, sizeof(offset), "6");
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, closing, copy);
	CHECK(posix_spawn(&pid, self, &actions, NULL, replaced, environ) == 0);
	posix_spawn_file_actions_destroy(&actions);
	reap(pid);

	EXPECT(read(e, &v, 8), 8, "0.0 read eventfd:$eventfd1 8 bytes=8 offset=0 flags=");
	CHECK(v == 8);
	EXPECT(read(closing, &v, 8), 8, "0.0 read eventfd:$eventfd0 8 bytes=7 offset=0 flags=");
	return 0;
}
