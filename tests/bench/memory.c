/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * syntrace-bench-memory NAME THREADS alive|turn: THREADS threads make three events each (a lock, an
 * unlock, a sem_post). The threads then stay alive at the same time (alive), or run one after another
 * (turn). Prints
 *
 *     NAME rss_bytes <growth of the memory of the process> NAME pss_bytes <the same, with shared memory
 *     divided by its users> NAME rss_per_thread_bytes <rss_bytes divided by THREADS>
 *
 * as the kernel reports it (smaps_rollup) while all threads exist, or when the last thread has ended.
 * The difference between a traced and an untraced run is the recorder's memory.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static sem_t posted;
static bool stays;
static uint32_t nr_ready, nr_wanted;

static _Noreturn void die(const char *what)
{
	fprintf(stderr, "syntrace-bench-memory: %s: %s\n", what, strerror(errno));
	exit(1);
}

/* Makes the futex system call without libc, because a tracer may intercept libc's syscall() and waiting
 * must not be an event. */
static long raw_futex(uint32_t *word, long op, uint32_t value)
{
	long rv;
#if defined(__x86_64__)
	register long timeout __asm__("r10") = 0;

	__asm__ volatile("syscall"
	                 : "=a"(rv)
	                 : "0"(SYS_futex), "D"(word), "S"(op), "d"((long)value), "r"(timeout)
	                 : "rcx", "r11", "memory");
#elif defined(__aarch64__)
	register long x8 __asm__("x8") = SYS_futex;
	register long x0 __asm__("x0") = (long)word;
	register long x1 __asm__("x1") = op;
	register long x2 __asm__("x2") = (long)value;
	register long x3 __asm__("x3") = 0;

	__asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3) : "memory");
	rv = x0;
#endif
	return rv;
}

static void *three_events(void *unused)
{
	pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
	sem_post(&posted);
	if (!stays)
		return unused;
	if (__atomic_add_fetch(&nr_ready, 1, __ATOMIC_RELEASE) == nr_wanted)
		raw_futex(&nr_ready, FUTEX_WAKE_PRIVATE, 1);
	for (uint32_t never = 0;;)
		raw_futex(&never, FUTEX_WAIT_PRIVATE, 0);
}

struct memory {
	long rss_bytes, pss_bytes;
};

static struct memory memory(void)
{
	char text[4096];
	int fd = open("/proc/self/smaps_rollup", O_RDONLY | O_CLOEXEC);
	ssize_t nr = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	if (nr <= 0)
		die("/proc/self/smaps_rollup");
	close(fd);
	text[nr] = 0;

	const char *rss = strstr(text, "\nRss:"), *pss = strstr(text, "\nPss:");

	if (!rss || !pss)
		die("/proc/self/smaps_rollup has no Rss or Pss");
	return (struct memory){.rss_bytes = atol(rss + 5) * 1024,
	                       .pss_bytes = atol(pss + 5) * 1024};
}

static void start(pthread_t *thread, const pthread_attr_t *attr)
{
	if ((errno = pthread_create(thread, attr, three_events, NULL)))
		die("pthread_create");
}

int main(int argc, char **argv)
{
	pthread_attr_t attr;
	pthread_t thread;
	struct memory before, after;

	if (argc != 4 || !(nr_wanted = (uint32_t)atoi(argv[2]))) {
		fprintf(stderr, "usage: syntrace-bench-memory NAME THREADS alive|turn\n");
		return 2;
	}
	stays = !strcmp(argv[3], "alive");
	sem_init(&posted, 0, 0);
	pthread_attr_init(&attr);
	if ((errno = pthread_attr_setstacksize(&attr, 1 << 16)))
		die("pthread_attr_setstacksize");
	/* makes the first event, so that memory that exists once per process is allocated before the
	 * measurement */
	pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
	(void)memory();
	before = memory();
	for (uint32_t i = 0; i < nr_wanted; i++) {
		start(&thread, &attr);
		if (!stays)
			pthread_join(thread, NULL);
	}
	while (stays) {
		uint32_t nr = __atomic_load_n(&nr_ready, __ATOMIC_ACQUIRE);

		if (nr == nr_wanted)
			break;
		raw_futex(&nr_ready, FUTEX_WAIT_PRIVATE, nr);
	}
	after = memory();
	printf("%s rss_bytes %ld\n%s pss_bytes %ld\n", argv[1], after.rss_bytes - before.rss_bytes,
	       argv[1], after.pss_bytes - before.pss_bytes);
	printf("%s rss_per_thread_bytes %ld\n", argv[1],
	       (after.rss_bytes - before.rss_bytes) / (long)nr_wanted);
	return 0; /* the other threads stay blocked until the process ends */
}
