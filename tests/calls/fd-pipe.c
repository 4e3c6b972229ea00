/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Tests pipes: a pipe is one object with two fds, and byte offsets are right after partial reads, fork,
 * dup, splice and tee. */
#include <fcntl.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/calls/expect.h"

ssize_t __read_chk(int fd, void *buffer, size_t bytes, size_t room);

static void simple(void)
{
	char b[64];
	struct iovec v[2] = {{b, 3}, {b + 3, 4}};
	int p[2];

	EXPECT(pipe(p), 0, "0.0 pipe pipe:$pipe1 0 flags=");
	EXPECT(write(p[1], "0123456789", 10), 10,
	       "0.0 write pipe:$pipe1 10 bytes=10 offset=0 flags=");
	EXPECT(read(p[0], b, 4), 4, "0.0 read pipe:$pipe1 4 bytes=4 offset=0 flags=");
	EXPECT(readv(p[0], v, 1), 3, "0.0 readv pipe:$pipe1 3 bytes=3 offset=4 flags=");
	EXPECT(writev(p[1], v, 2), 7, "0.0 writev pipe:$pipe1 7 bytes=7 offset=10 flags=");
	EXPECT(__read_chk(p[0], b, 64, 64), 10,
	       "0.0 __read_chk pipe:$pipe1 10 bytes=10 offset=7 flags=");
	EXPECT(read(p[0], b, 0), 0, "0.0 read pipe:$pipe1 0 bytes=0 offset=17 flags=");
	EXPECT(write(p[1], b, 0), 0, "0.0 write pipe:$pipe1 0 bytes=0 offset=17 flags=");
	fcntl(p[0], F_SETFL, O_NONBLOCK);
	EXPECT(read(p[0], b, 1), -1, "0.0 read pipe:$pipe1 -1 errno=EAGAIN flags=");

	int d = dup(p[1]);

	expect("0.0 dup pipe:$pipe1 %d flags=", d);
	EXPECT(close(p[1]), 0, "0.0 close pipe:$pipe1 0 flags=writer");
	EXPECT(write(d, "x", 1), 1, "0.0 write pipe:$pipe1 1 bytes=1 offset=17 flags=");
	EXPECT(close(d), 0, "0.0 close pipe:$pipe1 0 flags=writer");
	EXPECT(read(p[0], b, 9), 1, "0.0 read pipe:$pipe1 1 bytes=1 offset=17 flags=");
	EXPECT(read(p[0], b, 9), 0, "0.0 read pipe:$pipe1 0 bytes=0 offset=18 flags=eof");
	EXPECT(close(p[0]), 0, "0.0 close pipe:$pipe1 0 arg=1 flags=");
	EXPECT(close(p[0]), -1, "0.0 close - -1 errno=EBADF flags=");
}

static void moving(void)
{
	char b[64];
	struct iovec v = {(char *)"vmsplice", 8};
	int p[2], q[2];

	EXPECT(pipe2(p, O_CLOEXEC), 0, "0.0 pipe2 pipe:$pipe2 0 flags=");
	EXPECT(pipe2(q, O_CLOEXEC), 0, "0.0 pipe2 pipe:$pipe3 0 flags=");
	EXPECT(vmsplice(p[1], &v, 1, 0), 8, "0.0 vmsplice pipe:$pipe2 8 bytes=8 offset=0 flags=");
	EXPECT(tee(p[0], q[1], 5, 0), 5,
	       "0.0 tee pipe:$pipe3 5 object2=pipe:$pipe2 bytes=5 offset=0 offset2=0 flags=peek");
	EXPECT(splice(p[0], NULL, q[1], NULL, 64, 0), 8,
	       "0.0 splice pipe:$pipe3 8 object2=pipe:$pipe2 bytes=8 offset=5 offset2=0 flags=");
	EXPECT(read(q[0], b, 64), 13, "0.0 read pipe:$pipe3 13 bytes=13 offset=0 flags=");
	EXPECT(write(p[1], "z", 1), 1, "0.0 write pipe:$pipe2 1 bytes=1 offset=8 flags=");
	EXPECT(splice(p[0], NULL, q[1], NULL, 64, 0), 1,
	       "0.0 splice pipe:$pipe3 1 object2=pipe:$pipe2 bytes=1 offset=13 offset2=8 flags=");
	EXPECT(close(p[1]), 0, "0.0 close pipe:$pipe2 0 flags=writer");
	EXPECT(splice(p[0], NULL, q[1], NULL, 64, 0), 0,
	       "0.0 splice pipe:$pipe3 0 object2=pipe:$pipe2 bytes=0 offset=14 offset2=9 "
	       "flags=eof");
	EXPECT(close(p[0]), 0, "0.0 close pipe:$pipe2 0 arg=1 flags=");
	EXPECT(close(q[0]), 0, "0.0 close pipe:$pipe3 0 flags=");
	EXPECT(close(q[1]), 0, "0.0 close pipe:$pipe3 0 arg=1 flags=writer");
}

/* A parent and its child write in turns; their bytes arrive in the order of events. */
static void forked(void)
{
	char b[64];
	int p[2], status;

	expect("ignore fork waitpid _exit");
	EXPECT(pipe(p), 0, "0.0 pipe pipe:$pipe4 0 flags=");
	EXPECT(write(p[1], "parent", 6), 6, "0.0 write pipe:$pipe4 6 bytes=6 offset=0 flags=");

	pid_t child = fork();

	if (child == 0) {
		expect("1.0 write pipe:$pipe4 5 bytes=5 offset=6 flags=");
		expect("1.0 close pipe:$pipe4 0 flags=");
		if (write(p[1], "child", 5) != 5 || close(p[0]))
			_exit(1);
		_exit(0);
	}
	CHECK(waitpid(child, &status, 0) == child && status == 0);
	EXPECT(write(p[1], "again", 5), 5, "0.0 write pipe:$pipe4 5 bytes=5 offset=11 flags=");
	EXPECT(read(p[0], b, 64), 16, "0.0 read pipe:$pipe4 16 bytes=16 offset=0 flags=");
	EXPECT(close(p[1]), 0, "0.0 close pipe:$pipe4 0 flags=writer");
	EXPECT(close(p[0]), 0, "0.0 close pipe:$pipe4 0 arg=1 flags=");
}

int main(void)
{
	simple();
	moving();
	forked();
	return 0;
}
