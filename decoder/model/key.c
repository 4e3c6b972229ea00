/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Counts the keys of all live nodes, and finds equal neighbours. */
#include "decoder/model/mine.h"

#include <string.h>

static uint32_t hash_of(uint32_t from, uint8_t kind, uint32_t to)
{
	return syt_hash_words((uint64_t)from << 32 | to, kind);
}

static uint32_t find_key(const struct syt_mine *m, uint32_t from, uint8_t kind, uint32_t to)
{
	return SYT_HASH_FIND(&m->index, hash_of(from, kind, to), i,
	                     m->keys[i].from == from && m->keys[i].to == to &&
	                             m->keys[i].kind == kind);
}

struct syt_mine_key *syt_mine_find(const struct syt_mine *m, uint32_t from, uint8_t kind,
                                   uint32_t to)
{
	uint32_t key = find_key(m, from, kind, to);

	return key == SYT_HASH_NONE ? NULL : &m->keys[key];
}

static uint32_t note_key(struct syt_mine *m, uint32_t from, uint8_t kind, uint32_t to)
{
	uint32_t key = find_key(m, from, kind, to);

	if (key != SYT_HASH_NONE)
		return key;
	key = syt_hash_add(&m->index, hash_of(from, kind, to), m->nr_keys);
	*SYT_STORE_ADD(m->keys, m->nr_keys, m->room_keys) =
		(struct syt_mine_key){.from = from, .to = to, .kind = kind};
	return key;
}

/* Makes for each node the list of the nodes that it started, in the order of positions. */
static void list_children(struct syt_mine *m)
{
	memset(m->child, 0xff, m->nr_live * sizeof(*m->child));
	for (uint32_t i = m->nr_live; i-- > 0 && syt_store_goes_on(i, SYT_STORE_STRIDE);) {
		if (m->parent[i] == SYT_NONE)
			continue;
		m->next[i] = m->child[m->parent[i]];
		m->child[m->parent[i]] = i;
	}
}

/* Returns true if equal nodes that one thread executes one after the other are turns of one loop. A server accepts one
 * connection after the other, but each of them is work of its own. */
static bool may_be_loop(const struct syt_mine *m, const struct syt_mine_key *key)
{
	return key->kind == SYT_EDGE_PROGRAM &&
	       m->in->labels[m->classes[key->to].root].turn > SYT_TURN_ACCEPT;
}

/* Counts the arcs from the node at position FROM. */
static void count_children(struct syt_mine *m, uint32_t from)
{
	for (uint32_t to = m->child[from]; to != SYT_NONE; to = m->next[to]) {
		uint32_t number = note_key(m, m->class_of[from], m->kind[to], m->class_of[to]);
		struct syt_mine_key *key = &m->keys[number];

		m->key_of[to] = number;
		key->nr_to++;
		key->nr_detours += m->is_detour[to];
		if (key->last != from + 1) {
			key->last = from + 1;
			key->first = to;
			key->nr_from++;
		} else if (key->kind != SYT_EDGE_PROGRAM || may_be_loop(m, key)) {
			m->into[to] = key->first; /* one node started several equal nodes */
		}
		if (key->from == key->to && may_be_loop(m, key))
			m->into[to] = from;
	}
}

void syt_mine_count(struct syt_mine *m)
{
	syt_hash_close(&m->index);
	m->nr_keys = 0;
	m->nr_counted = m->nr_classes;
	for (size_t i = 0; i < m->nr_classes; i++)
		m->classes[i].nr = 0;
	list_children(m);
	SYT_EACH(i, 0, m->nr_live) {
		m->classes[m->class_of[i]].nr++;
		m->into[i] = i;
		m->key_of[i] = SYT_NONE;
	}
	SYT_EACH(i, 0, m->nr_live)
		count_children(m, i);
}
