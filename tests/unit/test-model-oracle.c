/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Compares models with an exhaustive search that shares no idea with the miner. The search lists all connected sets of
 * nodes of a tiny graph, compares them by trying permutations, and counts disjoint occurrences greedily. It replaces the
 * pattern that covers the most nodes by single nodes, and repeats.
 *
 * If each label belongs to one planted pattern, the model must equal the result of the search. In random graphs, each
 * shape must occur disjointly as often as the model reports. Renumbered threads may not change a model.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "decoder/model/model.h"
#include "tests/lib/random.h"

#define MOST_LEAVES 2000u
#define MOST_THREADS 6u
#define NR_LABELS 48u
#define TINY 12u

static const uint8_t kinds[] = {SYT_EDGE_STREAM, SYT_EDGE_HANDOFF, SYT_ARC_CONNECTION};

/* ---- graphs ---- */

/* A leaf, in the order of time. */
struct leaf {
	uint32_t label, thread;
	int start; /* an earlier leaf, or -1 */
	uint8_t kind;
};

struct graph {
	uint32_t nr, nr_inner;
	struct leaf leaves[MOST_LEAVES];
	struct syt_model_inner inner[MOST_LEAVES];
	int latest[MOST_THREADS]; /* latest leaf of each thread, or -1 */
};

/* Returns the number of graphs: NR, or more in the long form. */
static uint32_t many(uint32_t nr)
{
	return getenv("SYNTRACE_TEST_LONG") ? 25 * nr : nr;
}

static struct graph *graph_create(void)
{
	struct graph *g = calloc(1, sizeof(*g));

	for (unsigned i = 0; i < MOST_THREADS; i++)
		g->latest[i] = -1;
	return g;
}

static int put(struct graph *g, uint32_t label, uint32_t thread, int start, uint8_t kind)
{
	assert_true(g->nr < MOST_LEAVES);
	g->leaves[g->nr] = (struct leaf){label, thread, start, kind};
	g->latest[thread] = (int)g->nr;
	return (int)g->nr++;
}

/* Fills IN with G. The thread T gets the number RENAMED[T], NUMBER[i] is the number of the leaf i. */
static void input_open(struct syt_model_input *in, const struct graph *g, const uint32_t *renamed,
                       uint32_t *number, unsigned nr_workers)
{
	uint32_t nr = 0;

	*in = (struct syt_model_input){.nr_leaves = g->nr,
	                               .nr_labels = NR_LABELS,
	                               .nr_threads = MOST_THREADS,
	                               .nr_inner = g->nr_inner,
	                               .nr_workers = nr_workers};
	in->leaves = syt_store_alloc(g->nr, sizeof(*in->leaves));
	in->inner = syt_store_alloc(g->nr_inner, sizeof(*in->inner));
	in->labels = calloc(NR_LABELS, sizeof(*in->labels));
	in->roles = calloc(MOST_THREADS, sizeof(*in->roles));
	for (uint32_t i = 0; i < NR_LABELS; i++) {
		char text[40];

		snprintf(text, sizeof(text), "prog: run;step_%02u;lock", i);
		in->labels[i].text = strdup(text);
		in->labels[i].turn = SYT_TURN_OTHER;
		in->labels[i].nr_joined = i % 3;
	}
	for (uint32_t thread = 0; thread < MOST_THREADS; thread++) {
		for (uint32_t i = 0; i < g->nr; i++)
			if (renamed[g->leaves[i].thread] == thread)
				number[i] = nr++;
	}
	for (uint32_t i = 0; i < MOST_THREADS; i++)
		in->roles[renamed[i]] = i % 2;
	for (uint32_t i = 0; i < g->nr; i++) {
		const struct leaf *l = &g->leaves[i];

		in->leaves[number[i]] = (struct syt_model_leaf){
			.label = l->label,
			.thread = renamed[l->thread],
			.start = l->start < 0 ? SYT_NONE : number[l->start],
			.kind = l->kind,
		};
	}
	for (uint32_t i = 0; i < g->nr_inner; i++) {
		in->inner[i] = g->inner[i];
		in->inner[i].from = number[g->inner[i].from];
		in->inner[i].to = number[g->inner[i].to];
	}
}

static void input_close(struct syt_model_input *in)
{
	for (uint32_t i = 0; i < in->nr_labels; i++)
		free((char *)in->labels[i].text);
	syt_model_input_close(in);
}

static void shuffle(struct syt_random *r, uint32_t *numbers, uint32_t nr)
{
	for (uint32_t i = 0; i < nr; i++)
		numbers[i] = i;
	for (uint32_t i = nr; i > 1; i--) {
		uint32_t other = (uint32_t)syt_random_below(r, i), kept = numbers[i - 1];

		numbers[i - 1] = numbers[other];
		numbers[other] = kept;
	}
}

/* ---- the exhaustive search ---- */

typedef uint32_t set; /* of nodes, or of leaves */

struct node {
	uint32_t label;
	int parent;
	uint8_t kind;
	set leaves;
};

struct search {
	uint32_t nr;
	struct node nodes[TINY];
};

static bool has(set s, uint32_t node)
{
	return s >> node & 1;
}

/* Returns true if each node of S can be reached from each other one by arcs inside of S, in any direction. */
static bool is_connected(const struct search *g, set s)
{
	set seen = s & (~s + 1), before;

	do {
		before = seen;
		for (uint32_t i = 0; i < g->nr; i++) {
			int parent = g->nodes[i].parent;

			if (!has(s, i) || parent < 0 || !has(s, (uint32_t)parent))
				continue;
			if (has(seen, i) || has(seen, (uint32_t)parent))
				seen |= 1u << i | 1u << parent;
		}
	} while (seen != before);
	return seen == s;
}

/* Returns true if TO maps each arc between the NR nodes FROM to an arc of the same kind. */
static bool is_map(const struct search *g, const uint32_t *from, const uint32_t *to, uint32_t nr)
{
	for (uint32_t i = 0; i < nr; i++) {
		for (uint32_t k = 0; k < nr; k++) {
			bool is_arc = g->nodes[from[i]].parent == (int)from[k];

			if (is_arc != (g->nodes[to[i]].parent == (int)to[k]) ||
			    (is_arc && g->nodes[from[i]].kind != g->nodes[to[i]].kind))
				return false;
		}
	}
	return true;
}

/* Permutes TO from the position AT on, with equal labels at each position, until TO is a map. */
static bool permute(const struct search *g, const uint32_t *from, uint32_t *to, uint32_t nr,
                    uint32_t at)
{
	if (at == nr)
		return is_map(g, from, to, nr);
	for (uint32_t i = at; i < nr; i++) {
		uint32_t kept = to[at];
		bool is_found;

		if (g->nodes[to[i]].label != g->nodes[from[at]].label)
			continue;
		to[at] = to[i];
		to[i] = kept;
		is_found = permute(g, from, to, nr, at + 1);
		to[i] = to[at];
		to[at] = kept;
		if (is_found)
			return true;
	}
	return false;
}

static bool is_isomorphic(const struct search *g, set a, set b)
{
	uint32_t from[TINY], to[TINY], nr_from = 0, nr_to = 0;

	for (uint32_t i = 0; i < g->nr; i++) {
		if (has(a, i))
			from[nr_from++] = i;
		if (has(b, i))
			to[nr_to++] = i;
	}
	return nr_from == nr_to && permute(g, from, to, nr_from, 0);
}

/* Makes one node with LABEL of each of the NR disjoint connected sets ALL. */
static void replace(struct search *g, const set *all, uint32_t nr, uint32_t label)
{
	struct search new = {.nr = 0};
	uint32_t number[TINY];

	for (uint32_t i = 0; i < g->nr; i++) {
		const struct node *n = &g->nodes[i];
		set mine = 1u << i;

		for (uint32_t k = 0; k < nr; k++)
			if (has(all[k], i))
				mine = all[k];
		/* parents have lower numbers: the root of a set is its first node */
		if (n->parent >= 0 && has(mine, (uint32_t)n->parent)) {
			number[i] = number[n->parent];
			new.nodes[number[i]].leaves |= n->leaves;
			continue;
		}
		number[i] = new.nr;
		new.nodes[new.nr++] = (struct node){
			.label = mine == 1u << i ? n->label : label,
			.parent = n->parent < 0 ? -1 : (int)number[n->parent],
			.kind = n->kind,
			.leaves = n->leaves,
		};
	}
	*g = new;
}

/* Replaces the pattern that covers the most nodes, of several the largest, until no pattern occurs LEAST times. */
static void search(struct search *g, uint32_t least)
{
	set *sets = calloc(1u << TINY, sizeof(*sets));

	for (uint32_t label = NR_LABELS;; label++) {
		set found[TINY], best[TINY];
		uint32_t nr_sets = 0, nr_best = 0, covered = 0, size_best = 0;

		for (set s = 1; s < 1u << g->nr; s++)
			if ((s & (s - 1)) && is_connected(g, s))
				sets[nr_sets++] = s;
		for (uint32_t i = 0; i < nr_sets; i++) {
			uint32_t size = (uint32_t)__builtin_popcount(sets[i]), nr = 0;
			set used = 0;

			for (uint32_t k = 0; k < nr_sets; k++) {
				if (sets[k] & used || !is_isomorphic(g, sets[i], sets[k]))
					continue;
				used |= sets[k];
				found[nr++] = sets[k];
			}
			if (nr < least || nr * size < covered ||
			    (nr * size == covered && size <= size_best))
				continue;
			covered = nr * size;
			size_best = size;
			nr_best = nr;
			memcpy(best, found, sizeof(best));
		}
		if (!nr_best)
			break;
		replace(g, best, nr_best, label);
	}
	free(sets);
}

static struct search search_of(const struct graph *g)
{
	struct search s = {.nr = g->nr};

	for (uint32_t i = 0; i < g->nr; i++)
		s.nodes[i] = (struct node){.label = g->leaves[i].label,
		                           .parent = g->leaves[i].start,
		                           .kind = g->leaves[i].kind,
		                           .leaves = 1u << i};
	return s;
}

/* ---- models ---- */

/* Returns the set of leaves of the graph below NODE. */
static set leaves_below(const struct syt_model *m, uint32_t node, const uint32_t *number,
                        uint32_t nr)
{
	struct syt_model_walk w = syt_model_walk_of(node);
	set s = 0;

	for (uint32_t n; (n = syt_model_walk_next(m, &w)) != SYT_NONE;)
		for (uint32_t i = 0; i < nr; i++)
			if (number[i] == n)
				s |= 1u << i;
	return s;
}

/* The sums of a model over the trace: each leaf is in one top node; parts, rest and joined points add up. */
static void check_sums(const struct syt_model *m)
{
	const struct syt_model_input *in = m->in;
	uint32_t *nr_above = calloc(in->nr_leaves, sizeof(*nr_above));
	uint64_t nr_parts = 0, nr_rest = 0, nr_joined = 0, nr_instances = 0, nr_in_tasks = 0;

	for (uint32_t i = in->nr_leaves; i < m->nr_nodes; i++)
		for (uint32_t n = m->first_member[i - in->nr_leaves]; n < m->first_member[i - in->nr_leaves + 1]; n++)
			assert_int_equal(m->up[m->members[n]], i);
	for (uint32_t n = 0; n < m->nr_nodes; n++) {
		struct syt_model_walk w = syt_model_walk_of(n);

		if (m->up[n] != SYT_NONE)
			continue;
		for (uint32_t below; (below = syt_model_walk_next(m, &w)) != SYT_NONE;) {
			if (!syt_model_is_leaf(m, below))
				continue;
			nr_above[below]++;
			nr_in_tasks += below != n;
		}
	}
	for (uint32_t i = 0; i < in->nr_leaves; i++)
		assert_int_equal(nr_above[i], 1);
	for (uint32_t i = 0; i < m->nr_parts; i++)
		nr_parts += m->parts[i].what.is_task ? 0 : m->parts[i].count;
	for (uint32_t i = 0; i < m->nr_rest; i++)
		nr_rest += m->rest[i].count;
	for (uint32_t i = 0; i < in->nr_labels; i++)
		nr_joined += in->labels[i].nr_joined;
	for (uint32_t i = 0; i < m->nr_joined; i++)
		nr_joined -= m->joined[i].count;
	for (uint32_t i = 0; i < m->nr_tasks; i++)
		nr_instances += m->tasks[i].count;
	assert_int_equal(nr_parts + nr_rest, in->nr_leaves);
	assert_int_equal(nr_in_tasks, m->nr_in_tasks);
	assert_int_equal(nr_parts, nr_in_tasks);
	assert_int_equal(nr_joined, 0);
	assert_int_equal(nr_instances, m->nr_nodes - in->nr_leaves);
	free(nr_above);
}

/* Prints M without any number of a leaf or thread. */
static char *text_of(const struct syt_model *m)
{
	char *text;
	size_t bytes;
	FILE *f = open_memstream(&text, &bytes);

	for (uint32_t i = 0; i < m->nr_tasks; i++) {
		const struct syt_model_task *t = &m->tasks[i];

		fprintf(f,
		        "%s: layer %u, %lu of %lu on top, %lu leaves, %u shapes, %u threads, %s\n",
		        t->name, t->layer, (unsigned long)t->nr_top, (unsigned long)t->count,
		        (unsigned long)t->nr_leaf_tasks, t->nr_shapes, t->nr_threads,
		        m->in->labels[t->root].text);
	}
	for (uint32_t i = 0; i < m->nr_parts; i++) {
		const struct syt_model_part *p = &m->parts[i];

		fprintf(f, "%u %s %lu %lu..%lu %d\n", p->task, syt_model_part_text(m, p->what),
		        (unsigned long)p->count, (unsigned long)p->least, (unsigned long)p->most,
		        p->is_root);
	}
	for (uint32_t i = 0; i < m->nr_arcs; i++) {
		const struct syt_model_arc *a = &m->arcs[i];

		fprintf(f, "%d %s -> %s %u %d%d%d %lu\n", (int)a->task,
		        syt_model_part_text(m, a->from), syt_model_part_text(m, a->to), a->kind,
		        a->is_start, a->is_inferred, a->is_across, (unsigned long)a->count);
	}
	for (uint32_t i = 0; i < m->nr_rest; i++)
		fprintf(f, "rest %s %lu\n", m->in->labels[m->rest[i].label].text,
		        (unsigned long)m->rest[i].count);
	fclose(f);
	return text;
}

/* ---- tests ---- */

/* A tree of labels that occur in no other pattern. */
struct pattern {
	uint32_t size, label[5], parent[5];
	uint8_t kind[5];
};

static struct pattern pattern_of(struct syt_random *r, uint32_t first_label)
{
	struct pattern p = {.size = 2 + (uint32_t)syt_random_below(r, 4)};

	for (uint32_t i = 0; i < p.size; i++) {
		p.label[i] = first_label + i;
		p.parent[i] = i ? (uint32_t)syt_random_below(r, i) : 0;
		p.kind[i] = syt_random_below(r, 2) ? SYT_EDGE_PROGRAM
		                                   : kinds[syt_random_below(r, sizeof(kinds))];
	}
	return p;
}

/* Adds an occurrence of P. A part that starts by the order of the program runs in the thread of its start. */
static void plant(struct graph *g, struct syt_random *r, const struct pattern *p, int start)
{
	int at[5];

	for (uint32_t i = 0; i < p->size; i++) {
		bool is_next = i && p->kind[i] == SYT_EDGE_PROGRAM;
		uint32_t thread = is_next ? g->leaves[at[p->parent[i]]].thread
		                          : (uint32_t)syt_random_below(r, MOST_THREADS);

		at[i] = put(g, p->label[i], thread, i ? at[p->parent[i]] : start,
		            i ? p->kind[i] : SYT_EDGE_PROGRAM);
	}
}

/* Plants two or three patterns at least twice each, in the order of chance; some begin after noise. */
static void plant_tiny(struct graph *g, struct syt_random *r)
{
	struct pattern patterns[3];
	uint32_t nr = 0, left[3], noise = 40;

	for (uint32_t room = TINY; nr < 3; nr++) {
		patterns[nr] = pattern_of(r, nr * 8);
		if (2 * patterns[nr].size > room)
			break;
		left[nr] = 2 + (uint32_t)(room >= 3 * patterns[nr].size && syt_random_below(r, 2));
		room -= left[nr] * patterns[nr].size;
	}
	for (uint32_t total = 1; total;) {
		uint32_t i = (uint32_t)syt_random_below(r, nr), used = 0;

		total = 0;
		for (uint32_t k = 0; k < nr; k++) {
			total += left[k];
			used += left[k] * patterns[k].size;
		}
		if (!left[i])
			continue;
		int start = -1;
		if (g->nr + used < TINY && syt_random_below(r, 2)) /* a label that occurs once */
			start = put(g, noise++, (uint32_t)syt_random_below(r, MOST_THREADS), -1,
			            SYT_EDGE_PROGRAM);
		plant(g, r, &patterns[i], start);
		left[i]--;
	}
}

static void test_planted(void **state)
{
	struct syt_random r = {101};
	uint32_t nr_graphs = 0;

	(void)state;
	for (uint32_t run = 0; run < many(2000); run++) {
		struct syt_model_options options = {.least = 2};
		uint32_t renamed[MOST_THREADS], number[TINY], nr_patterns = 0, nr_top = 0;
		struct graph *g = graph_create();
		struct syt_model_input in;
		struct syt_model m;
		struct search s;

		shuffle(&r, renamed, MOST_THREADS);
		plant_tiny(g, &r);
		input_open(&in, g, renamed, number, 1);
		assert_int_equal(syt_model_open(&m, &in, &options), 0);
		check_sums(&m);
		s = search_of(g);
		search(&s, options.least);
		for (uint32_t n = in.nr_leaves; n < m.nr_nodes; n++) {
			set leaves = leaves_below(&m, n, number, g->nr);
			bool is_found = false;

			if (m.up[n] != SYT_NONE)
				continue;
			for (uint32_t i = 0; i < s.nr; i++)
				is_found |= s.nodes[i].leaves == leaves;
			if (!is_found)
				print_error("graph %u: the search does not find %x\n%s", run,
				            leaves, text_of(&m));
			assert_true(is_found);
			nr_top++;
		}
		for (uint32_t i = 0; i < s.nr; i++)
			nr_patterns += (s.nodes[i].leaves & (s.nodes[i].leaves - 1)) != 0;
		if (nr_top != nr_patterns)
			print_error("graph %u: %u instances, the search finds %u\n%s", run, nr_top,
			            nr_patterns, text_of(&m));
		assert_int_equal(nr_top, nr_patterns);
		nr_graphs += nr_top > 0;
		syt_model_close(&m);
		input_close(&in);
		free(g);
	}
	assert_int_equal(nr_graphs, many(2000));
}

/* Adds NR leaves with NR_OF labels and any starts and inner arcs. */
static void put_random(struct graph *g, struct syt_random *r, uint32_t nr, uint32_t nr_of)
{
	for (uint32_t i = 0; i < nr; i++) {
		uint32_t thread = (uint32_t)syt_random_below(r, MOST_THREADS);
		uint32_t label = (uint32_t)syt_random_below(r, nr_of);

		if (g->nr && syt_random_below(r, 3) == 0)
			put(g, label, thread, (int)syt_random_below(r, g->nr),
			    kinds[syt_random_below(r, sizeof(kinds))]);
		else
			put(g, label, thread, syt_random_below(r, 8) ? g->latest[thread] : -1,
			    SYT_EDGE_PROGRAM);
		if (g->nr > 1 && syt_random_below(r, 6) == 0)
			g->inner[g->nr_inner++] = (struct syt_model_inner){
				.from = (uint32_t)syt_random_below(r, g->nr - 1),
				.to = g->nr - 1,
				.kind = SYT_EDGE_STREAM,
			};
	}
}

/* Returns the number of inner arcs inside of S, for each pair of labels. */
static void count_inner(const struct graph *g, set s, uint8_t counts[8][8])
{
	memset(counts, 0, 64);
	for (uint32_t i = 0; i < g->nr_inner; i++)
		if (has(s, g->inner[i].from) && has(s, g->inner[i].to))
			counts[g->leaves[g->inner[i].from].label]
			      [g->leaves[g->inner[i].to].label]++;
}

static void test_shapes(void **state)
{
	struct syt_random r = {102};
	uint32_t nr_same = 0, nr_other = 0;

	(void)state;
	for (uint32_t run = 0; run < many(4000); run++) {
		struct syt_model_options options = {.least = 2};
		uint32_t renamed[MOST_THREADS], number[TINY];
		struct graph *g = graph_create();
		struct syt_model_input in;
		struct syt_model m;
		struct search s;

		shuffle(&r, renamed, MOST_THREADS);
		put_random(g, &r, TINY, 2 + (uint32_t)syt_random_below(&r, 3));
		input_open(&in, g, renamed, number, 1);
		assert_int_equal(syt_model_open(&m, &in, &options), 0);
		check_sums(&m);
		s = search_of(g);
		for (uint32_t a = in.nr_leaves; a < m.nr_nodes; a++) {
			for (uint32_t b = a + 1; b < m.nr_nodes; b++) {
				set leaves_a = leaves_below(&m, a, number, g->nr);
				set leaves_b = leaves_below(&m, b, number, g->nr);
				uint8_t inner_a[8][8], inner_b[8][8];
				bool is_same =
					m.shape[a - in.nr_leaves] == m.shape[b - in.nr_leaves];

				if (m.task_of[a - in.nr_leaves] != m.task_of[b - in.nr_leaves])
					continue;
				assert_int_equal(leaves_a & leaves_b, 0);
				count_inner(g, leaves_a, inner_a);
				count_inner(g, leaves_b, inner_b);
				if (is_same && (!is_isomorphic(&s, leaves_a, leaves_b) ||
				                memcmp(inner_a, inner_b, 64)))
					print_error("graph %u: %x and %x have one shape\n%s", run,
					            leaves_a, leaves_b, text_of(&m));
				if (is_same) {
					assert_true(is_isomorphic(&s, leaves_a, leaves_b));
					assert_memory_equal(inner_a, inner_b, 64);
				}
				nr_same += is_same;
				nr_other += !is_same;
			}
		}
		syt_model_close(&m);
		input_close(&in);
		free(g);
	}
	assert_true(nr_same > 1000 && nr_other > 100);
}

/* Renumbered threads and another number of workers do not change the model. */
static void test_numbers(void **state)
{
	struct syt_random r = {103};
	uint64_t nr_tasks = 0;

	(void)state;
	for (uint32_t run = 0; run < many(200); run++) {
		struct graph *g = graph_create();
		struct pattern patterns[4];
		char *first = NULL;

		for (uint32_t i = 0; i < 4; i++)
			patterns[i] = pattern_of(&r, 8 + i * 8);
		while (g->nr + 20 < MOST_LEAVES / 4) {
			uint32_t thread = (uint32_t)syt_random_below(&r, MOST_THREADS);

			plant(g, &r, &patterns[syt_random_below(&r, 4)], g->latest[thread]);
			if (syt_random_below(&r, 4) == 0)
				put_random(g, &r, 3, 8);
		}
		for (unsigned i = 0; i < 4; i++) {
			struct syt_model_options options = {.least = SYT_MODEL_LEAST};
			uint32_t renamed[MOST_THREADS], number[MOST_LEAVES];
			struct syt_model_input in;
			struct syt_model m;
			char *text;

			shuffle(&r, renamed, MOST_THREADS);
			input_open(&in, g, renamed, number, 1 + i);
			assert_int_equal(syt_model_open(&m, &in, &options), 0);
			check_sums(&m);
			text = text_of(&m);
			if (!first)
				first = strdup(text);
			assert_string_equal(text, first);
			nr_tasks += m.nr_tasks;
			free(text);
			syt_model_close(&m);
			input_close(&in);
		}
		free(first);
		free(g);
	}
	assert_true(nr_tasks > 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_planted),
		cmocka_unit_test(test_shapes),
		cmocka_unit_test(test_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
