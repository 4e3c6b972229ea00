/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Stands in for cmocka's header where cmocka is not installed.  The unit tests compile with it and
 * end with 77 at once, so each one counts as skipped under its own name.
 */
#ifndef SYT_TESTS_NO_CMOCKA_H
#define SYT_TESTS_NO_CMOCKA_H

/* config.h changes when cmocka is installed later: make then compiles the unit tests again. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef int (*CMFixtureFunction)(void **state);

struct CMUnitTest {
	const char *name;
	void (*test_func)(void **state);
	CMFixtureFunction setup_func, teardown_func;
	void *initial_state;
};

/* Never called: no test runs. */
static inline void cmocka_end(void)
{
	abort();
}

/* A test takes the address of this function, as of one of the library's. */
static inline void _cmocka_run_group_tests(void)
{
}

#define cmocka_unit_test_setup_teardown(test, setup, teardown) {#test, test, setup, teardown, NULL}
#define cmocka_unit_test_setup(test, setup) {#test, test, setup, NULL, NULL}
#define cmocka_unit_test_teardown(test, teardown) {#test, test, NULL, teardown, NULL}
#define cmocka_unit_test(test) {#test, test, NULL, NULL, NULL}
#define cmocka_run_group_tests(tests, setup, teardown) \
	cmocka_run_group_tests_name(#tests, tests, setup, teardown)
#define cmocka_run_group_tests_name(name, tests, setup, teardown)               \
	((void)(tests), (void)(CMFixtureFunction)(setup),                       \
	 (void)(CMFixtureFunction)(teardown),                                   \
	 puts("skipped: built without cmocka (Debian: libcmocka-dev)"), 77)

#define assert_true(c) ((c) ? (void)0 : cmocka_end())
#define assert_false(c) assert_true(!(c))
#define assert_non_null(p) assert_true((p) != NULL)
#define assert_null(p) assert_true((p) == NULL)
#define assert_int_equal(a, b) ((void)(a), (void)(b))
#define assert_float_equal(a, b, epsilon) ((void)(a), (void)(b), (void)(epsilon))
#define assert_int_not_equal(a, b) ((void)(a), (void)(b))
#define assert_ptr_equal(a, b) ((void)(a), (void)(b))
#define assert_ptr_not_equal(a, b) ((void)(a), (void)(b))
#define assert_string_equal(a, b) ((void)(a), (void)(b))
#define assert_string_not_equal(a, b) ((void)(a), (void)(b))
#define assert_memory_equal(a, b, n) ((void)(a), (void)(b), (void)(n))
#define assert_memory_not_equal(a, b, n) ((void)(a), (void)(b), (void)(n))
#define assert_in_range(v, low, high) ((void)(v), (void)(low), (void)(high))
#define assert_return_code(rv, err) ((void)(rv), (void)(err))
#define fail() cmocka_end()
#define fail_msg(...) ((void)printf(__VA_ARGS__), cmocka_end())
#define skip() cmocka_end()
#define print_message(...) ((void)printf(__VA_ARGS__))
#define print_error(...) ((void)fprintf(stderr, __VA_ARGS__))

#endif
