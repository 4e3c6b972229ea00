/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Learns models of workloads. */
#include "decoder/request/workload.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/sort.h"
#include "base/store.h"

struct learner {
	struct syt_workload *workload;
	const struct syt_population *population;
	const struct syt_workload_kinds *kinds; /* of `population` */
	const bool *is_learnt;                  /* [request] */
	uint64_t nr_learnt;
	uint64_t *counts;  /* [behaviour]: number of learnt requests */
	uint32_t *symbols; /* [symbol]: its number in the model; before: 1 if the model needs it */
	uint32_t *components; /* [component]: its number in the model */
};

void syt_workload_close(struct syt_workload *w)
{
	syt_population_close(&w->known);
	syt_automaton_close(&w->automaton);
	syt_odd_calibration_close(&w->calibration);
	free(w->scale);
	free(w->clusters);
	free(w->parts);
	free(w->learnt);
	memset(w, 0, sizeof(*w));
}

double syt_workload_unseen(const struct syt_workload *w)
{
	return w->nr_requests ? (double)w->nr_once / (double)w->nr_requests : 0;
}

/* ---- names ---- */

static int by_text(const void *a, const void *b, void *texts)
{
	return strcmp(((char **)texts)[*(const uint32_t *)a],
	              ((char **)texts)[*(const uint32_t *)b]);
}

/* Adds those texts of FROM to TO for which NUMBERS has a value other than 0, by text. Then NUMBERS has their numbers in TO. */
static void add_sorted(struct syt_text_set *to, const struct syt_text_set *from, uint32_t *numbers)
{
	uint32_t *order = syt_alloc(from->nr, sizeof(*order)), nr = 0;

	for (uint32_t i = 0; i < from->nr; i++)
		if (numbers[i])
			order[nr++] = i;
	syt_sort_with(order, nr, sizeof(*order), by_text, from->all);
	for (uint32_t i = 0; i < nr; i++) {
		const char *text = from->all[order[i]];

		numbers[order[i]] = syt_text_set_add(to, text, strlen(text));
	}
	free(order);
}

/* ---- the automaton ---- */

static void count_learnt(struct learner *l)
{
	const struct syt_population *p = l->population;

	l->counts = syt_calloc(p->nr_behaviours, sizeof(*l->counts));
	SYT_EACH(i, UINT64_C(0), p->nr_members) {
		l->counts[p->members[i].behaviour] += l->is_learnt[i];
		l->nr_learnt += l->is_learnt[i];
	}
}

/* Learns the automaton. A step that no request made has the probability that it would have in a model of all requests: a model
 * of fewer requests expects it more often. */
static void learn_automaton(struct learner *l)
{
	struct syt_automaton *a = &l->workload->automaton;

	syt_automaton_learn(a, l->population, l->counts, SYT_AUTOMATON_ALPHA);
	if (l->nr_learnt)
		a->unseen_count *= (double)l->nr_learnt / (double)l->population->nr_members;
}

/* ---- the strings that the model keeps ---- */

static uint32_t kept_length(const struct learner *l, uint32_t behaviour)
{
	uint32_t nr = l->population->behaviours[behaviour].nr;

	return nr < SYT_WORKLOAD_STEPS ? nr : SYT_WORKLOAD_STEPS;
}

static uint32_t representative(const struct learner *l, uint32_t cluster)
{
	const struct syt_workload_kinds *k = l->kinds;

	return l->population->members[k->clusters.all[cluster].representative].behaviour;
}

/* Marks the symbols of a behaviour, unless the model would have too many symbols or steps. */
static bool keep_string(struct learner *l, uint32_t behaviour, uint32_t *nr_symbols,
                        uint64_t *nr_steps)
{
	const uint32_t *steps = syt_behaviour_steps(l->population, behaviour);
	uint32_t nr = kept_length(l, behaviour);

	if (*nr_steps + nr > SYT_WORKLOAD_ALL_STEPS)
		return false;
	for (uint32_t i = 0; i < nr; i++) {
		if (l->symbols[steps[i]])
			continue;
		if (*nr_symbols == SYT_WORKLOAD_SYMBOLS)
			return false;
		l->symbols[steps[i]] = 1;
		++*nr_symbols;
	}
	*nr_steps += nr;
	return true;
}

static int most_frequent_first(const void *a_, const void *b_, void *l_)
{
	const struct learner *l = l_;
	uint32_t a = *(const uint32_t *)a_, b = *(const uint32_t *)b_;

	if (l->counts[a] != l->counts[b])
		return l->counts[a] > l->counts[b] ? -1 : 1;
	return syt_behaviour_compare(l->population, a, b);
}

static int by_length(const void *a, const void *b, void *l)
{
	return syt_behaviour_compare(((const struct learner *)l)->population, *(const uint32_t *)a,
	                             *(const uint32_t *)b);
}

/* Returns the behaviours that the model keeps, by length and text, and their number. */
static uint32_t *choose_behaviours(struct learner *l, uint32_t *nr, uint32_t *nr_symbols,
                                   uint64_t *nr_steps)
{
	const struct syt_population *p = l->population;
	uint32_t *all = syt_alloc(p->nr_behaviours, sizeof(*all)), nr_often = 0;

	for (uint32_t i = 0; i < p->nr_behaviours; i++)
		if (l->counts[i] > 1 && p->behaviours[i].nr <= SYT_WORKLOAD_STEPS)
			all[nr_often++] = i;
	syt_sort_with(all, nr_often, sizeof(*all), most_frequent_first, l);
	*nr = 0;
	while (*nr < nr_often && *nr < SYT_WORKLOAD_BEHAVIOURS &&
	       keep_string(l, all[*nr], nr_symbols, nr_steps))
		++*nr;
	syt_sort_with(all, *nr, sizeof(*all), by_length, l);
	return all;
}

/* Adds the begin of a behaviour to the model. */
static uint32_t put_string(struct learner *l, uint32_t behaviour)
{
	const uint32_t *steps = syt_behaviour_steps(l->population, behaviour);
	uint32_t nr = kept_length(l, behaviour), *mine = syt_alloc(nr, sizeof(*mine)), result;

	for (uint32_t i = 0; i < nr; i++)
		mine[i] = l->symbols[steps[i]];
	result = syt_population_behaviour(&l->workload->known, mine, nr);
	free(mine);
	return result;
}

static void put_behaviours(struct learner *l, const uint32_t *all, uint32_t nr)
{
	struct syt_workload *w = l->workload;

	for (uint32_t i = 0; i < w->known.nr_behaviours; i++)
		w->known.behaviours[i].count = 0;
	for (uint32_t i = 0; i < nr; i++) {
		struct syt_workload_behaviour b = {put_string(l, all[i]), l->counts[all[i]]};

		w->known.behaviours[b.behaviour].count = b.count;
		*SYT_ADD(w->learnt, w->nr_learnt, w->room_learnt) = b;
	}
}

/* ---- the model ---- */

static int by_component(const void *a_, const void *b_)
{
	const struct syt_work_part *a = a_, *b = b_;

	return a->component < b->component ? -1 : a->component > b->component;
}

/* Adds a cluster of COUNT learnt requests with the norms of its kind. */
static void put_cluster(struct learner *l, uint32_t cluster, uint64_t count,
                        const struct syt_workload_norms *norms)
{
	struct syt_workload *w = l->workload;
	const struct syt_population *p = l->population;
	const uint64_t member = l->kinds->clusters.all[cluster].representative;
	const struct syt_member *m = &p->members[member];
	struct syt_work_part *parts = syt_alloc(m->nr_parts, sizeof(*parts));
	struct syt_workload_cluster c = {count, w->nr_parts, 0};

	for (uint32_t i = 0; i < norms->nr && w->nr_parts < SYT_WORKLOAD_PARTS; i++)
		*SYT_ADD(w->parts, w->nr_parts, w->room_parts) = norms->all[i];
	c.nr_parts = w->nr_parts - c.first_part;
	*SYT_ADD(w->clusters, w->nr_clusters, w->room_clusters) = c;
	for (uint32_t i = 0; i < m->nr_parts; i++) {
		parts[i] = p->parts[m->first_part + i];
		parts[i].component = l->components[parts[i].component];
	}
	syt_sort(parts, m->nr_parts, sizeof(*parts), by_component);
	syt_population_add(&w->known, put_string(l, m->behaviour), parts, m->nr_parts);
	free(parts);
}

/* Adds the clusters with learnt requests among the first NR ones. */
static void put_clusters(struct learner *l, uint32_t nr)
{
	const struct syt_population *p = l->population;
	struct syt_workload *w = l->workload;
	uint64_t *counts = syt_calloc(l->kinds->clusters.nr, sizeof(*counts));
	struct syt_workload_norms *norms =
		syt_workload_norms(l->kinds, l->is_learnt, l->components);

	SYT_EACH(i, UINT64_C(0), p->nr_members)
		counts[l->kinds->clusters.of[i]] += l->is_learnt[i];
	for (uint32_t i = 0; i < nr; i++)
		if (counts[i])
			put_cluster(l, i, counts[i], &norms[l->kinds->of[i]]);
	w->scale = syt_alloc(p->components.nr, SYT_NR_RESOURCES * sizeof(*w->scale));
	for (uint32_t i = 0; i < p->components.nr; i++)
		for (unsigned r = 0; r < SYT_NR_RESOURCES; r++)
			w->scale[l->components[i] * SYT_NR_RESOURCES + r] =
				syt_workload_six_decimals(
					l->kinds->clusters.scale[i * SYT_NR_RESOURCES + r]);
	syt_workload_norms_free(norms, l->kinds);
	free(counts);
}

/* Chooses the symbols, clusters and behaviours of the model. */
static void put_model(struct learner *l)
{
	const struct syt_population *p = l->population;
	struct syt_automaton *a = &l->workload->automaton;
	uint32_t nr_symbols = 0, nr_clusters = 0, nr_behaviours, *behaviours;
	uint64_t nr_steps = 0;

	l->symbols = syt_calloc(p->symbols.nr, sizeof(*l->symbols));
	l->components = syt_alloc(p->components.nr, sizeof(*l->components));
	memset(l->components, 0xff, p->components.nr * sizeof(*l->components));
	for (uint32_t i = 0; i < a->nr_transitions; i++)
		if (!l->symbols[a->transitions[i].symbol]++)
			nr_symbols++;
	while (nr_clusters < l->kinds->clusters.nr && nr_clusters < SYT_WORKLOAD_CLUSTERS &&
	       keep_string(l, representative(l, nr_clusters), &nr_symbols, &nr_steps))
		nr_clusters++;
	behaviours = choose_behaviours(l, &nr_behaviours, &nr_symbols, &nr_steps);
	add_sorted(&l->workload->known.symbols, &p->symbols, l->symbols);
	add_sorted(&l->workload->known.components, &p->components, l->components);
	syt_automaton_rename(a, l->symbols);
	put_clusters(l, nr_clusters);
	put_behaviours(l, behaviours, nr_behaviours);
	free(behaviours);
}

void syt_workload_learn_from(struct syt_workload *w, const struct syt_population *p,
                             const struct syt_workload_kinds *kinds, const bool *is_learnt)
{
	struct learner l = {.workload = w, .population = p, .kinds = kinds, .is_learnt = is_learnt};

	memset(w, 0, sizeof(*w));
	count_learnt(&l);
	learn_automaton(&l);
	put_model(&l);
	free(l.counts);
	free(l.symbols);
	free(l.components);
}

uint32_t *syt_workload_groups(const struct syt_workload *w)
{
	uint32_t *group = syt_calloc(w->nr_clusters, sizeof(*group));

	for (uint32_t k = 0; k < w->nr_clusters; k++)
		while (w->known.members[group[k]].behaviour != w->known.members[k].behaviour)
			group[k]++;
	return group;
}
