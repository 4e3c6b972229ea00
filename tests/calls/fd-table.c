/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Tests the objects to which descriptor numbers refer after dup, close and reuse, if the recorder sees
 * these calls and if it does not.
 */
#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/calls/expect.h"

/* the names that open, openat and pread have with _FORTIFY_SOURCE */
int __open_2(const char *path, int flags);
int __openat_2(int dir, const char *path, int flags);
ssize_t __pread_chk(int fd, void *buffer, size_t bytes, off_t offset, size_t room);

static void duplicates(void)
{
	char b[8];
	int p[2], q[2];

	EXPECT(pipe(p), 0, "0.0 pipe pipe:$pipe1 0 flags=");
	EXPECT(pipe(q), 0, "0.0 pipe pipe:$pipe2 0 flags=");
	EXPECT(dup2(p[1], 50), 50, "0.0 dup2 pipe:$pipe1 50 flags=");
	EXPECT(dup2(50, 50), 50, "0.0 dup2 pipe:$pipe1 50 flags=");
	EXPECT(dup3(p[1], 51, O_CLOEXEC), 51, "0.0 dup3 pipe:$pipe1 51 flags=");
	EXPECT(fcntl(p[1], F_DUPFD, 60), 60, "0.0 fcntl pipe:$pipe1 60 flags=");
	EXPECT(fcntl(p[1], F_DUPFD_CLOEXEC, 60), 61, "0.0 fcntl pipe:$pipe1 61 flags=");
	if (fcntl(61, F_GETFD) != FD_CLOEXEC || fcntl(60, F_SETFD, FD_CLOEXEC))
		abort();
	EXPECT(write(60, "abc", 3), 3, "0.0 write pipe:$pipe1 3 bytes=3 offset=0 flags=");
	/* the file that had this number is closed */
	EXPECT(dup2(q[1], 50), 50, "0.0 dup2 pipe:$pipe2 50 object2=pipe:$pipe1 flags=writer");
	EXPECT(dup2(q[1], p[1]), p[1], "0.0 dup2 pipe:$pipe2 %d object2=pipe:$pipe1 flags=writer",
	       p[1]);
	EXPECT(write(50, "d", 1), 1, "0.0 write pipe:$pipe2 1 bytes=1 offset=0 flags=");
	/* a dup2 that fails closes no descriptor */
	EXPECT(dup2(99, 51), -1, "0.0 dup2 - -1 errno=EBADF flags=");
	EXPECT(write(51, "e", 1), 1, "0.0 write pipe:$pipe1 1 bytes=1 offset=3 flags=");
	EXPECT(close_range(60, 70, 0), 0,
	       "0.0 close_range pipe:$pipe1 0 flags=writer\n"
	       "0.0 close_range pipe:$pipe1 0 flags=writer");
	EXPECT(close_range(60, 70, 0), 0, "0.0 close_range - 0 flags=");
	EXPECT(close(51), 0, "0.0 close pipe:$pipe1 0 flags=writer");
	EXPECT(read(p[0], b, 8), 4, "0.0 read pipe:$pipe1 4 bytes=4 offset=0 flags=");
	EXPECT(read(p[0], b, 8), 0, "0.0 read pipe:$pipe1 0 bytes=0 offset=4 flags=eof");
	EXPECT((closefrom(q[0]), 0), 0,
	       "0.0 closefrom pipe:$pipe2 0 flags=\n"
	       "0.0 closefrom pipe:$pipe2 0 flags=writer\n"
	       "0.0 closefrom pipe:$pipe2 0 flags=writer");
	EXPECT(close(p[1]), 0, "0.0 close pipe:$pipe2 0 arg=1 flags=writer");
	EXPECT(close(p[0]), 0, "0.0 close pipe:$pipe1 0 arg=1 flags=");
}

/* libc closes the descriptor internally; a later descriptor with this number is another endpoint. */
static void out_of_sight(void)
{
	int p[2], e;
	FILE *f;

	EXPECT(pipe(p), 0, "0.0 pipe pipe:$pipe3 0 flags=");
	f = fdopen(p[1], "w");
	fputs("four", f);
	EXPECT(fclose(f), 0, "0.0 fclose pipe:$pipe3 0 flags=writer");
	EXPECT((e = eventfd(0, 0)), p[1], "0.0 eventfd eventfd:$eventfd1 %d flags=", p[1]);
	EXPECT(eventfd_write(e, 1), 0,
	       "0.0 eventfd_write eventfd:$eventfd1 0 bytes=1 offset=0 flags=");
	EXPECT(close(e), 0, "0.0 close eventfd:$eventfd1 0 arg=1 flags=");
	EXPECT(close(p[0]), 0, "0.0 close pipe:$pipe3 0 arg=1 flags=");

	/* the descriptor is closed by a system call that no wrapper sees */
	EXPECT(pipe(p), 0, "0.0 pipe pipe:$pipe4 0 flags=");
	if (unseen(SYS_close, p[0], 0, 0, 0) || unseen(SYS_close, p[1], 0, 0, 0))
		abort();
	if (open("/dev/null", O_RDWR) != p[0] || open("/dev/null", O_RDWR | O_CREAT, 0600) != p[1])
		abort();
	EXPECT(write(p[1], "x", 1), 1, "0.0 write file:$file1 1 bytes=1 flags=nooffset");
	EXPECT(read(p[0], &e, 1), 0, "0.0 read file:$file1 0 flags=nooffset");
	f = fdopen(p[1], "w");
	f = freopen("/dev/null", "r", f);
	f = freopen64("/dev/null", "r", f);
	fclose(f);
	EXPECT(close(p[0]), 0, "0.0 close file:$file1 0 arg=1 flags=");
}

int __fxstat(int version, int fd, struct stat *st);

/* After the program's fstat of a file, the recorder need not call fstat itself. */
static void stated(void)
{
	char path[] = "stated", b[80] = "";
	struct stat st;
	int f = open(path, O_RDWR | O_CREAT, 0600), g = open(path, O_RDONLY),
	    h = open(path, O_RDONLY), p[2];

	CHECK(f >= 0 && g >= 0 && h >= 0);
	EXPECT(pwrite(f, "12", 2, 0), 2, "0.0 pwrite file:$stated 2 bytes=2 flags=nooffset");
	CHECK(fstat(g, &st) == 0 && S_ISREG(st.st_mode) && st.st_size == 2);
	EXPECT(pread(g, b, 1, 0), 1, "0.0 pread file:$stated 1 bytes=1 flags=nooffset");
	CHECK(__fxstat(1, h, &st) == 0 && st.st_size == 2);
	EXPECT(close(h), 0, "0.0 close file:$stated 0 arg=1 flags=");
	EXPECT(close(g), 0, "0.0 close file:$stated 0 arg=1 flags=");

	/* the file is as large as the file of a message queue */
	EXPECT(pwrite(f, b, 80, 0), 80, "0.0 pwrite file:$stated 80 bytes=80 flags=nooffset");
	CHECK((g = open(path, O_RDONLY)) >= 0 && fstat(g, &st) == 0 && st.st_size == 80);
	EXPECT(close(g), 0, "0.0 close - 0 flags=");
	EXPECT(close(f), 0, "0.0 close file:$stated 0 arg=1 flags=");

	/* the descriptor is closed by a system call that no wrapper sees, and a pipe gets its number */
	CHECK((g = open(path, O_RDONLY)) >= 0 && fstat(g, &st) == 0);
	CHECK(unseen(SYS_close, g, 0, 0, 0) == 0);
	EXPECT(pipe(p), 0, "0.0 pipe pipe:$pipe7 0 flags=");
	CHECK(p[0] == g && fstat(p[1], &st) == 0 && S_ISFIFO(st.st_mode));
	EXPECT(write(p[1], "x", 1), 1, "0.0 write pipe:$pipe7 1 bytes=1 offset=0 flags=");
	EXPECT(read(p[0], b, 1), 1, "0.0 read pipe:$pipe7 1 bytes=1 offset=0 flags=");
	EXPECT(close(p[1]), 0, "0.0 close pipe:$pipe7 0 flags=writer");
	EXPECT(close(p[0]), 0, "0.0 close pipe:$pipe7 0 arg=1 flags=");

	/* fstat() of a closed descriptor fails as without the recorder */
	CHECK(fstat(g, &st) == -1 && errno == EBADF);
	CHECK(unlink(path) == 0);
}

/* A pipe's fd that is received through a socket refers to the same pipe, with the same byte offsets. */
static void sent(void)
{
	union {
		struct cmsghdr c;
		char room[CMSG_SPACE(sizeof(int))];
	} u = {.c = {.cmsg_len = CMSG_LEN(sizeof(int)),
	             .cmsg_level = SOL_SOCKET,
	             .cmsg_type = SCM_RIGHTS}};
	char b = 'x';
	struct iovec v = {&b, 1};
	struct msghdr m = {
		.msg_iov = &v, .msg_iovlen = 1, .msg_control = &u, .msg_controllen = sizeof(u)};
	int p[2], s[2], arrived;

	EXPECT(socketpair(AF_UNIX, SOCK_STREAM, 0, s), 0,
	       "0.0 socketpair stream:$stream1 0 object2=stream:$stream2 flags=");
	EXPECT(pipe(p), 0, "0.0 pipe pipe:$pipe5 0 flags=");
	EXPECT(write(p[1], "abc", 3), 3, "0.0 write pipe:$pipe5 3 bytes=3 offset=0 flags=");
	memcpy(CMSG_DATA(&u.c), &p[1], sizeof(int));
	EXPECT(sendmsg(s[0], &m, 0), 1, "0.0 sendmsg stream:$stream1 1 bytes=1 offset=0 flags=");
	EXPECT(close(p[1]), 0, "0.0 close pipe:$pipe5 0 flags=writer");
	EXPECT(recvmsg(s[1], &m, 0), 1, "0.0 recvmsg stream:$stream2 1 bytes=1 offset=0 flags=");
	memcpy(&arrived, CMSG_DATA(&u.c), sizeof(int));
	EXPECT(write(arrived, "d", 1), 1, "0.0 write pipe:$pipe5 1 bytes=1 offset=3 flags=");
	EXPECT(close(p[0]), 0, "0.0 close pipe:$pipe5 0 flags=");
	EXPECT(close(arrived), 0, "0.0 close pipe:$pipe5 0 arg=1 flags=writer");
}

static void files(void)
{
	char b[16], path[] = "data";
	struct iovec v = {b, 4};
	off64_t at = 0;
	int f = open(path, O_RDWR | O_CREAT, 0600),
	    g = openat(AT_FDCWD, "copy", O_RDWR | O_CREAT, 0600);
	struct stat st;

	if (f < 0 || g < 0 || fstat(f, &st) || (st.st_mode & 0777) != 0600)
		abort();
	EXPECT(pwrite(f, "0123456789", 10, 0), 10,
	       "0.0 pwrite file:$file2 10 bytes=10 flags=nooffset");
	EXPECT(pwritev(f, &v, 1, 10), 4, "0.0 pwritev file:$file2 4 bytes=4 flags=nooffset");
	EXPECT(pwritev2(f, &v, 1, 14, 0), 4, "0.0 pwritev2 file:$file2 4 bytes=4 flags=nooffset");
	EXPECT(pread(f, b, 4, 2), 4, "0.0 pread file:$file2 4 bytes=4 flags=nooffset");
	EXPECT(__pread_chk(f, b, 4, 2, sizeof(b)), 4,
	       "0.0 __pread_chk file:$file2 4 bytes=4 flags=nooffset");
	EXPECT(memcmp(b, "2345", 4), 0, "0.0 preadv file:$file2 4 bytes=4 flags=nooffset");
	if (preadv(f, &v, 1, 0) != 4)
		abort();
	EXPECT(preadv2(f, &v, 1, 0, 0), 4, "0.0 preadv2 file:$file2 4 bytes=4 flags=nooffset");
	EXPECT(copy_file_range(f, &at, g, NULL, 5, 0), 5,
	       "0.0 copy_file_range file:$file3 5 object2=file:$file2 bytes=5 offset=0 offset2=0 "
	       "flags=");
	EXPECT(close(f), 0, "0.0 close file:$file2 0 arg=1 flags=");
	EXPECT(close(g), 0, "0.0 close file:$file3 0 arg=1 flags=");
	close(creat("third", 0600));
	expect("0.0 close - 0 flags=");
	close(__open_2("third", O_RDONLY));
	expect("0.0 close - 0 flags=");
	close(__openat_2(AT_FDCWD, "third", O_RDONLY));
	expect("0.0 close - 0 flags=");
}

/* A vfork child has its own file descriptors, so its changes do not concern the parent. */
static void borrowed(void)
{
	char b;
	int p[2], status;

	expect("ignore vfork waitpid _exit");
	EXPECT(pipe(p), 0, "0.0 pipe pipe:$pipe6 0 flags=");

	pid_t child = vfork();

	if (child == 0) {
		close(p[0]);
		if (dup2(p[1], 70) == 70 && write(70, "x", 1) == 1)
			_exit(0);
		_exit(1);
	}
	expect("0.0 close - 0 flags=vfork");
	expect("0.0 dup2 - 70 flags=vfork");
	expect("0.0 write - 1 bytes=1 flags=nooffset,vfork");
	CHECK(waitpid(child, &status, 0) == child && status == 0);
	EXPECT(read(p[0], &b, 1), 1, "0.0 read pipe:$pipe6 1 bytes=1 offset=0 flags=");
	EXPECT(close(p[1]), 0, "0.0 close pipe:$pipe6 0 flags=writer");
	EXPECT(close(p[0]), 0, "0.0 close pipe:$pipe6 0 arg=1 flags=");
}

int main(void)
{
	duplicates();
	out_of_sight();
	sent();
	stated();
	files();
	borrowed();
	return 0;
}
