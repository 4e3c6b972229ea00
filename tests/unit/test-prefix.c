/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* decoder/request/prefix.c: strings of open requests, in which each letter and each bracket is a step. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "decoder/request/prefix.h"

static struct syt_population population;
static struct syt_workload model;
static struct syt_prefixes prefixes;

/* Learns the strings TEXTS, up to NULL, each of them many times. */
static void learn(const char *const *texts)
{
	uint32_t steps[32];

	for (; *texts; texts++) {
		uint32_t nr = (uint32_t)strlen(*texts);

		for (uint32_t i = 0; i < nr; i++)
			steps[i] = syt_text_set_add(&population.symbols, &(*texts)[i], 1);
		for (unsigned n = 0; n < 30; n++)
			syt_population_add(&population,
			                   syt_population_behaviour(&population, steps, nr), NULL,
			                   0);
	}
	syt_workload_learn(&model, &population);
	syt_prefixes_open(&prefixes, &model);
}

static void forget(void)
{
	syt_workload_close(&model);
	syt_population_close(&population);
}

/* Checks that the certain part of TEXT has NR steps. */
static void expect(const char *text, uint32_t nr, bool is_unseen)
{
	uint32_t steps[32];
	char one[2] = "";
	struct syt_prefix p;

	for (uint32_t i = 0; text[i]; i++) {
		one[0] = text[i];
		steps[i] = syt_text_set_find(&model.known.symbols, one);
	}
	p = syt_prefix_of(&prefixes, steps, (uint32_t)strlen(text));
	assert_int_equal(p.nr, nr);
	assert_int_equal(p.is_unseen, is_unseen);
}

static const char *const one_by_one[] = {"rs[xyz]t", "rs[xz]t", "r", NULL};

static void ends_with_the_first_unseen_step(void **state)
{
	(void)state;
	learn(one_by_one);
	expect("rs[xu", 5, true);
	expect("rs[xuz]t", 5, true);
	expect("s", 1, true);
	expect("rs[xt", 5, true);
	forget();
}

static void is_usual_so_far(void **state)
{
	(void)state;
	learn(one_by_one);
	expect("", 0, false);
	expect("rs", 2, false);
	expect("rs[xy", 5, false);
	forget();
}

/* The segment in the brackets may go on. */
static void ends_before_a_segment_ends(void **state)
{
	(void)state;
	learn(one_by_one);
	expect("rs[x]u", 4, false);
	expect("rs[]u", 3, false);
	forget();
}

/* The thread that gets work from the step s has no event yet. */
static void ends_before_a_segment_that_may_begin(void **state)
{
	(void)state;
	learn(one_by_one);
	expect("rst", 2, false);
	expect("rsu", 2, false);
	forget();
}

/* Segments of one event are sorted, so the one that is there may be the second one. */
static void ends_before_one_of_several_segments(void **state)
{
	static const char *const several[] = {"rs[x][y]t", "rs[x][x]t", NULL};

	(void)state;
	learn(several);
	expect("rs[u", 2, false);
	expect("rs[y", 2, false);
	expect("ru", 2, true);
	forget();
}

static void knows_no_brackets(void **state)
{
	static const char *const flat[] = {"abc", NULL};

	(void)state;
	learn(flat);
	expect("abu", 3, true);
	expect("ab[u", 3, true);
	forget();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ends_with_the_first_unseen_step),
		cmocka_unit_test(is_usual_so_far),
		cmocka_unit_test(ends_before_a_segment_ends),
		cmocka_unit_test(ends_before_a_segment_that_may_begin),
		cmocka_unit_test(ends_before_one_of_several_segments),
		cmocka_unit_test(knows_no_brackets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
