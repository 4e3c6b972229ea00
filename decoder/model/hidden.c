/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/model/hidden.h"

#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/counts.h"
#include "base/err.h"
#include "decoder/analysis/call_path.h"
#include "decoder/analysis/exchange.h"

/* Maximum number of events between a report of readiness and a receive that are examined. */
#define MOST_EVENTS 256u
/* Maximum number of uses of a mutex that are examined; a mutex with more uses counts as shared. */
#define MOST_TOUCHES 4096u

static void note(struct syt_model_input *in, struct syt_counts *counts, enum syt_hidden kind,
                 struct syt_place at, uint64_t nr)
{
	*syt_counts_at(counts, syt_call_path_of(in->paths, at), kind) += nr;
}

/* Returns true if the event AT may order its thread after another thread. */
static bool may_be_ordered(const struct syt_places *p, struct syt_place at)
{
	switch (syt_place_call(p, at)->shape) {
	case SYT_SHAPE_INFO:
	case SYT_SHAPE_INIT:
	case SYT_SHAPE_DESTROY:
	case SYT_SHAPE_UNLOCK:
	case SYT_SHAPE_COND_SIGNAL:
	case SYT_SHAPE_COND_BROADCAST:
	case SYT_SHAPE_SEM_POST:
	case SYT_SHAPE_CLOSE:
	case SYT_SHAPE_SHUTDOWN:
	case SYT_SHAPE_SEND:
	case SYT_SHAPE_EPOLL_CTL:
	case SYT_SHAPE_PAUSE:
		return false;
	default:
		return syt_place_succeeded(p, at);
	}
}

/* Returns true if no recorded event between a report of readiness at the time REPORTED and the receive AT can have told
 * the thread of AT that data is ready. */
static bool is_untold(const struct syt_places *p, syt_time reported, struct syt_place at)
{
	if (syt_place_row(p, at)->in <= reported)
		return false; /* the thread waited for the data itself */
	for (uint32_t i = 0; i < MOST_EVENTS && at.row; i++) {
		at.row--;
		if (syt_place_row(p, at)->out < reported)
			return true;
		if (may_be_ordered(p, at))
			return false;
	}
	return false;
}

/* Counts the requests that another thread received than the thread that found the connection readable. */
static void find_requests(struct syt_model_input *in, struct syt_counts *counts)
{
	const struct syt_order *o = in->order;
	struct syt_servers servers;

	syt_servers_open(&servers, o);
	for (uint32_t i = 0; i < o->objects.nr; i++) {
		struct syt_exchanges w;

		if (servers.accepted[i] == SYT_ACCEPTED_NOT)
			continue;
		w = syt_exchanges_of(o, i);
		for (struct syt_exchange x; syt_exchanges_next(&w, &x);)
			if (x.reported.thread != SYT_NONE &&
			    x.reported.thread != x.received.thread &&
			    is_untold(&o->places, syt_place_row(&o->places, x.reported)->out,
			              x.received))
				note(in, counts, SYT_HIDDEN_REQUEST, x.received, 1);
	}
	syt_servers_close(&servers);
}

/* Returns for each object whether a thread waited for it when the trace ended. */
static bool *list_awaited(const struct syt_order *o)
{
	bool *is_awaited = syt_calloc(o->objects.nr, sizeof(*is_awaited));

	for (uint32_t i = 0; i < o->places.nr_threads; i++) {
		const struct syt_thread *t = o->places.threads[i];
		uint32_t image = (uint32_t)(t->image - o->places.trace->images);
		uint32_t object = SYT_NONE;

		if (t->waiting.since)
			object = syt_object_of(&o->objects, image, t->waiting.object);
		if (object != SYT_NONE)
			is_awaited[object] = true;
	}
	return is_awaited;
}

/* Returns true if other threads use the mutex that the waker of the event AT locked last. These threads can take the work
 * under this mutex, which the trace contains. */
static bool is_shared(const struct syt_order *o, struct syt_place at)
{
	struct syt_place lock = at;

	for (uint32_t i = 0; i < MOST_EVENTS && lock.row; i++) {
		struct syt_history h;
		uint32_t object;

		lock.row--;
		if (syt_place_call(&o->places, lock)->shape != SYT_SHAPE_LOCK)
			continue;
		object = syt_object_of(&o->objects, syt_place_image_idx(&o->places, lock),
		                       syt_place_row(&o->places, lock)->object);
		if (object == SYT_NONE)
			continue;
		h = syt_history_of(&o->histories, object);
		for (uint64_t n = 0; n < h.nr && n < MOST_TOUCHES; n++)
			if (h.touches[n].shape == SYT_SHAPE_LOCK &&
			    h.touches[n].place.thread != at.thread)
				return true;
		return h.nr > MOST_TOUCHES;
	}
	return false;
}

/* Finds the condition variables that threads woke, although no thread ever waited for them, or used their mutex. */
static void find_wakes(struct syt_model_input *in, struct syt_counts *counts)
{
	const struct syt_order *o = in->order;
	bool *is_awaited = list_awaited(o);

	for (uint32_t i = 0; i < o->objects.nr; i++) {
		struct syt_history h = syt_history_of(&o->histories, i);
		struct syt_place last = {SYT_NONE, 0};
		uint64_t nr = 0;

		if (syt_object_kind(&o->objects, i) != SYT_KIND_COND ||
		    o->objects.all[i].complete_from)
			continue;
		for (uint64_t n = 0; n < h.nr && syt_store_goes_on(n, SYT_STORE_SPARSE); n++) {
			const struct syt_touch *t = &h.touches[n];

			if (t->shape == SYT_SHAPE_COND_WAIT || t->shape == SYT_SHAPE_CANCELLED) {
				nr = 0;
				break;
			}
			if (t->shape != SYT_SHAPE_COND_SIGNAL &&
			    t->shape != SYT_SHAPE_COND_BROADCAST)
				continue;
			last = t->place;
			nr++;
		}
		if (nr && !is_awaited[i] && syt_place_image(&o->places, last)->nr_threads > 1 &&
		    !is_shared(o, last))
			note(in, counts, SYT_HIDDEN_WAKE, last, nr);
	}
	free(is_awaited);
}

SYT_COMPARATOR(most_first, struct syt_model_hidden)
{
	SYT_ORDER_BY(kind);
	SYT_ORDER(b->count, a->count);
	return strcmp(a->path, b->path);
}

void syt_model_find_hidden(struct syt_model_input *in)
{
	struct syt_counts counts = {0};

	/* both follow from the absence of an event, which a sampler may have left out */
	if (!syt_trace_is_sampled(in->order->places.trace)) {
		find_requests(in, &counts);
		find_wakes(in, &counts);
	}
	in->hidden = syt_calloc(counts.nr, sizeof(*in->hidden));
	for (size_t i = 0; i < counts.nr; i++)
		in->hidden[in->nr_hidden++] = (struct syt_model_hidden){
			.path = syt_call_path_text(in->paths, (uint32_t)counts.all[i].a),
			.count = counts.all[i].nr,
			.kind = (uint8_t)counts.all[i].b,
		};
	if (in->nr_hidden)
		qsort(in->hidden, in->nr_hidden, sizeof(*in->hidden), most_first);
	syt_counts_fini(&counts);
}
