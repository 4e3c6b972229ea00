/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* decoder/request/cluster.c: planted kinds of requests, the radius, and other orders of the same requests. Also
 * decoder/request/nearest.c against a search without bounds. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "base/store.h"
#include "decoder/request/cluster.h"
#include "decoder/request/member.h"
#include "decoder/request/nearest.h"
#include "tests/lib/random.h"

#define NR_KINDS 6u
#define MOST_STEPS 90u

/* ---- requests ---- */

/* A request by its texts, before a population gives numbers to them. */
struct request {
	unsigned kind, nr;
	uint16_t steps[MOST_STEPS];
	uint64_t amounts[2][SYT_NR_RESOURCES];
};

static uint32_t add_text(struct syt_text_set *s, const char *format, unsigned n)
{
	char text[32];

	return syt_text_set_add(s, text, (size_t)snprintf(text, sizeof(text), format, n));
}

static void add_request(struct syt_population *p, const struct request *q)
{
	static const char *const names[] = {"shop", "redis"};
	struct syt_work_part parts[2] = {{.component = 0}};
	uint32_t steps[MOST_STEPS], nr_parts = 0;

	for (unsigned i = 0; i < q->nr; i++)
		steps[i] = add_text(&p->symbols, "call_%u", q->steps[i]);
	for (unsigned i = 0; i < 2; i++)
		syt_text_set_add(&p->components, names[i], strlen(names[i]));
	for (unsigned c = 0; c < p->components.nr; c++) {
		unsigned k = strcmp(p->components.all[c], names[0]) ? 1 : 0;

		/* odd kinds do not use redis */
		if (strcmp(p->components.all[c], names[k]) != 0 || (k && q->kind % 2))
			continue;
		parts[nr_parts].component = c;
		memcpy(parts[nr_parts++].amounts, q->amounts[k], sizeof(q->amounts[k]));
	}
	syt_population_add(p, syt_population_behaviour(p, steps, q->nr), parts, nr_parts);
}

static void add_step(struct request *q, unsigned step)
{
	if (q->nr < MOST_STEPS)
		q->steps[q->nr++] = (uint16_t)step;
}

/* Makes a request of a kind: its steps with about NOISE % of edits, and its work with NOISE % of noise. */
static struct request make_request(struct syt_random *r, unsigned kind, unsigned noise)
{
	struct request q = {.kind = kind};

	for (unsigned i = 0; i < 20 + 5 * kind; i++) {
		unsigned x = (unsigned)syt_random_below(r, 100);

		if (x < noise && x % 2)
			continue;
		add_step(&q, (kind * 7 + i * i) % 50);
		if (x < noise)
			add_step(&q, 50 + (unsigned)syt_random_below(r, 30));
	}
	for (unsigned c = 0; c < 2; c++) {
		q.amounts[c][SYT_RESOURCE_CPU] =
			(1000u << 2 * kind) * (100 + syt_random_below(r, noise + 1)) / 100;
		q.amounts[c][SYT_RESOURCE_RECEIVED] = 200 + 50 * kind + c;
		q.amounts[c][SYT_RESOURCE_FILE_CALLS] = kind == 3;
	}
	if (!syt_random_below(r, 10))
		q.amounts[0][SYT_RESOURCE_CPU] = SYT_AMOUNT_UNKNOWN;
	return q;
}

static struct request *make_requests(struct syt_random *r, unsigned nr, unsigned noise)
{
	struct request *all = calloc(nr, sizeof(*all));

	for (unsigned i = 0; i < nr; i++)
		all[i] = make_request(r, (unsigned)syt_random_below(r, NR_KINDS), noise);
	return all;
}

/* ---- clusters ---- */

/* One cluster for each planted kind, the most frequent first. */
static void test_planted_kinds(void **state)
{
	(void)state;
	for (unsigned noise = 0; noise <= 4; noise++) {
		struct syt_random r = {noise};
		struct request *all = make_requests(&r, 3000, noise);
		struct syt_population p = {.nr_steps = 0};
		struct syt_clusters c;

		for (unsigned i = 0; i < 3000; i++)
			add_request(&p, &all[i]);
		syt_clusters_open(&c, &p);
		assert_int_equal(c.nr, NR_KINDS);
		for (unsigned i = 0; i < 3000; i++) {
			uint64_t representative = c.all[c.of[i]].representative;

			assert_int_equal(all[representative].kind, all[i].kind);
			assert_int_equal(c.of[representative], c.of[i]);
		}
		for (unsigned i = 1; i < c.nr; i++)
			assert_true(c.all[i].count <= c.all[i - 1].count);
		syt_clusters_close(&c);
		syt_population_close(&p);
		free(all);
	}
}

/* Requests with the same behaviour and much different work are in different clusters. */
static void test_work_alone(void **state)
{
	struct syt_population p = {.nr_steps = 0};
	struct syt_clusters c;

	(void)state;
	for (unsigned i = 0; i < 100; i++) {
		struct request q = {.kind = 0, .nr = 3};

		q.amounts[0][SYT_RESOURCE_CPU] = i % 4 ? 1000 : 1000000;
		add_request(&p, &q);
	}
	syt_clusters_open(&c, &p);
	assert_int_equal(c.nr, 2);
	assert_int_equal(c.all[0].count, 75);
	for (unsigned i = 0; i < 100; i++)
		assert_int_equal(c.of[i], i % 4 ? 0 : 1);
	syt_clusters_close(&c);
	syt_population_close(&p);
}

static void test_small_populations(void **state)
{
	struct syt_population p = {.nr_steps = 0};
	struct syt_clusters c;

	(void)state;
	syt_clusters_open(&c, &p);
	assert_int_equal(c.nr, 0);
	syt_clusters_close(&c);
	/* two requests without steps and work */
	syt_population_add(&p, syt_population_behaviour(&p, NULL, 0), NULL, 0);
	syt_population_add(&p, 0, NULL, 0);
	syt_clusters_open(&c, &p);
	assert_int_equal(c.nr, 1);
	assert_int_equal(c.all[0].count, 2);
	syt_clusters_close(&c);
	syt_population_close(&p);
}

/* Each request is in the cluster of the nearest representative, except the requests that stay with a representative of the
 * same behaviour and buckets of work, or share the buckets of a nearer request. With different behaviours neither occurs. */
static void test_nearest_representative(void **state)
{
	struct syt_random r = {5};
	struct syt_population p = {.nr_steps = 0};
	struct syt_clusters c;

	(void)state;
	for (unsigned i = 0; i < 600; i++) {
		struct request q = make_request(&r, i % NR_KINDS, 60);

		q.steps[0] = (uint16_t)(1000 + i);
		add_request(&p, &q);
	}
	syt_clusters_open(&c, &p);
	assert_true(c.nr > 2 * NR_KINDS);
	for (unsigned i = 0; i < 600; i++) {
		double own = syt_member_distance(&p, c.scale, i, c.all[c.of[i]].representative);

		for (unsigned k = 0; k < c.nr; k++)
			assert_true(own <=
			            syt_member_distance(&p, c.scale, i, c.all[k].representative));
	}
	syt_clusters_close(&c);
	syt_population_close(&p);
}

/* ---- other numbers ---- */

static void shuffle(struct syt_random *r, unsigned *order, unsigned nr)
{
	for (unsigned i = nr; i > 1; i--) {
		unsigned k = (unsigned)syt_random_below(r, i), kept = order[k];

		order[k] = order[i - 1];
		order[i - 1] = kept;
	}
}

/* Another order of the requests gives other numbers to members, behaviours, symbols and components. */
static void test_renumbering(void **state)
{
	enum { NR = 1500 };
	struct syt_random r = {11};
	struct request *all = make_requests(&r, NR, 30);
	struct syt_population p = {.nr_steps = 0};
	unsigned order[NR];
	struct syt_clusters c;

	(void)state;
	for (unsigned i = 0; i < NR; i++) {
		add_request(&p, &all[i]);
		order[i] = i;
	}
	syt_clusters_open(&c, &p);
	for (unsigned run = 0; run < 5; run++) {
		struct syt_population other = {.nr_steps = 0};
		struct syt_clusters d;

		shuffle(&r, order, NR);
		syt_text_set_add(&other.components, run % 2 ? "redis" : "another", run % 2 ? 5 : 7);
		for (unsigned i = 0; i < 100; i++)
			add_text(&other.symbols, "call_%u", (i * 37 + run) % 100);
		for (unsigned i = 0; i < NR; i++)
			add_request(&other, &all[order[i]]);
		syt_clusters_open(&d, &other);
		assert_int_equal(d.nr, c.nr);
		for (unsigned i = 0; i < NR; i++)
			assert_int_equal(d.of[i], c.of[order[i]]);
		for (unsigned i = 0; i < c.nr; i++) {
			const struct request *one = &all[c.all[i].representative],
					     *same = &all[order[d.all[i].representative]];

			assert_int_equal(d.all[i].count, c.all[i].count);
			assert_memory_equal(one, same, sizeof(*one));
		}
		syt_clusters_close(&d);
		syt_population_close(&other);
	}
	syt_clusters_close(&c);
	syt_population_close(&p);
	free(all);
}

/* ---- the nearest centre ---- */

static uint32_t search_all(const struct syt_population *p, const double *scale, uint32_t nr,
                           uint64_t member, double *distance)
{
	uint32_t best = SYT_HASH_NONE;

	for (uint32_t i = 0; i < nr; i++) {
		double d = syt_member_distance(p, scale, member, i);

		if (d < *distance || (d == *distance && best == SYT_HASH_NONE)) {
			*distance = d;
			best = i;
		}
	}
	return best;
}

/* The first 150 members are the centres. */
static void test_nearest(void **state)
{
	struct syt_random r = {17};
	struct syt_population p = {.nr_steps = 0};
	struct request *all = make_requests(&r, 600, 40);
	struct syt_centres centres;
	double *scale;

	(void)state;
	for (unsigned i = 0; i < 600; i++)
		add_request(&p, &all[i]);
	scale = syt_work_scale(&p);
	syt_centres_open(&centres, &p, scale);
	for (unsigned i = 0; i < 600; i++) {
		static const double limits[] = {0.1, 0.25, HUGE_VAL};
		struct syt_point point;

		syt_point_open(&point, &p, scale, i);
		if (i < 150) {
			syt_centres_add(&centres, &point);
			continue;
		}
		for (unsigned k = 0; k < 3; k++) {
			double have = limits[k], wanted = limits[k];
			uint32_t n = syt_centres_nearest(&centres, &point, SYT_HASH_NONE, &have);

			assert_int_equal(n, search_all(&p, scale, 150, i, &wanted));
			assert_true(have == wanted);
		}
		syt_point_close(&point);
	}
	syt_centres_close(&centres);
	syt_population_close(&p);
	free(scale);
	free(all);
}

/* ---- a large population ---- */

/* A million requests with several hundred thousand behaviours. Prints the time, and fails only if it is far from 15 s. */
static void test_large(void **state)
{
	struct syt_random r = {23};
	struct syt_population p = {.nr_steps = 0};
	struct syt_clusters c;
	clock_t begin;

	(void)state;
	if (!getenv("SYNTRACE_TEST_LONG"))
		skip();
	for (unsigned i = 0; i < 1000000; i++) {
		struct request q = make_request(&r, i % NR_KINDS, 6);

		add_request(&p, &q);
	}
	begin = clock();
	syt_clusters_open(&c, &p);
	double s = (double)(clock() - begin) / CLOCKS_PER_SEC;
	printf("%u behaviours, %u clusters, %.1f s\n", p.nr_behaviours, c.nr, s);
	assert_true(p.nr_behaviours > 300000 && c.nr < 1000);
	assert_true(s < 60);
	syt_clusters_close(&c);
	syt_population_close(&p);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_planted_kinds),
		cmocka_unit_test(test_work_alone),
		cmocka_unit_test(test_small_populations),
		cmocka_unit_test(test_nearest_representative),
		cmocka_unit_test(test_renumbering),
		cmocka_unit_test(test_nearest),
		cmocka_unit_test(test_large),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
