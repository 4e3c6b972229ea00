/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/report/watch/online.h"

#include <stdlib.h>
#include <time.h>

#include "base/bisect.h"
#include "base/err.h"
#include "decoder/read/name.h"
#include "decoder/read/reader.h"
#include "decoder/report/requests/odd.h"
#include "decoder/report/watch/comparable.h"
#include "decoder/report/watch/complete.h"
#include "decoder/report/watch/pace.h"
#include "decoder/request/prefix.h"

/* A request is judged this long after its end, because its threads may have more to do after the answer. */
#define MARGIN_NS UINT64_C(500000000)
#define MOST_EVENTS (SYT_ONLINE_BYTES / (sizeof(struct syt_row) + sizeof(struct syt_extra)))

/* A request of the last window that was judged after its end, or that had an alarm before. */
struct judged {
	uint32_t image, thread;
	uint64_t event; /* number of the event that received the request */
	bool is_over, is_told;
};

struct syt_online {
	struct syt_workload model;
	struct syt_prefixes prefixes;
	uint64_t window_ns, one_in;
	struct syt_symbols *symbols;
	struct syt_pace pace;
	uint64_t oldest_ns; /* begin of the oldest request that is not judged; 0: none was judged */
	size_t nr, room;
	struct judged *judged;
	/* [cluster]: the first cluster whose representative has the same behaviour. The CPU time of requests depends on the
	 * load of the machine, and moves them between such clusters. */
	uint32_t *group;
	uint64_t *model_mix, *mix; /* [group]; the last one: no cluster */
	uint64_t nr_in_mix;
	unsigned nr_shifted; /* number of consecutive mixes that differ from the model */
	bool has_looked, has_warned, has_warned_of_file;
	/* number of events of the trace until the last horizon, and in the judged parts of the windows */
	uint64_t nr_until, nr_judged;
	syt_time judged_until; /* the last horizon */
};

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void find_groups(struct syt_online *o)
{
	const struct syt_workload *m = &o->model;

	o->group = syt_workload_groups(m);
	for (uint32_t k = 0; k < m->nr_clusters; k++)
		o->model_mix[o->group[k]] += m->clusters[k].count;
}

struct syt_online *syt_online_create(const char *model, uint64_t window_ns, uint64_t one_in,
                                     struct syt_symbols *symbols)
{
	struct syt_online *o = syt_calloc(1, sizeof(*o));

	syt_pace_begin(&o->pace, clock_ns(CLOCK_MONOTONIC));
	if (!syt_workload_read(&o->model, model)) {
		free(o);
		return NULL;
	}
	syt_prefixes_open(&o->prefixes, &o->model);
	o->window_ns = window_ns;
	o->one_in = one_in;
	o->symbols = symbols;
	o->model_mix = syt_calloc((size_t)o->model.nr_clusters + 1, sizeof(*o->model_mix));
	o->mix = syt_calloc((size_t)o->model.nr_clusters + 1, sizeof(*o->mix));
	find_groups(o);
	return o;
}

void syt_online_destroy(struct syt_online *o)
{
	if (!o)
		return;
	syt_workload_close(&o->model);
	free(o->judged);
	free(o->group);
	free(o->model_mix);
	free(o->mix);
	free(o);
}

/* ---- requests that are judged ---- */

struct window {
	struct syt_online *online;
	const struct syt_online_eye *eye;
	struct syt_gathered g;
	struct syt_odd_judge judge;
	struct syt_hash before; /* of online->judged */
	size_t nr, room;
	struct judged *judged; /* of this window */
	size_t room_symbols;
	uint32_t *symbols; /* of an open request, in the model */
	uint64_t now_ns;
	syt_time
		complete; /* requests that began before lack events, or were judged or left out before */
	syt_time horizon; /* requests that ended before are complete */
};

static uint32_t hash_of(const struct judged *j)
{
	return syt_hash_words((uint64_t)j->image << 32 | j->thread, j->event);
}

static struct judged key_of(const struct window *w, uint64_t r)
{
	struct syt_place at = w->g.requests.all[r].x.received;
	const struct syt_thread *t = w->g.order->places.threads[at.thread];

	return (struct judged){
		.image = t->image->index, .thread = t->index, .event = t->base + at.row};
}

/* Returns the state of the request R after the previous window. */
static struct judged state_of(const struct window *w, uint64_t r)
{
	const struct judged key = key_of(w, r), *all = w->online->judged;
	uint32_t n = SYT_HASH_FIND(&w->before, hash_of(&key), i,
	                           all[i].image == key.image && all[i].thread == key.thread &&
	                                   all[i].event == key.event);

	return n == SYT_HASH_NONE ? key : all[n];
}

/* ---- shifts ---- */

/* Adds a request to the mix. Compares the mix with the model when it is complete. */
static void add_to_mix(struct window *w, uint32_t cluster)
{
	struct syt_online *o = w->online;
	const uint32_t nr = o->model.nr_clusters;
	struct syt_shift s;

	o->mix[cluster == SYT_WORKLOAD_NONE ? nr : o->group[cluster]]++;
	if (++o->nr_in_mix < SYT_ONLINE_SHIFT_REQUESTS)
		return;
	s = syt_mix_shift(o->model_mix, o->mix, nr + 1);
	o->nr_shifted = s.is_shift ? o->nr_shifted + 1 : 0;
	if (o->nr_shifted == 2)
		w->eye->tell_shift(w->eye->context, &s);
	for (uint32_t k = 0; k <= nr; k++)
		o->mix[k] = 0;
	o->nr_in_mix = 0;
}

/* ---- an analysis ---- */

/* Returns false if no alarm may be printed now. */
static bool tell(struct window *w, uint64_t r, bool is_over)
{
	const struct syt_request_info *info = &w->g.requests.all[r];
	const uint64_t end = is_over ? SYT_TIME_NS(info->end) : w->now_ns,
		       begin = SYT_TIME_NS(info->begin);
	const struct syt_odd_alarm a = {&w->judge, r, is_over, end > begin ? end - begin : 0,
	                                syt_online_sample(w->online)};

	if (!w->eye->wants(w->eye->context, is_over))
		return false;
	w->eye->tell_odd(w->eye->context, &a);
	return true;
}

/* Returns false if the request R departs at a function that has a name in the model alone: the file of the program was replaced. */
static bool is_comparable(struct window *w, uint64_t r, const struct syt_verdict_of *v)
{
	struct syt_online *o = w->online;
	uint32_t nr, step = v->score.structure.step;
	const uint32_t *steps = syt_behaviours_symbols(w->g.behaviours, r, &nr);

	if (!v->score.structure.change || step >= nr ||
	    syt_symbol_is_comparable(&o->model, o->symbols,
	                             w->g.population->symbols.all[steps[step]]))
		return true;
	if (!o->has_warned_of_file)
		syt_warn("--against leaves out requests: a file of the program is not the file "
		         "that ran, and the functions of the model have names");
	o->has_warned_of_file = true;
	return false;
}

/* Returns the number of steps of the request R before the horizon: later ones of other threads may be missing. Their symbols in
 * the model go into w->symbols. */
static uint32_t steps_so_far(struct window *w, uint64_t r)
{
	const struct syt_population *p = w->g.population;
	uint32_t nr, i;
	const struct syt_request_step *steps = syt_behaviours_steps(w->g.behaviours, r, &nr);

	syt_grow(&w->symbols, &w->room_symbols, (size_t)nr + 1, sizeof(*w->symbols));
	for (i = 0; i < nr; i++) {
		if (steps[i].at.thread != SYT_NONE &&
		    syt_place_row(&w->g.order->places, steps[i].at)->out > w->horizon)
			break;
		w->symbols[i] = syt_text_set_find(&w->online->model.known.symbols,
		                                  p->symbols.all[steps[i].symbol]);
	}
	return i;
}

/* Judges the request R, which has no answer, by the steps that are certain. Returns true if it told an alarm. */
static bool judge_open(struct window *w, uint64_t r)
{
	uint32_t nr = steps_so_far(w, r);
	struct syt_prefix prefix = syt_prefix_of(&w->online->prefixes, w->symbols, nr);
	struct syt_verdict_of v;

	if (!prefix.is_unseen)
		return false;
	syt_gather_add_open(&w->g, r, prefix.nr);
	v = syt_odd_judge(&w->judge, r);
	return v.is_finding && is_comparable(w, r, &v) && tell(w, r, false);
}

/* Judges the request R after its end. If it had an alarm before, only the amount of its work causes a second one. */
static void judge_over(struct window *w, uint64_t r, bool is_told)
{
	struct syt_verdict_of v = syt_odd_judge(&w->judge, r);

	if (!is_comparable(w, r, &v))
		return;
	if (v.is_finding && (v.is_work || !is_told))
		tell(w, r, true);
	add_to_mix(w, v.score.cluster);
}

/* Judges the request R, unless it was judged before. */
static void look_at(struct window *w, uint64_t r)
{
	const struct syt_request_info *info = &w->g.requests.all[r];
	bool is_open = info->end_is == SYT_REQUEST_OPEN;
	struct judged state = state_of(w, r);

	if (!syt_extents_has(&w->g.extents, r) || info->flags & SYT_REQUEST_UNSURE ||
	    info->begin < w->complete)
		return;
	if (!state.is_over && !is_open && info->end <= w->horizon) {
		judge_over(w, r, state.is_told);
		state.is_over = true;
	} else if (is_open && !state.is_told) {
		state.is_told = judge_open(w, r);
	}
	if (!state.is_over && SYT_TIME_NS(info->begin) < w->online->oldest_ns)
		w->online->oldest_ns = SYT_TIME_NS(info->begin);
	if (state.is_over || state.is_told)
		*SYT_ADD(w->judged, w->nr, w->room) = state;
}

/* Judges the requests of the window in the order of their begins. */
static void look_at_all(struct window *w)
{
	struct syt_online *o = w->online;

	for (size_t i = 0; i < o->nr; i++)
		syt_hash_add(&w->before, hash_of(&o->judged[i]), i);
	o->oldest_ns = w->now_ns - MARGIN_NS;
	SYT_EACH(r, 0, w->g.requests.nr)
		look_at(w, r);
	syt_hash_close(&w->before);
	free(w->symbols);
	free(o->judged);
	o->judged = w->judged;
	o->nr = w->nr;
	o->room = w->room;
}

static void analyse(struct window *w, const struct syt_trace_data *trace)
{
	struct syt_population population = {0};
	struct syt_order order;

	if (syt_order_open_for(&order, trace, syt_extent_edges))
		return;
	if (!syt_gather_open(&w->g, &order, w->online->symbols, &population, NULL)) {
		syt_odd_judge_open(&w->judge, &w->g, w->online->symbols, &w->online->model,
		                   w->online->one_in);
		look_at_all(w);
		syt_odd_judge_close(&w->judge);
		syt_gather_close(&w->g);
	}
	syt_population_close(&population);
	syt_order_close(&order);
}

/* Returns the tick of the event clock at the begin of the next window; 1 for the whole trace. */
static uint64_t begin_of(const struct syt_online *o, struct syt_online_clock clock, uint64_t now)
{
	uint64_t from = o->oldest_ns > o->window_ns ? o->oldest_ns - o->window_ns : 0;
	double ticks = (double)(now > from ? now - from : 0) / clock.ns_per_tick;

	return from && ticks < (double)clock.ticks ? clock.ticks - (uint64_t)ticks : 1;
}

/* The events of a window. */
struct extent {
	uint64_t nr, nr_until, nr_judged; /* as in struct syt_online */
	struct syt_complete complete;
};

/* Returns the number of events of T before TIME. */
static uint64_t rows_before(const struct syt_thread *t, syt_time time)
{
	return SYT_BISECT(i, 0, t->nr_rows, syt_thread_row(t, i)->in < time);
}

/* Adds the events of T. */
static void add_thread(struct extent *x, const struct syt_online *o, const struct syt_thread *t,
                       syt_time horizon)
{
	syt_time complete = x->complete.from;
	syt_time from = complete > o->judged_until ? complete : o->judged_until;
	uint64_t until = rows_before(t, horizon), before = rows_before(t, from);

	x->nr += t->nr_rows;
	x->nr_until += t->base + until;
	x->nr_judged += until > before ? until - before : 0;
}

static struct extent extent_of(const struct syt_online *o, const struct syt_trace_data *trace,
                               syt_time horizon)
{
	struct extent x = {.complete = syt_complete_of(trace, o->oldest_ns)};

	for (uint32_t n = 0; n < trace->nr_images; n++)
		for (uint32_t k = 0; k < trace->images[n].nr_threads; k++)
			add_thread(&x, o, &trace->images[n].threads[k], horizon);
	return x;
}

static void note_extent(struct syt_online *o, const struct extent *x, syt_time horizon)
{
	o->has_looked = true;
	o->nr_until = x->nr_until;
	o->nr_judged += x->nr_judged;
	o->judged_until = horizon;
	if (x->complete.is_short && !o->has_warned)
		syt_warn("--against compares only a part of the requests: the ring overwrote their "
		         "events, or the trace has more events than it can analyse in %.0f %% of a "
		         "processor",
		         SYT_PACE_SHARE * 100);
	o->has_warned |= x->complete.is_short;
}

double syt_online_sample(const struct syt_online *o)
{
	return o->nr_until ? (double)o->nr_judged / (double)o->nr_until : 1;
}

/* Returns the number of events that an analysis may read now; 0: none is due. */
static uint64_t events_due(struct syt_online *o, bool is_last)
{
	uint64_t due = syt_pace_due(&o->pace, clock_ns(CLOCK_MONOTONIC),
	                            clock_ns(CLOCK_PROCESS_CPUTIME_ID));

	if (is_last)
		due = o->has_looked ? syt_pace_last(&o->pace) : MOST_EVENTS;
	return due < MOST_EVENTS ? due : MOST_EVENTS;
}

void syt_online_look(struct syt_online *o, const char *dir, struct syt_online_clock clock,
                     bool is_last, const struct syt_online_eye *eye)
{
	const uint64_t now = clock_ns(CLOCK_MONOTONIC), begun = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	struct syt_read_options options = {.nr_workers = 1};
	struct window w = {
		.online = o,
		.eye = eye,
		.now_ns = now,
		.horizon = is_last ? UINT64_MAX : (now - MARGIN_NS) << SYT_TIME_SHIFT,
	};
	struct syt_read_report report;
	struct syt_trace_data *trace;
	struct extent x;

	if (!clock.ticks || !(options.most_events = events_due(o, is_last)))
		return;
	options.from_ticks = begin_of(o, clock, now);
	trace = syt_read(&dir, 1, &options, &report);
	trace->read_at = is_last ? 0 : now << SYT_TIME_SHIFT;
	x = extent_of(o, trace, w.horizon);
	if (is_last) /* the trace may have ended long ago */
		w.now_ns = SYT_TIME_NS(trace->end);
	if (trace->nr_images) {
		w.complete = x.complete.from;
		note_extent(o, &x, w.horizon);
		syt_names_open(trace, o->symbols);
		analyse(&w, trace);
	}
	syt_symbols_forget_images(o->symbols);
	syt_trace_destroy(trace);
	syt_pace_end(&o->pace, clock_ns(CLOCK_MONOTONIC), begun, clock_ns(CLOCK_PROCESS_CPUTIME_ID),
	             x.nr, x.complete.is_short);
}
