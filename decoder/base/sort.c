/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/base/sort.h"

#include <string.h>

#include "decoder/base/store.h"

struct sort {
	size_t bytes;
	int (*compare)(const void *, const void *);
};

/* How many elements from P on, of NR, are in order. */
static uint64_t run_length(const struct sort *s, const uint8_t *p, uint64_t nr)
{
	uint64_t i = 1;

	for (; i < nr && s->compare(p + (i - 1) * s->bytes, p + i * s->bytes) <= 0; i++)
		if (!(i % SYT_STORE_STRIDE))
			syt_store_settle();
	return i < nr ? i : nr;
}

static void merge(const struct sort *s, const uint8_t *a, uint64_t nr_a, const uint8_t *b,
                  uint64_t nr_b, uint8_t *to)
{
	for (; nr_a && nr_b; to += s->bytes) {
		if (!((nr_a + nr_b) % SYT_STORE_STRIDE))
			syt_store_settle();
		if (s->compare(a, b) <= 0) {
			memcpy(to, a, s->bytes);
			a += s->bytes;
			nr_a--;
		} else {
			memcpy(to, b, s->bytes);
			b += s->bytes;
			nr_b--;
		}
	}
	syt_store_move(to, a, nr_a * s->bytes);
	syt_store_move(to + nr_a * s->bytes, b, nr_b * s->bytes);
}

void syt_sort(void *array, uint64_t nr, size_t bytes, int (*compare)(const void *, const void *))
{
	const struct sort s = {bytes, compare};
	uint8_t *from = array, *spare, *to;

	if (!nr || run_length(&s, from, nr) == nr)
		return;
	spare = to = syt_store_alloc(nr, bytes);
	while (run_length(&s, from, nr) < nr) {
		uint8_t *other = from;

		for (uint64_t i = 0; i < nr;) {
			uint64_t a = run_length(&s, from + i * bytes, nr - i);
			uint64_t b =
				i + a < nr ? run_length(&s, from + (i + a) * bytes, nr - i - a) : 0;

			merge(&s, from + i * bytes, a, from + (i + a) * bytes, b, to + i * bytes);
			i += a + b;
		}
		from = to;
		to = other;
	}
	if (from != array)
		syt_store_move(array, from, nr * bytes);
	syt_store_free(spare);
}
