/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/report/waits/role_conflict.h"

#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "base/compare.h"
#include "base/component.h"
#include "base/err.h"

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

/* Replaces the number of each circle by that of its first thread: the same circles have the same numbers.
 * True: there are circles. */
static bool name_circles(uint32_t *circle, uint32_t nr_threads)
{
	uint32_t *first = syt_alloc(nr_threads, sizeof(*first)); /* [circle] */
	bool has_circle = false;

	memset(first, 0xff, nr_threads * sizeof(*first));
	for (uint32_t i = 0; i < nr_threads; i++) {
		if (first[circle[i]] == UINT32_MAX)
			first[circle[i]] = i;
		circle[i] = first[circle[i]];
		has_circle |= circle[i] != i;
	}
	free(first);
	return has_circle;
}

bool syt_role_conflict_find(struct syt_role_conflict *m, uint32_t nr_threads)
{
	uint32_t *circle = syt_calloc(nr_threads, sizeof(*circle)), *serves;
	size_t *first = syt_calloc(nr_threads + 1u, sizeof(*first));
	bool is_new;

	merge(m);
	serves = syt_alloc(m->nr, sizeof(*serves));
	for (size_t i = 0; i < m->nr; i++)
		serves[i] = m->arcs[i].serves;
	for (uint32_t i = 0; i <= nr_threads; i++)
		first[i] = SYT_BISECT(k, 0, m->nr, m->arcs[k].served < i);
	syt_components_find(nr_threads, first, serves, circle);
	is_new = name_circles(circle, nr_threads);
	if (m->circle)
		is_new = memcmp(m->circle, circle, nr_threads * sizeof(*circle)) != 0;
	free(m->circle);
	m->circle = circle;
	m->nr_threads = nr_threads;
	free(first);
	free(serves);
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
