/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* decoder/host/axis.c: all messages run forward, also those in one direction and those of short recordings. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "decoder/host/certain.h"
#include "tests/unit/host-network.h"

/* Hosts 1 and 2 are joined by host 0 over asymmetric paths. Host 2 also sends NR messages to host 1, which take 5 us and arrive
 * LATE_NS later. */
static struct net triangle(unsigned nr, double late_ns)
{
	struct syt_host_options options = {.reference = 0};
	struct net n = net_create(3, 3);
	struct sim_traffic t = {SIM_QUIET, SIM_QUIET, 0, 600 * SIM_SECOND, SIM_SECOND, 0};

	t.to.floor_ns = 100 * SIM_US;
	net_talk(&n, 0, 1, &t);
	t.to.floor_ns = 40 * SIM_US;
	t.back.floor_ns = 100 * SIM_US;
	net_talk(&n, 0, 2, &t);
	for (unsigned i = 0; i < nr; i++)
		net_send(&n, 2, 1, i * SIM_SECOND, i * SIM_SECOND + 5 * SIM_US + late_ns, 77);
	net_place(&n, &options);
	return n;
}

/* Messages in one direction run forward and tighten the bounds. They do not join hosts, and false ones are dropped. */
static void test_one_way(void **state)
{
	struct net without = triangle(0, 0), with = triangle(600, 0),
		   false_ones = triangle(20, -3 * SIM_SECOND);
	struct syt_certain *before = syt_certain_create(without.p),
			   *after = syt_certain_create(with.p);
	unsigned nr_backward = 0;
	double narrow = 0, wide = INFINITY;

	(void)state;
	for (unsigned i = 0; i < 600; i++) {
		const double at = i * SIM_SECOND;

		nr_backward +=
			net_joined(&without, 1, at + 5 * SIM_US) <= net_joined(&without, 2, at);
		assert_true(net_joined(&with, 1, at + 5 * SIM_US) > net_joined(&with, 2, at));
		/* the sum of both ways does not depend on the offset */
		narrow = fmax(narrow,
		              syt_certain_needed(after, 1, net_joined(&with, 1, at), 2) +
		                      syt_certain_needed(after, 2, net_joined(&with, 2, at), 1));
		wide = fmin(wide,
		            syt_certain_needed(before, 1, net_joined(&without, 1, at), 2) +
		                    syt_certain_needed(before, 2, net_joined(&without, 2, at), 1));
	}
	print_message("bounds of hosts without a common answer: %.1f us, with messages in one "
	              "direction %.1f us\n",
	              wide / SIM_US, narrow / SIM_US);
	assert_int_equal(nr_backward, 600);
	assert_true(narrow < 0.7 * wide);
	assert_int_equal(with.p->nr_backward + with.p->nr_all_dropped, 0);
	assert_int_equal(with.p->states[2], SYT_HOST_ONE_WAY);
	assert_int_equal(false_ones.p->nr_components, 1);
	assert_int_equal(false_ones.p->components[0].nr_hosts, 3);
	assert_int_equal(false_ones.p->nr_all_dropped, 1);
	assert_int_equal(false_ones.p->dropped[0], 77);
	assert_int_equal(false_ones.p->nr_backward, 0);
	for (uint32_t h = 0; h < 3; h++)
		assert_int_equal(net_joined(&false_ones, h, 300 * SIM_SECOND),
		                 net_joined(&without, h, 300 * SIM_SECOND));
	syt_certain_destroy(before);
	syt_certain_destroy(after);
	net_free(&without);
	net_free(&with);
	net_free(&false_ones);
}

#define SHORT_NS (20 * SIM_SECOND / 1000)
#define MOST 64

struct sent {
	uint32_t from, to;
	double sent, received;
};

/* Sends up to MOST messages between the hosts A and B, of which some have long delays. */
static void send_some(struct net *n, uint32_t a, uint32_t b, bool is_one_way, struct sent *all,
                      unsigned *nr)
{
	const unsigned most = 4 + (unsigned)syt_random_below(&n->random, MOST - 4);

	for (unsigned i = 0; i < most; i++) {
		const bool is_back = !is_one_way && (i < 2 ? i : syt_random_below(&n->random, 2));
		const double at = sim_between(&n->random, 0, SHORT_NS),
			     delay = -log(sim_uniform(&n->random)) * 2000 * SIM_US;
		struct sent *s = &all[(*nr)++];

		*s = (struct sent){is_back ? b : a, is_back ? a : b, at,
		                   at + 4 * SIM_US + (i % 3 ? delay : 0)};
		net_send(n, s->from, s->to, s->sent, s->received, a * 3 + b);
	}
}

/* Recordings of 20 ms on busy hosts: the messages determine the rates to some 10 %. The clocks keep credible rates all the same,
 * and thinned messages run forward, too. */
static void test_short(void **state)
{
	struct syt_host_options options = {.reference = 0};
	double steepest = 0;

	(void)state;
	for (unsigned seed = 0; seed < 300; seed++) {
		struct net n = net_create(3, seed);
		struct sent all[3 * MOST];
		unsigned nr = 0;

		send_some(&n, 0, 1, false, all, &nr);
		send_some(&n, 0, 2, false, all, &nr);
		send_some(&n, 2, 1, seed % 2, all, &nr);
		net_place(&n, &options);
		assert_int_equal(n.p->nr_components, 1);
		assert_int_equal(n.p->components[0].nr_hosts, 3);
		assert_int_equal(n.p->nr_all_dropped + n.p->nr_backward, 0);
		for (unsigned i = 0; i < nr; i++)
			assert_true(net_joined(&n, all[i].to, all[i].received) -
			                    net_joined(&n, all[i].from, all[i].sent) >=
			            SYT_HOST_EDGE_MIN_NS);
		for (uint32_t h = 1; h < 3; h++)
			steepest = fmax(steepest, fabs(n.p->clocks[h].places[0].drift_ppm));
		net_free(&n);
	}
	print_message("greatest drift in 20 ms: %.1f ppm\n", steepest);
	assert_true(steepest <= 1001);
}

/* In 20 ms the bounds are as wide as the delays, and grow with the distance from the messages. */
static void test_short_bounds(void **state)
{
	double widest = 0;

	(void)state;
	for (unsigned seed = 0; seed < 100; seed++) {
		struct net n = net_create(2, seed);
		struct syt_host_span spans[2];
		struct syt_host_options options = {.reference = 0, .recorded = spans};
		struct syt_certain *c;

		net_talk(&n, 0, 1,
		         &(struct sim_traffic){SIM_QUIET, SIM_QUIET, 0, SHORT_NS, SIM_SECOND / 1000,
		                               0});
		for (uint32_t h = 0; h < 2; h++)
			spans[h] = (struct syt_host_span){sim_read(&n.clocks[h], -5 * SHORT_NS),
			                                  sim_read(&n.clocks[h], 6 * SHORT_NS)};
		net_place(&n, &options);
		c = syt_certain_create(n.p);
		for (double at = -5 * SHORT_NS; at < 6 * SHORT_NS; at += SHORT_NS / 40) {
			const int64_t a = net_joined(&n, 0, at), b = net_joined(&n, 1, at);
			const struct syt_host_place *p = &n.p->clocks[1].places[0];
			const double to = syt_certain_needed(c, 0, a, 1),
				     back = syt_certain_needed(c, 1, b, 0);

			assert_true((double)(b - a) <= to && (double)(a - b) <= back);
			assert_true((double)(a - b) <= p->late_ns &&
			            (double)(b - a) <= p->early_ns);
			if (at >= 0 && at <= SHORT_NS)
				widest = fmax(widest, to + back);
		}
		syt_certain_destroy(c);
		net_free(&n);
	}
	print_message("bounds of 20 ms: %.1f us\n", widest / SIM_US);
	assert_true(widest < 300 * SIM_US);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_way),
		cmocka_unit_test(test_short),
		cmocka_unit_test(test_short_bounds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
