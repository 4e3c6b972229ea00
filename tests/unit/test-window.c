/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* In a trace that was paused, the window is the longest time without missing events. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "decoder/history/window.h"

#define NR_PAUSES(p_) .nr_pauses = sizeof(p_) / sizeof((p_)[0]), .pauses = (p_)

/* Checks that the window from FROM to UNTIL is chosen for IMAGE, whose events are between 100 and 1000. */
static void expect(struct syt_image image, syt_time from, syt_time until)
{
	struct syt_trace_data t = {.nr_images = 1, .images = &image, .begin = 100, .end = 1000};
	struct syt_places p;

	image.trace = &t;
	image.begin = 100;
	image.end = 1000;
	assert_int_equal(syt_places_open(&p, &t), 0);
	syt_window_choose(&p);
	assert_int_equal(p.complete_from[0], from);
	assert_int_equal(p.complete_until, until);
	assert_int_equal(p.is_paused, image.nr_pauses != 0);
	assert_int_equal(p.nr_resumes, image.nr_pauses);
	syt_places_close(&p);
}

static void test_never(void **state)
{
	(void)state;
	expect((struct syt_image){.nr_pauses = 0}, 0, UINT64_MAX);
}

static void test_from_the_beginning(void **state)
{
	struct syt_pause_info pauses[] = {{1, 50, 200, 230}};

	(void)state;
	expect((struct syt_image){NR_PAUSES(pauses)}, 230, UINT64_MAX);
}

/*
 * Even without a pause before it, the window has a begin: 0 would mean that no event is missing at all.
 */
static void test_at_the_end(void **state)
{
	struct syt_pause_info pauses[] = {{1, 700, UINT64_MAX, UINT64_MAX}};

	(void)state;
	expect((struct syt_image){NR_PAUSES(pauses)}, 1, 700);
}

static void test_the_longest(void **state)
{
	struct syt_pause_info pauses[] = {{1, 200, 300, 310}, {2, 800, 850, 850}};

	(void)state;
	expect((struct syt_image){NR_PAUSES(pauses)}, 310, 800);
}

/*
 * A thread that returns late shortens the window; a thread that never returns leaves only the time
 * before the pause.
 */
static void test_late_returns(void **state)
{
	struct syt_pause_info late[] = {{1, 200, 300, 790}, {2, 800, 850, 850}};
	struct syt_pause_info never[] = {{1, 200, 300, UINT64_MAX}};

	(void)state;
	expect((struct syt_image){NR_PAUSES(late)}, 850, UINT64_MAX);
	expect((struct syt_image){NR_PAUSES(never)}, 1, 200);
}

static void test_unknown(void **state)
{
	struct syt_pause_info pauses[] = {{0, 0, UINT64_MAX, UINT64_MAX}};

	(void)state;
	expect((struct syt_image){NR_PAUSES(pauses)}, UINT64_MAX, UINT64_MAX);
}

/* Events missing for other reasons are still missing. */
static void test_lost(void **state)
{
	struct syt_pause_info pauses[] = {{1, 50, 200, 230}};

	(void)state;
	expect((struct syt_image){NR_PAUSES(pauses), .nr_lost = 1}, UINT64_MAX, UINT64_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_never),        cmocka_unit_test(test_from_the_beginning),
		cmocka_unit_test(test_at_the_end),   cmocka_unit_test(test_the_longest),
		cmocka_unit_test(test_late_returns), cmocka_unit_test(test_unknown),
		cmocka_unit_test(test_lost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
