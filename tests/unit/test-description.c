/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* runtime/description.c, with a counter and a borrowed thread of its own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "runtime/description.h"
#include "runtime/object.h"
#include "runtime/thread.h"

static uint64_t identity;
static bool is_borrowed;

uint64_t syt_shared_identity(void)
{
	return ++identity;
}

bool syt_thread_was_borrowed = true;

bool syt_thread_is_borrowed_now(void)
{
	return is_borrowed;
}

static void opens_and_duplicates(void **state)
{
	uint64_t first;

	(void)state;
	assert_int_equal(syt_description_of(3), 0);
	syt_description_open(3);
	syt_description_open(4);
	first = syt_description_of(3);
	assert_int_not_equal(first, 0);
	assert_int_not_equal(syt_description_of(4), first);
	syt_description_locked(3, SYT_DESCRIPTION_FLOCK);
	syt_description_dup(3, 9000); /* elsewhere in the table */
	assert_int_equal(syt_description_of(9000), first);
	assert_int_equal(syt_description_locks(9000), SYT_DESCRIPTION_FLOCK);
	syt_description_locked(9000, SYT_DESCRIPTION_RECORD);
	assert_int_equal(syt_description_locks(3), SYT_DESCRIPTION_FLOCK);
	assert_int_equal(syt_description_next(0, ~0u), 3);
	assert_int_equal(syt_description_next(5, ~0u), 9000);
	assert_int_equal(syt_description_next(5, 8999), -1);
	syt_description_close(3);
	assert_int_equal(syt_description_of(3), 0);
	assert_int_equal(syt_description_locks(3), 0);
	syt_description_open(3);
	assert_int_not_equal(syt_description_of(3), first); /* never again */
	syt_description_dup(7, 4);                          /* of an unknown one */
	assert_int_equal(syt_description_of(4), 0);
	syt_description_locked(4, SYT_DESCRIPTION_FLOCK);
	assert_int_equal(syt_description_of(4), 0);
}

static void numbers_that_are_none(void **state)
{
	(void)state;
	syt_description_open(-1);
	syt_description_open(1 << 30);
	syt_description_close(-1);
	assert_int_equal(syt_description_of(-1), 0);
	assert_int_equal(syt_description_of(1 << 30), 0);
}

static void a_vfork_child_changes_nothing(void **state)
{
	uint64_t was = syt_description_of(3);

	(void)state;
	is_borrowed = true;
	syt_description_open(3);
	syt_description_close(3);
	assert_int_equal(syt_description_of(3), 0);
	is_borrowed = false;
	assert_int_equal(syt_description_of(3), was);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(opens_and_duplicates),
		cmocka_unit_test(numbers_that_are_none),
		cmocka_unit_test(a_vfork_child_changes_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
