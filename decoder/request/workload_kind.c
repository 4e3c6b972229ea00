/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/request/workload_kind.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/sort.h"
#include "base/store.h"
#include "decoder/request/nearest.h"

#define MOST_VALUES 10000u /* values from which a median is computed */

double syt_workload_six_decimals(double x)
{
	return (double)llround(x * SYT_WORKLOAD_MICRO) / SYT_WORKLOAD_MICRO;
}

/* Finds the kinds. A cluster belongs to the kind of the nearest cluster within the radius that begins a kind. If there is none, the
 * cluster begins a kind. */
void syt_workload_kinds_open(struct syt_workload_kinds *k, const struct syt_population *p)
{
	uint32_t nr = 0, *begins;
	struct syt_centres centres;
	double *scale;

	syt_clusters_open(&k->clusters, p);
	scale = syt_work_scale_without_cpu(k->clusters.scale, p->components.nr);
	begins = syt_alloc(k->clusters.nr, sizeof(*begins));
	k->of = syt_alloc(k->clusters.nr, sizeof(*k->of));
	syt_centres_open(&centres, p, scale);
	for (uint32_t i = 0; i < k->clusters.nr; i++) {
		double distance = SYT_CLUSTER_RADIUS;
		struct syt_point a;
		uint32_t n;

		syt_point_open(&a, p, scale, k->clusters.all[i].representative);
		n = syt_centres_nearest(&centres, &a, SYT_HASH_NONE, &distance);
		if (n == SYT_HASH_NONE) {
			syt_centres_add(&centres, &a);
			n = nr;
			begins[nr++] = i;
		} else {
			syt_point_close(&a);
		}
		k->of[i] = begins[n];
	}
	syt_centres_close(&centres);
	free(begins);
	free(scale);
}

void syt_workload_kinds_close(struct syt_workload_kinds *k)
{
	syt_clusters_close(&k->clusters);
	free(k->of);
}

/* ---- norms ---- */

/* The learnt requests by kind. */
struct grouped {
	const struct syt_population *p;
	uint64_t *
		first; /* [first cluster of a kind]: index of the first request of the kind in `members` */
	uint64_t *members;
	bool *is_used;  /* [component] */
	double *values; /* room for MOST_VALUES of them */
};

static void group_members(struct grouped *g, const struct syt_workload_kinds *k,
                          const bool *is_learnt)
{
	uint32_t nr = k->clusters.nr;

	g->first = syt_calloc((size_t)nr + 2, sizeof(*g->first));
	g->members = syt_store_alloc(g->p->nr_members, sizeof(*g->members));
	SYT_EACH(i, UINT64_C(0), g->p->nr_members)
		g->first[k->of[k->clusters.of[i]] + 2] += is_learnt[i];
	for (uint32_t i = 2; i < nr + 2; i++)
		g->first[i] += g->first[i - 1];
	SYT_EACH(i, UINT64_C(0), g->p->nr_members)
		if (is_learnt[i])
			g->members[g->first[k->of[k->clusters.of[i]] + 1]++] = i;
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

/* Computes the norm of a resource from at most MOST_VALUES requests of a kind. */
static struct syt_workload_norm norm_of(const struct grouped *g, uint32_t kind, uint32_t component,
                                        unsigned resource)
{
	uint64_t first = g->first[kind], end = g->first[kind + 1];
	uint64_t stride = (end - first) / MOST_VALUES + 1;
	struct syt_workload_norm norm = {-1, 0};
	uint32_t nr = 0;

	for (uint64_t i = first; i < end; i += stride) {
		double u = amount_log(g->p, g->members[i], component, resource);

		if (u >= 0)
			g->values[nr++] = u;
	}
	if (!nr)
		return norm;
	norm.median = syt_workload_six_decimals(median_of(g->values, nr));
	for (uint32_t i = 0; i < nr; i++)
		g->values[i] = fabs(g->values[i] - norm.median);
	norm.mad = syt_workload_six_decimals(median_of(g->values, nr));
	return norm;
}

static int by_component(const void *a_, const void *b_)
{
	const struct syt_workload_part *a = a_, *b = b_;

	return a->component < b->component ? -1 : a->component > b->component;
}

static void put_norms(const struct grouped *g, uint32_t kind, const uint32_t *components,
                      struct syt_workload_norms *norms)
{
	const struct syt_population *p = g->p;

	memset(g->is_used, 0, p->components.nr * sizeof(*g->is_used));
	for (uint64_t i = g->first[kind]; i < g->first[kind + 1]; i++) {
		const struct syt_member *m = &p->members[g->members[i]];

		for (uint32_t j = 0; j < m->nr_parts; j++)
			g->is_used[p->parts[m->first_part + j].component] = true;
	}
	for (uint32_t i = 0; i < p->components.nr; i++) {
		struct syt_workload_part part = {.component = components[i]};

		if (!g->is_used[i])
			continue;
		for (unsigned r = 0; r < SYT_NR_RESOURCES; r++)
			part.norms[r] = norm_of(g, kind, i, r);
		*SYT_ADD(norms->all, norms->nr, norms->room) = part;
	}
	syt_sort(norms->all, norms->nr, sizeof(*norms->all), by_component);
}

struct syt_workload_norms *syt_workload_norms(const struct syt_workload_kinds *k,
                                              const bool *is_learnt, const uint32_t *components)
{
	struct grouped g = {.p = k->clusters.population};
	struct syt_workload_norms *norms = syt_calloc(k->clusters.nr, sizeof(*norms));

	g.is_used = syt_alloc(g.p->components.nr, sizeof(*g.is_used));
	g.values = syt_alloc(MOST_VALUES + 1, sizeof(*g.values));
	group_members(&g, k, is_learnt);
	for (uint32_t i = 0; i < k->clusters.nr; i++)
		put_norms(&g, i, components, &norms[i]);
	free(g.first);
	syt_store_free(g.members);
	free(g.is_used);
	free(g.values);
	return norms;
}

void syt_workload_norms_free(struct syt_workload_norms *norms, const struct syt_workload_kinds *k)
{
	for (uint32_t i = 0; i < k->clusters.nr; i++)
		free(norms[i].all);
	free(norms);
}
