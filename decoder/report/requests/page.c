/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * The part of the report requests in the HTML page: the clusters, the work of the slowest requests, and the audit trails of
 * some of them. The list of the slowest requests is a part of critical-path.
 *
 * Times are nanoseconds from the begin of the request.
 */
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "decoder/html/write.h"
#include "decoder/report/requests/view.h"

#define MOST_REQUESTS 500u /* the slowest requests, like the list of critical-path */
#define MOST_TRAILS 100u   /* the slowest requests with a trail */
#define MOST_CLUSTERS 50u
#define MOST_EXAMPLES 20u      /* clusters whose example has a trail */
#define MOST_STEPS 400u        /* of one trail */
#define MOST_PIECES 400u       /* of one trail */
#define MOST_SYMBOL_BYTES 300u /* of the name of a step; the innermost functions remain */

struct part {
	struct syt_html *h;
	struct syt_gathered *g;
	const struct syt_clusters *clusters;
	struct syt_numbers symbols;
	bool *is_written; /* [request] */
};

/* Returns the time from the begin of the request R to AT, in ns. */
static uint64_t from_begin(const struct part *p, uint64_t r, syt_time at)
{
	syt_time begin = p->g->requests.all[r].begin;

	return at > begin ? SYT_TIME_NS(at) - SYT_TIME_NS(begin) : 0;
}

/* ---- work ---- */

static void put_work(const struct part *p, uint64_t r)
{
	struct syt_json *j = &p->h->j;
	uint32_t nr;
	const struct syt_work *all = syt_works_of(p->g->works, r, &nr);

	syt_json_begin(j, "work", '[');
	for (uint32_t i = 0; i < nr; i++) {
		const struct syt_work *w = &all[i];

		syt_json_begin(j, NULL, '{');
		syt_json_string(j, "component", p->g->population->components.all[w->component]);
		syt_json_u64(j, "ran", SYT_TIME_NS(w->ran));
		syt_requests_put_cpu(j, w);
		syt_json_u64(j, "received", w->received);
		syt_json_u64(j, "sent", w->sent);
		syt_json_u64(j, "files", w->file_calls);
		syt_json_u64(j, "file", SYT_TIME_NS(w->file));
		syt_json_u64(j, "lock", SYT_TIME_NS(w->lock));
		syt_json_u64(j, "queue", SYT_TIME_NS(w->queue));
		syt_json_u64(j, "other", SYT_TIME_NS(w->other));
		syt_json_end(j);
	}
	syt_json_end(j);
}

/* ---- trails ---- */

/* The threads and segments of a trail, in the order of their first steps. */
struct trail {
	uint64_t r;
	const struct syt_request_step *steps;
	uint32_t nr;
	uint32_t nr_kept; /* steps up to this one, including brackets, are on the page */
	uint32_t nr_left; /* steps that the page leaves out */
	uint32_t nr_threads, nr_segments;
	size_t room_threads, room_segments;
	struct lane {
		uint32_t thread, depth;
	} * threads;
	uint32_t *segments;
};

static uint32_t lane_of(struct trail *t, uint32_t thread, uint32_t depth)
{
	for (uint32_t i = 0; i < t->nr_threads; i++)
		if (t->threads[i].thread == thread)
			return i;
	*SYT_ADD(t->threads, t->nr_threads, t->room_threads) = (struct lane){thread, depth};
	return t->nr_threads - 1;
}

static uint32_t segment_of(struct trail *t, uint32_t segment)
{
	for (uint32_t i = t->nr_segments; i-- > 0;)
		if (t->segments[i] == segment)
			return i;
	*SYT_ADD(t->segments, t->nr_segments, t->room_segments) = segment;
	return t->nr_segments - 1;
}

/* Finds the threads and segments of the steps that the page shows. */
static void arrange(const struct part *p, struct trail *t)
{
	uint32_t depth = 0, nr = 0;

	for (uint32_t i = 0; i < t->nr; i++) {
		const struct syt_request_step *s = &t->steps[i];

		if (syt_trail_is_bracket(s)) {
			depth += syt_trail_opens(p->g, s) ? 1 : UINT32_MAX;
			continue;
		}
		if (nr == MOST_STEPS) {
			t->nr_left++;
			continue;
		}
		nr++;
		t->nr_kept = i + 1;
		lane_of(t, s->at.thread, depth);
		segment_of(t, s->segment);
	}
}

static void put_threads(const struct part *p, const struct trail *t)
{
	struct syt_json *j = &p->h->j;

	syt_json_begin(j, "threads", '[');
	for (uint32_t i = 0; i < t->nr_threads; i++) {
		uint32_t thread = t->threads[i].thread, row = p->h->row_of[thread];

		syt_json_begin(j, NULL, '{');
		syt_html_put_thread(p->h, "id", thread);
		syt_json_string(j, "program",
		                syt_image_component(p->g->order->places.threads[thread]->image));
		syt_json_i64(j, "row", row == SYT_NONE ? -1 : (int64_t)row);
		syt_json_u64(j, "depth", t->threads[i].depth);
		syt_json_end(j);
	}
	syt_json_end(j);
}

/* Writes an array with the begin of the work in the piece N, and its end. */
static void put_piece(const struct part *p, uint64_t r, uint32_t n)
{
	const struct syt_piece *piece = &p->g->extents.pieces[n];
	const struct syt_places *places = &p->g->order->places;
	const struct syt_thread *thread = places->threads[piece->thread];
	syt_time since = p->g->extents.segments[piece->segment].since;
	syt_time begin = syt_thread_row(thread, piece->first)->in;
	syt_time end = piece->end < thread->nr_rows ? syt_thread_row(thread, piece->end)->in
	                                            : syt_thread_row(thread, piece->end - 1)->out;
	uint64_t from = from_begin(p, r, begin > since ? begin : since);
	uint64_t to = from_begin(p, r, end);

	syt_json_u64(&p->h->j, NULL, from);
	syt_json_u64(&p->h->j, NULL, to > from ? to - from : 0);
}

static void put_segment(const struct part *p, struct trail *t, uint32_t segment,
                        uint32_t *nr_pieces)
{
	const struct syt_extents *e = &p->g->extents;
	const struct syt_request_segment *s = &e->segments[segment];
	const struct syt_piece *first = &e->pieces[e->by_segment[e->first_of_segment[segment]]];
	struct syt_json *j = &p->h->j;

	syt_json_begin(j, NULL, '{');
	syt_json_u64(j, "thread", lane_of(t, first->thread, 0));
	if (s->parent != SYT_NONE) {
		struct syt_place taken = {first->thread, s->taken};
		syt_time at = syt_place_row(&p->g->order->places, taken)->out;

		syt_json_u64(j, "from", lane_of(t, s->from.thread, 0));
		syt_json_u64(j, "since", from_begin(p, t->r, s->since));
		syt_json_u64(j, "taken", from_begin(p, t->r, at > s->since ? at : s->since));
		syt_host_error_json(j, "error",
		                    syt_trail_error(&p->g->order->places, s, first->thread));
		syt_json_string(j, "by", syt_trail_by(s));
		syt_json_bool(j, "inferred", s->is_inferred);
	}
	syt_json_begin(j, "pieces", '[');
	for (uint32_t n = e->first_of_segment[segment];
	     n < e->first_of_segment[segment + 1] && *nr_pieces < MOST_PIECES; n++, ++*nr_pieces)
		put_piece(p, t->r, e->by_segment[n]);
	syt_json_end(j);
	syt_json_end(j);
}

static void put_segments(const struct part *p, struct trail *t)
{
	uint32_t nr_pieces = 0;

	syt_json_begin(&p->h->j, "segments", '[');
	for (uint32_t i = 0; i < t->nr_segments; i++)
		put_segment(p, t, t->segments[i], &nr_pieces);
	syt_json_end(&p->h->j);
}

/* Writes an array: symbol, segment, begin of the step, time in the call, wait in the call, time that the thread ran after it.
 * A call that waited for the work begins with the work, unless the thread worked on the request before it. */
static void put_step(struct part *p, struct trail *t, const struct syt_request_step *s)
{
	const struct syt_request_segment *segment = &p->g->extents.segments[s->segment];
	const struct syt_row *r = syt_place_row(&p->g->order->places, s->at);
	uint32_t piece = syt_extents_piece(&p->g->extents, s->at);
	uint64_t from = from_begin(p, t->r, r->in > segment->since ? r->in : segment->since);
	uint64_t to = from_begin(p, t->r, r->out > segment->since ? r->out : segment->since);
	struct syt_work_step w = {0};
	struct syt_json *j = &p->h->j;
	uint64_t waited;

	if (piece != SYT_NONE)
		w = syt_works_step(p->g->works, piece, s->at);
	waited = SYT_TIME_NS(w.waited);
	if (from + waited > to)
		from = waited < to ? to - waited : 0;
	syt_json_begin(j, NULL, '[');
	syt_json_u64(j, NULL, syt_numbers_of(&p->symbols, s->symbol) - 1);
	syt_json_u64(j, NULL, segment_of(t, s->segment));
	syt_json_u64(j, NULL, from);
	syt_json_u64(j, NULL, to - from);
	syt_json_u64(j, NULL, waited);
	syt_json_u64(j, NULL, SYT_TIME_NS(w.ran));
	syt_json_end(j);
}

static void put_trail(struct part *p, uint64_t r)
{
	struct trail t = {.r = r};
	struct syt_json *j = &p->h->j;

	t.steps = syt_behaviours_steps(p->g->behaviours, r, &t.nr);
	arrange(p, &t);
	syt_json_begin(j, "trail", '{');
	put_segments(p, &t); /* before the threads, because a parent may have no step of its own */
	put_threads(p, &t);
	syt_json_begin(j, "steps", '[');
	for (uint32_t i = 0; i < t.nr_kept; i++)
		if (!syt_trail_is_bracket(&t.steps[i]))
			put_step(p, &t, &t.steps[i]);
	syt_json_end(j);
	syt_json_u64(j, "left", t.nr_left);
	syt_json_end(j);
	free(t.threads);
	free(t.segments);
}

/* ---- requests and clusters ---- */

static void put_request(struct part *p, uint64_t r, bool has_trail)
{
	const struct syt_request_info *info = &p->g->requests.all[r];
	uint64_t member = p->g->member_of[r];
	struct syt_json *j = &p->h->j;

	if (p->is_written[r] || member == SYT_REQUEST_NONE)
		return;
	p->is_written[r] = true;
	syt_json_begin(j, NULL, '{');
	syt_json_u64(j, "number", r + 1);
	syt_json_u64(j, "at", syt_html_at(p->h, info->begin));
	syt_json_u64(j, "length", from_begin(p, r, info->end));
	syt_host_error_json(j, "error", syt_host_error_of_request(&p->g->order->places, info));
	syt_json_u64(j, "cluster", p->clusters->of[member]);
	put_work(p, r);
	if (has_trail)
		put_trail(p, r);
	syt_json_end(j);
}

/* Returns the index of the request that is the example of the cluster K. */
static uint64_t example_of(const struct part *p, uint32_t k)
{
	return p->g->request_of[p->clusters->all[k].representative - p->g->first_member];
}

/* Writes the slowest requests, and the examples of clusters that are not among them. */
static void put_requests(struct part *p)
{
	const struct syt_requests *all = &p->g->requests;

	syt_json_begin(&p->h->j, "list", '[');
	for (uint64_t n = 0; n < all->nr_counted && n < MOST_TRAILS; n++)
		put_request(p, all->by_length[n], true);
	for (uint32_t k = 0; k < p->clusters->nr && k < MOST_EXAMPLES; k++)
		put_request(p, example_of(p, k), true);
	for (uint64_t n = 0; n < all->nr_counted && n < MOST_REQUESTS; n++)
		put_request(p, all->by_length[n], false);
	for (uint32_t k = 0; k < p->clusters->nr && k < MOST_CLUSTERS; k++)
		put_request(p, example_of(p, k), false);
	syt_json_end(&p->h->j);
}

static void put_clusters(const struct part *p)
{
	struct syt_json *j = &p->h->j;

	syt_json_u64(j, "clustered", p->g->population->nr_members);
	syt_json_u64(j, "behaviours", p->g->population->nr_behaviours);
	syt_json_u64(j, "nrClusters", p->clusters->nr);
	syt_json_begin(j, "clusters", '[');
	for (uint32_t k = 0; k < p->clusters->nr && k < MOST_CLUSTERS; k++) {
		syt_json_begin(j, NULL, '{');
		syt_json_u64(j, "requests", p->clusters->all[k].count);
		syt_json_u64(j, "example", example_of(p, k) + 1);
		syt_json_end(j);
	}
	syt_json_end(j);
}

/* Writes the name of a step. Of a long name, the outer functions are left out. */
static void put_symbol(struct syt_html *h, const char *text)
{
	size_t bytes = strlen(text);
	const char *at =
		bytes > MOST_SYMBOL_BYTES ? strchr(text + bytes - MOST_SYMBOL_BYTES, ';') : NULL;

	if (bytes <= MOST_SYMBOL_BYTES) {
		syt_json_string(&h->j, NULL, text);
		return;
	}
	at = at ? at : syt_symbol_short(text);
	syt_out_string(&h->words, "\xe2\x80\xa6");
	syt_out_safe_bytes(&h->words, at, strnlen(at, MOST_SYMBOL_BYTES));
	syt_html_put_words(h, NULL);
}

static void put_symbols(const struct part *p)
{
	syt_json_begin(&p->h->j, "symbols", '[');
	for (size_t n = 0; n < p->symbols.nr; n++)
		put_symbol(p->h, p->g->population->symbols.all[p->symbols.used[n]]);
	syt_json_end(&p->h->j);
}

static void put_part(struct syt_html *h, struct syt_gathered *g)
{
	struct syt_clusters clusters;
	struct part p = {.h = h, .g = g, .clusters = &clusters};

	syt_clusters_open(&clusters, g->population);
	p.is_written = syt_store_alloc(g->requests.nr, sizeof(*p.is_written));
	syt_json_begin(&h->j, "extents", '{');
	put_clusters(&p);
	put_requests(&p);
	put_symbols(&p);
	syt_json_end(&h->j);
	syt_store_free(p.is_written);
	syt_numbers_close(&p.symbols);
	syt_clusters_close(&clusters);
}

void syt_requests_find_page(const struct syt_view *of, struct syt_finding *f, struct syt_html *page)
{
	struct syt_population population = {0};
	struct syt_gathered g;

	(void)of;
	(void)f;
	if (!page) /* requests are no finding */
		return;
	if (!syt_html_requests(page)->nr_counted ||
	    syt_gather_open_with(&g, page->order, page->symbols, &population,
	                         syt_html_requests(page))) {
		syt_json_null(&page->j, "extents");
	} else {
		put_part(page, &g);
		syt_gather_close(&g);
	}
	syt_population_close(&population);
}
