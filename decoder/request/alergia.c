/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * ALERGIA: builds the prefix tree of the behaviours and merges states whose futures are alike.
 *
 * A state is red (a state of the result), blue (a successor of a red state, but not red) or neither. Each state that is not
 * red is the root of a tree. The first blue state, by length and then by text of its string, merges into the first
 * compatible red state, or becomes red. To merge a tree means to add its counts to the states that the red state reaches
 * by the same symbols. Branches without counterpart move to the red state.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/sort.h"
#include "base/store.h"
#include "decoder/request/automaton.h"

#define ROOT 0u
#define NONE SYT_AUTOMATON_NONE
/* Maximum number of transitions that the comparisons of states may look at. Loops with many thousand turns would
 * otherwise take cubic time. */
#define MOST_LOOKS UINT64_C(300000000)

struct node {
	uint64_t visits, ends;
	uint32_t first; /* first edge, or NONE */
	uint32_t key;   /* position in the order by length, then by text */
	uint32_t red;   /* number among the red states, or NONE */
};

/* edges[i] is the edge of the prefix tree that leads to node i. */
struct edge {
	uint32_t from, rank, to;
	uint32_t next; /* next edge from the same node, or NONE */
	uint64_t count;
};

struct pair {
	uint32_t red, blue;
};

struct learner {
	const struct syt_population *population;
	const uint64_t *counts;
	double factor;     /* sqrt(ln(2 / alpha) / 2) */
	uint32_t *symbols; /* [rank]: the symbol with this position in the order of texts */
	uint32_t *ranks;   /* [symbol] */
	uint32_t nr_nodes, nr_red, first_blue;
	size_t room_nodes, room_edges, room_red;
	struct node *nodes;
	struct edge *edges;
	uint32_t nr_edges;
	struct syt_hash
		index;     /* (node, rank) -> edge; may contain edges that moved to another node */
	uint32_t *red;     /* nodes, in the order in which they became red */
	uint32_t *by_key;  /* [key]: node */
	uint64_t *is_blue; /* bit set of keys */
	uint32_t nr_pairs;
	size_t room_pairs;
	struct pair *pairs; /* stack; strings may be too long for recursion */
	uint32_t *edge_of;  /* [rank]: edge of the blue state that is compared, or NONE */
	uint64_t nr_looks;
	uint32_t nr_unmerged;
};

/* ---- the prefix tree ---- */

static int symbols_by_text(const void *a, const void *b, void *texts)
{
	return strcmp(((char **)texts)[*(const uint32_t *)a],
	              ((char **)texts)[*(const uint32_t *)b]);
}

static void rank_symbols(struct learner *l)
{
	uint32_t nr = l->population->symbols.nr;

	l->symbols = syt_alloc(nr, sizeof(*l->symbols));
	l->ranks = syt_alloc(nr, sizeof(*l->ranks));
	l->edge_of = syt_alloc(nr, sizeof(*l->edge_of));
	for (uint32_t i = 0; i < nr; i++) {
		l->symbols[i] = i;
		l->edge_of[i] = NONE;
	}
	syt_sort_with(l->symbols, nr, sizeof(*l->symbols), symbols_by_text,
	              l->population->symbols.all);
	for (uint32_t i = 0; i < nr; i++)
		l->ranks[l->symbols[i]] = i;
}

static uint32_t find_edge(const struct learner *l, uint32_t node, uint32_t rank)
{
	return SYT_HASH_FIND(&l->index, syt_hash_words(node, rank), i,
	                     l->edges[i].from == node && l->edges[i].rank == rank);
}

static void link_edge(struct learner *l, uint32_t edge, uint32_t node)
{
	struct edge *e = &l->edges[edge];

	e->from = node;
	e->next = l->nodes[node].first;
	l->nodes[node].first = edge;
	syt_hash_add(&l->index, syt_hash_words(node, e->rank), edge);
}

static void add_node(struct learner *l)
{
	struct node n = {.first = NONE, .red = NONE};
	struct edge none = {.to = NONE};

	*SYT_ADD(l->nodes, l->nr_nodes, l->room_nodes) = n;
	*SYT_ADD(l->edges, l->nr_edges, l->room_edges) = none;
}

/* Follows the string of BEHAVIOUR and adds COUNT to its states and edges. Returns the number of steps, and stores the last
 * state in *NODE. */
static uint32_t follow(struct learner *l, uint32_t behaviour, uint64_t count, uint32_t *node)
{
	const uint32_t *steps = syt_behaviour_steps(l->population, behaviour);
	uint32_t nr = l->population->behaviours[behaviour].nr, i;

	l->nodes[ *node = ROOT].visits += count;
	for (i = 0; i < nr; i++) {
		uint32_t edge = find_edge(l, *node, l->ranks[steps[i]]);

		if (edge == NONE)
			break;
		*node = l->edges[edge].to;
		l->edges[edge].count += count;
		l->nodes[*node].visits += count;
	}
	return i;
}

/* Adds BEHAVIOUR to the tree. Returns false if the tree would be too large. */
static bool add_behaviour(struct learner *l, uint32_t behaviour)
{
	const uint32_t *steps = syt_behaviour_steps(l->population, behaviour);
	uint32_t nr = l->population->behaviours[behaviour].nr, node;
	uint64_t count = l->counts[behaviour];

	if (nr - follow(l, behaviour, 0, &node) > SYT_AUTOMATON_STATES - l->nr_nodes)
		return false;
	for (uint32_t i = follow(l, behaviour, count, &node); i < nr; i++) {
		uint32_t new = l->nr_nodes;

		add_node(l);
		l->edges[new].rank = l->ranks[steps[i]];
		l->edges[new].to = new;
		l->edges[new].count = l->nodes[new].visits = count;
		link_edge(l, new, node);
		node = new;
	}
	l->nodes[node].ends += count;
	return true;
}

static int behaviours_by_count(const void *a_, const void *b_, void *l_)
{
	const struct learner *l = l_;
	uint32_t a = *(const uint32_t *)a_, b = *(const uint32_t *)b_;

	if (l->counts[a] != l->counts[b])
		return l->counts[a] > l->counts[b] ? -1 : 1;
	return syt_behaviour_compare(l->population, a, b);
}

/* Makes the prefix tree. Returns the number of behaviours that it has no room for. */
static uint64_t make_tree(struct learner *l)
{
	uint32_t *order = syt_alloc(l->population->nr_behaviours, sizeof(*order)), nr = 0;
	uint64_t nr_left_out = 0;

	for (uint32_t i = 0; i < l->population->nr_behaviours; i++)
		if (l->counts[i])
			order[nr++] = i;
	syt_sort_with(order, nr, sizeof(*order), behaviours_by_count, l);
	add_node(l);
	for (uint32_t i = 0; i < nr; i++)
		nr_left_out += !add_behaviour(l, order[i]);
	free(order);
	return nr_left_out;
}

static int nodes_by_rank(const void *a, const void *b, void *edges_)
{
	const struct edge *edges = edges_;
	uint32_t one = edges[*(const uint32_t *)a].rank, other = edges[*(const uint32_t *)b].rank;

	return one < other ? -1 : one > other;
}

/* Computes the order of the states: breadth first, successors by text. */
static void order_nodes(struct learner *l)
{
	uint32_t nr = 1;

	l->by_key = syt_calloc(l->nr_nodes, sizeof(*l->by_key));
	l->is_blue = syt_calloc(l->nr_nodes / 64 + 1, sizeof(*l->is_blue));
	for (uint32_t key = 0; key < l->nr_nodes; key++) {
		struct node *n = &l->nodes[l->by_key[key]];
		uint32_t begin = nr;

		n->key = key;
		for (uint32_t e = n->first; e != NONE; e = l->edges[e].next)
			l->by_key[nr++] = l->edges[e].to;
		if (nr - begin > 1)
			syt_sort_with(l->by_key + begin, nr - begin, sizeof(*l->by_key),
			              nodes_by_rank, l->edges);
	}
}

/* ---- colours ---- */

static void make_blue(struct learner *l, uint32_t node)
{
	uint32_t key = l->nodes[node].key;

	l->is_blue[key / 64] |= UINT64_C(1) << key % 64;
	if (key / 64 < l->first_blue)
		l->first_blue = key / 64;
}

/* Returns the first blue state, which is no longer blue, or NONE. */
static uint32_t take_blue(struct learner *l)
{
	for (; l->first_blue <= l->nr_nodes / 64; l->first_blue++) {
		uint64_t *word = &l->is_blue[l->first_blue];
		uint32_t key = 64 * l->first_blue;

		if (!*word)
			continue;
		key += (uint32_t)__builtin_ctzll(*word);
		*word &= *word - 1;
		return l->by_key[key];
	}
	return NONE;
}

static void make_red(struct learner *l, uint32_t node)
{
	l->nodes[node].red = l->nr_red;
	*SYT_ADD(l->red, l->nr_red, l->room_red) = node;
	for (uint32_t e = l->nodes[node].first; e != NONE; e = l->edges[e].next)
		make_blue(l, l->edges[e].to);
}

static void push(struct learner *l, uint32_t red, uint32_t blue)
{
	struct pair p = {red, blue};

	*SYT_ADD(l->pairs, l->nr_pairs, l->room_pairs) = p;
}

/* ---- comparison ---- */

/* The counts of two states, and how far their shares may be apart. */
struct test {
	double visits, other_visits, bound;
};

static bool is_equal(const struct test *t, uint64_t count, uint64_t other)
{
	return fabs((double)count / t->visits - (double)other / t->other_visits) <= t->bound;
}

/* Compares the transitions of A and B, and pushes the pairs of successors by the same symbol. */
static bool has_equal_transitions(struct learner *l, const struct node *a, const struct test *t)
{
	for (uint32_t e = a->first; e != NONE; e = l->edges[e].next) {
		uint32_t *slot = &l->edge_of[l->edges[e].rank], other = *slot;

		l->nr_looks++;
		if (!is_equal(t, l->edges[e].count, other == NONE ? 0 : l->edges[other].count))
			return false;
		if (other != NONE)
			push(l, l->edges[e].to, l->edges[other].to);
		*slot = NONE;
	}
	return true;
}

static bool has_equal_counts(struct learner *l, const struct node *a, const struct node *b)
{
	struct test t = {.visits = (double)a->visits, .other_visits = (double)b->visits};
	bool is_good;

	t.bound = l->factor * (1 / sqrt(t.visits) + 1 / sqrt(t.other_visits));
	l->nr_looks++;
	if (!is_equal(&t, a->ends, b->ends))
		return false;
	for (uint32_t e = b->first; e != NONE; e = l->edges[e].next)
		l->edge_of[l->edges[e].rank] = e;
	is_good = has_equal_transitions(l, a, &t);
	for (uint32_t e = b->first; e != NONE; e = l->edges[e].next) {
		uint32_t *slot = &l->edge_of[l->edges[e].rank];

		l->nr_looks++;
		is_good = is_good && (*slot == NONE || is_equal(&t, 0, l->edges[e].count));
		*slot = NONE;
	}
	return is_good;
}

/* Returns true if states with the number of visits of B are compatible with all states. The states behind B have no more
 * visits than B. */
static bool is_rare(const struct learner *l, const struct node *b)
{
	return l->factor >= sqrt((double)b->visits);
}

static bool is_compatible(struct learner *l, uint32_t red, uint32_t blue)
{
	l->nr_pairs = 0;
	push(l, red, blue);
	while (l->nr_pairs) {
		struct pair p = l->pairs[--l->nr_pairs];
		const struct node *b = &l->nodes[p.blue];

		if (!is_rare(l, b) && !has_equal_counts(l, &l->nodes[p.red], b))
			return false;
	}
	return true;
}

/* ---- merging ---- */

/* The first of the states that are merged determines the position of the result, in whichever order they are merged. */
static void keep_first_key(struct learner *l, struct node *a, uint32_t node, const struct node *b)
{
	if (a->red != NONE || a->key < b->key)
		return;
	if (l->is_blue[a->key / 64] >> a->key % 64 & 1) {
		l->is_blue[a->key / 64] &= ~(UINT64_C(1) << a->key % 64);
		a->key = b->key;
		make_blue(l, node);
	}
	a->key = b->key;
	l->by_key[a->key] = node;
}

/* Adds the counts of the state BLUE to RED. Pushes the pairs of successors by the same symbol. */
static void merge_state(struct learner *l, uint32_t red, uint32_t blue)
{
	struct node *a = &l->nodes[red], *b = &l->nodes[blue];

	a->visits += b->visits;
	a->ends += b->ends;
	keep_first_key(l, a, red, b);
	for (uint32_t e = b->first, next; e != NONE; e = next) {
		uint32_t f = find_edge(l, red, l->edges[e].rank);

		next = l->edges[e].next;
		if (f != NONE) {
			l->edges[f].count += l->edges[e].count;
			push(l, l->edges[f].to, l->edges[e].to);
		} else {
			link_edge(l, e, red);
			if (a->red != NONE)
				make_blue(l, l->edges[e].to);
		}
	}
}

static void merge(struct learner *l, uint32_t red, uint32_t blue)
{
	l->nr_pairs = 0;
	l->edges[blue].to = red;
	push(l, red, blue);
	while (l->nr_pairs) {
		struct pair p = l->pairs[--l->nr_pairs];

		merge_state(l, p.red, p.blue);
	}
}

static void place(struct learner *l, uint32_t blue)
{
	for (uint32_t i = 0; i < l->nr_red && l->nr_looks < MOST_LOOKS; i++)
		if (is_compatible(l, l->red[i], blue)) {
			merge(l, l->red[i], blue);
			return;
		}
	l->nr_unmerged += l->nr_looks >= MOST_LOOKS;
	make_red(l, blue);
}

/* ---- the result ---- */

static void put_state(const struct learner *l, struct syt_automaton *a, const struct node *n,
                      uint32_t *edges)
{
	uint32_t nr = 0;

	syt_automaton_add_state(a, n->visits, n->ends);
	for (uint32_t e = n->first; e != NONE; e = l->edges[e].next)
		edges[nr++] = e;
	syt_sort_with(edges, nr, sizeof(*edges), nodes_by_rank, l->edges);
	for (uint32_t i = 0; i < nr; i++) {
		const struct edge *e = &l->edges[edges[i]];

		syt_automaton_add_transition(a, l->symbols[e->rank], l->nodes[e->to].red, e->count);
	}
}

static void put_states(const struct learner *l, struct syt_automaton *a)
{
	uint32_t *edges = syt_alloc(l->nr_edges, sizeof(*edges));

	for (uint32_t i = 0; i < l->nr_red; i++)
		put_state(l, a, &l->nodes[l->red[i]], edges);
	free(edges);
	syt_automaton_complete(a);
}

static void close_learner(struct learner *l)
{
	syt_hash_close(&l->index);
	free(l->symbols);
	free(l->ranks);
	free(l->edge_of);
	free(l->nodes);
	free(l->edges);
	free(l->red);
	free(l->by_key);
	free(l->is_blue);
	free(l->pairs);
}

void syt_automaton_learn(struct syt_automaton *a, const struct syt_population *p,
                         const uint64_t *counts, double alpha)
{
	struct learner l = {.population = p, .counts = counts, .factor = sqrt(log(2 / alpha) / 2)};

	memset(a, 0, sizeof(*a));
	rank_symbols(&l);
	a->nr_left_out = make_tree(&l);
	order_nodes(&l);
	make_red(&l, ROOT);
	for (uint32_t blue; (blue = take_blue(&l)) != NONE;)
		place(&l, blue);
	a->nr_unmerged = l.nr_unmerged;
	put_states(&l, a);
	close_learner(&l);
}
