/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* runtime/peek.c */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "runtime/peek.h"

static char *pages;
static size_t page;

static int map(void **state)
{
	(void)state;
	page = (size_t)sysconf(_SC_PAGESIZE);
	pages = mmap(NULL, 3 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (pages == MAP_FAILED || munmap(pages + 2 * page, page))
		return -1;
	for (size_t i = 0; i < 2 * page; i++)
		pages[i] = (char)(i % 251);
	return 0;
}

static void readable_memory_is_copied(void **state)
{
	char here[48], to[48];

	(void)state;
	memset(here, 7, sizeof(here));
	assert_true(syt_peek(to, here, sizeof(here)));
	assert_memory_equal(to, here, sizeof(here));
	for (size_t bytes = 1; bytes <= sizeof(to); bytes++) {
		assert_true(syt_peek(to, pages + page - 5, bytes));
		assert_memory_equal(to, pages + page - 5, bytes);
		assert_true(syt_peek(to, pages + 2 * page - bytes, bytes)); /* up to the end */
		assert_memory_equal(to, pages + 2 * page - bytes, bytes);
	}
}

static void unreadable_memory_is_refused(void **state)
{
	char to[48];

	(void)state;
	assert_false(syt_peek(to, NULL, 8));
	assert_false(syt_peek(to, (void *)16, 8));
	assert_false(syt_peek(to, (void *)(UINTPTR_MAX - 3), 8));
	assert_false(syt_peek(to, pages + 2 * page, 1));
	for (size_t bytes = 2; bytes <= sizeof(to); bytes++)
		assert_false(syt_peek(to, pages + 2 * page - bytes + 1, bytes));
	assert_int_equal(mprotect(pages + page, page, PROT_NONE), 0);
	assert_true(syt_peek(to, pages + page - 8, 8));
	assert_false(syt_peek(to, pages + page - 8, 9));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(readable_memory_is_copied),
		cmocka_unit_test(unreadable_memory_is_refused),
	};

	return cmocka_run_group_tests(tests, map, NULL);
}
