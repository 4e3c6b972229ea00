/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Clocks with one boot id (decoder/read/boot.h), from clock pairs made by hand. Each pair is in seconds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "decoder/read/boot.h"

#define DUMPS_MAX 8u
#define PAIRS_MAX 4u
#define SECOND UINT64_C(1000000000)
#define EPOCH (UINT64_C(1700000000) * SECOND)
#define HZ UINT64_C(3000000000) /* of the TSC */

struct made {
	uint8_t trace;
	struct {
		double ticks, mono, real;
	} pairs[PAIRS_MAX]; /* up to the first with ticks 0 */
};

/* Splits the dumps MADE and checks their numbers of twins. */
static void check(enum syt_clock_source source, const struct made *made, const uint32_t *twins,
                  size_t nr)
{
	struct syt_loading all[DUMPS_MAX] = {0}, *loadings[DUMPS_MAX];
	struct syt_clock_pair pairs[DUMPS_MAX][PAIRS_MAX];

	assert_true(nr <= DUMPS_MAX);
	for (size_t n = 0; n < nr; n++) {
		struct syt_loading *l = loadings[n] = &all[n];

		l->image.file.boot_id[0] = 1;
		l->image.file.trace_id[0] = made[n].trace;
		l->image.file.clock_source = source;
		l->pairs = pairs[n];
		for (; l->nr_pairs < PAIRS_MAX && made[n].pairs[l->nr_pairs].ticks > 0;
		     l->nr_pairs++)
			pairs[n][l->nr_pairs] = (struct syt_clock_pair){
				(uint64_t)(made[n].pairs[l->nr_pairs].ticks *
			                   (double)(source == SYT_CLOCK_TSC ? HZ : SECOND)),
				(uint64_t)(made[n].pairs[l->nr_pairs].mono * (double)SECOND),
				EPOCH + (uint64_t)(made[n].pairs[l->nr_pairs].real *
			                           (double)SECOND)};
	}
	syt_boots_split(loadings, nr);
	for (size_t n = 0; n < nr; n++)
		assert_int_equal(all[n].image.twin, twins[n]);
}

#define CHECK(source_, made_, ...)                                                                 \
	check(source_, made_, (const uint32_t[]){__VA_ARGS__}, sizeof(made_) / sizeof((made_)[0]))

static void one_clock(void **state)
{
	(void)state;
	const struct made steady[] = {{1, {{100, 50, 70}, {110, 60, 80}}},
	                              {2, {{104, 54, 74}}},
	                              {2, {{900, 850, 870}, {901, 851, 871}}}};
	/* the machine was suspended for 1,000 s: the TSC ran on in the first case, and stood still in the second */
	const struct made suspended[] = {{1, {{100, 50, 70}, {110, 60, 80}}},
	                                 {2, {{1200, 150, 1170}}}};
	const struct made stopped[] = {{1, {{100, 50, 70}, {110, 60, 80}}},
	                               {2, {{200, 150, 1170}}}};
	const struct made forward[] = {{1, {{100, 50, 70}, {110, 60, 80}}},
	                               {2, {{120, 70, 5090}}},
	                               {3, {{130, 80, 5100}}}};

	CHECK(SYT_CLOCK_TSC, steady, 0, 0, 0);
	CHECK(SYT_CLOCK_TSC, suspended, 0, 0);
	CHECK(SYT_CLOCK_TSC, stopped, 0, 0);
	CHECK(SYT_CLOCK_TSC, forward, 0, 0, 0);
}

static void a_step_back(void **state)
{
	(void)state;
	/* the first dump saw that CLOCK_REALTIME was stepped back by 30 s */
	const struct made seen[] = {{1, {{100, 100, 200}, {120, 120, 190}}},
	                            {2, {{105, 105, 205}}},
	                            {2, {{118, 118, 188}}}};
	const struct made unseen[] = {{1, {{100, 100, 200}, {101, 101, 201}}},
	                              {1, {{118, 118, 188}}},
	                              {2, {{119, 119, 189}}}};

	CHECK(SYT_CLOCK_TSC, seen, 0, 0, 0);
	CHECK(SYT_CLOCK_MONOTONIC, seen, 0, 0, 0);
	CHECK(SYT_CLOCK_TSC, unseen, 0, 0, 0); /* one recording has one counter */
}

static void clones(void **state)
{
	(void)state;
	/* both resumed at 100 s of CLOCK_MONOTONIC; a day and 20 s passed between */
	const struct made later[] = {{1, {{300, 100, 200}, {310, 110, 210}}},
	                             {2, {{305, 105, 86425}, {306, 106, 86426}}},
	                             {1, {{308, 108, 208}}}};
	/* the second one resumed 500 s earlier, and both run at the same time */
	const struct made earlier[] = {{1, {{300, 100, 1000}, {310, 110, 1010}}},
	                               {2, {{800, 600, 1000}, {801, 601, 1001}}}};
	/* CLOCK_REALTIME is right on both; their counters differ */
	const struct made counters[] = {{1, {{300, 100, 1000}, {310, 110, 1010}}},
	                                {2, {{9000, 110, 1009}, {9001, 111, 1010}}},
	                                {3, {{400, 90, 990}, {401, 91, 991}}}};

	CHECK(SYT_CLOCK_TSC, later, 0, 1, 0);
	CHECK(SYT_CLOCK_TSC, earlier, 0, 1);
	CHECK(SYT_CLOCK_TSC, counters, 0, 1, 2);
}

static void time_namespaces(void **state)
{
	(void)state;
	const struct made inside[] = {{1, {{100, 100, 1000}, {110, 110, 1010}}},
	                              {1, {{5102, 5102, 1002}, {5103, 5103, 1003}}},
	                              {1, {{104, 104, 1004}}}};
	/* the TSC is the same in all of them */
	const struct made shared[] = {{1, {{100, 100, 1000}, {110, 110, 1010}}},
	                              {2, {{102, 5102, 1002}, {103, 5103, 1003}}}};

	CHECK(SYT_CLOCK_MONOTONIC, inside, 0, 1, 0);
	CHECK(SYT_CLOCK_TSC, shared, 0, 0);
}

static void useless_pairs(void **state)
{
	(void)state;
	const struct made none[] = {{1, {{0, 0, 0}}}, {2, {{0, 0, 0}}}};
	const struct made some[] = {{1, {{100, 100, 1000}, {110, 110, 1010}}}, {2, {{0, 0, 0}}}};
	/* no dump tells the rate of the TSC */
	const struct made equal[] = {{1, {{100, 100, 1000}, {100, 200, 1000}}},
	                             {2, {{100, 300, 2000}}}};

	CHECK(SYT_CLOCK_TSC, none, 0, 0);
	CHECK(SYT_CLOCK_MONOTONIC, none, 0, 0);
	CHECK(SYT_CLOCK_TSC, some, 0, 0);
	CHECK(SYT_CLOCK_TSC, equal, 0, 0);
}

/* With 100,000 clones, each dump is compared with few lines. */
static void many_clones(void **state)
{
	enum { NR = 100000 };
	struct syt_loading *all = calloc(NR, sizeof(*all));
	struct syt_loading **loadings = calloc(NR, sizeof(struct syt_loading *));
	struct syt_clock_pair *pairs = calloc(2 * NR, sizeof(*pairs));

	(void)state;
	assert_true(all && loadings && pairs);
	for (uint32_t n = 0; n < NR; n++) {
		struct syt_clock_pair *p = &pairs[2 * n];

		loadings[n] = &all[n];
		all[n].image.file.boot_id[0] = 1;
		all[n].image.file.clock_source = SYT_CLOCK_TSC;
		all[n].image.file.trace_id[0] = (uint8_t)n;
		all[n].image.file.trace_id[1] = (uint8_t)(n >> 8);
		all[n].image.file.trace_id[2] = (uint8_t)(n >> 16);
		all[n].pairs = p;
		all[n].nr_pairs = 2;
		p[0] = (struct syt_clock_pair){100 * SECOND, 100 * SECOND, EPOCH + 5 * n * SECOND};
		p[1] = (struct syt_clock_pair){101 * SECOND, 101 * SECOND, p[0].real_ns + SECOND};
	}
	syt_boots_split(loadings, NR);
	for (uint32_t n = 0; n < NR; n++)
		assert_int_equal(all[n].image.twin, n);
	free(pairs);
	free(loadings);
	free(all);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_clock),     cmocka_unit_test(a_step_back),
		cmocka_unit_test(clones),        cmocka_unit_test(time_namespaces),
		cmocka_unit_test(useless_pairs), cmocka_unit_test(many_clones),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
