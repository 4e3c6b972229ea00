/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* A program that limits its address space, or locks it, can use as much memory as untraced: the address space that
 * is mapped for the dump to grow does not count against the limit. The program and its child are
 * recorded in spite of the limit. */
#include <fcntl.h>
#include <semaphore.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "tests/calls/expect.h"

#define MIB (1ul << 20)

/* Checks that the program can allocate BYTES of memory; the untraced run shows that this works. */
static void have(size_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	CHECK(p != MAP_FAILED);
	CHECK(munmap(p, bytes) == 0);
}

static unsigned long kib_of(const char *what)
{
	char text[4096];
	int fd = open("/proc/self/status", O_RDONLY);
	ssize_t n = read(fd, text, sizeof(text) - 1);

	CHECK(n > 0);
	text[n] = 0;
	close(fd);
	const char *at = strstr(text, what);
	CHECK(at);
	return strtoul(at + strlen(what) + 1, NULL, 10);
}

int main(void)
{
	struct rlimit limit, was;
	sem_t s;

	expect("only sem_init sem_post");
	EXPECT(sem_init(&s, 0, 0), 0, "0.0 sem_init sem:%p 0", (void *)&s);
	CHECK(getrlimit(RLIMIT_AS, &was) == 0);

	limit = (struct rlimit){1024 * MIB, was.rlim_max};
	CHECK(setrlimit(RLIMIT_AS, &limit) == 0);
	have(800 * MIB);
	EXPECT(sem_post(&s), 0, "0.0 sem_post sem:%p 0", (void *)&s);

	limit.rlim_cur = 512 * MIB;
	CHECK(prlimit(0, RLIMIT_AS, &limit, NULL) == 0);
	have(380 * MIB);
	EXPECT(sem_post(&s), 0, "0.0 sem_post sem:%p 0", (void *)&s);

	/* the limit is not lower than the recorder itself needs */
	limit.rlim_cur = 160 * MIB;
	CHECK(setrlimit(RLIMIT_AS, &limit) == 0);
	have(80 * MIB);
	pid_t child = fork();
	if (!child) {
		have(80 * MIB);
		EXPECT(sem_post(&s), 0, "1.0 sem_post sem:%p 0", (void *)&s);
		_exit(0);
	}
	int status;
	CHECK(waitpid(child, &status, 0) == child && status == 0);

	/* the kernel refuses an invalid address and an invalid limit, as in the untraced run */
	CHECK(setrlimit(RLIMIT_AS, (void *)8) == -1 && errno == EFAULT);
	limit = (struct rlimit){2, 1};
	CHECK(setrlimit(RLIMIT_AS, &limit) == -1 && errno == EINVAL);
	CHECK(prlimit(0, RLIMIT_AS, NULL, &limit) == 0 && limit.rlim_cur == 160 * MIB);

	CHECK(setrlimit(RLIMIT_AS, &was) == 0);
	/* a thread that may not lock this much gets the same error traced and untraced */
	if (mlockall(MCL_CURRENT) == 0) {
		CHECK(kib_of("VmLck:") < 100 * 1024);
		CHECK(munlockall() == 0);
	}
	EXPECT(sem_post(&s), 0, "0.0 sem_post sem:%p 0", (void *)&s);
	return 0;
}
