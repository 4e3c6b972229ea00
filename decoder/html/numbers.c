/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/html/numbers.h"

#include <string.h>

#include "base/store.h"

int syt_numbers_has(const struct syt_numbers *n, uint32_t element)
{
	return element < n->room && n->of[element];
}

uint32_t syt_numbers_of(struct syt_numbers *n, uint32_t element)
{
	if (element >= n->room) /* new elements are zeros */
		syt_store_grow(&n->of, &n->room, n->room, (uint64_t)element + 1, sizeof(*n->of));
	if (!n->of[element]) {
		syt_store_grow(&n->used, &n->room_used, n->nr, n->nr + 1, sizeof(*n->used));
		n->used[n->nr++] = element;
		n->of[element] = (uint32_t)n->nr;
	}
	return n->of[element];
}

void syt_numbers_close(struct syt_numbers *n)
{
	syt_store_free(n->of);
	syt_store_free(n->used);
	memset(n, 0, sizeof(*n));
}
