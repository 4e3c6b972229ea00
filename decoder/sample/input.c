/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/sample/input.h"

#include <stdlib.h>
#include <string.h>

#include "base/counts.h"
#include "base/err.h"
#include "base/sort.h"
#include "decoder/order/task.h"
#include "decoder/sample/turn.h"

const struct syt_edges_wanted syt_sample_edges = {SYT_EDGES_ALL, SYT_EDGES_ALL};

struct collecting {
	struct syt_sample_input *in;
	const struct syt_order *order;
	uint64_t *first;    /* [thread]: number of events of the threads before it */
	uint32_t *index_of; /* [first[thread] + row]: index of the event in the order of time */
	struct syt_counts sites; /* (image and stack, call) -> number of the site plus 1 */
	uint32_t **call_of;      /* [image][call]: number of the call, or SYT_NONE */
	uint16_t **depth_of;     /* [image][stack] */
};

struct moment {
	syt_time at;
	struct syt_place place;
};

static int by_time(const void *a_, const void *b_)
{
	const struct moment *a = a_, *b = b_;

	if (a->at != b->at)
		return a->at < b->at ? -1 : 1;
	return syt_place_compare(a->place, b->place);
}

/* Returns all events in the order of time. The events of a thread stay in their order. */
static struct moment *moments_of(struct collecting *c)
{
	const struct syt_places *p = &c->order->places;
	struct moment *all = syt_store_alloc(c->in->nr, sizeof(*all));
	uint64_t nr = 0;

	for (uint32_t thread = 0; thread < p->nr_threads; thread++) {
		syt_time last = 0;

		c->first[thread] = nr;
		SYT_EACH(row, 0, (uint32_t)p->threads[thread]->nr_rows) {
			struct syt_place at = {thread, row};
			syt_time stamp = syt_row_stamp(syt_place_call(p, at), syt_place_row(p, at));

			/* the stamps of a signal handler may be greater than that of the interrupted call */
			last = stamp > last ? stamp : last;
			all[nr++] = (struct moment){last, at};
		}
	}
	syt_sort(all, nr, sizeof(*all), by_time);
	return all;
}

static uint32_t call_number(struct collecting *c, uint32_t image, uint16_t call)
{
	uint32_t *number = &c->call_of[image][call];
	const char *known = c->order->places.trace->images[image].calls[call].name;
	const char *name = known ? known : "?";

	for (uint32_t i = 0; *number == SYT_NONE && i < c->in->nr_calls; i++)
		if (!strcmp(c->in->calls[i], name))
			*number = i;
	if (*number == SYT_NONE) {
		*number = c->in->nr_calls;
		*SYT_ADD(c->in->calls, c->in->nr_calls, c->in->room_calls) = name;
	}
	return *number;
}

static uint32_t site_number(struct collecting *c, uint32_t image, const struct syt_row *r)
{
	uint64_t *number = syt_counts_at(&c->sites, (uint64_t)image << 32 | r->stack, r->call);

	if (!*number)
		*number = ++c->in->nr_sites;
	return (uint32_t)(*number - 1);
}

/* Returns the number of frames of each stack of the image I. A parent has a smaller id than its children. */
static uint16_t *depths_of(const struct syt_image *i)
{
	uint16_t *depth = syt_calloc((size_t)i->nr_stacks + 1, sizeof(*depth));

	for (uint32_t id = 1; id < i->nr_stacks; id++)
		depth[id] = (uint16_t)(1 + depth[i->stacks[id].parent]);
	return depth;
}

static void open_images(struct collecting *c)
{
	const struct syt_trace_data *t = c->order->places.trace;

	c->call_of = syt_calloc(t->nr_images, sizeof(*c->call_of));
	c->depth_of = syt_calloc(t->nr_images, sizeof(*c->depth_of));
	for (uint32_t n = 0; n < t->nr_images; n++) {
		c->call_of[n] = syt_alloc(t->images[n].nr_calls, sizeof(**c->call_of));
		memset(c->call_of[n], 0xff, t->images[n].nr_calls * sizeof(**c->call_of));
		c->depth_of[n] = depths_of(&t->images[n]);
		c->in->bytes += t->images[n].bytes_events;
	}
}

static void close_images(struct collecting *c)
{
	for (uint32_t n = 0; n < c->order->places.trace->nr_images; n++) {
		free(c->call_of[n]);
		free(c->depth_of[n]);
	}
	free(c->call_of);
	free(c->depth_of);
}

static void collect_events(struct collecting *c)
{
	const struct syt_places *p = &c->order->places;
	struct syt_sample_turn *turns = syt_calloc(p->nr_threads, sizeof(*turns));
	uint32_t *turn_of = syt_calloc(p->nr_threads, sizeof(*turn_of));
	struct moment *moments = moments_of(c);

	SYT_EACH_FAR(i, 0, c->in->nr) {
		struct syt_place at = moments[i].place;
		const struct syt_image *image = syt_place_image(p, at);
		const struct syt_row *r = syt_place_row(p, at);
		uint32_t n = syt_place_image_idx(p, at), path = syt_call_path_of(c->in->paths, at);
		struct syt_sample_event *e = &c->in->events[i];

		*e = (struct syt_sample_event){
			.ns = SYT_TIME_NS(moments[i].at),
			.thread = at.thread,
			.site = site_number(c, n, r),
			.path = path,
			.call = call_number(c, n, r->call),
			.depth = r->stack < image->nr_stacks ? c->depth_of[n][r->stack] : 0,
			.is_wait = syt_sample_is_wait(image, r, syt_place_extra(p, at)),
			.is_ghost = syt_place_is_ghost(p, at),
			.is_unselected = syt_place_extra(p, at)->flags & SYT_EXTRA_UNSELECTED,
		};
		c->in->nr_unselected += e->is_unselected;
		if (syt_sample_turn_begins(&turns[at.thread], e->site, e->depth, e->is_wait, false,
		                           e->ns))
			turn_of[at.thread] = c->in->nr_turns++;
		e->turn = turn_of[at.thread];
		c->in->nr_paths = path >= c->in->nr_paths ? path + 1 : c->in->nr_paths;
		c->index_of[c->first[at.thread] + at.row] = (uint32_t)i;
	}
	syt_store_free(moments);
	free(turn_of);
	free(turns);
}

/* Collects the calls that the sampler left out, by call path. */
static void collect_left_out(struct collecting *c)
{
	const struct syt_places *p = &c->order->places;
	struct syt_sample_input *in = c->in;

	for (uint32_t n = 0; n < p->trace->nr_images; n++) {
		const struct syt_image *i = &p->trace->images[n];

		for (size_t k = 0; k < i->nr_left_out; k++) {
			const struct syt_left_out_info *l = &i->left_out[k];
			struct syt_sample_left_out one = {
				.path = syt_call_path_at(in->paths, n, l->stack, l->call),
				.call = call_number(c, n, (uint16_t)l->call),
				.nr = l->nr,
			};

			in->nr_paths = one.path >= in->nr_paths ? one.path + 1 : in->nr_paths;
			*SYT_ADD(in->left_out, in->nr_left_out, in->room_left_out) = one;
		}
	}
}

static uint32_t index_of(const struct collecting *c, struct syt_place at)
{
	return c->index_of[c->first[at.thread] + at.row];
}

/* Returns true if the recording was paused at some time between BEGIN and END. The thread may have made calls then. */
static bool is_paused(const struct syt_image *i, syt_time begin, syt_time end)
{
	for (uint32_t n = 0; n < i->nr_pauses; n++)
		if (i->pauses[n].from < end && i->pauses[n].to > begin)
			return true;
	return false;
}

static void collect_tasks(struct collecting *c)
{
	struct syt_sample_event *events = c->in->events;
	struct syt_tasks tasks;

	syt_tasks_open(&tasks, &c->order->places, NULL);
	SYT_EACH_FAR(i, 0, tasks.nr) {
		const struct syt_task *t = &tasks.all[i];
		syt_time begin = syt_task_begin(&tasks, t), span = syt_task_span(&tasks, t);
		struct syt_sample_event *end =
			&events[index_of(c, (struct syt_place){t->thread, t->end})];

		if (is_paused(c->order->places.threads[t->thread]->image, begin, begin + span))
			continue;
		end->task_rows = t->end - t->begin;
		end->task_path = events[index_of(c, (struct syt_place){t->thread, t->begin})].path;
		end->task_ms = (float)((double)SYT_TIME_NS(span) / 1e6);
	}
	syt_tasks_close(&tasks);
}

/* Returns true if the release of E ended its acquire, so that a recorder could pass sampling on with the object. */
static bool is_mark(const struct syt_edge *e)
{
	switch (e->kind) {
	case SYT_EDGE_CREATE:
	case SYT_EDGE_FORK:
	case SYT_EDGE_EXEC:
	case SYT_EDGE_COND:
	case SYT_EDGE_SEM:
	case SYT_EDGE_STREAM:
	case SYT_EDGE_DATAGRAM:
	case SYT_EDGE_CONNECT:
	case SYT_EDGE_READY:
	case SYT_EDGE_QUEUE:
	case SYT_EDGE_TASK:
	case SYT_EDGE_SIGNAL:
	case SYT_EDGE_FUTEX:
		return e->class == SYT_CLASS_CAUSAL;
	default:
		return false;
	}
}

/* Returns true if E is an edge between two threads that ends at an event. */
static bool is_collected(const struct syt_edge *e)
{
	return e->to.thread != SYT_NONE && e->from.thread != e->to.thread;
}

/* Collects the edges by their targets. Those of a round of a barrier begin at the target itself. */
static void collect_sources(struct collecting *c)
{
	const struct syt_edges *edges = &c->order->edges;
	struct syt_sample_input *in = c->in;
	uint32_t sum = 0;

	SYT_EACH_FAR(i, 0, edges->nr)
		if (is_collected(&edges->all[i]))
			in->events[index_of(c, edges->all[i].to)].first_source++;
	SYT_EACH(i, 0, in->nr + 1) {
		sum += in->events[i].first_source;
		in->events[i].first_source = sum;
	}
	in->nr_sources = sum;
	in->sources = syt_store_alloc(sum, sizeof(*in->sources));
	/* each source is put before the sources that the event already has */
	SYT_EACH_FAR(i, 0, edges->nr) {
		const struct syt_edge *e = &edges->all[i];
		uint32_t to;

		if (!is_collected(e))
			continue;
		to = index_of(c, e->to);
		in->sources[--in->events[to].first_source] = (struct syt_sample_source){
			.from = e->from.thread == SYT_NONE ? to : index_of(c, e->from),
			.kind = e->kind,
			.is_mark = e->from.thread != SYT_NONE && is_mark(e),
		};
	}
}

int syt_sample_input_open(struct syt_sample_input *in, const struct syt_order *order,
                          struct syt_symbols *symbols)
{
	struct collecting c = {.in = in, .order = order};

	memset(in, 0, sizeof(*in));
	in->nr_threads = order->places.nr_threads;
	for (uint32_t n = 0; n < in->nr_threads; n++)
		in->nr += order->places.threads[n]->nr_rows;
	if (in->nr >= SYT_NONE || order->edges.nr >= SYT_NONE) {
		syt_warn("the trace has more events or edges than a sampler can be replayed on "
		         "(4294967294)");
		return -1;
	}
	in->paths = syt_call_paths_create(&order->places, symbols);
	in->events = syt_store_alloc(in->nr + 1, sizeof(*in->events));
	c.first = syt_calloc(in->nr_threads, sizeof(*c.first));
	c.index_of = syt_store_alloc(in->nr, sizeof(*c.index_of));
	open_images(&c);
	collect_events(&c);
	collect_left_out(&c);
	collect_tasks(&c);
	collect_sources(&c);
	close_images(&c);
	syt_counts_fini(&c.sites);
	syt_store_free(c.index_of);
	free(c.first);
	return 0;
}

void syt_sample_input_close(struct syt_sample_input *in)
{
	if (in->paths)
		syt_call_paths_destroy(in->paths);
	syt_store_free(in->events);
	syt_store_free(in->sources);
	free(in->calls);
	free(in->left_out);
	memset(in, 0, sizeof(*in));
}
