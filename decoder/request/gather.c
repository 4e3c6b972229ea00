/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/request/gather.h"

#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/err.h"
#include "base/sort.h"
#include "decoder/request/visit.h"

bool syt_gather_has(const struct syt_gathered *g, uint64_t r)
{
	const struct syt_request_info *info = &g->requests.all[r];

	return syt_extents_has(&g->extents, r) && info->end_is != SYT_REQUEST_OPEN &&
	       !(info->flags & SYT_REQUEST_UNSURE);
}

SYT_COMPARATOR(by_component, struct syt_work_part)
{
	return SYT_COMPARE(a->component, b->component);
}

/* Adds the request R to the population. The components of its work are sorted by name, those of a population by number. */
static void add_request(struct syt_gathered *g, uint64_t r, struct syt_work_part **parts,
                        size_t *room)
{
	uint32_t nr_steps, nr_works, behaviour;
	const uint32_t *steps = syt_behaviours_symbols(g->behaviours, r, &nr_steps);
	const struct syt_work *works = syt_works_of(g->works, r, &nr_works);

	syt_grow(parts, room, (size_t)nr_works + 1, sizeof(**parts));
	for (uint32_t i = 0; i < nr_works; i++)
		(*parts)[i] = syt_work_part_of(&works[i]);
	syt_sort(*parts, nr_works, sizeof(**parts), by_component);
	behaviour = syt_population_behaviour(g->population, steps, nr_steps);
	g->member_of[r] = syt_population_add(g->population, behaviour, *parts, nr_works);
	g->request_of[g->nr++] = r;
}

void syt_gather_add_open(struct syt_gathered *g, uint64_t r, uint32_t nr_steps)
{
	uint32_t nr, behaviour;
	const uint32_t *steps = syt_behaviours_symbols(g->behaviours, r, &nr);

	behaviour = syt_population_behaviour(g->population, steps, nr_steps < nr ? nr_steps : nr);
	g->member_of[r] = syt_population_add(g->population, behaviour, NULL, 0);
	g->request_of[g->nr++] = r;
}

/* Follows the requests of G, which are in g->exchanges if HAS_VISITS. */
static int follow(struct syt_gathered *g, struct syt_symbols *symbols, bool has_visits)
{
	struct syt_population *population = g->population;
	struct syt_work_part *parts = NULL;
	size_t room = 0;

	g->first_member = population->nr_members;
	if (syt_extents_open(&g->extents, g->order, has_visits ? &g->exchanges : &g->requests,
	                     has_visits ? &g->requests : NULL, symbols)) {
		syt_requests_close(&g->requests);
		syt_requests_close(&g->exchanges);
		return -1;
	}
	g->behaviours = syt_behaviours_create(&g->extents, symbols, &population->symbols);
	g->works = syt_works_create(&g->extents, &population->components);
	g->request_of = syt_store_alloc(g->requests.nr, sizeof(*g->request_of));
	g->member_of = syt_store_alloc(g->requests.nr, sizeof(*g->member_of));
	syt_population_begin_run(population);
	SYT_EACH(r, 0, g->requests.nr) {
		g->member_of[r] = SYT_REQUEST_NONE;
		if (syt_gather_has(g, r))
			add_request(g, r, &parts, &room);
	}
	if (g->nr > 1) {
		const struct syt_request_info *all = g->requests.all;

		population->nr_intervals += g->nr - 1;
		population->span_ns += SYT_TIME_NS(all[g->request_of[g->nr - 1]].begin -
		                                   all[g->request_of[0]].begin);
	}
	free(parts);
	return 0;
}

int syt_gather_open(struct syt_gathered *g, struct syt_order *order, struct syt_symbols *symbols,
                    struct syt_population *population, const char *function)
{
	*g = (struct syt_gathered){.order = order, .population = population};
	syt_requests_open(function ? &g->exchanges : &g->requests, order);
	if (function)
		syt_visits_open(&g->requests, order, symbols, function);
	return follow(g, symbols, function);
}

int syt_gather_open_with(struct syt_gathered *g, struct syt_order *order,
                         struct syt_symbols *symbols, struct syt_population *population,
                         struct syt_requests *requests)
{
	*g = (struct syt_gathered){.order = order, .population = population, .requests = *requests};
	*requests = (struct syt_requests){0};
	return follow(g, symbols, false);
}

void syt_gather_close(struct syt_gathered *g)
{
	syt_works_destroy(g->works);
	syt_behaviours_destroy(g->behaviours);
	syt_extents_close(&g->extents);
	syt_requests_close(&g->requests);
	syt_requests_close(&g->exchanges);
	syt_store_free(g->request_of);
	syt_store_free(g->member_of);
	memset(g, 0, sizeof(*g));
}
