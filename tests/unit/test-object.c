/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/meta.h"
#include "runtime/object.h"
#include "runtime/session.h"

/* ---- doubles of runtime functions, which keep the definitions that object.c writes ---- */

#define NR_DEFINED 100000u

static struct syt_meta_object defined[NR_DEFINED];
static struct syt_trace *trace;

void syt_meta_append(enum syt_meta_type type, const void *fixed, size_t fixed_bytes,
                     const void *tail1, size_t tail1_bytes, const void *tail2, size_t tail2_bytes)
{
	(void)tail1, (void)tail1_bytes, (void)tail2, (void)tail2_bytes;
	assert_int_equal(type, SYT_META_OBJECT);
	assert_int_equal(fixed_bytes, sizeof(struct syt_meta_object));

	const struct syt_meta_object *m = fixed;

	assert_in_range(m->object, 1, NR_DEFINED - 1);
	defined[m->object] = *m;
}

void syt_meta_text(enum syt_text what, uint32_t subject, const char *text, size_t bytes)
{
	(void)what, (void)subject, (void)text, (void)bytes;
}

void syt_object_defined(uint32_t object)
{
	(void)object;
}

void syt_lost(enum syt_loss why, uint64_t nr)
{
	(void)why, (void)nr;
	fail();
}

struct syt_trace *syt_trace_shared(void)
{
	return trace;
}

/* ---- tests ---- */

static char memory[1 << 16] __attribute__((aligned(64)));

static void test_one_id_per_address_and_kind(void **state)
{
	uint32_t a = syt_object(SYT_KIND_MUTEX, memory);
	uint32_t b = syt_object(SYT_KIND_MUTEX, memory + 8);
	uint32_t c = syt_object(SYT_KIND_COND, memory);

	(void)state;
	assert_true(a && b && c && a != b && a != c && b != c);
	assert_int_equal(syt_object(SYT_KIND_MUTEX, memory), a);
	assert_int_equal(syt_object(SYT_KIND_MUTEX, memory + 8), b);
	assert_int_equal(defined[a].identity, (uintptr_t)memory);
	assert_int_equal(defined[a].kind, SYT_KIND_MUTEX);
	assert_int_equal(defined[c].kind, SYT_KIND_COND);
	assert_int_equal(defined[a].generation, 0);
}

static void test_a_private_semaphore_has_its_value(void **state)
{
	uint32_t *value = (uint32_t *)(void *)(memory + 1024), a;

	(void)state;
	*value = 7;
	a = syt_object(SYT_KIND_SEM, value);
	*value = 8; /* a later value does not change the recorded object */
	assert_int_equal(syt_object(SYT_KIND_SEM, value), a);
	assert_int_equal(defined[a].flags, SYT_OBJECT_VALUE);
	assert_int_equal(defined[a].fd, 7);
	a = syt_object(SYT_KIND_MUTEX, value);
	assert_int_equal(defined[a].flags, 0);
	assert_int_equal(defined[a].fd, UINT32_MAX);
	/* other processes may change the value in shared memory at any time */
	syt_shared_map(memory, 4096, UINT64_C(1) << 63, 0);
	syt_object_end(SYT_KIND_SEM, value);
	a = syt_object(SYT_KIND_SEM, value);
	assert_int_equal(defined[a].flags, 0);
	syt_shared_unmap(memory, 4096);
}

static void test_a_new_generation_after_the_end(void **state)
{
	uint32_t a = syt_object(SYT_KIND_SEM, memory + 128), b;

	(void)state;
	syt_object_end(SYT_KIND_SEM, memory + 128);
	/* ended twice, with no new object between the ends */
	syt_object_end(SYT_KIND_SEM, memory + 128);
	b = syt_object(SYT_KIND_SEM, memory + 128);
	assert_int_not_equal(a, b);
	assert_int_equal(defined[a].generation, 0);
	assert_int_equal(defined[b].generation, 1);
	assert_int_equal(defined[b].identity, defined[a].identity);
}

static void test_many_objects_side_by_side(void **state)
{
	static uint32_t ids[4096];

	(void)state;
	for (size_t i = 0; i < 4096; i++)
		ids[i] = syt_object(SYT_KIND_SPIN, memory + 4 * i);
	for (size_t i = 0; i < 4096; i++) {
		assert_int_equal(syt_object(SYT_KIND_SPIN, memory + 4 * i), ids[i]);
		assert_int_equal(defined[ids[i]].identity, (uintptr_t)memory + 4 * i);
	}
}

static uint32_t seen[4][1000];

static void *look_up(void *arg)
{
	uint32_t *mine = arg;

	for (size_t i = 0; i < 1000; i++)
		mine[i] = syt_object(SYT_KIND_RWLOCK, memory + 64 * i);
	return NULL;
}

static void test_threads_agree(void **state)
{
	pthread_t threads[4];

	(void)state;
	for (int i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, look_up, seen[i]), 0);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	for (int i = 1; i < 4; i++)
		assert_memory_equal(seen[0], seen[i], sizeof(seen[0]));
}

static void test_shared_identity_is_the_place_in_the_mapping(void **state)
{
	char *base = memory;

	(void)state;
	assert_int_equal(syt_shared_find(base, NULL), 0);
	syt_shared_map(base, 8192, 42, 4096);
	uint64_t here = syt_shared_find(base + 100, NULL);

	assert_int_not_equal(here, 0);
	/* a file is mapped at another address from another offset: the same byte has the same name */
	syt_shared_map(base + 16384, 4096, 42, 0);
	syt_shared_map(base + 32768, 4096, 43, 4096);
	assert_int_equal(syt_shared_find(base + 16384 + 10, NULL) + 4096 + 90, here);
	assert_int_not_equal(syt_shared_find(base + 32768 + 100, NULL), here);
	/* a hole in the middle leaves both ends with their names */
	uint64_t last = syt_shared_find(base + 8191, NULL);

	syt_shared_unmap(base + 2048, 2048);
	assert_int_equal(syt_shared_find(base + 100, NULL), here);
	assert_int_equal(syt_shared_find(base + 3000, NULL), 0);
	assert_int_equal(syt_shared_find(base + 8191, NULL), last);
	syt_shared_unmap(base, sizeof(memory));
	assert_int_equal(syt_shared_find(base + 100, NULL), 0);
	assert_int_equal(syt_shared_find(base + 8191, NULL), 0);
	assert_int_equal(syt_shared_find(base + 16384, NULL), 0);
}

static void test_shared_objects(void **state)
{
	uint32_t known, unknown;

	(void)state;
	syt_shared_map(memory + 40960, 4096, 7, 0);
	known = syt_object_shared(SYT_KIND_SEM, memory + 40960 + 32);
	unknown = syt_object_shared(SYT_KIND_SEM, memory + 50000);
	assert_int_equal(defined[known].flags, SYT_OBJECT_SHARED | SYT_OBJECT_IN_TRACE);
	assert_int_equal(defined[known].identity, syt_shared_find(memory + 40960 + 32, NULL));
	assert_int_equal(defined[unknown].flags, SYT_OBJECT_PRESHARED);
	/* the mapping of a file, whose identity has the top bit, has one name in all traces */
	syt_shared_map(memory + 40960, 4096, UINT64_C(1) << 63 | 7, 0);
	known = syt_object_shared(SYT_KIND_SEM, memory + 40960 + 32);
	assert_int_equal(defined[known].flags, SYT_OBJECT_SHARED);
}

static void test_trace_wide_numbers(void **state)
{
	(void)state;
	assert_int_equal(syt_shared_identity(), 0);
	trace = calloc(1, sizeof(*trace));
	uint64_t a = syt_shared_identity(), b = syt_shared_identity();

	assert_true(a && b && a != b);
	free(trace);
	trace = NULL;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_id_per_address_and_kind),
		cmocka_unit_test(test_a_private_semaphore_has_its_value),
		cmocka_unit_test(test_a_new_generation_after_the_end),
		cmocka_unit_test(test_many_objects_side_by_side),
		cmocka_unit_test(test_threads_agree),
		cmocka_unit_test(test_shared_identity_is_the_place_in_the_mapping),
		cmocka_unit_test(test_shared_objects),
		cmocka_unit_test(test_trace_wide_numbers),
	};

	return cmocka_run_group_tests_name("object", tests, NULL, NULL);
}
