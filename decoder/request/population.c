/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/request/population.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/store.h"

#define WORD(name_, word_, ...) word_,

const char *syt_resource_word(enum syt_resource r)
{
	static const char *const words[] = {SYT_RESOURCES(WORD)};

	return words[r];
}

/* FNV-1a, as the numbers of texts and behaviours must not depend on the machine */
static uint32_t hash_bytes(const void *bytes, size_t nr)
{
	const unsigned char *p = bytes;
	uint64_t h = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < nr; i++)
		h = (h ^ p[i]) * UINT64_C(0x100000001b3);
	return (uint32_t)(h ^ h >> 32);
}

/* ---- texts ---- */

static bool is_text(const char *have, const char *text, size_t bytes)
{
	return !strncmp(have, text, bytes) && !have[bytes];
}

uint32_t syt_text_set_add(struct syt_text_set *s, const char *text, size_t bytes)
{
	uint32_t hash = hash_bytes(text, bytes);
	uint32_t n = SYT_HASH_FIND(&s->index, hash, i, is_text(s->all[i], text, bytes));
	char *copy;

	if (n != SYT_HASH_NONE)
		return n;
	copy = syt_alloc(bytes + 1, 1);
	memcpy(copy, text, bytes);
	copy[bytes] = 0;
	*SYT_ADD(s->all, s->nr, s->room) = copy;
	return syt_hash_add(&s->index, hash, s->nr - 1);
}

uint32_t syt_text_set_find(const struct syt_text_set *s, const char *text)
{
	return SYT_HASH_FIND(&s->index, hash_bytes(text, strlen(text)), i,
	                     !strcmp(s->all[i], text));
}

void syt_text_set_close(struct syt_text_set *s)
{
	for (uint32_t i = 0; i < s->nr; i++)
		free(s->all[i]);
	free(s->all);
	syt_hash_close(&s->index);
	memset(s, 0, sizeof(*s));
}

/* ---- requests ---- */

void syt_population_close(struct syt_population *p)
{
	syt_text_set_close(&p->symbols);
	syt_text_set_close(&p->components);
	syt_store_free(p->steps);
	syt_store_free(p->behaviours);
	syt_hash_close(&p->index);
	syt_store_free(p->members);
	syt_store_free(p->parts);
	syt_store_free(p->runs);
	memset(p, 0, sizeof(*p));
}

/* STEPS may be NULL if NR is 0. */
static bool is_behaviour(const struct syt_population *p, uint32_t behaviour, const uint32_t *steps,
                         uint32_t nr)
{
	return p->behaviours[behaviour].nr == nr &&
	       (!nr || !memcmp(syt_behaviour_steps(p, behaviour), steps, nr * sizeof(*steps)));
}

uint32_t syt_population_find(const struct syt_population *p, const uint32_t *steps, uint32_t nr)
{
	return SYT_HASH_FIND(&p->index, hash_bytes(steps, nr * sizeof(*steps)), i,
	                     is_behaviour(p, i, steps, nr));
}

uint32_t syt_population_behaviour(struct syt_population *p, const uint32_t *steps, uint32_t nr)
{
	uint32_t hash = hash_bytes(steps, nr * sizeof(*steps));
	uint32_t n = SYT_HASH_FIND(&p->index, hash, i, is_behaviour(p, i, steps, nr));
	struct syt_behaviour b = {.first = p->nr_steps, .nr = nr, .hash = hash};

	if (n != SYT_HASH_NONE)
		return n;
	syt_store_grow(&p->steps, &p->room_steps, p->nr_steps, p->nr_steps + nr + 1,
	               sizeof(*p->steps));
	if (nr)
		syt_store_move(p->steps + p->nr_steps, steps, nr * sizeof(*steps));
	p->nr_steps += nr;
	*SYT_STORE_ADD(p->behaviours, p->nr_behaviours, p->room_behaviours) = b;
	return syt_hash_add(&p->index, hash, p->nr_behaviours - 1);
}

uint64_t syt_population_add(struct syt_population *p, uint32_t behaviour,
                            const struct syt_work_part *parts, uint32_t nr_parts)
{
	struct syt_member m = {behaviour, nr_parts, p->nr_parts};

	for (uint32_t i = 0; i < nr_parts; i++)
		*SYT_STORE_ADD(p->parts, p->nr_parts, p->room_parts) = parts[i];
	p->behaviours[behaviour].count++;
	*SYT_STORE_ADD(p->members, p->nr_members, p->room_members) = m;
	return p->nr_members - 1;
}

void syt_population_begin_run(struct syt_population *p)
{
	*SYT_STORE_ADD(p->runs, p->nr_runs, p->room_runs) = p->nr_members;
}

static void add_texts(struct syt_text_set *to, const struct syt_text_set *from)
{
	for (uint32_t i = 0; i < from->nr; i++)
		syt_text_set_add(to, from->all[i], strlen(from->all[i]));
}

void syt_population_choose(struct syt_population *to, const struct syt_population *from,
                           const bool *is_chosen)
{
	uint32_t *behaviours = syt_store_alloc(from->nr_behaviours, sizeof(*behaviours));

	memset(to, 0, sizeof(*to));
	add_texts(&to->symbols, &from->symbols);
	add_texts(&to->components, &from->components);
	memset(behaviours, 0xff, from->nr_behaviours * sizeof(*behaviours));
	SYT_EACH_FAR(i, (uint64_t)0, from->nr_members) {
		const struct syt_member *m = &from->members[i];
		uint32_t *b = &behaviours[m->behaviour];

		if (!is_chosen[i])
			continue;
		if (*b == SYT_HASH_NONE)
			*b = syt_population_behaviour(to, syt_behaviour_steps(from, m->behaviour),
			                              from->behaviours[m->behaviour].nr);
		syt_population_add(to, *b, from->parts + m->first_part, m->nr_parts);
	}
	syt_store_free(behaviours);
}

int syt_behaviour_compare(const struct syt_population *p, uint32_t a, uint32_t b)
{
	const struct syt_behaviour *one = &p->behaviours[a], *other = &p->behaviours[b];

	if (a == b)
		return 0;
	if (one->nr != other->nr)
		return one->nr < other->nr ? -1 : 1;
	for (uint32_t i = 0; i < one->nr; i++) {
		uint32_t x = p->steps[one->first + i], y = p->steps[other->first + i];

		if (x != y)
			return strcmp(p->symbols.all[x], p->symbols.all[y]);
	}
	return 0;
}
