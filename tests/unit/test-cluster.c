/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* decoder/request/cluster.c: planted kinds of requests, the radius, a number of clusters, and other orders of the same requests.
 * Also decoder/request/nearest.c against a search without bounds, and decoder/request/merge.c against a slow merging. */
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
#include "decoder/request/merge.h"
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

/* The short form has a fifth of the requests. */
static unsigned some(unsigned nr)
{
	return getenv("SYNTRACE_TEST_LONG") ? nr : nr / 5;
}

/* One cluster for each planted kind, the most frequent first. */
static void test_planted_kinds(void **state)
{
	unsigned nr = some(3000);

	(void)state;
	for (unsigned noise = 0; noise <= 4; noise++) {
		struct syt_random r = {noise};
		struct request *all = make_requests(&r, nr, noise);
		struct syt_population p = {.nr_steps = 0};
		struct syt_clusters c;

		for (unsigned i = 0; i < nr; i++)
			add_request(&p, &all[i]);
		syt_clusters_open(&c, &p);
		assert_int_equal(c.nr, NR_KINDS);
		for (unsigned i = 0; i < nr; i++) {
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

static unsigned count_kinds(const struct syt_clusters *c, const struct request *all, unsigned nr)
{
	unsigned nr_alone = 0;

	for (unsigned i = 0; i < nr; i++) {
		uint64_t representative = c->all[c->of[i]].representative;

		assert_int_equal(c->of[representative], c->of[i]);
		nr_alone += all[representative].kind == all[i].kind;
	}
	return nr_alone;
}

/* If the user wants as many clusters as there are planted kinds, the clusters are the kinds, although the noise of their work is
 * large. One cluster contains all requests. */
static void test_few_clusters(void **state)
{
	unsigned nr = some(2000);

	(void)state;
	for (unsigned noise = 0; noise <= 30; noise += 6) {
		struct syt_random r = {noise};
		struct request *all = make_requests(&r, nr, noise);
		struct syt_population p = {.nr_steps = 0};
		struct syt_clusters c;

		for (unsigned i = 0; i < nr; i++)
			add_request(&p, &all[i]);
		syt_clusters_open_few(&c, &p, NR_KINDS);
		assert_int_equal(c.nr, NR_KINDS);
		assert_int_equal(count_kinds(&c, all, nr), nr);
		for (unsigned i = 1; i < c.nr; i++)
			assert_true(c.all[i].count <= c.all[i - 1].count);
		syt_clusters_close(&c);
		syt_clusters_open_few(&c, &p, 1);
		assert_int_equal(c.nr, 1);
		assert_int_equal(c.all[0].count, nr);
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
	syt_clusters_open_few(&c, &p, 5);
	assert_int_equal(c.nr, 1);
	syt_clusters_close(&c);
	syt_population_close(&p);
	syt_clusters_open_few(&c, &p, 5);
	assert_int_equal(c.nr, 0);
	syt_clusters_close(&c);
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

static void open_clusters(struct syt_clusters *c, const struct syt_population *p, uint32_t most)
{
	if (most)
		syt_clusters_open_few(c, p, most);
	else
		syt_clusters_open(c, p);
}

/* Another order of the requests gives other numbers to members, behaviours, symbols and components. */
static void check_renumbering(uint32_t most)
{
	enum { NR = 1500 };
	struct syt_random r = {11};
	unsigned nr = some(NR);
	struct request *all = make_requests(&r, nr, 30);
	struct syt_population p = {.nr_steps = 0};
	unsigned order[NR];
	struct syt_clusters c;

	for (unsigned i = 0; i < nr; i++) {
		add_request(&p, &all[i]);
		order[i] = i;
	}
	open_clusters(&c, &p, most);
	for (unsigned run = 0; run < 5; run++) {
		struct syt_population other = {.nr_steps = 0};
		struct syt_clusters d;

		shuffle(&r, order, nr);
		syt_text_set_add(&other.components, run % 2 ? "redis" : "another", run % 2 ? 5 : 7);
		for (unsigned i = 0; i < 100; i++)
			add_text(&other.symbols, "call_%u", (i * 37 + run) % 100);
		for (unsigned i = 0; i < nr; i++)
			add_request(&other, &all[order[i]]);
		open_clusters(&d, &other, most);
		assert_int_equal(d.nr, c.nr);
		for (unsigned i = 0; i < nr; i++)
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

static void test_renumbering(void **state)
{
	(void)state;
	check_renumbering(0);
	check_renumbering(20);
}

/* ---- merging ---- */

#define MOST_GROUPS 40u

struct slow_group {
	uint64_t count;
	uint32_t behaviour;
	double sums[2 * SYT_NR_RESOURCES]; /* of the coordinates */
	uint64_t nr[2 * SYT_NR_RESOURCES]; /* members whose amount is known */
};

static void add_slowly(struct slow_group *g, const struct syt_population *p, uint64_t member,
                       const double *means)
{
	const struct syt_member *m = &p->members[member];

	g->count++;
	for (unsigned i = 0; i < 2 * SYT_NR_RESOURCES; i++)
		g->nr[i]++;
	for (uint64_t i = m->first_part; i < m->first_part + m->nr_parts; i++)
		for (unsigned r = 0; r < SYT_NR_RESOURCES; r++) {
			unsigned at = p->parts[i].component * SYT_NR_RESOURCES + r;

			if (p->parts[i].amounts[r] == SYT_AMOUNT_UNKNOWN)
				g->nr[at]--;
			else if (means[at] > 0)
				g->sums[at] += log1p((double)p->parts[i].amounts[r] / means[at]);
		}
}

static double slow_cost(const struct syt_population *p, const struct slow_group *a,
                        const struct slow_group *b)
{
	uint32_t nr = p->behaviours[a->behaviour].nr, other = p->behaviours[b->behaviour].nr,
		 longer = nr > other ? nr : other;
	double edits = syt_edit_distance(syt_behaviour_steps(p, a->behaviour), nr,
	                                 syt_behaviour_steps(p, b->behaviour), other, longer);
	double square = longer ? edits / longer * edits / longer : 0;

	for (unsigned i = 0; i < 2 * SYT_NR_RESOURCES; i++)
		if (a->nr[i] && b->nr[i])
			square += pow(a->sums[i] / (double)a->nr[i] - b->sums[i] / (double)b->nr[i],
			              2);
	return square * (double)a->count * (double)b->count / (double)(a->count + b->count);
}

static void merge_slowly(const struct syt_population *p, struct slow_group *all, uint32_t nr,
                         uint32_t most, uint32_t *to)
{
	for (uint32_t left = nr; left > most; left--) {
		uint32_t one = 0, other = 0;
		double best = HUGE_VAL;

		for (uint32_t i = 0; i < nr; i++)
			for (uint32_t k = i + 1; k < nr && to[i] == i; k++) {
				double cost =
					to[k] == k ? slow_cost(p, &all[i], &all[k]) : HUGE_VAL;

				if (cost < best) {
					best = cost;
					one = i;
					other = k;
				}
			}
		if (all[other].count > all[one].count)
			all[one].behaviour = all[other].behaviour;
		all[one].count += all[other].count;
		for (unsigned i = 0; i < 2 * SYT_NR_RESOURCES; i++) {
			all[one].sums[i] += all[other].sums[i];
			all[one].nr[i] += all[other].nr[i];
		}
		for (uint32_t i = 0; i < nr; i++)
			if (to[i] == other)
				to[i] = one;
	}
}

static void find_slow_means(const struct syt_population *p, double *means)
{
	struct slow_group all = {.count = 0};
	static const double none[2 * SYT_NR_RESOURCES];

	for (uint64_t i = 0; i < p->nr_members; i++)
		add_slowly(&all, p, i, none);
	memset(means, 0, 2 * SYT_NR_RESOURCES * sizeof(*means));
	for (uint64_t i = 0; i < p->nr_parts; i++)
		for (unsigned r = 0; r < SYT_NR_RESOURCES; r++) {
			unsigned at = p->parts[i].component * SYT_NR_RESOURCES + r;

			if (p->parts[i].amounts[r] != SYT_AMOUNT_UNKNOWN)
				means[at] += (double)p->parts[i].amounts[r] / (double)all.nr[at];
		}
}

/* Each request of a population belongs to a random group. */
static void check_merging(struct syt_random *r, uint32_t nr, uint32_t most)
{
	struct syt_population p = {.nr_steps = 0};
	struct slow_group groups[MOST_GROUPS] = {{0}};
	uint64_t representatives[MOST_GROUPS];
	uint32_t of[200], to[MOST_GROUPS], wanted[MOST_GROUPS], nr_left = nr < most ? nr : most;
	double means[2 * SYT_NR_RESOURCES];

	for (uint32_t i = 0; i < 200; i++) {
		struct request q = make_request(r, (unsigned)syt_random_below(r, NR_KINDS), 50);

		for (unsigned c = 0; c < 2; c++)
			q.amounts[c][SYT_RESOURCE_SENT] = syt_random_below(r, 100000);
		add_request(&p, &q);
		of[i] = i < nr ? i : (uint32_t)syt_random_below(r, nr);
	}
	find_slow_means(&p, means);
	for (uint32_t i = 0; i < nr; i++) {
		representatives[i] = wanted[i] = i;
		groups[i].behaviour = p.members[i].behaviour;
	}
	for (uint32_t i = 0; i < 200; i++)
		add_slowly(&groups[of[i]], &p, i, means);
	merge_slowly(&p, groups, nr, most, wanted);
	assert_int_equal(syt_merge_groups(&p, of, nr, representatives, most, to), nr_left);
	for (uint32_t i = 0; i < nr; i++) {
		assert_true(to[i] < nr_left);
		for (uint32_t k = 0; k < i; k++)
			assert_int_equal(to[i] == to[k], wanted[i] == wanted[k]);
	}
	syt_population_close(&p);
}

static void test_merging(void **state)
{
	struct syt_random r = {29};

	(void)state;
	for (unsigned i = 0; i < 200; i++)
		check_merging(&r, 1 + (uint32_t)syt_random_below(&r, MOST_GROUPS),
		              1 + (uint32_t)syt_random_below(&r, 12));
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
	begin = clock();
	syt_clusters_open_few(&c, &p, 10);
	s = (double)(clock() - begin) / CLOCKS_PER_SEC;
	printf("10 clusters, %.1f s\n", s);
	assert_true(c.nr == 10 && s < 120);
	syt_clusters_close(&c);
	syt_population_close(&p);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_planted_kinds),
		cmocka_unit_test(test_few_clusters),
		cmocka_unit_test(test_work_alone),
		cmocka_unit_test(test_small_populations),
		cmocka_unit_test(test_nearest_representative),
		cmocka_unit_test(test_renumbering),
		cmocka_unit_test(test_merging),
		cmocka_unit_test(test_nearest),
		cmocka_unit_test(test_large),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
