/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/edge.h"

#include <stdlib.h>
#include <string.h>

#include "decoder/compare.h"
#include "decoder/err.h"

enum instant { INSTANT_IN, INSTANT_OUT };

/* clang-format off */
static const struct {
	const char *text;
	enum instant from, to;
} kinds[] = {
#define EDGE(name_, text_, from_, to_) {text_, INSTANT_##from_, INSTANT_##to_},
#include "decoder/edge-kinds.def"
};
/* clang-format on */

void syt_edges_open(struct syt_edges *e, const struct syt_places *places)
{
	memset(e, 0, sizeof(*e));
	e->places = places;
}

void syt_edges_close(struct syt_edges *e)
{
	free(e->all);
	free(e->rounds);
	memset(e, 0, sizeof(*e));
}

static syt_time instant(const struct syt_edges *e, struct syt_place at, enum instant which)
{
	if (at.thread == SYT_NONE)
		return e->rounds[at.row].at;
	return which == INSTANT_IN ? syt_place_row(e->places, at)->in
	                           : syt_place_row(e->places, at)->out;
}

syt_time syt_edge_begin(const struct syt_edges *e, const struct syt_edge *edge)
{
	return instant(e, edge->from, kinds[edge->kind].from);
}

syt_time syt_edge_end(const struct syt_edges *e, const struct syt_edge *edge)
{
	return instant(e, edge->to, kinds[edge->kind].to);
}

bool syt_edge_is_at_end(const struct syt_edge *edge, bool is_from)
{
	return (is_from ? kinds[edge->kind].from : kinds[edge->kind].to) == INSTANT_OUT;
}

bool syt_edges_add(struct syt_edges *e, struct syt_edge edge)
{
	if (syt_edge_begin(e, &edge) > syt_edge_end(e, &edge)) {
		if (!e->nr_defects++)
			e->first_defect = edge;
		return false;
	}
	syt_grow(&e->all, &e->room, e->nr + 1, sizeof(*e->all));
	e->all[e->nr++] = edge;
	return true;
}

struct syt_place syt_edges_round(struct syt_edges *e, struct syt_round round)
{
	syt_grow(&e->rounds, &e->room_rounds, e->nr_rounds + 1, sizeof(*e->rounds));
	e->rounds[e->nr_rounds] = round;
	return (struct syt_place){SYT_NONE, (uint32_t)e->nr_rounds++};
}

/* An edge with its times, so that sorting does not look them up again and again. */
struct keyed {
	syt_time end, begin;
	struct syt_edge edge;
};

static int compare(const void *a_, const void *b_)
{
	const struct keyed *a = a_, *b = b_;

	SYT_ORDER_BY(end);
	SYT_ORDER_BY(begin);
	SYT_ORDER_BY(edge.to.thread);
	SYT_ORDER_BY(edge.to.row);
	SYT_ORDER_BY(edge.from.thread);
	SYT_ORDER_BY(edge.from.row);
	SYT_ORDER_BY(edge.kind);
	SYT_ORDER_BY(edge.object);
	SYT_ORDER_BY(edge.bytes);
	return 0;
}

void syt_edges_sort(struct syt_edges *e)
{
	struct keyed *k = syt_alloc(e->nr, sizeof(*k));

	for (uint64_t i = 0; i < e->nr; i++)
		k[i] = (struct keyed){syt_edge_end(e, &e->all[i]), syt_edge_begin(e, &e->all[i]),
		                      e->all[i]};
	if (e->nr)
		qsort(k, e->nr, sizeof(*k), compare);
	for (uint64_t i = 0; i < e->nr; i++)
		e->all[i] = k[i].edge;
	free(k);
}

const char *syt_edge_kind_text(enum syt_edge_kind kind)
{
	return kinds[kind].text;
}

const char *syt_edge_class_text(enum syt_edge_class class)
{
	static const char *const texts[] = {"causal", "run-after", "inferred"};

	return texts[class];
}

enum syt_edge_kind syt_edge_kind_find(const char *text)
{
	unsigned i = 0;

	while (i < SYT_NR_EDGE_KINDS && strcmp(kinds[i].text, text))
		i++;
	return (enum syt_edge_kind)i;
}
