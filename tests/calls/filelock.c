/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Tests locks on files: flock, lockf, fcntl's locks of processes and of open file descriptions; ranges;
 * the effects of close, dup and fork. The event's field arg is 1 for a shared, 2 for an exclusive lock,
 * 3 for an unlock; plus 4 if the open file description owns the lock; plus 8 if a close released it.
 */
#include <fcntl.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "tests/calls/expect.h"

static char path[64];

static int set(int fd, int command, short type, short whence, off_t start, off_t bytes)
{
	struct flock how = {type, whence, start, bytes, 0};

	return fcntl(fd, command, &how);
}

static void *waiter(void *arg)
{
	int fd = open(path, O_RDWR);

	errno = 0xbeef;
	CHECK(flock(fd, LOCK_EX) == 0 && errno == 0xbeef);
	expect("0.1 flock flock:$file 0 arg=6 offset=0 description=$waiter flags=blocked");
	CHECK(close(fd) == 0);
	expect("0.1 file_unlocked flock:$file 0 arg=11 description=$waiter");
	return arg;
}

static void whole(void)
{
	pthread_t thread;
	int fd = open(path, O_RDWR), other = open(path, O_RDWR);
	FILE *f;

	CHECK(fd >= 0 && other >= 0);
	errno = 0xbeef;
	EXPECT(flock(fd, LOCK_SH), 0,
	       "0.0 flock flock:$file 0 arg=5 lock=shared description=$one flags=");
	EXPECT(flock(other, LOCK_SH | LOCK_NB), 0,
	       "0.0 flock flock:$file 0 arg=5 description=$two");
	CHECK(errno == 0xbeef);
	EXPECT(flock(fd, LOCK_EX | LOCK_NB), -1,
	       "0.0 flock flock:$file -1 arg=6 errno=EAGAIN flags=");
	EXPECT(flock(other, LOCK_UN), 0, "0.0 flock flock:$file 0 arg=7 description=$two");
	EXPECT(flock(fd, LOCK_EX), 0, "0.0 flock flock:$file 0 arg=6 description=$one flags=");
	EXPECT(flock(fd, 77), -1, "0.0 flock flock:$file -1 errno=EINVAL");
	EXPECT(flock(-1, LOCK_EX), -1, "0.0 flock - -1 errno=EBADF");
	CHECK(pthread_create(&thread, NULL, waiter, NULL) == 0);
	await_others_asleep();
	int copy = dup(fd);
	EXPECT(close(fd), 0, "0.0 file_unlocked flock:$file 0 arg=11 description=$one");
	/* the file is still locked, because the duplicate fd holds the lock */
	await_others_asleep();
	CHECK(dup2(other, copy) == copy);
	expect("0.0 file_unlocked flock:$file 0 arg=11 description=$one");
	CHECK(pthread_join(thread, NULL) == 0);
	EXPECT(close(copy), 0, "0.0 file_unlocked flock:$file 0 arg=11 description=$two");
	EXPECT(close(other), 0, "0.0 file_unlocked flock:$file 0 arg=11 description=$two");

	f = fopen(path, "r+");
	CHECK(f);
	EXPECT(flock(fileno(f), LOCK_EX), 0, "0.0 flock flock:$file 0 arg=6 description=$stream");
	CHECK(freopen(path, "r", f) == f);
	expect("0.0 file_unlocked flock:$file 0 arg=11 description=$stream");
	EXPECT(flock(fileno(f), LOCK_SH), 0, "0.0 flock flock:$file 0 arg=5 description=$again");
	CHECK(close_range((unsigned)fileno(f), (unsigned)fileno(f), 0) == 0);
	expect("0.0 file_unlocked flock:$file 0 arg=11 description=$again");
	CHECK(fclose(f) != 0);
}

static void ranges(void)
{
	int fd = open(path, O_RDWR), second;
	struct flock how = {F_WRLCK, SEEK_SET, 3, 4, 0};

	errno = 0xbeef;
	EXPECT(lseek(fd, 10, SEEK_SET), 10, "ignore lseek");
	EXPECT(lockf(fd, F_LOCK, 5), 0,
	       "0.0 lockf record:$range 0 arg=2 offset=10 count=5 description=- flags=");
	EXPECT(lockf(fd, F_TLOCK, -4), 0, "0.0 lockf record:$range 0 arg=2 offset=6 count=4");
	CHECK(lockf(fd, F_TEST, 0) == 0); /* no event */
	EXPECT(lockf(fd, F_ULOCK, 0), 0, "0.0 lockf record:$range 0 arg=3 offset=10 count=-");
	EXPECT(lockf(fd, 99, 0), -1, "0.0 lockf record:$range -1 errno=EINVAL");
	EXPECT(set(fd, F_SETLK, F_RDLCK, SEEK_END, -2, 2), 0,
	       "0.0 fcntl_lock record:$range 0 arg=1 offset=98 count=2");
	EXPECT(set(fd, F_SETLKW, F_WRLCK, SEEK_CUR, 1, 1), 0,
	       "0.0 fcntl_lock record:$range 0 arg=2 offset=11 count=1 flags=");
	CHECK(fcntl(fd, F_GETLK, &how) == 0); /* no event */
	how = (struct flock){F_WRLCK, SEEK_SET, 0, 1, 0};
	EXPECT(fcntl(fd, F_OFD_SETLK, &how), 0,
	       "0.0 fcntl_lock record:$range 0 arg=6 offset=0 count=1 description=$ofd");
	EXPECT(fcntl(fd, F_OFD_SETLKW, &how), 0, "0.0 fcntl_lock record:$range 0 arg=6");
	CHECK(fcntl(fd, F_SETLK, (void *)16) == -1 && errno == EFAULT);
	EXPECT(set(-1, F_SETLK, F_WRLCK, 0, 0, 0), -1, "0.0 fcntl_lock - -1 errno=EBADF");
	/* closing any descriptor of the file releases the process's locks; only closing its own
	 * descriptors releases a description's locks */
	second = open(path, O_RDONLY);
	EXPECT(close(second), 0, "0.0 file_unlocked record:$range 0 arg=11 description=-");
	EXPECT(close(fd), 0, "0.0 file_unlocked record:$range 0 arg=11 description=$ofd");
	second = open(path, O_RDONLY);
	CHECK(close(second) == 0); /* no lock is left */
}

/* The child waits for its parent's record lock. An open file description that both processes share has
 * no known number after exec only. */
static void shared(void)
{
	int fd = open(path, O_RDWR), status;
	pid_t child;

	EXPECT(set(fd, F_SETLK, F_WRLCK, SEEK_SET, 0, 0), 0,
	       "0.0 fcntl_lock record:$range 0 arg=2");
	EXPECT(flock(fd, LOCK_EX), 0, "0.0 flock flock:$file 0 arg=6 description=$both");
	child = fork();
	if (child == 0) {
		CHECK(set(fd, F_SETLK, F_RDLCK, SEEK_SET, 0, 0) == -1);
		expect("1.0 fcntl_lock record:$range -1 arg=1 errno=EAGAIN");
		CHECK(set(fd, F_SETLKW, F_RDLCK, SEEK_SET, 0, 0) == 0);
		expect("1.0 fcntl_lock record:$range 0 arg=1 flags=blocked");
		CHECK(flock(fd, LOCK_UN) == 0);
		expect("1.0 flock flock:$file 0 arg=7 description=$both");
		_exit(0);
	}
	await_asleep(child);
	EXPECT(set(fd, F_SETLK, F_UNLCK, SEEK_SET, 0, 0), 0,
	       "0.0 fcntl_lock record:$range 0 arg=3");
	CHECK(waitpid(child, &status, 0) == child && status == 0);
	CHECK(close(fd) == 0);
	expect("0.0 file_unlocked flock:$file 0 arg=11 description=$both");
	expect("0.0 file_unlocked record:$range 0 arg=11");
	fd = (int)unseen(SYS_openat, AT_FDCWD, (long)path, O_RDWR, 0);
	EXPECT(flock(fd, LOCK_EX), 0, "0.0 flock flock:$file 0 arg=6 description=-");
	CHECK(close(fd) == 0);
}

int main(void)
{
	int fd;

	expect("only flock lockf fcntl_lock file_unlocked");
	snprintf(path, sizeof(path), "filelock-%d", (int)getpid());
	fd = open(path, O_RDWR | O_CREAT | O_EXCL, 0600);
	CHECK(fd >= 0 && ftruncate(fd, 100) == 0 && close(fd) == 0);
	whole();
	ranges();
	shared();
	CHECK(unlink(path) == 0);
	return 0;
}
