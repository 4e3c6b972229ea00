/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Tests decoder/analysis/cpu_time.c: the bounds of the CPU time of stretches, with samples at few events. */
#include "decoder/analysis/cpu_time.h"
#include "tests/lib/random.h"
#include "tests/unit/report-check.h"

static struct syt_cpu_times times;

static void look(void)
{
	assert_int_equal(syt_order_open(&order, syt_builder_trace(b)), 0);
	syt_cpu_times_open(&times, &order.places);
}

static void end(void)
{
	syt_cpu_times_close(&times);
	syt_order_close(&order);
	syt_builder_destroy(b);
}

static void expect(uint64_t from, uint64_t to, uint64_t least, uint64_t most)
{
	struct syt_cpu_use u =
		syt_cpu_used(&times, 0, from << SYT_TIME_SHIFT, to << SYT_TIME_SHIFT);

	assert_int_equal(SYT_TIME_NS(u.of), to > from ? to - from : 0);
	assert_int_equal(SYT_TIME_NS(u.least), least);
	assert_int_equal(SYT_TIME_NS(u.most), most);
}

static void between_samples(void **state)
{
	(void)state;
	start(1);
	made(0, (struct syt_made){SYT_SHAPE_UNLOCK, .in = 100, .cpu = 1000});
	made(0, (struct syt_made){SYT_SHAPE_UNLOCK, .in = 120});
	made(0, (struct syt_made){SYT_SHAPE_UNLOCK, .in = 200, .cpu = 1030});
	made(0, (struct syt_made){SYT_SHAPE_UNLOCK, .in = 300, .cpu = 1130});
	look();
	expect(100, 200, 30, 30);
	expect(100, 300, 130, 130);
	expect(120, 200, 10, 30);
	expect(120, 300, 110, 130);
	expect(190, 200, 0, 10);
	expect(250, 260, 10, 10);
	expect(150, 250, 50, 80);
	expect(50, 200, 30, 80);
	expect(250, 400, 50, 150);
	expect(300, 400, 0, 100);
	expect(200, 200, 0, 0);
	expect(200, 100, 0, 0);
	end();
}

/* A new thread has used no CPU time, and a wait uses none; a call that copies may. */
static void begin_and_waits(void **state)
{
	(void)state;
	start(1);
	made(0, (struct syt_made){SYT_SHAPE_THREAD_START, .in = 1000});
	made(0, (struct syt_made){SYT_SHAPE_PAUSE, .in = 2000, .out = 502000, .cpu = 900});
	made(0, (struct syt_made){SYT_SHAPE_BLOCK, .in = 502100, .out = 802100, .cpu = 1000});
	look();
	expect(1000, 2000, 900, 900);
	expect(2000, 502000, 0, 0);
	expect(1500, 300000, 400, 500);
	expect(502000, 502100, 0, 100);
	end();
}

/* Times that a damaged or older dump may contain. */
static void nonsense(void **state)
{
	(void)state;
	start(1);
	made(0, (struct syt_made){SYT_SHAPE_UNLOCK, .in = 100, .cpu = UINT64_MAX});
	made(0, (struct syt_made){SYT_SHAPE_UNLOCK, .in = 200, .cpu = 5});
	made(0, (struct syt_made){SYT_SHAPE_UNLOCK, .in = 300, .cpu = 6});
	look();
	expect(100, 300, 0, 200);
	expect(0, UINT64_MAX >> SYT_TIME_SHIFT, 0, UINT64_MAX >> SYT_TIME_SHIFT);
	end();

	start(1);
	made(0, (struct syt_made){SYT_SHAPE_UNLOCK, .in = 100, .cpu = 1});
	made(0, (struct syt_made){SYT_SHAPE_UNLOCK, .in = 200, .cpu = UINT64_MAX});
	look();
	expect(100, 200, 100, 100); /* more than the time: clamped */
	end();

	start(1);
	made(0, (struct syt_made){SYT_SHAPE_UNLOCK, .in = 100});
	look();
	expect(100, 200, 0, 100);
	end();
}

/* The true CPU time lies between the bounds. */
static void bounds_hold(void **state)
{
	struct syt_random r = {15};

	(void)state;
	for (unsigned round = 0; round < 300; round++) {
		bool on_cpu[512];
		uint64_t cpu = 1;

		start(1);
		for (unsigned at = 0, was = 1; at < 512; at++) {
			was = syt_random_below(&r, 16) ? was : !was;
			on_cpu[at] = was;
			if (at && !syt_random_below(&r, 8))
				made(0,
				     (struct syt_made){SYT_SHAPE_UNLOCK, .in = at,
				                       .cpu = syt_random_below(&r, 3) ? 0 : cpu});
			cpu += on_cpu[at];
		}
		made(0, (struct syt_made){SYT_SHAPE_UNLOCK, .in = 512, .cpu = cpu});
		look();
		for (unsigned i = 0; i < 100; i++) {
			uint64_t from = syt_random_below(&r, 512);
			uint64_t to = from + syt_random_below(&r, 513 - from), used = 0;
			struct syt_cpu_use u = syt_cpu_used(&times, 0, from << SYT_TIME_SHIFT,
			                                    to << SYT_TIME_SHIFT);

			for (uint64_t at = from; at < to; at++)
				used += on_cpu[at];
			assert_true(SYT_TIME_NS(u.least) <= used && used <= SYT_TIME_NS(u.most));
			assert_true(u.most <= u.of);
		}
		end();
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(between_samples),
		cmocka_unit_test(begin_and_waits),
		cmocka_unit_test(nonsense),
		cmocka_unit_test(bounds_hold),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
