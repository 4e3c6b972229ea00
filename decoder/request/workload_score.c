/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Scores requests by a model. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/sort.h"
#include "base/store.h"
#include "decoder/request/cluster.h"
#include "decoder/request/distance.h"
#include "decoder/request/member.h"
#include "decoder/request/workload.h"

#define NR_BUCKETS 64u
#define MOST_IN_BUCKET 255u
#define NONE SYT_WORKLOAD_NONE
#define MAD_TO_DEVIATION 1.48 /* standard deviation / MAD of a normal distribution */
#define LEAST_DEVIATION 0.1   /* amounts that are about equal never differ in an odd way */
/* Least unusual CPU time that has a score. Interrupts, caches and the division of measured intervals change CPU times by less. */
#define LEAST_CPU_NS 250000u

/* The multiset of the symbols of a string, from which follows a lower bound of its edit distances. */
struct syt_workload_sketch {
	uint8_t counts[NR_BUCKETS];
};

static struct syt_workload_sketch sketch_of(const uint32_t *steps, uint32_t nr)
{
	struct syt_workload_sketch s = {{0}};

	for (uint32_t i = 0; i < nr; i++) {
		uint8_t *count = &s.counts[syt_hash_words(steps[i], 1) % NR_BUCKETS];

		*count = (uint8_t)(*count + (*count < MOST_IN_BUCKET));
	}
	return s;
}

/* Each edit removes at most one symbol and adds at most one. */
static uint32_t least_edits(const struct syt_workload_sketch *a,
                            const struct syt_workload_sketch *b, uint32_t nr_a, uint32_t nr_b)
{
	uint32_t more = 0, less = 0, by_length = nr_a > nr_b ? nr_a - nr_b : nr_b - nr_a, by_counts;

	for (unsigned i = 0; i < NR_BUCKETS; i++) {
		more += a->counts[i] > b->counts[i] ? (uint32_t)(a->counts[i] - b->counts[i]) : 0u;
		less += b->counts[i] > a->counts[i] ? (uint32_t)(b->counts[i] - a->counts[i]) : 0u;
	}
	by_counts = more > less ? more : less;
	return by_counts > by_length ? by_counts : by_length;
}

void syt_workload_scorer_open(struct syt_workload_scorer *s, const struct syt_workload *w,
                              const struct syt_population *p)
{
	*s = (struct syt_workload_scorer){.workload = w, .population = p, .behaviour = NONE};
	s->sketches = syt_alloc(w->nr_clusters, sizeof(*s->sketches));
	s->edits = syt_alloc(w->nr_clusters, sizeof(*s->edits));
	s->is_exact = syt_alloc(w->nr_clusters, sizeof(*s->is_exact));
	syt_novelty_open(&s->novelty, &w->automaton, &w->known.symbols);
	if (w->scale)
		s->scale = syt_work_scale_without_cpu(w->scale, w->known.components.nr);
	for (uint32_t i = 0; i < w->nr_clusters; i++) {
		uint32_t b = w->known.members[i].behaviour;

		s->sketches[i] =
			sketch_of(syt_behaviour_steps(&w->known, b), w->known.behaviours[b].nr);
	}
}

void syt_workload_scorer_close(struct syt_workload_scorer *s)
{
	syt_novelty_close(&s->novelty);
	free(s->symbols);
	free(s->novel);
	free(s->novel_steps);
	free(s->components);
	free(s->sketches);
	free(s->steps);
	free(s->edits);
	free(s->is_exact);
	free(s->scale);
	free(s->parts);
	memset(s, 0, sizeof(*s));
}

/* ---- behaviours ---- */

static void translate_steps(struct syt_workload_scorer *s, const uint32_t *steps, uint32_t nr)
{
	const struct syt_text_set *from = &s->population->symbols;

	while (s->nr_symbols < from->nr) {
		uint32_t n =
			syt_text_set_find(&s->workload->known.symbols, from->all[s->nr_symbols]);

		*SYT_ADD(s->novel, s->nr_novel, s->room_novel) =
			syt_novelty_of(&s->novelty, from->all[s->nr_symbols]);
		*SYT_ADD(s->symbols, s->nr_symbols, s->room_symbols) = n;
	}
	syt_grow(&s->steps, &s->room_steps, nr, sizeof(*s->steps));
	syt_grow(&s->novel_steps, &s->room_novel_steps, nr, sizeof(*s->novel_steps));
	for (uint32_t i = 0; i < nr; i++) {
		s->steps[i] = s->symbols[steps[i]];
		s->novel_steps[i] = s->novel[steps[i]];
	}
}

/* Returns true if the model learnt the string in s->steps at least twice. */
static bool is_learnt(const struct syt_workload_scorer *s, uint32_t nr)
{
	const struct syt_population *known = &s->workload->known;
	uint32_t b = syt_population_find(known, s->steps, nr);

	return b != SYT_HASH_NONE && known->behaviours[b].count > 1;
}

static uint32_t length_of(const struct syt_workload *w, uint32_t cluster)
{
	return w->known.behaviours[w->known.members[cluster].behaviour].nr;
}

static void bound_edits(struct syt_workload_scorer *s, uint32_t nr)
{
	struct syt_workload_sketch mine = sketch_of(s->steps, nr);

	for (uint32_t i = 0; i < s->workload->nr_clusters; i++) {
		s->edits[i] = least_edits(&mine, &s->sketches[i], nr, length_of(s->workload, i));
		s->is_exact[i] = false;
	}
}

static void begin_behaviour(struct syt_workload_scorer *s, uint32_t behaviour, bool is_open)
{
	const struct syt_behaviour *b = &s->population->behaviours[behaviour];

	translate_steps(s, syt_behaviour_steps(s->population, behaviour), b->nr);
	s->behaviour = behaviour;
	s->is_open = is_open;
	s->score = (struct syt_workload_score){.is_learnt = is_learnt(s, b->nr)};
	s->score.structure.instead = SYT_AUTOMATON_NONE;
	if (!s->score.is_learnt)
		s->score.structure = syt_odd_structure(&s->workload->automaton, s->steps,
		                                       s->novel_steps, b->nr, is_open);
	bound_edits(s, b->nr);
}

/* ---- the nearest cluster ---- */

static int by_component(const void *a_, const void *b_)
{
	const struct syt_work_part *a = a_, *b = b_;

	return a->component < b->component ? -1 : a->component > b->component;
}

/* Stores the work of M in s->parts, without components that the model does not know. */
static void translate_parts(struct syt_workload_scorer *s, const struct syt_member *m)
{
	const struct syt_text_set *from = &s->population->components;

	while (s->nr_components < from->nr) {
		uint32_t n = syt_text_set_find(&s->workload->known.components,
		                               from->all[s->nr_components]);

		*SYT_ADD(s->components, s->nr_components, s->room_components) = n;
	}
	s->nr_parts = 0;
	syt_grow(&s->parts, &s->room_parts, m->nr_parts, sizeof(*s->parts));
	for (uint32_t i = 0; i < m->nr_parts; i++) {
		struct syt_work_part part = s->population->parts[m->first_part + i];

		part.component = s->components[part.component];
		if (part.component != NONE)
			s->parts[s->nr_parts++] = part;
	}
	syt_sort(s->parts, s->nr_parts, sizeof(*s->parts), by_component);
}

static double work_distance(const struct syt_workload_scorer *s, const double *scale,
                            uint32_t cluster)
{
	const struct syt_population *known = &s->workload->known;
	const struct syt_member *m = &known->members[cluster];

	return SYT_CLUSTER_WORK_WEIGHT *
	       syt_work_distance(scale, known->components.nr, s->parts, s->nr_parts,
	                         syt_member_parts(known, cluster), m->nr_parts);
}

/* The nearest cluster so far. */
struct nearest {
	const double *scale; /* of the work */
	uint32_t cluster;
	double distance;
};

/* Returns true if CLUSTER, at DISTANCE, is nearer than N. */
static bool is_nearer(const struct nearest *n, uint32_t cluster, double distance)
{
	return n->cluster == NONE || distance < n->distance ||
	       (distance == n->distance && cluster < n->cluster);
}

/* Computes the distance of CLUSTER to the string in s->steps of LENGTH, unless the cluster is too far. */
static void visit(struct syt_workload_scorer *s, uint32_t cluster, uint32_t length,
                  struct nearest *n)
{
	const struct syt_population *known = &s->workload->known;
	uint32_t nr = length_of(s->workload, cluster), longest = nr > length ? nr : length;
	uint32_t most = longest;
	double scale = longest ? (double)longest : 1, work;

	if (!is_nearer(n, cluster, s->edits[cluster] / scale))
		return;
	work = work_distance(s, n->scale, cluster);
	if (!is_nearer(n, cluster, work + s->edits[cluster] / scale))
		return;
	if (!s->is_exact[cluster]) {
		const uint32_t *steps =
			syt_behaviour_steps(known, known->members[cluster].behaviour);

		/* 1 more, as the division rounds */
		if (n->cluster != NONE && (n->distance - work) * scale + 1 < most)
			most = (uint32_t)((n->distance - work) * scale) + 1;
		s->edits[cluster] = syt_edit_distance(s->steps, length, steps, nr, most);
		s->is_exact[cluster] = s->edits[cluster] <= most;
	}
	if (s->is_exact[cluster] && is_nearer(n, cluster, work + s->edits[cluster] / scale))
		*n = (struct nearest){n->scale, cluster, work + s->edits[cluster] / scale};
}

/* Finds the nearest cluster. It visits the cluster with the smallest bound first, as most others are then too far. */
static struct nearest find_nearest(struct syt_workload_scorer *s, uint32_t length,
                                   const double *scale)
{
	struct nearest n = {scale, NONE, HUGE_VAL};
	uint32_t first = 0;

	for (uint32_t i = 1; i < s->workload->nr_clusters; i++)
		if (s->edits[i] < s->edits[first])
			first = i;
	if (s->workload->nr_clusters)
		visit(s, first, length, &n);
	for (uint32_t i = 0; i < s->workload->nr_clusters; i++)
		if (i != first)
			visit(s, i, length, &n);
	return n;
}

/* ---- work ---- */

/* Returns the norms of COMPONENT in CLUSTER, or NULL if no request of the cluster used it. */
static const struct syt_workload_norm *find_norms(const struct syt_workload *w, uint32_t cluster,
                                                  uint32_t component)
{
	const struct syt_workload_cluster *c = &w->clusters[cluster];

	for (uint32_t i = c->first_part; i < c->first_part + c->nr_parts; i++)
		if (w->parts[i].component == component)
			return w->parts[i].norms;
	return NULL;
}

/* Returns true if CPU time of AMOUNT exceeds the usual one, of which U is the logarithm, by too little to be odd. */
static bool is_noise(enum syt_resource resource, uint64_t amount, double u)
{
	return resource == SYT_RESOURCE_CPU &&
	       amount < syt_amount_of_log(resource, u) + LEAST_CPU_NS;
}

static uint32_t excess(enum syt_resource resource, uint64_t amount,
                       const struct syt_workload_norm *norm)
{
	double u = syt_amount_log(resource, amount);

	if (u < 0 || (norm && norm->median < 0) ||
	    is_noise(resource, amount, norm ? norm->median : 0))
		return 0;
	if (!norm)
		return syt_odd_score(u / LEAST_DEVIATION);
	return syt_odd_score((u - norm->median) / (MAD_TO_DEVIATION * norm->mad + LEAST_DEVIATION));
}

/* The amount that exceeds its norm most. */
struct most {
	uint32_t score, component; /* component: of the population of the request */
	enum syt_resource resource;
};

/* Scores the work of a component. Equal scores: the first component by text. */
static void score_part(const struct syt_workload_scorer *s, const struct syt_work_part *part,
                       uint32_t cluster, struct most *mosts)
{
	char *const *texts = s->population->components.all;
	uint32_t component = s->components[part->component];
	const struct syt_workload_norm *norms =
		component == NONE ? NULL : find_norms(s->workload, cluster, component);

	for (unsigned r = 0; r < SYT_NR_RESOURCES; r++) {
		struct most *most = &mosts[r == SYT_RESOURCE_CPU ? SYT_ODD_CPU : SYT_ODD_AMOUNT];
		uint32_t x =
			excess((enum syt_resource)r, part->amounts[r], norms ? &norms[r] : NULL);

		if (x < most->score || !x ||
		    (x == most->score &&
		     strcmp(texts[part->component], texts[most->component]) >= 0))
			continue;
		*most = (struct most){x, part->component, (enum syt_resource)r};
	}
}

static void score_work(const struct syt_workload_scorer *s, const struct syt_member *m,
                       struct syt_workload_score *score)
{
	struct most mosts[SYT_ODD_NR_KINDS] = {{0}}, *named;

	for (uint32_t i = 0; i < m->nr_parts && score->norms != NONE; i++)
		score_part(s, &s->population->parts[m->first_part + i], score->norms, mosts);
	score->odd.scores[SYT_ODD_STRUCTURE] = score->structure.score;
	score->odd.scores[SYT_ODD_AMOUNT] = mosts[SYT_ODD_AMOUNT].score;
	score->odd.scores[SYT_ODD_CPU] = mosts[SYT_ODD_CPU].score;
	score->rank = syt_odd_rank(&s->workload->calibration, &score->odd);
	named = &mosts[score->rank.kind == SYT_ODD_CPU ? SYT_ODD_CPU : SYT_ODD_AMOUNT];
	score->work = named->score;
	score->component = named->component;
	score->resource = named->resource;
}

struct syt_workload_score syt_workload_score(struct syt_workload_scorer *s, uint64_t member,
                                             bool is_open)
{
	const struct syt_member *m = &s->population->members[member];
	const uint32_t length = s->population->behaviours[m->behaviour].nr;
	struct syt_workload_score score;
	struct nearest n;

	if (s->behaviour != m->behaviour || s->is_open != is_open)
		begin_behaviour(s, m->behaviour, is_open);
	translate_parts(s, m);
	n = find_nearest(s, length, s->workload->scale);
	score = s->score;
	score.nearest = n.cluster;
	score.distance = n.distance;
	score.cluster = n.distance <= SYT_CLUSTER_RADIUS ? n.cluster : NONE;
	score.norms = find_nearest(s, length, s->scale).cluster;
	score_work(s, m, &score);
	return score;
}

uint64_t *syt_workload_order(const struct syt_population *p)
{
	uint64_t *order = syt_store_alloc(p->nr_members, sizeof(*order));
	uint64_t *first = syt_calloc((size_t)p->nr_behaviours + 1, sizeof(*first));

	for (uint32_t i = 0; i < p->nr_behaviours; i++)
		first[i + 1] = first[i] + p->behaviours[i].count;
	for (uint64_t i = 0; i < p->nr_members; i++)
		order[first[p->members[i].behaviour]++] = i;
	free(first);
	return order;
}
