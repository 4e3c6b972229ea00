/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Barriers: a round of a barrier has `count` arrivals and as many departures. No thread leaves the round before all
 * its threads have arrived. One thread of the round gets PTHREAD_BARRIER_SERIAL_THREAD (serial thread).
 *
 * The proof does not need to know the threads of a round. The k-th departure in time (out) belongs to round k /
 * count or to a later round. Therefore (k / count + 1) * count arrivals (in) came before it. There are as many
 * serial threads as rounds. If departures are missing in the last round, their threads were stopped.
 */
#include "decoder/check/check.h"
#include "base/compare.h"
#include "base/sort.h"

#define LEFT_EARLY                                                                                 \
	"the first thread left the barrier before the second thread, the last one, had arrived"

struct wait {
	syt_time at;
	struct syt_place place;
};

struct barrier {
	struct syt_check *c;
	uint32_t object;
	uint64_t nr, nr_serial, count;
	struct wait *arrivals, *departures;
};

SYT_COMPARATOR(by_time, struct wait)
{
	SYT_ORDER_BY(at);
	return syt_place_compare(a->place, b->place);
}

/* Collects the waits at a barrier. Returns false if the waits disagree about the number of threads in a round. */
static bool collect(struct barrier *b, const struct syt_history *h)
{
	const struct syt_places *p = &b->c->order->places;
	bool is_one = true;

	for (uint64_t i = 0; i < h->nr; i++) {
		struct syt_place at = h->touches[i].place;
		const struct syt_row *r = syt_place_row(p, at);
		uint64_t count = syt_place_extra(p, at)->count;

		if (!syt_touch_is(&h->touches[i], SYT_SHAPE_BARRIER_WAIT))
			continue;
		is_one &= !b->nr || count == b->count;
		b->count = count;
		b->nr_serial += r->result == -1;
		b->arrivals[b->nr] = (struct wait){r->in, at};
		b->departures[b->nr++] = (struct wait){r->out, at};
	}
	return is_one && (!b->nr || b->count);
}

static void check_rounds(struct barrier *b)
{
	uint64_t nr_rounds = b->nr / b->count, left = b->nr % b->count;
	uint64_t unrecorded = syt_check_unrecorded(b->c, b->object, UINT64_MAX);

	if (left && b->count - left <= unrecorded) {
		/* waits that are not recorded make the threads of each round unknown */
		syt_check_excuse(b->c, SYT_EXCUSE_UNENDED, b->nr);
		return;
	}
	b->c->nr_checked += b->nr;
	syt_check_sum(b->c, "rounds", nr_rounds);
	if (left)
		syt_check_numbers(
			b->c, "fewer threads left the last barrier round than the barrier needs",
			b->object, SYT_NOWHERE, SYT_NOWHERE, b->count, left);
	if (b->nr_serial < nr_rounds || b->nr_serial > nr_rounds + (left != 0))
		syt_check_numbers(
			b->c, "the number of serial threads is not the number of barrier rounds",
			b->object, SYT_NOWHERE, SYT_NOWHERE, nr_rounds, b->nr_serial);
	syt_sort(b->arrivals, b->nr, sizeof(*b->arrivals), by_time);
	syt_sort(b->departures, b->nr, sizeof(*b->departures), by_time);
	for (uint64_t k = 0; k < nr_rounds * b->count; k++) {
		const struct wait *last = &b->arrivals[(k / b->count + 1) * b->count - 1];

		if (last->at > b->departures[k].at)
			syt_check_violation_at(b->c, LEFT_EARLY, b->object, b->departures[k].place,
			                       last->place);
	}
}

static void check_object(struct syt_check *c, uint32_t object)
{
	const struct syt_object *o = &c->order->objects.all[object];
	struct syt_history h = syt_history_of(&c->order->histories, object);
	struct barrier b = {.c = c,
	                    .object = object,
	                    .arrivals = syt_store_alloc(h.nr, sizeof(struct wait)),
	                    .departures = syt_store_alloc(h.nr, sizeof(struct wait))};
	bool is_one = collect(&b, &h);

	if (o->info->flags & SYT_OBJECT_PRESHARED)
		syt_check_excuse(c, SYT_EXCUSE_PRESHARED, b.nr);
	else if (o->complete_from)
		syt_check_excuse(c, SYT_EXCUSE_OVERWRITTEN, b.nr);
	else if (!is_one)
		syt_check_excuse(c, SYT_EXCUSE_UNCERTAIN, b.nr);
	else if (b.nr && syt_check_is_open(c, object))
		syt_check_excuse(c, SYT_EXCUSE_UNTRACED, b.nr);
	else if (b.nr)
		check_rounds(&b);
	syt_store_free(b.arrivals);
	syt_store_free(b.departures);
}

void syt_check_barrier(struct syt_check *c)
{
	for (uint32_t i = 0; i < c->order->objects.nr; i++)
		if (syt_object_kind(&c->order->objects, i) == SYT_KIND_BARRIER)
			check_object(c, i);
}
