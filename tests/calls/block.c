/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Calls that wait for a disk or a name server, and order no threads: done, refused, cancelled. An open has
 * an event only if it was long. */
#include <netdb.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "tests/calls/expect.h"

int __open_2(const char *path, int flags);
int __openat_2(int dir, const char *path, int flags);

static void files(void)
{
	int f = syscall(SYS_openat, AT_FDCWD, "synced", O_RDWR | O_CREAT, 0600), p[2];
	char *map;

	CHECK(f >= 0 && ftruncate(f, 4096) == 0);
	errno = 0xbeef;
	EXPECT(fsync(f), 0, "0.0 fsync file:$file 0 flags=");
	EXPECT(fdatasync(f), 0, "0.0 fdatasync file:$file 0 flags=");
	EXPECT(sync_file_range(f, 0, 4096, SYNC_FILE_RANGE_WRITE), 0,
	       "0.0 sync_file_range file:$file 0 flags=");
	map = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, f, 0);
	CHECK(map != MAP_FAILED);
	map[0] = 1;
	EXPECT(msync(map, 4096, MS_SYNC), 0, "0.0 msync - 0 flags=");
	CHECK(errno == 0xbeef);
	EXPECT(msync(map + 1, 4096, MS_SYNC), -1, "0.0 msync - -1 errno=EINVAL");
	EXPECT(sync_file_range(f, -1, 1, 0), -1, "0.0 sync_file_range file:$file -1 errno=EINVAL");
	EXPECT(fsync(-1), -1, "0.0 fsync - -1 errno=EBADF");
	CHECK(pipe(p) == 0);
	EXPECT(fdatasync(p[0]), -1, "0.0 fdatasync pipe:$pipe -1 errno=EINVAL");
	f = syscall(SYS_openat, AT_FDCWD, "/proc/self/stat", O_RDONLY);
	EXPECT(syncfs(f), 0,
	       "0.0 syncfs file:$proc 0 flags="); /* quick: this file system has no disk */
}

static void names(void)
{
	struct addrinfo hints = {.ai_flags = AI_NUMERICHOST}, *found;

	errno = 0xbeef;
	EXPECT(getaddrinfo("127.0.0.1", "80", &hints, &found), 0, "0.0 getaddrinfo - 0 flags=");
	CHECK(errno == 0xbeef && found);
	freeaddrinfo(found);
	EXPECT(getaddrinfo("no number", "80", &hints, &found), EAI_NONAME, "0.0 getaddrinfo - %d",
	       EAI_NONAME);
}

static void make_fifo(const char *path)
{
	unlink(path);
	CHECK(mkfifo(path, 0600) == 0);
}

/* Opens the other end of the FIFO as soon as the main thread waits for it. */
static void *opens_other_end(void *flags)
{
	await_others_asleep();
	CHECK(syscall(SYS_openat, AT_FDCWD, "fifo", (int)(long)flags) >= 0);
	return NULL;
}

static void other_end_opens(pthread_t *t, int flags)
{
	CHECK(pthread_create(t, NULL, opens_other_end, (void *)(long)flags) == 0);
}

/* An open of a new FIFO waits for the other end. */
#define LONG_OPEN(call_, other_, text_)                                                            \
	do {                                                                                       \
		pthread_t t_;                                                                      \
		make_fifo("fifo");                                                                 \
		other_end_opens(&t_, other_);                                                      \
		int fd_ = (call_);                                                                 \
		CHECK(fd_ >= 0);                                                                   \
		expect("0.0 " text_ " pipe:* %d flags=", fd_);                                     \
		CHECK(pthread_join(t_, NULL) == 0);                                                \
	} while (0)

static int fileno_of(FILE *f)
{
	CHECK(f);
	return fileno(f);
}

static void fifos(void)
{
	LONG_OPEN(open("fifo", O_RDONLY), O_WRONLY, "open");
	LONG_OPEN(open("fifo", O_WRONLY | O_CREAT, 0600), O_RDONLY, "open");
	LONG_OPEN(openat(AT_FDCWD, "fifo", O_RDONLY), O_WRONLY, "openat");
	LONG_OPEN(__open_2("fifo", O_RDONLY), O_WRONLY, "__open_2");
	LONG_OPEN(__openat_2(AT_FDCWD, "fifo", O_RDONLY), O_WRONLY, "__openat_2");
	LONG_OPEN(creat("fifo", 0600), O_RDONLY, "creat");
	LONG_OPEN(fileno_of(fopen("fifo", "r")), O_WRONLY, "fopen");
}

static int nr_handlers;

static void handle(void *unused)
{
	(void)unused;
	nr_handlers++;
}

static void *opens_alone(void *path)
{
	pthread_cleanup_push(handle, NULL);
	open(path, O_RDONLY); /* no event: the call does not return */
	pthread_cleanup_pop(0);
	return NULL;
}

static void cancelled(void)
{
	pthread_t t;
	void *rv;

	make_fifo("alone");
	CHECK(pthread_create(&t, NULL, opens_alone, (void *)"alone") == 0);
	await_others_asleep();
	CHECK(pthread_cancel(t) == 0 && pthread_join(t, &rv) == 0 && rv == PTHREAD_CANCELED);
	CHECK(nr_handlers == 1);
}

static void quick(void)
{
	errno = 0xbeef;
	for (int i = 0; i < 100; i++) {
		int f = open("synced", O_RDWR);

		CHECK(f >= 0 && errno == 0xbeef);
		syscall(SYS_close, f);
	}
	CHECK(open("missing", O_RDWR) == -1 && errno == ENOENT);
	CHECK(!fopen("missing", "r") && errno == ENOENT);
}

int main(void)
{
	expect("ignore pthread_create pthread_join pthread_cancel pthread_once pipe close");
	files();
	names();
	quick();
	fifos();
	cancelled();
	return 0;
}
