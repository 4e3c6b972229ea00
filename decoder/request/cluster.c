/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * The clustering processes pairs: requests with the same behaviour and the same log2 buckets of work. Every order and every
 * selection depends on the contents of the requests only, so other numbers of symbols, components, behaviours and members
 * give the same clusters.
 */
#include "decoder/request/cluster.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/err.h"
#include "base/sort.h"
#include "base/store.h"
#include "decoder/request/member.h"
#include "decoder/request/merge.h"
#include "decoder/request/nearest.h"

#define MOST_CANDIDATES 64u        /* members of a cluster among which the medoid is chosen */
#define FAR 0.5                    /* a medoid does not distinguish larger distances */
#define FINE_RADIUS 0.0625         /* of clusters that are to be merged */
#define MOST_FINE 1000u            /* clusters that are to be merged */
#define MOST_COORDINATES 16777216u /* of all clusters that are to be merged */

struct pair {
	uint64_t count;
	uint64_t member; /* of the pair: the one with the lowest hash */
	uint64_t hash;   /* of `member` */
	uint32_t cluster;
	uint32_t is_fixed; /* contains the medoid of its cluster */
};

struct clustering {
	const struct syt_population *p;
	struct syt_clusters *result;
	struct syt_member_hashes hashes;
	uint32_t nr;
	size_t room;
	struct pair *pairs;
	uint32_t *rank;  /* [behaviour]: its position in the order of syt_behaviour_compare() */
	uint32_t *order; /* pairs, most frequent first */
	struct syt_centres centres; /* [cluster]: its leader, then its medoid */
	uint64_t *centre_members;   /* [cluster] */
	size_t room_centre_members;
};

/* ---- pairs ---- */

static unsigned log2_bucket(uint64_t amount)
{
	if (amount == SYT_AMOUNT_UNKNOWN)
		return 65;
	return amount ? 64u - (unsigned)__builtin_clzll(amount) : 0;
}

static uint32_t hash_buckets(const struct syt_population *p, uint64_t member)
{
	const struct syt_member *m = &p->members[member];
	uint64_t sum = m->behaviour;

	for (uint64_t i = m->first_part; i < m->first_part + m->nr_parts; i++)
		for (unsigned r = 0; r < SYT_NR_RESOURCES; r++) {
			uint64_t at = (uint64_t)p->parts[i].component * SYT_NR_RESOURCES + r;
			unsigned bucket = log2_bucket(p->parts[i].amounts[r]);

			if (bucket)
				sum += syt_mix_bits(at * 128 + bucket);
		}
	return (uint32_t)syt_mix_bits(sum);
}

static bool is_same_pair(const struct syt_population *p, uint64_t a, uint64_t b)
{
	struct syt_work_pair w = syt_work_pair(p, a, b);

	if (p->members[a].behaviour != p->members[b].behaviour)
		return false;
	while (syt_work_pair_next(&w))
		for (unsigned r = 0; r < SYT_NR_RESOURCES; r++)
			if (log2_bucket(w.amounts_a[r]) != log2_bucket(w.amounts_b[r]))
				return false;
	return true;
}

static void add_to_pair(struct pair *pair, uint64_t member, uint64_t hash)
{
	pair->count++;
	if (hash < pair->hash) {
		pair->hash = hash;
		pair->member = member;
	}
}

/* Finds the pairs. Then of[member] is the pair of the member. */
static void find_pairs(struct clustering *c)
{
	const struct syt_population *p = c->p;
	struct syt_hash index = {.nr = 0};

	SYT_EACH_FAR(i, (uint64_t)0, p->nr_members) {
		uint32_t key = hash_buckets(p, i);
		uint32_t n = SYT_HASH_FIND(&index, key, k, is_same_pair(p, c->pairs[k].member, i));

		if (n == SYT_HASH_NONE) {
			*SYT_STORE_ADD(c->pairs, c->nr, c->room) =
				(struct pair){.member = i, .hash = UINT64_MAX};
			n = syt_hash_add(&index, key, c->nr - 1);
		}
		add_to_pair(&c->pairs[n], i, syt_member_hash(&c->hashes, p, i));
		c->result->of[i] = n;
	}
	syt_hash_close(&index);
}

static int compare_behaviours(const void *a, const void *b, void *context)
{
	return syt_behaviour_compare(context, *(const uint32_t *)a, *(const uint32_t *)b);
}

static void rank_behaviours(struct clustering *c)
{
	const uint32_t nr = c->p->nr_behaviours;
	uint32_t *sorted = syt_store_alloc(nr, sizeof(*sorted));

	for (uint32_t i = 0; i < nr; i++)
		sorted[i] = i;
	syt_sort_with(sorted, nr, sizeof(*sorted), compare_behaviours, (void *)(uintptr_t)c->p);
	c->rank = syt_store_alloc(nr, sizeof(*c->rank));
	for (uint32_t i = 0; i < nr; i++)
		c->rank[sorted[i]] = i;
	syt_store_free(sorted);
}

/* Compares two members by behaviour, then by work. */
static int compare_members(const struct clustering *c, uint64_t a, uint64_t b)
{
	SYT_ORDER(c->rank[c->p->members[a].behaviour], c->rank[c->p->members[b].behaviour]);
	return syt_work_compare(c->p, a, b);
}

static int compare_pairs(const void *a_, const void *b_, void *context)
{
	const struct clustering *c = context;
	const struct pair *a = &c->pairs[*(const uint32_t *)a_],
			  *b = &c->pairs[*(const uint32_t *)b_];

	SYT_ORDER(b->count, a->count);
	return compare_members(c, a->member, b->member);
}

static void order_pairs(struct clustering *c)
{
	c->order = syt_store_alloc(c->nr, sizeof(*c->order));
	for (uint32_t i = 0; i < c->nr; i++)
		c->order[i] = i;
	syt_sort_with(c->order, c->nr, sizeof(*c->order), compare_pairs, c);
}

/* ---- leaders ---- */

static void add_centre(struct clustering *c, const struct syt_point *point, uint64_t member)
{
	uint32_t nr = c->centres.nr;

	*SYT_ADD(c->centre_members, nr, c->room_centre_members) = member;
	syt_centres_add(&c->centres, point);
}

/* Finds the leaders for RADIUS. Returns false if there are more than MOST. */
static bool find_leaders(struct clustering *c, double radius, uint32_t most)
{
	syt_centres_open(&c->centres, c->p, c->result->scale);
	SYT_EACH_FAR(i, (uint32_t)0, c->nr) {
		struct pair *pair = &c->pairs[c->order[i]];
		double distance = radius;
		struct syt_point point;

		syt_point_open(&point, c->p, c->result->scale, pair->member);
		pair->cluster = syt_centres_nearest(&c->centres, &point, SYT_HASH_NONE, &distance);
		if (pair->cluster == SYT_HASH_NONE) {
			pair->cluster = c->centres.nr;
			add_centre(c, &point, pair->member);
		} else {
			syt_point_close(&point);
		}
		if (c->centres.nr > most)
			return false;
	}
	return true;
}

/* ---- medoids ---- */

struct hashed_member {
	uint64_t hash, member;
};

static int compare_hashed(const void *a_, const void *b_, void *context)
{
	const struct hashed_member *a = a_, *b = b_;

	SYT_ORDER_BY(hash);
	return compare_members(context, a->member, b->member);
}

/* Returns the members of NR clusters. FIRST[cluster] becomes the index of the cluster's first member. */
static struct hashed_member *list_members(const struct clustering *c, uint32_t nr, uint64_t *first)
{
	struct hashed_member *all = syt_store_alloc(c->p->nr_members, sizeof(*all));

	for (uint32_t i = 0; i < c->nr; i++)
		first[c->pairs[i].cluster + 1] += c->pairs[i].count;
	for (uint32_t i = 0; i < nr; i++)
		first[i + 1] += first[i];
	SYT_EACH_FAR(i, (uint64_t)0, c->p->nr_members) {
		uint64_t *next = &first[c->pairs[c->result->of[i]].cluster];

		all[(*next)++] = (struct hashed_member){syt_member_hash(&c->hashes, c->p, i), i};
	}
	memmove(first + 1, first, nr * sizeof(*first));
	first[0] = 0;
	return all;
}

/* Returns the candidate with the lowest sum of distances to all candidates. */
static uint32_t find_medoid(const struct clustering *c, const struct syt_point *points, uint32_t nr)
{
	double sums[MOST_CANDIDATES] = {0};
	uint32_t best = 0;

	for (uint32_t i = 0; i < nr; i++)
		for (uint32_t k = 0; k < i; k++) {
			double d = syt_point_distance(&points[i], &points[k],
			                              c->centres.nr_dimensions, FAR, 0);

			d = d > FAR ? FAR : d;
			sums[i] += d;
			sums[k] += d;
		}
	for (uint32_t i = 1; i < nr; i++)
		if (sums[i] < sums[best])
			best = i;
	return best;
}

/* Returns the medoid of the cluster with the NR members ALL. The candidates are evenly distributed over the members in the
 * order of their hashes. Equal members thus are candidates as often as they occur. */
static uint64_t choose_medoid(struct clustering *c, struct hashed_member *all, uint64_t nr)
{
	const uint32_t nr_candidates = nr < MOST_CANDIDATES ? (uint32_t)nr : MOST_CANDIDATES;
	struct hashed_member candidates[MOST_CANDIDATES];
	struct syt_point points[MOST_CANDIDATES];
	uint32_t best;

	syt_sort_with(all, nr, sizeof(*all), compare_hashed, c);
	for (uint32_t i = 0; i < nr_candidates; i++) {
		candidates[i] = all[(2 * i + 1) * nr / (2 * nr_candidates)];
		syt_point_open(&points[i], c->p, c->result->scale, candidates[i].member);
	}
	best = find_medoid(c, points, nr_candidates);
	for (uint32_t i = 0; i < nr_candidates; i++)
		syt_point_close(&points[i]);
	return candidates[best].member;
}

/* Makes the medoids of the NR clusters the centres. */
static void find_medoids(struct clustering *c, uint32_t nr)
{
	uint64_t *first = syt_calloc((size_t)nr + 2, sizeof(*first));
	struct hashed_member *all = list_members(c, nr, first);

	for (uint32_t i = 0; i < nr; i++)
		c->centre_members[i] = choose_medoid(c, all + first[i], first[i + 1] - first[i]);
	syt_store_free(all);
	free(first);
	syt_centres_close(&c->centres);
	syt_centres_open(&c->centres, c->p, c->result->scale);
	for (uint32_t i = 0; i < nr; i++) {
		struct syt_point point;

		syt_point_open(&point, c->p, c->result->scale, c->centre_members[i]);
		syt_centres_add(&c->centres, &point);
		c->pairs[c->result->of[c->centre_members[i]]].is_fixed = 1;
	}
}

/* Assigns each pair to the nearest medoid. The pair of a medoid stays, so each cluster keeps its representative. */
static void assign_pairs(struct clustering *c)
{
	SYT_EACH_FAR(i, (uint32_t)0, c->nr) {
		struct pair *pair = &c->pairs[c->order[i]];
		struct syt_point point;
		double distance;

		if (pair->is_fixed)
			continue;
		syt_point_open(&point, c->p, c->result->scale, pair->member);
		distance = syt_point_distance(&point, &c->centres.all[pair->cluster],
		                              c->centres.nr_dimensions, HUGE_VAL, 0);
		pair->cluster = syt_centres_nearest(&c->centres, &point, pair->cluster, &distance);
		syt_point_close(&point);
	}
}

/* ---- few clusters ---- */

/* Finds the leaders of small clusters. A population with too many of them gets larger clusters. */
static void find_fine_leaders(struct clustering *c)
{
	const uint32_t nr_coordinates = c->p->components.nr * SYT_NR_RESOURCES + 1;
	uint32_t most = MOST_FINE;
	double radius = FINE_RADIUS;

	if (most > MOST_COORDINATES / nr_coordinates)
		most = MOST_COORDINATES / nr_coordinates + 1;
	while (!find_leaders(c, radius, most)) {
		syt_centres_close(&c->centres);
		radius *= 1.5;
	}
}

/* Merges the clusters until MOST are left. */
static void merge_clusters(struct clustering *c, uint32_t most)
{
	uint32_t *of = syt_store_alloc(c->p->nr_members, sizeof(*of));
	uint32_t *to = syt_calloc(c->centres.nr, sizeof(*to)), nr;

	SYT_EACH_FAR(i, (uint64_t)0, c->p->nr_members)
		of[i] = c->pairs[c->result->of[i]].cluster;
	nr = syt_merge_groups(c->p, of, c->centres.nr, c->centre_members, most, to);
	for (uint32_t i = 0; i < c->nr; i++)
		c->pairs[i].cluster = to[c->pairs[i].cluster];
	find_medoids(c, nr);
	syt_store_free(of);
	free(to);
}

/* ---- result ---- */

static int compare_clusters(const void *a_, const void *b_, void *context)
{
	const struct syt_cluster *a = a_, *b = b_;

	SYT_ORDER(b->count, a->count);
	return compare_members(context, a->representative, b->representative);
}

/* Sorts the clusters, and sets the cluster of each member. */
static void store_clusters(struct clustering *c)
{
	struct syt_clusters *result = c->result;
	uint32_t *number = syt_calloc(c->centres.nr, sizeof(*number));

	result->nr = c->centres.nr;
	result->all = syt_calloc(result->nr, sizeof(*result->all));
	for (uint32_t i = 0; i < result->nr; i++)
		result->all[i].representative = c->centre_members[i];
	for (uint32_t i = 0; i < c->nr; i++)
		result->all[c->pairs[i].cluster].count += c->pairs[i].count;
	syt_sort_with(result->all, result->nr, sizeof(*result->all), compare_clusters, c);
	for (uint32_t i = 0; i < result->nr; i++)
		number[c->pairs[result->of[result->all[i].representative]].cluster] = i;
	SYT_EACH_FAR(i, (uint64_t)0, c->p->nr_members)
		result->of[i] = number[c->pairs[result->of[i]].cluster];
	free(number);
}

static void find_clusters(struct clustering *c, uint32_t most)
{
	if (most)
		find_fine_leaders(c);
	else
		find_leaders(c, SYT_CLUSTER_RADIUS, UINT32_MAX);
	find_medoids(c, c->centres.nr);
	assign_pairs(c);
	if (most)
		merge_clusters(c, most);
}

/* MOST: 0, or the number of clusters. */
static void open_clusters(struct syt_clusters *result, const struct syt_population *population,
                          uint32_t most)
{
	struct clustering c = {.p = population, .result = result};

	memset(result, 0, sizeof(*result));
	result->population = population;
	result->scale = syt_work_scale(population);
	result->of = syt_store_alloc(population->nr_members, sizeof(*result->of));
	syt_member_hashes_open(&c.hashes, population);
	find_pairs(&c);
	rank_behaviours(&c);
	order_pairs(&c);
	find_clusters(&c, most);
	store_clusters(&c);
	syt_centres_close(&c.centres);
	syt_member_hashes_close(&c.hashes);
	free(c.centre_members);
	syt_store_free(c.pairs);
	syt_store_free(c.rank);
	syt_store_free(c.order);
}

void syt_clusters_open(struct syt_clusters *c, const struct syt_population *population)
{
	open_clusters(c, population, 0);
}

void syt_clusters_open_few(struct syt_clusters *c, const struct syt_population *population,
                           uint32_t most)
{
	open_clusters(c, population, most);
}

void syt_clusters_close(struct syt_clusters *c)
{
	free(c->all);
	free(c->scale);
	syt_store_free(c->of);
	memset(c, 0, sizeof(*c));
}
