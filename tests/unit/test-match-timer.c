/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* decoder/match/match_timer.c: histories made by hand, and an oracle: threads that arm, disarm and read a
 * timerfd, or take a timer's signals, at random. */
#include <errno.h>
#include <signal.h>

#include "tests/unit/order-check.h"

enum { DISARM, ONCE, AGAIN };

static struct syt_builder *b;
static uint32_t fd, timer, alarm_signal, poll_object;

static void start(unsigned nr_threads)
{
	b = syt_builder_create();
	syt_builder_image(b, 100);
	for (unsigned i = 0; i < nr_threads; i++)
		syt_builder_thread(b, 0);
	fd = syt_builder_object(b, 0, SYT_KIND_TIMERFD, 5, 0, 0);
	timer = syt_builder_object(b, 0, SYT_KIND_TIMER, 3, 0, 0);
	alarm_signal = syt_builder_object(b, 0, SYT_KIND_SIGNAL, 14, 0, SYT_OBJECT_SHARED);
	poll_object = syt_builder_object(b, 0, SYT_KIND_EPOLL, 6, 0, 0);
}

static void sets(uint32_t t, uint32_t object, uint64_t what, syt_time in, syt_time out)
{
	syt_builder_event(
		b, 0, t,
		(struct syt_made){SYT_SHAPE_TIMER_SET, object, .in = in, .out = out, .arg = what});
}

static void reads(uint32_t t, syt_time in, syt_time out)
{
	syt_builder_event(b, 0, t,
	                  (struct syt_made){SYT_SHAPE_RECV, fd, .in = in, .out = out, .result = 8,
	                                    .bytes = 8, .flags = SYT_EVENT_NOOFFSET});
}

static void takes(uint32_t t, syt_time in, syt_time out)
{
	syt_builder_event(b, 0, t,
	                  (struct syt_made){SYT_SHAPE_SIGNAL_RECV, alarm_signal, .in = in,
	                                    .out = out, .object2 = timer,
	                                    .status = (uint32_t)SI_TIMER});
}

static void polls(uint32_t t, syt_time in, syt_time out, uint32_t bits)
{
	syt_builder_event(b, 0, t,
	                  (struct syt_made){SYT_SHAPE_READY, poll_object, .in = in, .out = out,
	                                    .result = 1, .count = 1, .ready = {{fd, bits}}});
}

static void the_arming_call_woke_the_reader(void **state)
{
	(void)state;
	start(2);
	sets(0, fd, ONCE, 10, 11);
	polls(1, 5, 20, SYT_READY_IN);
	reads(1, 21, 22);
	expect_edges(b, "0.0.0>0.1.0 timer\n0.0.0>0.1.1 timer\n");
}

static void a_thread_may_wake_itself(void **state)
{
	(void)state;
	start(1);
	sets(0, fd, AGAIN, 10, 11);
	reads(0, 12, 20);
	reads(0, 22, 30);
	expect_edges(b, "0.0.0>0.0.1 timer\n0.0.0>0.0.2 timer\n");
}

static void arming_again_replaces_the_first_arming(void **state)
{
	(void)state;
	start(2);
	sets(0, fd, AGAIN, 10, 11);
	sets(0, fd, ONCE, 12, 13);
	reads(1, 20, 21);
	expect_edges(b, "0.0.1>0.1.0 timer\n");
}

static void disarming_removes_the_arming(void **state)
{
	struct syt_coverage v;

	(void)state;
	start(2);
	sets(0, fd, AGAIN, 10, 11);
	sets(0, fd, DISARM, 12, 13);
	reads(1, 20, 21);
	expect_edges_and(b, "", &v);
	assert_int_equal(v.unattributed[SYT_REASON_NO_RELEASE], 1);
}

static void armed_while_it_reads(void **state)
{
	(void)state;
	start(2);
	sets(0, fd, AGAIN, 10, 11);
	reads(1, 12, 30);
	sets(0, fd, AGAIN, 20, 21); /* this call sets the timer before or after it expires */
	expect_edges(b, "0.0.0>0.1.0 timer*\n0.0.1>0.1.0 timer*\n");
}

static void a_single_expiration_is_read_once(void **state)
{
	(void)state;
	start(2);
	sets(0, fd, ONCE, 10, 11);
	reads(1, 12, 20);
	reads(1, 22, 40);
	sets(0, fd, ONCE, 30, 31);
	expect_edges(b, "0.0.0>0.1.0 timer\n0.0.1>0.1.1 timer\n");
}

static void the_clock_was_set(void **state)
{
	(void)state;
	start(2);
	sets(0, fd, AGAIN, 5, 6);
	syt_builder_event(b, 0, 0,
	                  (struct syt_made){SYT_SHAPE_TIMER_SET, fd, .in = 10, .out = 11,
	                                    .arg = ONCE, .result = -1, .err = ECANCELED});
	syt_builder_event(b, 0, 0,
	                  (struct syt_made){SYT_SHAPE_TIMER_SET, fd, .in = 12, .out = 13,
	                                    .arg = ONCE, .result = -1, .err = EINVAL});
	syt_builder_event(b, 0, 1,
	                  (struct syt_made){SYT_SHAPE_RECV, fd, .in = 14, .out = 15, .result = -1,
	                                    .err = ECANCELED});
	reads(1, 20, 21);
	expect_edges(b, "0.0.1>0.1.1 timer\n");
}

static void a_pending_signal_outlives_the_next_arming(void **state)
{
	(void)state;
	start(2);
	sets(0, timer, ONCE, 10, 11);
	sets(0, timer, AGAIN, 20, 21);
	takes(1, 30, 31); /* takes the expiry of the first setting, if it had expired */
	takes(1, 40, 41);
	takes(1, 50, 51);
	expect_edges(b, "0.0.0>0.1.0 timer*\n0.0.1>0.1.0 timer*\n"
	                "0.0.1>0.1.1 timer\n0.0.1>0.1.2 timer\n");
}

static void a_missing_arming_may_be_the_source(void **state)
{
	struct syt_coverage v;

	(void)state;
	start(2);
	sets(0, fd, AGAIN, 10, 11);
	sets(0, fd, AGAIN, 12, 13);
	reads(1, 20, 21);
	sets(0, fd, AGAIN, 30, 31);
	reads(1, 40, 41);
	syt_builder_trace(b);
	syt_builder_drop(b, 0, 0, 1);
	expect_edges_and(b, "0.0.1>0.1.0 timer\n0.0.2>0.1.1 timer\n", &v);
	start(3);
	sets(0, fd, AGAIN, 10, 11);
	sets(2, fd, AGAIN, 12, 13);
	sets(2, fd, AGAIN, 24, 25);
	reads(1, 20, 21);
	syt_builder_trace(b);
	syt_builder_drop(b, 0, 2, 1);
	expect_edges_and(b, "", &v);
	assert_int_equal(v.unattributed[SYT_REASON_OVERWRITTEN], 1);
}

static void only_readable_means_expired(void **state)
{
	struct syt_coverage v;

	(void)state;
	start(2);
	sets(0, fd, ONCE, 10, 11);
	polls(1, 12, 20, SYT_READY_ERR);
	expect_edges_and(b, "", &v);
	assert_int_equal(v.acquires, 0);
}

/* ---- the oracle ---- */

#define NR_THREADS 4u
#define MOST_EVENTS 512u

enum phase { IDLE, SETTING, SET, WAITING, TAKEN };

struct source {
	uint32_t thread, event;
};

static struct {
	uint64_t seed;
	syt_time time, expires; /* 0: not armed */
	uint64_t what;
	struct source armed_by, pending_by;
	bool is_pending;
	struct runner {
		enum phase phase;
		struct syt_made e;
		bool is_poll;
		unsigned tries;
		uint32_t nr_events;
		struct source truth[MOST_EVENTS];
		bool is_use[MOST_EVENTS];
	} runners[NR_THREADS];
} M;

static uint64_t random_below(uint64_t n)
{
	M.seed ^= M.seed << 13;
	M.seed ^= M.seed >> 7;
	M.seed ^= M.seed << 17;
	return (M.seed >> 11) % n;
}

static void pass_time(void)
{
	M.time += 1 + random_below(2);
	if (!M.expires || M.time < M.expires)
		return;
	if (!M.is_pending)
		M.pending_by = M.armed_by;
	M.is_pending = true;
	M.expires = M.what == AGAIN ? M.time + 10 : 0;
}

static void finish(uint32_t t, bool is_fd)
{
	struct runner *r = &M.runners[t];

	r->e.out = ++M.time;
	if (r->phase == TAKEN) {
		r->is_use[r->nr_events] = true;
		if (!is_fd) {
			r->e.object = alarm_signal;
			r->e.object2 = timer;
			r->e.status = (uint32_t)SI_TIMER;
		} else if (r->is_poll) {
			r->e.result = 1;
			r->e.object = poll_object;
			r->e.count = 1;
			r->e.ready[0] = (struct syt_ready){fd, SYT_READY_IN, 0};
		} else {
			r->e.object = fd;
			r->e.result = 8;
		}
	} else if (r->phase == WAITING) {
		r->e.result = -1;
	}
	syt_builder_event(b, 0, t, r->e);
	r->nr_events++;
	r->phase = IDLE;
}

static void begin(uint32_t t, bool is_fd)
{
	struct runner *r = &M.runners[t];

	r->e = (struct syt_made){.in = ++M.time};
	r->tries = 0;
	r->is_poll = is_fd && random_below(3) == 0;
	if (random_below(3)) {
		r->phase = WAITING;
		r->e.shape = !is_fd       ? SYT_SHAPE_SIGNAL_RECV
		             : r->is_poll ? SYT_SHAPE_READY
		                          : SYT_SHAPE_RECV;
	} else {
		r->phase = SETTING;
		r->e.shape = SYT_SHAPE_TIMER_SET;
		r->e.object = is_fd ? fd : timer;
		r->e.arg = random_below(3);
	}
}

static void step(uint32_t t, bool is_fd)
{
	struct runner *r = &M.runners[t];

	pass_time();
	switch (r->phase) {
	case IDLE:
		if (r->nr_events < MOST_EVENTS)
			begin(t, is_fd);
		break;
	case SETTING:
		if (is_fd)
			M.is_pending = false;
		M.what = r->e.arg;
		M.expires = M.what == DISARM ? 0 : M.time + 1 + random_below(30);
		M.armed_by = (struct source){t, r->nr_events};
		r->phase = SET;
		break;
	case WAITING:
		if (M.is_pending) {
			r->truth[r->nr_events] = M.pending_by;
			M.is_pending = r->is_poll;
			r->phase = TAKEN;
		} else if (++r->tries > 30) {
			finish(t, is_fd);
		}
		break;
	default:
		finish(t, is_fd);
		break;
	}
	if (!is_fd && random_below(50) == 0)
		M.is_pending = false; /* a handler took it */
}

static void run(uint64_t seed, bool is_fd)
{
	memset(&M, 0, sizeof(M));
	M.seed = seed * 2654435769u + 88172645463325252u;
	M.time = 1000;
	start(NR_THREADS);
	for (unsigned i = 0; i < 1500; i++)
		step((uint32_t)random_below(NR_THREADS), is_fd);
	for (uint32_t t = 0; t < NR_THREADS; t++)
		while (M.runners[t].phase != IDLE)
			step(t, is_fd);
}

static uint64_t check_all(uint64_t seed)
{
	struct syt_order o;
	struct syt_verdict v;
	uint64_t nr_certain = 0;

	assert_int_equal(syt_order_open(&o, syt_builder_trace(b)), 0);
	assert_true(syt_verify(&o.edges, &v));
	for (uint64_t i = 0; i < o.edges.nr;) {
		struct syt_place to = o.edges.all[i].to;
		uint32_t base = (uint32_t)o.places.threads[to.thread]->base;
		const struct source *s = &M.runners[to.thread].truth[base + to.row];
		bool has_truth = false, is_ambiguous = false;

		assert_true(M.runners[to.thread].is_use[base + to.row]);
		for (; i < o.edges.nr && o.edges.all[i].to.thread == to.thread &&
		       o.edges.all[i].to.row == to.row;
		     i++) {
			const struct syt_edge *e = &o.edges.all[i];

			assert_int_equal(e->kind, SYT_EDGE_TIMER);
			has_truth |=
				e->from.thread == s->thread &&
				e->from.row + o.places.threads[e->from.thread]->base == s->event;
			is_ambiguous |= e->flags & SYT_EDGE_AMBIGUOUS;
		}
		if (!has_truth)
			fail_msg("seed %llu: 0.%u.%u: the source is another one",
			         (unsigned long long)seed, to.thread, base + to.row);
		nr_certain += !is_ambiguous;
	}
	assert_int_equal(o.coverage.defects, 0);
	assert_int_equal(o.coverage.acquires, o.coverage.attributed + o.coverage.unneeded +
	                                              syt_coverage_unattributed(&o.coverage));
	syt_order_close(&o);
	return nr_certain;
}

static uint64_t nr_seeds = 200;

static void random_executions(void **state)
{
	uint64_t nr_certain = 0, nr_uses = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= nr_seeds; seed++) {
		run(seed, seed % 2);
		nr_certain += check_all(seed);
		for (uint32_t t = 0; t < NR_THREADS; t++)
			for (uint32_t i = 0; i < M.runners[t].nr_events; i++)
				nr_uses += M.runners[t].is_use[i];
		syt_builder_destroy(b);
	}
	print_message("%llu of %llu are certain\n", (unsigned long long)nr_certain,
	              (unsigned long long)nr_uses);
	assert_true(nr_certain > nr_uses / 10); /* the decoder must decide some of them */
}

static void random_executions_without_their_beginning(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= nr_seeds; seed++) {
		run(seed, seed % 2);
		syt_builder_trace(b);
		for (uint32_t t = 0; t < NR_THREADS; t++)
			if (random_below(2))
				syt_builder_drop(b, 0, t, random_below(M.runners[t].nr_events + 1));
		check_all(seed);
		syt_builder_destroy(b);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_arming_call_woke_the_reader),
		cmocka_unit_test(a_thread_may_wake_itself),
		cmocka_unit_test(arming_again_replaces_the_first_arming),
		cmocka_unit_test(disarming_removes_the_arming),
		cmocka_unit_test(armed_while_it_reads),
		cmocka_unit_test(a_single_expiration_is_read_once),
		cmocka_unit_test(the_clock_was_set),
		cmocka_unit_test(a_pending_signal_outlives_the_next_arming),
		cmocka_unit_test(a_missing_arming_may_be_the_source),
		cmocka_unit_test(only_readable_means_expired),
		cmocka_unit_test(random_executions),
		cmocka_unit_test(random_executions_without_their_beginning),
	};

	if (argc > 1)
		nr_seeds = strtoull(argv[1], NULL, 10);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
