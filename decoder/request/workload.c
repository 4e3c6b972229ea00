/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Learns models of workloads. */
#include "decoder/request/workload.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/sort.h"
#include "base/store.h"
#include "decoder/request/cluster.h"
#include "decoder/request/distance.h"
#include "decoder/request/member.h"

#define MOST_VALUES 10000u /* values from which a median is computed */

struct learner {
	struct syt_workload *workload;
	const struct syt_population *population; /* all requests */
	const bool *is_learnt;                   /* [request] */
	/* The learnt requests. Symbols and components have the order of their texts. */
	struct syt_population learnt;
	struct syt_clusters clusters;
	uint32_t *
		symbols; /* [symbol of `learnt`]: its number in the model; before: 1 if the model needs it */
	uint64_t *first;   /* [cluster]: its first member in `members` */
	uint64_t *members; /* by cluster */
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

/* ---- the learnt requests ---- */

static int by_text(const void *a, const void *b, void *texts)
{
	return strcmp(((char **)texts)[*(const uint32_t *)a],
	              ((char **)texts)[*(const uint32_t *)b]);
}

/* Adds the texts of FROM to TO, by text. Returns for each number in FROM the number in TO. */
static uint32_t *add_sorted(struct syt_text_set *to, const struct syt_text_set *from)
{
	uint32_t *order = syt_alloc(from->nr, sizeof(*order));
	uint32_t *numbers = syt_alloc(from->nr, sizeof(*numbers));

	for (uint32_t i = 0; i < from->nr; i++)
		order[i] = i;
	syt_sort_with(order, from->nr, sizeof(*order), by_text, from->all);
	for (uint32_t i = 0; i < from->nr; i++) {
		const char *text = from->all[order[i]];

		numbers[order[i]] = syt_text_set_add(to, text, strlen(text));
	}
	free(order);
	return numbers;
}

/* Copies the behaviours of requests to another population. */
struct copier {
	const struct syt_population *from;
	struct syt_population *to;
	uint32_t *symbols, *components; /* numbers in `to` */
	uint32_t *behaviours;           /* numbers in `to`, or NONE */
	size_t room_steps, room_parts;
	uint32_t *steps;
	struct syt_work_part *parts;
};

static uint32_t copy_behaviour(struct copier *c, uint32_t behaviour)
{
	const uint32_t *steps = syt_behaviour_steps(c->from, behaviour);
	uint32_t nr = c->from->behaviours[behaviour].nr;

	if (c->behaviours[behaviour] != SYT_WORKLOAD_NONE)
		return c->behaviours[behaviour];
	syt_grow(&c->steps, &c->room_steps, nr, sizeof(*c->steps));
	for (uint32_t i = 0; i < nr; i++)
		c->steps[i] = c->symbols[steps[i]];
	return c->behaviours[behaviour] = syt_population_behaviour(c->to, c->steps, nr);
}

static int by_component(const void *a_, const void *b_)
{
	const struct syt_work_part *a = a_, *b = b_;

	return a->component < b->component ? -1 : a->component > b->component;
}

static void copy_member(struct copier *c, const struct syt_member *m)
{
	syt_grow(&c->parts, &c->room_parts, m->nr_parts, sizeof(*c->parts));
	for (uint32_t i = 0; i < m->nr_parts; i++) {
		c->parts[i] = c->from->parts[m->first_part + i];
		c->parts[i].component = c->components[c->parts[i].component];
	}
	syt_sort(c->parts, m->nr_parts, sizeof(*c->parts), by_component);
	syt_population_add(c->to, copy_behaviour(c, m->behaviour), c->parts, m->nr_parts);
}

static void take_learnt(struct learner *l)
{
	const struct syt_population *p = l->population;
	struct copier c = {.from = p, .to = &l->learnt};

	c.symbols = add_sorted(&l->learnt.symbols, &p->symbols);
	c.components = add_sorted(&l->learnt.components, &p->components);
	c.behaviours = syt_alloc(p->nr_behaviours, sizeof(*c.behaviours));
	memset(c.behaviours, 0xff, p->nr_behaviours * sizeof(*c.behaviours));
	SYT_EACH(i, UINT64_C(0), p->nr_members)
		if (l->is_learnt[i])
			copy_member(&c, &p->members[i]);
	free(c.symbols);
	free(c.components);
	free(c.behaviours);
	free(c.steps);
	free(c.parts);
}

static void count_requests(struct syt_workload *w, const struct syt_population *p)
{
	w->nr_requests = p->nr_members;
	w->interval_ns = p->nr_intervals ? p->span_ns / p->nr_intervals : 0;
	if (w->interval_ns > SYT_WORKLOAD_COUNT)
		w->interval_ns = SYT_WORKLOAD_COUNT;
	for (uint32_t i = 0; i < p->nr_behaviours; i++) {
		w->nr_behaviours += p->behaviours[i].count > 0;
		w->nr_once += p->behaviours[i].count == 1;
	}
}

/* ---- the automaton ---- */

static void learn_automaton(struct learner *l)
{
	const struct syt_population *p = &l->learnt;
	uint64_t *counts = syt_alloc(p->nr_behaviours, sizeof(*counts));

	for (uint32_t i = 0; i < p->nr_behaviours; i++)
		counts[i] = p->behaviours[i].count;
	syt_automaton_learn(&l->workload->automaton, p, counts, SYT_AUTOMATON_ALPHA);
	free(counts);
}

/* ---- the strings that the model keeps ---- */

static uint32_t kept_length(const struct learner *l, uint32_t behaviour)
{
	uint32_t nr = l->learnt.behaviours[behaviour].nr;

	return nr < SYT_WORKLOAD_STEPS ? nr : SYT_WORKLOAD_STEPS;
}

static uint32_t representative(const struct learner *l, uint32_t cluster)
{
	return l->learnt.members[l->clusters.all[cluster].representative].behaviour;
}

/* Marks the symbols of a behaviour, unless the model would have too many symbols or steps. */
static bool keep_string(struct learner *l, uint32_t behaviour, uint32_t *nr_symbols,
                        uint64_t *nr_steps)
{
	const uint32_t *steps = syt_behaviour_steps(&l->learnt, behaviour);
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

static int most_frequent_first(const void *a_, const void *b_, void *p_)
{
	const struct syt_population *p = p_;
	uint32_t a = *(const uint32_t *)a_, b = *(const uint32_t *)b_;

	if (p->behaviours[a].count != p->behaviours[b].count)
		return p->behaviours[a].count > p->behaviours[b].count ? -1 : 1;
	return syt_behaviour_compare(p, a, b);
}

static int by_length(const void *a, const void *b, void *p)
{
	return syt_behaviour_compare(p, *(const uint32_t *)a, *(const uint32_t *)b);
}

/* Returns the behaviours that the model keeps, by length and text, and their number. */
static uint32_t *choose_behaviours(struct learner *l, uint32_t *nr, uint32_t *nr_symbols,
                                   uint64_t *nr_steps)
{
	const struct syt_population *p = &l->learnt;
	uint32_t *all = syt_alloc(p->nr_behaviours, sizeof(*all)), nr_often = 0;

	for (uint32_t i = 0; i < p->nr_behaviours; i++)
		if (p->behaviours[i].count > 1 && p->behaviours[i].nr <= SYT_WORKLOAD_STEPS)
			all[nr_often++] = i;
	syt_sort_with(all, nr_often, sizeof(*all), most_frequent_first, &l->learnt);
	*nr = 0;
	while (*nr < nr_often && *nr < SYT_WORKLOAD_BEHAVIOURS &&
	       keep_string(l, all[*nr], nr_symbols, nr_steps))
		++*nr;
	syt_sort_with(all, *nr, sizeof(*all), by_length, &l->learnt);
	return all;
}

/* Gives the marked symbols their numbers in the model. */
static void number_symbols(struct learner *l)
{
	struct syt_population *known = &l->workload->known;
	const struct syt_text_set *from = &l->learnt.symbols;

	for (uint32_t i = 0; i < from->nr; i++)
		if (l->symbols[i])
			l->symbols[i] = syt_text_set_add(&known->symbols, from->all[i],
			                                 strlen(from->all[i]));
	for (uint32_t i = 0; i < l->learnt.components.nr; i++)
		syt_text_set_add(&known->components, l->learnt.components.all[i],
		                 strlen(l->learnt.components.all[i]));
}

/* Adds the begin of a behaviour to the model. */
static uint32_t put_string(struct learner *l, uint32_t behaviour)
{
	const uint32_t *steps = syt_behaviour_steps(&l->learnt, behaviour);
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
		struct syt_workload_behaviour b = {put_string(l, all[i]),
		                                   l->learnt.behaviours[all[i]].count};

		w->known.behaviours[b.behaviour].count = b.count;
		*SYT_ADD(w->learnt, w->nr_learnt, w->room_learnt) = b;
	}
}

/* ---- clusters ---- */

static double six_decimals(double x)
{
	return (double)llround(x * SYT_WORKLOAD_MICRO) / SYT_WORKLOAD_MICRO;
}

/* Sorts the learnt requests by cluster. */
static void group_members(struct learner *l)
{
	uint32_t nr = l->clusters.nr;

	l->first = syt_calloc((size_t)nr + 2, sizeof(*l->first));
	l->members = syt_store_alloc(l->learnt.nr_members, sizeof(*l->members));
	for (uint64_t i = 0; i < l->learnt.nr_members; i++)
		l->first[l->clusters.of[i] + 2]++;
	for (uint32_t i = 2; i < nr + 2; i++)
		l->first[i] += l->first[i - 1];
	for (uint64_t i = 0; i < l->learnt.nr_members; i++)
		l->members[l->first[l->clusters.of[i] + 1]++] = i;
}

static int ascending(const void *a, const void *b)
{
	double one = *(const double *)a, other = *(const double *)b;

	return one < other ? -1 : one > other;
}

/* Returns the logarithm of the amount of a member, or a negative value if the amount is unknown. */
static double amount_log(const struct syt_population *p, uint64_t member, uint32_t component,
                         unsigned resource)
{
	const struct syt_member *m = &p->members[member];

	for (uint32_t i = 0; i < m->nr_parts; i++) {
		const struct syt_work_part *part = &p->parts[m->first_part + i];

		if (part->component == component)
			return syt_amount_log((enum syt_resource)resource, part->amounts[resource]);
	}
	return 0;
}

static double median_of(double *values, uint32_t nr)
{
	syt_sort(values, nr, sizeof(*values), ascending);
	return values[(nr - 1) / 2];
}

/* Computes the norm of a resource from at most MOST_VALUES members of CLUSTER. VALUES has room for them. */
static struct syt_workload_norm norm_of(const struct learner *l, uint32_t cluster,
                                        uint32_t component, unsigned resource, double *values)
{
	uint64_t first = l->first[cluster], end = l->first[cluster + 1];
	uint64_t stride = (end - first) / MOST_VALUES + 1;
	struct syt_workload_norm norm = {-1, 0};
	uint32_t nr = 0;

	for (uint64_t i = first; i < end; i += stride) {
		double u = amount_log(&l->learnt, l->members[i], component, resource);

		if (u >= 0)
			values[nr++] = u;
	}
	if (!nr)
		return norm;
	norm.median = six_decimals(median_of(values, nr));
	for (uint32_t i = 0; i < nr; i++)
		values[i] = fabs(values[i] - norm.median);
	norm.mad = six_decimals(median_of(values, nr));
	return norm;
}

/* Adds the norms of CLUSTER for each component that a member used. IS_USED has an element for each component. */
static void put_parts(struct learner *l, uint32_t cluster, bool *is_used, double *values)
{
	struct syt_workload *w = l->workload;
	const struct syt_population *p = &l->learnt;
	uint32_t nr = p->components.nr;

	memset(is_used, 0, nr * sizeof(*is_used));
	for (uint64_t i = l->first[cluster]; i < l->first[cluster + 1]; i++) {
		const struct syt_member *m = &p->members[l->members[i]];

		for (uint32_t j = 0; j < m->nr_parts; j++)
			is_used[p->parts[m->first_part + j].component] = true;
	}
	for (uint32_t i = 0; i < nr && w->nr_parts < SYT_WORKLOAD_PARTS; i++) {
		struct syt_workload_part part = {.component = i};

		if (!is_used[i])
			continue;
		for (unsigned r = 0; r < SYT_NR_RESOURCES; r++)
			part.norms[r] = norm_of(l, cluster, i, r, values);
		*SYT_ADD(w->parts, w->nr_parts, w->room_parts) = part;
	}
}

static void put_cluster(struct learner *l, uint32_t cluster, bool *is_used, double *values)
{
	struct syt_workload *w = l->workload;
	const struct syt_member *m = &l->learnt.members[l->clusters.all[cluster].representative];
	struct syt_workload_cluster c = {l->clusters.all[cluster].count, w->nr_parts, 0};

	put_parts(l, cluster, is_used, values);
	c.nr_parts = w->nr_parts - c.first_part;
	*SYT_ADD(w->clusters, w->nr_clusters, w->room_clusters) = c;
	syt_population_add(&w->known, put_string(l, m->behaviour),
	                   syt_member_parts(&l->learnt, l->clusters.all[cluster].representative),
	                   m->nr_parts);
}

static void put_clusters(struct learner *l, uint32_t nr)
{
	uint32_t nr_components = l->learnt.components.nr;
	bool *is_used = syt_alloc(nr_components, sizeof(*is_used));
	double *values = syt_alloc(MOST_VALUES + 1, sizeof(*values));

	group_members(l);
	for (uint32_t i = 0; i < nr; i++)
		put_cluster(l, i, is_used, values);
	l->workload->scale =
		syt_alloc(nr_components, SYT_NR_RESOURCES * sizeof(*l->workload->scale));
	for (uint32_t i = 0; i < nr_components * SYT_NR_RESOURCES; i++)
		l->workload->scale[i] = six_decimals(l->clusters.scale[i]);
	free(is_used);
	free(values);
}

/* Chooses the symbols, clusters and behaviours of the model. */
static void put_model(struct learner *l)
{
	struct syt_automaton *a = &l->workload->automaton;
	uint32_t nr_symbols = 0, nr_clusters = 0, nr_behaviours, *behaviours;
	uint64_t nr_steps = 0;

	l->symbols = syt_calloc(l->learnt.symbols.nr, sizeof(*l->symbols));
	for (uint32_t i = 0; i < a->nr_transitions; i++)
		if (!l->symbols[a->transitions[i].symbol]++)
			nr_symbols++;
	while (nr_clusters < l->clusters.nr && nr_clusters < SYT_WORKLOAD_CLUSTERS &&
	       keep_string(l, representative(l, nr_clusters), &nr_symbols, &nr_steps))
		nr_clusters++;
	behaviours = choose_behaviours(l, &nr_behaviours, &nr_symbols, &nr_steps);
	number_symbols(l);
	syt_automaton_rename(a, l->symbols);
	put_clusters(l, nr_clusters);
	put_behaviours(l, behaviours, nr_behaviours);
	free(behaviours);
}

void syt_workload_learn_from(struct syt_workload *w, const struct syt_population *p,
                             const bool *is_learnt)
{
	struct learner l = {.workload = w, .population = p, .is_learnt = is_learnt};

	memset(w, 0, sizeof(*w));
	count_requests(w, p);
	take_learnt(&l);
	learn_automaton(&l);
	syt_clusters_open(&l.clusters, &l.learnt);
	put_model(&l);
	syt_clusters_close(&l.clusters);
	syt_population_close(&l.learnt);
	free(l.symbols);
	free(l.first);
	syt_store_free(l.members);
}

uint32_t *syt_workload_groups(const struct syt_workload *w)
{
	uint32_t *group = syt_calloc(w->nr_clusters, sizeof(*group));

	for (uint32_t k = 0; k < w->nr_clusters; k++)
		while (w->known.members[group[k]].behaviour != w->known.members[k].behaviour)
			group[k]++;
	return group;
}
