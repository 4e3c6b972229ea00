/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* File descriptors and shared memory that libc opens and closes on its own. */
#include <dirent.h>
#include <pty.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <utmp.h>

#include "tests/calls/expect.h"

/*
 * A pipe takes the descriptor of a closed directory stream; the recorder does not see the pipe
 * being opened.
 */
static void directory(void)
{
	DIR *d = opendir("."), *volatile none = NULL;
	int fd = dirfd(d), p[2];
	char b[4];

	EXPECT(read(fd, b, 1), -1, "0.0 read file:$file1 -1 errno=EISDIR");
	CHECK(closedir(d) == 0);
	CHECK(closedir(none) == -1 && errno == EINVAL);
	CHECK(pipe(p) == 0 && p[0] == fd);
	EXPECT(write(p[1], "abc", 3), 3, "0.0 write pipe:$pipe1 3 bytes=3 offset=0 flags=");
	EXPECT(read(p[0], b, 3), 3, "0.0 read pipe:$pipe1 3 bytes=3 offset=0 flags=");
	close(p[0]);
	close(p[1]);
}

/* In the child of forkpty, the fds 0, 1 and 2 are the terminal, independently of their files in the
 * parent. */
static void terminal(void)
{
	int p[2], saved = dup(0), out = dup(1), master, status;
	char b[16];

	CHECK(pipe(p) == 0 && dup2(p[0], 0) == 0);
	EXPECT(write(p[1], "abc", 3), 3, "0.0 write pipe:$pipe2 3 bytes=3 offset=0 flags=");
	EXPECT(read(0, b, 1), 1, "0.0 read pipe:$pipe2 1 bytes=1 offset=0 flags=");

	pid_t child = forkpty(&master, NULL, NULL, NULL);

	if (child == 0) {
		if (read(0, b, 3) != 3)
			_exit(1);
		_exit(memcmp(b, "hi\n", 3) != 0);
	}
	CHECK(child > 0);
	expect("0.0 forkpty - %d child=%d", (int)child, (int)child);
	expect("1.0 read file:* 3 bytes=3");
	EXPECT(write(master, "hi\n", 3), 3, "0.0 write file:* 3 bytes=3");
	CHECK(waitpid(child, &status, 0) == child && status == 0);
	close(master);

	/* login_tty by itself */
	CHECK(openpty(&master, &status, NULL, NULL, NULL) == 0);
	child = fork();
	if (child == 0) {
		if (login_tty(status) || read(0, b, 3) != 3)
			_exit(1);
		_exit(0);
	}
	expect("2.0 read file:* 3 bytes=3");
	close(status);
	EXPECT(write(master, "hi\n", 3), 3, "0.0 write file:* 3 bytes=3");
	CHECK(waitpid(child, &status, 0) == child && status == 0);
	close(master);
	EXPECT(read(0, b, 2), 2, "0.0 read pipe:$pipe2 2 bytes=2 offset=1 flags=");
	dup2(saved, 0);
	dup2(out, 1);
	close(saved);
	close(out);
	close(p[0]);
	close(p[1]);
}

/* A lock in shared memory keeps its identity when the mapping moves and grows, and when the memory is
 * mapped twice. */
static void moved(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	int file = memfd_create("shared", 0);
	pthread_mutexattr_t a;
	char *m, *twice, *other;

	CHECK(ftruncate(file, (off_t)(8 * page)) == 0);
	m = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	other = mmap(NULL, 8 * page, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	CHECK(m != MAP_FAILED && other != MAP_FAILED);
	pthread_mutexattr_init(&a);
	pthread_mutexattr_setpshared(&a, PTHREAD_PROCESS_SHARED);
	EXPECT(pthread_mutex_init((pthread_mutex_t *)(other + page), &a), 0,
	       "0.0 pthread_mutex_init mutex:$mutex1 0");
	EXPECT(pthread_mutex_init((pthread_mutex_t *)(other + 3 * page), &a), 0,
	       "0.0 pthread_mutex_init mutex:$mutex2 0");
	EXPECT(pthread_mutex_lock((pthread_mutex_t *)(m + page)), 0,
	       "0.0 pthread_mutex_lock mutex:$mutex1 0");
	twice = mremap(m, 0, 2 * page, MREMAP_MAYMOVE);
	CHECK(twice != MAP_FAILED && twice != m);
	EXPECT(pthread_mutex_unlock((pthread_mutex_t *)(twice + page)), 0,
	       "0.0 pthread_mutex_unlock mutex:$mutex1 0");
	EXPECT(pthread_mutex_lock((pthread_mutex_t *)(m + page)), 0,
	       "0.0 pthread_mutex_lock mutex:$mutex1 0");
	m = mremap(m, 2 * page, 4 * page, MREMAP_MAYMOVE | MREMAP_FIXED,
	           mmap(NULL, 4 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
	CHECK(m != MAP_FAILED);
	EXPECT(pthread_mutex_unlock((pthread_mutex_t *)(m + page)), 0,
	       "0.0 pthread_mutex_unlock mutex:$mutex1 0");
	EXPECT(pthread_mutex_lock((pthread_mutex_t *)(m + 3 * page)), 0,
	       "0.0 pthread_mutex_lock mutex:$mutex2 0");
	CHECK(mremap(m, 1, 2, -1) == MAP_FAILED);
	EXPECT(pthread_mutex_unlock((pthread_mutex_t *)(m + 3 * page)), 0,
	       "0.0 pthread_mutex_unlock mutex:$mutex2 0");
}

int main(void)
{
	expect("only read write forkpty pthread_mutex_init pthread_mutex_lock "
	       "pthread_mutex_unlock");
	directory();
	terminal();
	moved();
	return 0;
}
