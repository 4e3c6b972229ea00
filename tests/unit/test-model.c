/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Compares the miner of task models with an exhaustive search on tiny graphs, and with planted tasks. Checks that the
 * numbers of threads have no influence, and that the counts add up. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "decoder/model/detour.h"
#include "decoder/model/model.h"
#include "tests/lib/random.h"

#define NR_LABELS 64u
#define TINY 12u
#define MOST_EVENTS 4096u
#define MOST_THREADS 8u

/* A leaf in the order of time, before leaves are numbered by thread. */
struct event {
	uint32_t label, thread;
	int start; /* index of an earlier event, or -1 */
	uint8_t kind;
};

struct graph {
	uint32_t nr;
	struct event all[MOST_EVENTS];
	int last[MOST_THREADS]; /* last event of each thread, or -1 */
};

static void clear(struct graph *g)
{
	g->nr = 0;
	for (unsigned i = 0; i < MOST_THREADS; i++)
		g->last[i] = -1;
}

static int add(struct graph *g, uint32_t label, uint32_t thread, int start, uint8_t kind)
{
	g->all[g->nr] = (struct event){label, thread, start, kind};
	g->last[thread] = (int)g->nr;
	return (int)g->nr++;
}

/* Makes the input of the miner. ORDER[thread] is the number of a thread; LEAF_OF[event] gets the number of a leaf. */
static struct syt_model_input input_of(const struct graph *g, const uint32_t *order,
                                       uint32_t *leaf_of)
{
	struct syt_model_input in = {.nr_labels = NR_LABELS, .nr_threads = MOST_THREADS};
	uint32_t nr = 0;

	in.leaves = syt_store_alloc(g->nr, sizeof(*in.leaves));
	in.labels = calloc(NR_LABELS, sizeof(*in.labels));
	in.roles = calloc(MOST_THREADS, sizeof(*in.roles));
	for (uint32_t i = 0; i < NR_LABELS; i++) {
		char *text = malloc(40);

		snprintf(text, 40, "p: main;f%02u;call%02u", i, i);
		in.labels[i].text = text;
		in.labels[i].turn = SYT_TURN_OTHER;
	}
	for (uint32_t thread = 0; thread < MOST_THREADS; thread++) {
		for (uint32_t i = 0; i < g->nr; i++) {
			if (order[g->all[i].thread] != thread)
				continue;
			in.leaves[nr] = (struct syt_model_leaf){
				.label = g->all[i].label, .thread = thread, .kind = g->all[i].kind};
			leaf_of[i] = nr++;
		}
	}
	in.nr_leaves = nr;
	for (uint32_t i = 0; i < g->nr; i++)
		in.leaves[leaf_of[i]].start =
			g->all[i].start < 0 ? SYT_NONE : leaf_of[g->all[i].start];
	return in;
}

/* Replaces the text of a label. */
static void set_label(struct syt_model_input *in, uint32_t label, const char *text)
{
	free((char *)in->labels[label].text);
	in->labels[label].text = strdup(text);
}

static void close_input(struct syt_model_input *in)
{
	for (uint32_t i = 0; i < in->nr_labels; i++)
		free((char *)in->labels[i].text);
	syt_model_input_close(in);
}

static const uint32_t identity[MOST_THREADS] = {0, 1, 2, 3, 4, 5, 6, 7};

/* ---- properties ---- */

/* Each leaf is below exactly one top node; the counts of parts and of the rest add up to the leaves. */
static void check_counts(const struct syt_model *m)
{
	uint8_t *seen = calloc(m->in->nr_leaves, 1);
	uint64_t sum = 0, in_tasks = 0;

	for (uint32_t node = 0; node < m->nr_nodes; node++) {
		struct syt_model_walk w = syt_model_walk_of(node);

		if (m->up[node] != SYT_NONE) {
			assert_true(m->up[node] > node);
			continue;
		}
		for (uint32_t n; (n = syt_model_walk_next(m, &w)) != SYT_NONE;)
			if (syt_model_is_leaf(m, n)) {
				assert_int_equal(seen[n]++, 0);
				in_tasks += !syt_model_is_leaf(m, node);
			}
	}
	for (uint32_t i = 0; i < m->in->nr_leaves; i++)
		assert_int_equal(seen[i], 1);
	for (uint32_t i = 0; i < m->nr_parts; i++) {
		const struct syt_model_part *p = &m->parts[i];

		sum += p->what.is_task ? 0 : p->count;
		assert_true(p->least <= p->most && p->count >= p->most);
		if (p->what.is_task)
			assert_true(m->tasks[p->what.number].layer < m->tasks[p->task].layer);
	}
	for (uint32_t i = 0; i < m->nr_rest; i++)
		sum += m->rest[i].count;
	assert_int_equal(sum, m->in->nr_leaves);
	assert_int_equal(in_tasks, m->nr_in_tasks);
	for (uint32_t i = 0; i < m->nr_tasks; i++)
		assert_true(m->tasks[i].count >= m->options.least);
	free(seen);
}

/* Returns a text of everything in the model that must not depend on numbers. */
static char *text_of(const struct syt_model *m)
{
	char *text;
	size_t bytes;
	FILE *f = open_memstream(&text, &bytes);

	for (uint32_t i = 0; i < m->nr_tasks; i++) {
		const struct syt_model_task *t = &m->tasks[i];

		fprintf(f, "task %s layer %u top %d/%u of %u leaves %u shapes %u threads %u\n",
		        t->name, t->layer, t->is_top, (unsigned)t->nr_top, (unsigned)t->count,
		        (unsigned)t->nr_leaf_tasks, t->nr_shapes, t->nr_threads);
		for (uint32_t k = t->first_part; k < t->first_part + t->nr_parts; k++)
			fprintf(f, " %s%s %u %u..%u%s\n", m->parts[k].what.is_task ? "@" : "",
			        syt_model_part_text(m, m->parts[k].what),
			        (unsigned)m->parts[k].count, (unsigned)m->parts[k].least,
			        (unsigned)m->parts[k].most, m->parts[k].is_root ? " root" : "");
	}
	for (uint32_t i = 0; i < m->nr_arcs; i++) {
		const struct syt_model_arc *a = &m->arcs[i];

		fprintf(f, "arc %s %s -> %s %u %u %u\n",
		        a->task == SYT_NONE ? "-" : m->tasks[a->task].name,
		        syt_model_part_text(m, a->from), syt_model_part_text(m, a->to), a->kind,
		        a->is_start, (unsigned)a->count);
	}
	for (uint32_t i = 0; i < m->nr_rest; i++)
		fprintf(f, "rest %u %u\n", m->rest[i].label, (unsigned)m->rest[i].count);
	fclose(f);
	return text;
}

/* ---- the exhaustive search ---- */

/* A graph of at most TINY nodes: parents, kinds and labels. */
struct tiny {
	uint32_t nr;
	int parent[TINY];
	uint32_t label[TINY];
	uint8_t kind[TINY];
	uint32_t leaves[TINY]; /* set of events in the node */
};

static bool is_connected(const struct tiny *t, uint32_t set)
{
	unsigned roots = 0;

	for (uint32_t i = 0; i < t->nr; i++)
		if (set >> i & 1)
			roots += t->parent[i] < 0 || !(set >> t->parent[i] & 1);
	return roots == 1; /* a set of nodes of a forest is connected if it has one root */
}

static bool is_root(const struct tiny *t, uint32_t set, uint32_t node)
{
	return t->parent[node] < 0 || !(set >> t->parent[node] & 1);
}

/* Tries all ways to map the nodes of the set A from FROM on to nodes of the set B that are not USED. */
static bool match(const struct tiny *t, uint32_t a, uint32_t b, uint32_t used, uint32_t from,
                  int *to)
{
	while (from < t->nr && !(a >> from & 1))
		from++;
	if (from == t->nr)
		return true;
	for (uint32_t k = 0; k < t->nr; k++) {
		if (!((b & ~used) >> k & 1) || t->label[from] != t->label[k] ||
		    is_root(t, a, from) != is_root(t, b, k))
			continue;
		/* parents have lower numbers than their children, so the parent is mapped already */
		if (!is_root(t, a, from) &&
		    (to[t->parent[from]] != t->parent[k] || t->kind[from] != t->kind[k]))
			continue;
		to[from] = (int)k;
		if (match(t, a, b, used | 1u << k, from + 1, to))
			return true;
	}
	return false;
}

static bool is_isomorphic(const struct tiny *t, uint32_t a, uint32_t b)
{
	int to[TINY];

	return __builtin_popcount(a) == __builtin_popcount(b) && match(t, a, b, 0, 0, to);
}

/* Finds disjoint occurrences of the pattern A among the sets, greedily. Returns their number. */
static unsigned occurrences(const struct tiny *t, const uint32_t *sets, unsigned nr, uint32_t a,
                            uint32_t *found)
{
	uint32_t used = 0;
	unsigned n = 0;

	for (unsigned i = 0; i < nr; i++) {
		if (sets[i] & used || !is_isomorphic(t, a, sets[i]))
			continue;
		found[n++] = sets[i];
		used |= sets[i];
	}
	return n;
}

/* Replaces each of the NR sets by one node with LABEL. */
static void contract(struct tiny *t, const uint32_t *sets, unsigned nr, uint32_t label)
{
	struct tiny new = {.nr = 0};
	int number[TINY];

	for (uint32_t i = 0; i < t->nr; i++) {
		uint32_t set = 1u << i;
		int parent = t->parent[i];

		for (unsigned k = 0; k < nr; k++)
			if (sets[k] >> i & 1)
				set = sets[k];
		if (!is_root(t, set, i)) {
			number[i] = number[parent];
			new.leaves[number[i]] |= t->leaves[i];
			continue;
		}
		number[i] = (int)new.nr;
		new.parent[new.nr] = parent < 0 ? -1 : number[parent];
		new.kind[new.nr] = t->kind[i];
		new.label[new.nr] = set == 1u << i ? t->label[i] : label;
		new.leaves[new.nr++] = t->leaves[i];
	}
	*t = new;
}

/* Replaces the pattern that covers the most nodes again and again. */
static void search(struct tiny *t)
{
	static uint32_t sets[1u << TINY];

	for (uint32_t label = NR_LABELS;; label++) {
		uint32_t found[TINY], best[TINY];
		unsigned nr = 0, nr_best = 0, most = 0;

		for (uint32_t set = 1; set < 1u << t->nr; set++)
			if (__builtin_popcount(set) > 1 && is_connected(t, set))
				sets[nr++] = set;
		for (unsigned i = 0; i < nr; i++) {
			unsigned n = occurrences(t, sets, nr, sets[i], found);
			unsigned covered = n * (unsigned)__builtin_popcount(sets[i]);

			if (n < 2 || covered <= most)
				continue;
			most = covered;
			nr_best = n;
			memcpy(best, found, sizeof(best));
		}
		if (!nr_best)
			return;
		contract(t, best, nr_best, label);
	}
}

static struct tiny tiny_of(const struct graph *g)
{
	struct tiny t = {.nr = g->nr};

	for (uint32_t i = 0; i < g->nr; i++) {
		t.parent[i] = g->all[i].start;
		t.label[i] = g->all[i].label;
		t.kind[i] = g->all[i].kind;
		t.leaves[i] = 1u << i;
	}
	return t;
}

/* Returns the set of events below NODE. */
static uint32_t events_of(const struct syt_model *m, uint32_t node, const uint32_t *leaf_of,
                          uint32_t nr)
{
	struct syt_model_walk w = syt_model_walk_of(node);
	uint32_t set = 0;

	for (uint32_t n; (n = syt_model_walk_next(m, &w)) != SYT_NONE;)
		for (uint32_t i = 0; i < nr; i++)
			if (syt_model_is_leaf(m, n) && leaf_of[i] == n)
				set |= 1u << i;
	return set;
}

/* Adds an instance of the pattern NUMBER, a tree of SIZE leaves with labels of its own. Two bits of SHAPE for each leaf
 * choose its parent; each leaf that continues no thread runs on another thread. */
static void plant(struct graph *g, unsigned number, unsigned size, uint64_t shape, int start)
{
	int events[8];
	uint32_t first = number * 8;

	events[0] = add(g, first, number * 2 % MOST_THREADS, start, SYT_EDGE_PROGRAM);
	for (unsigned i = 1; i < size; i++) {
		unsigned from = (unsigned)(shape >> 4 * i & 7) % i;
		bool is_next = from == i - 1 && shape >> (4 * i + 3) & 1;
		uint32_t thread = g->all[events[from]].thread;

		events[i] = add(g, first + i, is_next ? thread : thread ^ 1, events[from],
		                is_next ? SYT_EDGE_PROGRAM : SYT_EDGE_STREAM);
	}
}

static void test_exhaustive(void **state)
{
	struct syt_random r = {1};

	(void)state;
	for (unsigned run = 0; run < 3000; run++) {
		unsigned nr_patterns = 1 + (unsigned)syt_random_below(&r, 2), left;
		unsigned size[2] = {2 + (unsigned)syt_random_below(&r, 3), 2};
		uint64_t shape[2] = {syt_random_u64(&r), syt_random_u64(&r)};
		uint32_t leaf_of[TINY], found = 0;
		struct syt_model_options options = {.least = 2};
		struct syt_model_input in;
		struct syt_model m;
		struct graph g;
		struct tiny t;

		clear(&g);
		for (unsigned i = 0; i < nr_patterns; i++)
			for (unsigned n = 0; n < 2; n++)
				plant(&g, i, size[i], shape[i], -1);
		for (left = TINY - g.nr; left; left--) { /* more instances, or noise */
			unsigned i = (unsigned)syt_random_below(&r, nr_patterns + 1);

			if (i < nr_patterns && size[i] <= TINY - g.nr)
				plant(&g, i, size[i], shape[i], -1);
			else if (g.nr < TINY)
				add(&g, 32 + g.nr, 7, -1, SYT_EDGE_PROGRAM);
		}
		in = input_of(&g, identity, leaf_of);
		assert_int_equal(syt_model_open(&m, &in, &options), 0);
		check_counts(&m);
		t = tiny_of(&g);
		search(&t);
		for (uint32_t i = 0; i < t.nr; i++)
			found += __builtin_popcount(t.leaves[i]) > 1;
		for (uint32_t n = in.nr_leaves; n < m.nr_nodes; n++) {
			uint32_t set = events_of(&m, n, leaf_of, g.nr);
			bool is_found = false;

			if (m.up[n] != SYT_NONE)
				continue;
			for (uint32_t i = 0; i < t.nr; i++)
				is_found |= t.leaves[i] == set;
			assert_true(is_found);
			found--;
		}
		assert_int_equal(found, 0);
		syt_model_close(&m);
		close_input(&in);
	}
}

/* In any graph: instances of one shape are disjoint and isomorphic. */
static void test_shapes(void **state)
{
	struct syt_random r = {2};
	unsigned nr_pairs = 0;

	(void)state;
	for (unsigned run = 0; run < 5000; run++) {
		struct syt_model_options options = {.least = 2};
		uint32_t leaf_of[TINY];
		struct syt_model_input in;
		struct syt_model m;
		struct graph g;
		struct tiny t;

		clear(&g);
		for (unsigned i = 0; i < TINY; i++) {
			uint32_t thread = (uint32_t)syt_random_below(&r, 3);
			uint32_t label = (uint32_t)syt_random_below(&r, 4);
			int last = g.last[thread];

			if (i && syt_random_below(&r, 2))
				add(&g, label, thread, (int)syt_random_below(&r, i),
				    SYT_EDGE_STREAM);
			else
				add(&g, label, thread, last, SYT_EDGE_PROGRAM);
		}
		in = input_of(&g, identity, leaf_of);
		assert_int_equal(syt_model_open(&m, &in, &options), 0);
		check_counts(&m);
		t = tiny_of(&g);
		for (uint32_t a = in.nr_leaves; a < m.nr_nodes; a++) {
			for (uint32_t b = a + 1; b < m.nr_nodes; b++) {
				uint32_t set_a = events_of(&m, a, leaf_of, g.nr);
				uint32_t set_b = events_of(&m, b, leaf_of, g.nr);
				bool is_same =
					m.shape[a - in.nr_leaves] == m.shape[b - in.nr_leaves];

				if (m.task_of[a - in.nr_leaves] != m.task_of[b - in.nr_leaves])
					continue;
				assert_int_equal(set_a & set_b, 0);
				/* an instance that one node started in several places is no connected set */
				if (!is_connected(&t, set_a) || !is_connected(&t, set_b))
					continue;
				assert_int_equal(is_same, is_isomorphic(&t, set_a, set_b));
				nr_pairs += is_same;
			}
		}
		syt_model_close(&m);
		close_input(&in);
	}
	assert_true(nr_pairs > 1000);
}

/* ---- larger graphs ---- */

/* Returns the number of leaves of the pattern NUMBER below NODE. */
static unsigned nr_own(const struct syt_model *m, uint32_t node, unsigned number)
{
	struct syt_model_walk w = syt_model_walk_of(node);
	unsigned nr = 0;

	for (uint32_t n; (n = syt_model_walk_next(m, &w)) != SYT_NONE;)
		nr += syt_model_is_leaf(m, n) && m->in->leaves[n].label / 8 == number;
	return nr;
}

static void plant_many(struct graph *g, struct syt_random *r, unsigned nr, unsigned *counts,
                       unsigned *sizes)
{
	uint64_t shapes[3];

	clear(g);
	for (unsigned i = 0; i < 3; i++) {
		sizes[i] = 2 + (unsigned)syt_random_below(r, 6);
		shapes[i] = syt_random_u64(r);
		counts[i] = 0;
	}
	for (unsigned n = 0; n < nr; n++) {
		unsigned i = (unsigned)syt_random_below(r, 3);
		uint32_t thread = i * 2 % MOST_THREADS;

		/* noise: leaves that occur anywhere */
		if (!syt_random_below(r, 20))
			add(g, 40 + (uint32_t)syt_random_below(r, 20), thread, g->last[thread],
			    SYT_EDGE_PROGRAM);
		plant(g, i, sizes[i], shapes[i], g->last[thread]);
		counts[i]++;
	}
}

static void test_planted(void **state)
{
	static struct graph g;
	static uint32_t leaf_of[MOST_EVENTS];
	struct syt_random r = {3};

	(void)state;
	for (unsigned run = 0; run < 200; run++) {
		struct syt_model_options options = {.least = SYT_MODEL_LEAST};
		unsigned counts[3], sizes[3];
		struct syt_model_input in;
		struct syt_model m;

		plant_many(&g, &r, 300, counts, sizes);
		in = input_of(&g, identity, leaf_of);
		syt_model_detours(&in);
		assert_int_equal(syt_model_open(&m, &in, &options), 0);
		check_counts(&m);
		for (unsigned i = 0; i < 3; i++) {
			uint64_t nr = 0;

			/* the least instances with all leaves of the pattern */
			for (uint32_t n = in.nr_leaves; n < m.nr_nodes; n++) {
				bool has_less = true;

				for (uint32_t k = m.first_member[n - in.nr_leaves];
				     k < m.first_member[n - in.nr_leaves + 1]; k++)
					has_less &= nr_own(&m, m.members[k], i) < sizes[i];
				nr += has_less && nr_own(&m, n, i) == sizes[i];
			}
			if (100 * nr < 95 * (uint64_t)counts[i])
				print_error("run %u: pattern %u: %u of %u instances\n%s", run, i,
				            (unsigned)nr, counts[i], text_of(&m));
			assert_true(100 * nr >= 95 * (uint64_t)counts[i]);
		}
		syt_model_close(&m);
		close_input(&in);
	}
}

static void test_renumbered(void **state)
{
	static struct graph g;
	static uint32_t leaf_of[MOST_EVENTS];
	struct syt_random r = {4};

	(void)state;
	for (unsigned run = 0; run < 100; run++) {
		struct syt_model_options options = {.least = SYT_MODEL_LEAST};
		unsigned counts[3], sizes[3];
		char *texts[2];

		plant_many(&g, &r, 200, counts, sizes);
		for (unsigned n = 0; n < 300; n++) { /* leaves in random order */
			uint32_t thread = (uint32_t)syt_random_below(&r, MOST_THREADS);
			bool is_next = syt_random_below(&r, 3);

			add(&g, 24 + (uint32_t)syt_random_below(&r, 6), thread,
			    is_next ? g.last[thread] : (int)syt_random_below(&r, g.nr),
			    is_next ? SYT_EDGE_PROGRAM : SYT_EDGE_STREAM);
		}
		for (unsigned i = 0; i < 2; i++) {
			uint32_t order[MOST_THREADS];
			struct syt_model_input in;
			struct syt_model m;

			memcpy(order, identity, sizeof(order));
			for (uint32_t k = MOST_THREADS - 1; i && k > 0; k--) {
				uint32_t other = (uint32_t)syt_random_below(&r, k + 1),
					 t = order[k];

				order[k] = order[other];
				order[other] = t;
			}
			in = input_of(&g, order, leaf_of);
			syt_model_detours(&in);
			assert_int_equal(syt_model_open(&m, &in, &options), 0);
			check_counts(&m);
			texts[i] = text_of(&m);
			syt_model_close(&m);
			close_input(&in);
		}
		assert_string_equal(texts[0], texts[1]);
		free(texts[0]);
		free(texts[1]);
	}
}

/* A worker with a loop that executes another part now and then, by chance: no instance contains several turns. */
static void test_optional(void **state)
{
	static struct graph g;
	static uint32_t leaf_of[MOST_EVENTS];
	struct syt_random r = {5};

	(void)state;
	for (unsigned percent = 10; percent <= 70; percent += 20) {
		struct syt_model_options options = {.least = SYT_MODEL_LEAST};
		unsigned nr_turns = 400, nr_found = 0;
		struct syt_model_input in;
		struct syt_model m;

		clear(&g);
		for (unsigned n = 0; n < nr_turns; n++) {
			add(&g, 0, 0, g.last[0], SYT_EDGE_PROGRAM);
			add(&g, 1, 0, g.last[0], SYT_EDGE_PROGRAM);
			if (syt_random_below(&r, 100) >= percent)
				continue;
			add(&g, 8, 0, g.last[0], SYT_EDGE_PROGRAM);
			add(&g, 9, 0, g.last[0], SYT_EDGE_PROGRAM);
		}
		in = input_of(&g, identity, leaf_of);
		in.labels[0].turn = SYT_TURN_RECEIVE;
		syt_model_detours(&in);
		assert_int_equal(syt_model_open(&m, &in, &options), 0);
		check_counts(&m);
		for (uint32_t n = in.nr_leaves; n < m.nr_nodes; n++) {
			unsigned nr_own_leaves = nr_own(&m, n, 0);

			assert_true(nr_own_leaves <= 2);
			assert_int_equal(in.leaves[syt_model_root(&m, n)].label / 8,
			                 !nr_own_leaves);
			nr_found += nr_own_leaves == 2;
		}
		assert_true(nr_found >= nr_turns);
		syt_model_close(&m);
		close_input(&in);
	}
}

/* A thread that sometimes tries again and again before it goes on: the attempts are an optional part, however long and
 * however frequent they are. */
static void test_attempts(void **state)
{
	static struct graph g;
	static uint32_t leaf_of[MOST_EVENTS];
	struct syt_random r = {6};

	(void)state;
	for (unsigned percent = 2; percent <= 42; percent += 10) {
		struct syt_model_options options = {.least = SYT_MODEL_LEAST};
		unsigned nr_turns = 500, nr_found = 0;
		struct syt_model_input in;
		struct syt_model m;

		clear(&g);
		for (unsigned n = 0; n < nr_turns; n++) {
			add(&g, 0, 0, g.last[0], SYT_EDGE_PROGRAM);
			add(&g, 1, 0, g.last[0], SYT_EDGE_PROGRAM);
			for (bool has_failed = syt_random_below(&r, 100) < percent; has_failed;
			     has_failed = syt_random_below(&r, 2))
				add(&g, 2, 0, g.last[0], SYT_EDGE_PROGRAM);
			add(&g, 3, 0, g.last[0], SYT_EDGE_PROGRAM);
		}
		in = input_of(&g, identity, leaf_of);
		in.labels[0].turn = SYT_TURN_RECEIVE;
		syt_model_detours(&in);
		assert_int_equal(syt_model_open(&m, &in, &options), 0);
		check_counts(&m);
		SYT_EACH(i, 0, in.nr_leaves)
			assert_int_not_equal(m.up[i], SYT_NONE);
		for (uint32_t n = in.nr_leaves; n < m.nr_nodes; n++) {
			if (m.up[n] != SYT_NONE)
				continue;
			assert_int_equal(m.task_of[n - in.nr_leaves], 0);
			assert_true(nr_own(&m, n, 0) >= 3);
			nr_found++;
		}
		assert_int_equal(nr_found, nr_turns);
		syt_model_close(&m);
		close_input(&in);
	}
}

/* Two kinds of tasks in random order. Between two parts, the tasks of one kind contain a loop of 0 to 3 turns: an optional
 * part, which does not split the tasks into tasks with and without the loop. The second parts of both kinds can be the same. */
static void test_middle(void **state)
{
	static struct graph g;
	static uint32_t leaf_of[MOST_EVENTS];
	struct syt_random r = {8};

	(void)state;
	for (unsigned run = 0; run < 8; run++) {
		struct syt_model_options options = {.least = SYT_MODEL_LEAST};
		unsigned nr_turns = 300, nr_found = 0, nr_own_leaves = 0;
		bool is_shared = run % 2, is_leaf = run >= 6; /* the part is one leaf */
		uint32_t task = SYT_NONE;
		struct syt_model_input in;
		struct syt_model m;

		clear(&g);
		for (unsigned n = 0; n < nr_turns; n++) {
			bool is_other = syt_random_below(&r, 3) == 0;
			uint32_t first = is_other ? 16 : 0;

			if (run >= 4 && n % 75 == 74) { /* a few loops elsewhere */
				for (uint32_t label = 2; label < 6;
				     label += 1 + (is_leaf && label == 2))
					add(&g, label, 0, g.last[0], SYT_EDGE_PROGRAM);
				continue;
			}
			add(&g, first, 0, g.last[0], SYT_EDGE_PROGRAM);
			add(&g, is_shared ? 1 : first + 1, 0, g.last[0], SYT_EDGE_PROGRAM);
			for (uint64_t i = is_other ? 0 : syt_random_below(&r, is_leaf ? 2 : 4); i;
			     i--) {
				add(&g, 2, 0, g.last[0], SYT_EDGE_PROGRAM);
				if (!is_leaf)
					add(&g, 3, 0, g.last[0], SYT_EDGE_PROGRAM);
			}
			add(&g, is_other ? 18 : 4, 0, g.last[0], SYT_EDGE_PROGRAM);
			add(&g, is_other ? 19 : 5, 0, g.last[0], SYT_EDGE_PROGRAM);
			nr_own_leaves += !is_other;
		}
		in = input_of(&g, identity, leaf_of);
		in.labels[0].turn = in.labels[16].turn = SYT_TURN_RECEIVE;
		syt_model_detours(&in);
		assert_int_equal(syt_model_open(&m, &in, &options), 0);
		check_counts(&m);
		for (uint32_t n = in.nr_leaves; n < m.nr_nodes; n++) {
			struct syt_model_walk w = syt_model_walk_of(n);
			bool has_end = false;

			if (m.up[n] != SYT_NONE || in.leaves[syt_model_root(&m, n)].label != 0)
				continue;
			for (uint32_t k; (k = syt_model_walk_next(&m, &w)) != SYT_NONE;)
				has_end |= syt_model_is_leaf(&m, k) && in.leaves[k].label == 5;
			/* all are instances of one task */
			assert_true(task == SYT_NONE || task == m.task_of[n - in.nr_leaves]);
			task = m.task_of[n - in.nr_leaves];
			nr_found += has_end;
		}
		assert_int_equal(nr_found, nr_own_leaves);
		syt_model_close(&m);
		close_input(&in);
	}
}

/* A server that accepts up to eight connections, one after the other, between other work: a task for each. */
static void test_accepts(void **state)
{
	static struct graph g;
	static uint32_t leaf_of[MOST_EVENTS];
	struct syt_random r = {7};
	struct syt_model_options options = {.least = SYT_MODEL_LEAST};
	unsigned nr_accepts = 0, nr_found = 0;
	struct syt_model_input in;
	struct syt_model m;

	(void)state;
	clear(&g);
	for (unsigned n = 0; n < 60; n++) {
		for (unsigned nr = 1 + syt_random_below(&r, 8); nr; nr--, nr_accepts++)
			for (uint32_t label = 0; label < 3; label++)
				add(&g, label, 0, g.last[0], SYT_EDGE_PROGRAM);
		for (uint32_t label = 8; label < 24; label++)
			add(&g, label, 0, g.last[0], SYT_EDGE_PROGRAM);
	}
	in = input_of(&g, identity, leaf_of);
	in.labels[0].turn = SYT_TURN_ACCEPT;
	assert_int_equal(syt_model_open(&m, &in, &options), 0);
	check_counts(&m);
	for (uint32_t n = in.nr_leaves; n < m.nr_nodes; n++) {
		assert_true(nr_own(&m, n, 0) <= 3);
		nr_found += nr_own(&m, n, 0) == 3 && in.leaves[syt_model_root(&m, n)].label == 0;
	}
	assert_true(nr_found >= nr_accepts);
	syt_model_close(&m);
	close_input(&in);
}

/* Tasks with the same function have different names: the caller, then a function that the other tasks lack. */
static void test_names(void **state)
{
	static const char *const texts[] = {"p: main;a;put;lock",      "p: main;a;put;unlock",
	                                    "p: main;b;put;trylock",   "p: main;b;put;unlock",
	                                    "p: main;c;get;lock",      "p: main;c;get;look_up;read",
	                                    "p: main;c;get;send;write"};
	static const char *const names[] = {"get", "get with send", "put in a", "put in b"};
	static struct graph g;
	static uint32_t leaf_of[MOST_EVENTS];
	struct syt_model_options options = {.least = SYT_MODEL_LEAST};
	struct syt_model_input in;
	struct syt_model m;

	(void)state;
	clear(&g);
	for (unsigned n = 0; n < 80; n++) {
		uint32_t first = n % 4 == 3 ? 4 : n % 4 * 2;
		int last = add(&g, first, n % 4, -1, SYT_EDGE_PROGRAM);

		last = add(&g, first + 1, n % 4, last, SYT_EDGE_PROGRAM);
		if (n % 4 == 3)
			add(&g, 6, 4, last, SYT_EDGE_STREAM);
	}
	in = input_of(&g, identity, leaf_of);
	for (uint32_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		set_label(&in, i, texts[i]);
	assert_int_equal(syt_model_open(&m, &in, &options), 0);
	check_counts(&m);
	for (unsigned i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (syt_model_find(&m, names[i]) == SYT_NONE)
			fail_msg("no task %s in\n%s", names[i], text_of(&m));
	syt_model_close(&m);
	close_input(&in);
}

/* Tasks whose functions have no symbol, and tasks of event loops, have the names of their calls. */
static void test_calls(void **state)
{
	/* each task consists of the leaves first[task] up to first[task + 1] */
	static const char *const texts[] = {
		"p: p+0x10;p+0x20;read",     "p: p+0x10;p+0x30;lock",
		"p: p+0x10;p+0x40;sendmsg",  "p: p+0x15;p+0x20;read",
		"p: p+0x15;p+0x50;lock",     "p: p+0x15;p+0x40;sendmsg",
		"p: p+0x70;p+0x80;lock",     "p: p+0x70;p+0x90;unlock",
		"p: main;loop;on_read;read", "p: main;loop;on_write;p+0x95;write",
		"p: main;loop;poll"};
	static const char *const names[] = {"read..sendmsg with +0x10", "read..sendmsg with +0x15",
	                                    "lock", "on_read..on_write"};
	static const uint32_t first[] = {0, 3, 6, 8, 10};
	static struct graph g;
	static uint32_t leaf_of[MOST_EVENTS];
	struct syt_model_options options = {.least = SYT_MODEL_LEAST};
	struct syt_model_input in;
	struct syt_model m;

	(void)state;
	clear(&g);
	for (unsigned n = 0; n < 80; n++) {
		uint32_t task = n % 4;
		int last = -1;

		for (uint32_t label = first[task]; label < first[task + 1]; label++)
			last = add(&g, label, task, last, SYT_EDGE_PROGRAM);
	}
	in = input_of(&g, identity, leaf_of);
	for (uint32_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		set_label(&in, i, texts[i]);
	in.labels[10].turn = SYT_TURN_READY;
	assert_int_equal(syt_model_open(&m, &in, &options), 0);
	check_counts(&m);
	for (unsigned i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (syt_model_find(&m, names[i]) == SYT_NONE)
			fail_msg("no task %s in\n%s", names[i], text_of(&m));
	syt_model_close(&m);
	close_input(&in);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_exhaustive), cmocka_unit_test(test_shapes),
		cmocka_unit_test(test_planted),    cmocka_unit_test(test_renumbered),
		cmocka_unit_test(test_optional),   cmocka_unit_test(test_attempts),
		cmocka_unit_test(test_middle),     cmocka_unit_test(test_accepts),
		cmocka_unit_test(test_names),      cmocka_unit_test(test_calls),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
