/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/analysis/request.h"

#include <string.h>

#include "base/compare.h"
#include "base/sort.h"

/* A call whose begin and end were recorded counts as a wait if it lasted this long (doc/reports.md, Waits). */
#define WAITED (UINT64_C(100000) << SYT_TIME_SHIFT)

#define NR_RANKS 3u /* of rank_of() */

#define WORD(name_, word_) word_,

const char *syt_request_begin_word(enum syt_request_begin b)
{
	static const char *const words[] = {SYT_REQUEST_BEGINS(WORD)};

	return words[b];
}

const char *syt_request_end_word(enum syt_request_end e)
{
	static const char *const words[] = {SYT_REQUEST_ENDS(WORD)};

	return words[e];
}

bool syt_request_counts(const struct syt_request_info *r)
{
	return r->end_is == SYT_REQUEST_ANSWERED &&
	       !(r->flags & (SYT_REQUEST_INNER | SYT_REQUEST_UNSURE));
}

/* Finds the send of the request's first bytes. Returns false if this send is unknown or ambiguous. *NEAR is an edge near that of the
 * previous request on the connection. */
static bool find_sent(const struct syt_order *o, struct syt_request_info *r, uint64_t *near)
{
	const struct syt_edges *edges = &o->edges;
	bool is_found = false;

	for (uint64_t n = syt_edges_from_near(edges, r->received_at, near);
	     n < edges->nr && syt_edge_end(edges, &edges->all[n]) == r->received_at; n++) {
		const struct syt_edge *e = &edges->all[n];
		syt_time begin;

		if (e->kind != SYT_EDGE_STREAM || e->object != r->object ||
		    syt_place_compare(e->to, r->x.received))
			continue;
		if (e->flags & SYT_EDGE_AMBIGUOUS)
			return false;
		begin = syt_edge_begin(edges, e);
		if (is_found && begin >= r->begin)
			continue;
		is_found = true;
		r->begin = begin;
		r->begun = e->from;
		if (e->flags & SYT_EDGE_INFERRED)
			r->flags |= SYT_REQUEST_INFERRED;
	}
	return is_found;
}

static void find_begin(const struct syt_order *o, struct syt_request_info *r, uint64_t *near)
{
	r->received_at = syt_place_row(&o->places, r->x.received)->out;
	if (find_sent(o, r, near)) {
		r->begin_is = SYT_REQUEST_SENT;
		return;
	}
	r->flags &= (uint8_t)~SYT_REQUEST_INFERRED;
	r->begin_is =
		r->x.reported.thread == SYT_NONE ? SYT_REQUEST_RECEIVED : SYT_REQUEST_REPORTED;
	r->begun = r->begin_is == SYT_REQUEST_RECEIVED ? r->x.received : r->x.reported;
	r->begin = syt_place_row(&o->places, r->begun)->out;
}

static void find_end(const struct syt_order *o, struct syt_request_info *r)
{
	r->ended = r->x.nr_sends ? r->x.answered : r->x.closed;
	r->end_is = r->x.nr_sends                 ? SYT_REQUEST_ANSWERED
	            : r->ended.thread == SYT_NONE ? SYT_REQUEST_OPEN
	                                          : SYT_REQUEST_CLOSED;
	r->end = r->end_is == SYT_REQUEST_OPEN ? 0 : syt_place_row(&o->places, r->ended)->out;
}

/* Marks the request R and the previous one on its connection if the client sent R before the answer to the previous one. */
static void find_pipelining(struct syt_request_info *previous, struct syt_request_info *r)
{
	if (r->begin_is != SYT_REQUEST_SENT || !previous->x.nr_sends ||
	    r->begin >= previous->x.first_answer)
		return;
	previous->flags |= SYT_REQUEST_PIPELINED;
	r->flags |= SYT_REQUEST_PIPELINED;
}

static void gather(struct syt_requests *rs, const struct syt_servers *s, uint32_t object)
{
	const struct syt_order *o = rs->order;
	struct syt_exchanges w = syt_exchanges_of(o, object);
	struct syt_request_info r = {.object = object};
	uint64_t before = rs->nr, near = 0;

	if (!syt_servers_is_outside(s, object, SYT_ACCEPTED_LISTENED))
		r.flags = SYT_REQUEST_INNER;
	while (syt_exchanges_next(&w, &r.x)) {
		struct syt_request_info one = r;

		if (!one.x.is_sure)
			one.flags |= SYT_REQUEST_UNSURE;
		find_begin(o, &one, &near);
		find_end(o, &one);
		if (rs->nr > before)
			find_pipelining(&rs->all[rs->nr - 1], &one);
		*SYT_STORE_ADD(rs->all, rs->nr, rs->room) = one;
	}
	rs->nr_connections += rs->nr > before;
	rs->nr_listened += rs->nr > before && s->accepted[object] == SYT_ACCEPTED_LISTENED;
}

/* The sorts compare small keys, because the requests may lie in a file (base/store.h). */
struct key {
	syt_time begin, received_at;
	uint64_t request; /* index in `all` before the sort */
};

static int by_begin(const void *a_, const void *b_, void *all_)
{
	const struct syt_request_info *all = all_;
	const struct key *a = a_, *b = b_;

	SYT_ORDER_BY(begin);
	SYT_ORDER_BY(received_at);
	SYT_ORDER(all[a->request].object, all[b->request].object);
	return syt_place_compare(all[a->request].x.received, all[b->request].x.received);
}

static void sort_by_begin(struct syt_requests *rs)
{
	struct key *keys = syt_store_alloc(rs->nr, sizeof(*keys));
	struct syt_request_info *sorted;

	SYT_EACH(n, 0, rs->nr)
		keys[n] = (struct key){rs->all[n].begin, rs->all[n].received_at, n};
	syt_sort_with(keys, rs->nr, sizeof(*keys), by_begin, rs->all);
	sorted = syt_store_alloc(rs->nr, sizeof(*sorted));
	SYT_EACH_FAR(n, (uint64_t)0, rs->nr)
		sorted[n] = rs->all[keys[n].request];
	syt_store_free(keys);
	syt_store_free(rs->all);
	rs->all = sorted;
	rs->room = rs->nr;
}

/* Returns 0 for a request that syt_request_counts(), 1 for another answered request, 2 for one without an
 * answer. */
static unsigned rank_of(const struct syt_request_info *r)
{
	return syt_request_counts(r) ? 0 : r->end_is == SYT_REQUEST_ANSWERED ? 1 : 2;
}

struct length {
	syt_time length; /* 0: no answer */
	uint64_t request;
};

/* The first rank first, then the longest request. */
static int longest_first(const void *a_, const void *b_)
{
	const struct length *a = a_, *b = b_;

	SYT_ORDER(b->length, a->length);
	SYT_ORDER_BY(request);
	return 0;
}

static void sort_by_length(struct syt_requests *rs)
{
	struct length *lengths = syt_store_alloc(rs->nr, sizeof(*lengths));
	uint64_t nr = 0, first;

	rs->by_length = syt_store_alloc(rs->nr, sizeof(*rs->by_length));
	for (unsigned rank = 0; rank < NR_RANKS; rank++) {
		first = nr;
		SYT_EACH(n, 0, rs->nr) {
			const struct syt_request_info *r = &rs->all[n];

			if (rank_of(r) == rank)
				lengths[nr++] = (struct length){
					r->end_is == SYT_REQUEST_ANSWERED ? r->end - r->begin : 0,
					n};
		}
		syt_sort(lengths + first, nr - first, sizeof(*lengths), longest_first);
	}
	SYT_EACH(n, 0, rs->nr)
		rs->by_length[n] = lengths[n].request;
	syt_store_free(lengths);
}

/* Returns the smallest length that at least NR of DIVISOR counted requests do not exceed. */
static syt_time at_rank(const struct syt_requests *rs, uint64_t nr, uint64_t divisor)
{
	uint64_t rank = (rs->nr_counted * nr + divisor - 1) / divisor;
	const struct syt_request_info *r = &rs->all[rs->by_length[rs->nr_counted - rank]];

	return r->end - r->begin;
}

static void count(struct syt_requests *rs)
{
	bool has_outer = false;

	for (uint64_t n = 0; n < rs->nr && !has_outer; n++)
		has_outer = !(rs->all[n].flags & SYT_REQUEST_INNER);
	SYT_EACH(n, 0, rs->nr) {
		struct syt_request_info *r = &rs->all[n];

		if (!has_outer) /* all requests are inner: the trace has no client */
			r->flags &= (uint8_t)~SYT_REQUEST_INNER;
		rs->nr_inner += !!(r->flags & SYT_REQUEST_INNER);
		rs->nr_unsure += !!(r->flags & SYT_REQUEST_UNSURE);
		rs->nr_pipelined += (r->flags & SYT_REQUEST_PIPELINED) &&
		                    !(r->flags & (SYT_REQUEST_INNER | SYT_REQUEST_UNSURE));
		rs->nr_of_end[r->end_is]++;
		if (syt_request_counts(r)) {
			rs->nr_counted++;
			rs->nr_of_begin[r->begin_is]++;
		}
	}
}

void syt_requests_open(struct syt_requests *rs, const struct syt_order *order)
{
	struct syt_servers s;

	memset(rs, 0, sizeof(*rs));
	rs->order = order;
	syt_servers_open(&s, order);
	for (uint32_t object = 0; object < order->objects.nr; object++)
		if (s.accepted[object] != SYT_ACCEPTED_NOT)
			gather(rs, &s, object);
	syt_servers_close(&s);
	sort_by_begin(rs);
	count(rs);
	sort_by_length(rs);
	if (rs->nr_counted) {
		rs->median = at_rank(rs, 1, 2);
		rs->p99 = at_rank(rs, 99, 100);
		rs->longest = at_rank(rs, 1, 1);
	}
}

void syt_requests_close(struct syt_requests *rs)
{
	syt_store_free(rs->all);
	syt_store_free(rs->by_length);
	memset(rs, 0, sizeof(*rs));
}

/* Returns the previous call of the thread on the epoll instance of AT, if this call ended after FROM. */
static struct syt_place looked_before(const struct syt_places *p, struct syt_place at,
                                      syt_time from)
{
	const struct syt_thread *t = p->threads[at.thread];
	uint32_t epoll = t->rows[at.row].object;

	while (epoll != SYT_NONE && at.row-- && syt_store_goes_on(at.row, SYT_STORE_STRIDE)) {
		if (t->rows[at.row].out <= from)
			break;
		if (t->rows[at.row].object == epoll &&
		    syt_place_call(p, at)->shape == SYT_SHAPE_READY)
			return at;
	}
	return (struct syt_place){SYT_NONE, 0};
}

bool syt_request_queued(const struct syt_requests *rs, const struct syt_request_info *r,
                        struct syt_request_queue *q)
{
	const struct syt_places *p = &rs->order->places;
	const struct syt_row *seen = syt_place_row(p, r->begun);
	struct syt_place looked;

	if (r->begin_is == SYT_REQUEST_SENT || seen->out - seen->in >= WAITED ||
	    r->x.before.thread == SYT_NONE)
		return false;
	*q = (struct syt_request_queue){r->x.before_at, r->x.before, r->begun};
	if (r->begin_is == SYT_REQUEST_REPORTED) {
		looked = looked_before(p, r->begun, q->from);
		if (looked.thread != SYT_NONE) {
			q->at = looked;
			q->from = syt_place_row(p, looked)->out;
		}
	}
	return q->from < seen->in;
}

uint64_t syt_request_meanwhile(const struct syt_requests *rs, const struct syt_request_info *r,
                               syt_time from, syt_time to, uint64_t *longest)
{
	syt_time most = 0;
	uint64_t nr = 0;

	*longest = SYT_REQUEST_NONE;
	SYT_EACH(n, 0, rs->nr) {
		if (rs->all[n].begin >= to)
			break;
		const struct syt_request_info *other = &rs->all[n];
		syt_time begin = other->received_at > from ? other->received_at : from,
			 end = other->end < to ? other->end : to;

		if (other == r || other->x.received.thread != r->x.received.thread || begin >= end)
			continue;
		nr++;
		if (end - begin > most) {
			most = end - begin;
			*longest = n;
		}
	}
	return nr;
}
