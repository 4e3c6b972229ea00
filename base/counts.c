/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "base/counts.h"

#include <stdlib.h>

#include "base/err.h"

static uint32_t find(const struct syt_counts *c, uint32_t hash, uint64_t a, uint64_t b)
{
	return SYT_HASH_FIND(&c->index, hash, i, c->all[i].a == a && c->all[i].b == b);
}

uint64_t *syt_counts_at(struct syt_counts *c, uint64_t a, uint64_t b)
{
	uint32_t hash = syt_hash_words(a, b), n = find(c, hash, a, b);

	if (n == SYT_HASH_NONE) {
		syt_grow(&c->all, &c->room, c->nr + 1, sizeof(*c->all));
		n = syt_hash_add(&c->index, hash, c->nr++);
		c->all[n] = (struct syt_count){a, b, 0};
	}
	return &c->all[n].nr;
}

uint64_t syt_counts_of(const struct syt_counts *c, uint64_t a, uint64_t b)
{
	uint32_t n = find(c, syt_hash_words(a, b), a, b);

	return n == SYT_HASH_NONE ? 0 : c->all[n].nr;
}

void syt_counts_fini(struct syt_counts *c)
{
	syt_hash_close(&c->index);
	free(c->all);
	*c = (struct syt_counts){.nr = 0};
}
