/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "base/hash.h"

#include <string.h>

#include "base/store.h"

#define ROOM_MIN 256u

static void put(struct syt_hash *t, struct syt_hash_slot new)
{
	size_t i = new.hash;

	while (t->slots[i & (t->room - 1)].number)
		i++;
	t->slots[i & (t->room - 1)] = new;
}

uint32_t syt_hash_add(struct syt_hash *t, uint32_t hash, size_t number)
{
	if (2 * (t->nr + 1) > t->room) {
		struct syt_hash old = *t;

		t->room = old.room ? 2 * old.room : ROOM_MIN;
		t->slots = syt_store_alloc(t->room, sizeof(*t->slots));
		for (size_t i = 0; i < old.room; i++)
			if (old.slots[i].number)
				put(t, old.slots[i]);
		syt_store_free(old.slots);
	}
	put(t, (struct syt_hash_slot){hash, (uint32_t)number + 1});
	t->nr++;
	return (uint32_t)number;
}

void syt_hash_clear(struct syt_hash *t)
{
	if (t->room > ROOM_MIN + 16 * t->nr)
		syt_hash_close(t);
	else if (t->nr)
		memset(t->slots, 0, t->room * sizeof(*t->slots));
	t->nr = 0;
}

void syt_hash_close(struct syt_hash *t)
{
	syt_store_free(t->slots);
	*t = (struct syt_hash){.nr = 0};
}
