/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/report/waits/role_conflict.h"

#include <stdlib.h>
#include <string.h>

#include "decoder/base/compare.h"
#include "decoder/base/err.h"

#define ENOUGH 4096u

static int in_order(const void *a_, const void *b_)
{
	const struct syt_role_conflict_arc *a = a_, *b = b_;

	SYT_ORDER_BY(served);
	SYT_ORDER_BY(serves);
	return 0;
}

static void merge(struct syt_role_conflict *m)
{
	size_t nr = 0;

	if (m->nr > 1)
		qsort(m->arcs, m->nr, sizeof(*m->arcs), in_order);
	for (size_t i = 0; i < m->nr; i++)
		if (!nr || in_order(&m->arcs[nr - 1], &m->arcs[i]))
			m->arcs[nr++] = m->arcs[i];
	m->nr = nr;
}

void syt_role_conflict_note(struct syt_role_conflict *m, uint32_t served, uint32_t serves)
{
	if (m->nr >= m->enough) {
		merge(m);
		m->enough = 2 * m->nr + ENOUGH;
	}
	syt_grow(&m->arcs, &m->room, m->nr + 1, sizeof(*m->arcs));
	m->arcs[m->nr++] = (struct syt_role_conflict_arc){served, serves};
}

/* Tarjan's strongly connected components, with a stack of its own. */
struct search {
	const struct syt_role_conflict *m;
	size_t *first; /* [thread], and one more: its arcs */
	size_t *next;  /* [thread]: arc to be followed */
	uint32_t *number, *low, *circle;
	uint32_t *path, nr_path, *open, nr_open, nr_seen;
	bool has_circle;
};

static void come_to(struct search *s, uint32_t thread)
{
	s->number[thread] = s->low[thread] = ++s->nr_seen;
	s->path[s->nr_path++] = s->open[s->nr_open++] = thread;
}

/* All that can be reached from the end of the path has been. */
static void leave(struct search *s)
{
	uint32_t thread = s->path[--s->nr_path], member;

	if (s->nr_path && s->low[thread] < s->low[s->path[s->nr_path - 1]])
		s->low[s->path[s->nr_path - 1]] = s->low[thread];
	if (s->low[thread] != s->number[thread])
		return;
	s->has_circle |= s->open[s->nr_open - 1] != thread;
	do {
		member = s->open[--s->nr_open];
		s->circle[member] = thread;
		s->number[member] = UINT32_MAX; /* done */
	} while (member != thread);
}

static void search_from(struct search *s, uint32_t thread)
{
	come_to(s, thread);
	while (s->nr_path) {
		uint32_t at = s->path[s->nr_path - 1], to;

		if (s->next[at] == s->first[at + 1]) {
			leave(s);
			continue;
		}
		to = s->m->arcs[s->next[at]++].serves;
		if (!s->number[to])
			come_to(s, to);
		else if (s->number[to] < s->low[at])
			s->low[at] = s->number[to];
	}
}

bool syt_role_conflict_find(struct syt_role_conflict *m, uint32_t nr_threads)
{
	struct search s = {.m = m};
	size_t arc = 0;
	bool is_new;

	merge(m);
	s.first = syt_calloc(nr_threads + 1u, sizeof(*s.first));
	s.next = syt_calloc(nr_threads + 1u, sizeof(*s.next));
	s.number = syt_calloc(nr_threads + 1u, sizeof(*s.number));
	s.low = syt_calloc(nr_threads + 1u, sizeof(*s.low));
	s.path = syt_calloc(nr_threads + 1u, sizeof(*s.path));
	s.open = syt_calloc(nr_threads + 1u, sizeof(*s.open));
	s.circle = syt_calloc(nr_threads + 1u, sizeof(*s.circle));
	for (uint32_t i = 0; i <= nr_threads; i++) {
		while (arc < m->nr && m->arcs[arc].served < i)
			arc++;
		s.first[i] = s.next[i] = arc;
	}
	for (uint32_t i = 0; i < nr_threads; i++)
		if (!s.number[i])
			search_from(&s, i);
	is_new = m->circle ? memcmp(m->circle, s.circle, nr_threads * sizeof(*s.circle)) != 0
	                   : s.has_circle;
	free(m->circle);
	m->circle = s.circle;
	m->nr_threads = nr_threads;
	free(s.first);
	free(s.next);
	free(s.number);
	free(s.low);
	free(s.path);
	free(s.open);
	return is_new;
}

bool syt_role_conflict_is(const struct syt_role_conflict *m, uint32_t a, uint32_t b)
{
	return m->circle && a < m->nr_threads && b < m->nr_threads && m->circle[a] == m->circle[b];
}

void syt_role_conflict_close(struct syt_role_conflict *m)
{
	free(m->circle);
	free(m->arcs);
	memset(m, 0, sizeof(*m));
}
