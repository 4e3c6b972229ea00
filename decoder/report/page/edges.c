/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Writes the happens-before edges of the HTML page: edges into and out of the waits that it shows. */

#include "base/bisect.h"
#include "decoder/host/summary.h"
#include "decoder/report/page/page.h"
#include "decoder/show/host_error.h"

#define MOST_EDGES 100000u

struct edges {
	struct syt_html *h;
	uint64_t *
		first; /* [row in the page]: index of its first wait in h->kept; one element more */
	/* [round of a barrier]: index + 1 of the edge from the last thread that arrived */
	uint64_t *into_round;
	uint64_t nr, nr_left_out;
	uint64_t *all; /* indices of the drawn edges in the trace */
};

static bool is_kept(const struct edges *e, struct syt_place at)
{
	uint32_t row = e->h->row_of[at.thread];
	uint64_t n;

	if (row == SYT_NONE)
		return false;
	/* The waits of a thread are disjoint, so they are also sorted by row. */
	n = SYT_BISECT(i, e->first[row], e->first[row + 1], e->h->kept[i].row < at.row);
	return n < e->first[row + 1] && e->h->kept[n].row == at.row;
}

/* Returns the edge whose source is the source of edge N. If edge N leaves a round of a barrier, this is the edge
 * from the last thread that arrived. */
static const struct syt_edge *source_of(const struct edges *e, uint64_t n)
{
	const struct syt_edges *all = &e->h->order->edges;
	const struct syt_edge *edge = &all->all[n];

	if (edge->from.thread != SYT_NONE)
		return edge;
	return e->into_round[edge->from.row] ? &all->all[e->into_round[edge->from.row] - 1] : NULL;
}

static bool is_drawn(const struct edges *e, const struct syt_edge *from, const struct syt_edge *to)
{
	return from && to->to.thread != SYT_NONE && from->from.thread != SYT_NONE &&
	       from->from.thread != to->to.thread && e->h->row_of[from->from.thread] != SYT_NONE &&
	       e->h->row_of[to->to.thread] != SYT_NONE;
}

static void find(struct edges *e)
{
	const struct syt_edges *all = &e->h->order->edges;

	/* first the edges that ended a wait, then the edges out of waits */
	for (unsigned is_out = 0; is_out < 2; is_out++)
		SYT_EACH(n, 0, all->nr) {
			const struct syt_edge *from = source_of(e, n);

			if (!is_drawn(e, from, &all->all[n]) ||
			    is_kept(e, all->all[n].to) == is_out ||
			    (is_out && !is_kept(e, from->from)))
				continue;
			if (e->nr < MOST_EDGES)
				e->all[e->nr++] = n;
			else
				e->nr_left_out++;
		}
}

static void find_rounds(struct edges *e)
{
	const struct syt_edges *all = &e->h->order->edges;

	for (uint64_t n = 0; n < all->nr; n++) {
		const struct syt_edge *edge = &all->all[n];
		uint64_t *into;

		if (edge->to.thread != SYT_NONE || edge->from.thread == SYT_NONE)
			continue;
		into = &e->into_round[edge->to.row];
		if (!*into || syt_edge_begin(all, edge) > syt_edge_begin(all, &all->all[*into - 1]))
			*into = n + 1;
	}
}

enum column {
	KIND,
	DOUBT,
	FROM,
	FROM_EVENT,
	FROM_TIME,
	FROM_STACK,
	TO,
	TO_EVENT,
	TO_TIME,
	NR_COLUMNS
};

static uint64_t value(const struct edges *e, uint64_t n, enum column column)
{
	const struct syt_order *o = e->h->order;
	const struct syt_edge *to = &o->edges.all[n], *from = source_of(e, n);
	unsigned flags = to->flags | from->flags;

	switch (column) {
	case KIND:
		return to->kind;
	case DOUBT:
		return flags & SYT_EDGE_AMBIGUOUS ? 1 : flags & SYT_EDGE_INFERRED ? 2 : 0;
	case FROM:
		return e->h->row_of[from->from.thread];
	case FROM_EVENT:
		return o->places.threads[from->from.thread]->base + from->from.row;
	case FROM_TIME:
		return syt_html_at(e->h, syt_edge_begin(&o->edges, from));
	case FROM_STACK:
		return syt_html_stack(e->h, syt_label_side(e->h->labels, from->from));
	case TO:
		return e->h->row_of[to->to.thread];
	case TO_EVENT:
		return o->places.threads[to->to.thread]->base + to->to.row;
	default:
		return syt_html_at(e->h, syt_edge_end(&o->edges, to));
	}
}

/* Writes the errors of the edges in a trace of several hosts: null within one host, -1 if no limit is known. */
static void put_errors(const struct edges *e)
{
	const struct syt_order *o = e->h->order;

	if (syt_hosts_nr(o->places.trace) < 2)
		return;
	syt_json_begin(&e->h->j, "error", '[');
	for (uint64_t n = 0; n < e->nr; n++) {
		const struct syt_edge *to = &o->edges.all[e->all[n]];
		const struct syt_edge *from = source_of(e, e->all[n]);
		struct syt_host_error error =
			syt_host_error_of(&o->places, from->from, syt_edge_begin(&o->edges, from),
		                          to->to, syt_edge_end(&o->edges, to));

		if (!error.is_between)
			syt_json_null(&e->h->j, NULL);
		else
			syt_json_i64(&e->h->j, NULL,
			             error.ns == UINT64_MAX ? -1 : (int64_t)error.ns);
	}
	syt_json_end(&e->h->j);
}

static void put(struct edges *e)
{
	static const char *const names[] = {"kind",      "doubt",    "from",
	                                    "fromEvent", "fromTime", "fromStack",
	                                    "to",        "toEvent",  "toTime"};
	struct syt_json *j = &e->h->j;

	syt_json_begin(j, "edges", '{');
	for (unsigned c = 0; c < NR_COLUMNS; c++) {
		syt_json_begin(j, names[c], '[');
		for (uint64_t n = 0; n < e->nr; n++)
			syt_json_u64(j, NULL, value(e, e->all[n], (enum column)c));
		syt_json_end(j);
	}
	put_errors(e);
	syt_json_end(j);
	syt_json_begin(j, "edgeKinds", '[');
	for (unsigned n = 0; n < SYT_NR_EDGE_KINDS; n++)
		syt_json_string(j, NULL, syt_edge_kind_text((enum syt_edge_kind)n));
	syt_json_end(j);
	syt_json_begin(j, "doubts", '[');
	syt_json_string(j, NULL, "");
	syt_json_string(j, NULL, "one of several");
	syt_json_string(j, NULL, "the two ends are inferred");
	syt_json_end(j);
}

void syt_html_put_edges(struct syt_html *h)
{
	struct edges e = {
		.h = h,
		.first = syt_store_alloc((uint64_t)h->nr_drawn + 1, sizeof(*e.first)),
		.into_round = syt_store_alloc(h->order->edges.nr_rounds, sizeof(*e.into_round)),
		.all = syt_store_alloc(MOST_EDGES, sizeof(*e.all)),
	};
	uint64_t at = 0;

	for (uint32_t row = 0; row < h->nr_drawn; row++) {
		e.first[row] = at;
		while (at < h->nr_kept && h->kept[at].thread == h->drawn[row])
			at++;
	}
	e.first[h->nr_drawn] = at;
	find_rounds(&e);
	find(&e);
	put(&e);
	h->content->nr_edges = e.nr;
	h->content->nr_edges_left_out = e.nr_left_out;
	syt_store_free(e.first);
	syt_store_free(e.into_round);
	syt_store_free(e.all);
}
