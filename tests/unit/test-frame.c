/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Recording under signals: a handler that records may interrupt the recorder anywhere.  Every event
 * of both must be committed exactly once, each in its lane.
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "format/calls.h"
#include "runtime/arena.h"
#include "runtime/frame.h"
#include "runtime/plain.h"
#include "runtime/self.h"
#include "runtime/session.h"
#include "runtime/thread.h"

static char dir[64], setting[128];
static volatile uint64_t nr_handled;
static sigjmp_buf escape;
static volatile sig_atomic_t escape_after;

static void record_general(void)
{
	struct syt_frame f;
	struct syt_event e = {.call = SYT_CALL_pthread_mutex_lock, .object = 1};

	if (!SYT_ENTER(&f))
		return;
	syt_stamp_in(&f);
	syt_leave_out(&f, &e);
}

static void record_acquire(void)
{
	struct syt_entered entered = syt_plain_enter_capture(SYT_FP);

	if (entered.alive)
		syt_plain_leave_out(SYT_FP, entered, SYT_CALL_pthread_mutex_lock, 1);
}

static void record_release(void)
{
	uint32_t alive = syt_plain_enter();

	if (alive)
		syt_plain_leave_in(SYT_FP, alive, syt_plain_stamp_in(),
		                   SYT_CALL_pthread_mutex_unlock, 1);
}

/* Records one event, by each of the recorder's ways in turn. */
static void record_one(void)
{
	static void (*const ways[])(void) = {record_acquire, record_release, record_general};
	static volatile unsigned nr;

	ways[nr++ % (sizeof(ways) / sizeof(ways[0]))]();
}

static void on_signal(int number)
{
	(void)number;
	record_one();
	nr_handled++;
	if (escape_after && --escape_after == 0)
		siglongjmp(escape, 1);
}

static uint64_t nr_recorded(void)
{
	const struct syt_slot_state *slot = &syt_self_tls->slot;
	uint64_t n = slot->shared->sealed + slot->shared->dropped;

	for (unsigned i = 0; i < SYT_NR_LANES; i++)
		n += slot->shared->lanes[i].committed >> 32;
	return n;
}

static timer_t start_timer(void)
{
	struct sigevent sev = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGUSR1};
	struct itimerspec every = {{0, 20000}, {0, 20000}};
	struct sigaction sa = {.sa_handler = on_signal};
	timer_t timer;

	sev._sigev_un._tid = gettid();
	sigaction(SIGUSR1, &sa, NULL);
	assert_int_equal(timer_create(CLOCK_MONOTONIC, &sev, &timer), 0);
	assert_int_equal(timer_settime(timer, 0, &every, NULL), 0);
	return timer;
}

static void test_handlers_lose_and_tear_nothing(void **state)
{
	uint64_t before = nr_recorded(), handled = nr_handled, mine = 1000000;
	timer_t timer = start_timer();

	(void)state;
	for (uint64_t i = 0; i < mine; i++)
		record_one();
	timer_delete(timer);
	assert_true(nr_handled > handled);
	assert_int_equal(nr_recorded() - before, mine + nr_handled - handled);
	assert_int_equal(syt_arena_file()->lost[SYT_LOSS_NESTED], 0);
	/* the test shows something only if a handler interrupted the recorder */
	assert_true(syt_slot_lane(&syt_self_tls->slot, 1)->shared->block.first_seq +
	                    syt_slot_lane(&syt_self_tls->slot, 1)->nr_events >
	            0);
}

static void test_a_handler_that_jumps_away(void **state)
{
	timer_t timer = start_timer();
	volatile int jumps = 0;

	(void)state;
	for (;;) {
		if (sigsetjmp(escape, 1) == 0) {
			escape_after = 20;
			for (;;)
				record_one();
		}
		if (++jumps == 50)
			break;
	}
	timer_delete(timer);
	/* a recording that a jump left does not occupy its lane for ever: a shallower frame uses lane 0
	 * again */
	record_one();
	record_one();
	assert_true(syt_self_tls->depth <= 1);

	uint64_t before = nr_recorded();

	for (int i = 0; i < 1000; i++)
		record_one();
	assert_int_equal(nr_recorded() - before, 1000);
}

static void test_a_forked_child_has_its_own_dump(void **state)
{
	uint64_t before = nr_recorded();
	int status;
	pid_t pid = fork();

	(void)state;
	if (pid == 0) {
		/* no wrapper reported the fork to the recorder: the first event detects it */
		for (int i = 0; i < 10; i++)
			record_one();
		/* 10 and process_start, in a file that says so */
		_exit(nr_recorded() == 11 && syt_arena_file()->pid == (uint32_t)getpid() &&
		                      syt_arena_file()->parent_index == 0 && syt_self() == 0
		              ? 0
		              : 1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_int_equal(nr_recorded(), before);
	assert_int_equal(syt_arena_file()->pid, getpid());
}

/* The events of a signal handler lie in the middle of a release. The next event no longer bounds the release, so
 * the end of the release is recorded. */
static void test_an_interrupted_release_has_an_end(void **state)
{
	struct syt_frame f;
	struct syt_event e = {.call = SYT_CALL_sem_post, .object = 2};

	(void)state;
	assert_true(SYT_ENTER(&f));
	syt_stamp_in(&f);
	syt_leave_in(&f, &e);
	assert_int_equal(e.dur, 0);
	assert_true(SYT_ENTER(&f));
	syt_stamp_in(&f);
	record_one();
	uint64_t end = syt_self_tls->slot.lane0.predictor.end;

	syt_leave_in(&f, &e);
	assert_int_equal(e.stamp, f.in);
	assert_true(e.stamp + e.dur >= end);
}

/*
 * If two threads had the same pthread_t one after the other, the later thread may have the smaller
 * thread number.
 */
static void test_a_reused_thread_handle(void **state)
{
	uint32_t slow = syt_thread_announce(), quick = syt_thread_announce();
	uint64_t handle = UINT64_C(0x7f0012345000);

	(void)state;
	syt_thread_bind(handle, quick);
	syt_thread_bind_created(handle, quick);
	assert_int_equal(syt_thread_find(handle), quick);
	syt_thread_unbind(handle, quick);
	assert_int_equal(syt_thread_find(handle), SYT_THREAD_NONE);
	syt_thread_bind_created(handle, slow);
	assert_int_equal(syt_thread_find(handle), slow);
	syt_thread_bind(handle, slow);
	/* a detached thread is gone, and another thread with its pthread_t has begun before the creator
	 * of the first continues */
	uint32_t last = syt_thread_announce();

	syt_thread_bind(handle, last);
	syt_thread_bind_created(handle, slow);
	assert_int_equal(syt_thread_find(handle), last);
	syt_thread_unbind(handle, slow);
	assert_int_equal(syt_thread_find(handle), last);
}

static int set_up(void **state)
{
	char *envp[] = {setting, NULL};

	(void)state;
	snprintf(dir, sizeof(dir), "/tmp/test-frame.XXXXXX");
	assert_non_null(mkdtemp(dir));
	snprintf(setting, sizeof(setting), "SYNTRACE_DIR=%s/trace", dir);
	syt_session_start(envp);
	assert_true(syt_is_recording());
	assert_int_equal(syt_self(), 0);
	return 0;
}

static int tear_down(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -r '%s'", dir);
	return system(command);
}

/*
 * Both forms of recording write the object into the slot before the call waits; a forked child does not
 * write into its parent's slot.
 */
static void test_slot_names_the_object_before_the_wait(void **state)
{
	volatile const struct syt_waiting *w = &syt_self_tls->slot.shared->waiting;
	struct syt_frame f;
	struct syt_event e = {
		.call = SYT_CALL_pthread_cond_wait, .object = 3, .object2 = 4, .thread = 5};
	struct syt_entered entered;
	uint64_t since;

	(void)state;
	assert_true(SYT_ENTER(&f));
	syt_capture(&f);
	syt_block(&f, &e);
	assert_true(w->since && w->since == f.in);
	assert_int_equal(w->thread, syt_self_tls->thread);
	assert_int_equal(w->call, SYT_CALL_pthread_cond_wait);
	assert_int_equal(w->stack, f.stack);
	assert_int_equal(w->object, 3);
	assert_int_equal(w->object2, 4);
	assert_int_equal(w->joined, 5);

	entered = syt_plain_enter_capture(SYT_FP);
	assert_true(entered.alive);
	since = syt_plain_wait(entered, SYT_CALL_pthread_mutex_lock, 6, 0);
	assert_true(since > f.in && w->since == since);
	assert_int_equal(w->call, SYT_CALL_pthread_mutex_lock);
	assert_int_equal(w->stack, entered.stack);
	assert_int_equal(w->object, 6);
	assert_int_equal(w->object2, 0);
	assert_int_equal(w->joined, 0);
	syt_plain_leave_out(SYT_FP, entered, SYT_CALL_pthread_mutex_lock, 6);

	pid_t child = fork();
	int status;

	if (child == 0) {
		syt_plain_wait(entered, SYT_CALL_pthread_mutex_lock, 7, 0);
		syt_block(&f, &e);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_int_equal(w->object, 6);
}

/* Uses the CPU for 0.3 ms, so that the next event needs the thread's CPU time. */
static void compute(void)
{
	struct timespec begin, now;

	clock_gettime(CLOCK_MONOTONIC, &begin);
	do
		clock_gettime(CLOCK_MONOTONIC, &now);
	while ((now.tv_sec - begin.tv_sec) * 1000000000 + now.tv_nsec - begin.tv_nsec < 300000);
}

/* The system call for the CPU time would lengthen the critical section, and the scheduler may take the CPU away in it. */
static void test_an_acquire_reads_the_cpu_time_before_the_call(void **state)
{
	(void)state;
	record_acquire();
	record_release();
	for (int round = 0; round < 4; round++) {
		uint64_t last = syt_self_tls->cpu_at, before;

		compute();

		struct syt_entered entered = syt_plain_enter_capture(SYT_FP);

		assert_true(entered.alive);
		before = syt_self_tls->cpu_at;
		syt_plain_leave_out(SYT_FP, entered, SYT_CALL_pthread_mutex_lock, 1);
		assert_true(syt_self_tls->cpu_at > last);
		/* the first gap is unexpected, and a slow clock has another path */
		if (round && syt_clock_has_tsc) {
			assert_true(before > last);
			assert_int_equal(syt_self_tls->cpu_at, before);
		}
		record_release();
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_handlers_lose_and_tear_nothing),
		cmocka_unit_test(test_a_handler_that_jumps_away),
		cmocka_unit_test(test_a_forked_child_has_its_own_dump),
		cmocka_unit_test(test_an_interrupted_release_has_an_end),
		cmocka_unit_test(test_a_reused_thread_handle),
		cmocka_unit_test(test_slot_names_the_object_before_the_wait),
		cmocka_unit_test(test_an_acquire_reads_the_cpu_time_before_the_call),
	};

	return cmocka_run_group_tests_name("frame", tests, set_up, tear_down);
}
