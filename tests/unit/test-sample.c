/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* decoder/sample/: the begins of turns, the rules of the replay, the metrics against a second computation, and the tuner against a
 * grid. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "base/err.h"
#include "decoder/sample/metrics.h"
#include "decoder/sample/replay.h"
#include "decoder/sample/tune.h"
#include "decoder/sample/turn.h"
#include "format/sampler_text.h"
#include "tests/lib/random.h"

static struct syt_sampler_options parsed(const char *text)
{
	struct syt_sampler_options o;
	const char *end = syt_sampler_parse(&o, text);

	if (!end || *end)
		fail_msg("%s is not parsed", text);
	return o;
}

/* ---- turns ---- */

/* An event of a thread, and whether it begins a turn. */
struct step {
	char site; /* upper case: a wait */
	uint16_t depth;
	bool is_kept, begins;
};

static void walk(const struct step *steps, unsigned nr)
{
	struct syt_sample_turn t = {0};

	for (unsigned i = 0; i < nr; i++) {
		const struct step *s = &steps[i];
		bool is_wait = s->site >= 'A' && s->site <= 'Z';

		if (syt_sample_turn_begins(&t, (uint32_t)s->site, s->depth, is_wait, s->is_kept,
		                           i) != s->begins)
			fail_msg("event %u (%c): %s", i, s->site,
			         s->begins ? "begins no turn" : "begins a turn");
	}
}

#define WALK(...)                                                                                  \
	walk((struct step[]){__VA_ARGS__},                                                         \
	     sizeof((struct step[]){__VA_ARGS__}) / sizeof(struct step))

static void test_turns(void **state)
{
	(void)state;
	/* the first event, then each wait of the loop */
	WALK({'a', 3, 0, 1}, {'W', 2, 0, 1}, {'a', 3, 0, 0}, {'a', 3, 0, 0}, {'W', 2, 0, 1},
	     {'W', 2, 0, 1});
	/* one wait inside of a turn begins no turn; two in a row move the head */
	WALK({'W', 2, 0, 1}, {'D', 5, 0, 0}, {'W', 2, 0, 1}, {'D', 5, 0, 0}, {'E', 5, 0, 0},
	     {'D', 5, 0, 0}, {'a', 6, 0, 0}, {'D', 5, 0, 1}, {'D', 5, 0, 1}, {'W', 2, 0, 1},
	     {'D', 5, 0, 0});
	/* a wait of the same depth is like a deeper one */
	WALK({'W', 2, 0, 1}, {'D', 2, 0, 0}, {'W', 2, 0, 1});
	/* the first wait of a thread is the head, even if it is kept */
	WALK({'a', 3, 0, 1}, {'W', 2, 1, 1}, {'a', 3, 1, 0}, {'W', 2, 1, 1});
	/* otherwise, the head does not move while the turn is kept */
	WALK({'W', 5, 0, 1}, {'D', 2, 1, 0}, {'D', 2, 1, 0}, {'D', 2, 0, 1});
}

static void test_long_turns(void **state)
{
	struct syt_sample_turn t = {0};

	(void)state;
	for (unsigned i = 0; i < 3 * SYT_SAMPLE_TURN_EVENTS; i++)
		assert_int_equal(syt_sample_turn_begins(&t, 1, 1, false, false, 0),
		                 i % SYT_SAMPLE_TURN_EVENTS == 0);
	/* after such a turn, the next wait is the head, even if it is kept */
	for (unsigned i = 0; i < SYT_SAMPLE_TURN_EVENTS; i++)
		syt_sample_turn_begins(&t, i % 100 ? 1 : 2, 1, i % 100 == 0, false, 0);
	assert_true(syt_sample_turn_begins(&t, 2, 1, true, true, 0));
	for (unsigned i = 1; i < SYT_SAMPLE_TURN_EVENTS; i++)
		assert_false(syt_sample_turn_begins(&t, 3, 9, true, true, 0));
	assert_true(syt_sample_turn_begins(&t, 3, 9, true, true, 0));
	assert_false(syt_sample_turn_begins(&t, 1, 9, false, true, 0));
	assert_true(syt_sample_turn_begins(&t, 3, 9, true, true, 0));
	memset(&t, 0, sizeof(t));
	assert_true(syt_sample_turn_begins(&t, 1, 1, false, true, 5));
	assert_false(syt_sample_turn_begins(&t, 1, 1, false, true, SYT_SAMPLE_TURN_NS + 4));
	assert_true(syt_sample_turn_begins(&t, 1, 1, false, true, SYT_SAMPLE_TURN_NS + 5));
}

/* ---- a server ---- */

#define NR_KINDS 60u /* kinds of requests; kind k + 1 is rarer than kind k */
#define KIND_PATHS 6u

static void add_source(struct syt_sample_input *in, uint32_t from, struct syt_random *r)
{
	*SYT_STORE_ADD(in->sources, in->nr_sources, in->room_sources) = (struct syt_sample_source){
		.from = from,
		.kind = (uint8_t)(SYT_EDGE_COND + syt_random_below(r, 4)),
		.is_mark = syt_random_below(r, 4) > 0,
	};
}

/* Makes a trace of NR events: NR_THREADS threads answer requests. SECONDS is its duration. */
static void make_server(struct syt_sample_input *in, uint64_t nr, uint32_t nr_threads,
                        double seconds, uint64_t seed)
{
	struct syt_random r = {seed};
	uint32_t *kind = syt_calloc(nr_threads, sizeof(*kind)),
		 *step = syt_calloc(nr_threads, sizeof(*step)),
		 *turn = syt_calloc(nr_threads, sizeof(*turn)),
		 *last = syt_calloc(nr_threads, sizeof(*last));

	memset(in, 0, sizeof(*in));
	in->nr = nr;
	in->events = syt_store_alloc(nr + 1, sizeof(*in->events));
	in->nr_threads = nr_threads;
	in->nr_paths = in->nr_sites = 1 + NR_KINDS * KIND_PATHS;
	for (uint64_t i = 0; i < nr; i++) {
		uint32_t t = (uint32_t)syt_random_below(&r, nr_threads);
		struct syt_sample_event *e = &in->events[i];
		bool is_begin = step[t] == 0;

		if (is_begin) {
			/* geometric: each kind has a quarter of the rest */
			for (kind[t] = 0; kind[t] + 1 < NR_KINDS && syt_random_below(&r, 4);
			     kind[t]++)
				;
			turn[t] = in->nr_turns++;
		}
		*e = (struct syt_sample_event){
			.ns = (uint64_t)(seconds * 1e9 * (double)i / (double)nr),
			.thread = t,
			.path = is_begin ? 0
		                         : 1 + kind[t] * KIND_PATHS + (step[t] - 1) % KIND_PATHS,
			.turn = turn[t],
			.first_source = (uint32_t)in->nr_sources,
			.depth = is_begin ? 2 : 4,
			.is_wait = is_begin,
		};
		e->site = e->path;
		if (last[t]) {
			e->task_rows = 1;
			e->task_path = in->events[last[t] - 1].path;
			e->task_ms = (float)(0.01 * (1 + kind[t] * kind[t]) *
			                     (1 + (double)syt_random_below(&r, 1000) / 250));
		}
		last[t] = (uint32_t)i + 1;
		if (i && syt_random_below(&r, 3) == 0)
			add_source(in, (uint32_t)(i - 1 - syt_random_below(&r, i < 20 ? i : 20)),
			           &r);
		step[t] = (step[t] + 1) % (2 + kind[t] % KIND_PATHS);
	}
	in->events[nr].first_source = (uint32_t)in->nr_sources;
	free(kind);
	free(step);
	free(turn);
	free(last);
}

static void free_server(struct syt_sample_input *in)
{
	syt_store_free(in->events);
	syt_store_free(in->sources);
}

/* ---- the replay ---- */

/* Checks the rules of sampled turns and marks, event by event. */
static void check_rules(const struct syt_sample_input *in, const struct syt_sampler_options *o,
                        const uint8_t *kept)
{
	uint8_t *before = syt_calloc(in->nr_threads, 1);
	struct syt_sample_turn *turns = syt_calloc(in->nr_threads, sizeof(*turns));

	for (uint32_t i = 0; i < in->nr; i++) {
		const struct syt_sample_event *e = &in->events[i];
		bool begins = syt_sample_turn_begins(&turns[e->thread], e->site, e->depth,
		                                     e->is_wait, before[e->thread], e->ns);
		uint8_t most = 0;

		for (uint32_t s = e->first_source; s < e[1].first_source; s++)
			if (in->sources[s].is_mark && kept[in->sources[s].from] > most)
				most = kept[in->sources[s].from];
		assert_true(kept[i] <= o->hops + 1);
		if (!begins && before[e->thread])
			assert_int_equal(kept[i], before[e->thread]);
		else if (most > 1)
			assert_true(kept[i] == most - 1 || kept[i] == o->hops + 1);
		else
			assert_true(!kept[i] || kept[i] == o->hops + 1);
		/* without a mark, a sampler at roots begins only at roots */
		if (o->at_root && kept[i] && !before[e->thread] && most < 2)
			assert_true(begins);
		before[e->thread] = kept[i];
	}
	free(turns);
	free(before);
}

static void test_rules(void **state)
{
	static const char *const samplers[] = {"p:0.01",       "p:0.1,hops=0",
	                                       "bump:at=root", "bump:hops=5",
	                                       "bucket",       "bucket:hops=1,at=root"};
	struct syt_sample_input in;
	uint8_t *kept;

	(void)state;
	for (unsigned seed = 1; seed < 4; seed++) {
		make_server(&in, 20000, 5, 3, seed);
		kept = syt_store_alloc(in.nr, 1);
		for (unsigned i = 0; i < sizeof(samplers) / sizeof(*samplers); i++) {
			struct syt_sampler_options o = parsed(samplers[i]);
			uint64_t nr = 0, wanted = syt_sample_replay(&in, &o, seed, in.nr, kept);

			check_rules(&in, &o, kept);
			for (uint64_t k = 0; k < in.nr; k++)
				nr += kept[k] > 0;
			assert_int_equal(nr, wanted);
			assert_in_range(nr, 1, in.nr - 1);
			/* an equal seed gives an equal result; the limit ends the replay */
			assert_int_equal(syt_sample_replay(&in, &o, seed, in.nr, kept), wanted);
			assert_int_equal(syt_sample_replay(&in, &o, seed, wanted / 2, kept),
			                 wanted / 2 + 1);
		}
		assert_int_equal(syt_sample_replay(&in, &(struct syt_sampler_options){.at_root = 1},
		                                   seed, in.nr, kept),
		                 0);
		struct syt_sampler_options all = parsed("p:1");
		assert_int_equal(syt_sample_replay(&in, &all, seed, in.nr, kept), in.nr);
		syt_store_free(kept);
		free_server(&in);
	}
}

/* Rare call paths are kept at their sites, and p loses them. */
static void test_rare_paths(void **state)
{
	struct syt_sampler_options bump = parsed("bump:floor=0"), p = parsed("p:0.01,hops=0");
	struct syt_sample_coverage all, some;
	struct syt_sample_input in;
	uint8_t *kept;

	(void)state;
	make_server(&in, 500000, 4, 10, 1);
	kept = syt_store_alloc(in.nr, 1);
	syt_sample_coverage(&in, NULL, &all);
	syt_sample_replay(&in, &bump, 1, in.nr, kept);
	syt_sample_coverage(&in, kept, &some);
	assert_int_equal(some.paths, all.paths);
	syt_sample_replay(&in, &p, 1, in.nr, kept);
	syt_sample_coverage(&in, kept, &some);
	assert_in_range(some.paths, all.paths / 10, all.paths * 8 / 10);
	syt_store_free(kept);
	free_server(&in);
}

/* ---- metrics ---- */

/* Computes the metrics of one call path once more, in two passes. */
static void check_path(const struct syt_sample_input *in, const uint8_t *kept, uint32_t path,
                       const struct syt_sample_path *have)
{
	double sum = 0, squares = 0;
	uint64_t nr = 0, nr_tasks = 0;

	for (unsigned pass = 0; pass < 2; pass++) {
		double mean = nr_tasks ? sum / (double)nr_tasks : 0;

		nr_tasks = nr = 0;
		for (uint64_t i = 0; i < in->nr; i++) {
			const struct syt_sample_event *e = &in->events[i];
			uint64_t before = i;

			nr += e->path == path && kept[i];
			if (!e->task_rows || e->task_path != path || !kept[i])
				continue;
			do
				before--;
			while (in->events[before].thread != e->thread);
			if (!kept[before])
				continue;
			nr_tasks++;
			if (pass)
				squares +=
					((double)e->task_ms - mean) * ((double)e->task_ms - mean);
			else
				sum += (double)e->task_ms;
		}
	}
	assert_int_equal(have->nr, nr);
	assert_int_equal(have->nr_tasks, nr_tasks);
	if (nr_tasks) {
		struct syt_sample_path zero = {0};
		double mean = sum / (double)nr_tasks, variance = squares / (double)nr_tasks;

		assert_float_equal(syt_sample_similarity(have, &zero, 1),
		                   sqrt(mean * mean + variance), 1e-6 * mean);
	}
}

static void test_metrics(void **state)
{
	struct syt_random r = {3};
	struct syt_sample_input in;
	struct syt_sample_coverage c;
	struct syt_sample_path *all;
	uint8_t *kept;
	double sum = 0;
	uint32_t nr = 0;

	(void)state;
	make_server(&in, 3000, 3, 1, 9);
	kept = syt_store_alloc(in.nr, 1);
	all = syt_calloc(in.nr_paths, sizeof(*all));
	for (uint64_t i = 0; i < in.nr; i++)
		kept[i] = syt_random_below(&r, 4) > 0;
	syt_sample_paths(&in, kept, all);
	for (uint32_t i = 0; i < in.nr_paths; i++) {
		check_path(&in, kept, i, &all[i]);
		nr += all[i].nr > 0;
	}
	syt_sample_coverage(&in, kept, &c);
	assert_int_equal(c.paths, nr);
	/* the distance is that of Euclid */
	for (uint32_t i = 0; i < in.nr_paths; i++) {
		struct syt_sample_path zero = {0};
		double d = syt_sample_similarity(&all[i], &zero, 1);

		sum += d * d;
	}
	struct syt_sample_path *none = syt_calloc(in.nr_paths, sizeof(*none));
	assert_float_equal(syt_sample_similarity(all, none, in.nr_paths), sqrt(sum), 1e-9);
	assert_true(syt_sample_similarity(all, all, in.nr_paths) == 0);
	assert_true(syt_sample_entropy(none, in.nr_paths) == 0);
	none[0].nr = 7;
	assert_true(syt_sample_entropy(none, in.nr_paths) == 0);
	for (uint32_t i = 0; i < 8; i++)
		none[i].nr = 5;
	assert_float_equal(syt_sample_entropy(none, in.nr_paths), log(8), 1e-12);
	assert_true(isinf(syt_sample_objective(0, 0)));
	free(none);
	free(all);
	syt_store_free(kept);
	free_server(&in);
}

/* Two turns of equal paths in another order and number have one shape. A turn with an event left out is not whole. */
static void test_turn_shapes(void **state)
{
	static const uint32_t paths[] = {0, 1, 2, /**/ 0, 2, 1, 1, /**/ 0, 1, /**/ 0, 1, 2};
	static const uint32_t turns[] = {0, 0, 0, 1, 1, 1, 1, 2, 2, 3, 3, 3};
	struct syt_sample_event events[13] = {{.ns = 0}};
	struct syt_sample_input in = {
		.nr = 12, .events = events, .nr_threads = 1, .nr_paths = 3, .nr_turns = 4};
	uint8_t kept[12] = {1, 1, 1, 1, 1, 0, 1, 1, 1, 0, 0, 0};
	struct syt_sample_coverage c;

	(void)state;
	for (unsigned i = 0; i < 12; i++) {
		events[i].path = paths[i];
		events[i].turn = turns[i];
	}
	syt_sample_coverage(&in, NULL, &c);
	assert_int_equal(c.turns, 4);
	assert_int_equal(c.turn_shapes, 2);
	syt_sample_coverage(&in, kept, &c);
	assert_int_equal(c.turns, 2);
	assert_int_equal(c.turn_shapes, 2);
	kept[8] = 0;
	syt_sample_coverage(&in, kept, &c);
	assert_int_equal(c.turns, 1);
	assert_int_equal(c.turn_shapes, 1);
}

static void test_edges(void **state)
{
	struct syt_sample_source sources[] = {
		{.from = 0, .kind = SYT_EDGE_COND},
		{.from = 1, .kind = SYT_EDGE_SEM},
		{.from = 3, .kind = SYT_EDGE_BARRIER}, /* of a round: the event itself */
	};
	struct syt_sample_event events[5] = {
		{.path = 0}, {.path = 0}, {.path = 0}, {.first_source = 2}, {.first_source = 3}};
	struct syt_sample_input in = {.nr = 4,
	                              .events = events,
	                              .nr_sources = 3,
	                              .sources = sources,
	                              .nr_threads = 1,
	                              .nr_paths = 1,
	                              .nr_turns = 1};
	uint8_t kept[4] = {1, 0, 1, 1};
	struct syt_sample_coverage c;

	(void)state;
	syt_sample_coverage(&in, NULL, &c);
	assert_int_equal(c.edges, 3);
	assert_int_equal(c.edges_whole, 3);
	assert_int_equal(c.edge_kinds, 3);
	syt_sample_coverage(&in, kept, &c);
	assert_int_equal(c.edges, 3);
	assert_int_equal(c.edges_whole, 2);
	assert_int_equal(c.edge_kinds, 2);
	kept[2] = 0;
	syt_sample_coverage(&in, kept, &c);
	assert_int_equal(c.edges, 1);
	assert_int_equal(c.edge_kinds, 1);
}

/* ---- the tuner ---- */

static bool is_better(const struct syt_sample_input *in, const struct syt_sampler_options *o,
                      const struct syt_sample_tuned *limits, uint64_t seed,
                      const struct syt_sample_path *full, double *best)
{
	uint8_t *kept = syt_store_alloc(in->nr, 1);
	struct syt_sample_path *paths = syt_calloc(in->nr_paths, sizeof(*paths));
	uint64_t nr = syt_sample_replay(in, o, seed, in->nr, kept);
	bool is = false;

	if (nr >= limits->least && nr <= limits->most) {
		syt_sample_paths(in, kept, paths);
		double f = syt_sample_objective(syt_sample_similarity(full, paths, in->nr_paths),
		                                syt_sample_entropy(paths, in->nr_paths));

		is = f < *best;
		*best = is ? f : *best;
	}
	free(paths);
	syt_store_free(kept);
	return is;
}

#define GRID 12u

/* Returns the best objective on a grid over the ranges of both parameters. */
static double best_of_grid(const struct syt_sample_input *in, enum syt_sampler_kind kind,
                           const struct syt_sample_tuned *limits, uint64_t seed)
{
	struct syt_sample_path *full = syt_calloc(in->nr_paths, sizeof(*full));
	double best = INFINITY;

	syt_sample_paths(in, NULL, full);
	for (unsigned a = 0; a < GRID; a++)
		for (unsigned b = 0; b < GRID; b++) {
			struct syt_sampler_options o =
				parsed(kind == SYT_SAMPLER_BUMP ? "bump" : "bucket");
			double x = a / (GRID - 1.0), y = b / (GRID - 1.0);

			if (kind == SYT_SAMPLER_BUMP) {
				o.lambda = (uint64_t)(1e5 * pow(1e4, x));
				o.floor = (uint64_t)(10 * pow(1e5, y));
			} else {
				o.size = (uint64_t)(1e6 * pow(1e3, x));
				o.rate = (uint64_t)(1e5 * pow(1e4, y));
			}
			is_better(in, &o, limits, seed, full, &best);
		}
	free(full);
	return best;
}

static void test_tuner(void **state)
{
	(void)state;
	for (unsigned seed = 1; seed <= 2; seed++) {
		struct syt_sample_input in;

		make_server(&in, 60000, 3, 3, seed);
		for (unsigned kind = SYT_SAMPLER_BUMP; kind <= SYT_SAMPLER_BUCKET; kind++) {
			struct syt_sampler_options o =
				parsed(kind == SYT_SAMPLER_BUMP ? "bump" : "bucket");
			double at_most = seed % 2 ? 1 : 0.13, grid;
			struct syt_sample_tuned tuned, again;

			syt_sample_tune(&tuned, &in, &o, at_most, seed);
			if (seed == 1 && kind == SYT_SAMPLER_BUMP) {
				syt_sample_tune(&again, &in, &o, at_most, seed);
				assert_memory_equal(&tuned, &again, sizeof(tuned));
			}
			assert_true(tuned.is_found);
			grid = best_of_grid(&in, kind, &tuned, seed);
			print_message("%s, %llu to %llu events: %.4g in %u replays, grid %.4g\n",
			              kind == SYT_SAMPLER_BUMP ? "bump" : "bucket",
			              (unsigned long long)tuned.least,
			              (unsigned long long)tuned.most, tuned.objective,
			              tuned.nr_replays, grid);
			assert_true(tuned.objective <= 1.05 * grid);
		}
		free_server(&in);
	}
}

/* No parameters satisfy the condition: one turn is the whole trace. */
static void test_tuner_without_choice(void **state)
{
	struct syt_sampler_options o = parsed("bucket");
	struct syt_sample_tuned tuned;
	struct syt_sample_input in;

	(void)state;
	make_server(&in, 1000, 1, 0.1, 1);
	for (uint64_t i = 0; i < in.nr; i++)
		in.events[i].is_wait = false;
	syt_sample_tune(&tuned, &in, &o, 0.5, 1);
	assert_false(tuned.is_found);
	free_server(&in);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_turns),
		cmocka_unit_test(test_long_turns),
		cmocka_unit_test(test_rules),
		cmocka_unit_test(test_rare_paths),
		cmocka_unit_test(test_metrics),
		cmocka_unit_test(test_turn_shapes),
		cmocka_unit_test(test_edges),
		cmocka_unit_test(test_tuner),
		cmocka_unit_test(test_tuner_without_choice),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
