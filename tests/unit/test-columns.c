/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Blocks in columns: the decoder puts back the bytes that recorders before version 5 of the encoding sorted, whatever
 * bytes they are. It does not write beyond its memory.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/lib/pack-columns.h"
#include "tests/lib/random.h"

#define ROOM (SYT_LANE0_BYTES + 256u)
#define BACK (4 * SYT_LANE0_BYTES)
#define GUARD 0xa5

static struct {
	struct syt_columns_scratch scratch;
	uint8_t guard[64];
} memory;
static uint8_t raw[SYT_LANE0_BYTES + SYT_EVENT_MAX], times[ROOM + 64], back[64 + BACK + 64];
static uint32_t rest_bytes;

static bool is_guarded(const uint8_t *p)
{
	for (unsigned i = 0; i < 64; i++)
		if (p[i] != GUARD)
			return false;
	return true;
}

/* Sorts BYTES of raw with ROOM for the times. */
static struct syt_columns split(uint32_t bytes, uint32_t room)
{
	struct syt_columns head;

	memset(memory.guard, GUARD, 64);
	memset(times, GUARD, sizeof(times));
	syt_columns_sample(&memory.scratch, &head, raw, bytes);
	rest_bytes = syt_columns_split(&memory.scratch, &head, raw, bytes, times, room);
	assert_true(head.time_bytes <= room && rest_bytes <= bytes);
	assert_true(is_guarded(times + room) && is_guarded(memory.guard));
	return head;
}

/* Puts BYTES back with the REST at the end of the buffer. */
static bool join(const struct syt_columns *head, uint32_t bytes, uint32_t room)
{
	bool is_right;

	memset(back, GUARD, sizeof(back));
	memcpy(back + 64 + room - rest_bytes, memory.scratch.rest, rest_bytes);
	is_right = syt_columns_join(head, times, back + 64, bytes, room, rest_bytes);
	assert_true(is_guarded(back) && is_guarded(back + 64 + room));
	return is_right;
}

/* Sorts BYTES of raw and puts them back. Returns how many events were sorted. */
static uint32_t check(uint32_t bytes, uint32_t room)
{
	struct syt_columns head = split(bytes, room);

	/* with no memory besides the result, and with more */
	assert_true(join(&head, bytes, bytes));
	assert_memory_equal(back + 64, raw, bytes);
	assert_true(join(&head, bytes, BACK));
	assert_memory_equal(back + 64, raw, bytes);
	return head.nr_events;
}

/* Writes random events of KIND to raw: 0 a load of sockets, 1 locks that mostly do not wait, else all kinds. Returns the
 * number of bytes and *NR events. */
static uint32_t record(struct syt_random *r, unsigned kind, uint32_t *nr)
{
	static struct syt_predictor predictor;
	struct syt_ready ready[2] = {{3, 1, 0}, {4, 2, 0}};
	uint32_t most = (uint32_t)syt_random_below(r, SYT_LANE0_BYTES), at = 0;
	uint64_t stamp = 1000, offset[2] = {0, 0},
		 since = 0; /* since: from the last stamp to the end of that call */

	syt_predictor_init(&predictor, stamp);
	for (*nr = 0; at + SYT_EVENT_MAX < most; ++*nr) {
		unsigned side = *nr & 1;
		struct syt_event e = {
			.call = 1 + side, .stack = 5 + side, .object = 9 + side, .ready = ready};
		bool waits = kind == 0 ? side : !syt_random_below(r, 8);

		if (kind < 2) {
			e.dur = waits  ? 30000 + syt_random_below(r, 60000)
			        : kind ? 0
			               : 4000 + syt_random_below(r, 1500);
			e.flags = kind && waits ? SYT_EVENT_BLOCKED : 0;
			stamp += since + 150 + syt_random_below(r, 100) + (waits ? e.dur : 0);
			since = waits ? 0 : e.dur;
		} else {
			e.dur = syt_random_below(r, 2) ? syt_random_magnitude(r) : 0;
			e.result = (int64_t)(syt_random_below(r, 3) ? 0 : syt_random_magnitude(r));
			e.err = e.result < 0 ? 11 : 0;
			e.peer = syt_random_below(r, 4) ? 0 : syt_random_magnitude(r);
			e.arg = syt_random_below(r, 9) ? 0 : syt_random_magnitude(r);
			e.nr_ready = (uint32_t)syt_random_below(r, 3);
			e.object += (uint32_t)syt_random_below(r, 2);
			stamp += syt_random_below(r, 50) ? syt_random_magnitude(r) >> 40
			                                 : syt_random_magnitude(r);
		}
		if (kind == 0) {
			e.bytes = 64;
			e.result = 64;
			e.offset = offset[side];
			offset[side] += 64;
		}
		e.stamp = stamp;
		at = (uint32_t)(syt_event_encode(&predictor, raw + at, &e, 0) - raw);
	}
	return at;
}

static void test_events_come_back(void **state)
{
	struct syt_random r = {1};

	(void)state;
	for (unsigned round = 0; round < 300; round++) {
		uint32_t nr, bytes = record(&r, round % 3, &nr);

		assert_int_equal(check(bytes, ROOM), nr);
	}
}

/* A program that wrote into the buffer makes bytes that are no events. */
static void test_any_bytes_come_back(void **state)
{
	struct syt_random r = {2};

	(void)state;
	for (unsigned round = 0; round < 300; round++) {
		uint32_t nr, bytes = record(&r, round % 3, &nr);

		for (unsigned n = round % 40; n && bytes; n--)
			raw[syt_random_below(&r, bytes)] = (uint8_t)syt_random_magnitude(&r);
		check(bytes, ROOM);
		bytes = (uint32_t)syt_random_below(&r, round % 2 ? 64 : SYT_LANE0_BYTES);
		for (uint32_t i = 0; i < bytes; i++)
			raw[i] = round % 5 ? (uint8_t)syt_random_magnitude(&r) : 0xa8;
		check(bytes, ROOM);
	}
}

static void test_room_is_kept(void **state)
{
	struct syt_random r = {3};

	(void)state;
	for (unsigned round = 0; round < 300; round++) {
		uint32_t nr, bytes = record(&r, round % 3, &nr);

		check(bytes, (uint32_t)syt_random_below(&r, ROOM));
	}
}

static void test_damage_is_survived(void **state)
{
	struct syt_random r = {4};
	unsigned nr_right = 0;

	(void)state;
	for (unsigned round = 0; round < 2000; round++) {
		uint32_t nr, bytes = record(&r, round % 3, &nr) % 4096;
		struct syt_columns head = split(bytes, ROOM);

		if (head.time_bytes)
			times[syt_random_below(&r, head.time_bytes)] ^= (uint8_t)syt_random_u64(&r);
		if (rest_bytes)
			memory.scratch.rest[syt_random_below(&r, rest_bytes)] ^=
				(uint8_t)syt_random_magnitude(&r);
		if (round % 4 == 0)
			head.nr_events = (uint32_t)syt_random_magnitude(&r);
		if (round % 4 == 1 && head.time_bytes)
			head.time_bytes -= (uint32_t)syt_random_below(&r, head.time_bytes);
		if (round % 4 == 2)
			rest_bytes -= rest_bytes ? 1 : 0;
		nr_right += join(&head, bytes,
		                 syt_random_below(&r, 2) ? BACK
		                 : bytes > rest_bytes    ? bytes
		                                         : rest_bytes);
	}
	assert_true(nr_right < 2000);
}

/* The times of this load have 17 random bits for an event that waits, else 11 and 7. */
static void test_sockets_are_small(void **state)
{
	struct syt_random r = {5};
	uint32_t nr, bytes;
	struct syt_columns head;

	(void)state;
	do
		bytes = record(&r, 0, &nr);
	while (bytes < SYT_LANE0_BYTES / 2);
	head = split(bytes, ROOM);
	assert_int_equal(head.nr_events, nr);
	assert_true(bytes > 6 * nr);
	assert_true(head.time_bytes <= nr * 7 / 2 + 64);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_events_come_back),
		cmocka_unit_test(test_any_bytes_come_back),
		cmocka_unit_test(test_room_is_kept),
		cmocka_unit_test(test_damage_is_survived),
		cmocka_unit_test(test_sockets_are_small),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
