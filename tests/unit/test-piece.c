/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* decoder/request/piece.c: the look-up against a search of all pieces, and the number of pieces that it visits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "decoder/read/trace.h"
#include "decoder/request/piece.h"
#include "tests/lib/random.h"

#define MOST_PIECES (UINT32_C(1) << 20)
#define NR_THREADS 3u
#define MOST_VISITS 60u /* 3 log2(MOST_PIECES) */

static struct syt_piece all[MOST_PIECES];
static uint32_t last[NR_THREADS], nr;

/* Adds a piece of NR_ROWS rows to THREAD, GAP rows behind its last piece. */
static void add(uint32_t thread, uint32_t gap, uint32_t nr_rows)
{
	struct syt_piece p = {.segment = nr, .thread = thread, .before = last[thread]};

	p.first = (p.before == SYT_NONE ? 0 : all[p.before].end) + gap;
	p.end = p.first + nr_rows;
	syt_piece_link(all, &p);
	all[nr] = p;
	last[thread] = nr++;
}

static void forget_all(void)
{
	nr = 0;
	for (uint32_t i = 0; i < NR_THREADS; i++)
		last[i] = SYT_NONE;
}

/* Returns the piece that contains ROW of THREAD, after a search of all pieces. Pieces do not overlap. */
static uint32_t search(uint32_t thread, uint32_t row)
{
	for (uint32_t i = 0; i < nr; i++)
		if (all[i].thread == thread && all[i].first <= row && row < all[i].end)
			return i;
	return SYT_NONE;
}

/* Looks up each row after each new piece. Some pieces are empty, and some follow each other without a gap. */
static void test_find(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 300; seed++) {
		struct syt_random r = {seed};
		uint32_t nr_pieces = (uint32_t)syt_random_below(&r, 40);

		forget_all();
		for (uint32_t n = 0; n <= nr_pieces; n++) {
			for (uint32_t thread = 0; thread < NR_THREADS; thread++) {
				uint32_t end = last[thread] == SYT_NONE ? 0 : all[last[thread]].end;

				for (uint32_t row = 0; row <= end; row++)
					assert_int_equal(syt_piece_find(all, last[thread], row),
					                 search(thread, row));
			}
			add((uint32_t)syt_random_below(&r, NR_THREADS),
			    (uint32_t)syt_random_below(&r, 3), (uint32_t)syt_random_below(&r, 4));
		}
	}
}

/* Counts the visits of look-ups in a thread of a million pieces: a look-up of a row must not pass all of them. */
static void test_work(void **state)
{
	struct syt_random r = {1};

	(void)state;
	forget_all();
	while (nr < MOST_PIECES)
		add(0, (uint32_t)syt_random_below(&r, 2), 1);
	for (uint32_t i = 0; i < MOST_PIECES; i++) {
		uint32_t p = last[0], visits = 1;

		while (p != SYT_NONE && all[p].first > all[i].first) {
			p = syt_piece_back(all, p, all[i].first);
			visits++;
		}
		assert_int_equal(p, i);
		assert_in_range(visits, 1, MOST_VISITS);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_find),
		cmocka_unit_test(test_work),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
