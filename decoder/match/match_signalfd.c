/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Readiness of a signalfd. The thread's next read of the signalfd takes some signal first. The call that sent this
 * signal, or armed its timer, happens before the readiness call that reported the signalfd.
 *
 * A signalfd is readable while one of its signals is pending. The signal stays for the reader unless another thread
 * of the process takes it. If the signal that the read took had surely been sent before the report, the report was
 * about this signal. A send that ended later counts only if no other thread of the process takes this signal, and
 * if reads of this signalfd never took another signal.
 *
 * The trace does not show a handler that takes a signal of the signalfd, or a signal that stayed pending until the
 * end.
 *
 * Missing events: the next recorded read may not be the next read. A thread with missing events after the report
 * therefore gets no edge.
 */
#include "base/bisect.h"
#include "base/compare.h"
#include "base/sort.h"
#include "decoder/match/match.h"

/* One thread that takes one kind of signal without a handler. */
struct taker {
	uint32_t signal, image; /* number of the signal's object; index of the process image */
	uint32_t thread;
};

struct signalfds {
	struct syt_match *m;
	size_t nr_sources, room_sources;
	struct syt_edge *sources; /* the edges to takes of signals, sorted by target */
	size_t nr_takers, room_takers;
	struct taker *takers;
};

SYT_COMPARATOR(by_target, struct syt_edge)
{
	SYT_ORDER(syt_place_compare(a->to, b->to), 0);
	return syt_place_compare(a->from, b->from);
}

SYT_COMPARATOR(by_signal, struct taker)
{
	SYT_ORDER_BY(signal);
	SYT_ORDER_BY(image);
	return SYT_COMPARE(a->thread, b->thread);
}

static uint32_t signal_of(const struct signalfds *s, struct syt_place at)
{
	return syt_object_of(s->m->objects, syt_place_image_idx(s->m->places, at),
	                     syt_place_row(s->m->places, at)->object);
}

static void add_takers(struct signalfds *s, uint32_t signal)
{
	struct syt_history h = syt_history_of(s->m->histories, signal);

	for (uint64_t i = 0; i < h.nr; i++) {
		struct syt_place at = h.touches[i].place;
		struct taker t = {signal, syt_place_image_idx(s->m->places, at), at.thread};

		if (h.touches[i].shape == SYT_SHAPE_SIGNAL_RECV &&
		    (!s->nr_takers || by_signal(&s->takers[s->nr_takers - 1], &t)))
			*SYT_STORE_ADD(s->takers, s->nr_takers, s->room_takers) = t;
	}
}

static void collect(struct signalfds *s)
{
	const struct syt_edges *e = s->m->edges;

	for (uint64_t i = 0; i < e->nr; i++)
		if (e->all[i].kind == SYT_EDGE_SIGNAL || e->all[i].kind == SYT_EDGE_TIMER)
			*SYT_STORE_ADD(s->sources, s->nr_sources, s->room_sources) = e->all[i];
	syt_sort(s->sources, s->nr_sources, sizeof(*s->sources), by_target);
	for (uint32_t i = 0; i < s->m->objects->nr; i++)
		if (syt_object_kind(s->m->objects, i) == SYT_KIND_SIGNAL)
			add_takers(s, i);
	syt_sort(s->takers, s->nr_takers, sizeof(*s->takers), by_signal);
}

/* Returns true if THREAD is the only thread of its process that takes the signal SIGNAL without a handler. */
static bool is_only_taker(const struct signalfds *s, uint32_t signal, uint32_t image,
                          uint32_t thread)
{
	struct taker key = {signal, image, 0};
	size_t low = SYT_BISECT(i, 0, s->nr_takers, by_signal(&s->takers[i], &key) < 0);

	for (;
	     low < s->nr_takers && s->takers[low].signal == signal && s->takers[low].image == image;
	     low++)
		if (s->takers[low].thread != thread)
			return false;
	return true;
}

/* Finds the first signal that T, a read of a signalfd, took. Returns false if T is not a read of a signalfd. */
static bool find_taken(const struct signalfds *s, const struct syt_touch *t,
                       struct syt_place *taken)
{
	const struct syt_thread *thread = syt_place_thread(s->m->places, t->place);
	const struct syt_row *read = syt_thread_row(thread, t->place.row);

	if (t->role != SYT_ROLE_SELF || t->shape != SYT_SHAPE_RECV || read->result <= 0)
		return false;
	*taken = (struct syt_place){t->place.thread, t->place.row + 1};
	return taken->row < thread->nr_rows && syt_thread_row(thread, taken->row)->in == read->in &&
	       syt_place_call(s->m->places, *taken)->shape == SYT_SHAPE_SIGNAL_RECV;
}

/* Returns the object of the signal that all reads of the signalfd took, or SYT_NONE if they took several
 * signals. */
static uint32_t find_signal(const struct signalfds *s, const struct syt_history *h)
{
	uint32_t only = SYT_NONE;

	for (uint64_t i = 0; i < h->nr; i++) {
		struct syt_place taken;

		if (!find_taken(s, &h->touches[i], &taken))
			continue;
		for (uint64_t n = syt_place_extra(s->m->places, h->touches[i].place)->count; n;
		     n--, taken.row++) {
			const struct syt_thread *t = syt_place_thread(s->m->places, taken);

			if (taken.row >= t->nr_rows ||
			    (only != SYT_NONE && signal_of(s, taken) != only))
				return SYT_NONE;
			only = signal_of(s, taken);
		}
	}
	return only;
}

/* Matches T, a readiness report of the signalfd OBJECT, with the source of TAKEN, the signal that the next read
 * took. With IS_SURE, the send of the signal may have ended after the report. */
static void match_report(struct signalfds *s, uint32_t object, const struct syt_touch *t,
                         struct syt_place taken, bool is_sure)
{
	const struct syt_places *p = s->m->places;
	struct syt_edge key = {.to = taken};
	unsigned nr = 0, nr_edges = 0, nr_own = 0;
	size_t end, low = SYT_BISECT(i, 0, s->nr_sources, by_target(&s->sources[i], &key) < 0);

	for (end = low; end < s->nr_sources && !syt_place_compare(s->sources[end].to, taken); end++)
		nr++;
	if (!nr) {
		/* the kernel itself sends signals with a positive si_code */
		bool is_kernel = (int32_t)syt_place_extra(p, taken)->status > 0;

		syt_match_unattributed(s->m, is_kernel ? SYT_REASON_KERNEL : SYT_REASON_NO_RELEASE);
		return;
	}
	for (size_t i = low; i < end; i++) {
		struct syt_place from = s->sources[i].from;

		if (syt_place_row(p, from)->in > t->at ||
		    (!is_sure && syt_place_latest(p, from) > t->at)) {
			syt_match_unattributed(s->m, SYT_REASON_UNCERTAIN);
			return;
		}
	}
	for (size_t i = low; i < end; i++) {
		if (s->sources[i].from.thread == t->place.thread)
			nr_own++;
		else
			nr_edges += syt_match_edge(s->m, SYT_EDGE_READY, SYT_CLASS_CAUSAL,
			                           s->sources[i].from, t->place, object,
			                           s->sources[i].flags);
	}
	if (nr_edges)
		syt_match_attributed(s->m, nr > 1);
	else if (nr_own)
		syt_match_unneeded(s->m);
	else
		syt_match_unattributed(s->m, SYT_REASON_BACKWARDS);
}

static void match_signalfd(struct signalfds *s, uint32_t object)
{
	struct syt_history h = syt_history_of(s->m->histories, object);
	uint32_t signal = find_signal(s, &h);
	uint64_t next = 0; /* index of the first read after the report */

	for (uint64_t i = 0; i < h.nr; i++) {
		const struct syt_touch *t = &h.touches[i];
		struct syt_place taken = t->place;
		uint32_t image = syt_place_image_idx(s->m->places, t->place);

		if (t->role != SYT_ROLE_READY)
			continue;
		next = next > i ? next : i + 1;
		while (next < h.nr && !find_taken(s, &h.touches[next], &taken))
			next++;
		if (syt_place_thread(s->m->places, t->place)->missing ||
		    syt_match_complete_from(s->m, object) > t->at)
			syt_match_unattributed(s->m, SYT_REASON_OVERWRITTEN);
		else if (next == h.nr || taken.thread != t->place.thread)
			syt_match_unattributed(s->m, SYT_REASON_UNCERTAIN);
		else
			match_report(s, object, t, taken,
			             signal != SYT_NONE &&
			                     is_only_taker(s, signal, image, taken.thread));
	}
}

void syt_match_signalfds(struct syt_match *m)
{
	struct signalfds s = {.m = m};
	bool has_any = false;

	for (uint32_t i = 0; i < m->objects->nr && !has_any; i++)
		has_any = syt_object_kind(m->objects, i) == SYT_KIND_SIGNALFD;
	if (!has_any)
		return;
	collect(&s);
	for (uint32_t i = 0; i < m->objects->nr; i++)
		if (syt_object_kind(m->objects, i) == SYT_KIND_SIGNALFD)
			match_signalfd(&s, i);
	syt_store_free(s.sources);
	syt_store_free(s.takers);
}
