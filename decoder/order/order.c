/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/order/order.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "decoder/history/window.h"
#include "decoder/order/end.h"
#include "decoder/order/locks.h"
#include "base/progress.h"
#include "decoder/match/pair.h"
#include "base/work.h"
#include "decoder/read/call.h"

static bool is_inferred(const struct syt_objects *objects, uint32_t object)
{
	return object != SYT_NONE && objects->all[object].pairing == SYT_PAIRING_INFERRED;
}

/* Marks the happens-before edges over a connection as inferred if the peer was inferred. The edge from a connect call
 * to the listening socket belongs to the connection. */
static void mark_inferred(struct syt_order *o)
{
	for (uint64_t i = 0; o->coverage.pairs_inferred && i < o->edges.nr; i++) {
		struct syt_edge *e = &o->edges.all[i];
		uint32_t object = e->object;

		if (e->from.thread != SYT_NONE && object != SYT_NONE &&
		    syt_object_kind(&o->objects, object) == SYT_KIND_LISTEN)
			object =
				syt_object_of(&o->objects, syt_place_image_idx(&o->places, e->from),
			                      syt_place_row(&o->places, e->from)->object);
		if (is_inferred(&o->objects, object))
			e->flags |= SYT_EDGE_INFERRED;
	}
}

/* Returns true for an eventfd, epoll, timerfd or signalfd from another process. The recorder could not identify this
 * file descriptor, and gave it a name that is private to the process. */
static bool is_unknown_fd(const struct syt_object_info *info)
{
	return info->flags & SYT_OBJECT_ADOPTED &&
	       (info->kind == SYT_KIND_EVENTFD || info->kind == SYT_KIND_EPOLL ||
	        info->kind == SYT_KIND_TIMERFD || info->kind == SYT_KIND_SIGNALFD);
}

static void count_known(struct syt_order *o)
{
	for (uint32_t i = 0; i < o->objects.nr; i++) {
		const struct syt_object *object = &o->objects.all[i];
		const struct syt_endpoint_info *e = object->info->endpoint;

		if (object->peer != SYT_NONE && object->peer >= i) {
			o->coverage.pairs_exact += object->pairing == SYT_PAIRING_EXACT;
			o->coverage.pairs_inferred += object->pairing == SYT_PAIRING_INFERRED;
		}
		o->coverage.unpaired_unix += object->peer == SYT_NONE && e && e->peer_pid &&
		                             object->info->kind != SYT_KIND_LISTEN;
		o->coverage.unknown_fds += is_unknown_fd(object->info);
	}
}

/* Returns the context of matching. OF_THREAD is a zeroed array with one element per trace-wide thread. If OF_THREAD
 * is NULL, this function allocates the array, and the caller must free it. */
static struct syt_match match_of(struct syt_order *o, struct syt_edges *edges,
                                 struct syt_coverage *coverage, uint32_t *of_thread)
{
	if (!of_thread)
		of_thread = syt_calloc(o->places.nr_threads, sizeof(*of_thread));
	return (struct syt_match){&o->places, &o->objects, &o->histories, &o->datagrams,
	                          edges,      coverage,    of_thread};
}

#define TOUCHES_PER_JOB 65536u

/* One worker matches these consecutive objects. The edges and counts are joined in the order of jobs, so the result
 * equals the result of a single worker. */
struct job {
	uint32_t from, to;
	struct syt_edges edges;
	struct syt_coverage coverage;
};

struct matching {
	struct syt_order *o;
	struct job *jobs;
	uint32_t **of_thread; /* [worker]: struct syt_match's of_thread */
};

static void match_job(void *context, size_t number, unsigned worker)
{
	struct matching *all = context;
	struct syt_order *o = all->o;
	struct job *j = &all->jobs[number];

	struct syt_match m = match_of(o, &j->edges, &j->coverage, all->of_thread[worker]);

	all->of_thread[worker] = m.of_thread;
	for (uint32_t i = j->from; i < j->to; i++) {
		uint64_t before[SYT_NR_REASONS];

		if (o->places.trace->sparse && syt_locks_have(syt_object_kind(&o->objects, i)))
			continue;

		memcpy(before, j->coverage.bytes_unmatched, sizeof(before));
		syt_match_object(&m, i);
		syt_coverage_of_object(&j->coverage, before, i);
	}
	syt_store_shrink(j->edges.all, j->edges.nr, sizeof(*j->edges.all));
	j->edges.room = j->edges.nr;
	syt_progress_step();
}

static void match_objects(struct syt_order *o, unsigned nr_workers)
{
	struct matching all = {.o = o, .of_thread = syt_calloc(nr_workers, sizeof(uint32_t *))};
	const uint64_t *first = o->histories.first;
	size_t nr = 0, room = 0;

	for (uint32_t i = 0, from = 0; i < o->objects.nr; i++) {
		if (first[i + 1] - first[from] < TOUCHES_PER_JOB && i + 1 < o->objects.nr)
			continue;
		syt_grow(&all.jobs, &room, nr + 1, sizeof(*all.jobs));
		all.jobs[nr] = (struct job){.from = from, .to = i + 1};
		syt_edges_open(&all.jobs[nr].edges, &o->places);
		all.jobs[nr].edges.wanted = o->edges.wanted;
		all.jobs[nr++].edges.needed_kinds = o->edges.needed_kinds;
		from = i + 1;
	}
	syt_progress_begin("ordering", nr);
	syt_work(nr, nr_workers, match_job, &all);
	syt_progress_end();
	struct syt_edges **edges = syt_alloc(nr, sizeof(*edges));

	for (size_t n = 0; n < nr; n++) {
		edges[n] = &all.jobs[n].edges;
		syt_coverage_add(&o->coverage, &all.jobs[n].coverage);
	}
	syt_edges_append(&o->edges, edges, nr);
	free(edges);
	for (unsigned n = 0; n < nr_workers; n++)
		free(all.of_thread[n]);
	free(all.of_thread);
	free(all.jobs);
}

enum syt_source syt_order_source_of(const struct syt_order *o, struct syt_place at,
                                    enum syt_reason *reason)
{
	uint32_t object = syt_object_of(&o->objects, syt_place_image_idx(&o->places, at),
	                                syt_place_row(&o->places, at)->object);
	struct syt_coverage coverage = {0};
	struct syt_edges edges;

	if (object == SYT_NONE || syt_place_call(&o->places, at)->stamp_in ||
	    !syt_place_succeeded(&o->places, at) || !syt_place_is_point(&o->places, at))
		return SYT_SOURCE_UNNEEDED;
	syt_edges_open(&edges, &o->places);
	edges.wanted = o->edges.wanted;
	struct syt_match m = match_of((struct syt_order *)(uintptr_t)o, &edges, &coverage, NULL);

	syt_match_object(&m, object);
	free(m.of_thread);
	syt_edges_close(&edges);
	if (!syt_coverage_unattributed(&coverage))
		return SYT_SOURCE_UNNEEDED;
	*reason = 0;
	for (unsigned i = 1; i < SYT_NR_REASONS; i++)
		if (coverage.unattributed[i] > coverage.unattributed[*reason])
			*reason = (enum syt_reason)i;
	return coverage.unneeded ? SYT_SOURCE_PERHAPS_UNKNOWN : SYT_SOURCE_UNKNOWN;
}

static void match_all(struct syt_order *o)
{
	struct syt_match m = match_of(o, &o->edges, &o->coverage, NULL);
	unsigned nr_workers = o->places.trace->nr_workers;

	/* these rules match events of all objects of the trace */
	syt_match_threads(&m);
	syt_match_cancels(&m);
	syt_match_processes(&m);
	syt_match_futexes(&m);
	if (o->places.trace->sparse)
		syt_locks_match(&m);
	match_objects(o, nr_workers ? nr_workers : 1);
	syt_match_signalfds(&m);
	free(m.of_thread);
}

static int open_period(struct syt_order *o, const struct syt_trace_data *trace,
                       struct syt_edges_wanted wanted, bool is_last)
{
	memset(o, 0, sizeof(*o));

	int rv = syt_places_open(&o->places, trace);

	if (!rv) {
		/* before the objects copy complete_from */
		syt_window_choose(&o->places, is_last);
		rv = syt_objects_open(&o->objects, &o->places);
	}
	if (rv) {
		syt_warn("the trace has more than 4294967294 events in one thread, or threads, or "
		         "objects: decode the trace files of fewer processes at a time");
		syt_order_close(o);
		return -1;
	}
	syt_histories_open(&o->histories, &o->places, &o->objects);
	syt_pair(&o->objects, &o->places, &o->histories);
	count_known(o);
	syt_datagrams_open(&o->datagrams, &o->places, &o->objects, &o->histories);
	syt_edges_open(&o->edges, &o->places);
	o->edges.wanted = wanted;
	/* the matching of signalfds reads these kinds of edges */
	o->edges.needed_kinds = 1u << SYT_EDGE_SIGNAL | 1u << SYT_EDGE_TIMER;
	match_all(o);
	mark_inferred(o);
	syt_edges_sort(&o->edges);
	syt_coverage_edges(&o->coverage, &o->edges);
	o->ends = syt_ends_find(&o->places, &o->edges);
	o->end = trace->end;
	for (uint32_t i = 0; i < o->places.nr_threads; i++)
		if (syt_order_thread_end(o, i) > o->end)
			o->end = syt_order_thread_end(o, i);
	return 0;
}

int syt_order_open_for(struct syt_order *o, const struct syt_trace_data *trace,
                       struct syt_edges_wanted wanted)
{
	return open_period(o, trace, wanted, false);
}

int syt_order_open_last(struct syt_order *o, const struct syt_trace_data *trace,
                        struct syt_edges_wanted wanted)
{
	return open_period(o, trace, wanted, true);
}

int syt_order_open(struct syt_order *o, const struct syt_trace_data *trace)
{
	return syt_order_open_for(o, trace,
	                          (struct syt_edges_wanted){SYT_EDGES_ALL, SYT_EDGES_ALL});
}

int syt_order_branch(struct syt_order *o, const struct syt_order *from,
                     struct syt_edges_wanted wanted)
{
	const struct syt_edges_wanted has = from->edges.wanted;
	struct syt_edges_wanted copied = wanted;

	if (wanted.kinds & ~has.kinds || wanted.classes & ~has.classes)
		return syt_order_open_for(o, from->places.trace, wanted);
	*o = *from;
	o->is_branch = true;
	o->handoffs = (struct syt_handoffs){0};
	copied.classes &= ~(1u << SYT_CLASS_INFERRED);
	syt_edges_copy(&o->edges, &from->edges, copied);
	o->edges.wanted = wanted;
	return 0;
}

void syt_order_close(struct syt_order *o)
{
	free(o->handoffs.queues);
	free(o->handoffs.locks);
	syt_edges_close(&o->edges);
	if (o->is_branch) {
		memset(o, 0, sizeof(*o));
		return;
	}
	free(o->ends);
	syt_datagrams_close(&o->datagrams);
	syt_histories_close(&o->histories);
	syt_objects_close(&o->objects);
	syt_places_close(&o->places);
	memset(o, 0, sizeof(*o));
}

/* Writes N and the character AFTER. Returns the end. Exports write millions of ids, and printf() needs several times as long. */
static char *put_number(char *to, uint64_t n, char after)
{
	char digits[20];
	size_t nr = 0;

	do
		digits[nr++] = (char)('0' + n % 10);
	while (n /= 10);
	while (nr)
		*to++ = digits[--nr];
	*to++ = after;
	return to;
}

int syt_order_node_text(const struct syt_order *o, struct syt_place at, char *text, size_t bytes)
{
	if (at.thread == SYT_NONE) {
		const struct syt_round *r = &o->edges.rounds[at.row];
		char object[SYT_OBJECT_TEXT];

		syt_object_text(o->objects.all[r->object].info, object, sizeof(object));
		return snprintf(text, bytes, "%s@%" PRIu32, object, r->round);
	}
	const struct syt_thread *t = syt_place_thread(&o->places, at);

	char id[SYT_NODE_TEXT], *end = put_number(id, t->image->index, '.');
	size_t nr;

	end = put_number(end, t->index, '.');
	end = put_number(end, t->base + at.row, '\0');
	nr = (size_t)(end - id) < bytes ? (size_t)(end - id) : bytes;
	memcpy(text, id, nr);
	text[nr - 1] = '\0';
	return (int)(end - id) - 1;
}
