/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/read/sort_rows.h"

#include "base/store.h"

#define MOVES_PER_ROW 8u

static inline syt_time stamp_of(const struct syt_image *i, const struct syt_row *r)
{
	return i->calls[r->call].stamp_in ? r->in : r->out;
}

/* Sorts rows in which a signal handler's events stand a few places too early, before the release
 * that the handler interrupted. Returns false if the rows are not sorted yet; they are then a
 * permutation of the given rows. */
static bool insertion_sort(const struct syt_image *i, struct syt_row *r, uint64_t nr)
{
	uint64_t budget = nr * MOVES_PER_ROW + 1024;

	SYT_EACH(n, 1, nr) {
		struct syt_row row = r[n];
		syt_time stamp = stamp_of(i, &row);
		uint64_t at = n;

		while (at && stamp_of(i, &r[at - 1]) > stamp && budget) {
			r[at] = r[at - 1];
			at--;
			budget--;
		}
		r[at] = row;
		if (!budget)
			return false;
	}
	return true;
}

/* Merges the sorted runs [0, middle) and [middle, nr) with spare memory for the second run only. */
static void merge(const struct syt_image *i, struct syt_row *r, uint64_t middle, uint64_t nr,
                  struct syt_row *room)
{
	uint64_t a = middle, b = nr - middle, to = nr;

	if (!a || !b || stamp_of(i, &r[middle - 1]) <= stamp_of(i, &r[middle]))
		return;
	syt_store_move(room, r + middle, b * sizeof(*r));
	while (b) {
		if (a && stamp_of(i, &r[a - 1]) > stamp_of(i, &room[b - 1]))
			r[--to] = r[--a];
		else
			r[--to] = room[--b];
	}
}

static void merge_sort(const struct syt_image *i, struct syt_row *r, uint64_t nr,
                       struct syt_row *room)
{
	for (uint64_t width = 1; width < nr; width *= 2)
		for (uint64_t at = 0; at + width < nr; at += 2 * width)
			merge(i, r + at, width, nr - at < 2 * width ? nr - at : 2 * width, room);
}

void syt_sort_rows(const struct syt_image *i, struct syt_row *rows, const uint64_t *runs,
                   unsigned nr_runs)
{
	uint64_t done = 0;

	for (unsigned k = 0; k < nr_runs; k++) {
		struct syt_row *run = rows + done;
		struct syt_row *room = NULL;

		if (!insertion_sort(i, run, runs[k])) {
			room = syt_store_alloc(runs[k], sizeof(*room));
			merge_sort(i, run, runs[k], room);
		}
		if (done && runs[k]) {
			if (!room)
				room = syt_store_alloc(runs[k], sizeof(*room));
			merge(i, rows, done, done + runs[k], room);
		}
		syt_store_free(room);
		done += runs[k];
	}
}
