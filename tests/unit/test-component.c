/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Compares base/component.h with a test of all pairs of nodes for reachability in both directions. Also
 * tests a path too long for recursion. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/component.h"
#include "tests/lib/random.h"

#define NR_MAX 12u
#define NR_LONG 1000000u

static void check(struct syt_random *r, uint32_t nr, uint64_t one_in)
{
	bool leads[NR_MAX][NR_MAX] = {{false}};
	uint32_t to[NR_MAX * NR_MAX + 1] = {0}, component[NR_MAX + 1];
	size_t first[NR_MAX + 1] = {0}, nr_arcs = 0;

	for (uint32_t i = 0; i < nr; i++) {
		for (uint32_t k = 0; k < nr; k++)
			if (!syt_random_below(r, one_in)) {
				to[nr_arcs++] = k;
				leads[i][k] = true;
			}
		leads[i][i] = true;
		first[i + 1] = nr_arcs;
	}
	for (uint32_t by = 0; by < nr; by++)
		for (uint32_t i = 0; i < nr; i++)
			for (uint32_t k = 0; k < nr; k++)
				leads[i][k] |= leads[i][by] && leads[by][k];
	syt_components_find(nr, first, to, component);
	for (uint32_t i = 0; i < nr; i++)
		for (uint32_t k = 0; k < nr; k++)
			assert_int_equal(component[i] == component[k], leads[i][k] && leads[k][i]);
}

static void test_random(void **state)
{
	struct syt_random r = {11};

	(void)state;
	for (unsigned round = 0; round < 5000; round++)
		check(&r, (uint32_t)syt_random_below(&r, NR_MAX + 1),
		      1 + syt_random_below(&r, NR_MAX));
}

/* All nodes form one cycle. */
static void test_long(void **state)
{
	uint32_t *to = malloc(NR_LONG * sizeof(*to)), *component = malloc(NR_LONG * sizeof(*to));
	size_t *first = malloc((NR_LONG + 1) * sizeof(*first));

	(void)state;
	for (uint32_t i = 0; i < NR_LONG; i++) {
		first[i] = i;
		to[i] = (i + 1) % NR_LONG;
	}
	first[NR_LONG] = NR_LONG;
	syt_components_find(NR_LONG, first, to, component);
	for (uint32_t i = 1; i < NR_LONG; i++)
		assert_int_equal(component[i], component[0]);
	free(to);
	free(component);
	free(first);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_long),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
