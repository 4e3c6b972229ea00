/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Fills the tables of the database that contain facts of the reports contention and critical-path. */
#include "decoder/analysis/critical_path.h"
#include "decoder/export/sqlite_row.h"
#include "decoder/report/contention/contention.h"
#include "decoder/report/critical_path/view.h"

/* Binds a call path, or NULL for SYT_NONE. */
static void put_path(const struct syt_sqlite *w, struct syt_sqlite_row *r, uint32_t side)
{
	syt_sqlite_text(r, side == SYT_NONE ? NULL : syt_label_side_text(w->x->labels, side));
}

static void put_blame(struct syt_sqlite *w, struct syt_sqlite_row *r, uint64_t number,
                      const struct syt_contention_lock *l, const struct syt_contention_blame *b)
{
	syt_sqlite_u64(r, number);
	syt_sqlite_object(r, l->object);
	syt_sqlite_word(r, syt_blame_word(b->blame.kind));
	syt_sqlite_u64(r, b->blame.is_passed_on);
	put_path(w, r, b->waiter);
	put_path(w, r, b->blame.direct);
	put_path(w, r, b->blame.side);
	syt_sqlite_object(r, b->blame.object);
	syt_sqlite_u64(r, b->nr_waits);
	syt_sqlite_u64(r, SYT_TIME_NS(b->blame.time));
	syt_sqlite_u64(r, SYT_TIME_NS(b->largest));
	syt_sqlite_event(w, r, b->wait);
	syt_sqlite_event(w, r, b->blame.at);
	syt_sqlite_end_row(w, r);
}

/* Without call stacks there are no call paths to charge, and the table stays empty. */
static void put_contention(struct syt_sqlite *w)
{
	struct syt_sqlite_row r = {syt_sqlite_prepare(w, "contention", 13), 0};
	struct syt_blamer blamer;
	struct syt_contention c;
	uint64_t number = 0;

	if (w->x->labels) {
		syt_blamer_open(&blamer, w->x->order, w->x->labels);
		syt_contention_open(&c, &blamer);
		for (size_t n = 0; n < c.nr_locks; n++)
			for (size_t k = 0; k < c.locks[n].nr_blames && !w->is_failed; k++)
				put_blame(w, &r, ++number, &c.locks[n], &c.locks[n].blames[k]);
		syt_contention_close(&c);
		syt_blamer_close(&blamer);
	}
	sqlite3_finalize(r.statement);
}

static void put_holding(struct syt_sqlite *w, struct syt_sqlite_row *r, uint64_t number,
                        uint32_t object, const struct syt_holding *h)
{
	bool is_ended = h->to != UINT64_MAX;

	syt_sqlite_u64(r, number);
	syt_sqlite_object(r, object);
	syt_sqlite_u64(r, h->acquire.thread);
	syt_sqlite_u64(r, SYT_TIME_NS(h->from));
	syt_sqlite_if(r, is_ended, SYT_TIME_NS(h->to));
	syt_sqlite_if(r, is_ended, SYT_TIME_NS(h->to) - SYT_TIME_NS(h->from));
	syt_sqlite_u64(r, h->is_shared);
	syt_sqlite_event(w, r, h->acquire);
	syt_sqlite_event(w, r, h->release);
	syt_sqlite_end_row(w, r);
}

static void put_holdings(struct syt_sqlite *w)
{
	const struct syt_order *o = w->x->order;
	struct syt_sqlite_row r = {syt_sqlite_prepare(w, "holdings", 9), 0};
	struct syt_lockset locks;
	struct syt_holdings h;
	uint64_t number = 0;

	syt_lockset_open(&locks, o);
	for (uint32_t n = 0; n < o->objects.nr && !w->is_failed; n++) {
		if (!syt_lockset_has(&locks, n))
			continue;
		syt_holdings_open(&h, o, n);
		for (size_t k = 0; k < h.nr; k++)
			put_holding(w, &r, ++number, n, &h.all[k]);
		for (size_t k = 0; k < h.nr_open; k++)
			put_holding(w, &r, ++number, n, &h.open[k]);
		syt_holdings_close(&h);
	}
	syt_lockset_close(&locks);
	sqlite3_finalize(r.statement);
}

static void put_segment(struct syt_sqlite *w, struct syt_sqlite_row *r, uint64_t number,
                        const struct syt_path_segment *s)
{
	bool is_handover = s->kind == SYT_PATH_HANDOVER;

	syt_sqlite_u64(r, number);
	syt_sqlite_word(r, syt_path_word(s->kind));
	syt_sqlite_u64(r, s->at.thread);
	syt_sqlite_u64(r, SYT_TIME_NS(s->from));
	syt_sqlite_u64(r, SYT_TIME_NS(s->to));
	syt_sqlite_u64(r, SYT_TIME_NS(s->to) - SYT_TIME_NS(s->from));
	syt_sqlite_event(w, r, s->at);
	syt_sqlite_event(w, r,
	                 s->begin == SYT_NONE ? (struct syt_place){SYT_NONE, 0}
	                                      : (struct syt_place){s->at.thread, s->begin});
	syt_sqlite_if(r, is_handover, s->edge + UINT64_C(1));
	syt_sqlite_if(r, is_handover, s->nr_candidates);
	syt_sqlite_u64(r, (s->flags & SYT_PATH_CHOICE) != 0);
	syt_sqlite_u64(r, (s->flags & SYT_PATH_INFERRED) != 0);
	syt_sqlite_end_row(w, r);
}

/* Writes the path that determined the end of the trace. */
static void put_critical_path(struct syt_sqlite *w)
{
	const struct syt_places *p = &w->x->order->places;
	struct syt_sqlite_row r = {syt_sqlite_prepare(w, "critical_path", 12), 0};
	struct syt_place first, last;
	struct syt_path path;

	if (syt_path_ends(p, &first, &last) &&
	    !syt_path_open(&path, w->x->order, syt_place_row(p, first)->in, last)) {
		SYT_EACH(n, 0, path.nr)
			if (!w->is_failed)
				put_segment(w, &r, n + 1, &path.all[n]);
		syt_path_close(&path);
	}
	sqlite3_finalize(r.statement);
}

void syt_sqlite_put_facts(struct syt_sqlite *w)
{
	put_contention(w);
	put_holdings(w);
	syt_sqlite_put_requests(w);
	put_critical_path(w);
}
