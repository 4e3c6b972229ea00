/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/base/counts.h"

#include <stdlib.h>

#include "decoder/base/err.h"

static struct syt_count *find(const struct syt_counts *c, uint64_t a, uint64_t b)
{
	uint64_t h = a * UINT64_C(0x9e3779b97f4a7c15) ^ b * UINT64_C(0xc2b2ae3d27d4eb4f);

	for (size_t i = (size_t)(h ^ h >> 29);; i++) {
		struct syt_count *s = &c->slots[i & (c->room - 1)];

		if (!s->nr || (s->a == a && s->b == b))
			return s;
	}
}

static void widen(struct syt_counts *c)
{
	struct syt_counts old = *c;

	c->room = old.room ? 2 * old.room : 256;
	c->slots = syt_calloc(c->room, sizeof(*c->slots));
	for (size_t i = 0; i < old.room; i++)
		if (old.slots[i].nr)
			*find(c, old.slots[i].a, old.slots[i].b) = old.slots[i];
	free(old.slots);
}

uint64_t *syt_counts_at(struct syt_counts *c, uint64_t a, uint64_t b)
{
	struct syt_count *s;

	if (2 * (c->nr + 1) > c->room)
		widen(c);
	s = find(c, a, b);
	if (!s->nr) {
		s->a = a;
		s->b = b;
		c->nr++;
	}
	return &s->nr;
}

uint64_t syt_counts_of(const struct syt_counts *c, uint64_t a, uint64_t b)
{
	return c->room ? find(c, a, b)->nr : 0;
}

void syt_counts_fini(struct syt_counts *c)
{
	free(c->slots);
	*c = (struct syt_counts){0, 0, NULL};
}
