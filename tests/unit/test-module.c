/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "format/format.h"
#include "runtime/meta.h"
#include "runtime/module.h"
#include "runtime/session.h"

#define NR_RECORDS 256
#define NR_THREADS 8

/* ---- the dump ---- */

static struct record {
	struct syt_meta_module def;
	uint8_t build_id[64];
	char path[PATH_MAX];
} records[NR_RECORDS];
static unsigned nr_records, nr_unmaps;

void syt_meta_append(enum syt_meta_type type, const void *fixed, size_t fixed_bytes,
                     const void *tail1, size_t tail1_bytes, const void *tail2, size_t tail2_bytes)
{
	(void)fixed_bytes;
	if (type == SYT_META_UNMAP) {
		__atomic_fetch_add(&nr_unmaps, 1, __ATOMIC_RELAXED);
		return;
	}
	struct record *r =
		&records[__atomic_fetch_add(&nr_records, 1, __ATOMIC_RELAXED) % NR_RECORDS];

	r->def = *(const struct syt_meta_module *)fixed;
	memcpy(r->build_id, tail1, tail1_bytes);
	memcpy(r->path, tail2, tail2_bytes);
	r->path[tail2_bytes] = 0;
}

void syt_lost(enum syt_loss why, uint64_t nr)
{
	(void)why, (void)nr;
	abort();
}

/* no module of this test is of Go */
void syt_session_blind(enum syt_blind what, const char *text)
{
	(void)what, (void)text;
	abort();
}

static const struct record *record_of(const struct syt_module *m)
{
	for (unsigned i = 0; i < nr_records; i++)
		if (records[i].def.id == m->id)
			return &records[i];
	return NULL;
}

static int start(void **state)
{
	(void)state;
	return syt_module_init();
}

static void test_the_executable_has_its_path_and_bias(void **state)
{
	const struct syt_module *m = syt_module_find((uintptr_t)&start);
	char path[PATH_MAX] = "";

	(void)state;
	assert_non_null(m);
	assert_true(m->start <= (uintptr_t)&start && (uintptr_t)&start < m->end);
	assert_true(readlink("/proc/self/exe", path, sizeof(path) - 1) > 0);
	assert_string_equal(record_of(m)->path, path);
	assert_int_equal(m->bias, _r_debug.r_map->l_addr);
	assert_int_equal(record_of(m)->def.bias, m->bias);
}

static void test_a_library_has_its_build_id(void **state)
{
	const struct syt_module *m = syt_module_find((uintptr_t)&qsort);
	char command[PATH_MAX + 64], line[256] = "", hex[2 * 64 + 1] = "";
	const struct record *r;
	FILE *f;

	(void)state;
	assert_non_null(m);
	r = record_of(m);
	assert_true(r->def.build_id_bytes > 0);
	for (unsigned i = 0; i < r->def.build_id_bytes; i++)
		snprintf(hex + 2 * i, 3, "%02x", r->build_id[i]);
	snprintf(command, sizeof(command), "readelf -n %s 2>&1 | grep 'Build ID'", r->path);
	f = popen(command, "r");
	assert_non_null(f);
	if (!fgets(line, sizeof(line), f))
		line[0] = 0;
	pclose(f);
	if (!line[0])
		skip(); /* skips the test if readelf is missing or libc has no build-id */
	assert_non_null(strstr(line, hex));
}

static void test_the_vdso_is_a_module(void **state)
{
	uintptr_t vdso = getauxval(AT_SYSINFO_EHDR);
	const struct syt_module *m;

	(void)state;
	if (!vdso)
		skip();
	m = syt_module_find(vdso + 0x100);
	assert_non_null(m);
	assert_int_equal(m->start, vdso);
	assert_non_null(strstr(record_of(m)->path, "vdso"));
}

static void test_what_is_no_code_is_in_no_module(void **state)
{
	int local = 0;

	(void)state;
	assert_null(syt_module_find((uintptr_t)&local));
	assert_null(syt_module_find(0));
	assert_null(syt_module_find(UINTPTR_MAX));
	assert_false(syt_module_has((uintptr_t)&local));
	assert_true(syt_module_has((uintptr_t)&start));
}

static void test_the_same_module_is_found_again(void **state)
{
	const struct syt_module *m = syt_module_find((uintptr_t)&qsort);
	unsigned nr = nr_records;

	(void)state;
	syt_module_renew();
	assert_ptr_equal(syt_module_find((uintptr_t)&qsort), m);
	syt_module_closing();
	assert_ptr_equal(syt_module_find((uintptr_t)&qsort), m);
	syt_module_closed();
	assert_ptr_equal(syt_module_find((uintptr_t)&qsort), m);
	assert_int_equal(nr_records, nr);
	assert_int_equal(nr_unmaps, 0);
}

static void test_a_close_begins_a_generation(void **state)
{
	uint64_t before = syt_module_generation();

	(void)state;
	syt_module_closing();
	assert_true(syt_module_is_closing(syt_module_generation()));
	syt_module_closing();
	syt_module_closed();
	assert_true(syt_module_is_closing(syt_module_generation()));
	syt_module_closed();
	assert_false(syt_module_is_closing(syt_module_generation()));
	assert_true(syt_module_generation() > before);

	/* without its beginning, or in a child of it */
	before = syt_module_generation();
	syt_module_closed();
	assert_true(syt_module_generation() > before);
	assert_false(syt_module_is_closing(syt_module_generation()));
}

static pthread_barrier_t barrier;

static void *find_first(void *arg)
{
	pthread_barrier_wait(&barrier);
	return (void *)syt_module_find((uintptr_t)arg);
}

static void test_threads_that_meet_a_module_at_once_agree(void **state)
{
	pthread_t threads[NR_THREADS];
	void *first = NULL, *m;

	(void)state;
	pthread_barrier_init(&barrier, NULL, NR_THREADS);
	for (unsigned i = 0; i < NR_THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, find_first,
		                                (void *)&_cmocka_run_group_tests),
		                 0);
	for (unsigned i = 0; i < NR_THREADS; i++) {
		pthread_join(threads[i], &m);
		assert_non_null(m);
		if (!first)
			first = m;
		assert_ptr_equal(m, first);
	}
	/* records of the threads that lost the race are marked as never used */
	assert_non_null(record_of(first));
}

static void test_a_forked_child_defines_again_what_is_known(void **state)
{
	const struct syt_module *m = syt_module_find((uintptr_t)&qsort);

	(void)state;
	syt_module_closing(); /* a dlclose by a thread that does not exist in the child */
	nr_records = 0;
	syt_module_fork_child();
	assert_false(syt_module_is_closing(syt_module_generation()));
	assert_non_null(record_of(m));
	assert_true(nr_records >= 2);
}

int main(void)
{
#define TEST(name_) cmocka_unit_test(name_)
	const struct CMUnitTest tests[] = {
		TEST(test_the_executable_has_its_path_and_bias),
		TEST(test_a_library_has_its_build_id),
		TEST(test_the_vdso_is_a_module),
		TEST(test_what_is_no_code_is_in_no_module),
		TEST(test_the_same_module_is_found_again),
		TEST(test_a_close_begins_a_generation),
		TEST(test_threads_that_meet_a_module_at_once_agree),
		TEST(test_a_forked_child_defines_again_what_is_known),
	};

	return cmocka_run_group_tests(tests, start, NULL);
}
