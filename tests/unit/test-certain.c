/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* decoder/host/certain.c: 10^6 pairs of events show no false order; bounds contain the truth. */
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "decoder/host/certain.h"
#include "tests/unit/host-network.h"

#define DURATION (3600 * SIM_SECOND)

static struct net mesh(uint64_t seed, double swing)
{
	struct syt_host_options options = {.reference = SYT_HOST_NONE};
	struct net n = net_create(6, seed);

	for (uint32_t i = 0; i < 6; i++) {
		struct sim_traffic t = {
			i % 2 ? SIM_QUIET : SIM_LOADED, SIM_QUIET, 0, DURATION, 4 * SIM_SECOND, 0};

		/* the rate of a pair stays within 1 ppm of a line in a segment */
		n.clocks[i].swing = swing;
		n.clocks[i].period_ns = (1000 + 300 * i) * SIM_SECOND;
		/* paths so asymmetric that the errors nearly reach the bounds */
		t.to.floor_ns += 20 * i * SIM_US;
		t.back.floor_ns = 2 * SIM_US;
		if (i)
			net_talk(&n, (i - 1) / 2, i, &t);
		if (i > 2)
			net_talk(&n, i - 2, i, &t);
	}
	net_place(&n, &options);
	return n;
}

static void test_orders(void **state)
{
	uint64_t nr_certain = 0, nr = 0;

	(void)state;
	for (unsigned round = 0; round < 20; round++) {
		struct net n = mesh(round, round % 2 ? 0.2e-6 : 0);
		struct syt_certain *c = syt_certain_create(n.p);

		assert_int_equal(n.p->nr_components, 1);
		assert_int_equal(n.p->nr_backward, 0);
		for (unsigned k = 0; k < 6100; k++) {
			const double at = sim_between(&n.random, -600 * SIM_SECOND,
			                              DURATION + 600 * SIM_SECOND);
			const uint32_t a = (uint32_t)syt_random_below(&n.random, 6);
			const int64_t at_a = net_joined(&n, a, at);

			for (unsigned e = 0; e < 10; e++) {
				const double apart =
					sim_between(&n.random, -300 * SIM_US, 300 * SIM_US);
				const uint32_t b = (uint32_t)syt_random_below(&n.random, 6);
				const int64_t at_b = net_joined(&n, b, at + apart);
				const bool is_before = syt_certain_before(c, a, at_a, b, at_b);

				if (a == b)
					continue;
				assert_true(!is_before || apart > 0);
				nr_certain += is_before;
				nr++;
			}
		}
		syt_certain_destroy(c);
		net_free(&n);
	}
	print_message("%.1f %% of %u pairs of events within 300 us have a certain order\n",
	              200.0 * (double)nr_certain / (double)nr, (unsigned)nr);
	assert_true(nr_certain > nr / 20);
}

/* The true time on the clock of the reference lies in [ts - early, ts + late]. */
static void test_early_and_late(void **state)
{
	(void)state;
	for (unsigned round = 0; round < 10; round++) {
		struct net n = mesh(round + 100, 0.1e-6);
		const struct syt_host_component *c = &n.p->components[0];

		for (double t = 0; t < DURATION; t += 2.3 * SIM_SECOND)
			for (uint32_t h = 0; h < 6; h++) {
				const double off = (double)(net_joined(&n, c->reference, t) -
				                            net_joined(&n, h, t));
				const struct syt_host_place *p =
					&n.p->clocks[h]
						 .places[syt_host_segment(c, net_joined(&n, h, t))];

				assert_true(off <= p->late_ns && off >= -p->early_ns);
				assert_true(isfinite(p->late_ns) && p->late_ns < 1000 * SIM_US);
			}
		net_free(&n);
	}
}

/* In a component of very many hosts, all paths lead over the reference. No order is false, and many are certain. */
static void test_many(void **state)
{
	const uint32_t nr_hosts = 2100;
	struct syt_host_options options = {.reference = SYT_HOST_NONE};
	struct net n = net_create(nr_hosts, 1);
	struct syt_certain *c;
	uint64_t nr_certain = 0;

	(void)state;
	for (uint32_t i = 1; i < nr_hosts; i++)
		net_talk(&n, i < 50 ? 0 : 1 + i % 49, i,
		         &(struct sim_traffic){SIM_QUIET, SIM_QUIET, 0, 60 * SIM_SECOND,
		                               4 * SIM_SECOND, 0});
	net_place(&n, &options);
	assert_int_equal(n.p->nr_components, 1);
	c = syt_certain_create(n.p);
	for (unsigned k = 0; k < 100000; k++) {
		const uint32_t a = (uint32_t)syt_random_below(&n.random, nr_hosts),
			       b = (uint32_t)syt_random_below(&n.random, nr_hosts);
		const double at = sim_between(&n.random, -10 * SIM_SECOND, 70 * SIM_SECOND),
			     apart = sim_between(&n.random, -3000 * SIM_US, 3000 * SIM_US);
		const bool is_before = syt_certain_before(c, a, net_joined(&n, a, at), b,
		                                          net_joined(&n, b, at + apart));

		if (a == b)
			continue;
		assert_true(!is_before || apart > 0);
		nr_certain += is_before;
	}
	print_message("%u of 100000 pairs have a certain order\n", (unsigned)nr_certain);
	assert_true(nr_certain > 20000);
	syt_certain_destroy(c);
	net_free(&n);
}

/* A pair that is silent in middle segments keeps the bounds of its other segments. */
static void test_silent(void **state)
{
	struct syt_host_options options = {.reference = 0,
	                                   .segment_ns = (int64_t)(600 * SIM_SECOND)};

	(void)state;
	for (unsigned round = 0; round < 20; round++) {
		struct sim_traffic t = {SIM_QUIET, SIM_QUIET, 0, DURATION / 3, 4 * SIM_SECOND, 0};
		struct net n = net_create(2, round);
		struct syt_certain *c;
		double least = INFINITY, most = 0;

		n.clocks[1].swing = 0.3e-6;
		n.clocks[1].period_ns = (900 + 400 * round) * SIM_SECOND;
		net_talk(&n, 0, 1, &t);
		t.begin_ns = DURATION * 2 / 3;
		t.end_ns = DURATION;
		net_talk(&n, 0, 1, &t);
		net_place(&n, &options);
		assert_int_equal(n.p->nr_components, 1);
		c = syt_certain_create(n.p);
		for (double at = 0; at < DURATION; at += SIM_SECOND) {
			const int64_t a = net_joined(&n, 0, at), b = net_joined(&n, 1, at);
			const double to = syt_certain_needed(c, 0, a, 1),
				     back = syt_certain_needed(c, 1, b, 0);

			assert_true((double)(b - a) <= to && (double)(a - b) <= back);
			least = fmin(least, to);
			most = fmax(most, to);
		}
		assert_true(most > least && most < 100 * SIM_SECOND / 1000);
		syt_certain_destroy(c);
		net_free(&n);
	}
}

struct reader {
	const struct net *n;
	struct syt_certain *c;
	double sum;
};

static void *read_all(void *context)
{
	struct reader *r = context;

	for (uint32_t k = 0; k < 36; k++)
		for (int at = -100; at < 4000; at += 7)
			r->sum += syt_certain_needed(
				r->c, k / 6, net_joined(r->n, k / 6, at * SIM_SECOND), k % 6);
	return NULL;
}

/* Threads that read at the same time get what one thread gets. */
static void test_threads(void **state)
{
	struct net n = mesh(3, 0.1e-6);
	struct reader alone = {&n, syt_certain_create(n.p), 0}, readers[4];
	struct syt_certain *c = syt_certain_create(n.p);
	pthread_t threads[4];

	(void)state;
	(void)read_all(&alone);
	for (unsigned i = 0; i < 4; i++) {
		readers[i] = (struct reader){&n, c, 0};
		assert_int_equal(pthread_create(&threads[i], NULL, read_all, &readers[i]), 0);
	}
	for (unsigned i = 0; i < 4; i++) {
		assert_int_equal(pthread_join(threads[i], NULL), 0);
		assert_true(isfinite(alone.sum) && readers[i].sum == alone.sum);
	}
	syt_certain_destroy(c);
	syt_certain_destroy(alone.c);
	net_free(&n);
}

static void test_apart(void **state)
{
	struct syt_host_options options = {.reference = SYT_HOST_NONE};
	struct net n = net_create(3, 1);
	struct syt_certain *c;

	(void)state;
	net_talk(&n, 0, 1,
	         &(struct sim_traffic){SIM_QUIET, SIM_QUIET, 0, 60 * SIM_SECOND, SIM_SECOND, 0});
	net_place(&n, &options);
	c = syt_certain_create(n.p);
	assert_false(syt_certain_before(c, 0, INT64_MIN, 2, INT64_MAX));
	assert_false(syt_certain_before(c, 2, INT64_MIN, 0, INT64_MAX));
	/* the bound grows after the last message, until it is too large to be of use */
	assert_true(syt_certain_needed(c, 0, net_joined(&n, 0, 3600 * SIM_SECOND), 1) >
	            1000 * SIM_US);
	assert_true(isfinite(syt_certain_needed(c, 0, net_joined(&n, 0, 3600 * SIM_SECOND), 1)));
	assert_true(isinf(syt_certain_needed(c, 0, INT64_MAX / 2, 1)));
	assert_true(isinf(syt_certain_needed(c, 0, INT64_MIN / 2, 1)));
	assert_true(syt_certain_before(c, 0, net_joined(&n, 0, 5 * SIM_SECOND), 1,
	                               net_joined(&n, 1, 6 * SIM_SECOND)));
	assert_false(syt_certain_before(c, 0, net_joined(&n, 0, 6 * SIM_SECOND), 1,
	                                net_joined(&n, 1, 5 * SIM_SECOND)));
	syt_certain_destroy(c);
	net_free(&n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_orders),  cmocka_unit_test(test_early_and_late),
		cmocka_unit_test(test_many),    cmocka_unit_test(test_silent),
		cmocka_unit_test(test_threads), cmocka_unit_test(test_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
