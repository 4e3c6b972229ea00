/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/report/compare/fact.h"

#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "base/counts.h"
#include "base/err.h"
#include "decoder/analysis/call_rule.h"
#include "decoder/read/call.h"
#include "decoder/report/compare/work_unit.h"

/* Kinds of happens-before edges that do not depend on timing. A condition variable has edges only if a thread
 * waited, so its kind is not included. */
#define EDGE_KINDS                                                                                 \
	(1u << SYT_EDGE_CREATE | 1u << SYT_EDGE_JOIN | 1u << SYT_EDGE_SEM | 1u << SYT_EDGE_ONCE |  \
	 1u << SYT_EDGE_STREAM | 1u << SYT_EDGE_DATAGRAM | 1u << SYT_EDGE_CONNECT |                \
	 1u << SYT_EDGE_EOF | 1u << SYT_EDGE_FORK | 1u << SYT_EDGE_REAP | 1u << SYT_EDGE_QUEUE |   \
	 1u << SYT_EDGE_TASK)

const struct syt_edges_wanted syt_run_edges = {EDGE_KINDS, 1u << SYT_CLASS_CAUSAL};

#define NO_FACT SYT_NR_FACT_TYPES

static const struct {
	const char *text;
	unsigned parts;
} types[] = {
#define FACT(name_, text_, parts_) {text_, parts_},
#include "decoder/report/compare/fact-types.def"
};

/* The number of times that a fact happened. */
struct tally {
	uint64_t nr;
	uint64_t in_slice[SYT_SLICES];
};

/* Maximum number of tracked locks of a thread. A further lock replaces the lock held for the longest time. */
#define MOST_HELD 256u

struct held {
	uint32_t object, path, depth;
};

/* The counts of facts in the events that were read so far. */
struct gather {
	const struct syt_order *o;
	struct syt_call_paths *paths;
	/* index in `tallies`, plus one, of the fact with the key (type << 56 | kind << 32 | path, other path) */
	struct syt_counts facts;
	struct tally *tallies;
	size_t nr_tallies, room_tallies;
	syt_time slices[SYT_SLICES]; /* times at which the slices of the run end */
	unsigned slice;              /* slice of the run that contains the present event */
	struct syt_counts next_ns;   /* (call path, next call path) -> ns between the calls */
	struct syt_counts uses;      /* (object, call path) -> number of calls */
	uint64_t nr_wakes;           /* number of calls in which threads waited for work */
	size_t nr_held;
	struct held held[MOST_HELD];
};

/* ---- the type of fact of an event ---- */

static enum syt_fact_type type_of(const struct syt_places *p, struct syt_place at)
{
	static const uint8_t types_of[] = {
		[SYT_CALL_RULE_NONE] = NO_FACT,
		[SYT_CALL_RULE_MAKE] = SYT_FACT_MAKE,
		[SYT_CALL_RULE_CALL] = SYT_FACT_CALL,
		[SYT_CALL_RULE_WAIT] = SYT_FACT_WAIT,
	};

	return types_of[syt_call_rule_of(p, at)];
}

/* ---- slices ---- */

#define SAMPLES_MOST 65536u

static int by_time(const void *a_, const void *b_)
{
	const syt_time *a = a_, *b = b_;

	return *a < *b ? -1 : *a > *b;
}

/* Divides the run into slices, by a sample of the events of all threads. */
static void cut_slices(struct gather *g)
{
	const struct syt_places *p = &g->o->places;
	uint64_t nr_rows = 0, step, row = 0;
	size_t nr = 0;
	syt_time *samples;

	for (uint32_t thread = 0; thread < p->nr_threads; thread++)
		nr_rows += p->threads[thread]->nr_rows;
	step = nr_rows / SAMPLES_MOST + 1;
	samples = syt_alloc(nr_rows / step + 1, sizeof(*samples));
	for (uint32_t thread = 0; thread < p->nr_threads; thread++) {
		for (; row < p->threads[thread]->nr_rows; row += step)
			samples[nr++] = syt_thread_row(p->threads[thread], row)->out;
		row -= p->threads[thread]->nr_rows;
	}
	if (nr)
		qsort(samples, nr, sizeof(*samples), by_time);
	for (unsigned i = 0; i < SYT_SLICES; i++)
		g->slices[i] =
			i + 1 < SYT_SLICES && nr ? samples[nr * (i + 1) / SYT_SLICES] : UINT64_MAX;
	free(samples);
}

static void find_slice(struct gather *g, syt_time t)
{
	g->slice = (unsigned)SYT_BISECT(i, 0, SYT_SLICES - 1, g->slices[i] < t);
}

/* ---- events ---- */

static void count(struct gather *g, enum syt_fact_type type, unsigned kind, uint32_t a, uint32_t b)
{
	uint64_t *number =
		syt_counts_at(&g->facts, (uint64_t)type << 56 | (uint64_t)kind << 32 | a, b);

	if (!*number) {
		syt_grow(&g->tallies, &g->room_tallies, g->nr_tallies + 1, sizeof(*g->tallies));
		memset(&g->tallies[g->nr_tallies], 0, sizeof(*g->tallies));
		*number = ++g->nr_tallies;
	}
	g->tallies[*number - 1].nr++;
	g->tallies[*number - 1].in_slice[g->slice]++;
}

static bool is_lock(enum syt_kind kind)
{
	return kind == SYT_KIND_MUTEX || kind == SYT_KIND_SPIN || kind == SYT_KIND_RWLOCK;
}

static void take(struct gather *g, uint32_t object, uint32_t path)
{
	for (size_t i = 0; i < g->nr_held; i++) {
		if (g->held[i].object == object) {
			g->held[i].depth++;
			return;
		}
	}
	if (g->nr_held == MOST_HELD)
		memmove(g->held, g->held + 1, --g->nr_held * sizeof(*g->held));
	g->held[g->nr_held++] = (struct held){object, path, 1};
}

static void give(struct gather *g, uint32_t object)
{
	for (size_t i = g->nr_held; i-- > 0;) {
		if (g->held[i].object != object)
			continue;
		if (!--g->held[i].depth) {
			memmove(&g->held[i], &g->held[i + 1],
			        (g->nr_held - i - 1) * sizeof(*g->held));
			g->nr_held--;
		}
		return;
	}
}

/* Returns true if a call of SHAPE counts as a use of its sync object. An object that is only released or destroyed
 * has no uses. */
static bool is_use(enum syt_shape shape)
{
	return shape == SYT_SHAPE_LOCK || shape == SYT_SHAPE_RDLOCK ||
	       shape == SYT_SHAPE_SEM_POST || shape == SYT_SHAPE_SEM_WAIT ||
	       shape == SYT_SHAPE_COND_SIGNAL || shape == SYT_SHAPE_COND_BROADCAST ||
	       shape == SYT_SHAPE_BARRIER_WAIT || shape == SYT_SHAPE_OPEN ||
	       shape == SYT_SHAPE_CONNECT || shape == SYT_SHAPE_ACCEPT;
}

static void see_locks(struct gather *g, const struct syt_call_info *c, enum syt_kind kind,
                      uint32_t object, uint32_t path)
{
	if (c->shape == SYT_SHAPE_UNLOCK && is_lock(kind)) {
		give(g, object);
		return;
	}
	if (g->nr_held)
		count(g, SYT_FACT_HELD, 0, path, g->held[g->nr_held - 1].path);
	if ((c->shape == SYT_SHAPE_LOCK || c->shape == SYT_SHAPE_RDLOCK) && is_lock(kind))
		take(g, object, path);
}

static void see_object(struct gather *g, const struct syt_call_info *c, enum syt_kind kind,
                       uint32_t object, uint32_t path)
{
	uint64_t *uses;

	if (object == SYT_NONE)
		return;
	uses = syt_counts_at(&g->uses, object, path);
	if (!*uses && is_use((enum syt_shape)c->shape))
		count(g, SYT_FACT_OBJECT, kind, path, 0);
	++*uses;
}

/* The last counted call of a thread. */
struct before {
	bool is_there, has_waited;
	uint32_t path;
	syt_time out;
};

static void see_next(struct gather *g, const struct before *b, uint32_t path,
                     const struct syt_row *r)
{
	if (!b->is_there)
		return;
	count(g, SYT_FACT_NEXT, 0, b->path, path);
	if (!b->has_waited && SYT_TIME_NS(r->in) > SYT_TIME_NS(b->out))
		*syt_counts_at(&g->next_ns, b->path, path) +=
			SYT_TIME_NS(r->in) - SYT_TIME_NS(b->out);
}

/* Returns true if the number of calls of this kind depends on time, because one call reports all work that has come
 * since the last call. Each further call may cause a few further calls of the program that find no work. */
static bool is_wake(const struct syt_call_info *c, enum syt_kind kind)
{
	return c->shape == SYT_SHAPE_READY || c->shape == SYT_SHAPE_COND_WAIT ||
	       (c->shape == SYT_SHAPE_RECV &&
	        (kind == SYT_KIND_EVENTFD || kind == SYT_KIND_TIMERFD ||
	         kind == SYT_KIND_SIGNALFD));
}

static void see(struct gather *g, struct syt_place at, struct before *b)
{
	const struct syt_places *p = &g->o->places;
	const struct syt_row *r = syt_place_row(p, at);
	const struct syt_call_info *c = syt_place_call(p, at);
	enum syt_fact_type type = type_of(p, at);
	uint32_t image = syt_place_image_idx(p, at), path, object;
	enum syt_kind kind;

	g->nr_wakes +=
		is_wake(c, r->object == SYT_NONE ? SYT_KIND_OTHER
	                                         : syt_place_image(p, at)->objects[r->object].kind);

	if (type == NO_FACT) {
		b->has_waited |= r->in < r->out; /* the thread made a call that had to wait */
		return;
	}
	path = syt_call_path_of(g->paths, at);
	count(g, type, 0, path, 0);
	if (type == SYT_FACT_WAIT) {
		b->has_waited = true;
		return;
	}
	object = syt_object_of(&g->o->objects, image, r->object);
	kind = object == SYT_NONE ? SYT_KIND_OTHER : syt_object_kind(&g->o->objects, object);
	see_locks(g, c, kind, object, path);
	see_object(g, c, kind, object, path);
	see_next(g, b, path, r);
	*b = (struct before){true, false, path, r->out};
}

static void see_edges(struct gather *g)
{
	const struct syt_edges *e = &g->o->edges;

	SYT_EACH_FAR(i, 0, e->nr) {
		const struct syt_edge *edge = &e->all[i];

		if (edge->from.thread == SYT_NONE || edge->to.thread == SYT_NONE || edge->flags ||
		    edge->class != SYT_CLASS_CAUSAL || !(EDGE_KINDS >> edge->kind & 1))
			continue;
		if (type_of(&g->o->places, edge->from) == NO_FACT ||
		    type_of(&g->o->places, edge->to) == NO_FACT)
			continue;
		find_slice(g, syt_place_row(&g->o->places, edge->to)->out);
		count(g, SYT_FACT_EDGE, edge->kind, syt_call_path_of(g->paths, edge->from),
		      syt_call_path_of(g->paths, edge->to));
	}
}

static void see_all(struct gather *g)
{
	const struct syt_places *p = &g->o->places;

	for (uint32_t thread = 0; thread < p->nr_threads; thread++) {
		struct before b = {.is_there = false};

		g->nr_held = 0;
		SYT_EACH(row, 0, p->threads[thread]->nr_rows) {
			find_slice(g, syt_thread_row(p->threads[thread], row)->out);
			see(g, (struct syt_place){thread, row}, &b);
		}
	}
	see_edges(g);
}

/* ---- facts ---- */

static char *write_name(const struct gather *g, enum syt_fact_type type, unsigned kind, uint32_t a,
                        uint32_t b)
{
	const char *first = syt_call_path_text(g->paths, a);

	switch (type) {
	case SYT_FACT_EDGE:
		return syt_asprintf("%s\t%s\t%s", syt_edge_kind_text((enum syt_edge_kind)kind),
		                    first, syt_call_path_text(g->paths, b));
	case SYT_FACT_OBJECT:
		return syt_asprintf("%s\t%s", syt_kind_text(kind), first);
	case SYT_FACT_HELD:
	case SYT_FACT_NEXT:
		return syt_asprintf("%s\t%s", first, syt_call_path_text(g->paths, b));
	default:
		return syt_asprintf("%s", first);
	}
}

int syt_fact_compare(enum syt_fact_type a, const char *a_name, enum syt_fact_type b,
                     const char *b_name)
{
	return a != b ? a < b ? -1 : 1 : strcmp(a_name, b_name);
}

static int by_name(const void *a_, const void *b_)
{
	const struct syt_fact *a = a_, *b = b_;

	return syt_fact_compare(a->type, a->name, b->type, b->name);
}

static void sum_up(struct syt_fact *f, const struct tally *t)
{
	f->nr = t->nr;
	for (unsigned i = 0; i < SYT_SLICES; i++) {
		f->nr_slices += t->in_slice[i] > 0;
		f->most = t->in_slice[i] > f->most ? t->in_slice[i] : f->most;
	}
}

static void write_facts(struct syt_run *run, struct gather *g)
{
	run->facts = syt_calloc(g->facts.nr, sizeof(*run->facts));
	for (size_t i = 0; i < g->facts.nr; i++) {
		const struct syt_count *c = &g->facts.all[i];
		enum syt_fact_type type = (enum syt_fact_type)(c->a >> 56);
		uint32_t a = (uint32_t)c->a, b = (uint32_t)c->b;

		run->facts[run->nr] = (struct syt_fact){
			.type = type,
			.name = write_name(g, type, (unsigned)(c->a >> 32 & 0xffffff), a, b)};
		sum_up(&run->facts[run->nr], &g->tallies[c->nr - 1]);
		if (type == SYT_FACT_NEXT)
			run->facts[run->nr].ns = syt_counts_of(&g->next_ns, a, b);
		run->nr++;
	}
	if (run->nr)
		qsort(run->facts, run->nr, sizeof(*run->facts), by_name);
}

/* The object of a call path: of several objects, the first title in the order of the alphabet. */
struct title {
	const char *text;
	size_t bytes;
	bool has_others;
};

static void add_title(struct title *to, const char *text)
{
	size_t bytes = syt_path_object_bytes(text);
	int order = to->text ? memcmp(text, to->text, bytes < to->bytes ? bytes : to->bytes) : -1;

	if (to->text && !order && bytes == to->bytes)
		return;
	to->has_others = to->text != NULL;
	if (order < 0 || (!order && bytes < to->bytes)) {
		to->text = text;
		to->bytes = bytes;
	}
}

/* Names the objects of the call paths. The caller has collected the builds of RUN, because this function looks up
 * symbols of further files. */
static void name_objects(struct syt_run *run, const struct gather *g)
{
	size_t nr = 0;
	struct title *titles;

	for (size_t i = 0; i < g->uses.nr; i++)
		nr = g->uses.all[i].b >= nr ? g->uses.all[i].b + 1 : nr;
	titles = syt_calloc(nr, sizeof(*titles));
	for (size_t i = 0; i < g->uses.nr; i++) {
		uint32_t object = (uint32_t)g->uses.all[i].a;

		if (syt_object_name_of(&g->o->objects, object))
			add_title(&titles[g->uses.all[i].b],
			          syt_object_title_of(&g->o->objects, object));
	}
	for (size_t path = 0; path < nr; path++) {
		const struct title *t = &titles[path];
		const char *text = syt_call_path_text(g->paths, (uint32_t)path);
		char *object;

		if (!t->text)
			continue;
		object = syt_asprintf("%.*s%s", (int)t->bytes, t->text,
		                      t->has_others ? " and others" : "");
		syt_path_objects_add(&run->objects, text, strlen(text), object);
		free(object);
	}
	free(titles);
	syt_path_objects_sort(&run->objects);
}

static void count_coverage(struct syt_run *run, const struct syt_order *o)
{
	const struct syt_trace_data *t = o->places.trace;

	for (uint32_t i = 0; i < t->nr_images; i++) {
		run->nr_events += t->images[i].nr_decoded;
		run->nr_lost += t->images[i].nr_lost + t->images[i].nr_missing +
		                t->images[i].nr_overwritten;
		run->nr_blind += t->images[i].nr_blind;
	}
	run->acquires = o->coverage.acquires;
	run->unattributed = syt_coverage_unattributed(&o->coverage);
	run->bytes_received = o->coverage.bytes_received;
	run->bytes_unmatched = run->bytes_received - o->coverage.bytes_matched;
	run->defects = o->coverage.defects;
	if (t->end > t->begin)
		run->seconds = (double)SYT_TIME_NS(t->end - t->begin) / 1e9;
}

void syt_run_open(struct syt_run *run, const char *name, const struct syt_order *o,
                  struct syt_symbols *symbols, const char *function)
{
	struct gather g = {.o = o, .paths = syt_call_paths_create(&o->places, symbols)};

	*run = (struct syt_run){.name = syt_asprintf("%s", name)};
	count_coverage(run, o);
	run->nr_exchanges = syt_work_unit_exchanges(o);
	if (function)
		run->nr_visits = syt_work_unit_visits(o, g.paths, function);
	cut_slices(&g);
	see_all(&g);
	run->nr_wakes = g.nr_wakes;
	write_facts(run, &g);
	run->origin = syt_run_origin_of(o->places.trace);
	if (symbols)
		syt_builds_add_files(&run->builds, symbols);
	name_objects(run, &g);
	syt_call_paths_destroy(g.paths);
	syt_counts_fini(&g.facts);
	syt_counts_fini(&g.next_ns);
	syt_counts_fini(&g.uses);
	free(g.tallies);
}

void syt_run_close(struct syt_run *run)
{
	for (size_t i = 0; i < run->nr; i++)
		free(run->facts[i].name);
	free(run->facts);
	free(run->name);
	syt_path_objects_close(&run->objects);
	syt_model_input_close(&run->graph);
	syt_builds_close(&run->builds);
	syt_run_origin_close(&run->origin);
	*run = (struct syt_run){.name = NULL};
}

const struct syt_fact *syt_run_find(const struct syt_run *r, enum syt_fact_type type,
                                    const char *name)
{
	struct syt_fact key = {.type = type, .name = (char *)(uintptr_t)name};

	return r->nr ? bsearch(&key, r->facts, r->nr, sizeof(key), by_name) : NULL;
}

const char *syt_fact_type_text(enum syt_fact_type type)
{
	return types[type].text;
}

enum syt_fact_type syt_fact_type_find(const char *text, size_t bytes)
{
	for (unsigned i = 0; i < SYT_NR_FACT_TYPES; i++)
		if (strlen(types[i].text) == bytes && !memcmp(types[i].text, text, bytes))
			return (enum syt_fact_type)i;
	return SYT_NR_FACT_TYPES;
}

unsigned syt_fact_type_parts(enum syt_fact_type type)
{
	return types[type].parts;
}
