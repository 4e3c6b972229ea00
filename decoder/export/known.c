/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/export/known.h"

#include <stdlib.h>

#include "base/compare.h"
#include "base/err.h"

struct numbered {
	uint32_t pid, tid, index;
};

static int by_number(const void *a_, const void *b_)
{
	const struct numbered *a = a_, *b = b_;

	SYT_ORDER_BY(pid);
	SYT_ORDER_BY(tid);
	SYT_ORDER_BY(index);
	return 0;
}

/* Returns for each index whether its entry is the first of the NR entries with its numbers. */
static bool *find_first(struct numbered *all, uint32_t nr)
{
	bool *is_first = syt_calloc(nr, sizeof(bool));

	if (nr)
		qsort(all, nr, sizeof(*all), by_number);
	for (uint32_t n = 0; n < nr; n++)
		is_first[all[n].index] =
			!n || all[n - 1].pid != all[n].pid || all[n - 1].tid != all[n].tid;
	return is_first;
}

void syt_known_open(struct syt_known *k, const struct syt_places *places)
{
	uint32_t nr_images = places->trace->nr_images, nr_threads = places->nr_threads;
	struct numbered *images = syt_calloc(nr_images, sizeof(*images));
	struct numbered *threads = syt_calloc(nr_threads, sizeof(*threads));

	for (uint32_t n = 0; n < nr_images; n++)
		images[n] = (struct numbered){places->trace->images[n].file.pid, 0, n};
	for (uint32_t n = 0; n < nr_threads; n++)
		threads[n] = (struct numbered){places->threads[n]->image->file.pid,
		                               places->threads[n]->tid, n};
	k->images = find_first(images, nr_images);
	k->threads = find_first(threads, nr_threads);
	for (uint32_t n = 0; n < nr_images; n++)
		k->images[n] &= places->trace->images[n].file.pid != 0;
	for (uint32_t n = 0; n < nr_threads; n++)
		k->threads[n] &= places->threads[n]->tid &&
		                 k->images[places->threads[n]->image - places->trace->images];
	free(images);
	free(threads);
}

void syt_known_close(struct syt_known *k)
{
	free(k->images);
	free(k->threads);
}
