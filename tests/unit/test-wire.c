/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Tests the number encoding of wire.h: numbers of every width decode to themselves, and the cursor
 * never leaves its bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "format/wire.h"
#include "tests/lib/random.h"

static void check_varint(uint64_t v)
{
	uint8_t bytes[SYT_VARINT_MAX + 1];
	uint8_t *end = syt_put_varint(bytes, v);

	assert_true(end - bytes <= (ptrdiff_t)SYT_VARINT_MAX);
	for (uint8_t *cut = bytes; cut <= end; cut++) {
		struct syt_cursor c = {bytes, cut, 0};
		uint64_t back = syt_get_varint(&c);

		assert_int_equal(c.failed, cut != end);
		assert_true(c.p <= cut);
		assert_int_equal(back, cut == end ? v : 0);
	}
}

static void varints_come_back(void **state)
{
	struct syt_random r = {1};

	(void)state;
	for (unsigned bit = 0; bit < 64; bit++) {
		check_varint(UINT64_C(1) << bit);
		check_varint((UINT64_C(1) << bit) - 1);
	}
	check_varint(UINT64_MAX);
	for (unsigned n = 0; n < 10000; n++)
		check_varint(syt_random_magnitude(&r));
}

static void a_varint_beyond_64_bits_fails(void **state)
{
	static const uint8_t eleven[] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
	                                 0xff, 0xff, 0xff, 0xff, 0x01};
	static const uint8_t too_large[] = {0xff, 0xff, 0xff, 0xff, 0xff,
	                                    0xff, 0xff, 0xff, 0xff, 0x02};
	struct syt_cursor c = {eleven, eleven + sizeof(eleven), 0};

	(void)state;
	assert_int_equal(syt_get_varint(&c), 0);
	assert_true(c.failed);
	c = (struct syt_cursor){too_large, too_large + sizeof(too_large), 0};
	assert_int_equal(syt_get_varint(&c), 0);
	assert_true(c.failed);
}

static void zigzag_comes_back_and_is_small(void **state)
{
	static const int64_t edges[] = {0, 1, -1, 63, -64, INT64_MAX, INT64_MIN};
	struct syt_random r = {2};

	(void)state;
	for (unsigned n = 0; n < sizeof(edges) / sizeof(edges[0]); n++)
		assert_int_equal(syt_unzigzag(syt_zigzag(edges[n])), edges[n]);
	for (unsigned n = 0; n < 10000; n++) {
		int64_t v = (int64_t)syt_random_magnitude(&r);

		assert_int_equal(syt_unzigzag(syt_zigzag(v)), v);
		assert_int_equal(syt_unzigzag(syt_zigzag(-(v & INT64_MAX))), -(v & INT64_MAX));
	}
	assert_true(syt_zigzag(-3) < 8);
}

static void little_endian_numbers_stop_at_the_end(void **state)
{
	static const uint8_t bytes[] = {1, 2, 3, 4, 5, 6, 7, 8};

	(void)state;
	for (unsigned n = 1; n <= 8; n++) {
		struct syt_cursor c = {bytes, bytes + n, 0};
		uint64_t v = syt_get_le(&c, n);

		assert_int_equal(v & 0xff, 1);
		assert_int_equal(v >> (8 * (n - 1)), n);
		assert_int_equal(c.failed, 0);
		assert_int_equal(syt_get_le(&c, 1), 0);
		assert_int_equal(c.failed, 1);
		c = (struct syt_cursor){bytes, bytes + n - 1, 0};
		assert_int_equal(syt_get_le(&c, n), 0);
		assert_int_equal(c.failed, 1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(varints_come_back),
		cmocka_unit_test(a_varint_beyond_64_bits_fails),
		cmocka_unit_test(zigzag_comes_back_and_is_small),
		cmocka_unit_test(little_endian_numbers_stop_at_the_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
