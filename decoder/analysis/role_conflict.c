/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/analysis/role_conflict.h"

#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "base/compare.h"
#include "base/component.h"
#include "base/err.h"

#define MERGE_LEAST 4096u /* least number of new arcs after which duplicates are removed */

static int in_order(const void *a_, const void *b_)
{
	const struct syt_role_conflict_arc *a = a_, *b = b_;

	SYT_ORDER_BY(client);
	SYT_ORDER_BY(server);
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

void syt_role_conflict_note(struct syt_role_conflict *m, uint32_t client, uint32_t server)
{
	if (m->nr >= m->merge_at) {
		merge(m);
		m->merge_at = 2 * m->nr + MERGE_LEAST;
	}
	syt_grow(&m->arcs, &m->room, m->nr + 1, sizeof(*m->arcs));
	m->arcs[m->nr++] = (struct syt_role_conflict_arc){client, server};
}

/* Replaces the number of each component by the index of its first thread, so that equal components have equal
 * numbers in each call. Returns true if a component has two threads or more, that is, a cycle. */
static bool name_components(uint32_t *component, uint32_t nr_threads)
{
	/* [component]: index of its first thread */
	uint32_t *first = syt_alloc(nr_threads, sizeof(*first));
	bool has_cycle = false;

	memset(first, 0xff, nr_threads * sizeof(*first));
	for (uint32_t i = 0; i < nr_threads; i++) {
		if (first[component[i]] == UINT32_MAX)
			first[component[i]] = i;
		component[i] = first[component[i]];
		has_cycle |= component[i] != i;
	}
	free(first);
	return has_cycle;
}

bool syt_role_conflict_find(struct syt_role_conflict *m, uint32_t nr_threads)
{
	uint32_t *component = syt_calloc(nr_threads, sizeof(*component)), *servers;
	size_t *first = syt_calloc(nr_threads + 1u, sizeof(*first));
	bool is_new;

	merge(m);
	servers = syt_alloc(m->nr, sizeof(*servers));
	for (size_t i = 0; i < m->nr; i++)
		servers[i] = m->arcs[i].server;
	for (uint32_t i = 0; i <= nr_threads; i++)
		first[i] = SYT_BISECT(k, 0, m->nr, m->arcs[k].client < i);
	syt_components_find(nr_threads, first, servers, component);
	is_new = name_components(component, nr_threads);
	if (m->component)
		is_new = memcmp(m->component, component, nr_threads * sizeof(*component)) != 0;
	free(m->component);
	m->component = component;
	m->nr_threads = nr_threads;
	free(first);
	free(servers);
	return is_new;
}

bool syt_role_conflict_is(const struct syt_role_conflict *m, uint32_t a, uint32_t b)
{
	return m->component && a < m->nr_threads && b < m->nr_threads &&
	       m->component[a] == m->component[b];
}

void syt_role_conflict_close(struct syt_role_conflict *m)
{
	free(m->component);
	free(m->arcs);
	memset(m, 0, sizeof(*m));
}
