/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * A thread holds three locks in turn. Once another thread waits for the lock, it computes, sleeps in a system call that
 * is not recorded, and writes a file. Prints for each lock "NAME NS CPU_NS", the length of the holding and its CPU time.
 * Writes to PERF what perf script would print for the computation, the last sample first.
 *
 *	offcpu PERF FILE
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/calls/expect.h"

#define MS 1000000u
#define BYTES (32u << 20)
#define NR_SAMPLES 20

static pthread_mutex_t locks[3] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
                                   PTHREAD_MUTEX_INITIALIZER};
static sem_t taken;
static const char *perf_path, *file_path;

static uint64_t now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void compute(void)
{
	uint64_t end = now(CLOCK_THREAD_CPUTIME_ID) + 30 * MS;

	while (now(CLOCK_THREAD_CPUTIME_ID) < end)
		;
}

static void doze(void)
{
	struct timespec t = {0, 30 * MS};

	unseen(SYS_nanosleep, (long)&t, 0, 0, 0);
}

static void store(void)
{
	int fd = open(file_path, O_RDWR | O_CREAT, 0600);
	char *bytes = calloc(1, BYTES);

	CHECK(fd >= 0 && bytes && pwrite(fd, bytes, BYTES, 0) == BYTES);
	free(bytes);
	close(fd);
}

static void sample(uint64_t from, uint64_t to)
{
	FILE *f = fopen(perf_path, "w");

	CHECK(f);
	for (unsigned i = NR_SAMPLES; i--;) {
		uint64_t at = from + (to - from) * (i + 1) / (NR_SAMPLES + 1);

		fprintf(f, "a thread %d/%ld [001] %llu.%09llu: 250000 cpu-clock:pppH: \n",
		        (int)getpid(), (long)gettid(), (unsigned long long)at / 1000000000,
		        (unsigned long long)at % 1000000000);
		fprintf(f,
		        "\tffffffff81000000 page_fault+0x1 ([kernel.kallsyms])\n"
		        "\t     55d1234 %s+0x1f (/bin/a b)\n\t     55d1235 main (/bin/a b)\n\n",
		        i % 4 ? "insert(hash, int)" : "grow");
	}
	fclose(f);
}

/* glibc sets the word to 2 before a thread sleeps. */
static void await_waiter(const pthread_mutex_t *lock)
{
	while (__atomic_load_n(&lock->__data.__lock, __ATOMIC_ACQUIRE) != 2)
		unseen(SYS_sched_yield, 0, 0, 0, 0);
}

#define HOLD(name_, number_, work_)                                                                \
	static __attribute__((noinline)) void name_(void)                                          \
	{                                                                                          \
		uint64_t begin, waited, cpu, end;                                                  \
                                                                                                   \
		CHECK(pthread_mutex_lock(&locks[number_]) == 0);                                   \
		begin = now(CLOCK_MONOTONIC);                                                      \
		cpu = now(CLOCK_THREAD_CPUTIME_ID);                                                \
		CHECK(sem_post(&taken) == 0);                                                      \
		await_waiter(&locks[number_]);                                                     \
		waited = now(CLOCK_MONOTONIC);                                                     \
		work_();                                                                           \
		cpu = now(CLOCK_THREAD_CPUTIME_ID) - cpu;                                          \
		end = now(CLOCK_MONOTONIC);                                                        \
		CHECK(pthread_mutex_unlock(&locks[number_]) == 0);                                 \
		printf("%s %llu %llu\n", #name_, (unsigned long long)(end - begin),                \
		       (unsigned long long)cpu);                                                   \
		if ((number_) == 0)                                                                \
			sample(waited, end);                                                       \
	}

HOLD(hold_computing, 0, compute)
HOLD(hold_dozing, 1, doze)
HOLD(hold_storing, 2, store)

static void *hold(void *unused)
{
	hold_computing();
	hold_dozing();
	hold_storing();
	return unused;
}

static void *wait_for_all(void *unused)
{
	for (unsigned i = 0; i < 3; i++) {
		CHECK(sem_wait(&taken) == 0);
		CHECK(pthread_mutex_lock(&locks[i]) == 0);
		CHECK(pthread_mutex_unlock(&locks[i]) == 0);
	}
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t a, b;

	CHECK(argc == 3);
	perf_path = argv[1];
	file_path = argv[2];
	CHECK(sem_init(&taken, 0, 0) == 0);
	CHECK(pthread_create(&a, NULL, wait_for_all, NULL) == 0);
	CHECK(pthread_create(&b, NULL, hold, NULL) == 0);
	CHECK(pthread_join(a, NULL) == 0 && pthread_join(b, NULL) == 0);
	return 0;
}
