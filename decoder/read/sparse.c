/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/read/sparse.h"

#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "base/compare.h"
#include "base/err.h"
#include "base/store.h"
#include "base/work.h"
#include "decoder/read/unpack.h"

#define WINDOW_ROWS 262144u

/* ---- rows that are not kept in memory ---- */

/* Returns the index of the block that holds row ROW of K's thread. */
static uint64_t find_block(struct syt_kept *k, uint64_t row)
{
	const struct syt_sparse_block *b = &k->sparse->blocks[k->first_block];
	uint64_t n = __atomic_load_n(&k->last_block, __ATOMIC_RELAXED);

	if (row - b[n].first_row < b[n].nr_rows)
		return n;
	n = SYT_BISECT(i, 1, k->nr_blocks, b[i].first_row <= row) - 1;
	__atomic_store_n(&k->last_block, n, __ATOMIC_RELAXED);
	return n;
}

/* Returns all rows of block N of K's thread. */
static const struct syt_row *late_rows(const struct syt_kept *k, uint64_t n)
{
	const struct syt_sparse_block *b = &k->sparse->blocks[k->first_block + n];
	struct syt_row *rows = __atomic_load_n(&k->late[n], __ATOMIC_ACQUIRE), *none = NULL;

	if (!rows) {
		uint8_t *scratch = syt_alloc(SYT_RAW_MAX, 1);
		uint32_t nr;

		rows = syt_store_claim(b->nr_rows, sizeof(*rows));
		nr = syt_sparse_unpack(b, scratch, rows);
		memset(rows + nr, 0, (b->nr_rows - nr) * sizeof(*rows));
		free(scratch);
		/* another thread may have stored its copy of the rows first */
		if (!__atomic_compare_exchange_n(&k->late[n], &none, rows, false, __ATOMIC_ACQ_REL,
		                                 __ATOMIC_ACQUIRE)) {
			syt_store_free(rows);
			rows = none;
		}
	}
	return rows;
}

static const struct syt_row *late_row(struct syt_kept *k, uint64_t row)
{
	uint64_t n = find_block(k, row);

	return late_rows(k, n) + (row - k->sparse->blocks[k->first_block + n].first_row);
}

const struct syt_row *syt_kept_row(const struct syt_thread *t, uint64_t row)
{
	struct syt_kept *k = t->kept;
	uint64_t word = k->words[row / 64];
	uint64_t below = word & ((UINT64_C(1) << row % 64) - 1);

	if (!syt_kept_has(k, row))
		return late_row(k, row);
	return &t->rows[k->before[row / 64] + (uint64_t)__builtin_popcountll(below)];
}

struct load {
	const struct syt_kept *k;
	uint64_t first; /* block of the first job */
};

static void load_block(void *context, size_t number, unsigned worker)
{
	const struct load *l = context;

	(void)worker;
	late_rows(l->k, l->first + number);
}

void syt_kept_load(struct syt_kept *k, uint64_t from, uint64_t to, unsigned nr_workers)
{
	struct load l = {k, from < to ? find_block(k, from) : 0};

	if (from < to)
		syt_work(find_block(k, to - 1) + 1 - l.first, nr_workers, load_block, &l);
}

void syt_kept_forget(struct syt_kept *k, uint64_t from, uint64_t to)
{
	for (uint64_t n = from < to ? find_block(k, from) : k->nr_blocks; n < k->nr_blocks; n++) {
		if (k->sparse->blocks[k->first_block + n].first_row >= to)
			break;
		syt_store_free(k->late[n]);
		k->late[n] = NULL;
	}
}

void syt_kept_destroy(struct syt_kept *k)
{
	if (!k)
		return;
	for (uint64_t n = 0; n < k->nr_blocks; n++)
		syt_store_free(k->late[n]);
	free(k->late);
	syt_store_free(k->words);
	syt_store_free(k->before);
	free(k);
}

/* ---- blocks ---- */

uint32_t syt_sparse_unpack(const struct syt_sparse_block *b, uint8_t *scratch, struct syt_row *rows)
{
	struct syt_unpack u = {
		.image = &b->loading->image, .clock = b->loading->clock, .is_brief = true};
	const uint8_t *raw = syt_segment_raw(b->segment, scratch);
	uint32_t nr = raw ? syt_unpack_rows(&u, b->segment, raw, rows) : 0;

	return nr > b->segment->skip ? nr - b->segment->skip : 0;
}

static int by_begin(const void *a_, const void *b_, void *blocks_)
{
	const struct syt_sparse_block *blocks = blocks_;
	uint64_t a = *(const uint64_t *)a_, b = *(const uint64_t *)b_;

	SYT_ORDER(blocks[a].begin, blocks[b].begin);
	SYT_ORDER(a, b);
	return 0;
}

void syt_sparse_settle(struct syt_sparse *s, struct syt_loading **loadings, size_t nr,
                       struct syt_clock_map *clocks, size_t nr_clocks)
{
	s->loadings = loadings;
	s->nr_loadings = nr;
	s->clocks = clocks;
	s->nr_clocks = nr_clocks;
	s->window_rows = WINDOW_ROWS;
	s->by_time = syt_alloc(s->nr_blocks, sizeof(*s->by_time));
	for (uint64_t n = 0; n < s->nr_blocks; n++)
		s->by_time[n] = n;
	if (s->nr_blocks)
		qsort_r(s->by_time, s->nr_blocks, sizeof(*s->by_time), by_begin, s->blocks);
}

void syt_sparse_destroy(struct syt_sparse *s)
{
	if (!s)
		return;
	for (size_t n = 0; n < s->nr_loadings; n++) {
		syt_loading_fini(s->loadings[n]);
		free(s->loadings[n]);
	}
	for (size_t n = 0; n < s->nr_clocks; n++)
		syt_clock_fini(&s->clocks[n]);
	free(s->loadings);
	free(s->clocks);
	free(s->blocks);
	free(s->by_time);
	free(s);
}
