/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Tests calls through syscall() of functions that have a wrapper. The events, offsets and endpoints equal those of
 * calls by name. But they are no cancellation points. */
#include <fcntl.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>

#include "tests/calls/expect.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void pipes(void)
{
	int fds[2], copies[4];
	char buffer[8];
	struct iovec iov = {(void *)"abc", 3}, to = {buffer, 8};

	EXPECT(syscall(SYS_pipe2, fds, O_CLOEXEC), 0, "0.0 pipe2 pipe:$p 0");
	EXPECT(syscall(SYS_write, fds[1], "hello", 5), 5, "0.0 write pipe:$p 5 offset=0");
	EXPECT(write(fds[1], "1", 1), 1, "0.0 write pipe:$p 1 offset=5");
	EXPECT(syscall(SYS_writev, fds[1], &iov, 1), 3, "0.0 writev pipe:$p 3 offset=6");
	EXPECT(read(fds[0], buffer, 4), 4, "0.0 read pipe:$p 4 offset=0");
	EXPECT(syscall(SYS_read, fds[0], buffer, 2), 2, "0.0 read pipe:$p 2 offset=4");
	EXPECT(syscall(SYS_readv, fds[0], &to, 1), 3, "0.0 readv pipe:$p 3 offset=6");
	CHECK(!memcmp(buffer, "abc", 3));

	copies[0] = (int)syscall(SYS_dup, fds[1]);
	expect("0.0 dup pipe:$p %d", copies[0]);
	copies[1] = (int)syscall(SYS_dup3, fds[1], 100, O_CLOEXEC);
	expect("0.0 dup3 pipe:$p 100");
	copies[2] = (int)syscall(SYS_fcntl, fds[1], F_DUPFD, 200);
	expect("0.0 fcntl pipe:$p 200");
#if defined(SYS_dup2)
	copies[3] = (int)syscall(SYS_dup2, fds[1], copies[2]);
#else
	copies[3] = dup2(fds[1], copies[2]);
#endif
	expect("0.0 dup2 pipe:$p 200 object2=pipe:$p");
	CHECK(copies[0] > fds[1] && copies[1] == 100 && copies[2] == 200 && copies[3] == 200);
	EXPECT(syscall(SYS_dup3, fds[1], fds[1], 0), -1, "0.0 dup3 pipe:$p -1 errno=EINVAL");
	CHECK(syscall(SYS_fcntl, fds[1], F_GETFD) == FD_CLOEXEC); /* no event */

	EXPECT(syscall(SYS_close, fds[1]), 0, "0.0 close pipe:$p 0 arg=- flags=writer");
	EXPECT(syscall(SYS_close, copies[0]), 0, "0.0 close pipe:$p 0 arg=- flags=writer");
	EXPECT(syscall(436 /* close_range */, 100, 200, 0), 0,
	       "0.0 close_range pipe:$p 0 arg=- flags=writer");
	expect("0.0 close_range pipe:$p 0 arg=- flags=writer");
	EXPECT(syscall(SYS_read, fds[0], buffer, 8), 0, "0.0 read pipe:$p 0 flags=eof");
	EXPECT(syscall(SYS_close, fds[0]), 0, "0.0 close pipe:$p 0 arg=1 flags=");
	EXPECT(syscall(SYS_close, fds[0]), -1, "0.0 close - -1 errno=EBADF");
}

static void readiness(void)
{
	int e = (int)syscall(SYS_eventfd2, 3, EFD_CLOEXEC);
	int ep = (int)syscall(SYS_epoll_create1, EPOLL_CLOEXEC);
	struct epoll_event event = {.events = EPOLLIN, .data.u64 = 77}, got;
	uint64_t units = 4;

	expect("0.0 eventfd eventfd:$e %d", e);
	expect("0.0 epoll_create1 epoll:$ep %d", ep);
	EXPECT(syscall(SYS_epoll_ctl, ep, EPOLL_CTL_ADD, e, &event), 0,
	       "0.0 epoll_ctl epoll:$ep 0 object2=eventfd:$e");
	EXPECT(syscall(SYS_write, e, &units, sizeof(units)), 8,
	       "0.0 write eventfd:$e 8 offset=3 bytes=4");
	EXPECT(syscall(SYS_epoll_pwait, ep, &got, 1, 0, NULL, 8), 1,
	       "0.0 epoll_pwait epoll:$ep 1 ready=eventfd:$e:in");
	CHECK(got.data.u64 == 77);
	CHECK(syscall(441 /* epoll_pwait2 */, ep, &got, 1, NULL, NULL, 8) == 1);
	expect("0.0 epoll_pwait2 epoll:$ep 1 ready=eventfd:$e:in");
	EXPECT(read(e, &units, sizeof(units)), 8, "0.0 read eventfd:$e 8 offset=0 bytes=7");
	CHECK(syscall(SYS_close, ep) == 0 && syscall(SYS_close, e) == 0);
	expect("0.0 close epoll:$ep 0");
	expect("0.0 close eventfd:$e 0");
}

/* A file gets the number of a closed pipe, and the recorder must not take the file for the pipe. */
static void numbers(void)
{
	int fds[2], fd;

	CHECK(pipe(fds) == 0);
	expect("0.0 pipe pipe:$q 0");
	CHECK(syscall(SYS_close, fds[0]) == 0);
	expect("0.0 close pipe:$q 0");
	fd = (int)syscall(SYS_openat, AT_FDCWD, "/dev/null", O_RDWR);
	CHECK(fd == fds[0]);
	EXPECT(write(fd, "x", 1), 1, "0.0 write file:$null 1");
	CHECK(close(fd) == 0 && close(fds[1]) == 0);
	expect("0.0 close file:$null 0");
	expect("0.0 close pipe:$q 0");
}

static long written;

/* Cancellation is pending all the time. */
static void *cancelled(void *fds_)
{
	const int *fds = fds_;
	char c;

	pthread_cancel(pthread_self());
	written = syscall(SYS_write, fds[1], "x", 1);
	written += syscall(SYS_read, fds[0], &c, 1);
	written += !syscall(SYS_close, fds[0]);
	pthread_testcancel();
	written = -1;
	return NULL;
}

static void cancellation(void)
{
	pthread_t t;
	void *result;
	int fds[2];

	CHECK(pipe(fds) == 0);
	expect("0.0 pipe pipe:$c 0");
	CHECK(pthread_create(&t, NULL, cancelled, fds) == 0 && pthread_join(t, &result) == 0);
	CHECK(result == PTHREAD_CANCELED && written == 3);
	expect("0.1 write pipe:$c 1");
	expect("0.1 read pipe:$c 1");
	expect("0.1 close pipe:$c 0");
	CHECK(close(fds[1]) == 0);
	expect("0.0 close pipe:$c 0");
}

/* Ends the thread by the kernel's exit system call, without libc. */
static void *leaves(void *arg)
{
	pthread_mutex_lock(&m);
	pthread_mutex_unlock(&m);
	syscall(SYS_exit, 0);
	return arg;
}

static void ends(void)
{
	pthread_t t;

	CHECK(pthread_create(&t, NULL, leaves, NULL) == 0 && pthread_join(t, NULL) == 0);
	expect("0.2 pthread_mutex_lock mutex:%p 0", (void *)&m);
	expect("0.2 pthread_mutex_unlock mutex:%p 0", (void *)&m);
	CHECK(pthread_mutex_lock(&m) == 0 && pthread_mutex_unlock(&m) == 0);
	expect("0.0 pthread_mutex_lock mutex:%p 0", (void *)&m);
	expect("0.0 pthread_mutex_unlock mutex:%p 0", (void *)&m);
}

/* The next image is traced, although its environment is empty. */
static void execs(char *self)
{
	char *argv[] = {self, (char *)"executed", NULL}, *none[] = {NULL};
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		CHECK(syscall(SYS_execveat, AT_FDCWD, "/nonexistent", argv, none, 0) == -1 &&
		      errno == ENOENT);
		expect("1.0 execveat - 0");
		expect("1.0 exec_failed - -1 errno=ENOENT");
		expect("1.0 execve - 0");
		syscall(SYS_execve, self, argv, none);
		CHECK(!""
		       "execve");
	}
	CHECK(waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 3);
}

static void executed(void)
{
	CHECK(!environ[0]);
	CHECK(pthread_mutex_lock(&m) == 0);
	expect("2.0 pthread_mutex_lock mutex:* 0");
	expect("2.0 _exit - 3");
	syscall(SYS_exit_group, 3);
}

static void mappings(void)
{
	uint32_t *shared = (uint32_t *)syscall(SYS_mmap, NULL, 4096, PROT_READ | PROT_WRITE,
	                                       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t pid;

	CHECK(shared != MAP_FAILED);
	pid = fork();
	if (pid == 0) {
		CHECK(syscall(SYS_futex, shared, 1 /* FUTEX_WAKE */, 1) == 0);
		expect("3.0 futex_wake futex:$w 0");
		_exit(0);
	}
	CHECK(waitpid(pid, NULL, 0) == pid);
	EXPECT(syscall(SYS_futex, shared, 1, 1), 0, "0.0 futex_wake futex:$w 0");
	CHECK(syscall(SYS_munmap, shared, 4096) == 0);
}

int main(int argc, char **argv)
{
	if (argc > 1)
		executed();
	expect("ignore pthread_create pthread_join pthread_cancel pthread_once fork waitpid");
	pipes();
	readiness();
	numbers();
	cancellation();
	ends();
	execs(argv[0]);
	mappings();
	expect("0.0 _exit - 0");
	expect("3.0 _exit - 0");
	syscall(SYS_exit_group, 0);
}
