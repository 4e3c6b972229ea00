/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The command what-if computes the length of the run if a function were faster, or a lock were removed. */
#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/read/call.h"
#include "decoder/analysis/own_frame.h"
#include "decoder/report/what_if/view.h"
#include "decoder/command/view.h"

#define MOST_CHANGES 16u

struct options {
	size_t nr;
	struct syt_whatif_change changes[MOST_CHANGES];
};

static struct syt_whatif_change *add_change(struct options *o, struct argp_state *state)
{
	if (o->nr < MOST_CHANGES)
		return &o->changes[o->nr++];
	argp_error(state, "at most %u changes are allowed", MOST_CHANGES);
	return NULL;
}

static void parse_speed_up(void *field, const char *name, const char *arg, struct argp_state *state)
{
	struct syt_whatif_change *c = add_change(field, state);
	const char *equal = strrchr(arg, '=');
	char *end = NULL;
	double percent = equal ? strtod(equal + 1, &end) : -1;

	if (end && *end == '%')
		end++;
	if (!c)
		return;
	if (!equal || equal == arg || end == equal + 1 || *end ||
	    !(percent >= 0 && percent <= 100)) {
		argp_error(state,
		           "--%s takes FUNCTION=PERCENT, with a PERCENT from 0 to 100; not '%s'",
		           name, arg);
		return;
	}
	c->function = syt_strndup(arg, (size_t)(equal - arg));
	c->less_thousandths = (unsigned)lround(percent * 10);
}

static void parse_remove_lock(void *field, const char *name, const char *arg,
                              struct argp_state *state)
{
	struct syt_whatif_change *c = add_change(field, state);

	(void)name;
	if (c)
		c->lock = arg;
}

/* clang-format off */
#define AT(member_) offsetof(struct options, member_)
static const struct syt_option option_rows[] = {
	{{"speed-up", 0, "FUNCTION=PERCENT", 0, "predict the run time if FUNCTION and the functions that it calls take PERCENT less time (repeatable)", 0}, 0, parse_speed_up},
	{{"remove-lock", 0, "OBJECT", 0, "predict the run time if no thread had to wait for the locks with this name, in which * and ? match any characters (repeatable)", 0}, 0, parse_remove_lock},
	SYT_OPTION_END,
};
/* clang-format on */

/* For each call stack: the changed functions that it contains, as bits. Each stack is searched once. */
struct stacks {
	const struct syt_order *order;
	struct syt_symbols *symbols;
	uint32_t **of_image; /* [process image][call stack]: bits of the functions, and KNOWN */
	struct syt_whatif_change *changes;
	size_t nr;
	/* the time between two calls counts for a function that only one of them is in */
	bool has_possible;
	bool is_counting;
};

#define KNOWN (1u << MOST_CHANGES)

static uint32_t bits_of(struct stacks *s, uint32_t thread, uint32_t stack)
{
	const struct syt_places *places = &s->order->places;
	const struct syt_image *image = places->threads[thread]->image;
	struct syt_place at = {thread, 0};
	uint32_t **of_image = &s->of_image[syt_place_image_idx(places, at)], *bits;

	if (!*of_image)
		*of_image = syt_calloc((size_t)image->nr_stacks + 1, sizeof(**of_image));
	bits = &(*of_image)[stack];
	if (*bits)
		return *bits;
	*bits = KNOWN;
	for (size_t n = 0; n < s->nr; n++)
		if (s->changes[n].function &&
		    syt_own_frame_has(s->symbols, image, stack, s->changes[n].function))
			*bits |= 1u << n;
	return *bits;
}

static void count(struct syt_whatif_change *c, syt_time time, bool is_call, bool is_sure)
{
	uint64_t *nr = is_call ? &c->nr_calls : is_sure ? &c->nr_tasks : &c->nr_possible;

	++*nr;
	*(is_call ? &c->calls : is_sure ? &c->tasks : &c->possible) += time;
}

static unsigned left(void *context, uint32_t thread, uint32_t begin, uint32_t end)
{
	struct stacks *s = context;
	const struct syt_row *rows = s->order->places.threads[thread]->rows;
	const struct syt_image *image = s->order->places.threads[thread]->image;
	uint32_t a = bits_of(s, thread, rows[begin].stack), b = a;
	double of = SYT_REPLAY_WHOLE;

	if (begin != end)
		b = bits_of(s, thread,
		            syt_own_frame_tail(image, rows[begin].stack, rows[end].stack));
	for (size_t n = 0; n < s->nr && (a | b) != KNOWN; n++) {
		struct syt_whatif_change *c = &s->changes[n];
		bool is_sure = a & b & 1u << n;

		if (!((a | b) & 1u << n))
			continue;
		if (s->is_counting)
			count(c,
			      begin == end ? rows[begin].out - rows[begin].in
			                   : rows[end].in - rows[begin].out,
			      begin == end, is_sure);
		if (is_sure || s->has_possible)
			of *= (SYT_REPLAY_WHOLE - c->less_thousandths) / (double)SYT_REPLAY_WHOLE;
	}
	return (unsigned)lround(of);
}

static bool is_lock(enum syt_kind kind)
{
	return kind == SYT_KIND_MUTEX || kind == SYT_KIND_SPIN || kind == SYT_KIND_STDIO ||
	       kind == SYT_KIND_RWLOCK || kind == SYT_KIND_FLOCK || kind == SYT_KIND_RECORD;
}

static void count_lock(const struct syt_order *o, uint32_t object, struct syt_whatif_change *c)
{
	struct syt_history h = syt_history_of(&o->histories, object);

	c->nr_locks++;
	for (uint64_t i = 0; i < h.nr; i++) {
		const struct syt_touch *t = &h.touches[i];
		const struct syt_row *r = syt_place_row(&o->places, t->place);

		if (!t->has_succeeded ||
		    (t->shape != SYT_SHAPE_LOCK && t->shape != SYT_SHAPE_RDLOCK &&
		     t->shape != SYT_SHAPE_FILE_LOCK))
			continue;
		c->nr_acquired++;
		c->nr_waits += r->in < r->out;
		c->waited += r->out - r->in;
	}
}

/* Returns an array that contains for each object whether it is a removed lock; NULL: no lock is removed. */
static bool *find_locks(const struct syt_order *o, struct syt_whatif_change *changes, size_t nr)
{
	bool *removed = NULL;

	for (size_t n = 0; n < nr; n++) {
		if (!changes[n].lock)
			continue;
		if (!removed)
			removed = syt_calloc(o->objects.nr, sizeof(*removed));
		for (uint32_t i = 0; i < o->objects.nr; i++) {
			if (!is_lock(syt_object_kind(&o->objects, i)) ||
			    !syt_objects_matches(&o->objects, i, changes[n].lock))
				continue;
			removed[i] = true;
			count_lock(o, i, &changes[n]);
		}
	}
	return removed;
}

static bool has_effect(const struct syt_whatif_change *c)
{
	if (c->function ? c->nr_calls || c->nr_tasks || c->nr_possible : c->nr_locks)
		return true;
	if (c->function)
		syt_warn("no call stack has a function '%s'", c->function);
	else
		syt_warn("no lock has the name '%s': stat --objects lists the names", c->lock);
	return false;
}

static uint64_t length_ns(const struct syt_replay *r)
{
	return SYT_TIME_NS(r->end) - SYT_TIME_NS(r->begin);
}

static enum syt_exit replay(struct syt_view *v, struct syt_whatif *w, struct stacks *s)
{
	struct syt_replay without, with, most;
	struct syt_replay_change none = {NULL, NULL, NULL};
	struct syt_replay_change change = {left, s, find_locks(v->order, s->changes, s->nr)};
	enum syt_exit status = SYT_EXIT_OK;

	syt_replay_open(&without, v->order, &none);
	w->without = &without;
	w->replayed_ns = length_ns(&without);
	if (s->nr) {
		s->is_counting = true;
		syt_replay_open(&with, v->order, &change);
		s->is_counting = false;
		w->with = &with;
		w->expected_ns = length_ns(&with);
	}
	for (size_t n = 0; n < s->nr; n++) {
		if (!has_effect(&s->changes[n]))
			status = SYT_EXIT_USAGE;
		s->has_possible |= s->changes[n].possible > 0;
	}
	if (s->has_possible && status == SYT_EXIT_OK) {
		syt_replay_open(&most, v->order, &change);
		w->most_ns = length_ns(&most);
		syt_replay_close(&most);
	}
	if (status == SYT_EXIT_OK)
		syt_whatif_list(v);
	if (w->with)
		syt_replay_close(&with);
	syt_replay_close(&without);
	free((void *)(uintptr_t)change.is_removed);
	return status;
}

static enum syt_exit run(struct syt_command *c)
{
	const struct options *o = c->options;
	/* copy of the options, because the replay counts calls in their changes */
	struct options counted = *o;
	struct syt_whatif w = {.changes = counted.changes,
	                       .nr_changes = o->nr,
	                       .from = c->trace->begin < c->trace->end ? c->trace->begin
	                                                               : c->trace->end,
	                       .expected_ns = SYT_CELL_NONE,
	                       .most_ns = SYT_CELL_NONE};
	struct stacks s = {.symbols = c->symbols, .changes = counted.changes, .nr = o->nr};
	struct syt_order order;
	struct syt_view v;
	enum syt_exit status;

	if (syt_command_view_open(&v, &order, c,
	                          (struct syt_edges_wanted){SYT_EDGES_ALL, SYT_EDGES_ALL}))
		return SYT_EXIT_UNREADABLE;
	v.report = &w;
	w.recorded_ns = SYT_TIME_NS(c->trace->end) - SYT_TIME_NS(w.from);
	s.order = &order;
	s.of_image = syt_calloc(c->trace->nr_images, sizeof(*s.of_image));
	status = replay(&v, &w, &s);
	for (uint32_t i = 0; i < c->trace->nr_images; i++)
		free(s.of_image[i]);
	free(s.of_image);
	syt_command_view_close(&v, &order);
	return status;
}

static void fini(void *options)
{
	struct options *o = options;

	for (size_t n = 0; n < o->nr; n++)
		free((void *)(uintptr_t)o->changes[n].function);
}

const struct syt_report syt_report_what_if = {
	.name = "what-if",
	.summary = "a prediction of the run time with a faster function or without a lock",
	.doc = "Predicts the run time of the program with a faster function or without a lock. "
	       "Computes the time of each event from the recorded durations and from the recorded "
	       "order of the events, with the changes that the options name. Also computes the "
	       "times without a change, and prints how far they differ from the recorded times.",
	.formats = 1u << SYT_FORMAT_TEXT | 1u << SYT_FORMAT_JSONL,
	.options = option_rows,
	.options_bytes = sizeof(struct options),
	.fini = fini,
	.run = run,
};
