/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/history/touch.h"

/* Merges the sorted runs A and B, which lies in memory behind the place TO of the result. The remainder of B is in its place. */
static void merge(const struct syt_touch *a, uint64_t nr_a, const struct syt_touch *b,
                  uint64_t nr_b, struct syt_touch *to)
{
	while (nr_a && nr_b) {
		if (!((nr_a + nr_b) % SYT_STORE_STRIDE))
			syt_store_settle();
		if (syt_touch_comes_first(b, a)) {
			*to++ = *b++;
			nr_b--;
		} else {
			*to++ = *a++;
			nr_a--;
		}
	}
	syt_store_move(to, a, nr_a * sizeof(*to));
}

static uint64_t run_length(const struct syt_touch *t, uint64_t nr)
{
	uint64_t i = 1;

	for (; i < nr && !syt_touch_comes_first(&t[i], &t[i - 1]); i++)
		if (!(i % SYT_STORE_STRIDE))
			syt_store_settle();
	return i;
}

/* Indices of the sorted runs in an array of touches: the begin of each run, then the end of the last run. */
struct runs {
	uint64_t *first;
	size_t nr, room; /* number of runs; allocated elements of `first` (one more than runs) */
};

static void find_runs(struct runs *r, const struct syt_touch *t, uint64_t nr)
{
	for (uint64_t i = 0; i < nr; i += run_length(t + i, nr - i)) {
		syt_store_grow(&r->first, &r->room, r->nr, r->nr + 2, sizeof(*r->first));
		r->first[r->nr++] = i;
	}
	if (r->nr)
		r->first[r->nr] = nr;
}

/* Merges every two neighbouring sorted runs of T into one. Only the first one is copied to SPARE, without the touches that
 * stay in their place. */
static void merge_runs(struct runs *r, struct syt_touch *t, struct syt_touch *spare)
{
	size_t nr = 0;

	for (size_t i = 0; i < r->nr; i += 2) {
		uint64_t first = r->first[i], b = r->first[i + 1], a = first;
		uint64_t end = i + 2 <= r->nr ? r->first[i + 2] : b;

		for (; b < end && a < b && !syt_touch_comes_first(&t[b], &t[a]); a++)
			if (!(a % SYT_STORE_STRIDE))
				syt_store_settle();
		if (b < end) {
			syt_store_move(spare, t + a, (b - a) * sizeof(*t));
			merge(spare, b - a, t + b, end - b, t + a);
		}
		r->first[nr++] = first;
		r->first[nr] = end;
	}
	r->nr = nr;
}

void syt_touches_sort(struct syt_touch *t, uint64_t nr, struct syt_touch *spare)
{
	struct runs runs = {NULL, 0, 0};

	if (nr && run_length(t, nr) < nr)
		find_runs(&runs, t, nr);
	while (runs.nr > 1)
		merge_runs(&runs, t, spare);
	syt_store_free(runs.first);
}
