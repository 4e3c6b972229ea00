/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * syntrace-bench-worst [-c CPU] [-d DIVISOR] [-m MODULE -w DIRECTORY] [-i NS]: times each single
 * call of a program that sometimes gives a tracer more work, and prints "BENCH METRIC VALUE" lines.
 * BENCH is
 *
 *     worst-seal    the same two calls a million times: blocks fill up
 *     worst-stack   each pair of calls has a new call stack
 *     worst-object  each pair of calls has a new mutex
 *     worst-module  the first two calls of each newly loaded library: MODULE, copied into DIRECTORY
 *     worst         all of these together
 *
 * METRIC is samples, p50_ns, p99_ns, p999_ns, p9999_ns, max_ns, over_20us, over_200us, switched.
 * With -i, each sample is an idle loop of NS instead: it shows the machine's own interruptions.
 *
 * A sample in which the kernel gave the CPU to another task is no cost of the tracer: it is left
 * out, and counted as "switched". A switch takes microseconds. So the thread's counter of
 * involuntary switches is read only after a sample, or a gap between samples, of two microseconds
 * and more. Time taken by a hypervisor and by interrupts cannot be separated: it is in the figures
 * of -i, too.
 */
#define _GNU_SOURCE
#include "worst.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define NR_SEAL_PAIRS 500000u
#define STACK_LEVELS 16u /* levels of a call tree, which has 2^16 leaves */
#define NR_OBJECTS 50000u
#define NR_MODULES 48u
#define SLOW_NS 2000u /* every switch of threads takes longer than this */

struct samples {
	const char *name;
	uint32_t *ns;
	unsigned nr, room;
	unsigned nr_switched;
};

static unsigned divisor = 1;
static uint64_t idle_ns;
static struct clocked now;
static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER;
static long nr_switches;
static uint64_t last_ns; /* time in ns when the last sample ended */

static _Noreturn void die(const char *what)
{
	fprintf(stderr, "syntrace-bench-worst: %s: %s\n", what, strerror(errno));
	exit(1);
}

/* Allocates memory and touches its pages, so that the program's own page faults are not measured. */
static void *allocate(size_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
	               MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	if (p == MAP_FAILED)
		die("mmap");
	return p;
}

static void open_samples(struct samples *s, const char *name, unsigned room)
{
	*s = (struct samples){.name = name, .ns = allocate(room * sizeof(*s->ns)), .room = room};
}

static bool was_switched(void)
{
	struct rusage usage;
	long before = nr_switches;

	if (getrusage(RUSAGE_THREAD, &usage))
		die("getrusage");
	nr_switches = usage.ru_nivcsw;
	return nr_switches != before;
}

static void add(struct samples *s, uint64_t begin, uint64_t end)
{
	uint64_t ns = end - begin;

	if (ns > SLOW_NS && was_switched()) {
		s->nr_switched++;
		return;
	}
	if (s->nr < s->room)
		s->ns[s->nr++] = ns < UINT32_MAX ? (uint32_t)ns : UINT32_MAX;
}

/* Adds the pair of calls whose times are in `now` to the samples. */
static void add_pair(struct samples *s)
{
	/* a thread switch between two samples belongs to no sample */
	if (now.ns[0] - last_ns > SLOW_NS)
		(void)was_switched();
	/* if both calls were slow and the thread was switched, the switch is assigned to the first
	 * call, and the second call is kept */
	add(s, now.ns[0], now.ns[1]);
	add(s, now.ns[1], now.ns[2]);
	last_ns = clocked_ns();
}

static void spin(uint64_t *ns)
{
	uint64_t begin = clocked_ns();

	do
		*ns = clocked_ns();
	while (*ns - begin < idle_ns);
}

static __attribute__((noinline)) void pair(struct samples *s, pthread_mutex_t *m)
{
	now.mutex = m;
	if (idle_ns) {
		now.ns[0] = clocked_ns();
		spin(&now.ns[1]);
		spin(&now.ns[2]);
	} else {
		clocked_pair(&now);
	}
	add_pair(s);
}

/* Calls down to leaf LEAF of a call tree with two call sites at each level. */
static __attribute__((noinline)) void descend(struct samples *s, unsigned leaf, unsigned levels)
{
	if (!levels) {
		pair(s, &one);
	} else if (leaf & 1) {
		descend(s, leaf >> 1, levels - 1);
		__asm__ volatile("# one place" ::
		                         /* prevents a tail call, and merging of the two calls */
		                 : "memory");
	} else {
		descend(s, leaf >> 1, levels - 1);
		__asm__ volatile("# the other place" ::: "memory");
	}
}

static void copy_file(const char *from, const char *to)
{
	static char buffer[1 << 16];
	int in = open(from, O_RDONLY | O_CLOEXEC),
	    out = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0700);
	ssize_t nr;

	if (in < 0 || out < 0)
		die(in < 0 ? from : to);
	while ((nr = read(in, buffer, sizeof(buffer))) > 0)
		if (write(out, buffer, (size_t)nr) != nr)
			die(to);
	close(in);
	close(out);
}

static void load_modules(struct samples *s, const char *module, const char *directory)
{
	for (unsigned i = 0; i < (divisor > 1 ? 2 : NR_MODULES); i++) {
		char path[4096];
		void (*pair_there)(struct clocked *);

		snprintf(path, sizeof(path), "%s/module-%u.so", directory, i);
		copy_file(module, path);
		void *handle = dlopen(path, RTLD_NOW);

		if (!handle || !(*(void **)&pair_there = dlsym(handle, "bench_pair_here"))) {
			fprintf(stderr, "syntrace-bench-worst: %s\n", dlerror());
			exit(1);
		}
		unlink(path);
		now.mutex = &one;
		(void)was_switched();
		last_ns = clocked_ns();
		if (idle_ns) {
			pair(s, &one);
		} else {
			pair_there(&now);
			add_pair(s);
		}
	}
}

static int by_value(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

static unsigned nr_over(const struct samples *s, uint32_t ns)
{
	unsigned nr = 0;

	while (nr < s->nr && s->ns[s->nr - 1 - nr] > ns)
		nr++;
	return nr;
}

/* Returns the sample that PER_MYRIAD of ten thousand samples do not exceed. */
static uint32_t percentile(const struct samples *s, uint64_t per_myriad)
{
	uint64_t rank = (s->nr * per_myriad + 9999) / 10000;

	return s->ns[rank ? rank - 1 : 0];
}

static void print(struct samples *s)
{
	if (!s->nr)
		return;
	qsort(s->ns, s->nr, sizeof(*s->ns), by_value);
	printf("%s samples %u\n%s switched %u\n", s->name, s->nr, s->name, s->nr_switched);
	printf("%s p50_ns %u\n%s p99_ns %u\n", s->name, percentile(s, 5000), s->name,
	       percentile(s, 9900));
	printf("%s p999_ns %u\n%s p9999_ns %u\n", s->name, percentile(s, 9990), s->name,
	       percentile(s, 9999));
	printf("%s max_ns %u\n", s->name, s->ns[s->nr - 1]);
	printf("%s over_20us %u\n%s over_200us %u\n", s->name, nr_over(s, 20000), s->name,
	       nr_over(s, 200000));
}

static void join(struct samples *all, const struct samples *s)
{
	memcpy(all->ns + all->nr, s->ns, s->nr * sizeof(*s->ns));
	all->nr += s->nr;
	all->nr_switched += s->nr_switched;
}

static void *park(void *mutex)
{
	pthread_mutex_lock(mutex);
	pthread_mutex_unlock(mutex);
	return NULL;
}

int main(int argc, char **argv)
{
	const char *module = NULL, *directory = NULL;
	cpu_set_t set;
	int c;

	CPU_ZERO(&set);
	while ((c = getopt(argc, argv, "c:d:m:w:i:")) != -1)
		switch (c) {
		case 'c':
			CPU_SET((unsigned)atoi(optarg), &set);
			break;
		case 'd':
			divisor = (unsigned)atoi(optarg);
			break;
		case 'm':
			module = optarg;
			break;
		case 'w':
			directory = optarg;
			break;
		case 'i':
			idle_ns = strtoull(optarg, NULL, 10);
			break;
		default:
			return 2;
		}
	if (optind != argc || !divisor || !module != !directory)
		return 2;
	if (CPU_COUNT(&set) && sched_setaffinity(0, sizeof(set), &set))
		die("cannot pin to the CPU given with -c");

	struct samples seal, stack, object, modules, all;
	unsigned nr_pairs = NR_SEAL_PAIRS / divisor, nr_leaves = (1u << STACK_LEVELS) / divisor;
	unsigned nr_objects = NR_OBJECTS / divisor;
	pthread_mutex_t *mutexes =
		allocate(nr_objects * sizeof(*mutexes)); /* zero: as initialized */
	/* a second thread exists, because libc takes short cuts in a process with one thread */
	pthread_mutex_t parked = PTHREAD_MUTEX_INITIALIZER;
	pthread_t other;

	open_samples(&seal, "worst-seal", 2 * nr_pairs);
	open_samples(&stack, "worst-stack", 2 * nr_leaves);
	open_samples(&object, "worst-object", 2 * nr_objects);
	open_samples(&modules, "worst-module", 2 * NR_MODULES);
	open_samples(&all, "worst", seal.room + stack.room + object.room + modules.room);
	pthread_mutex_lock(&parked);
	if ((errno = pthread_create(&other, NULL, park, &parked)))
		die("pthread_create");
	(void)was_switched();
	last_ns = clocked_ns();
	for (unsigned i = 0; i < nr_pairs; i++)
		pair(&seal, &one);
	for (unsigned i = 0; i < nr_leaves; i++)
		descend(&stack, i * 40503u,
		        STACK_LEVELS); /* odd: each leaf once, far from the last one */
	for (unsigned i = 0; i < nr_objects; i++)
		pair(&object, &mutexes[i]);
	if (module)
		load_modules(&modules, module, directory);
	pthread_mutex_unlock(&parked);
	pthread_join(other, NULL);

	struct samples *const each[] = {&seal, &stack, &object, &modules};

	for (unsigned i = 0; i < 4; i++) {
		join(&all, each[i]);
		print(each[i]);
	}
	print(&all);
	return 0;
}
