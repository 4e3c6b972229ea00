/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Barriers: all arrivals of a round happen before a virtual node, which happens before all departures.
 *
 * The decoder takes the waits at a barrier in order of arrival (in), `count` at a time, as one round. A round is
 * certain in two cases. In the first case, the next thread arrived after a thread of the round had left (out), so
 * the round was complete. In the second case, exactly `count` threads use the barrier, so that the n-th wait of
 * each thread belongs to the n-th round. Uncertain rounds get no happens-before edges.
 *
 * The rule is sound because no thread leaves a round before all threads have arrived.
 *
 * Missing events: the decoder starts counting at a time after which no event is missing and at which no recorded
 * wait was in progress. Waits before that time are unattributed.
 */
#include "decoder/match/match.h"
#include "base/compare.h"
#include "base/sort.h"

struct wait {
	syt_time in, out;
	struct syt_place place;
	uint64_t count;
	uint32_t ordinal; /* index of the wait among the barrier waits of its thread */
};

SYT_COMPARATOR(by_arrival, struct wait)
{
	SYT_ORDER_BY(in);
	SYT_ORDER_BY(out);
	return syt_place_compare(a->place, b->place);
}

SYT_COMPARATOR(by_ordinal, struct wait)
{
	SYT_ORDER_BY(ordinal);
	return by_arrival(a, b);
}

static syt_time first_departure(const struct wait *w, uint64_t nr)
{
	syt_time first = UINT64_MAX;

	for (uint64_t i = 0; i < nr; i++)
		first = w[i].out < first ? w[i].out : first;
	return first;
}

/* Returns true if all the waits W arrived before any of them left, and no two of them belong to the same thread. */
static bool is_round(struct syt_match *m, const struct wait *w, uint64_t nr)
{
	syt_time first = first_departure(w, nr);
	bool is = true;

	for (uint64_t i = 0; i < nr; i++) {
		is &= w[i].in <= first && !m->of_thread[w[i].place.thread];
		m->of_thread[w[i].place.thread] = 1;
	}
	for (uint64_t i = 0; i < nr; i++)
		m->of_thread[w[i].place.thread] = 0;
	return is;
}

/* Returns true if a pause of the recording may have left out waits that change the round: a thread of the round
 * left while the recording was paused, so its wait may belong to another round. */
static bool is_hidden_by_pause(const struct syt_match *m, const struct wait *w, uint64_t nr)
{
	for (uint64_t i = 0; i < nr; i++)
		if (w[i].out >
		    syt_places_window(m->places, syt_place_image_idx(m->places, w[i].place))
		            ->complete_until)
			return true;
	return false;
}

static void add_round(struct syt_match *m, uint32_t object, uint32_t number, const struct wait *w,
                      uint64_t nr)
{
	syt_time last = 0;
	struct syt_place node;

	for (uint64_t i = 0; i < nr; i++)
		last = w[i].in > last ? w[i].in : last;
	node = syt_edges_round(m->edges, (struct syt_round){object, number, last});
	for (uint64_t i = 0; i < nr; i++)
		syt_match_cause(m, SYT_EDGE_BARRIER, w[i].place, node, object, false);
	for (uint64_t i = 0; i < nr; i++) {
		syt_match_cause(m, SYT_EDGE_BARRIER, node, w[i].place, object, false);
		syt_match_attributed(m, false);
	}
}

static void give_up(struct syt_match *m, uint64_t nr, enum syt_reason reason)
{
	for (uint64_t i = 0; i < nr; i++)
		syt_match_unattributed(m, reason);
}

/* Numbers the barrier waits of each thread. Returns the number of threads that use the barrier. */
static uint64_t number(struct syt_match *m, struct wait *w, uint64_t nr)
{
	uint64_t nr_threads = 0;

	for (uint64_t i = 0; i < nr; i++) {
		w[i].ordinal = m->of_thread[w[i].place.thread]++;
		nr_threads += !w[i].ordinal;
	}
	for (uint64_t i = 0; i < nr; i++)
		m->of_thread[w[i].place.thread] = 0;
	return nr_threads;
}

/* Matches the barrier waits W[0..NR). W has all waits since a time without waiting threads, in order of arrival. */
static void match_rounds(struct syt_match *m, uint32_t object, struct wait *w, uint64_t nr)
{
	uint64_t count = w[0].count;
	bool has_fixed_members = number(m, w, nr) == count;
	uint32_t round = 0;

	if (has_fixed_members)
		syt_sort(w, nr, sizeof(*w), by_ordinal);
	for (uint64_t i = 0; i < nr; round++) {
		uint64_t left = nr - i;
		bool is_certain = has_fixed_members || left <= count ||
		                  w[i + count].in > first_departure(&w[i], count);

		bool is_lost = left < count || w[i].count != count || !is_certain ||
		               !is_round(m, &w[i], count);

		/* later waits cannot be assigned to a round either */
		if (is_lost || is_hidden_by_pause(m, &w[i], count)) {
			give_up(m, left, is_lost ? SYT_REASON_UNCERTAIN : SYT_REASON_PAUSED);
			return;
		}
		add_round(m, object, round, &w[i], count);
		i += count;
	}
}

/* Returns the first wait that arrived when no wait was in progress and after which no event is missing. */
static uint64_t find_start(const struct wait *w, uint64_t nr, syt_time complete_from)
{
	syt_time busy_until = 0;

	if (!complete_from)
		return 0;
	for (uint64_t i = 0; i < nr; i++) {
		if (w[i].in > complete_from && w[i].in > busy_until && complete_from != UINT64_MAX)
			return i;
		busy_until = w[i].out > busy_until ? w[i].out : busy_until;
	}
	return nr;
}

void syt_match_barrier(struct syt_match *m, uint32_t object)
{
	struct syt_history h = syt_history_of(m->histories, object);
	struct wait *w = syt_store_alloc(h.nr, sizeof(*w));
	uint64_t nr = 0, start;

	for (uint64_t i = 0; i < h.nr; i++) {
		struct syt_place at = h.touches[i].place;
		const struct syt_row *r = syt_place_row(m->places, at);

		if (syt_touch_is(&h.touches[i], SYT_SHAPE_BARRIER_WAIT))
			w[nr++] = (struct wait){r->in, r->out, at,
			                        syt_place_extra(m->places, at)->count, 0};
	}
	syt_sort(w, nr, sizeof(*w), by_arrival);
	start = find_start(w, nr, syt_match_complete_from(m, object));
	if (m->objects->all[object].info->flags & SYT_OBJECT_PRESHARED) {
		give_up(m, nr, SYT_REASON_PRESHARED);
	} else {
		give_up(m, start, SYT_REASON_OVERWRITTEN);
		if (start < nr && !w[start].count)
			give_up(m, nr - start, SYT_REASON_UNCERTAIN);
		else if (start < nr)
			match_rounds(m, object, &w[start], nr - start);
	}
	syt_store_free(w);
}
