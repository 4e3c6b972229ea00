/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * decoder/report/watch/alarm.c, against a process image that is made by hand. One tick is two nanoseconds. The definitions of
 * the image are complete, so the doubles of the functions syt_tail_*() read nothing.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "decoder/read/call.h"
#include "decoder/read/number.h"
#include "decoder/report/watch/alarm.h"

void syt_tail_define(struct syt_tail_image *i)
{
	(void)i;
}

uint32_t syt_tail_stack(struct syt_tail_image *i, uint32_t stack)
{
	(void)i;
	return stack;
}

void syt_tail_origins(struct syt_tail_image *i)
{
	(void)i;
}

/* ---- the image ---- */

enum { LOCK, UNLOCK, COND_WAIT, RECV, EPOLL_WAIT, THREAD_END, NR_CALLS };
enum {
	MUTEX = 1,
	OTHER_MUTEX,
	COND,
	SOCKET,
	FILE_ENDPOINT,
	NR_IDS
}; /* objects, whose ids are index + 1 */

#define LIMIT_NS 1000u
#define LIMIT (LIMIT_NS / 2) /* in ticks */
#define NS_PER_TICK 2
#define START 10000u /* clock ticks at the begin of the trace */
#define START_NS 777000u

static struct syt_call_info calls[NR_CALLS];
static struct syt_object_info objects[NR_IDS - 1];
static struct syt_tail_slot slot;
static struct syt_tail_image image;
static struct syt_tail_image *images[] = {&image};
static struct syt_tail tail = {.nr_images = 1, .images = images};
static struct syt_alarm_rule rules[2];
static struct syt_alarm told[8];
static unsigned nr_told;
static bool is_muted;

static bool wants(void *context, bool is_over)
{
	(void)context;
	(void)is_over;
	return !is_muted;
}

static void tell(void *context, const struct syt_alarm *a)
{
	(void)context;
	assert_true(nr_told < sizeof(told) / sizeof(*told));
	told[nr_told++] = *a;
}

static struct syt_alarms alarms = {.rules = rules, .wants = wants, .tell = tell};

static void call(unsigned n, const char *name, uint8_t shape, uint8_t kind)
{
	syt_call_resolve(&calls[n], (char *)(uintptr_t)name, shape, kind);
}

static void look(void)
{
	struct syt_tail_eye eye = syt_alarms_eye(&alarms);

	eye.on_looked(eye.context, &image);
}

/* Starts a trace with a rule for slow calls (only calls NAME, or all) and a rule for long lock holds. */
static void start(const char *name)
{
	static const uint8_t kinds[] = {SYT_KIND_MUTEX, SYT_KIND_MUTEX, SYT_KIND_COND,
	                                SYT_KIND_STREAM, SYT_KIND_FILE};
	struct syt_tail_eye eye = syt_alarms_eye(&alarms);

	rules[0] = (struct syt_alarm_rule){SYT_ALARM_SLOW, LIMIT_NS, name};
	rules[1] = (struct syt_alarm_rule){SYT_ALARM_HOLD, LIMIT_NS, NULL};
	alarms.nr_rules = 2;
	nr_told = 0;
	is_muted = false;
	call(LOCK, "pthread_mutex_lock", SYT_SHAPE_LOCK, SYT_KIND_MUTEX);
	call(UNLOCK, "pthread_mutex_unlock", SYT_SHAPE_UNLOCK, SYT_KIND_MUTEX);
	call(COND_WAIT, "pthread_cond_wait", SYT_SHAPE_COND_WAIT, SYT_KIND_COND);
	call(RECV, "recv", SYT_SHAPE_RECV, SYT_KIND_STREAM);
	call(EPOLL_WAIT, "epoll_wait", SYT_SHAPE_READY, SYT_KIND_EPOLL);
	call(THREAD_END, "thread_end", SYT_SHAPE_THREAD_END, SYT_KIND_THREAD);
	for (unsigned n = 0; n < NR_IDS - 1; n++)
		objects[n].kind = kinds[n];
	slot = (struct syt_tail_slot){.is_known = true};
	image = (struct syt_tail_image){.is_live = true,
	                                .nr_slots = 1,
	                                .slots = &slot,
	                                .nr_threads = 3,
	                                .ns_per_tick = NS_PER_TICK};
	image.loading.image.calls = calls;
	image.loading.image.nr_calls = NR_CALLS;
	image.loading.image.objects = objects;
	image.loading.image.nr_objects = NR_IDS - 1;
	image.loading.image.file.parent_index = UINT32_MAX;
	image.loading.image.file.start =
		(struct syt_clock_pair){.ticks = START, .mono_ns = START_NS};
	eye.on_image(eye.context, &image);
}

static int end(void **state)
{
	(void)state;
	syt_alarms_fini(&tail);
	image.own = NULL;
	return 0;
}

static void event(uint32_t thread, struct syt_event e)
{
	struct syt_tail_eye eye = syt_alarms_eye(&alarms);

	e.stack = 9;
	eye.on_event(eye.context, &image, thread, &e);
}

/* Adds a call of THREAD that ends at OUT (ticks after the begin of the trace), or begins at OUT if it
 * is a release. */
static void did(uint32_t thread, uint32_t n, uint32_t object, uint64_t out, uint64_t dur)
{
	event(thread,
	      (struct syt_event){.call = n, .object = object, .stamp = START + out, .dur = dur});
}

static void cond_waited(uint32_t thread, uint64_t out, uint64_t dur)
{
	event(thread, (struct syt_event){.call = COND_WAIT,
	                                 .object = COND,
	                                 .object2 = MUTEX,
	                                 .stamp = START + out,
	                                 .dur = dur});
}

/* Makes the slot show a call of THREAD that has not returned at NOW. */
static void waits(uint32_t thread, uint32_t n, uint32_t object, uint64_t since, uint64_t now)
{
	slot.page.waiting = (struct syt_waiting){.since = START + since,
	                                         .thread = thread,
	                                         .call = n,
	                                         .object = object,
	                                         .object2 = n == COND_WAIT ? MUTEX : 0,
	                                         .stack = 8};
	image.now = START + now;
}

static void expect(unsigned n, enum syt_alarm_kind kind, uint32_t thread, uint32_t n_call,
                   uint64_t ticks, uint64_t since, bool is_over)
{
	assert_true(n < nr_told);
	assert_int_equal(told[n].kind, kind);
	assert_int_equal(told[n].thread, thread);
	assert_int_equal(told[n].call, n_call);
	assert_int_equal(told[n].ns, ticks * NS_PER_TICK);
	assert_int_equal(told[n].at_ns, START_NS + since * NS_PER_TICK);
	assert_int_equal(told[n].is_over, is_over);
}

/* ---- slow calls ---- */

static void a_lock_longer_than_the_rule_is_slow(void **state)
{
	(void)state;
	start(NULL);
	did(1, LOCK, MUTEX, 3000, LIMIT);
	assert_int_equal(nr_told, 0);
	did(1, UNLOCK, MUTEX, 3001, 0);
	did(1, LOCK, MUTEX, 5000, LIMIT + 1);
	assert_int_equal(nr_told, 1);
	expect(0, SYT_ALARM_SLOW, 1, LOCK, LIMIT + 1, 5000 - LIMIT - 1, true);
	assert_int_equal(told[0].object, MUTEX - 1);
	assert_int_equal(told[0].stack, 9);
}

/* A thread that waits for messages or events may be idle. A read of a file is never idle. */
static void idle_waits_are_not_slow(void **state)
{
	(void)state;
	start(NULL);
	did(0, RECV, SOCKET, 9000, 5 * LIMIT);
	did(0, EPOLL_WAIT, 0, 19000, 5 * LIMIT);
	assert_int_equal(nr_told, 0);
	did(0, RECV, FILE_ENDPOINT, 29000, 5 * LIMIT);
	assert_int_equal(nr_told, 1);
	expect(0, SYT_ALARM_SLOW, 0, RECV, 5 * LIMIT, 29000 - 5 * LIMIT, true);
}

static void a_rule_with_a_name_takes_only_these_calls(void **state)
{
	(void)state;
	start("epoll_*");
	did(0, LOCK, MUTEX, 9000, 5 * LIMIT);
	assert_int_equal(nr_told, 0);
	did(0, EPOLL_WAIT, 0, 19000, 5 * LIMIT);
	assert_int_equal(nr_told, 1);
	expect(0, SYT_ALARM_SLOW, 0, EPOLL_WAIT, 5 * LIMIT, 19000 - 5 * LIMIT, true);
}

/* ---- calls that have not returned ---- */

static void a_call_that_does_not_return_is_told_once(void **state)
{
	(void)state;
	start(NULL);
	waits(2, LOCK, MUTEX, 4000, 4000 + LIMIT);
	look();
	assert_int_equal(nr_told, 0);
	waits(2, LOCK, MUTEX, 4000, 4001 + LIMIT);
	look();
	look();
	assert_int_equal(nr_told, 1);
	expect(0, SYT_ALARM_SLOW, 2, LOCK, LIMIT + 1, 4000, false);
	/* the call that was reported as not returned now returns */
	did(2, LOCK, MUTEX, 9000, 5000);
	assert_int_equal(nr_told, 1);
	did(2, UNLOCK, MUTEX, 9001, 0);
	did(2, LOCK, MUTEX, 19000, 5000); /* another call */
	assert_int_equal(nr_told, 2);
}

static void an_alarm_that_may_not_be_told_comes_at_a_later_look(void **state)
{
	(void)state;
	start(NULL);
	is_muted = true;
	waits(2, LOCK, MUTEX, 4000, 9000);
	look();
	assert_int_equal(nr_told, 0);
	is_muted = false;
	look();
	assert_int_equal(nr_told, 1);
}

/* The slot keeps the last wait. An event of the thread at a later time shows that the wait is over. */
static void a_call_that_has_returned_does_not_wait(void **state)
{
	(void)state;
	start(NULL);
	did(2, LOCK, MUTEX, 4010, 10);
	waits(2, LOCK, MUTEX, 4000, 9000);
	look();
	assert_int_equal(nr_told, 0);
}

static void nothing_is_told_of_times_before_a_pause_ended(void **state)
{
	(void)state;
	start(NULL);
	did(1, LOCK, MUTEX, 100, 0);
	waits(2, LOCK, MUTEX, 4000, 9000);
	image.resumed = START + 4500;
	look();
	look();
	assert_int_equal(nr_told, 0);
	did(1, UNLOCK, MUTEX, 9000, 0);
	assert_int_equal(nr_told, 0);
}

/* ---- holds ---- */

static void a_hold_longer_than_the_rule(void **state)
{
	(void)state;
	start(NULL);
	did(1, LOCK, MUTEX, 1000, 0);
	did(1, UNLOCK, MUTEX, 1000 + LIMIT, 0);
	assert_int_equal(nr_told, 0);
	did(1, LOCK, MUTEX, 3000, 0);
	did(1, UNLOCK, MUTEX, 3001 + LIMIT, 0);
	assert_int_equal(nr_told, 1);
	expect(0, SYT_ALARM_HOLD, 1, LOCK, LIMIT + 1, 3000, true);
	assert_int_equal(told[0].object, MUTEX - 1);
}

static void a_recursive_lock_is_held_until_the_last_unlock(void **state)
{
	(void)state;
	start(NULL);
	did(1, LOCK, MUTEX, 1000, 0);
	did(1, LOCK, MUTEX, 1100, 0);
	did(1, UNLOCK, MUTEX, 1200 + LIMIT, 0);
	assert_int_equal(nr_told, 0);
	did(1, UNLOCK, MUTEX, 1300 + LIMIT, 0);
	assert_int_equal(nr_told, 1);
	expect(0, SYT_ALARM_HOLD, 1, LOCK, LIMIT + 300, 1000, true);
}

/* pthread_cond_wait() releases the mutex at its begin and takes it at its end. */
static void a_wait_for_a_condition_divides_a_hold(void **state)
{
	(void)state;
	start(NULL);
	did(1, LOCK, MUTEX, 1000, 0);
	cond_waited(1, 9000, 7900); /* from 1100 on */
	did(1, UNLOCK, MUTEX, 9100, 0);
	assert_int_equal(nr_told, 0);
	did(1, LOCK, MUTEX, 20000, 0);
	cond_waited(1, 21100 + LIMIT, 100);
	assert_int_equal(nr_told, 1);
	expect(0, SYT_ALARM_HOLD, 1, LOCK, LIMIT + 1000, 20000, true);
}

/* A release is recorded after it took effect, so `watch` reports a lock as held only if a second look
 * confirms it. */
static void a_lock_still_held_is_told_at_the_second_look(void **state)
{
	(void)state;
	start(NULL);
	did(1, LOCK, MUTEX, 1000, 0);
	image.now = START + 1000 + 2 * LIMIT;
	look();
	assert_int_equal(nr_told, 0);
	look();
	assert_int_equal(nr_told, 1);
	expect(0, SYT_ALARM_HOLD, 1, LOCK, 2 * LIMIT, 1000, false);
	assert_false(told[0].has_ended);
	look();
	did(1, UNLOCK, MUTEX, 9000, 0);
	assert_int_equal(nr_told, 1);
}

static void a_lock_held_by_a_thread_that_has_ended(void **state)
{
	(void)state;
	start(NULL);
	did(1, LOCK, MUTEX, 1000, 0);
	did(1, THREAD_END, 0, 1010, 0);
	image.now = START + 1000 + 2 * LIMIT;
	look();
	look();
	assert_int_equal(nr_told, 1);
	assert_true(told[0].has_ended);
}

static void a_thread_that_waits_for_a_condition_does_not_hold_the_mutex(void **state)
{
	(void)state;
	start(NULL);
	did(1, LOCK, MUTEX, 1000, 0);
	did(1, LOCK, OTHER_MUTEX, 1001, 0);
	waits(1, COND_WAIT, COND, 1100, 9000);
	look();
	look();
	assert_int_equal(nr_told, 1); /* the other mutex */
	assert_int_equal(told[0].object, OTHER_MUTEX - 1);
}

/* If another thread has the lock now, the lock was released although no event shows this. */
static void a_lock_that_another_thread_took_is_not_held(void **state)
{
	(void)state;
	start(NULL);
	did(1, LOCK, MUTEX, 1000, 0);
	did(2, LOCK, MUTEX, 8990, 0);
	image.now = START + 9000;
	look();
	look();
	assert_int_equal(nr_told, 0);
}

/* A lock that other threads release is used as a semaphore, so its hold times are meaningless. */
static void a_lock_that_others_release_is_not_told(void **state)
{
	(void)state;
	start(NULL);
	did(2, UNLOCK, MUTEX, 500, 0);
	did(1, LOCK, MUTEX, 1000, 0);
	did(1, UNLOCK, MUTEX, 9000, 0);
	assert_int_equal(nr_told, 0);
	did(1, LOCK, OTHER_MUTEX, 11000, 0);
	did(1, UNLOCK, OTHER_MUTEX, 19000, 0);
	assert_int_equal(nr_told, 1);
}

static void events_that_are_missing_end_all_holds(void **state)
{
	struct syt_tail_eye eye = syt_alarms_eye(&alarms);

	(void)state;
	start(NULL);
	did(1, LOCK, MUTEX, 1000, 0);
	eye.on_gap(eye.context, &image, 1, START + 2000);
	did(1, UNLOCK, MUTEX, 9000, 0);
	did(2, LOCK, MUTEX, 10000, 0); /* the unlock without a lock does not mark the mutex */
	did(2, UNLOCK, MUTEX, 19000, 0);
	assert_int_equal(nr_told, 1);
	expect(0, SYT_ALARM_HOLD, 2, LOCK, 9000, 10000, true);
}

/* ---- times of the options ---- */

static void times(void **state)
{
	static const struct {
		const char *text;
		uint64_t ns; /* 0: not a time */
	} cases[] = {
		{"50ms", 50000000},
		{"1us", 1000},
		{"1.5s", 1500000000},
		{"86400s", UINT64_C(86400000000000)},
		{"999ns", 0},
		{"0.9us", 0},
		{"86401s", 0},
		{"50", 0},
		{"ms", 0},
		{".5ms", 0},
		{"5 ms", 0},
		{"", 0},
	};

	(void)state;
	for (unsigned n = 0; n < sizeof(cases) / sizeof(*cases); n++) {
		uint64_t ns = 1;

		assert_int_equal(syt_span_parse(cases[n].text, strlen(cases[n].text), &ns),
		                 cases[n].ns != 0);
		assert_int_equal(ns, cases[n].ns);
	}
}

#define TEST(name_) cmocka_unit_test_teardown(name_, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_lock_longer_than_the_rule_is_slow),
		TEST(idle_waits_are_not_slow),
		TEST(a_rule_with_a_name_takes_only_these_calls),
		TEST(a_call_that_does_not_return_is_told_once),
		TEST(an_alarm_that_may_not_be_told_comes_at_a_later_look),
		TEST(a_call_that_has_returned_does_not_wait),
		TEST(nothing_is_told_of_times_before_a_pause_ended),
		TEST(a_hold_longer_than_the_rule),
		TEST(a_recursive_lock_is_held_until_the_last_unlock),
		TEST(a_wait_for_a_condition_divides_a_hold),
		TEST(a_lock_still_held_is_told_at_the_second_look),
		TEST(a_lock_held_by_a_thread_that_has_ended),
		TEST(a_thread_that_waits_for_a_condition_does_not_hold_the_mutex),
		TEST(a_lock_that_another_thread_took_is_not_held),
		TEST(a_lock_that_others_release_is_not_told),
		TEST(events_that_are_missing_end_all_holds),
		cmocka_unit_test(times),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
