/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Calls that move bytes and never return; the argument selects the way. tests/calls/unreturned.sh
 * states the events that are left.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHECK(condition_)                                                                          \
	do {                                                                                       \
		if (!(condition_)) {                                                               \
			fprintf(stderr, "line %d: not true: %s\n", __LINE__, #condition_);         \
			_exit(1);                                                                  \
		}                                                                                  \
	} while (0)
#define PAGE 4096 /* size of a whole buffer of the pipe, so that later bytes use another buffer */
#define FULL 65536

static char data[1 << 20];
static int fds[2];
static sigjmp_buf out;

static void end_here(int nr)
{
	(void)nr;
	_exit(0);
}

static void jump_out(int nr)
{
	(void)nr;
	siglongjmp(out, 1);
}

/* Waits until FD has NR bytes to read. */
static void await(int fd, int nr)
{
	for (int n = -1; n != nr; usleep(1000))
		CHECK(ioctl(fd, FIONREAD, &n) == 0);
}

static void *fill(void *unused)
{
	(void)unused;
	CHECK(write(fds[1], data, PAGE) == PAGE);
	write(fds[1], data, sizeof(data)); /* never returns */
	CHECK(!"the call was not left");
	return NULL;
}

/* Makes a child that leaves a call, in the way HOW, after the call has moved bytes. */
static void writer(const char *how)
{
	pthread_t t;

	if (!strcmp(how, "cancel")) {
		CHECK(pthread_create(&t, NULL, fill, NULL) == 0);
		await(fds[0], FULL);
		CHECK(pthread_cancel(t) == 0 && pthread_join(t, NULL) == 0);
		_exit(0);
	}
	signal(SIGUSR1, strcmp(how, "jump") ? end_here : jump_out);
	if (sigsetjmp(out, 1))
		_exit(0);
	fill(NULL);
}

static void reap(pid_t pid, int nr)
{
	int status;

	if (nr)
		CHECK(kill(pid, nr) == 0);
	CHECK(waitpid(pid, &status, 0) == pid);
	CHECK(nr == SIGKILL ? WIFSIGNALED(status) : status == 0);
}

static void lost_write(const char *how)
{
	pid_t pid;

	CHECK(pipe(fds) == 0 && fcntl(fds[1], F_GETPIPE_SZ) == FULL && (pid = fork()) >= 0);
	if (!pid)
		writer(how);
	await(fds[0], FULL);
	reap(pid, !strcmp(how, "kill") ? SIGKILL : !strcmp(how, "cancel") ? 0 : SIGUSR1);
	CHECK(fcntl(fds[1], F_SETPIPE_SZ, 4 * FULL) == 4 * FULL && (pid = fork()) >= 0);
	if (!pid)
		_exit(write(fds[1], data, 70000) != 70000);
	reap(pid, 0);
	CHECK(read(fds[0], data, PAGE) == PAGE);
	CHECK(read(fds[0], data, FULL - PAGE) == FULL - PAGE);
	CHECK(read(fds[0], data, 70000) == 70000);
}

static void await_asleep(pid_t pid)
{
	char path[64], stat[256] = "";
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	for (int nr_seen = 0; nr_seen < 3; usleep(5000)) {
		CHECK((f = fopen(path, "r")) && fgets(stat, sizeof(stat), f));
		fclose(f);
		nr_seen = strstr(stat, ") S ") ? nr_seen + 1 : 0;
	}
}

/* A receive of more than FIRST bytes finds FIRST bytes and never returns; a second receive then finds
 * NEXT bytes. */
static void lost_receive(size_t first, size_t next)
{
	pid_t pid;

	CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, fds) == 0);
	CHECK(write(fds[0], data, first) == (ssize_t)first && (pid = fork()) >= 0);
	if (!pid)
		_exit(recv(fds[1], data, first + 50, MSG_WAITALL) > 0);
	await(fds[1], 0);
	await_asleep(pid);
	reap(pid, SIGKILL);
	CHECK(write(fds[0], data, next) == (ssize_t)next);
	CHECK(read(fds[1], data, next) == (ssize_t)next);
}

static void idle_receive(void)
{
	pid_t pid;

	CHECK(pipe(fds) == 0 && (pid = fork()) >= 0);
	if (!pid)
		_exit(read(fds[0], data, 1) > 0);
	await_asleep(pid);
	reap(pid, SIGKILL);
	CHECK(write(fds[1], data, 10) == 10 && read(fds[0], data, 10) == 10);
	CHECK(write(fds[1], data, 7) == 7 && read(fds[0], data, 7) == 7);
}

int main(int argc, char **argv)
{
	CHECK(argc == 2);
	if (!strcmp(argv[1], "waitall"))
		lost_receive(100, 40);
	else if (!strcmp(argv[1], "idle"))
		idle_receive();
	else
		lost_write(argv[1]);
	return 0;
}
