/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * The event encoding: each encoded event decodes to itself, and decoding never reads beyond its
 * bytes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <stdbool.h>

#include "format/event.h"
#include "tests/lib/random.h"

#define NR_EVENTS 400u

static struct syt_predictor encoder, decoder;

static void check_equal(const struct syt_event *a, const struct syt_event *b)
{
	assert_int_equal(a->stamp, b->stamp);
	assert_int_equal(a->dur, b->dur);
	assert_int_equal(a->call, b->call);
	assert_int_equal(a->stack, b->stack);
	assert_int_equal(a->object, b->object);
	assert_int_equal(a->result, b->result);
	if (a->result < 0)
		assert_int_equal(a->err, b->err);
#define FIELD(name_, member_) assert_int_equal(a->member_, b->member_);
#include "format/fields.def"
#undef FIELD
	assert_int_equal(a->nr_ready, b->nr_ready);
	for (uint32_t n = 0; n < a->nr_ready; n++) {
		assert_int_equal(a->ready[n].object, b->ready[n].object);
		assert_int_equal(a->ready[n].events, b->ready[n].events);
		assert_int_equal(a->ready[n].position, b->ready[n].position);
	}
}

/* Makes a random event with one of few stacks, calls and objects, so that the predictor is often right,
 * and other values of all magnitudes. */
static void random_event(struct syt_random *r, struct syt_event *e, struct syt_ready *ready,
                         uint64_t previous)
{
	bool wild = syt_random_below(r, 10) == 0;

	*e = (struct syt_event){.ready = ready};
	e->stamp = previous + (wild ? syt_random_u64(r) : syt_random_below(r, 1u << 25));
	e->call = (uint32_t)(wild ? syt_random_below(r, 65536) : syt_random_below(r, 3));
	e->stack = (uint32_t)(wild ? syt_random_u64(r) : syt_random_below(r, 5));
	e->object = (uint32_t)(wild ? syt_random_u64(r) : syt_random_below(r, 3));
	if (syt_random_below(r, 3) == 0)
		e->dur = syt_random_magnitude(r);
	if (syt_random_below(r, 3) == 0)
		e->result = (int64_t)syt_random_magnitude(r) - 5;
	if (e->result < 0)
		e->err = syt_random_below(r, 200);
	if (syt_random_below(r, 4))
		return;
#define FIELD(name_, member_)                                                                      \
	if (syt_random_below(r, 4) == 0)                                                           \
		e->member_ = (__typeof__(e->member_))syt_random_magnitude(r);
#include "format/fields.def"
#undef FIELD
	e->nr_ready = (uint32_t)syt_random_below(r, 5)
	                      ? 0
	                      : (uint32_t)syt_random_below(r, SYT_NR_READY + 1);
	for (uint32_t n = 0; n < e->nr_ready; n++)
		ready[n] = (struct syt_ready){(uint32_t)syt_random_magnitude(r),
		                              (uint32_t)syt_random_below(r, 256),
		                              syt_random_below(r, 2) ? syt_random_magnitude(r) : 0};
}

static void random_events_come_back(void **state)
{
	static struct syt_event events[NR_EVENTS];
	static struct syt_ready ready[NR_EVENTS][SYT_NR_READY], back_ready[SYT_NR_READY];
	static uint8_t bytes[NR_EVENTS * SYT_EVENT_MAX];

	(void)state;
	for (uint64_t seed = 0; seed < 100; seed++) {
		struct syt_random r = {seed};
		uint64_t first = syt_random_magnitude(&r);
		uint8_t *end = bytes;

		syt_predictor_init(&encoder, first);
		for (unsigned n = 0; n < NR_EVENTS; n++) {
			random_event(&r, &events[n], ready[n], n ? events[n - 1].stamp : first);
			uint8_t *start = end;

			end = syt_event_encode(&encoder, end, &events[n]);
			assert_true(end - start <= (ptrdiff_t)SYT_EVENT_MAX);
		}
		struct syt_cursor c = {bytes, end, 0};

		syt_predictor_init(&decoder, first);
		for (unsigned n = 0; n < NR_EVENTS; n++) {
			struct syt_event back = {.ready = back_ready};

			assert_int_equal(syt_event_decode(&decoder, &c, &back), 0);
			check_equal(&events[n], &back);
		}
		assert_ptr_equal(c.p, end);
	}
}

/* The encoder's fast functions write the same bytes as the general function, and change the predictor
 * in the same way. */
static void foreseen_events_have_the_same_bytes_by_both_encoders(void **state)
{
	static struct syt_predictor plain;
	unsigned nr_foreseen = 0;

	(void)state;
	for (uint64_t seed = 0; seed < 100; seed++) {
		struct syt_random r = {seed};
		uint64_t stamp = syt_random_magnitude(&r);

		syt_predictor_init(&encoder, stamp);
		syt_predictor_init(&plain, stamp);
		for (unsigned n = 0; n < NR_EVENTS; n++) {
			uint8_t bytes[SYT_EVENT_MAX], same[SYT_EVENT_MAX];
			struct syt_event e;
			struct syt_ready ready[SYT_NR_READY];

			random_event(&r, &e, ready, stamp);
			/* sometimes a stamp close enough for the short form */
			if (syt_random_below(&r, 2))
				e.stamp = stamp + syt_random_below(&r, 70000);
			e = (struct syt_event){.stamp = stamp = e.stamp,
			                       .call = e.call,
			                       .stack = e.stack,
			                       .object = e.object};
			ptrdiff_t length = syt_event_encode(&encoder, bytes, &e) - bytes;
			unsigned foreseen = syt_event_encode_foreseen(&plain, same, e.stamp, e.call,
			                                              e.stack, e.object);
			ptrdiff_t length_of_same = foreseen;

			nr_foreseen += foreseen != 0;
			if (!foreseen)
				length_of_same = syt_event_encode_plain(&plain, same, e.stamp,
				                                        e.call, e.stack, e.object) -
				                 same;
			assert_int_equal(length, length_of_same);
			assert_memory_equal(bytes, same, length);
			assert_memory_equal(&encoder, &plain, sizeof(plain));
		}
	}
	assert_true(nr_foreseen > 100);
}

/* If E is as the predictor BEFORE guesses, checks that the event that is written with two stores decodes to E and changes
 * the predictor to AFTER, and takes at most one byte more than the shortest form of LENGTH bytes. Returns whether it is. */
static bool check_foreseen(const struct syt_predictor *before, const struct syt_predictor *after,
                           const struct syt_event *e, ptrdiff_t length)
{
	static struct syt_predictor writer, reader;
	uint8_t bytes[SYT_EVENT_MAX];
	struct syt_ready ready[SYT_NR_READY];
	struct syt_event back = {.ready = ready};
	unsigned written;

	writer = reader = *before;
	if (e->stamp - before->stamp >= 1u << 21 || !e->dur || e->dur >= 1u << 21)
		return false;
	if (e->nr_ready)
		written = syt_event_encode_ready_foreseen(&writer, bytes, e->stamp, e->call,
		                                          e->stack, e->object, e->dur, e->ready[0]);
	else if (e->bytes)
		written =
			syt_event_encode_moved_foreseen(&writer, bytes, e->stamp, e->call, e->stack,
		                                        e->object, e->dur, e->bytes, e->offset);
	else
		written = syt_event_encode_waited_foreseen(&writer, bytes, e->stamp, e->call,
		                                           e->stack, e->object, e->dur, e->object2);
	if (!written)
		return false;

	struct syt_cursor c = {bytes, bytes + written, 0};

	assert_in_range(written - length, 0, 1);
	assert_memory_equal(&writer, after, sizeof(writer));
	assert_int_equal(syt_event_decode(&reader, &c, &back), 0);
	assert_ptr_equal(c.p, bytes + written);
	check_equal(e, &back);
	assert_memory_equal(&reader, after, sizeof(reader));
	return true;
}

/* The short functions for moved bytes and for waits write the same bytes as the general function, and change the predictor in the
 * same way. Both take six bytes or less for an exchange that repeats. */
static void moved_bytes_have_the_same_bytes_by_both_encoders(void **state)
{
	static struct syt_predictor plain, before;
	unsigned nr_short = 0, nr_waited = 0, nr_foreseen = 0;

	(void)state;
	for (uint64_t seed = 0; seed < 100; seed++) {
		struct syt_random r = {seed};
		uint64_t stamp = syt_random_magnitude(&r), ends[3][3] = {0};

		syt_predictor_init(&encoder, stamp);
		syt_predictor_init(&plain, stamp);
		syt_predictor_init(&decoder, stamp);
		for (unsigned n = 0; n < NR_EVENTS; n++) {
			uint8_t bytes[SYT_EVENT_MAX], same[SYT_EVENT_MAX];
			struct syt_ready ready[SYT_NR_READY], back_ready[SYT_NR_READY];
			struct syt_event e, back = {.ready = back_ready};

			random_event(&r, &e, ready, stamp);
			e.stamp = stamp + syt_random_below(&r, 3) * syt_random_below(&r, 1u << 24);
			if (syt_random_below(&r, 2)) {
				e.stamp = stamp +
				          syt_random_below(&r, 1u << syt_random_below(&r, 22));
				e.dur = 1 + syt_random_below(&r, 1u << syt_random_below(&r, 22));
			}
			bool is_short = true;
			e.call %= 3;
			bool is_waited = false;
			e.object = 1 + e.object % 3;
			uint64_t *end = &ends[e.object - 1][e.call];

			if (syt_random_below(&r, 2)) {
				e = (struct syt_event){.stamp = e.stamp,
				                       .call = e.call,
				                       .stack = e.object,
				                       .object = e.object,
				                       .dur = e.dur,
				                       .bytes = 1 + syt_random_below(&r, 3) * 100};
				e.result = (int64_t)e.bytes;
				e.offset =
					syt_random_below(&r, 5) ? *end : syt_random_magnitude(&r);
				*end = e.offset + e.bytes;
			} else if (syt_random_below(&r, 2)) {
				e = (struct syt_event){.stamp = e.stamp,
				                       .call = 4,
				                       .stack = 9 + e.object,
				                       .dur = e.dur,
				                       .result = 1,
				                       .count = 1,
				                       .nr_ready = 1,
				                       .ready = ready};
				ready[0] = (struct syt_ready){1 + syt_random_below(&r, 2), 1, 0};
			} else if (syt_random_below(&r, 2)) {
				is_waited = true;
				e = (struct syt_event){.stamp = e.stamp,
				                       .call = 5,
				                       .stack = 20 + e.object,
				                       .object = e.object,
				                       .dur = e.dur,
				                       .object2 = (uint32_t)syt_random_below(&r, 2),
				                       .flags = SYT_EVENT_BLOCKED};
			} else {
				is_short = false;
			}
			stamp = e.stamp;

			ptrdiff_t length = syt_event_encode(&encoder, bytes, &e) - bytes, again;

			before = plain;
			if (e.bytes && (uint64_t)e.result == e.bytes && !e.cpu && !e.flags &&
			    !e.count && e.stack == e.object)
				again = syt_event_encode_moved(&plain, same, e.stamp, e.call,
				                               e.stack, e.object, e.dur, e.bytes,
				                               e.offset) -
				        same;
			else if (is_waited)
				again = syt_event_encode_waited(&plain, same, e.stamp, e.call,
				                                e.stack, e.object, e.dur,
				                                e.object2) -
				        same;
			else
				again = syt_event_encode(&plain, same, &e) - same;
			if (e.call == 4 && e.nr_ready == 1 && e.stack == 9 + e.object) {
				plain = before;
				assert_int_equal(syt_event_encode_ready(&plain, same, e.stamp,
				                                        e.call, e.stack, e.object,
				                                        e.dur, ready[0]) -
				                         same,
				                 length);
			}
			nr_waited += is_waited && length <= 6;
			nr_short += e.bytes && length <= 6;
			assert_int_equal(length, again);
			assert_memory_equal(bytes, same, length);
			assert_memory_equal(&encoder, &plain, sizeof(plain));
			nr_foreseen += is_short && check_foreseen(&before, &encoder, &e, length);

			struct syt_cursor c = {bytes, bytes + length, 0};

			assert_int_equal(syt_event_decode(&decoder, &c, &back), 0);
			assert_ptr_equal(c.p, bytes + length);
			check_equal(&e, &back);
			assert_memory_equal(&encoder, &decoder, sizeof(decoder));
		}
	}
	assert_true(nr_short > 100 && nr_waited > 100 && nr_foreseen > 100);
}

/* The short functions for events that the predictor does not guess write events that decode to the same values, and change
 * the predictor as the general function does. */
static void unguessed_events_decode_to_the_same_values(void **state)
{
	static struct syt_predictor plain;
	unsigned nr_moved = 0, nr_failed = 0, nr_lists = 0;

	(void)state;
	for (uint64_t seed = 0; seed < 100; seed++) {
		struct syt_random r = {seed};
		uint64_t stamp = syt_random_magnitude(&r);

		syt_predictor_init(&encoder, stamp);
		syt_predictor_init(&plain, stamp);
		syt_predictor_init(&decoder, stamp);
		for (unsigned n = 0; n < NR_EVENTS; n++) {
			uint8_t bytes[SYT_EVENT_MAX], general[SYT_EVENT_MAX], *end;
			struct syt_ready ready[SYT_NR_READY], back_ready[SYT_NR_READY];
			struct syt_event back = {.ready = back_ready};
			struct syt_event e = {
				.call = (uint32_t)syt_random_below(&r, 3),
				.stack = (uint32_t)syt_random_below(&r, 3),
				.object = 1 + (uint32_t)syt_random_below(&r, 2),
				.dur = 1 + syt_random_below(&r, 1u << syt_random_below(&r, 22)),
			};

			stamp += syt_random_below(&r, 1u << syt_random_below(&r, 22));
			e.stamp = stamp;
			switch (syt_random_below(&r, 4)) {
			case 0:
				e.result = -1;
				e.err = syt_random_below(&r, 200);
				break;
			case 1:
				break;
			case 2:
				e.bytes = 1 + syt_random_magnitude(&r) % INT64_MAX;
				e.result = syt_random_below(&r, 2)
				                   ? (int64_t)e.bytes
				                   : (int64_t)syt_random_below(&r, 9);
				e.offset = syt_random_below(&r, 2) * syt_random_magnitude(&r);
				e.flags = syt_random_below(&r, 2) * SYT_EVENT_FULL;
				e.peer = syt_random_below(&r, 2) * syt_random_magnitude(&r);
				break;
			default:
				e.nr_ready = (uint32_t)syt_random_below(&r, SYT_NR_READY + 1);
				e.result = e.nr_ready;
				e.count = e.nr_ready + syt_random_below(&r, 2);
				e.flags = e.nr_ready == e.count ? 0 : SYT_EVENT_CAPPED;
				e.ready = ready;
				for (unsigned i = 0; i < e.nr_ready; i++)
					ready[i] = (struct syt_ready){
						(uint32_t)syt_random_magnitude(&r), i, 0};
			}
			if (e.count)
				end = syt_event_encode_list(&encoder, bytes, e.stamp, e.stack,
				                            e.dur, &e);
			else
				end = syt_event_encode_fields(&encoder, bytes, e.stamp, e.call,
				                              e.stack, e.object, e.dur, e.result,
				                              e.err, e.bytes != 0, e.offset,
				                              e.bytes, e.flags, e.peer);
			syt_event_encode(&plain, general, &e);
			assert_memory_equal(&encoder, &plain, sizeof(plain));
			nr_failed += e.result < 0;
			nr_lists += e.count > 1;
			nr_moved += e.bytes && (uint64_t)e.result == e.bytes && !e.flags;

			struct syt_cursor c = {bytes, end, 0};

			assert_int_equal(syt_event_decode(&decoder, &c, &back), 0);
			assert_ptr_equal(c.p, end);
			check_equal(&e, &back);
			assert_memory_equal(&encoder, &decoder, sizeof(decoder));
		}
	}
	assert_true(nr_moved > 100 && nr_failed > 100 && nr_lists > 100);
}

/* Once the predictor knows an exchange, an event takes a byte of flags, two bytes of time, two of duration and one for
 * the bytes, and a readiness call with one descriptor takes no more. */
static void predicted_bytes_are_not_written(void **state)
{
	uint8_t bytes[3 * SYT_EVENT_MAX];
	struct syt_ready ready = {7, SYT_READY_IN, 0};
	struct syt_event wait = {.call = 9,
	                         .stack = 30,
	                         .object = 5,
	                         .dur = 300,
	                         .result = 1,
	                         .count = 1,
	                         .nr_ready = 1,
	                         .ready = &ready};
	struct syt_event receive = {
		.call = 300, .stack = 31, .object = 7, .dur = 300, .result = 64, .bytes = 64};
	struct syt_event send = {
		.call = 301, .stack = 32, .object = 7, .dur = 300, .result = 64, .bytes = 64};

	(void)state;
	syt_predictor_init(&encoder, 0);
	for (unsigned n = 0; n < 10; n++) {
		wait.stamp = 3000 * n;
		receive.stamp = 3000 * n + 1000;
		send.stamp = 3000 * n + 2000;
		receive.offset = send.offset = 64 * n;
		uint8_t *end = syt_event_encode(&encoder, bytes, &wait);

		end = syt_event_encode(&encoder, end, &receive);
		end = syt_event_encode(&encoder, end, &send);
		if (n > 1)
			assert_int_equal(end - bytes, 3 * 6);
	}
}

/* A length 0 of the optional fields does no harm in a damaged block, in which nothing was predicted. */
static void a_guess_of_nothing_is_nothing(void **state)
{
	static const uint8_t bytes[] = {SYT_HAS_EXTRA, 5, 0};
	struct syt_cursor c = {bytes, bytes + sizeof(bytes), 0};
	struct syt_event e = {.ready = NULL};

	(void)state;
	syt_predictor_init(&decoder, 0);
	assert_int_equal(syt_event_decode(&decoder, &c, &e), 0);
	assert_int_equal(e.bytes | e.offset | (uint64_t)e.result | e.nr_ready, 0);
}

static void every_width_of_time_comes_back(void **state)
{
	static const uint64_t steps[] = {0,          255,
	                                 256,        65535,
	                                 65536,      (1 << 24) - 1,
	                                 1 << 24,    UINT64_C(1) << 32,
	                                 UINT64_MAX, (uint64_t)-1000};

	(void)state;
	for (unsigned n = 0; n < sizeof(steps) / sizeof(steps[0]); n++) {
		uint8_t bytes[SYT_EVENT_MAX];
		struct syt_event e = {.stamp = 1000 + steps[n]}, back = {.ready = NULL};

		syt_predictor_init(&encoder, 1000);
		syt_predictor_init(&decoder, 1000);
		struct syt_cursor c = {bytes, syt_event_encode(&encoder, bytes, &e), 0};

		assert_int_equal(syt_event_decode(&decoder, &c, &back), 0);
		assert_int_equal(back.stamp, e.stamp);
	}
}

static void predicted_fields_are_not_written(void **state)
{
	uint8_t bytes[2 * SYT_EVENT_MAX];
	struct syt_event lock = {.call = 300, .stack = 100000, .object = 5000};
	struct syt_event unlock = {.call = 301, .stack = 100001, .object = 5000};

	(void)state;
	syt_predictor_init(&encoder, 0);
	for (unsigned n = 0; n < 10; n++) {
		lock.stamp = 20 * n;
		unlock.stamp = 20 * n + 10;
		uint8_t *end = syt_event_encode(&encoder, bytes, &lock);

		end = syt_event_encode(&encoder, end, &unlock);
		/* once the predictor knows the pair of calls, each event takes a byte of flags and a
		 * byte of time */
		if (n > 1)
			assert_int_equal(end - bytes, 4);
	}
}

static void the_largest_event_fits(void **state)
{
	uint8_t bytes[SYT_EVENT_MAX];
	struct syt_ready ready[SYT_NR_READY], back_ready[SYT_NR_READY];
	struct syt_event e = {.stamp = UINT64_C(1) << 40,
	                      .dur = UINT64_MAX,
	                      .call = UINT16_MAX,
	                      .stack = UINT32_MAX,
	                      .object = UINT32_MAX,
	                      .result = INT64_MIN,
	                      .err = UINT64_MAX,
	                      .nr_ready = SYT_NR_READY,
	                      .ready = ready};
	struct syt_event back = {.ready = back_ready};

	(void)state;
#define FIELD(name_, member_) e.member_ = (__typeof__(e.member_))UINT64_MAX;
#include "format/fields.def"
#undef FIELD
	for (unsigned n = 0; n < SYT_NR_READY; n++)
		ready[n] = (struct syt_ready){UINT32_MAX, 255, UINT64_MAX};
	syt_predictor_init(&encoder, 0);
	syt_predictor_init(&decoder, 0);
	struct syt_cursor c = {bytes, syt_event_encode(&encoder, bytes, &e), 0};

	assert_true(c.end - bytes <= (ptrdiff_t)SYT_EVENT_MAX);
	assert_int_equal(syt_event_decode(&decoder, &c, &back), 0);
	check_equal(&e, &back);
}

static void unknown_fields_are_skipped(void **state)
{
	/* flags, dt, length, then field 60 and BYTES */
	static const uint8_t bytes[] = {SYT_HAS_EXTRA, 5, 4, 60, 9, SYT_FIELD_BYTES, 7};
	struct syt_cursor c = {bytes, bytes + sizeof(bytes), 0};
	struct syt_event e = {.ready = NULL};

	(void)state;
	syt_predictor_init(&decoder, 0);
	assert_int_equal(syt_event_decode(&decoder, &c, &e), 0);
	assert_int_equal(e.bytes, 7);
}

/* Random bytes decode to an event or are refused, and the cursor never leaves the bytes. */
static void random_bytes_do_no_harm(void **state)
{
	struct syt_ready ready[SYT_NR_READY];

	(void)state;
	for (uint64_t seed = 0; seed < 3000; seed++) {
		struct syt_random r = {seed};
		size_t nr = syt_random_below(&r, 200);
		/* AddressSanitizer detects a read beyond the end of this memory */
		uint8_t *bytes = malloc(nr ? nr : 1);
		struct syt_cursor c = {bytes, bytes + nr, 0};
		struct syt_event e = {.ready = ready};

		for (size_t n = 0; n < nr; n++)
			bytes[n] = (uint8_t)syt_random_u64(&r);
		syt_predictor_init(&decoder, 0);
		while (c.p < c.end && syt_event_decode(&decoder, &c, &e) == 0)
			assert_true(e.nr_ready <= SYT_NR_READY && e.call <= UINT16_MAX);
		assert_true(c.p <= c.end);
		free(bytes);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_events_come_back),
		cmocka_unit_test(foreseen_events_have_the_same_bytes_by_both_encoders),
		cmocka_unit_test(moved_bytes_have_the_same_bytes_by_both_encoders),
		cmocka_unit_test(unguessed_events_decode_to_the_same_values),
		cmocka_unit_test(predicted_bytes_are_not_written),
		cmocka_unit_test(a_guess_of_nothing_is_nothing),
		cmocka_unit_test(every_width_of_time_comes_back),
		cmocka_unit_test(predicted_fields_are_not_written),
		cmocka_unit_test(the_largest_event_fits),
		cmocka_unit_test(unknown_fields_are_skipped),
		cmocka_unit_test(random_bytes_do_no_harm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
