/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Tests the calls across which a lock is held, and the locks that are held across a call (decoder/analysis/holding.c). */
#include "decoder/analysis/holding.h"
#include "tests/unit/report-check.h"

#define US 1000u

static void look(void)
{
	assert_int_equal(syt_order_open(&order, syt_builder_trace(b)), 0);
}

static void end(void)
{
	syt_order_close(&order);
	syt_builder_destroy(b);
}

static uint32_t wide(uint32_t o)
{
	return order.objects.of_image[0][o - 1];
}

static void calls_in_a_holding(void **state)
{
	struct syt_holdings h;
	uint32_t m, row;

	(void)state;
	start(1);
	m = object(SYT_KIND_MUTEX, 0x1000);
	on(0, SYT_SHAPE_BLOCK, 0, 1 * US, 30 * US);
	on(0, SYT_SHAPE_LOCK, m, 40 * US, 50 * US);
	on(0, SYT_SHAPE_BLOCK, 0, 60 * US, 90 * US);
	on(0, SYT_SHAPE_BLOCK, 0, 90 * US, 95 * US); /* too short */
	on(0, SYT_SHAPE_PAUSE, 0, 100 * US, 200 * US);
	on(0, SYT_SHAPE_UNLOCK, m, 300 * US, 300 * US);
	on(0, SYT_SHAPE_PAUSE, 0, 400 * US, 500 * US);
	look();
	syt_holdings_open(&h, &order, wide(m));
	assert_int_equal(h.nr, 1);
	row = h.all[0].acquire.row;
	assert_int_equal(SYT_TIME_NS(syt_holding_next_call(&order.places, &h.all[0], &row)),
	                 30 * US);
	assert_int_equal(row, 2);
	assert_int_equal(SYT_TIME_NS(syt_holding_next_call(&order.places, &h.all[0], &row)),
	                 100 * US);
	assert_int_equal(row, 4);
	assert_int_equal(syt_holding_next_call(&order.places, &h.all[0], &row), 0);
	syt_holdings_close(&h);
	end();
}

/* Checks the locks that thread 0 holds at its event ROW; 0: none. */
static void expect_held(uint32_t row, uint32_t first, uint32_t second)
{
	uint32_t locks[4];
	size_t nr = syt_holdings_at(&order, (struct syt_place){0, row}, locks, 4);

	assert_int_equal(nr, !!first + !!second);
	if (first)
		assert_int_equal(locks[0], wide(first));
	if (second)
		assert_int_equal(locks[1], wide(second));
	assert_int_equal(syt_holdings_at(&order, (struct syt_place){0, row}, locks, 1), !!first);
}

static void locks_of_a_call(void **state)
{
	uint32_t m, r, c;

	(void)state;
	start(1);
	m = object(SYT_KIND_MUTEX, 0x1000);
	r = object(SYT_KIND_RWLOCK, 0x2000);
	c = object(SYT_KIND_COND, 0x3000);
	on(0, SYT_SHAPE_PAUSE, 0, 1, 2);    /* 0 */
	on(0, SYT_SHAPE_LOCK, m, 3, 3);     /* 1 */
	on(0, SYT_SHAPE_PAUSE, 0, 4, 5);    /* 2 */
	on(0, SYT_SHAPE_LOCK, m, 6, 6);     /* 3: recursive */
	on(0, SYT_SHAPE_RDLOCK, r, 7, 7);   /* 4 */
	on(0, SYT_SHAPE_PAUSE, 0, 8, 9);    /* 5 */
	on(0, SYT_SHAPE_UNLOCK, m, 10, 10); /* 6 */
	on(0, SYT_SHAPE_PAUSE, 0, 11, 12);  /* 7 */
	on(0, SYT_SHAPE_UNLOCK, r, 13, 13); /* 8 */
	on(0, SYT_SHAPE_UNLOCK, m, 14, 14); /* 9 */
	on(0, SYT_SHAPE_PAUSE, 0, 15, 16);  /* 10 */
	on(0, SYT_SHAPE_LOCK, m, 17, 17);   /* 11 */
	made(0,
	     (struct syt_made){SYT_SHAPE_COND_WAIT, c, .in = 18, .out = 19, .object2 = m}); /* 12 */
	on(0, SYT_SHAPE_PAUSE, 0, 20, 21);                                                  /* 13 */
	on(0, SYT_SHAPE_UNLOCK, m, 22, 22);                                                 /* 14 */
	made(0, (struct syt_made){SYT_SHAPE_LOCK, m, .in = 23, .out = 23,
	                          .result = 16}); /* 15: busy */
	on(0, SYT_SHAPE_PAUSE, 0, 24, 25);        /* 16 */
	look();
	expect_held(0, 0, 0);
	expect_held(2, m, 0);
	expect_held(5, r, m);
	expect_held(7, r, m);
	expect_held(10, 0, 0);
	expect_held(13, m, 0);
	expect_held(16, 0, 0);
	end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls_in_a_holding),
		cmocka_unit_test(locks_of_a_call),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
