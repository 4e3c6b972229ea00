/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/history/touch.h"

#include <string.h>

#include "decoder/base/store.h"

static void copy(struct syt_touch *to, const struct syt_touch *from, uint64_t nr)
{
	for (uint64_t done = 0, part; done < nr; done += part) {
		part = nr - done < SYT_STORE_STRIDE ? nr - done : SYT_STORE_STRIDE;
		memcpy(to + done, from + done, part * sizeof(*to));
		syt_store_settle();
	}
}

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
	copy(to, a, nr_a);
	copy(to + nr_a, b, nr_b);
}

static uint64_t run_length(const struct syt_touch *t, uint64_t nr)
{
	uint64_t i = 1;

	for (; i < nr && !syt_touch_comes_first(&t[i], &t[i - 1]); i++)
		if (!(i % SYT_STORE_STRIDE))
			syt_store_settle();
	return i;
}

void syt_touches_sort(struct syt_touch *t, uint64_t nr, struct syt_touch *spare)
{
	struct syt_touch *from = t, *to = spare;

	while (nr && run_length(from, nr) < nr) {
		for (uint64_t i = 0; i < nr;) {
			uint64_t a = run_length(from + i, nr - i);
			uint64_t b = i + a < nr ? run_length(from + i + a, nr - i - a) : 0;

			merge(from + i, a, from + i + a, b, to + i);
			i += a + b;
		}
		struct syt_touch *other = from;

		from = to;
		to = other;
	}
	if (from != t)
		copy(t, from, nr);
}
