/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/request/member.h"

#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/err.h"
#include "base/store.h"

/* ---- comparison ---- */

struct syt_work_pair syt_work_pair(const struct syt_population *p, uint64_t a, uint64_t b)
{
	const struct syt_member *one = &p->members[a], *other = &p->members[b];
	struct syt_work_pair w = {.a = syt_member_parts(p, a), .b = syt_member_parts(p, b)};

	w.end_a = w.a ? w.a + one->nr_parts : NULL;
	w.end_b = w.b ? w.b + other->nr_parts : NULL;
	return w;
}

bool syt_work_pair_next(struct syt_work_pair *w)
{
	static const uint64_t none[SYT_NR_RESOURCES];
	const bool is_a = w->a != w->end_a, is_b = w->b != w->end_b;

	if (!is_a && !is_b)
		return false;
	w->component = !is_b || (is_a && w->a->component < w->b->component) ? w->a->component
	                                                                    : w->b->component;
	w->amounts_a = is_a && w->a->component == w->component ? w->a++->amounts : none;
	w->amounts_b = is_b && w->b->component == w->component ? w->b++->amounts : none;
	return true;
}

static int compare_amounts(const uint64_t *a, const uint64_t *b)
{
	for (unsigned r = 0; r < SYT_NR_RESOURCES; r++)
		SYT_ORDER(a[r], b[r]);
	return 0;
}

int syt_work_compare(const struct syt_population *p, uint64_t a, uint64_t b)
{
	struct syt_work_pair w = syt_work_pair(p, a, b);
	const char *first = NULL;
	int result = 0;

	while (syt_work_pair_next(&w)) {
		int order = compare_amounts(w.amounts_a, w.amounts_b);

		if (order && (!first || strcmp(p->components.all[w.component], first) < 0)) {
			first = p->components.all[w.component];
			result = order;
		}
	}
	return result;
}

int syt_member_compare(const struct syt_population *p, uint64_t a, uint64_t b)
{
	int order = syt_behaviour_compare(p, p->members[a].behaviour, p->members[b].behaviour);

	return order ? order : syt_work_compare(p, a, b);
}

/* ---- hashes ---- */

static uint64_t *hash_texts(const struct syt_text_set *s)
{
	uint64_t *hashes = syt_alloc(s->nr, sizeof(*hashes));

	for (uint32_t i = 0; i < s->nr; i++) {
		uint64_t h = 0;

		for (const char *at = s->all[i]; *at; at++)
			h = syt_mix_bits(h + (unsigned char)*at);
		hashes[i] = h;
	}
	return hashes;
}

void syt_member_hashes_open(struct syt_member_hashes *h, const struct syt_population *p)
{
	uint64_t *symbols = hash_texts(&p->symbols);

	h->components = hash_texts(&p->components);
	h->behaviours = syt_store_alloc(p->nr_behaviours, sizeof(*h->behaviours));
	SYT_EACH_FAR(i, (uint32_t)0, p->nr_behaviours) {
		const uint32_t *steps = syt_behaviour_steps(p, i);
		uint64_t hash = 1;

		for (uint32_t k = 0; k < p->behaviours[i].nr; k++)
			hash = syt_mix_bits(hash + symbols[steps[k]]);
		h->behaviours[i] = hash;
	}
	free(symbols);
}

void syt_member_hashes_close(struct syt_member_hashes *h)
{
	syt_store_free(h->behaviours);
	free(h->components);
}

/* An amount of 0 and an unused component are equal, and so are their hashes. */
uint64_t syt_member_hash(const struct syt_member_hashes *h, const struct syt_population *p,
                         uint64_t member)
{
	const struct syt_member *m = &p->members[member];
	uint64_t sum = h->behaviours[m->behaviour];

	for (uint64_t i = m->first_part; i < m->first_part + m->nr_parts; i++)
		for (unsigned r = 0; r < SYT_NR_RESOURCES; r++)
			if (p->parts[i].amounts[r])
				sum += syt_mix_bits(syt_mix_bits(p->parts[i].amounts[r] + r) +
				                    h->components[p->parts[i].component]);
	return syt_mix_bits(sum);
}
