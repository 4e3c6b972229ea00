/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* decoder/report/watch/complete.c: windows with two threads, whose blocks begin at different times. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "decoder/report/watch/complete.h"

#define S UINT64_C(1000000000) /* in ns */
#define TIME(ns_) ((syt_time)(ns_) << SYT_TIME_SHIFT)

static struct syt_row rows[2] = {{.in = TIME(10 * S)}, {.in = TIME(12 * S)}};
static struct syt_thread threads[2];
static struct syt_image image = {.nr_threads = 2, .threads = threads};
static const struct syt_trace_data trace = {.nr_images = 1, .images = &image};

/* The first thread lacks BASE events before 10 s, the other one lacks OTHER_BASE events before 12 s. */
static void set(uint64_t base, uint64_t other_base)
{
	threads[0] = (struct syt_thread){.base = base,
	                                 .complete_from = base ? rows[0].in : 0,
	                                 .nr_rows = 1,
	                                 .rows = &rows[0]};
	threads[1] = (struct syt_thread){.base = other_base,
	                                 .complete_from = other_base ? rows[1].in : 0,
	                                 .nr_rows = 1,
	                                 .rows = &rows[1]};
}

static void expect(uint64_t oldest_ns, syt_time from, bool is_short)
{
	struct syt_complete c = syt_complete_of(&trace, oldest_ns);

	assert_int_equal(c.from, from);
	assert_int_equal(c.is_short, is_short);
}

static void has_the_whole_trace(void **state)
{
	(void)state;
	set(0, 0);
	expect(0, 0, false);
	expect(20 * S, 0, false);
}

/* A request of the time between 10 s and 12 s lacks events of the second thread. */
static void begins_with_the_last_thread(void **state)
{
	(void)state;
	set(5, 5);
	expect(0, rows[1].in, true);
	expect(11 * S, rows[1].in, true);
	set(5, 0);
	expect(0, rows[0].in, true);
}

/* The window reaches further back than needed. The requests at its begin lack events all the same. */
static void leaves_out_what_was_left_out_before(void **state)
{
	(void)state;
	set(5, 5);
	expect(20 * S, TIME(20 * S - 1000000), false);
	set(0, 5);
	expect(20 * S, TIME(20 * S - 1000000), false);
}

/* Damaged events may be missing anywhere. If a thread has no event, nothing tells when the missing ones ended. */
static void never_certain(void **state)
{
	(void)state;
	set(0, 0);
	threads[0].missing = 1;
	expect(0, UINT64_MAX, true);
	set(0, 3);
	threads[1].nr_rows = 0;
	expect(20 * S, UINT64_MAX, true);
	set(0, 0);
	image.complete_from = UINT64_MAX;
	expect(20 * S, UINT64_MAX, true);
	image.complete_from = 0;
}

/* A thread that has ended, and whose events were all overwritten, leaves only a time. */
static void begins_after_hidden_events(void **state)
{
	(void)state;
	set(5, 0);
	image.complete_from = TIME(11 * S);
	expect(0, TIME(11 * S), true);
	image.complete_from = 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(has_the_whole_trace),
		cmocka_unit_test(begins_with_the_last_thread),
		cmocka_unit_test(leaves_out_what_was_left_out_before),
		cmocka_unit_test(never_certain),
		cmocka_unit_test(begins_after_hidden_events),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
