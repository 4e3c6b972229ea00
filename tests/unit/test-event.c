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

#include "decoder/read/quick.h"
#include "format/event.h"
#include "tests/lib/random.h"

#define NR_EVENTS 400u

static struct syt_predictor encoder, decoder;
static struct syt_codes codes;

/* Prepares P for a block of VERSION, with a table of codes for the times of these tests. */
static void begin(struct syt_predictor *p, unsigned version, uint64_t first)
{
	static const struct syt_common common = {{0, 200, 3, 255}, {1, 0, 9, 254, 77}};

	codes.common = common;
	syt_codes_make(&codes);
	syt_predictor_init(p, first);
	p->is_coded = (version >= 5) + (version >= 6);
	p->codes = &codes;
	p->common = common;
	/* without a habit, their values do not matter */
	memset(p->repeats, 0, sizeof(p->repeats));
}

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

static bool has_extra(const struct syt_event *e)
{
	return syt_event_rare(e) || e->offset || e->bytes || e->count || e->flags || e->peer ||
	       e->object2 || e->nr_ready;
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
		unsigned version = (unsigned[]){2, 5, 6}[seed % 3];
		uint8_t *end = bytes;

		begin(&encoder, version, first);
		for (unsigned n = 0; n < NR_EVENTS; n++) {
			random_event(&r, &events[n], ready[n], n ? events[n - 1].stamp : first);
			bool is_ghost = version == 6 && (events[n].stack >= SYT_GHOST_LAST ||
			                                 syt_random_below(&r, 3) == 0);
			uint8_t *start = end;

			if (is_ghost)
				events[n].stack = SYT_GHOST_KEY(syt_random_below(&r, 5));
			end = syt_event_encode(&encoder, end, &events[n], n % 3 == 0);
			assert_true(end - start <= (ptrdiff_t)SYT_EVENT_MAX);
			if (is_ghost)
				events[n].stack = 0;
		}
		struct syt_cursor c = {bytes, end, 0};

		begin(&decoder, version, first);
		for (unsigned n = 0; n < NR_EVENTS; n++) {
			struct syt_event back = {.ready = back_ready};

			assert_int_equal(syt_event_has_extra(&decoder, *c.p),
			                 has_extra(&events[n]));
			assert_int_equal(syt_event_decode(&decoder, &c, &back), 0);
			check_equal(&events[n], &back);
		}
		assert_ptr_equal(c.p, end);
	}
}

/* Checks that the bytes from BYTES to END decode to E, and that the decoder is then in the state of the encoder. */
static void check_decoded(const uint8_t *bytes, const uint8_t *end, const struct syt_event *e)
{
	struct syt_cursor c = {bytes, end, 0};
	struct syt_ready ready[SYT_NR_READY];
	struct syt_event back = {.ready = ready};

	assert_true(end - bytes <= (ptrdiff_t)SYT_EVENT_MAX);
	assert_int_equal(syt_event_decode(&decoder, &c, &back), 0);
	assert_ptr_equal(c.p, end);
	check_equal(e, &back);
	assert_memory_equal(&encoder, &decoder, sizeof(decoder));
}

/* The fast functions for events without fields write events that decode to the same values, and change the predictor as the
 * general function does. */
static void plain_events_decode_to_the_same_values(void **state)
{
	static struct syt_predictor plain;
	unsigned nr_foreseen = 0;

	(void)state;
	for (uint64_t seed = 0; seed < 100; seed++) {
		struct syt_random r = {seed};
		uint64_t stamp = syt_random_magnitude(&r);

		begin(&encoder, 5, stamp);
		begin(&plain, 5, stamp);
		begin(&decoder, 5, stamp);
		for (unsigned n = 0; n < NR_EVENTS; n++) {
			uint8_t bytes[SYT_EVENT_MAX], general[SYT_EVENT_MAX];
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
			unsigned foreseen = syt_event_encode_foreseen(&encoder, bytes, e.stamp,
			                                              e.call, e.stack, e.object);
			const uint8_t *end = bytes + foreseen;

			nr_foreseen += foreseen != 0;
			if (!foreseen)
				end = syt_event_encode_plain(&encoder, bytes, e.stamp, e.call,
				                             e.stack, e.object);
			syt_event_encode(&plain, general, &e, false);
			assert_memory_equal(&encoder, &plain, sizeof(plain));
			check_decoded(bytes, end, &e);
		}
	}
	assert_true(nr_foreseen > 100);
}

/* Writes E to BYTES with the function for its kind: moved bytes, one ready descriptor, a wait, or, with other fields, these or
 * a list of descriptors. Returns the end. *IS_SHORT: the event has the short form. */
static uint8_t *encode_fast(uint8_t *bytes, const struct syt_event *e, bool is_release,
                            bool is_other, bool *is_short)
{
	uint64_t in = is_release ? e->stamp : e->stamp - e->dur, out = in + e->dur;
	uint32_t call_of = SYT_CALL_OF(e->call, is_release);
	unsigned nr = 0;

	*is_short = false;
	if (is_other && e->count)
		return syt_event_encode_list(&encoder, bytes, in, out, call_of, e->stack, e);
	if (is_other) {
		uint8_t *end = syt_event_encode_fields(&encoder, bytes, in, out, call_of, e->stack,
		                                       e->object, e->result, e->err, e->bytes != 0,
		                                       e->offset, e->bytes, e->flags, e->peer);

		*is_short = bytes[0] < SYT_CODES_END;
		return end;
	}
	if (e->nr_ready)
		nr = syt_event_encode_ready_foreseen(&encoder, bytes, in, out, call_of, e->stack,
		                                     e->object, e->ready[0]);
	else if (e->bytes)
		nr = syt_event_encode_moved_foreseen(&encoder, bytes, in, out, call_of, e->stack,
		                                     e->object, e->bytes, e->offset);
	else
		nr = syt_event_encode_waited_foreseen(&encoder, bytes, in, out, call_of, e->stack,
		                                      e->object, e->object2);
	*is_short = nr;
	if (nr)
		return bytes + nr;
	if (e->nr_ready)
		return syt_event_encode_ready(&encoder, bytes, in, out, call_of, e->stack,
		                              e->object, e->ready[0]);
	if (e->bytes)
		return syt_event_encode_moved(&encoder, bytes, in, out, call_of, e->stack,
		                              e->object, e->bytes, e->offset);
	return syt_event_encode_waited(&encoder, bytes, in, out, call_of, e->stack, e->object,
	                               e->object2);
}

/* Makes event N of a kind that encode_fast() knows. Most events have a fixed order. ENDS: the offsets behind the last moved
 * bytes. Returns true if the event has fields that are not guessed. */
static bool fast_event(struct syt_random *r, unsigned n, struct syt_event *e,
                       struct syt_ready *ready, uint64_t *ends)
{
	unsigned object = 1 + n / 4 % 3, kind = n % 4 == 3 ? 4 : n % 4;

	if (!syt_random_below(r, 5)) {
		object = 1 + (unsigned)syt_random_below(r, 3);
		kind = (unsigned)syt_random_below(r, 6);
	}

	*e = (struct syt_event){.call = kind,
	                        .stack = 4 * kind + object,
	                        .object = object,
	                        .dur = 1 +
	                               syt_random_below(r, UINT64_C(1) << syt_random_below(r, 27))};
	switch (kind) {
	case 0:
		e->bytes = syt_random_below(r, 5) ? 64 : 1 + syt_random_magnitude(r) % 1000;
		e->result = (int64_t)e->bytes;
		e->offset = syt_random_below(r, 5) ? ends[object] : syt_random_magnitude(r);
		ends[object] = e->offset + e->bytes;
		return false;
	case 1:
		e->result = e->count = e->nr_ready = 1;
		e->ready = ready;
		ready[0] = (struct syt_ready){1 + !syt_random_below(r, 5), 1, 0};
		return false;
	case 2:
		e->object2 = !syt_random_below(r, 5);
		e->flags = SYT_EVENT_BLOCKED;
		return false;
	case 3:
		e->result = -(int64_t)syt_random_below(r, 2);
		e->err = e->result ? syt_random_below(r, 200) : 0;
		return true;
	case 4:
		if (syt_random_below(r, 5)) { /* units at ordinals, from a peer or not */
			e->bytes = object == 1 ? 1 : 32;
			e->result = 32;
			e->peer = object == 2 ? UINT64_MAX / 3 : 0;
			e->offset = ++ends[3 + object];
			return true;
		}
		e->bytes = 1 + syt_random_magnitude(r) % INT64_MAX;
		e->result = syt_random_below(r, 2) ? (int64_t)e->bytes
		                                   : (int64_t)syt_random_below(r, 9);
		e->offset = syt_random_below(r, 2) * syt_random_magnitude(r);
		e->flags = syt_random_below(r, 2) * SYT_EVENT_FULL;
		e->peer = syt_random_below(r, 2) * syt_random_magnitude(r);
		return true;
	default:
		e->nr_ready = (uint32_t)syt_random_below(r, SYT_NR_READY + 1);
		e->result = e->nr_ready;
		e->count = 1 + e->nr_ready + syt_random_below(r, 2);
		e->flags = SYT_EVENT_CAPPED;
		e->ready = ready;
		for (unsigned i = 0; i < e->nr_ready; i++)
			ready[i] = (struct syt_ready){(uint32_t)syt_random_magnitude(r), i, 0};
		return true;
	}
}

/* The fast functions for calls with a duration write events that decode to the same values, and change the predictor as the
 * general function does. */
static void events_of_fast_functions_decode_to_the_same_values(void **state)
{
	static struct syt_predictor plain;
	unsigned nr[6] = {0}, nr_short[6] = {0};

	(void)state;
	for (uint64_t seed = 0; seed < 100; seed++) {
		struct syt_random r = {seed};
		uint64_t end = syt_random_magnitude(&r), ends[7] = {0};

		begin(&encoder, 5, end);
		begin(&plain, 5, end);
		begin(&decoder, 5, end);
		for (unsigned n = 0; n < NR_EVENTS; n++) {
			uint8_t bytes[SYT_EVENT_MAX], general[SYT_EVENT_MAX];
			struct syt_ready ready[SYT_NR_READY];
			struct syt_event e;
			bool is_other = fast_event(&r, n, &e, ready, ends), is_release = e.call % 2,
			     is_short;

			/* a handler may have recorded its events during the call */
			end += syt_random_below(&r, UINT64_C(1) << syt_random_below(&r, 27));
			end -= syt_random_below(&r, 20) ? 0 : syt_random_below(&r, 1000);
			e.stamp = is_release ? end : end + e.dur;
			end += e.dur;

			uint8_t *stop = encode_fast(bytes, &e, is_release, is_other, &is_short);

			nr[e.call]++;
			nr_short[e.call] += is_short && stop - bytes <= 5;
			syt_event_encode(&plain, general, &e, is_release);
			assert_memory_equal(&encoder, &plain, sizeof(plain));
			check_decoded(bytes, stop, &e);
		}
	}
	for (unsigned k = 0; k < 6; k++)
		assert_true(nr[k] > 100 && (k == 3 || k == 5 || nr_short[k] > 100));
}

/* Encodes E with the function for its kind, and checks the bytes and the predictors as the test before does. Returns the number of
 * bytes. */
static unsigned check_fast(struct syt_predictor *plain, const struct syt_event *e, bool is_release,
                           bool is_other)
{
	uint8_t bytes[SYT_EVENT_MAX], general[SYT_EVENT_MAX];
	bool is_short;
	const uint8_t *end = encode_fast(bytes, e, is_release, is_other, &is_short);

	syt_event_encode(plain, general, e, is_release);
	assert_memory_equal(&encoder, plain, sizeof(*plain));
	check_decoded(bytes, end, e);
	return (unsigned)(end - bytes);
}

/* A server waits for some of its connections, and receives from each in turn, reads a file, sends and closes the file. The
 * predictor guesses the connection. CHAOS: one of so many events is on another connection; 0: none. Returns the bytes
 * of an event. */
static double serve(struct syt_random *r, unsigned chaos)
{
	static struct syt_predictor plain;
	uint64_t at = 1000, rx[256] = {0}, tx[256] = {0}, nr = 0, bytes = 0;

	begin(&encoder, 5, at);
	begin(&plain, 5, at);
	begin(&decoder, 5, at);
	for (unsigned round = 0; round < 400; round++) {
		struct syt_ready ready[SYT_NR_READY];
		struct syt_event e = {.call = 1, .stack = 11, .object = 300, .dur = 200};

		e.nr_ready = 1 + (uint32_t)syt_random_below(
					 r, chaos && round % 50 == 0 ? SYT_NR_READY : 12);
		e.result = e.count = e.nr_ready;
		e.ready = ready;
		for (unsigned i = 0; i < e.nr_ready; i++)
			ready[i] = (struct syt_ready){1 + (round * 5 + i) % (chaos ? 250 : 16),
			                              SYT_READY_IN, 0};
		if (chaos && !syt_random_below(r, 3)) /* a list of lists */
			e.object = ready[0].object;
		e.stamp = at += 300;
		bytes += check_fast(&plain, &e, false, true);
		nr++;
		for (unsigned i = 0; i < e.nr_ready; i++) {
			uint32_t object = ready[i].object;
			struct syt_event moved = {
				.call = 2, .stack = 12, .dur = 200, .result = 41, .bytes = 41};

			if (chaos && !syt_random_below(r, chaos))
				object = (uint32_t)syt_random_below(r, 256);
			moved.object = object;
			moved.offset = rx[object];
			rx[object] += 41;
			moved.stamp = at += 300;
			bytes += check_fast(&plain, &moved, false, false);

			struct syt_event file = {.call = 3, .stack = 13, .object = 301, .dur = 200};

			file.bytes = 6;
			file.result = 6;
			file.flags = SYT_EVENT_NOOFFSET;
			file.stamp = at += 300;
			bytes += check_fast(&plain, &file, false, true);
			moved = (struct syt_event){.call = 5,
			                           .stack = 14,
			                           .object = object,
			                           .dur = 200,
			                           .result = 240,
			                           .bytes = 240,
			                           .offset = tx[object]};
			tx[object] += 240;
			moved.stamp = at += 100;
			at += moved.dur;
			bytes += check_fast(&plain, &moved, true, false);
			file = (struct syt_event){
				.call = 7, .stack = 15, .object = 301, .dur = 200, .arg = 1};
			file.stamp = at += 100;
			at += file.dur;

			uint8_t closed[SYT_EVENT_MAX];
			const uint8_t *end = syt_event_encode(&encoder, closed, &file, true);

			syt_event_encode(&plain, closed, &file, true);
			check_decoded(closed, end, &file);
			bytes += (uint64_t)(end - closed);
			nr += 4;
		}
	}
	return (double)bytes / (double)nr;
}

static void events_of_a_server_are_short(void **state)
{
	struct syt_random r = {1};

	(void)state;
	assert_true(serve(&r, 0) < 4);
	for (unsigned chaos = 1; chaos < 20; chaos += 6)
		serve(&r, chaos);
}

/* Damaged short lists are refused. */
static void damaged_lists_are_refused(void **state)
{
	static const uint8_t bytes[][8] = {
		{SYT_FORM_LIST, SYT_CODES_END},            /* no times */
		{SYT_FORM_LIST + 12, 0, 9, 9, 0},          /* no descriptor */
		{SYT_FORM_LIST + 12, 0, 9, 9, 65},         /* too many */
		{SYT_FORM_LIST, 0, 9, 9, SYT_LIST_NEW + 1} /* no entry */
	};
	struct syt_ready ready[SYT_NR_READY];
	struct syt_event e = {.ready = ready};

	(void)state;
	for (unsigned n = 0; n < sizeof(bytes) / sizeof(bytes[0]); n++) {
		struct syt_cursor c = {bytes[n], bytes[n] + sizeof(bytes[n]), 0};

		begin(&decoder, 5, 0);
		assert_int_equal(syt_event_decode(&decoder, &c, &e), -1);
	}
}

/* Every time of up to three bytes comes back in the short form, with each table. */
static void every_coded_time_comes_back(void **state)
{
	static const struct syt_common first = SYT_COMMON_FIRST;
	static const struct syt_codes first_codes = SYT_CODES_FIRST;
	struct syt_codes made = {.common = SYT_COMMON_FIRST};

	(void)state;
	syt_codes_make(&made);
	assert_memory_equal(&made, &first_codes, sizeof(made));
	for (unsigned round = 0; round < 100; round++) {
		struct syt_random r = {round};
		uint8_t table[SYT_COMMON_BYTES_MAX], bytes[16];

		for (unsigned i = 0; round && i < sizeof(made.common); i++)
			((uint8_t *)&made.common)[i] = (uint8_t)syt_random_u64(&r);
		syt_codes_make(&made);

		struct syt_cursor t = {table, syt_put_common(table, &made.common), 0};
		struct syt_common common;

		assert_int_equal(t.end - t.p, memcmp(&made.common, &first, sizeof(first))
		                                      ? 1 + sizeof(first)
		                                      : 1);
		syt_get_common(&t, &common);
		assert_true(t.p == t.end && !t.failed);
		assert_memory_equal(&common, &made.common, sizeof(common));
		for (unsigned n = 0; n < 2000; n++) {
			uint64_t gap =
				syt_random_below(&r, UINT64_C(1) << syt_random_below(&r, 26));
			uint64_t dur =
				syt_random_below(&r, UINT64_C(1) << syt_random_below(&r, 26));
			unsigned nr = syt_put_codes(&made, bytes, gap, dur);
			struct syt_cursor c = {bytes, bytes + nr, 0};
			struct syt_times times = {0};

			assert_int_equal(nr == 0, (gap | dur) >> 24 != 0);
			if (!nr)
				continue;
			assert_int_equal(syt_get_times(&common, &c, &times), 0);
			assert_true(c.p == c.end && !c.failed && times.is_guessed && times.has_gap);
			assert_int_equal(times.time, gap);
			assert_int_equal(times.dur, dur);
		}
	}
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
	begin(&encoder, 2, 0);
	for (unsigned n = 0; n < 10; n++) {
		wait.stamp = 3000 * n;
		receive.stamp = 3000 * n + 1000;
		send.stamp = 3000 * n + 2000;
		receive.offset = send.offset = 64 * n;
		uint8_t *end = syt_event_encode(&encoder, bytes, &wait, 0);

		end = syt_event_encode(&encoder, end, &receive, 0);
		end = syt_event_encode(&encoder, end, &send, 0);
		if (n > 1)
			assert_int_equal(end - bytes, 3 * 6);
	}
}

/* In version 6, the predictor guesses events without a call stack by the number of their site, also after calls that are left out. */
static void predicted_ghosts_are_short(void **state)
{
	uint8_t bytes[4 * SYT_EVENT_MAX];
	struct syt_event events[] = {
		{.call = 300, .stack = SYT_GHOST_KEY(3), .object = 5000, .dur = 300},
		{.call = 301, .stack = 9, .object = 6, .dur = 300},
		{.call = 302,
	         .stack = SYT_GHOST_KEY(100),
	         .object = 5001,
	         .dur = 300,
	         .object2 = 7000,
	         .flags = SYT_EVENT_BLOCKED,
	         .left_out = 3,
	         .gap = 100},
		{.call = 303,
	         .stack = SYT_GHOST_KEY(4),
	         .object = 5002,
	         .dur = 300,
	         .result = 64,
	         .bytes = 64,
	         .peer = UINT64_MAX / 3,
	         .left_out = 1,
	         .gap = 100},
	};

	(void)state;
	begin(&encoder, 6, 0);
	begin(&decoder, 6, 0);
	for (unsigned n = 0; n < 10; n++) {
		uint8_t *end = bytes;
		struct syt_event back = {.ready = NULL};

		for (unsigned i = 0; i < 4; i++) {
			events[i].stamp = 4000 * n + 1000 * i;
			events[3].offset = n;
			end = syt_event_encode(&encoder, end, &events[i], i == 0);
		}
		struct syt_cursor c = {bytes, end, 0};

		for (unsigned i = 0; i < 4; i++) {
			assert_int_equal(syt_event_decode(&decoder, &c, &back), 0);
			back.stack = i == 1 ? back.stack : events[i].stack;
			check_equal(&events[i], &back);
		}
		/* flags, a byte of codes and two or three bytes of times; then the length, two numbers of fields, and two values */
		if (n > 2)
			assert_int_equal(end - bytes, 4 + 5 + (5 + 5) + (5 + 5));
	}
}

/* A length 0 of the optional fields does no harm in a damaged block, in which nothing was predicted. */
static void a_guess_of_nothing_is_nothing(void **state)
{
	static const uint8_t bytes[] = {SYT_HAS_EXTRA, 5, 0};
	struct syt_cursor c = {bytes, bytes + sizeof(bytes), 0};
	struct syt_event e = {.ready = NULL};

	(void)state;
	begin(&decoder, 2, 0);
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
	for (unsigned n = 0; n < 4 * sizeof(steps) / sizeof(steps[0]); n++) {
		uint8_t bytes[SYT_EVENT_MAX];
		struct syt_event e = {.stamp = 1000 + steps[n / 4], .dur = n / 2 % 2 * 70000},
				 back = {.ready = NULL};

		begin(&encoder, n % 2 ? 5 : 2, 1000);
		begin(&decoder, n % 2 ? 5 : 2, 1000);
		struct syt_cursor c = {bytes, syt_event_encode(&encoder, bytes, &e, 0), 0};

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
	begin(&encoder, 2, 0);
	for (unsigned n = 0; n < 10; n++) {
		lock.stamp = 20 * n;
		unlock.stamp = 20 * n + 10;
		uint8_t *end = syt_event_encode(&encoder, bytes, &lock, 0);

		end = syt_event_encode(&encoder, end, &unlock, 0);
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
	for (unsigned version = 2; version <= 5; version += 3) {
		begin(&encoder, version, 0);
		begin(&decoder, version, 0);
		struct syt_cursor c = {bytes, syt_event_encode(&encoder, bytes, &e, 1), 0};

		assert_true(c.end - bytes <= (ptrdiff_t)SYT_EVENT_MAX);
		assert_int_equal(syt_event_decode(&decoder, &c, &back), 0);
		check_equal(&e, &back);
	}
}

static void unknown_fields_are_skipped(void **state)
{
	/* flags, dt, length, then field 60 and BYTES */
	static const uint8_t bytes[] = {SYT_HAS_EXTRA, 5, 4, 60, 9, SYT_FIELD_BYTES, 7};
	struct syt_cursor c = {bytes, bytes + sizeof(bytes), 0};
	struct syt_event e = {.ready = NULL};

	(void)state;
	begin(&decoder, 2, 0);
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
		syt_predictor_begin(&decoder, (unsigned[]){2, 5, 6}[seed % 3], 0, &c);
		while (c.p < c.end && syt_event_decode(&decoder, &c, &e) == 0)
			assert_true(e.nr_ready <= SYT_NR_READY && e.call <= UINT16_MAX);
		assert_true(c.p <= c.end);
		free(bytes);
	}
}

/* Decodes the events of the NR BYTES of a block of VERSION with both functions, until one is damaged. Checks that they agree,
 * and counts the events by kind. Returns the number of events. */
static unsigned decode_twice(unsigned version, const uint8_t *bytes, size_t nr, uint64_t *nr_kinds)
{
	static struct syt_quick_walk w, before;
	struct syt_ready ready[SYT_NR_READY];
	struct syt_event e = {.ready = ready};
	unsigned nr_events = 0;

	for (syt_quick_begin(&w, version, 1000, bytes, (uint32_t)nr); w.c.p < w.c.end;
	     nr_events++) {
		struct syt_quick_at at = syt_quick_enter(&w);
		struct syt_quick q = {0};
		struct syt_event back = {.ready = (struct syt_ready[1]){{0}}};

		before = w;
		enum syt_quick_kind kind = syt_quick_decode(&w, &at, &q);

		syt_quick_leave(&w, &at);
		nr_kinds[kind]++;
		if (kind == SYT_QUICK_NONE)
			assert_memory_equal(&w, &before, sizeof(w));
		int rv = syt_event_decode(&before.predictor, &before.c, &e);

		if (kind == SYT_QUICK_NONE) {
			if (rv)
				break;
			w = before;
			continue;
		}
		assert_int_equal(rv, 0);
		assert_memory_equal(&w, &before, sizeof(w));
		back.stamp = q.stamp;
		back.dur = q.dur;
		back.call = q.call;
		back.stack = q.stack;
		back.object = q.object;
		back.result = kind == SYT_QUICK_PLAIN ? 0 : q.result;
		if (kind == SYT_QUICK_MOVED) {
			back.bytes = (uint64_t)q.result;
			back.offset = q.offset;
		} else if (kind == SYT_QUICK_READY) {
			back.count = back.nr_ready = 1;
			back.ready[0] = (struct syt_ready){q.object2, (uint32_t)q.offset, 0};
		} else if (kind == SYT_QUICK_WAITED) {
			back.flags = SYT_EVENT_BLOCKED;
			back.object2 = q.object2;
		}
		check_equal(&e, &back);
	}
	return nr_events;
}

/* Makes an event of one of the kinds that syt_quick_decode() knows, or a random one. POSITIONS has the offset behind the last move of
 * each object, and at 0 the last descriptor that was ready, from which the next moves mostly are. */
static void habitual_event(struct syt_random *r, struct syt_event *e, struct syt_ready *ready,
                           uint64_t previous, unsigned n, uint64_t *positions)
{
	uint32_t stack = syt_random_below(r, 9) ? n % 5 : (uint32_t)syt_random_below(r, 5);

	if (syt_random_below(r, 12) == 0) {
		random_event(r, e, ready, previous);
		return;
	}
	*e = (struct syt_event){
		.stamp = previous + syt_random_below(r, syt_random_below(r, 9) ? 1000 : 1u << 20),
		.stack = stack + 1,
		.call = stack + 2,
		.object = 3 + !syt_random_below(r, 5),
		.ready = ready,
	};
	if (stack > 1 || !syt_random_below(r, 9))
		e->dur = 1 + syt_random_below(r, syt_random_below(r, 9) ? 3000 : 1u << 26);
	if (stack == 2) {
		e->result = 8;
		e->bytes = 8;
		if (positions[0] && syt_random_below(r, 9))
			e->object = (uint32_t)positions[0];
		e->offset = syt_random_below(r, 20) ? positions[e->object]
		                                    : syt_random_below(r, 100);
		positions[e->object] = e->offset + 8;
	} else if (stack == 3) {
		e->result = 1;
		e->count = e->nr_ready = 1;
		positions[0] = 7 + !syt_random_below(r, 3);
		ready[0] = (struct syt_ready){(uint32_t)positions[0], SYT_READY_IN, 0};
	} else if (stack == 4) {
		e->flags = SYT_EVENT_BLOCKED;
		e->object2 = 9 + !syt_random_below(r, 9);
	}
}

/* Gives the event from HEAD to END the form of one that the predictor guesses, if it is one. Returns its end. */
static uint8_t *shorten(uint8_t *head, uint8_t *end)
{
	if (head[0] == (SYT_FORM_PARTS | SYT_HAS_DUR | SYT_HAS_EXTRA) && head[1] < SYT_CODES_END &&
	    !end[-1]) {
		memmove(head, head + 1, (size_t)(end - head - 2));
		return end - 2;
	}
	if (head[0] == SYT_FORM_PARTS && end - head == 2)
		head[0] = SYT_FORM_PLAIN;
	return end;
}

/* syt_quick_decode() does what syt_event_decode() does, also with damaged bytes. */
static void quick_events_are_the_same(void **state)
{
	uint64_t nr_kinds[SYT_QUICK_WAITED + 1] = {0};
	unsigned nr = 0;

	(void)state;
	for (uint64_t seed = 0; seed < 200; seed++) {
		static const struct syt_common common = {{0, 1, 3, 255}, {1, 0, 9, 254, 77}};
		struct syt_random r = {seed};
		struct syt_ready ready[SYT_NR_READY];
		struct syt_event e = {.stamp = 1000};
		uint64_t positions[9] = {0};
		unsigned version = seed % 3 ? 5 : 6;
		/* AddressSanitizer detects a read beyond the end of this memory */
		uint8_t *bytes = malloc(SYT_COMMON_BYTES_MAX + 40 * SYT_EVENT_MAX), *end, *block;

		begin(&encoder, version, 1000);
		codes.common = encoder.common = common;
		syt_codes_make(&codes);
		end = syt_put_common(bytes, &common);
		for (unsigned n = 0; n < 40; n++) {
			uint64_t previous = e.stamp;

			habitual_event(&r, &e, ready, previous, n, positions);
			if (version == 6 && syt_random_below(&r, 6) == 0)
				e.stack = SYT_GHOST_KEY(e.stack);
			end = shorten(end, syt_event_encode(&encoder, end, &e, e.call & 1));
		}
		if (seed % 2)
			for (unsigned n = 0; n < 3; n++)
				bytes[1 + syt_random_below(&r, (uint64_t)(end - bytes - 1))] =
					(uint8_t)syt_random_u64(&r);
		block = malloc((size_t)(end - bytes));
		memcpy(block, bytes, (size_t)(end - bytes));
		nr += decode_twice(version, block, (size_t)(end - bytes), nr_kinds);
		free(block);
		free(bytes);
	}
	assert_true(nr > 4000);
	for (unsigned n = 0; n <= SYT_QUICK_WAITED; n++)
		assert_true(nr_kinds[n] > 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_events_come_back),
		cmocka_unit_test(plain_events_decode_to_the_same_values),
		cmocka_unit_test(quick_events_are_the_same),
		cmocka_unit_test(events_of_fast_functions_decode_to_the_same_values),
		cmocka_unit_test(events_of_a_server_are_short),
		cmocka_unit_test(damaged_lists_are_refused),
		cmocka_unit_test(every_coded_time_comes_back),
		cmocka_unit_test(predicted_bytes_are_not_written),
		cmocka_unit_test(predicted_ghosts_are_short),
		cmocka_unit_test(a_guess_of_nothing_is_nothing),
		cmocka_unit_test(every_width_of_time_comes_back),
		cmocka_unit_test(predicted_fields_are_not_written),
		cmocka_unit_test(the_largest_event_fits),
		cmocka_unit_test(unknown_fields_are_skipped),
		cmocka_unit_test(random_bytes_do_no_harm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
