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
static void expect_of(struct syt_image image, bool is_last, syt_time from, syt_time until)
{
	struct syt_trace_data t = {.nr_images = 1, .images = &image, .begin = 100, .end = 1000};
	struct syt_places p;

	image.trace = &t;
	image.begin = 100;
	image.end = 1000;
	assert_int_equal(syt_places_open(&p, &t), 0);
	syt_window_choose(&p, is_last);
	assert_int_equal(p.complete_from[0], from);
	assert_int_equal(p.windows[0].complete_until, until);
	assert_int_equal(p.windows[0].is_paused, image.nr_pauses != 0);
	assert_int_equal(p.windows[0].nr_resumes, image.nr_pauses);
	assert_int_equal(p.is_paused, image.nr_pauses != 0);
	syt_places_close(&p);
}

static void expect(struct syt_image image, syt_time from, syt_time until)
{
	expect_of(image, false, from, until);
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

/* An export of a window takes the last period, however short. */
static void test_the_last(void **state)
{
	struct syt_pause_info running[] = {{1, 200, 300, 310}, {2, 800, 850, 860}};
	struct syt_pause_info paused[] = {{1, 200, 700, 710}, {2, 800, UINT64_MAX, UINT64_MAX}};

	(void)state;
	expect_of((struct syt_image){NR_PAUSES(running)}, true, 860, UINT64_MAX);
	expect_of((struct syt_image){NR_PAUSES(paused)}, true, 710, 800);
	expect_of((struct syt_image){.nr_pauses = 0}, true, 0, UINT64_MAX);
}

/* Events missing for other reasons are still missing. */
static void test_lost(void **state)
{
	struct syt_pause_info pauses[] = {{1, 50, 200, 230}};

	(void)state;
	expect((struct syt_image){NR_PAUSES(pauses), .nr_lost = 1}, UINT64_MAX, UINT64_MAX);
}

/* The pauses of a host limit only this host. */
static void test_hosts(void **state)
{
	struct syt_pause_info pauses[] = {{1, 700, UINT64_MAX, UINT64_MAX}};
	uint32_t of_image[] = {0, 1, 1};
	struct syt_hosts hosts = {.nr = 2, .nr_images = 3, .of_image = of_image};
	struct syt_image images[3] = {{.nr_pauses = 0}, {NR_PAUSES(pauses)}, {NR_PAUSES(pauses)}};
	struct syt_trace_data t = {
		.nr_images = 3, .images = images, .begin = 100, .end = 1000, .hosts = &hosts};
	struct syt_places p;

	(void)state;
	for (unsigned n = 0; n < 3; n++) {
		images[n].trace = &t;
		images[n].begin = 100;
		images[n].end = 1000;
	}
	assert_int_equal(syt_places_open(&p, &t), 0);
	syt_window_choose(&p, false);
	assert_true(p.is_paused);
	assert_false(syt_places_window(&p, 0)->is_paused);
	assert_int_equal(syt_places_window(&p, 0)->complete_until, UINT64_MAX);
	assert_int_equal(p.complete_from[0], 0);
	for (uint32_t n = 1; n < 3; n++) {
		assert_true(syt_places_window(&p, n)->is_paused);
		assert_int_equal(syt_places_window(&p, n)->complete_until, 700);
		assert_int_equal(syt_places_window(&p, n)->nr_resumes, 2);
		assert_int_equal(p.complete_from[n], 1);
	}
	syt_places_close(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_never),        cmocka_unit_test(test_from_the_beginning),
		cmocka_unit_test(test_at_the_end),   cmocka_unit_test(test_the_longest),
		cmocka_unit_test(test_late_returns), cmocka_unit_test(test_the_last),
		cmocka_unit_test(test_unknown),      cmocka_unit_test(test_lost),
		cmocka_unit_test(test_hosts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
