/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* decoder/order/distinguish.c */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "decoder/order/distinguish.h"

static char *sides[] = {
	"main;run;lock_queue;mutex_take;pthread_mutex_lock",
	"main;stop;lock_queue;mutex_take;pthread_mutex_lock",
	"main;run;log;mutex_take;pthread_mutex_lock",
	"main;run;flush;mutex_take;pthread_mutex_lock",
	"main;run;read",
	"run;read",
	"thread;main;wait",
	"thread;domain;wait",
	"wait",
	"one;wait_for;wait",
	"only;this;call",
};
#define NR_SIDES (sizeof(sides) / sizeof(sides[0]))

static void expect(unsigned side, unsigned components, const char *expected)
{
	char *text = syt_distinguish(sides, NR_SIDES, sides[side], components);

	if (expected)
		assert_string_equal(text, expected);
	else
		assert_null(text);
	free(text);
}

/* The callers of mutex_take() distinguish the locks: most paths part there. */
static void distinguishing_frame_is_where_most_paths_part(void **state)
{
	(void)state;
	expect(0, 1, "lock_queue;..;pthread_mutex_lock");
	expect(0, 2, "lock_queue;mutex_take;pthread_mutex_lock");
	expect(2, 2, "log;mutex_take;pthread_mutex_lock");
	expect(1, 3, "stop;lock_queue;mutex_take;pthread_mutex_lock");
}

static void paths_without_a_distinguishing_frame(void **state)
{
	(void)state;
	expect(2, 3, NULL);  /* no other one ends so */
	expect(10, 2, NULL); /* nor so */
	expect(8, 3, NULL);  /* shorter than that */
	expect(5, 2, NULL);  /* the same */
	expect(8, 1, NULL);  /* the frame has no caller */
}

/* "main" and "domain" differ, also at the end of a path. */
static void components_are_compared_whole(void **state)
{
	(void)state;
	expect(6, 1, "main;wait");
	expect(7, 1, "domain;wait");
	expect(4, 2, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(distinguishing_frame_is_where_most_paths_part),
		cmocka_unit_test(paths_without_a_distinguishing_frame),
		cmocka_unit_test(components_are_compared_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
