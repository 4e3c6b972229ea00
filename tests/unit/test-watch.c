/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The meaning of epoll's 64 bits of data, with doubles of the endpoints. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "runtime/watch.h"

/* The word of an endpoint is its number << 25, and the object of an endpoint is its number. */
#define NR 40000u

static bool is_dead_now[NR];

bool syt_endpoint_is_alive(uint64_t word)
{
	return word >> 25 && word >> 25 < NR && !__atomic_load_n(&is_dead_now[word >> 25], 0);
}

uint32_t syt_endpoint_object(uint64_t word)
{
	return syt_endpoint_is_alive(word) ? (uint32_t)(word >> 25) : 0;
}

bool syt_endpoint_of(uint64_t word, struct syt_endpoint *e)
{
	*e = (struct syt_endpoint){.word = word, .object = syt_endpoint_object(word)};
	return e->object;
}

static struct syt_endpoint endpoint(uint32_t n)
{
	return (struct syt_endpoint){.word = (uint64_t)n << 25 | n, .object = n};
}

static void add(uint32_t ep, uint32_t n, uint64_t data)
{
	struct syt_endpoint e = endpoint(ep), w = endpoint(n);

	syt_watch_begin(&e, &w, data);
	syt_watch_commit(&e, &w, data);
}

static uint32_t object(uint32_t ep, uint64_t data)
{
	struct syt_endpoint e = endpoint(ep);

	return syt_watch_object(e.word, data);
}

static void test_data_of_any_kind(void **state)
{
	uint64_t pointer = UINT64_C(0x7f0012345670);

	(void)state;
	add(1, 10, 5);
	add(1, 11, pointer);
	add(2, 12, 5);
	add(2, 13, UINT64_MAX);
	add(2, 14, 0);
	assert_int_equal(object(1, 5), 10);
	assert_int_equal(object(1, pointer), 11);
	assert_int_equal(object(2, 5), 12);
	assert_int_equal(object(2, UINT64_MAX), 13);
	assert_int_equal(object(2, 0), 14);
	assert_int_equal(object(2, pointer), 0);
	assert_int_equal(object(3, 5), 0);
}

static void test_modification_and_removal(void **state)
{
	struct syt_endpoint ep = endpoint(20), w = endpoint(21);

	(void)state;
	add(20, 21, 100);
	add(20, 21, 200); /* EPOLL_CTL_MOD */
	assert_int_equal(object(20, 100), 0);
	assert_int_equal(object(20, 200), 21);
	add(20, 22, 100); /* another endpoint may now use the old data */
	assert_int_equal(object(20, 100), 22);
	syt_watch_end(&ep, &w);
	assert_int_equal(object(20, 200), 0);
	add(20, 23, 200);
	assert_int_equal(object(20, 200), 23);

	/* a call that failed */
	w = endpoint(24);
	syt_watch_begin(&ep, &w, 300);
	syt_watch_undo(&ep, &w, 300);
	assert_int_equal(object(20, 300), 0);
	w = endpoint(23);
	syt_watch_begin(&ep, &w, 200); /* EEXIST with the same data */
	syt_watch_undo(&ep, &w, 200);
	assert_int_equal(object(20, 200), 23);
}

static void test_shared_data_is_not_guessed(void **state)
{
	(void)state;
	add(30, 31, 7);
	add(30, 32, 7);
	assert_int_equal(object(30, 7), 0);
	/* but a dead endpoint does not count */
	add(30, 33, 8);
	is_dead_now[33] = true;
	assert_int_equal(object(30, 8), 0);
	add(30, 34, 8);
	assert_int_equal(object(30, 8), 34);
	/* a pointer that is used again after each connection */
	for (uint32_t i = 100; i < 200; i++) {
		add(30, i, 4096);
		assert_int_equal(object(30, 4096), i);
		is_dead_now[i] = true;
	}
}

static void test_dead_entries_make_room(void **state)
{
	(void)state;
	for (uint32_t i = 1000; i < 39000; i++) {
		add(40, i, UINT64_C(0x550000000000) + 16 * i);
		assert_int_equal(object(40, UINT64_C(0x550000000000) + 16 * i), i);
		is_dead_now[i] = true;
	}
}

static void *reuse(void *arg)
{
	uintptr_t nr_wrong = 0;
	uint32_t from = (uint32_t)(uintptr_t)arg;

	for (uint32_t i = from; i < from + 9000; i++) {
		add(50, i, from);
		nr_wrong += object(50, from) != i;
		__atomic_store_n(&is_dead_now[i], true, 0);
	}
	return (void *)nr_wrong;
}

/* Two threads use entries that are close to each other in the table; neither thread may see the entries
 * of the other. */
static void test_threads(void **state)
{
	pthread_t threads[2];
	void *nr_wrong[2];

	(void)state;
	for (uint32_t i = 0; i < NR; i++)
		is_dead_now[i] = false;
	pthread_create(&threads[0], NULL, reuse, (void *)1001);
	pthread_create(&threads[1], NULL, reuse, (void *)20002);
	pthread_join(threads[0], &nr_wrong[0]);
	pthread_join(threads[1], &nr_wrong[1]);
	assert_null(nr_wrong[0]);
	assert_null(nr_wrong[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_data_of_any_kind),
		cmocka_unit_test(test_modification_and_removal),
		cmocka_unit_test(test_shared_data_is_not_guessed),
		cmocka_unit_test(test_dead_entries_make_room),
		cmocka_unit_test(test_threads),
	};

	return cmocka_run_group_tests_name("watch", tests, NULL, NULL);
}
