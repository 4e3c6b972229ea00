/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Services, waits. The first tests use histories made by hand. Then programs run at random in steps
 * of one clock. They know for each wait whether the thread waited for the answer to its own
 * request, for each step of a sleep whether a thread waited for the sleeper, and for each other
 * step whether the thread was on a processor.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "decoder/analysis/service.h"
#include "decoder/analysis/classify.h"
#include "decoder/report/waits/waits.h"
#include "tests/lib/random.h"
#include "tests/unit/report-check.h"

static struct syt_labels *labels;
static struct syt_blamer blamer;
static struct syt_waits w;

static void expect_sums_of(const struct syt_waits_sums *s)
{
	syt_time by_class[SYT_NR_WAITS_CLASSES] = {0}, waited = 0, by_reason = 0;

	for (unsigned k = 0; k < SYT_NR_WAITS_KINDS; k++)
		for (unsigned i = 0; i < SYT_NR_WAITS_CLASSES; i++)
			by_class[i] += s->by_kind[k][i];
	assert_memory_equal(by_class, s->by_class, sizeof(by_class));
	for (unsigned i = 0; i < SYT_NR_WAITS_CLASSES; i++)
		waited += by_class[i];
	for (unsigned i = 0; i < SYT_NR_WAITS_REASONS; i++)
		by_reason += s->by_reason[i];
	assert_int_equal(by_reason, waited);
	assert_int_equal(s->on_cpu + s->off_cpu + s->unmeasured + waited, s->wall);
}

/* Checks the sums that every report must satisfy. */
static void expect_sums(void)
{
	syt_time by_reason[3][SYT_NR_WAITS_REASONS] = {{0}}, wall = 0;

	for (uint32_t t = 0; t < order.places.nr_threads; t++) {
		const struct syt_thread *thread = order.places.threads[t];

		expect_sums_of(&w.threads[t]);
		wall += w.threads[t].wall;
		if (thread->nr_rows)
			assert_true(w.threads[t].wall >=
			            thread->rows[thread->nr_rows - 1].out - thread->rows[0].in);
		for (unsigned i = 0; i < SYT_NR_WAITS_REASONS; i++)
			by_reason[0][i] += w.threads[t].by_reason[i];
	}
	expect_sums_of(&w.all);
	assert_int_equal(w.all.wall, wall);
	for (size_t i = 0; i < w.nr_paths; i++)
		by_reason[1][w.paths[i].reason] += w.paths[i].time;
	for (size_t i = 0; i < w.nr_groups; i++)
		by_reason[2][w.groups[i].reason] += w.groups[i].time;
	for (unsigned i = 0; i < 3; i++)
		assert_memory_equal(by_reason[i], w.all.by_reason, sizeof(by_reason[i]));
}

static void look(void)
{
	assert_int_equal(syt_order_open(&order, syt_builder_trace(b)), 0);
	labels = syt_labels_create(&order.places, NULL, 0);
	syt_blamer_open(&blamer, &order, labels);
	syt_waits_open(&w, &blamer, NULL);
	expect_sums();
}

static void end(void)
{
	syt_waits_close(&w);
	syt_blamer_close(&blamer);
	syt_labels_destroy(labels);
	syt_order_close(&order);
	syt_builder_destroy(b);
}

static uint64_t waited(uint32_t thread, enum syt_waits_reason reason)
{
	return SYT_TIME_NS(w.threads[thread].by_reason[reason]);
}

/* Compares the first sentences of the text, up to the name of the first undecided call path. */
static void expect_findings(unsigned least_thousandths, const char *expected)
{
	const struct syt_view view = {.order = w.order,
	                              .labels = w.labels,
	                              .report = &w,
	                              .least_thousandths = least_thousandths};
	char text[256] = "";
	struct syt_out out;
	int fd = memfd_create("out", 0);

	syt_out_open(&out, fd, false);
	syt_waits_findings(&out, &view);
	assert_int_equal(syt_out_close(&out), 0);
	assert_true(pread(fd, text, sizeof(text) - 1, 0) > 0);
	const char *undecided = "Undecided whether this wait delayed work: ";
	char *end = strstr(text, undecided);

	if (end)
		end[strlen(undecided)] = 0;
	assert_string_equal(text, expected);
	close(fd);
}

/* ---- by hand ---- */

/*
 * T 0 has work done by T 1, several times; the first exchange decides which thread is the client.
 */
static void question_and_answer(void **state)
{
	(void)state;
	start(2);
	uint32_t q = object(SYT_KIND_SEM, 0x1000), a = object(SYT_KIND_SEM, 0x2000);

	made(0, (struct syt_made){SYT_SHAPE_INIT, q, .out = 1});
	made(0, (struct syt_made){SYT_SHAPE_INIT, a, .out = 2});
	for (syt_time at = 0; at < 300; at += 100) {
		on(1, SYT_SHAPE_SEM_WAIT, q, at + 5, at + 20);
		on(0, SYT_SHAPE_SEM_POST, q, at + 20, at + 20);
		on(0, SYT_SHAPE_SEM_WAIT, a, at + 30, at + 60);
		on(1, SYT_SHAPE_SEM_POST, a, at + 60, at + 60);
	}
	look();
	assert_int_equal(waited(0, SYT_WAITS_ASKED), 90);
	assert_int_equal(waited(1, SYT_WAITS_ARRIVED), 45);
	assert_int_equal(w.all.by_class[SYT_WAITS_CLASS_UNDECIDED], 0);
	end();
}

/* A semaphore that threads give back themselves is a lock. */
static void semaphore_as_a_lock(void **state)
{
	(void)state;
	start(2);
	uint32_t s = object(SYT_KIND_SEM, 0x1000);

	made(0, (struct syt_made){SYT_SHAPE_INIT, s, .out = 1, .arg = 1});
	on(0, SYT_SHAPE_SEM_WAIT, s, 5, 5);
	on(1, SYT_SHAPE_SEM_WAIT, s, 10, 30);
	on(0, SYT_SHAPE_SEM_POST, s, 30, 30);
	on(1, SYT_SHAPE_SEM_POST, s, 40, 40);
	on(0, SYT_SHAPE_SEM_WAIT, s, 35, 40);
	on(0, SYT_SHAPE_SEM_POST, s, 50, 50);
	look();
	assert_int_equal(waited(1, SYT_WAITS_LOCKED), 20);
	assert_int_equal(waited(0, SYT_WAITS_LOCKED), 5);
	end();
}

/* A sleep while holding a lock is harmful as long as another thread waits for the lock. */
static void sleeping_with_a_lock(void **state)
{
	(void)state;
	start(2);
	uint32_t m = object(SYT_KIND_MUTEX, 0x1000);

	on(0, SYT_SHAPE_LOCK, m, 10, 10);
	on(0, SYT_SHAPE_PAUSE, 0, 20, 60);
	on(1, SYT_SHAPE_LOCK, m, 45, 70);
	on(0, SYT_SHAPE_UNLOCK, m, 70, 70);
	on(0, SYT_SHAPE_PAUSE, 0, 80, 90);
	look();
	assert_int_equal(waited(0, SYT_WAITS_AWAITED), 15);
	assert_int_equal(waited(0, SYT_WAITS_TIME), 25 + 10);
	assert_int_equal(waited(1, SYT_WAITS_LOCKED), 25);
	end();
}

/* The creator of a thread waits for its work, and for its end. */
static void creator_waits_for_its_thread(void **state)
{
	(void)state;
	start(2);
	uint32_t s = object(SYT_KIND_SEM, 0x1000);

	made(0, (struct syt_made){SYT_SHAPE_INIT, s, .out = 1});
	made(0, (struct syt_made){SYT_SHAPE_CREATE, .in = 5, .out = 6, .thread1 = 2});
	made(1, (struct syt_made){SYT_SHAPE_THREAD_START, .in = 8, .out = 8});
	on(0, SYT_SHAPE_SEM_WAIT, s, 10, 40);
	on(1, SYT_SHAPE_SEM_POST, s, 40, 40);
	made(0, (struct syt_made){SYT_SHAPE_JOIN, .in = 50, .out = 90, .thread1 = 2});
	on(1, SYT_SHAPE_PAUSE, 0, 45, 70);
	made(1, (struct syt_made){SYT_SHAPE_THREAD_END, .in = 90, .out = 90});
	look();
	assert_int_equal(waited(0, SYT_WAITS_MADE), 30);
	assert_int_equal(waited(0, SYT_WAITS_END), 40);
	assert_int_equal(waited(1, SYT_WAITS_TIME), 5);
	assert_int_equal(waited(1, SYT_WAITS_JOINED), 20);
	end();
}

/* A worker reports to its creator that it is ready, and waits for work. The worker has not requested this work. */
static void ready_for_work(void **state)
{
	(void)state;
	start(2);
	uint32_t ready = object(SYT_KIND_SEM, 0x1000), work = object(SYT_KIND_SEM, 0x2000);

	made(0, (struct syt_made){SYT_SHAPE_INIT, ready, .out = 1});
	made(0, (struct syt_made){SYT_SHAPE_INIT, work, .out = 2});
	made(0, (struct syt_made){SYT_SHAPE_CREATE, .in = 5, .out = 6, .thread1 = 2});
	made(1, (struct syt_made){SYT_SHAPE_THREAD_START, .in = 8, .out = 8});
	on(0, SYT_SHAPE_SEM_WAIT, ready, 10, 20);
	on(1, SYT_SHAPE_SEM_POST, ready, 20, 20);
	on(1, SYT_SHAPE_SEM_WAIT, work, 25, 70);
	on(0, SYT_SHAPE_SEM_POST, work, 70, 70);
	look();
	assert_int_equal(waited(0, SYT_WAITS_MADE), 10);
	assert_int_equal(waited(1, SYT_WAITS_ARRIVED), 45);
	end();
}

/* The end that connected is the client when its peer is not in the trace. */
static void untraced_peers(void **state)
{
	(void)state;
	start(2);
	uint32_t l = object(SYT_KIND_LISTEN, 1), a = object(SYT_KIND_STREAM, 2);
	uint32_t c = object(SYT_KIND_STREAM, 3);

	made(0, (struct syt_made){SYT_SHAPE_ACCEPT, a, .in = 1000, .out = 201000, .result = 5,
	                          .object2 = l});
	made(0, (struct syt_made){SYT_SHAPE_RECV, a, .in = 202000, .out = 502000, .result = 1,
	                          .bytes = 1});
	made(0, (struct syt_made){SYT_SHAPE_SEND, a, .in = 503000, .out = 504000, .result = 1,
	                          .bytes = 1}); /* did not wait */
	made(1, (struct syt_made){SYT_SHAPE_CONNECT, c, .in = 1000, .out = 2000});
	made(1, (struct syt_made){SYT_SHAPE_RECV, c, .in = 3000, .out = 403000, .result = 1,
	                          .bytes = 1});
	made(1, (struct syt_made){SYT_SHAPE_SEND, c, .in = 404000, .out = 904000, .result = 1,
	                          .offset = 1, .bytes = 1});
	look();
	assert_int_equal(waited(0, SYT_WAITS_CLIENT), 200000 + 300000);
	assert_int_equal(waited(0, SYT_WAITS_ROOM), 0);
	assert_int_equal(waited(1, SYT_WAITS_SERVER), 400000);
	/* The call took long, but it may not block. */
	assert_int_equal(waited(1, SYT_WAITS_ROOM), 0);
	assert_int_equal(waited(1, SYT_WAITS_UNTOLD), 500000);
	assert_int_equal(w.all.by_kind[SYT_WAITS_FOR_CALL][SYT_WAITS_CLASS_UNDECIDED], 500000 * NS);
	end();
}

/* A signal's handler makes calls in the middle of a wait; the wait's event comes behind them. */
static void interrupted(void **state)
{
	(void)state;
	start(2);
	uint32_t l = object(SYT_KIND_LISTEN, 1), s = object(SYT_KIND_SEM, 2);

	made(0, (struct syt_made){SYT_SHAPE_INIT, s, .out = 1000});
	on(0, SYT_SHAPE_SEM_POST, s, 701000, 701000);
	on(0, SYT_SHAPE_SEM_POST, s, 702000, 703000);
	made(0, (struct syt_made){SYT_SHAPE_ACCEPT, .in = 2000, .out = 704000, .result = -1,
	                          .err = EINTR, .object2 = l});
	on(0, SYT_SHAPE_SEM_POST, s, 705000, 705000);
	look();
	assert_int_equal(w.all.wall, 704000 * NS);
	/* all but the handler's calls, and the time outside of it */
	assert_int_equal(waited(0, SYT_WAITS_CLIENT), 701000 - 2000 + 1000 + 1000);
	end();
}

/* T 0 sends into a pipe that is full until T 1 reads; then a byte, which T 1 reads before it is back. */
static void full_pipe_waits_for_space(void **state)
{
	(void)state;
	start(2);
	uint32_t pipe = object(SYT_KIND_PIPE, 1);

	made(0, (struct syt_made){SYT_SHAPE_SEND, pipe, .in = 1000, .out = 2000, .result = 65536,
	                          .bytes = 65536});
	made(0, (struct syt_made){SYT_SHAPE_SEND, pipe, .in = 3000, .out = 503000, .result = 100,
	                          .offset = 65536, .bytes = 100});
	made(1, (struct syt_made){SYT_SHAPE_RECV, pipe, .in = 498000, .out = 500000,
	                          .result = 65536, .bytes = 65536});
	made(1, (struct syt_made){SYT_SHAPE_RECV, pipe, .in = 510000, .out = 511000, .result = 100,
	                          .offset = 65536, .bytes = 100});
	made(0, (struct syt_made){SYT_SHAPE_SEND, pipe, .in = 600000, .out = 900000, .result = 1,
	                          .offset = 65636, .bytes = 1});
	made(1, (struct syt_made){SYT_SHAPE_RECV, pipe, .in = 512000, .out = 700000, .result = 1,
	                          .offset = 65636, .bytes = 1});
	look();
	assert_int_equal(waited(0, SYT_WAITS_ROOM), 500000);
	assert_int_equal(waited(0, SYT_WAITS_UNTOLD), 300000);
	end();
}

/*
 * Between a request and its answer the client waits, whichever object the thread waits for. Before
 * and after, and while it waits for clients by the same epoll instance, no client waits.
 */
static void client_waits_during_its_request(void **state)
{
	(void)state;
	start(2);
	uint32_t l = object(SYT_KIND_LISTEN, 1), a = object(SYT_KIND_STREAM, 2);
	uint32_t s = object(SYT_KIND_SEM, 0x1000), clients = object(SYT_KIND_EPOLL, 5);
	uint32_t latch = object(SYT_KIND_EPOLL, 6), e = object(SYT_KIND_EVENTFD, 7);

	made(0, (struct syt_made){SYT_SHAPE_INIT, s, .out = 1});
	made(0, (struct syt_made){SYT_SHAPE_ACCEPT, a, .in = 10, .out = 11, .result = 5,
	                          .object2 = l});
	on(0, SYT_SHAPE_SEM_WAIT, s, 100, 200);
	made(0, (struct syt_made){SYT_SHAPE_READY, clients, .in = 210, .out = 220, .result = 1,
	                          .ready = {{a, SYT_READY_IN}}});
	made(0,
	     (struct syt_made){SYT_SHAPE_RECV, a, .in = 230, .out = 231, .result = 7, .bytes = 7});
	on(0, SYT_SHAPE_SEM_WAIT, s, 300, 400);
	made(0, (struct syt_made){SYT_SHAPE_READY, clients, .in = 410, .out = 200410, .result = 0});
	made(0, (struct syt_made){SYT_SHAPE_READY, latch, .in = 201000, .out = 401000, .result = 1,
	                          .ready = {{e, SYT_READY_IN}}});
	made(0, (struct syt_made){SYT_SHAPE_SEND, a, .in = 402000, .out = 402001, .result = 7,
	                          .bytes = 7});
	on(0, SYT_SHAPE_SEM_WAIT, s, 403000, 404000);
	on(1, SYT_SHAPE_SEM_POST, s, 200, 200);
	on(1, SYT_SHAPE_SEM_POST, s, 400, 400);
	made(1, (struct syt_made){SYT_SHAPE_SEND, e, .in = 400990, .out = 400995, .result = 8,
	                          .bytes = 1});
	on(1, SYT_SHAPE_SEM_POST, s, 404000, 404000);
	look();
	assert_int_equal(waited(0, SYT_WAITS_AWAITED), 100 + 200000);
	assert_int_equal(waited(0, SYT_WAITS_TIME), 200000);
	assert_int_equal(waited(0, SYT_WAITS_ARRIVED), 100 + 1000);
	end();
}

/* If a thread has requests of two clients, the thread has deferred one of the requests. */
static void requests_of_two_clients(void **state)
{
	(void)state;
	start(2);
	uint32_t l = object(SYT_KIND_LISTEN, 1), s = object(SYT_KIND_SEM, 0x1000);
	uint32_t a[2] = {object(SYT_KIND_STREAM, 2), object(SYT_KIND_STREAM, 3)};

	made(0, (struct syt_made){SYT_SHAPE_INIT, s, .out = 1});
	for (unsigned i = 0; i < 2; i++)
		made(0, (struct syt_made){SYT_SHAPE_ACCEPT, a[i], .in = 10 + 2 * i,
		                          .out = 11 + 2 * i, .result = 5, .object2 = l});
	for (unsigned i = 0; i < 2; i++)
		made(0, (struct syt_made){SYT_SHAPE_RECV, a[i], .in = 20 + 2 * i, .out = 21 + 2 * i,
		                          .result = 7, .bytes = 7});
	on(0, SYT_SHAPE_SEM_WAIT, s, 30, 130);
	on(1, SYT_SHAPE_SEM_POST, s, 130, 130);
	made(0, (struct syt_made){SYT_SHAPE_SEND, a[0], .in = 140, .out = 141, .result = 7,
	                          .bytes = 7});
	look();
	assert_int_equal(waited(0, SYT_WAITS_AWAITED), 0);
	end();
}

/*
 * T 1 and T 2 are each told to stop by a semaphore of their own, and report this by a semaphore
 * that they share. The report of T 1 does not make requests of T 2's reports.
 */
static void stop_reports_are_no_requests(void **state)
{
	(void)state;
	start(3);
	uint32_t stop[2] = {object(SYT_KIND_SEM, 0x1000), object(SYT_KIND_SEM, 0x2000)};
	uint32_t stopped = object(SYT_KIND_SEM, 0x3000);

	for (unsigned i = 0; i < 2; i++)
		made(0, (struct syt_made){SYT_SHAPE_INIT, stop[i], .out = 1 + i});
	made(0, (struct syt_made){SYT_SHAPE_INIT, stopped, .out = 3});
	for (unsigned i = 0; i < 2; i++) {
		syt_time at = 100 * (i + 1);

		on(i + 1, SYT_SHAPE_SEM_WAIT, stop[i], 10, at);
		on(0, SYT_SHAPE_SEM_POST, stop[i], at, at);
		on(0, SYT_SHAPE_SEM_WAIT, stopped, at + 10, at + 40);
		on(i + 1, SYT_SHAPE_SEM_POST, stopped, at + 40, at + 40);
	}
	look();
	assert_int_equal(waited(1, SYT_WAITS_ASKED), 0);
	assert_int_equal(waited(2, SYT_WAITS_ASKED), 0);
	assert_int_equal(waited(0, SYT_WAITS_ASKED), 60);
	end();
}

/* The creator waits for two threads before it gives them work. The threads had not requested an answer. */
static void readiness_reports_are_no_requests(void **state)
{
	(void)state;
	start(3);
	uint32_t ready = object(SYT_KIND_SEM, 0x3000);
	uint32_t work[2] = {object(SYT_KIND_SEM, 0x1000), object(SYT_KIND_SEM, 0x2000)};

	made(0, (struct syt_made){SYT_SHAPE_INIT, ready, .out = 1});
	for (unsigned i = 0; i < 2; i++) {
		made(0, (struct syt_made){SYT_SHAPE_INIT, work[i], .out = 2 + i});
		made(0, (struct syt_made){SYT_SHAPE_CREATE, .in = 10 + i, .out = 10 + i,
		                          .thread1 = 2 + i});
		made(i + 1, (struct syt_made){SYT_SHAPE_THREAD_START, .in = 12, .out = 12});
	}
	for (unsigned i = 0; i < 2; i++) {
		on(0, SYT_SHAPE_SEM_WAIT, ready, 20 + 10 * i, 30 + 10 * i);
		on(i + 1, SYT_SHAPE_SEM_POST, ready, 30 + 10 * i, 30 + 10 * i);
	}
	for (unsigned i = 0; i < 2; i++) {
		on(i + 1, SYT_SHAPE_SEM_WAIT, work[i], 60, 100 + 10 * i);
		on(0, SYT_SHAPE_SEM_POST, work[i], 100 + 10 * i, 100 + 10 * i);
	}
	look();
	assert_int_equal(waited(1, SYT_WAITS_ARRIVED), 40);
	assert_int_equal(waited(2, SYT_WAITS_ARRIVED), 50);
	end();
}

/* Threads with a semaphore each, on which they park until the lock that they want is given to them. */
static void private_objects(void **state)
{
	(void)state;
	start(3);
	uint32_t s[3];

	for (unsigned i = 0; i < 3; i++) {
		s[i] = object(SYT_KIND_SEM, 0x1000 * (i + 1));
		made(i, (struct syt_made){SYT_SHAPE_INIT, s[i], .out = 1 + i});
	}
	/* each thread in turn gives the lock to each of the other threads */
	for (unsigned n = 0; n < 12; n++) {
		unsigned from = n % 3, to = (n + 1 + n / 3 % 2) % 3;

		on(to, SYT_SHAPE_SEM_WAIT, s[to], 100 * n + 110, 100 * n + 150);
		on(from, SYT_SHAPE_SEM_POST, s[to], 100 * n + 150, 100 * n + 150);
	}
	look();
	assert_int_equal(w.all.by_class[SYT_WAITS_CLASS_IDLE], 0);
	assert_int_equal(w.all.by_class[SYT_WAITS_CLASS_HARMFUL], 0);
	assert_int_equal(SYT_TIME_NS(w.all.by_class[SYT_WAITS_CLASS_UNDECIDED]), 12 * 40);
	expect_findings(100,
	                "No wait stands out: in each call path, threads spent less than 10.0 % "
	                "of their time in harmful waits (waits of threads that had work to "
	                "do).\nUndecided whether this wait delayed work: ");
	end();
}

/* One creator made two threads, and one of them was never woken: its source of work is unknown. */
static void condition_without_a_wait(void **state)
{
	(void)state;
	start(3);
	uint32_t m = object(SYT_KIND_MUTEX, 0x1000), d = object(SYT_KIND_COND, 0x2000);

	made(0, (struct syt_made){SYT_SHAPE_CREATE, .in = 1, .out = 1, .thread1 = 2});
	made(0, (struct syt_made){SYT_SHAPE_CREATE, .in = 2, .out = 2, .thread1 = 3});
	made(1, (struct syt_made){SYT_SHAPE_THREAD_START, .in = 3, .out = 3});
	made(2, (struct syt_made){SYT_SHAPE_THREAD_START, .in = 4, .out = 4});
	on(1, SYT_SHAPE_LOCK, m, 10, 10);
	made(1, (struct syt_made){SYT_SHAPE_COND_WAIT, d, .in = 12, .out = 40, .object2 = m});
	on(1, SYT_SHAPE_UNLOCK, m, 41, 41);
	on(2, SYT_SHAPE_COND_SIGNAL, d, 38, 39);
	look();
	assert_int_equal(waited(1, SYT_WAITS_HIDDEN), 28);
	end();
}

static void reasons_time_peer_and_unknown(void **state)
{
	(void)state;
	start(3);
	uint32_t m = object(SYT_KIND_MUTEX, 0x1000), d = object(SYT_KIND_COND, 0x2000);
	uint32_t r = object(SYT_KIND_BARRIER, 0x3000), s = object(SYT_KIND_SEM, 0x4000);
	uint32_t once = object(SYT_KIND_ONCE, 0x5000);

	on(0, SYT_SHAPE_LOCK, m, 5, 5);
	made(0, (struct syt_made){SYT_SHAPE_COND_WAIT, d, .in = 10, .out = 30, .result = ETIMEDOUT,
	                          .object2 = m});
	made(0, (struct syt_made){SYT_SHAPE_BARRIER_WAIT, r, .in = 40, .out = 60, .count = 2});
	made(1, (struct syt_made){SYT_SHAPE_BARRIER_WAIT, r, .in = 59, .out = 60, .result = -1,
	                          .count = 2});
	on(0, SYT_SHAPE_ONCE, once, 70, 90);
	on(2, SYT_SHAPE_SEM_WAIT, s, 10, 20); /* the thread that posted it is not in the trace */
	look();
	assert_int_equal(waited(0, SYT_WAITS_TIME), 20);
	assert_int_equal(waited(0, SYT_WAITS_PEERS), 20);
	assert_int_equal(waited(0, SYT_WAITS_ONCE), 20); /* not a barrier */
	assert_int_equal(waited(2, SYT_WAITS_UNTOLD), 10);
	end();
}

/* A call that orders no threads is a wait if it is long: for the thread's file, or for the answer of a server. */
static void disk_and_name_server(void **state)
{
	uint32_t file;

	(void)state;
	start(1);
	file = syt_builder_object(b, p, SYT_KIND_FILE, 0x77, 0, 0);
	made(0, (struct syt_made){SYT_SHAPE_BLOCK, file, .in = 10, .out = 20});
	made(0, (struct syt_made){SYT_SHAPE_BLOCK, file, .in = 30, .out = 200030});
	made(0, (struct syt_made){SYT_SHAPE_BLOCK, .in = 200040, .out = 500040});
	look();
	assert_int_equal(waited(0, SYT_WAITS_OWN), 200000);
	assert_int_equal(waited(0, SYT_WAITS_ASKED), 300000);
	assert_int_equal(SYT_TIME_NS(w.all.by_kind[SYT_WAITS_FOR_FILE][SYT_WAITS_CLASS_HARMFUL]),
	                 200000);
	end();
}

/* CPU time that does not fit between the calls was spent in the call that measured it. */
static void processor_time(void **state)
{
	(void)state;
	start(1);
	made(0, (struct syt_made){SYT_SHAPE_PAUSE, .in = 10, .out = 20, .cpu = 1000});
	made(0, (struct syt_made){SYT_SHAPE_PAUSE, .in = 120, .out = 220, .cpu = 1040});
	made(0, (struct syt_made){SYT_SHAPE_PAUSE, .in = 230, .out = 330, .cpu = 1070});
	made(0, (struct syt_made){SYT_SHAPE_UNLOCK, .in = 335, .out = 335});
	look();
	assert_int_equal(SYT_TIME_NS(w.all.on_cpu), 40 + 30);
	assert_int_equal(SYT_TIME_NS(w.all.off_cpu), 60);
	assert_int_equal(SYT_TIME_NS(w.all.unmeasured), 5);
	assert_int_equal(waited(0, SYT_WAITS_TIME), 10 + 100 + 80);
	end();
}

/* ---- clients and servers, at random ---- */

#define NR_CLIENTS 3u
#define NR_SERVERS 4u
#define NR_THREADS (NR_CLIENTS + NR_SERVERS)
#define MOST_EVENTS 4096u
#define NOBODY UINT32_MAX
#define STEP 2u /* ns */

enum doing { RUNS, SLEEPS, WAITS_FOR_WORK, WAITS_FOR_ANSWER };

struct actor {
	enum doing doing;
	/* remaining steps of running or sleeping; time since which the thread sleeps or waits */
	uint64_t left, since;
	uint32_t client; /* the client whose request the thread works on */
	uint32_t asked;  /* the server that has not answered this thread's request yet */
	uint32_t queue[NR_THREADS], nr_queued;
	uint64_t asked_at;       /* the last step */
	uint64_t sent, received; /* number of bytes sent to its inbox, and received as answers */
	uint64_t answers_sent, answers_received;
	/* the truth */
	uint32_t nr_events;
	uint8_t truth[MOST_EVENTS]; /* reason of the wait, or NR if the event is no wait */
	uint64_t nr_awaited;        /* steps of a sleep */
	uint64_t cpu, on, off;      /* measured; of it, since the last time */
	uint64_t on_cpu, off_cpu;
	syt_time last;
};

struct system {
	struct syt_random random;
	uint32_t inbox[NR_THREADS], answers[NR_THREADS];
	struct actor actors[NR_THREADS];
	uint64_t time[NR_THREADS][SYT_NR_WAITS_REASONS];
	bool is_ending;
};

static void event(struct system *s, uint32_t t, struct syt_made e, enum syt_waits_reason truth)
{
	struct actor *a = &s->actors[t];

	assert_true(a->nr_events < MOST_EVENTS);
	a->truth[a->nr_events++] = (uint8_t)truth;
	e.in *= STEP;
	e.out *= STEP;
	if (e.shape == SYT_SHAPE_SEND)
		e.out++; /* the call is over before the next call begins */
	else if (e.in < e.out) {
		e.cpu = a->cpu;
		if (e.cpu) {
			a->on_cpu += a->on;
			a->off_cpu += a->off;
			a->on = a->off = 0;
		}
	}
	made(t, e);
}

static void run_on(struct system *s, uint32_t t)
{
	s->actors[t].doing = RUNS;
	s->actors[t].left = 1 + syt_random_below(&s->random, 10);
}

static void received(struct system *s, uint32_t t, uint32_t pipe, uint64_t *position,
                     enum syt_waits_reason truth, uint64_t since, uint64_t now)
{
	event(s, t,
	      (struct syt_made){SYT_SHAPE_RECV, pipe, .in = since, .out = now, .result = 1,
	                        .offset = *position, .bytes = 1},
	      since < now ? truth : SYT_NR_WAITS_REASONS);
	++*position;
	s->time[t][truth] += STEP * (now - since);
	run_on(s, t);
}

static void take_work(struct system *s, uint32_t t, uint64_t since, uint64_t now)
{
	struct actor *a = &s->actors[t];

	a->client = a->queue[0];
	memmove(a->queue, a->queue + 1, --a->nr_queued * sizeof(a->queue[0]));
	received(s, t, s->inbox[t], &a->received, SYT_WAITS_ARRIVED, since, now);
}

/* At most one thread sends a request at a time, so that the order of requests is known. */
static bool ask(struct system *s, uint32_t t, uint32_t server, uint64_t now)
{
	struct actor *a = &s->actors[server];

	if (a->asked_at == now)
		return false;
	a->asked_at = now;

	event(s, t,
	      (struct syt_made){SYT_SHAPE_SEND, s->inbox[server], .in = now, .out = now,
	                        .result = 1, .offset = a->sent++, .bytes = 1},
	      SYT_NR_WAITS_REASONS);
	s->actors[t].asked = server;
	a->queue[a->nr_queued++] = t;
	if (a->doing == WAITS_FOR_WORK)
		take_work(s, server, a->since, now);
	return true;
}

static void answer(struct system *s, uint32_t t, uint64_t now)
{
	struct actor *a = &s->actors[t], *client = &s->actors[a->client];

	event(s, t,
	      (struct syt_made){SYT_SHAPE_SEND, s->answers[a->client], .in = now, .out = now,
	                        .result = 1, .offset = client->answers_sent++, .bytes = 1},
	      SYT_NR_WAITS_REASONS);
	if (client->doing == WAITS_FOR_ANSWER) {
		client->asked = NOBODY;
		received(s, a->client, s->answers[a->client], &client->answers_received,
		         SYT_WAITS_ASKED, client->since, now);
	}
	a->client = NOBODY;
	run_on(s, t);
}

/* A server asks only servers behind it, so there is no deadlock. */
static void act(struct system *s, uint32_t t, uint64_t now)
{
	struct actor *a = &s->actors[t];
	bool is_server = t >= NR_CLIENTS;
	uint32_t first = is_server ? t + 1 : NR_CLIENTS;

	if (a->asked != NOBODY && syt_random_below(&s->random, 2)) {
		if (a->answers_received < a->answers_sent) {
			a->asked = NOBODY;
			received(s, t, s->answers[t], &a->answers_received, SYT_WAITS_ASKED, now,
			         now);
		} else {
			a->doing = WAITS_FOR_ANSWER;
			a->since = now;
		}
	} else if (syt_random_below(&s->random, 3) == 0) {
		a->doing = SLEEPS;
		a->left = 1 + syt_random_below(&s->random, 15);
		a->since = now;
		a->nr_awaited = 0;
	} else if (is_server && a->client == NOBODY) {
		if (a->nr_queued) {
			take_work(s, t, now, now);
		} else {
			a->doing = WAITS_FOR_WORK;
			a->since = now;
		}
	} else if (is_server && a->asked == NOBODY && syt_random_below(&s->random, 2)) {
		answer(s, t, now);
	} else if (a->asked == NOBODY && first < NR_THREADS && !(s->is_ending && !is_server) &&
	           ask(s, t, first + (uint32_t)syt_random_below(&s->random, NR_THREADS - first),
	               now)) {
		run_on(s, t);
	} else {
		run_on(s, t);
	}
}

static bool is_awaited(const struct system *s, uint32_t t)
{
	for (uint32_t i = 0; i < NR_THREADS; i++)
		if (s->actors[i].doing == WAITS_FOR_ANSWER && s->actors[i].asked == t)
			return true;
	return false;
}

static void step(struct system *s, uint32_t t)
{
	struct actor *a = &s->actors[t];

	if (a->doing == SLEEPS)
		a->nr_awaited += is_awaited(s, t);
	if (a->doing == RUNS) {
		bool is_on = syt_random_below(&s->random, 4) != 0;

		a->cpu += is_on ? STEP : 0;
		a->on += is_on ? STEP : 0;
		a->off += is_on ? 0 : STEP;
	}
}

static void run(struct system *s, uint64_t seed, uint64_t nr_steps)
{
	memset(s, 0, sizeof(*s));
	s->random.state = seed;
	start(NR_THREADS);
	for (uint32_t t = 0; t < NR_THREADS; t++) {
		s->inbox[t] = object(SYT_KIND_PIPE, 0x1000 + t);
		s->answers[t] = object(SYT_KIND_PIPE, 0x2000 + t);
		s->actors[t].client = s->actors[t].asked = NOBODY;
		event(s, t, (struct syt_made){SYT_SHAPE_THREAD_START, .in = 1, .out = 1},
		      SYT_NR_WAITS_REASONS);
		s->actors[t].left = 1 + syt_random_below(&s->random, 5);
	}
	for (uint64_t now = 1; now < nr_steps; now++) {
		s->is_ending = now + 400 > nr_steps;
		for (uint32_t t = 0; t < NR_THREADS && now > 1; t++) {
			struct actor *a = &s->actors[t];

			if (a->doing > SLEEPS || --a->left)
				continue;
			if (a->doing == SLEEPS) {
				event(s, t,
				      (struct syt_made){SYT_SHAPE_PAUSE, .in = a->since,
				                        .out = now},
				      SYT_WAITS_TIME);
				s->time[t][SYT_WAITS_AWAITED] += STEP * a->nr_awaited;
				s->time[t][SYT_WAITS_TIME] +=
					STEP * (now - a->since - a->nr_awaited);
				run_on(s, t);
			} else {
				act(s, t, now);
			}
		}
		for (uint32_t t = 0; t < NR_THREADS; t++)
			step(s, t);
	}
}

/*
 * Returns whether no request is under way at the end of the trace; a wait for such a request would
 * be undecided.
 */
static bool is_quiet(const struct system *s)
{
	for (uint32_t t = 0; t < NR_THREADS; t++)
		if (s->actors[t].doing == WAITS_FOR_ANSWER)
			return false;
	return true;
}

static void clients_and_servers(void **state)
{
	static struct system s;
	uint64_t asked = 0, arrived = 0, awaited = 0, idle = 0, off = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= 300; seed++) {
		run(&s, seed, 1000 + seed % 500);
		look();
		assert_int_equal(w.all.by_class[SYT_WAITS_CLASS_UNDECIDED], 0);
		for (uint32_t t = 0; t < NR_THREADS; t++) {
			const struct actor *a = &s.actors[t];

			assert_int_equal(waited(t, SYT_WAITS_ASKED), s.time[t][SYT_WAITS_ASKED]);
			assert_int_equal(waited(t, SYT_WAITS_ARRIVED),
			                 s.time[t][SYT_WAITS_ARRIVED]);
			assert_int_equal(waited(t, SYT_WAITS_TIME) + waited(t, SYT_WAITS_AWAITED),
			                 s.time[t][SYT_WAITS_TIME] + s.time[t][SYT_WAITS_AWAITED]);
			assert_int_equal(SYT_TIME_NS(w.threads[t].on_cpu), a->on_cpu);
			assert_int_equal(SYT_TIME_NS(w.threads[t].off_cpu), a->off_cpu);
			if (is_quiet(&s))
				assert_int_equal(waited(t, SYT_WAITS_AWAITED),
				                 s.time[t][SYT_WAITS_AWAITED]);
			off += a->off_cpu;
			asked += s.time[t][SYT_WAITS_ASKED];
			arrived += s.time[t][SYT_WAITS_ARRIVED];
			awaited += is_quiet(&s) ? s.time[t][SYT_WAITS_AWAITED] : 0;
			idle += s.time[t][SYT_WAITS_TIME];
		}
		end();
	}
	/* the random programs contained waits */
	assert_true(asked > 10000 && arrived > 10000 && awaited > 1000 && idle > 10000);
	assert_true(off > 10000);
}

/* With missing events, each statement about a wait is still true, or the wait is undecided. */
static void beginnings_are_missing(void **state)
{
	static struct system s;
	uint64_t unknown = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= 300; seed++) {
		uint64_t dropped[NR_THREADS];

		run(&s, seed, 1200);
		struct syt_trace_data *trace = syt_builder_trace(b);

		for (uint32_t t = 0; t < NR_THREADS; t++) {
			dropped[t] = syt_random_below(&s.random,
			                              trace->images[0].threads[t].nr_rows / 2 + 1);
			syt_builder_drop(b, p, t, dropped[t]);
		}
		look();
		struct syt_services services;

		syt_services_open(&services, &order);
		for (uint32_t t = 0; t < NR_THREADS; t++) {
			uint64_t nr = order.places.threads[t]->nr_rows;

			for (uint32_t row = 0; row < nr; row++) {
				struct syt_place at = {t, row};
				const struct syt_row *r = syt_place_row(&order.places, at);
				struct syt_wait_reason why;
				uint8_t truth = s.actors[t].truth[dropped[t] + row];

				if (truth == SYT_NR_WAITS_REASONS || r->in == r->out ||
				    !syt_wait_classify(&why, &blamer, &services, at))
					continue;
				if (syt_waits_reasons[why.reason].class ==
				    SYT_WAITS_CLASS_UNDECIDED) {
					unknown++;
					continue;
				}
				assert_int_equal(why.reason, truth);
			}
		}
		syt_services_close(&services);
		end();
	}
	assert_true(unknown > 1000);
}

/* ---- a bounded queue, at random ---- */

#define NR_PRODUCERS 3u
#define NR_CONSUMERS 2u
#define NR_USERS (NR_PRODUCERS + NR_CONSUMERS)

struct user {
	bool waits;
	uint64_t left, since;
};

struct queue {
	struct syt_random random;
	uint32_t sems[2]; /* free slots, filled slots */
	uint64_t nr[2];
	struct user users[NR_USERS];
	uint64_t waited[NR_USERS];
};

/* Returns the queue from which T takes. T gives to the other queue. */
static unsigned side(uint32_t t)
{
	return t < NR_PRODUCERS ? 0 : 1;
}

static void get(struct queue *q, uint32_t t, uint64_t slow, uint64_t since, uint64_t now)
{
	on(t, SYT_SHAPE_SEM_WAIT, q->sems[side(t)], since, now);
	q->users[t].waits = false;
	q->users[t].left = 2 + syt_random_below(&q->random, slow);
	q->waited[t] += now - since;
}

static void run_queue(struct queue *q, uint64_t seed, uint64_t nr_steps)
{
	/* maximum number of steps that each side works on an item */
	uint64_t slow[2] = {seed % 2 ? 5 : 30, seed % 2 ? 30 : 5};

	memset(q, 0, sizeof(*q));
	q->random.state = seed;
	start(NR_USERS + 1);
	for (unsigned i = 0; i < 2; i++) {
		q->sems[i] = object(SYT_KIND_SEM, 0x1000 + i);
		q->nr[i] = i ? 0 : 4;
		made(NR_USERS, (struct syt_made){SYT_SHAPE_INIT, q->sems[i], .out = 1 + i,
		                                 .arg = (uint64_t)q->nr[i]});
	}
	for (uint32_t t = 0; t < NR_USERS; t++) {
		made(NR_USERS, (struct syt_made){SYT_SHAPE_CREATE, .in = 3 + t, .thread1 = t + 1});
		made(t, (struct syt_made){SYT_SHAPE_THREAD_START, .in = 10 + t});
		q->users[t].left = 1 + syt_random_below(&q->random, 10);
	}
	/* each thread takes from its own queue, works, and gives to the other queue */
	static bool has[NR_USERS];

	memset(has, 0, sizeof(has));
	for (uint64_t now = 20; now < nr_steps; now++)
		for (uint32_t t = 0; t < NR_USERS; t++) {
			struct user *u = &q->users[t];
			unsigned to = 1 - side(t);

			if (u->waits || --u->left)
				continue;
			if (has[t]) {
				has[t] = false;
				u->left = 1 + syt_random_below(&q->random, 3);
				on(t, SYT_SHAPE_SEM_POST, q->sems[to], now, now);
				uint32_t longest = NOBODY;

				for (uint32_t i = 0; i < NR_USERS; i++)
					if (q->users[i].waits && side(i) == to &&
					    (longest == NOBODY ||
					     q->users[i].since < q->users[longest].since))
						longest = i;
				if (longest == NOBODY) {
					q->nr[to]++;
				} else {
					has[longest] = true;
					get(q, longest, slow[to], q->users[longest].since, now);
				}
			} else if (q->nr[side(t)]) {
				q->nr[side(t)]--;
				has[t] = true;
				get(q, t, slow[side(t)], now, now);
			} else {
				u->waits = true;
				u->since = now;
			}
		}
}

/*
 * A thread that waits for a free slot has an item to put in; a thread that waits for an item waits
 * for work.
 */
static void bounded_queue(void **state)
{
	static struct queue q;
	uint64_t harmful = 0, idle = 0, undecided = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= 200; seed++) {
		run_queue(&q, seed, 1500);
		look();
		for (uint32_t t = 0; t < NR_USERS; t++) {
			const syt_time *by = w.threads[t].by_class;
			assert_int_equal(by[t < NR_PRODUCERS ? SYT_WAITS_CLASS_IDLE
			                                     : SYT_WAITS_CLASS_HARMFUL],
			                 0);
			harmful += by[SYT_WAITS_CLASS_HARMFUL];
			idle += by[SYT_WAITS_CLASS_IDLE];
			undecided += by[SYT_WAITS_CLASS_UNDECIDED];
		}
		end();
	}
	assert_true(harmful > 10000 && idle > 10000);
	assert_true(undecided < (harmful + idle) / 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(question_and_answer),
		cmocka_unit_test(semaphore_as_a_lock),
		cmocka_unit_test(sleeping_with_a_lock),
		cmocka_unit_test(creator_waits_for_its_thread),
		cmocka_unit_test(ready_for_work),
		cmocka_unit_test(untraced_peers),
		cmocka_unit_test(condition_without_a_wait),
		cmocka_unit_test(reasons_time_peer_and_unknown),
		cmocka_unit_test(disk_and_name_server),
		cmocka_unit_test(processor_time),
		cmocka_unit_test(clients_and_servers),
		cmocka_unit_test(beginnings_are_missing),
		cmocka_unit_test(bounded_queue),
		cmocka_unit_test(interrupted),
		cmocka_unit_test(full_pipe_waits_for_space),
		cmocka_unit_test(client_waits_during_its_request),
		cmocka_unit_test(requests_of_two_clients),
		cmocka_unit_test(stop_reports_are_no_requests),
		cmocka_unit_test(readiness_reports_are_no_requests),
		cmocka_unit_test(private_objects),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
