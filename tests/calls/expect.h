/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * A test of tests/calls performs calls and prints the expected decode, one line per event, in the order
 * of each thread:
 *
 *  P.T CALL OBJECT RESULT [FIELD=VALUE...]
 *
 * P.T names the image and the thread as `syntrace-decode events` does (the main thread is 0.0, threads
 * count in order of creation). OBJECT is KIND:IDENTITY, with #GENERATION where it matters, or `-`.
 * RESULT and IDENTITY may be `*`. $name as an IDENTITY or VALUE stands for the text that its first use
 * matches. FIELD is a member of the JSON line. FIELD=- means that the member is absent. flags=A,B means
 * exactly these flags, flag=A this flag and perhaps others, noflag=A not this flag. A line `ignore
 * CALL...` makes the comparison skip events of these calls, `only CALL...` events of all other calls,
 * and `image P ignored` all events of a process. The recorder's own events (process_start, …) are left
 * out unless the test expects one of them.
 *
 * errno may be a name. ready=KIND:IDENTITY:in+out,... is the list that a call on readiness must have;
 * `?` stands for an entry that could not be attributed. Two different $names never stand for the same
 * identity of one kind.
 *
 * tests/calls/run.sh runs the test without and with the recorder; tests/calls/compare.py compares.
 */
#ifndef SYT_TESTS_CALLS_EXPECT_H
#define SYT_TESTS_CALLS_EXPECT_H

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Writes one line with one system call, without a buffer that fork() would copy and without an intercepted
 * function. */
__attribute__((format(printf, 1, 2))) static inline void expect(const char *format, ...)
{
	va_list arguments;
	char line[512];
	int err = errno;

	va_start(arguments, format);
	vsnprintf(line, sizeof(line), format, arguments);
	va_end(arguments);
	dprintf(STDOUT_FILENO, "%s\n", line);
	errno = err;
}

#define CHECK(condition_)                                                                          \
	do {                                                                                       \
		if (!(condition_)) {                                                               \
			dprintf(STDERR_FILENO, "%s:%d: not true: %s (errno %d)\n", __FILE__,       \
			        __LINE__, #condition_, errno);                                     \
			_Exit(1);                                                                  \
		}                                                                                  \
	} while (0)

/* Performs CALL, which must return RESULT, and expects an event of this call in the trace. */
#define EXPECT(call_, result_, ...)                                                                \
	do {                                                                                       \
		long got_ = (long)(call_);                                                         \
		if (got_ != (long)(result_)) {                                                     \
			dprintf(STDERR_FILENO, "%s:%d: %s: %ld, not %ld (errno %d)\n", __FILE__,   \
			        __LINE__, #call_, got_, (long)(result_), errno);                   \
			_Exit(1);                                                                  \
		}                                                                                  \
		expect(__VA_ARGS__);                                                               \
	} while (0)

/* Returns the time on CLOCK that is MS milliseconds from now. */
static inline struct timespec deadline(clockid_t clock, long ms)
{
	struct timespec t;

	clock_gettime(clock, &t);
	t.tv_nsec += ms * 1000000;
	t.tv_sec += t.tv_nsec / 1000000000;
	t.tv_nsec %= 1000000000;
	return t;
}

static inline void sleep_ms(long ms)
{
	struct timespec t = {ms / 1000, ms % 1000 * 1000000};

	syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &t, NULL); /* no event */
}

/* Makes a system call that no wrapper can see, as a library with its own system calls does. Returns
 * -errno on failure. */
static inline long unseen(long nr, long a, long b, long c, long d)
{
#if defined(__x86_64__)
	register long r10 __asm__("r10") = d;
	long rv;

	__asm__ volatile("syscall"
	                 : "=a"(rv)
	                 : "a"(nr), "D"(a), "S"(b), "d"(c), "r"(r10)
	                 : "rcx", "r11", "memory");
	return rv;
#elif defined(__aarch64__)
	register long x8 __asm__("x8") = nr;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;
	register long x3 __asm__("x3") = d;

	__asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3) : "memory");
	return x0;
#else
#error "a raw system call is not written for this architecture"
#endif
}

/* Returns whether the thread with the stat file PATH sleeps or is gone. */
static inline bool is_asleep(const char *path)
{
	char stat[256];
	long fd = unseen(SYS_openat, AT_FDCWD, (long)path, O_RDONLY, 0), bytes;

	if (fd < 0)
		return true;
	bytes = unseen(SYS_read, fd, (long)stat, sizeof(stat) - 1, 0);
	stat[bytes > 0 ? bytes : 0] = 0;
	unseen(SYS_close, fd, 0, 0, 0);
	return bytes <= 0 || strstr(stat, ") S ");
}

/* Waits until every other thread of the process is blocked in a call. Unlike a pause, this wait is
 * long enough under any load. */
static inline void await_others_asleep(void)
{
	int nr_seen = 0;

	while (nr_seen < 3) {
		char path[64], entries[4096];
		bool are_asleep = true;
		long nr, dir = unseen(SYS_openat, AT_FDCWD, (long)"/proc/self/task",
		                      O_RDONLY | O_DIRECTORY, 0);

		CHECK(dir >= 0);
		while ((nr = unseen(SYS_getdents64, dir, (long)entries, sizeof(entries), 0)) > 0) {
			for (long i = 0; i < nr;) {
				struct dirent64 *d = (struct dirent64 *)(entries + i);
				long tid = atol(d->d_name);

				i += d->d_reclen;
				if (tid <= 0 || tid == unseen(SYS_gettid, 0, 0, 0, 0))
					continue;
				snprintf(path, sizeof(path), "/proc/self/task/%ld/stat", tid);
				are_asleep &= is_asleep(path);
			}
		}
		unseen(SYS_close, dir, 0, 0, 0);
		nr_seen = are_asleep ? nr_seen + 1 : 0;
		sleep_ms(5);
	}
}

/* Writes an expected line for the only thread of the process PID. */
static inline void await_asleep(pid_t pid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	for (int nr_seen = 0; nr_seen < 3; sleep_ms(5))
		nr_seen = is_asleep(path) ? nr_seen + 1 : 0;
}

/* Returns the CPU time in ms that THREAD has used. */
static inline long cpu_ms(pthread_t thread)
{
	struct timespec t = {0, 0};
	clockid_t clock;

	CHECK(pthread_getcpuclockid(thread, &clock) == 0 && clock_gettime(clock, &t) == 0);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

#endif
