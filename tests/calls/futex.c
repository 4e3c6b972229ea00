/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Futexes through syscall(), by each operation and each newer call, between threads and between
 * processes. The program learns from /proc whether a thread waits. tests/calls/futex.sh compares
 * the edges with the lines that begin with "edge".
 */
#include <fcntl.h>
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "tests/calls/expect.h"

#define LOCK_PI2 13
#define NR_WAITV 449
#define NR_WAKE 454
#define NR_WAIT 455
#define NR_REQUEUE 456
#define SIZE_U32 2u /* FUTEX2_SIZE_U32 */
#define PRIVATE FUTEX_PRIVATE_FLAG

static uint32_t a, b, pi;

struct waitv {
	uint64_t value, address;
	uint32_t flags, reserved;
};

/* A thread that makes one futex call, which waits. */
static struct waiter {
	pthread_t handle;
	int tid, number;
	long nr, args[6], result;
	uint32_t *unlock; /* afterwards */
} w;

static int nr_threads;

static void *run(void *arg)
{
	(void)arg;
	__atomic_store_n(&w.tid, (int)syscall(SYS_gettid), __ATOMIC_RELEASE);
	w.result = syscall(w.nr, w.args[0], w.args[1], w.args[2], w.args[3], w.args[4], w.args[5]);
	if (w.unlock)
		CHECK(syscall(SYS_futex, w.unlock, FUTEX_UNLOCK_PI | PRIVATE) == 0);
	return NULL;
}

/* Returns when task TID sleeps. */
static void until_asleep(int tid)
{
	char path[64], text[256] = "";
	const char *p;

	snprintf(path, sizeof(path), "/proc/%d/stat", tid);
	do {
		int fd = open(path, O_RDONLY);

		CHECK(fd >= 0 && read(fd, text, sizeof(text) - 1) > 0);
		CHECK(close(fd) == 0);
		p = strrchr(text, ')');
		sched_yield();
	} while (!p || p[2] != 'S');
}

static void start(uint32_t *unlock, long nr, long a0, long a1, long a2, long a3, long a4, long a5)
{
	w = (struct waiter){.number = ++nr_threads,
	                    .nr = nr,
	                    .args = {a0, a1, a2, a3, a4, a5},
	                    .unlock = unlock};
	CHECK(pthread_create(&w.handle, NULL, run, NULL) == 0);
	while (!__atomic_load_n(&w.tid, __ATOMIC_ACQUIRE))
		sched_yield();
	until_asleep(w.tid);
}

static void finish(long result)
{
	CHECK(pthread_join(w.handle, NULL) == 0);
	CHECK(w.result == result);
}

static long futex(uint32_t *word, int op, long val, long val2, uint32_t *word2, long val3)
{
	return syscall(SYS_futex, word, op, val, val2, word2, val3);
}

static void waiting(void)
{
	struct timespec soon = {0, 1000000};

	start(NULL, SYS_futex, (long)&a, FUTEX_WAIT | PRIVATE, 0, 0, 0, 0);
	EXPECT(futex(&a, FUTEX_WAKE | PRIVATE, 1, 0, NULL, 0), 1, "0.0 futex_wake futex:%p 1",
	       (void *)&a);
	expect("0.1 futex_wait futex:%p 0 arg=-", (void *)&a);
	finish(0);
	EXPECT(futex(&a, FUTEX_WAKE | PRIVATE, 1, 0, NULL, 0), 0, "0.0 futex_wake futex:%p 0",
	       (void *)&a);
	EXPECT(futex(&a, FUTEX_WAIT | PRIVATE, 1, 0, NULL, 0), -1,
	       "0.0 futex_wait futex:%p -1 errno=EAGAIN", (void *)&a);
	CHECK(errno == EAGAIN);
	EXPECT(futex(&a, FUTEX_WAIT, 0, (long)&soon, NULL, 0), -1,
	       "0.0 futex_wait futex:%p -1 errno=ETIMEDOUT", (void *)&a);
	CHECK(errno == ETIMEDOUT);
	errno = 0x3eef;
	CHECK(futex(&a, FUTEX_WAKE, 1, 0, NULL, 0) == 0 && errno == 0x3eef);
	expect("0.0 futex_wake futex:%p 0", (void *)&a);
	CHECK(futex(&a, 99, 0, 0, NULL, 0) == -1 && errno == ENOSYS); /* no event */

	start(NULL, SYS_futex, (long)&a, FUTEX_WAIT_BITSET | PRIVATE | FUTEX_CLOCK_REALTIME, 0, 0,
	      0, 6);
	EXPECT(futex(&a, FUTEX_WAKE_BITSET | PRIVATE, 9, 0, NULL, 1), 0,
	       "0.0 futex_wake futex:%p 0 arg=1", (void *)&a);
	EXPECT(futex(&a, FUTEX_WAKE_BITSET | PRIVATE, 9, 0, NULL, 4), 1,
	       "0.0 futex_wake futex:%p 1 arg=4", (void *)&a);
	expect("0.2 futex_wait futex:%p 0 arg=6", (void *)&a);
	finish(0);
}

static void two_words(void)
{
	start(NULL, SYS_futex, (long)&a, FUTEX_WAIT | PRIVATE, 0, 0, 0, 0);
	EXPECT(futex(&a, FUTEX_CMP_REQUEUE | PRIVATE, 0, 1, &b, 0), 1,
	       "0.0 futex_requeue futex:%p 1 object2=futex:%p count=-", (void *)&a, (void *)&b);
	EXPECT(futex(&a, FUTEX_WAKE | PRIVATE, 1, 0, NULL, 0), 0, "0.0 futex_wake futex:%p 0",
	       (void *)&a);
	EXPECT(futex(&b, FUTEX_WAKE | PRIVATE, 1, 0, NULL, 0), 1, "0.0 futex_wake futex:%p 1",
	       (void *)&b);
	expect("0.3 futex_wait futex:%p 0", (void *)&a);
	finish(0);

	start(NULL, SYS_futex, (long)&a, FUTEX_WAIT | PRIVATE, 0, 0, 0, 0);
	EXPECT(futex(&a, FUTEX_REQUEUE | PRIVATE, 1, 1, &b, 0), 1,
	       "0.0 futex_requeue futex:%p 1 object2=futex:%p count=1", (void *)&a, (void *)&b);
	expect("0.4 futex_wait futex:%p 0", (void *)&a);
	finish(0);

	start(NULL, SYS_futex, (long)&b, FUTEX_WAIT | PRIVATE, 0, 0, 0, 0);
	EXPECT(futex(&a, FUTEX_WAKE_OP | PRIVATE, 1, 1, &b,
	             FUTEX_OP(FUTEX_OP_SET, 0, FUTEX_OP_CMP_EQ, 0)),
	       1, "0.0 futex_wake_op futex:%p 1 object2=futex:%p", (void *)&a, (void *)&b);
	expect("0.5 futex_wait futex:%p 0", (void *)&b);
	finish(0);
}

static void locks(void)
{
	EXPECT(futex(&pi, FUTEX_LOCK_PI | PRIVATE, 0, 0, NULL, 0), 0,
	       "0.0 futex_lock_pi futex:%p 0", (void *)&pi);
	CHECK(pi == (uint32_t)getpid());
	start(&pi, SYS_futex, (long)&pi, FUTEX_LOCK_PI | PRIVATE, 0, 0, 0, 0);
	EXPECT(futex(&pi, FUTEX_UNLOCK_PI | PRIVATE, 0, 0, NULL, 0), 0,
	       "0.0 futex_unlock_pi futex:%p 0", (void *)&pi);
	expect("0.6 futex_lock_pi futex:%p 0", (void *)&pi);
	expect("0.6 futex_unlock_pi futex:%p 0", (void *)&pi);
	finish(0);
	EXPECT(futex(&pi, FUTEX_TRYLOCK_PI | PRIVATE, 0, 0, NULL, 0), 0,
	       "0.0 futex_trylock_pi futex:%p 0", (void *)&pi);
	EXPECT(futex(&pi, LOCK_PI2 | PRIVATE, 0, 0, NULL, 0), -1, "0.0 futex_lock_pi futex:%p -1",
	       /* the call fails with EDEADLK, or with ENOSYS on a kernel that lacks it */
	       (void *)&pi);
	EXPECT(futex(&pi, FUTEX_UNLOCK_PI | PRIVATE, 0, 0, NULL, 0), 0,
	       "0.0 futex_unlock_pi futex:%p 0", (void *)&pi);
	EXPECT(futex(&pi, FUTEX_UNLOCK_PI | PRIVATE, 0, 0, NULL, 0), -1,
	       "0.0 futex_unlock_pi futex:%p -1 errno=EPERM", (void *)&pi);

	start(&pi, SYS_futex, (long)&a, FUTEX_WAIT_REQUEUE_PI | PRIVATE, 0, 0, (long)&pi, 0);
	EXPECT(futex(&a, FUTEX_CMP_REQUEUE_PI | PRIVATE, 1, 1, &pi, 0), 1,
	       "0.0 futex_cmp_requeue_pi futex:%p 1 object2=futex:%p", (void *)&a, (void *)&pi);
	expect("0.7 futex_wait_requeue_pi futex:%p 0 object2=futex:%p", (void *)&a, (void *)&pi);
	expect("0.7 futex_unlock_pi futex:%p 0", (void *)&pi);
	finish(0);
}

static void newer_calls(void)
{
	struct waitv of[2] = {{0, (uintptr_t)&a, SIZE_U32 | PRIVATE, 0},
	                      {0, (uintptr_t)&b, SIZE_U32 | PRIVATE, 0}};

	CHECK(syscall(NR_WAITV, NULL, 2, 0, NULL, CLOCK_MONOTONIC) == -1);
	expect("0.0 futex_waitv - -1 count=2");
	if (errno == ENOSYS) {
		expect("# no futex_waitv here");
		return;
	}
	start(NULL, NR_WAITV, (long)of, 2, 0, 0, CLOCK_MONOTONIC, 0);
	EXPECT(futex(&b, FUTEX_WAKE | PRIVATE, 1, 0, NULL, 0), 1, "0.0 futex_wake futex:%p 1",
	       (void *)&b);
	expect("0.8 futex_waitv futex:%p 1 count=2", (void *)&b);
	finish(1);

	long rv = syscall(NR_WAKE, &a, 1, 1, SIZE_U32 | PRIVATE);

	expect("0.0 futex_wake futex:%p %ld arg=1", (void *)&a, rv);
	if (rv) {
		CHECK(errno == ENOSYS);
		expect("# no futex_wake here");
		return;
	}
	start(NULL, NR_WAIT, (long)&a, 0, 3, SIZE_U32 | PRIVATE, 0, CLOCK_MONOTONIC);
	EXPECT(syscall(NR_REQUEUE, of, 0, 0, 1), 1, "0.0 futex_requeue futex:%p 1 object2=futex:%p",
	       (void *)&a, (void *)&b);
	EXPECT(syscall(NR_WAKE, &b, UINT32_MAX, 1, SIZE_U32 | PRIVATE), 1,
	       "0.0 futex_wake futex:%p 1 arg=-", (void *)&b);
	expect("0.9 futex_wait futex:%p 0 arg=3", (void *)&a);
	finish(0);
}

static void processes(void)
{
	uint32_t *shared =
		mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t pid;

	CHECK(shared != MAP_FAILED);
	pid = fork();
	CHECK(pid >= 0);
	if (pid == 0) {
		__atomic_store_n(shared + 1, 1, __ATOMIC_RELEASE);
		CHECK(futex(shared, FUTEX_WAIT, 0, 0, NULL, 0) == 0);
		_exit(0);
	}
	while (!__atomic_load_n(shared + 1, __ATOMIC_ACQUIRE))
		sched_yield();
	until_asleep(pid);
	EXPECT(futex(shared, FUTEX_WAKE, 1, 0, NULL, 0), 1, "0.0 futex_wake futex:$shared 1");
	expect("1.0 futex_wait futex:$shared 0");
	CHECK(waitpid(pid, NULL, 0) == pid);
}

/* Tests system calls of which the recorder only notes the use, and system calls that it does not
 * record. */
static void others(void)
{
	long rv = syscall(SYS_membarrier, MEMBARRIER_CMD_QUERY, 0);

	expect("0.0 membarrier - %ld", rv);
	EXPECT(syscall(425, 0, NULL), -1, "0.0 io_uring_setup - -1");
	EXPECT(syscall(426, -1, 0, 0, 0, NULL), -1, "0.0 io_uring_enter - -1");
	EXPECT(syscall(427, -1, 0, NULL, 0), -1, "0.0 io_uring_register - -1");
	CHECK(syscall(SYS_getpid) == getpid());
	errno = 0;
	CHECK(syscall(100000) == -1 && errno == ENOSYS);
	errno = 0;
	CHECK(syscall(-1) == -1 && errno == ENOSYS);
	uint8_t *page =
		mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	/* syscall() passes six arguments, the last one on the stack */
	CHECK((void *)syscall(SYS_mmap, page, 4096, PROT_READ,
	                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0L) == page);
}

int main(void)
{
	expect("ignore pthread_create pthread_join open read close fork _exit waitpid sched_yield");
	waiting();
	two_words();
	locks();
	newer_calls();
	processes();
	others();
	return 0;
}
