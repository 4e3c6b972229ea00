/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* decoder/host/place.c, graph.c, knots.c and thinning.c: accuracy over segments, loops and hops, and bad input. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "decoder/host/certain.h"
#include "tests/unit/host-network.h"

#define NR_SEEDS 10

/* ---- accuracy ---- */

/* Segments: one exchange a second for 4 h, with a thermal swing of SWING. Returns the error in us. */
static double swing_error(double swing, enum syt_host_method method)
{
	struct net n = net_create(2, 5);
	struct syt_host_options options = {.reference = 0, .method = method};
	double error;

	n.clocks[1].swing = swing;
	n.clocks[1].period_ns = 7200 * SIM_SECOND;
	net_talk(&n, 0, 1,
	         &(struct sim_traffic){SIM_QUIET, SIM_QUIET, 0, 4 * 3600 * SIM_SECOND, SIM_SECOND,
	                               0});
	net_place(&n, &options);
	error = net_error(&n, 0, 4 * 3600 * SIM_SECOND);
	assert_int_equal(n.p->nr_backward, 0);
	net_free(&n);
	return error;
}

static void test_segments(void **state)
{
	const double little = swing_error(0.1e-6, SYT_HOST_GAP),
		     much = swing_error(0.5e-6, SYT_HOST_GAP);

	(void)state;
	print_message("swing 0.1 ppm: %.2f us, 0.5 ppm: %.2f us\n", little, much);
	assert_true(little <= 7.5 && much <= 7.5);
}

/* A chain of hosts: the errors of 7 hops add up. */
static double chain_error(struct sim_way way, enum syt_host_method method, unsigned seed,
                          double *residual)
{
	struct net n = net_create(8, seed);
	struct syt_host_options options = {.reference = 0, .method = method};
	double error;

	for (uint32_t i = 0; i < 7; i++)
		net_talk(&n, i, i + 1,
		         &(struct sim_traffic){way, way, 0, 1800 * SIM_SECOND, SIM_SECOND, 0});
	net_place(&n, &options);
	error = net_error(&n, 0, 1800 * SIM_SECOND);
	*residual = n.p->clocks[7].places[0].residual_ns / SIM_US;
	assert_int_equal(n.p->nr_backward, 0);
	net_free(&n);
	return error;
}

/* The errors and sums of E_r in us, and the table in doc/clocks.md. */
struct hops_row {
	const char *name;
	struct sim_way way;
	double gap, squares, residual;
};

static void test_hops(void **state)
{
	const struct hops_row rows[] = {{"quiet", SIM_TABLE_QUIET, 0.9, 6.4, 13},
	                                {"loaded", SIM_TABLE_LOADED, 2.6, 30, 479}};

	(void)state;
	for (const struct hops_row *row = rows; row < rows + 2; row++) {
		double gap[NR_SEEDS], squares[NR_SEEDS], residuals[NR_SEEDS], ignored;

		for (unsigned seed = 0; seed < NR_SEEDS; seed++) {
			gap[seed] = chain_error(row->way, SYT_HOST_GAP, seed, &residuals[seed]);
			squares[seed] = chain_error(row->way, SYT_HOST_SQUARES, seed, &ignored);
		}

		const double gap_median = sim_median(gap, NR_SEEDS),
			     squares_median = sim_median(squares, NR_SEEDS),
			     residual = sim_median(residuals, NR_SEEDS);

		print_message(
			"7 hops, %-6s  sum of E_r %6.1f  squares %6.2f/%6.2f  gap %5.2f/%5.2f us\n",
			row->name, residual, squares_median, squares[NR_SEEDS - 1], gap_median,
			gap[NR_SEEDS - 1]);
		assert_true(fabs(residual - row->residual) <= 0.2 * row->residual);
		assert_true(gap_median <= 1.5 * row->gap && squares_median <= 1.5 * row->squares);
		assert_true(gap[NR_SEEDS - 1] <= 20);
	}
}

/* 8 hosts, all pairs, with paths whose directions differ by up to 20 us. */
static void test_network(void **state)
{
	double with = 0, direct = 0, loop = 0;

	(void)state;
	for (unsigned seed = 0; seed < 5; seed++) {
		struct net n = net_create(8, seed), star = net_create(8, seed);
		struct syt_host_options options = {.reference = 0};

		for (uint32_t i = 0; i < 8; i++)
			for (uint32_t k = i + 1; k < 8; k++) {
				struct sim_traffic t = {SIM_STEADY,       SIM_STEADY,     0,
				                        600 * SIM_SECOND, 5 * SIM_SECOND, 0};
				const double asymmetry = sim_between(&n.random, -10, 10) * SIM_US;

				t.to.floor_ns += asymmetry;
				t.back.floor_ns -= asymmetry;
				net_talk(&n, i, k, &t);
				if (!i)
					net_talk(&star, 0, k, &t);
			}
		net_place(&n, &options);
		net_place(&star, &options);
		for (uint32_t host = 1; host < 8; host++) {
			with += net_error_of(&n, host, 0, 600 * SIM_SECOND) / 35;
			direct += net_error_of(&star, host, 0, 600 * SIM_SECOND) / 35;
		}
		assert_int_equal(n.p->nr_components, 1);
		assert_int_equal(n.p->components[0].nr_loops, 21);
		loop = fmax(loop, n.p->components[0].loop_ns / SIM_US);
		assert_int_equal(n.p->nr_backward + star.p->nr_backward, 0);
		net_free(&n);
		net_free(&star);
	}
	print_message(
		"asymmetric: direct %.2f, with the network effect %.2f, greatest loop %.2f us\n",
		direct, with, loop);
	assert_true(with <= 2.7 && direct > 1.5 * with && loop >= 5 && loop <= 45);
}

/* ---- structure ---- */

static void test_components(void **state)
{
	const struct sim_traffic t = {SIM_QUIET, SIM_QUIET, 0, 60 * SIM_SECOND, SIM_SECOND, 0};
	struct syt_host_options options = {.reference = SYT_HOST_NONE};
	struct net n = net_create(7, 1);

	(void)state;
	net_talk(&n, 0, 4, &t); /* a star around 4, a pair, and a host that only sends */
	net_talk(&n, 2, 4, &t);
	net_talk(&n, 4, 6, &t);
	net_talk(&n, 1, 3, &t);
	for (unsigned i = 0; i < 50; i++)
		net_send(&n, 5, 0, i * SIM_SECOND, i * SIM_SECOND + 50 * SIM_US, 1);
	net_place(&n, &options);
	assert_int_equal(n.p->nr_components, 2);
	assert_int_equal(n.p->components[0].reference, 4);
	assert_int_equal(n.p->components[1].reference, 1);
	assert_int_equal(n.p->clocks[5].component, SYT_HOST_NONE);
	assert_int_equal(n.p->clocks[3].component, 1);
	assert_int_equal(syt_host_joined(n.p, 5, 12345), 12345);
	assert_int_equal(n.p->clocks[6].places[0].previous, 4);
	syt_placement_free(n.p);
	options.reference = 6;
	n.p = syt_hosts_place(7, n.pairs, n.nr_pairs, &options);
	assert_int_equal(n.p->components[0].reference, 6);
	net_free(&n);
}

/* One connection whose messages arrive 3 s too early is dropped; the hosts are joined all the same. */
static void test_contradiction(void **state)
{
	struct syt_host_options options = {.reference = 0};
	struct net n = net_create(2, 3);

	(void)state;
	net_talk(&n, 0, 1,
	         &(struct sim_traffic){SIM_QUIET, SIM_QUIET, 0, 600 * SIM_SECOND, SIM_SECOND, 0});
	for (unsigned i = 0; i < 20; i++)
		net_send(&n, 0, 1, (i + 5) * SIM_SECOND, (i + 2) * SIM_SECOND, 77);
	net_place(&n, &options);
	assert_int_equal(n.p->nr_components, 1);
	assert_int_equal(n.p->nr_dropped[0], 1);
	assert_int_equal(n.p->nr_all_dropped, 1);
	assert_int_equal(n.p->dropped[0], 77);
	assert_true(net_error(&n, 0, 600 * SIM_SECOND) <= 1);
	assert_int_equal(n.p->nr_backward, 0);
	net_free(&n);
	/* nothing but contradictions: the hosts are apart */
	n = net_create(2, 3);
	for (unsigned i = 0; i < 100; i++) {
		net_send(&n, 0, 1, (i + 5) * SIM_SECOND, (i + 2) * SIM_SECOND, i);
		net_send(&n, 1, 0, (i + 5) * SIM_SECOND, (i + 2) * SIM_SECOND, 1000 + i);
	}
	net_place(&n, &options);
	assert_int_equal(n.p->nr_components, 0);
	assert_int_equal(n.p->states[0], SYT_HOST_CONTRADICTS);
	net_free(&n);
}

/* The rate changes by 1 ppm while the hosts are silent, not at a knot. The lines of the two segments do not meet in any
 * corridor of 4 us, so the segment is halved. No connection is dropped. */
static void test_halving(void **state)
{
	struct syt_host_options options = {.reference = 0,
	                                   .segment_ns = (int64_t)(900 * SIM_SECOND)};
	struct net n = net_create(2, 3);

	(void)state;
	for (unsigned i = 0; i < 1800; i++) {
		const double at = i * SIM_SECOND, d = 1e-6 * fmax(0, at - 700 * SIM_SECOND);

		if (i >= 600 && i < 1200)
			continue;
		syt_thinning_add(n.thinning, 0, 1, (int64_t)at, (int64_t)(at + d + 2 * SIM_US),
		                 i % 7);
		syt_thinning_add(n.thinning, 1, 0, (int64_t)(at + d), (int64_t)(at + 2 * SIM_US),
		                 i % 7);
	}
	net_place(&n, &options);
	assert_int_equal(n.p->nr_components, 1);
	assert_int_equal(n.p->nr_all_dropped, 0);
	assert_true(n.p->components[0].nr_segments > 2);
	assert_int_equal(n.p->nr_backward, 0);
	net_free(&n);
}

/* A trace of some seconds on loaded hosts: the lines of its halves differ by chance, because the rates of the clocks cannot change
 * so much in this time. One segment has better bounds than several short ones. */
static void test_short(void **state)
{
	const struct sim_way busy = {8 * SIM_US, 0, 1, 300 * SIM_US, 0};
	double error = 0;

	(void)state;
	for (unsigned seed = 0; seed < 20; seed++) {
		struct syt_host_options options = {.reference = 0};
		struct net n = net_create(2, seed);

		net_talk(&n, 0, 1,
		         &(struct sim_traffic){busy, busy, 0, 4 * SIM_SECOND, SIM_SECOND / 100, 0});
		net_place(&n, &options);
		assert_int_equal(n.p->components[0].nr_segments, 1);
		error = fmax(error, net_error(&n, 0, 4 * SIM_SECOND));
		net_free(&n);
	}
	print_message("4 s, loaded: %.2f us\n", error);
	assert_true(error <= 40);
}

/* Maps increase, and the result does not depend on the number of workers or on the order of the messages. */
static void test_same(void **state)
{
	struct syt_host_options options = {.reference = SYT_HOST_NONE, .nr_workers = 1};
	struct net n = net_create(6, 9);
	struct syt_placement *other;

	(void)state;
	n.clocks[2].swing = 0.5e-6;
	n.clocks[2].period_ns = 3000 * SIM_SECOND;
	for (uint32_t i = 0; i < 6; i++)
		for (uint32_t k = i + 1; k < 6; k += 2)
			net_talk(&n, i, k,
			         &(struct sim_traffic){SIM_LOADED, SIM_QUIET, 0, 3600 * SIM_SECOND,
			                               SIM_SECOND, 0});
	net_place(&n, &options);
	options.nr_workers = 2;
	other = syt_hosts_place(6, n.pairs, n.nr_pairs, &options);
	assert_int_equal(n.p->nr_pair_segments, other->nr_pair_segments);
	for (size_t i = 0; i < other->nr_pair_segments; i++) {
		const struct syt_host_pair_segment *a = &n.p->pair_segments[i],
						   *b = &other->pair_segments[i];

		assert_true(a->offset_ns == b->offset_ns && a->bounds_ns[0] == b->bounds_ns[0] &&
		            a->bounds_ns[1] == b->bounds_ns[1] && a->residual_ns == b->residual_ns);
	}
	for (uint32_t h = 0; h < 6; h++) {
		int64_t last = INT64_MIN;

		for (double t = -900; t < 5000; t += 0.37) {
			const int64_t local = sim_read(&n.clocks[h], t * SIM_SECOND),
				      at = syt_host_joined(n.p, h, local);

			assert_true(at > last && at == syt_host_joined(other, h, local));
			last = at;
		}
		assert_true(syt_host_joined(n.p, h, INT64_MIN) <
		            syt_host_joined(n.p, h, INT64_MAX));
	}
	syt_placement_free(other);
	net_free(&n);
}

/* ---- thinning ---- */

static void test_thinning(void **state)
{
	const struct syt_host_pair *a, *b;
	uint64_t nr_a, nr_b, nr_messages = 0;
	struct syt_thinning *forward = syt_thinning_create(1 << 18),
			    *backward = syt_thinning_create(1 << 18);
	const unsigned nr = 200000;

	(void)state;
	for (unsigned i = 0; i < nr; i++)
		for (unsigned side = 0; side < 2; side++) {
			const uint64_t k = side ? nr - 1 - i : i;
			struct syt_random r = {.state = k};
			const uint32_t from = (uint32_t)syt_random_below(&r, 5),
				       to = (from + 1 + (uint32_t)syt_random_below(&r, 4)) % 5;

			syt_thinning_add(
				side ? backward : forward, from, to, (int64_t)k * 1000000,
				(int64_t)(k * 1000000 + 50000 + syt_random_below(&r, 1000)), 0);
		}
	a = syt_thinning_end(forward, &nr_a);
	b = syt_thinning_end(backward, &nr_b);
	assert_int_equal(nr_a, 10);
	assert_int_equal(nr_b, 10);
	assert_int_equal(syt_thinning_interval_ns(forward), syt_thinning_interval_ns(backward));
	assert_true(syt_thinning_interval_ns(forward) > 10000000);
	for (unsigned i = 0; i < 10; i++)
		for (unsigned way = 0; way < 2; way++) {
			assert_int_equal(a[i].nr[way], b[i].nr[way]);
			assert_memory_equal(a[i].messages[way], b[i].messages[way],
			                    a[i].nr[way] * sizeof(*a[i].messages[way]));
			for (uint64_t k = 0; k < a[i].nr[way]; k++)
				nr_messages += a[i].messages[way][k].nr;
		}
	assert_int_equal(nr_messages, nr);
	syt_thinning_add(forward, 0, 1, INT64_MIN, INT64_MAX, 0);
	assert_int_equal(syt_thinning_nr_refused(forward), 1);
	syt_thinning_destroy(forward);
	syt_thinning_destroy(backward);
}

/* Of 10^6 messages few remain, and their intervals are long: drift and bends move D far within an interval. All messages
 * run forward all the same. */
static void test_thinned_forward(void **state)
{
	const unsigned nr = 500000;

	(void)state;
	for (unsigned is_bent = 0; is_bent < 2; is_bent++) {
		struct syt_host_options options = {.reference = 0,
		                                   .segment_ns = (int64_t)(77.3 * SIM_SECOND)};
		struct net n = {.random = {.state = 5 + is_bent},
		                .nr = 2,
		                .thinning = syt_thinning_create(1 << 17)};
		int64_t(*times)[2][2] = calloc(nr, sizeof(*times));
		unsigned nr_backward = 0;
		uint64_t nr_kept;

		n.clocks[1] = (struct sim_clock){
			.drift = 100e-6, .swing = is_bent * 3e-6, .period_ns = 300 * SIM_SECOND};
		for (unsigned i = 0; i < nr; i++) {
			const double at = i * 2e6;

			for (unsigned way = 0; way < 2; way++) {
				const double sent = at + way * 60 * SIM_US,
					     received = sent +
				                        sim_delay(&n.random,
				                                  &(const struct sim_way){
									  40 * SIM_US, SIM_US, 0.03,
									  15 * SIM_US, 0});

				times[i][way][0] = sim_read(&n.clocks[way], sent);
				times[i][way][1] = sim_read(&n.clocks[!way], received);
				syt_thinning_add(n.thinning, way, !way, times[i][way][0],
				                 times[i][way][1], 0);
			}
		}
		net_place(&n, &options);
		nr_kept = n.pairs[0].nr[0] + n.pairs[0].nr[1];
		assert_true(nr_kept < 1400);
		assert_int_equal(n.p->components[0].nr_segments >= 13, 1);
		for (unsigned i = 0; i < nr; i++)
			for (unsigned way = 0; way < 2; way++)
				nr_backward += syt_host_joined(n.p, !way, times[i][way][1]) -
				                       syt_host_joined(n.p, way, times[i][way][0]) <
				               SYT_HOST_EDGE_MIN_NS;
		print_message(
			"%u kept messages, intervals of %.2f s: %u of %u messages run backward\n",
			(unsigned)nr_kept,
			(double)syt_thinning_interval_ns(n.thinning) / SIM_SECOND, nr_backward,
			2 * nr);
		assert_int_equal(nr_backward, 0);
		free(times);
		net_free(&n);
	}
}

/* ---- bad input ---- */

static void test_hostile(void **state)
{
	static const int64_t times[] = {0,
	                                1,
	                                -1,
	                                1000,
	                                1000000000,
	                                -1000000000,
	                                1800000000000,
	                                SYT_HOST_TIME_MAX,
	                                -SYT_HOST_TIME_MAX,
	                                INT64_MAX,
	                                INT64_MIN};

	(void)state;
	for (unsigned round = 0; round < 400; round++) {
		struct syt_host_options options = {.reference = SYT_HOST_NONE,
		                                   .method = round % 2 ? SYT_HOST_GAP
		                                                       : SYT_HOST_SQUARES};
		struct net n = net_create(4, round);
		const uint64_t nr_times = round % 3 ? 11 : 7;

		for (unsigned i = 0; i < 1 + syt_random_below(&n.random, 60); i++)
			syt_thinning_add(n.thinning, (uint32_t)syt_random_below(&n.random, 4),
			                 (uint32_t)syt_random_below(&n.random, 4),
			                 times[syt_random_below(&n.random, nr_times)],
			                 times[syt_random_below(&n.random, nr_times)], i);
		net_place(&n, &options);
		for (uint32_t h = 0; h < 4; h++)
			assert_true(
				syt_host_joined(n.p, h, INT64_MIN) <= syt_host_joined(n.p, h, 0) &&
				syt_host_joined(n.p, h, 0) <= syt_host_joined(n.p, h, INT64_MAX));
		for (size_t i = 0; i < n.p->nr_pair_segments; i++)
			assert_true(!isnan(n.p->pair_segments[i].residual_ns) &&
			            !isnan(n.p->pair_segments[i].bounds_ns[0]));
		net_free(&n);
	}
}

static void test_many_hosts(void **state)
{
	struct syt_host_options options = {.reference = SYT_HOST_NONE};
	struct syt_placement *p = syt_hosts_place(1000000, NULL, 0, &options);

	(void)state;
	assert_int_equal(p->nr_components, 0);
	assert_int_equal(p->clocks[999999].component, SYT_HOST_NONE);
	syt_placement_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_segments),      cmocka_unit_test(test_hops),
		cmocka_unit_test(test_network),       cmocka_unit_test(test_components),
		cmocka_unit_test(test_contradiction), cmocka_unit_test(test_halving),
		cmocka_unit_test(test_short),         cmocka_unit_test(test_same),
		cmocka_unit_test(test_thinning),      cmocka_unit_test(test_thinned_forward),
		cmocka_unit_test(test_hostile),       cmocka_unit_test(test_many_hosts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
