/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/host/message.h"

#include "base/bisect.h"
#include "base/compare.h"
#include "base/sort.h"
#include "base/store.h"

/* Sends whose times overlap: an array element of the sends of one end. */
struct burst {
	uint64_t begin, end;
	syt_time from, to; /* begin of the earliest, end of the latest */
};

struct range {
	const struct syt_host_move *all;
	uint64_t nr;
};

static struct range range_of(const struct syt_host_moves *moves, uint32_t of,
                             enum syt_host_what what)
{
	const struct syt_host_move *m = moves->all;
	uint64_t from =
		SYT_BISECT(i, 0, moves->nr, m[i].of < of || (m[i].of == of && m[i].what < what));
	uint64_t to = SYT_BISECT(i, from, moves->nr, m[i].of == of && m[i].what == what);

	return (struct range){m + from, to - from};
}

/* Joins the moves of RANGE that overlap in time. Returns the number of bursts. */
static uint64_t join(const struct range *range, struct burst *bursts)
{
	uint64_t nr = 0;

	for (uint64_t n = 0; n < range->nr; n++) {
		const struct syt_host_move *m = &range->all[n];
		struct burst *last = nr ? &bursts[nr - 1] : NULL;

		if (!last || m->from >= last->to) {
			bursts[nr++] = (struct burst){m->begin, m->end, m->from, m->to};
			continue;
		}
		last->begin = m->begin < last->begin ? m->begin : last->begin;
		last->end = m->end > last->end ? m->end : last->end;
		last->to = m->to > last->to ? m->to : last->to;
	}
	return nr;
}

/* Returns true if positions grow with time, as they do if only traced processes use the socket. */
static bool is_growing(const struct burst *b, uint64_t nr)
{
	for (uint64_t n = 1; n < nr; n++)
		if (b[n].begin < b[n - 1].end)
			return false;
	return true;
}

/* One direction of a connection. */
struct way {
	const struct syt_host_moves *moves;
	const struct syt_host_ends *ends;
	uint32_t from, to; /* ends */
	syt_time
		deaf; /* begin of the shutdown of receiving, which makes the socket readable, too */
	syt_message_taker *take;
	void *context;
};

static void take_message(const struct way *w, syt_time sent, syt_time received)
{
	w->take(w->context, w->from, sent, received);
}

/* The sends of an end. */
struct sends {
	struct burst *all;
	uint64_t nr;
};

/* Takes the message that ends at RECEIVED and contains the byte at POSITION. HINT: index of a burst nearby. */
static void take_byte(const struct way *w, const struct sends *s, uint64_t *hint, uint64_t position,
                      syt_time received)
{
	uint64_t k = *hint;

	while (k < s->nr && s->all[k].end <= position)
		k++;
	while (k && (k == s->nr || s->all[k].begin > position))
		k--;
	*hint = k;
	if (k < s->nr && s->all[k].begin <= position && s->all[k].end > position &&
	    s->all[k].end <= w->ends->all[w->from].sure)
		take_message(w, s->all[k].from, received);
}

static void take_received(const struct way *w, const struct sends *s)
{
	struct range recvs = range_of(w->moves, w->to, SYT_HOST_RECV);
	struct burst *in = syt_store_alloc(recvs.nr, sizeof(*in));
	uint64_t nr = join(&recvs, in), hint = 0;

	/* the burst that sent the last byte began after the bursts of the other bytes */
	for (uint64_t n = 0; n < nr; n++)
		take_byte(w, s, &hint, in[n].end - 1, in[n].to);
	syt_store_free(in);
}

/* ---- the end of file ---- */

/* Returns the begin of the call that ended the sending of FROM at the latest, or 0 if it is unknown. */
static syt_time end_of_sending(const struct way *w)
{
	struct range shut = range_of(w->moves, w->from, SYT_HOST_SHUT);
	struct range closes = range_of(w->moves, w->from, SYT_HOST_CLOSE);

	return shut.nr ? shut.all[0].from : closes.nr ? closes.all[closes.nr - 1].from : 0;
}

static void take_end(const struct way *w)
{
	struct range eof = range_of(w->moves, w->to, SYT_HOST_EOF);
	syt_time sent = end_of_sending(w), first = UINT64_MAX;

	for (uint64_t n = 0; n < eof.nr; n++)
		first = eof.all[n].to < first ? eof.all[n].to : first;
	if (sent && first < w->deaf)
		take_message(w, sent, first);
}

/* Returns the position at which the end of file is, or UINT64_MAX if it is unknown. */
static uint64_t end_position(const struct way *w)
{
	const struct syt_host_end *from = &w->ends->all[w->from], *to = &w->ends->all[w->to];

	if (from->is_whole)
		return from->sent;
	return to->is_whole && range_of(w->moves, w->to, SYT_HOST_EOF).nr ? to->received
	                                                                  : UINT64_MAX;
}

/* ---- readiness ---- */

SYT_COMPARATOR(by_to, struct syt_host_move)
{
	SYT_ORDER_BY(to);
	SYT_ORDER_BY(end);
	return 0;
}

/* Returns the receives of the end TO that consumed bytes, in the order of their end. */
static struct syt_host_move *consumed(const struct way *w, uint64_t *nr)
{
	struct range recvs = range_of(w->moves, w->to, SYT_HOST_RECV);
	struct syt_host_move *all = syt_store_alloc(recvs.nr, sizeof(*all));

	*nr = 0;
	for (uint64_t n = 0; n < recvs.nr; n++)
		if (!recvs.all[n].is_peek)
			all[(*nr)++] = recvs.all[n];
	syt_sort(all, *nr, sizeof(*all), by_to);
	return all;
}

static void take_ready(const struct way *w, const struct sends *s)
{
	struct range ready = range_of(w->moves, w->to, SYT_HOST_READY);
	struct range own = range_of(w->moves, w->to, SYT_HOST_CONNECT);
	const struct syt_host_end *to = &w->ends->all[w->to];
	bool may_have_failed = range_of(w->moves, w->to, SYT_HOST_FAILED).nr ||
	                       !range_of(w->moves, w->to, SYT_HOST_EOF).nr;
	syt_time sent = end_of_sending(w);
	uint64_t nr = 0, k = 0, hint = 0, position = to->received_before, end = end_position(w);
	struct syt_host_move *recvs = ready.nr ? consumed(w, &nr) : NULL;

	for (uint64_t n = 0; n < ready.nr; n++) {
		const struct syt_host_move *m = &ready.all[n];

		/* at least the bytes before POSITION were received before the call */
		for (; k < nr && recvs[k].to <= m->from; k++)
			position = recvs[k].end > position ? recvs[k].end : position;
		/* select() also reports a socket that is not connected, or has an error */
		if (m->to >= w->deaf || (own.nr && m->from < own.all[0].from) ||
		    (m->may_be_error && may_have_failed && position >= to->received))
			continue;
		if (position < end)
			take_byte(w, s, &hint, position, m->to);
		else if (sent && end != UINT64_MAX)
			take_message(w, sent, m->to);
	}
	syt_store_free(recvs);
}

/* ---- connections ---- */

/* Takes the message from the begin CONNECT to the first report of the listening socket for the accept call A. */
static void take_queued(const struct way *w, syt_time connect, const struct syt_host_move *a)
{
	uint32_t listener = (uint32_t)a->begin;
	struct range takes = range_of(w->moves, listener, SYT_HOST_TAKE);
	struct range ready = range_of(w->moves, listener, SYT_HOST_READY);
	uint64_t n = SYT_BISECT(i, 0, takes.nr, takes.all[i].from < a->from);

	if (!w->ends->all[listener].is_whole || n == takes.nr ||
	    (n + 1 < takes.nr && takes.all[n + 1].from <= a->to))
		return;
	for (uint64_t k = SYT_BISECT(i, 0, ready.nr, ready.all[i].from <= takes.all[n].end);
	     k < ready.nr && ready.all[k].from <= a->from; k++)
		if (ready.all[k].to <= a->from)
			take_message(w, connect, ready.all[k].to);
}

void syt_messages_of(const struct syt_host_moves *moves, const struct syt_host_ends *ends,
                     uint32_t from, syt_message_taker *take, void *context)
{
	struct way w = {moves, ends, from, ends->all[from].peer, UINT64_MAX, take, context};
	struct range connect = range_of(moves, from, SYT_HOST_CONNECT);
	struct range accept = range_of(moves, w.to, SYT_HOST_ACCEPT);
	struct range deaf = range_of(moves, w.to, SYT_HOST_DEAF);
	struct range out = range_of(moves, from, SYT_HOST_SEND);
	struct sends sends = {syt_store_alloc(out.nr, sizeof(*sends.all)), 0};

	if (deaf.nr)
		w.deaf = deaf.all[0].from;
	if (connect.nr && accept.nr) {
		take_message(&w, connect.all[0].from, accept.all[0].to);
		if (accept.all[0].begin != SYT_NONE)
			take_queued(&w, connect.all[0].from, &accept.all[0]);
	}
	sends.nr = join(&out, sends.all);
	/* peeked bytes are received again, so only the positions of sends must grow */
	if (is_growing(sends.all, sends.nr)) {
		take_received(&w, &sends);
		take_ready(&w, &sends);
	}
	take_end(&w);
	syt_store_free(sends.all);
}
