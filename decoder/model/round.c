/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Chooses the keys that a round contracts. */
#include "decoder/model/mine.h"

#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "base/compare.h"
#include "base/counts.h"
#include "base/err.h"

static bool is_share(uint32_t part, uint32_t whole, unsigned percent)
{
	return UINT64_C(100) * part >= (uint64_t)percent * whole;
}

/* Returns true if the key K may connect parts of one task. Two classes that begin with the same label are turns of a
 * loop. */
static bool may_connect(const struct syt_mine *m, const struct syt_mine_key *k)
{
	return k->nr_to >= m->least && k->from != k->to &&
	       !(k->kind == SYT_EDGE_PROGRAM && m->classes[k->from].root == m->classes[k->to].root);
}

static bool is_mutual(const struct syt_mine *m, const struct syt_mine_key *k)
{
	return may_connect(m, k) && is_share(k->nr_from, m->classes[k->from].nr, SYT_MINE_MUTUAL) &&
	       is_share(k->nr_to, m->classes[k->to].nr, SYT_MINE_MUTUAL);
}

/* Returns true if the nodes that the key starts are detours: an optional part, however rare it is. */
static bool is_detour(const struct syt_mine_key *k)
{
	return is_share(k->nr_detours, k->nr_to, SYT_MINE_MUTUAL);
}

/* ---- mutual keys ---- */

/* The mutual key into a class. There is at most one, because it has at least 90 % of the nodes. */
struct into {
	struct syt_mine_key *key; /* NULL: none */
	uint32_t walk;            /* number of the walk that visited the class, plus 1 */
};

/* Returns true if a cycle should begin with the class of the key A rather than with the class of the key B. */
static bool is_better_header(const struct syt_mine *m, const struct syt_mine_key *a,
                             const struct syt_mine_key *b)
{
	uint8_t turn_a = m->in->labels[m->classes[a->to].root].turn;
	uint8_t turn_b = m->in->labels[m->classes[b->to].root].turn;
	uint32_t entries_a = m->classes[a->to].nr - a->nr_to;
	uint32_t entries_b = m->classes[b->to].nr - b->nr_to;

	if (turn_a != turn_b)
		return turn_a < turn_b;
	if (entries_a != entries_b)
		return entries_a > entries_b;
	return a->to < b->to;
}

/* Cuts each cycle of mutual keys before its header. */
static void cut_cycles(const struct syt_mine *m, struct into *into)
{
	for (uint32_t i = 0; i < m->nr_classes; i++) {
		uint32_t at = i, header;

		for (; into[at].key && !into[at].walk; at = into[at].key->from)
			into[at].walk = i + 1;
		if (!into[at].key || into[at].walk != i + 1)
			continue;
		header = at;
		for (uint32_t n = into[at].key->from; n != at; n = into[n].key->from)
			if (is_better_header(m, into[n].key, into[header].key))
				header = n;
		into[header].key = NULL;
	}
}

bool syt_mine_mutual(struct syt_mine *m, bool is_within)
{
	uint32_t nr = (uint32_t)m->nr_classes;
	struct into *into = syt_calloc(nr, sizeof(*into));
	bool *has_parts = syt_calloc(nr, sizeof(*has_parts)), is_any = false;

	for (size_t i = 0; i < m->nr_keys; i++) {
		m->keys[i].is_taken = false;
		if (is_mutual(m, &m->keys[i]) &&
		    (!is_within || m->keys[i].kind == SYT_EDGE_PROGRAM))
			into[m->keys[i].to].key = &m->keys[i];
	}
	cut_cycles(m, into);
	for (uint32_t i = 0; i < nr; i++) {
		if (!into[i].key)
			continue;
		into[i].key->is_taken = is_any = true;
		has_parts[into[i].key->from] = true;
	}
	syt_mine_keep_classes(m);
	for (uint32_t i = 0; i < nr; i++) {
		m->classes[i].is_in_key = has_parts[i] || into[i].key;
		m->is_whole[i] = has_parts[i];
		if (has_parts[i])
			m->becomes[i] = syt_mine_add_class(m, m->classes[i].root);
	}
	free(into);
	free(has_parts);
	return is_any;
}

/* ---- branches ---- */

/* Number of arcs by chance: how often the nodes of two classes would follow each other in a thread role, or on the
 * connections, if their order were random. */
struct chance {
	struct syt_counts to;   /* (class, role) -> number of its nodes that start by an arc of this kind */
	struct syt_counts from; /* (class, role) -> number of these arcs from its nodes */
	struct syt_counts all;  /* (role, 0) -> number of these arcs; in a thread, of all nodes */
};

/* Returns true if chance may decide which node follows another by an arc of this kind. An answer belongs to the request
 * before it on the connection, but the next request may be any request. */
static bool is_by_chance(const struct syt_mine *m, uint8_t kind, uint32_t to)
{
	return kind == SYT_EDGE_PROGRAM ||
	       (kind == SYT_ARC_CONNECTION &&
	        m->in->labels[m->classes[to].root].turn != SYT_TURN_OTHER);
}

static uint64_t role_of(const struct syt_mine *m, uint32_t position, uint8_t kind)
{
	uint32_t leaf = syt_forest_root(m->forest, m->in, m->node[position]);

	return (uint64_t)m->in->roles[m->in->leaves[leaf].thread] << 8 | kind;
}

static void count_chance(const struct syt_mine *m, struct chance *c)
{
	SYT_EACH(i, 0, m->nr_live) {
		uint64_t role;

		/* in a random order, each node of a thread may follow each other one, whatever started it */
		++*syt_counts_at(&c->all, role_of(m, i, SYT_EDGE_PROGRAM), 0);
		if (m->parent[i] == SYT_NONE || !is_by_chance(m, m->kind[i], m->class_of[i]))
			continue;
		role = role_of(m, i, m->kind[i]);
		++*syt_counts_at(&c->to, m->class_of[i], role);
		++*syt_counts_at(&c->from, m->class_of[m->parent[i]], role);
		*syt_counts_at(&c->all, role, 0) += m->kind[i] != SYT_EDGE_PROGRAM;
	}
}

struct branch {
	struct syt_mine_key *key;
	double expected; /* number of these arcs by chance */
};

/* Adds to the expected numbers of the NR branches B, which are sorted by target, the share of each role. */
static void expect(struct branch *b, size_t nr, const struct chance *c)
{
	for (size_t i = 0; i < c->to.nr; i++) {
		const struct syt_count *to = &c->to.all[i];
		size_t low = SYT_BISECT(n, 0, nr, b[n].key->to < to->a);

		for (; low < nr && b[low].key->to == to->a; low++)
			if (b[low].key->kind == (uint8_t)to->b)
				b[low].expected +=
					(double)to->nr *
					(double)syt_counts_of(&c->from, b[low].key->from, to->b) /
					(double)syt_counts_of(&c->all, to->b, 0);
	}
}

SYT_COMPARATOR(by_target, struct branch)
{
	SYT_ORDER_BY(key->to);
	SYT_ORDER_BY(key->from);
	SYT_ORDER_BY(key->kind);
	return 0;
}

SYT_COMPARATOR(most_first, struct branch)
{
	SYT_ORDER(b->key->nr_to, a->key->nr_to);
	return by_target_typed(a, b);
}

/* Lists the keys that are branches, without regard to chance. */
static struct branch *list_branches(struct syt_mine *m, size_t *nr)
{
	struct branch *all = NULL;
	size_t room = 0;

	*nr = 0;
	for (size_t i = 0; i < m->nr_keys; i++) {
		struct syt_mine_key *k = &m->keys[i];
		uint32_t nr_from = m->classes[k->from].nr, nr_to = m->classes[k->to].nr;
		bool is_always = is_share(k->nr_from, nr_from, SYT_MINE_MUTUAL) ||
		                 is_share(k->nr_to, nr_to, SYT_MINE_MUTUAL);

		k->is_taken = false;
		if (is_always && may_connect(m, k) &&
		    (is_detour(k) || is_share(k->nr_from, nr_from, SYT_MINE_BRANCH)) &&
		    is_share(k->nr_to, nr_to, SYT_MINE_BRANCH))
			*SYT_ADD(all, *nr, room) = (struct branch){k, 0};
	}
	if (*nr)
		qsort(all, *nr, sizeof(*all), by_target);
	return all;
}

/* Returns the key of the NR branches that leads the opposite way of the key K, or NULL. */
static const struct syt_mine_key *reverse(const struct branch *all, size_t nr,
                                          const struct syt_mine_key *k)
{
	size_t low = SYT_BISECT(n, 0, nr, all[n].key->to < k->from);

	for (; low < nr && all[low].key->to == k->from; low++)
		if (all[low].key->from == k->to && all[low].key->kind == k->kind)
			return all[low].key;
	return NULL;
}

/* Returns true if a turn of a loop should begin with the class of the key A rather than with the class of the opposite key
 * B. Between equal calls, the certain way forward stays together: a kind of task that always ends with a shared part does
 * not begin with it, although the shared part is entered from other kinds. */
static bool is_better_turn(const struct syt_mine *m, const struct syt_mine_key *a,
                           const struct syt_mine_key *b)
{
	uint8_t turn_a = m->in->labels[m->classes[a->to].root].turn;
	uint8_t turn_b = m->in->labels[m->classes[b->to].root].turn;
	bool is_certain_a = is_share(a->nr_from, m->classes[a->from].nr, SYT_MINE_MUTUAL);
	bool is_certain_b = is_share(b->nr_from, m->classes[b->from].nr, SYT_MINE_MUTUAL);

	return turn_a == turn_b && is_certain_a != is_certain_b ? is_certain_b
	                                                        : is_better_header(m, a, b);
}

/* Removes from the branches, which are sorted by target, the branches into the header of a cycle. */
static size_t cut_turns(const struct syt_mine *m, struct branch *all, size_t nr)
{
	bool *is_cut = syt_calloc(nr, sizeof(*is_cut));
	size_t nr_left = 0;

	for (size_t i = 0; i < nr; i++) {
		const struct syt_mine_key *back = reverse(all, nr, all[i].key);

		is_cut[i] = back && is_better_turn(m, all[i].key, back);
	}
	for (size_t i = 0; i < nr; i++)
		if (!is_cut[i])
			all[nr_left++] = all[i];
	free(is_cut);
	return nr_left;
}

bool syt_mine_branches(struct syt_mine *m, bool is_within)
{
	size_t nr;
	struct branch *all = list_branches(m, &nr);
	struct chance chance = {.all = {0}};
	bool is_any = false, *is_used = syt_calloc(m->nr_classes, sizeof(*is_used));

	nr = cut_turns(m, all, nr);
	if (nr) {
		count_chance(m, &chance);
		expect(all, nr, &chance);
		qsort(all, nr, sizeof(*all), most_first);
	}
	syt_mine_keep_classes(m);
	for (size_t i = 0; i < nr; i++) {
		struct syt_mine_key *k = all[i].key;

		if ((is_within && k->kind != SYT_EDGE_PROGRAM) || is_used[k->from] || is_used[k->to] ||
		    (!is_detour(k) && (double)k->nr_to < 1.5 * all[i].expected))
			continue;
		is_used[k->from] = is_used[k->to] = k->is_taken = is_any = true;
		m->is_whole[k->from] =
			is_detour(k) || is_share(k->nr_from, m->classes[k->from].nr, SYT_MINE_MUTUAL);
		m->becomes[k->from] = syt_mine_add_class(m, m->classes[k->from].root);
	}
	syt_counts_fini(&chance.to);
	syt_counts_fini(&chance.from);
	syt_counts_fini(&chance.all);
	free(is_used);
	free(all);
	return is_any;
}

/* ---- optional parts ---- */

/* A part that follows another part in most cases, or is left out: a thread executes a, L and b, or only a and b. */
struct optional {
	struct syt_mine_key *begin, *end; /* a to L; L to b */
	struct syt_mine_key *around;      /* a to b */
	uint32_t nr;                      /* number of nodes of b after a or L */
};

SYT_COMPARATOR(most_optional, struct optional)
{
	SYT_ORDER(b->nr, a->nr);
	SYT_ORDER_BY(begin->to);
	SYT_ORDER_BY(begin->from);
	SYT_ORDER_BY(end->to);
	return 0;
}

/* Returns true if O can be an optional part: most nodes of a lead to b, with or without L, or most nodes of b come from
 * there. Without the second case, an optional part behind a shared begin of several tasks would give two tasks. */
static bool may_be_optional(const struct syt_mine *m, const struct optional *o)
{
	const struct syt_mine_key *back =
		syt_mine_find(m, o->end->to, SYT_EDGE_PROGRAM, o->begin->from);

	return may_connect(m, o->around) && !(back && is_better_turn(m, o->around, back)) &&
	       is_share(o->around->nr_to, o->nr, SYT_MINE_BRANCH) &&
	       (is_share(o->nr, m->classes[o->begin->from].nr, SYT_MINE_MUTUAL) ||
	        is_share(o->nr, m->classes[o->end->to].nr, SYT_MINE_MUTUAL));
}

/* The next classes in the thread behind the nodes of b, for the keys with is_around. */
struct behind {
	struct syt_counts next; /* (index of the key into b, class; SYT_NONE: none) -> number */
	struct syt_counts all;  /* (index of the key, 0) -> number */
};

static void count_behind(const struct syt_mine *m, struct behind *b)
{
	SYT_EACH(i, 0, m->nr_live) {
		uint32_t key = m->key_of[i];
		bool has_next = false;

		if (key == SYT_NONE || !m->keys[key].is_around)
			continue;
		for (uint32_t to = m->child[i]; to != SYT_NONE; to = m->next[to]) {
			if (m->kind[to] != SYT_EDGE_PROGRAM)
				continue;
			++*syt_counts_at(&b->next, key, m->class_of[to]);
			++*syt_counts_at(&b->all, key, 0);
			has_next = true;
		}
		if (has_next)
			continue;
		++*syt_counts_at(&b->next, key, SYT_NONE);
		++*syt_counts_at(&b->all, key, 0);
	}
}

/* Returns true if the thread continues alike with L and without L. Otherwise L is the difference between two kinds of tasks with
 * the same begin a and a shared part b. */
static bool continues_alike(const struct syt_mine *m, const struct optional *o, const struct behind *b)
{
	uint64_t end = (uint64_t)(o->end - m->keys), around = (uint64_t)(o->around - m->keys);
	uint64_t nr_end = syt_counts_of(&b->all, end, 0);
	uint64_t nr_around = syt_counts_of(&b->all, around, 0), common = 0;

	for (size_t i = 0; i < b->next.nr; i++) {
		uint64_t share, other;

		if (b->next.all[i].a != end)
			continue;
		share = b->next.all[i].nr * nr_around;
		other = syt_counts_of(&b->next, around, b->next.all[i].b) * nr_end;
		common += share < other ? share : other;
	}
	return common >= nr_end * nr_around - common; /* at least half */
}

/* Lists the parts that can be optional. */
static struct optional *list_optional(const struct syt_mine *m, size_t *nr)
{
	struct syt_mine_key **begin = syt_calloc(m->nr_classes, sizeof(struct syt_mine_key *));
	struct optional *all = NULL;
	size_t room = 0;

	*nr = 0;
	for (size_t i = 0; i < m->nr_keys; i++) {
		struct syt_mine_key *k = &m->keys[i];

		if (k->kind == SYT_EDGE_PROGRAM && may_connect(m, k) &&
		    is_share(k->nr_to, m->classes[k->to].nr, SYT_MINE_MUTUAL))
			begin[k->to] = k;
	}
	for (size_t i = 0; i < m->nr_keys; i++) {
		struct syt_mine_key *k = &m->keys[i];
		struct optional o = {.begin = begin[k->from], .end = k};

		if (!o.begin || k->kind != SYT_EDGE_PROGRAM || !may_connect(m, k) ||
		    !is_share(k->nr_from, m->classes[k->from].nr, SYT_MINE_MUTUAL))
			continue;
		o.around = syt_mine_find(m, o.begin->from, SYT_EDGE_PROGRAM, k->to);
		if (!o.around)
			continue;
		o.nr = o.around->nr_to + k->nr_to;
		if (may_be_optional(m, &o))
			*SYT_ADD(all, *nr, room) = o;
	}
	free(begin);
	return all;
}

bool syt_mine_optional(struct syt_mine *m)
{
	size_t nr;
	struct optional *all = list_optional(m, &nr);
	struct behind behind = {.all = {0}};
	bool is_any = false, *is_used = syt_calloc(m->nr_classes, sizeof(*is_used));

	for (size_t i = 0; i < m->nr_keys; i++)
		m->keys[i].is_taken = false;
	for (size_t i = 0; i < nr; i++)
		all[i].end->is_around = all[i].around->is_around = true;
	if (nr) {
		count_behind(m, &behind);
		qsort(all, nr, sizeof(*all), most_optional);
	}
	syt_mine_keep_classes(m);
	for (size_t i = 0; i < nr; i++) {
		const struct optional *o = &all[i];
		uint32_t a = o->begin->from, part = o->begin->to, b = o->end->to;

		if (is_used[a] || is_used[part] || is_used[b] || !continues_alike(m, o, &behind))
			continue;
		is_used[a] = is_used[part] = is_used[b] = is_any = true;
		o->begin->is_taken = o->end->is_taken = o->around->is_taken = true;
		m->is_whole[a] = is_share(o->nr, m->classes[a].nr, SYT_MINE_MUTUAL);
		m->becomes[a] = syt_mine_add_class(m, m->classes[a].root);
		/* a few nodes of L follow other nodes, and merge only with b */
		m->becomes[part] = syt_mine_add_class(m, m->classes[part].root);
	}
	syt_counts_fini(&behind.next);
	syt_counts_fini(&behind.all);
	free(is_used);
	free(all);
	return is_any;
}
