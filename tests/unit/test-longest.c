/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* decoder/html/longest.c: from spans in any order, it keeps exactly the longest spans, and the first of
 * equal spans. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/sort.h"
#include "base/store.h"
#include "decoder/html/longest.h"
#include "tests/lib/random.h"

#define NR_MAX 1000u

static int longest_first(const void *a_, const void *b_)
{
	const struct syt_html_span *a = a_, *b = b_;
	syt_time x = a->to - a->from, y = b->to - b->from;

	return x > y ? -1 : x < y;
}

/* Tests NR spans in the order of thread and time, with lengths below NR_LENGTHS, of which the MOST
 * longest are kept. */
static void check(struct syt_random *r, size_t nr, size_t most, uint64_t nr_lengths)
{
	static struct syt_html_span all[NR_MAX];
	struct syt_longest longest;
	struct syt_html_span *kept;
	uint64_t nr_kept;

	syt_longest_open(&longest, most);
	for (size_t n = 0; n < nr; n++) {
		all[n] = (struct syt_html_span){
			.thread = (uint32_t)(n / 100), .from = n, .row = (uint32_t)n};
		all[n].to = n + syt_random_below(r, nr_lengths);
		syt_longest_add(&longest, all[n]);
	}
	kept = syt_longest_take(&longest, &nr_kept);
	assert_int_equal(nr_kept, nr < most ? nr : most);
	syt_sort(all, nr, sizeof(*all), longest_first); /* stable */
	syt_sort(all, nr_kept, sizeof(*all), syt_html_span_compare);
	for (size_t n = 0; n < nr_kept; n++)
		assert_int_equal(kept[n].row, all[n].row);
	syt_store_free(kept);
}

static void keeps_the_longest(void **state)
{
	struct syt_random r = {1};

	(void)state;
	for (unsigned n = 0; n < 2000; n++)
		check(&r, (size_t)syt_random_below(&r, NR_MAX),
		      1 + (size_t)syt_random_below(&r, 50), 1 + syt_random_below(&r, 100));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keeps_the_longest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
