/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Fills the tables of the database that contain requests: their clusters, their work and their steps, as the verbs requests
 * and workload print them.
 *
 * These tables have happens-before edges of their own. The hand-offs among them are therefore not in the table edges.
 * Without call stacks, the steps of a request have no names. The tables then contain the requests alone.
 */
#include <string.h>

#include "decoder/analysis/request.h"
#include "decoder/export/sqlite_row.h"
#include "decoder/show/print.h"
#include "decoder/request/cluster.h"
#include "decoder/request/gather.h"
#include "decoder/show/client.h"

/* The requests of the trace. GATHERED and CLUSTERS are NULL without call stacks. */
struct exported_requests {
	const struct syt_requests *all;
	struct syt_gathered *gathered;
	const struct syt_clusters *clusters;
};

static void put_clusters(struct syt_sqlite *w, const struct exported_requests *q)
{
	struct syt_sqlite_row r = {syt_sqlite_prepare(w, "request_cluster", 3), 0};
	const struct syt_gathered *g = q->gathered;

	SYT_EACH(k, 0, q->clusters->nr) {
		const struct syt_cluster *c = &q->clusters->all[k];

		if (w->is_failed)
			break;
		syt_sqlite_u64(&r, k);
		syt_sqlite_count(&r, c->count);
		syt_sqlite_u64(&r, g->request_of[c->representative - g->first_member] + 1);
		syt_sqlite_end_row(w, &r);
	}
	sqlite3_finalize(r.statement);
}

/* Binds the cluster and the behaviour of the request with the index N, or NULL. */
static void put_group(struct syt_sqlite_row *r, const struct exported_requests *q, uint64_t n)
{
	uint64_t member = q->gathered ? q->gathered->member_of[n] : SYT_REQUEST_NONE;
	bool is_known = member != SYT_REQUEST_NONE;

	syt_sqlite_if(r, is_known, is_known ? q->clusters->of[member] : 0);
	syt_sqlite_if(r, is_known,
	              is_known ? q->gathered->population->members[member].behaviour : 0);
}

static void put_request(struct syt_sqlite *w, struct syt_sqlite_row *r,
                        const struct exported_requests *of, uint64_t n)
{
	const struct syt_request_info *q = &of->all->all[n];
	bool is_ended = q->end_is != SYT_REQUEST_OPEN;
	char client[SYT_ADDRESS_TEXT];

	syt_sqlite_u64(r, n + 1);
	syt_sqlite_object(r, q->object);
	syt_sqlite_u64(r, q->x.received.thread);
	syt_sqlite_text(r, syt_request_client(of->all, q, client, sizeof(client)));
	syt_sqlite_u64(r, SYT_TIME_NS(q->begin));
	syt_sqlite_u64(r, SYT_TIME_NS(q->received_at));
	syt_sqlite_if(r, is_ended, SYT_TIME_NS(q->end));
	syt_sqlite_if(r, is_ended, SYT_TIME_NS(q->end) - SYT_TIME_NS(q->begin));
	syt_sqlite_word(r, syt_request_begin_word(q->begin_is));
	syt_sqlite_word(r, syt_request_end_word(q->end_is));
	syt_sqlite_u64(r, syt_request_counts(q));
	syt_sqlite_u64(r, (q->flags & SYT_REQUEST_INNER) != 0);
	syt_sqlite_u64(r, (q->flags & SYT_REQUEST_UNSURE) != 0);
	syt_sqlite_u64(r, (q->flags & SYT_REQUEST_INFERRED) != 0);
	syt_sqlite_u64(r, (q->flags & SYT_REQUEST_PIPELINED) != 0);
	syt_sqlite_count(r, q->x.bytes_received);
	syt_sqlite_count(r, q->x.bytes_sent);
	syt_sqlite_event(w, r, q->begun);
	syt_sqlite_event(w, r, q->x.received);
	syt_sqlite_event(w, r, q->ended);
	put_group(r, of, n);
	syt_sqlite_end_row(w, r);
}

static void put_requests(struct syt_sqlite *w, const struct exported_requests *q)
{
	struct syt_sqlite_row r = {syt_sqlite_prepare(w, "requests", 22), 0};

	SYT_EACH(n, 0, q->all->nr)
		if (!w->is_failed)
			put_request(w, &r, q, n);
	sqlite3_finalize(r.statement);
}

static void put_component(struct syt_sqlite *w, struct syt_sqlite_row *r, uint64_t n,
                          const char *component, const struct syt_work *work)
{
	syt_sqlite_u64(r, n + 1);
	syt_sqlite_text(r, component);
	syt_sqlite_u64(r, SYT_TIME_NS(work->ran));
	syt_sqlite_u64(
		r, syt_work_cpu(work)); /* an unknown CPU time exceeds 63 bits and becomes NULL */
	syt_sqlite_if(r, syt_work_cpu(work) != SYT_AMOUNT_UNKNOWN, SYT_TIME_NS(work->divided));
	syt_sqlite_count(r, work->received);
	syt_sqlite_count(r, work->sent);
	syt_sqlite_count(r, work->file_calls);
	syt_sqlite_count(r, work->file_bytes);
	syt_sqlite_u64(r, SYT_TIME_NS(work->file));
	syt_sqlite_u64(r, SYT_TIME_NS(work->lock));
	syt_sqlite_u64(r, SYT_TIME_NS(work->queue));
	syt_sqlite_u64(r, SYT_TIME_NS(work->other));
	syt_sqlite_end_row(w, r);
}

static void put_components(struct syt_sqlite *w, const struct exported_requests *q)
{
	struct syt_sqlite_row r = {syt_sqlite_prepare(w, "request_component", 13), 0};
	struct syt_gathered *g = q->gathered;

	SYT_EACH(n, 0, q->all->nr) {
		uint32_t nr;
		const struct syt_work *all = syt_works_of(g->works, n, &nr);

		for (uint32_t i = 0; i < nr && !w->is_failed; i++)
			put_component(w, &r, n, g->population->components.all[all[i].component],
			              &all[i]);
	}
	sqlite3_finalize(r.statement);
}

/* Writes the steps of the request with the index N. The numbers of brackets remain unused. */
static void put_steps_of(struct syt_sqlite *w, struct syt_sqlite_row *r, struct syt_gathered *g,
                         uint64_t n)
{
	uint32_t nr, depth = 0;
	const struct syt_request_step *steps = syt_behaviours_steps(g->behaviours, n, &nr);

	for (uint32_t i = 0; i < nr && !w->is_failed; i++) {
		const struct syt_request_step *s = &steps[i];

		if (s->at.thread == SYT_NONE) {
			bool opens = !strcmp(g->population->symbols.all[s->symbol], "[");

			depth += opens ? 1 : UINT32_MAX;
			continue;
		}
		const struct syt_row *row = syt_place_row(&g->order->places, s->at);

		syt_sqlite_u64(r, n + 1);
		syt_sqlite_u64(r, i);
		syt_sqlite_event(w, r, s->at);
		syt_sqlite_event(w, r, g->extents.segments[s->segment].from);
		syt_sqlite_u64(r, depth);
		syt_sqlite_u64(r, s->symbol);
		syt_sqlite_u64(r, SYT_TIME_NS(row->in));
		syt_sqlite_u64(r, SYT_TIME_NS(row->out));
		syt_sqlite_end_row(w, r);
	}
}

static void put_steps(struct syt_sqlite *w, const struct exported_requests *q)
{
	struct syt_sqlite_row r = {syt_sqlite_prepare(w, "request_step", 8), 0};

	SYT_EACH(n, 0, q->all->nr)
		if (!w->is_failed)
			put_steps_of(w, &r, q->gathered, n);
	sqlite3_finalize(r.statement);
}

/* Writes the names of steps. The function is called after put_steps(), which may add symbols of requests outside the
 * population. */
static void put_symbols(struct syt_sqlite *w, const struct exported_requests *q)
{
	struct syt_sqlite_row r = {syt_sqlite_prepare(w, "request_symbol", 2), 0};
	const struct syt_text_set *symbols = &q->gathered->population->symbols;

	for (uint32_t n = 0; n < symbols->nr && !w->is_failed; n++) {
		syt_sqlite_u64(&r, n);
		syt_sqlite_text(&r, symbols->all[n]);
		syt_sqlite_end_row(w, &r);
	}
	sqlite3_finalize(r.statement);
}

/* Writes all tables of requests, with the order O. Returns false after a message. */
static bool put_gathered(struct syt_sqlite *w, struct syt_order *o)
{
	struct syt_population population = {0};
	struct syt_clusters clusters;
	struct syt_gathered g;
	bool is_good = !syt_gather_open(&g, o, w->x->symbols, &population, NULL);

	if (is_good) {
		struct exported_requests q = {&g.requests, &g, &clusters};

		syt_clusters_open(&clusters, &population);
		put_requests(w, &q);
		put_clusters(w, &q);
		put_components(w, &q);
		put_steps(w, &q);
		put_symbols(w, &q);
		syt_clusters_close(&clusters);
		syt_gather_close(&g);
	}
	syt_population_close(&population);
	return is_good;
}

void syt_sqlite_put_requests(struct syt_sqlite *w)
{
	struct exported_requests q = {0};
	struct syt_requests all;
	struct syt_order order;
	bool is_done = false;

	if (w->x->has_stacks && !syt_order_branch(&order, w->x->order, syt_extent_edges)) {
		is_done = put_gathered(w, &order);
		syt_order_close(&order);
	}
	if (is_done)
		return;
	syt_requests_open(&all, w->x->order);
	q.all = &all;
	put_requests(w, &q);
	syt_requests_close(&all);
}
