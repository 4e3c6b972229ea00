/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Finds the thread that arrives last at a barrier, and semaphores whose count limits the number of threads. */
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/err.h"
#include "base/sort.h"
#include "decoder/analysis/cause.h"

#define LEAST_ROUNDS 4u
/* least time for which threads wait for a token, in tenths of the time for which they have it */
#define LEAST_TOKEN_WAIT 15u

/* ---- barriers ---- */

struct arrival {
	syt_time in;
	struct syt_place at;
};

/* What one thread did at a barrier. */
struct arriver {
	uint32_t thread;
	uint64_t nr_last; /* number of rounds in which it arrived last */
	syt_time cost;    /* waits of the other threads in these rounds */
	struct syt_place at;
};

static int by_arrival(const void *a_, const void *b_)
{
	const struct arrival *a = a_, *b = b_;

	SYT_ORDER_BY(in);
	return syt_place_compare(a->at, b->at);
}

static int most_last_first(const void *a_, const void *b_)
{
	const struct arriver *a = a_, *b = b_;

	SYT_ORDER(b->cost, a->cost);
	SYT_ORDER_BY(thread);
	return 0;
}

/* Returns the previous event of AT's thread with the same object, or the thread's first event. */
static uint32_t previous_use(const struct syt_order *o, struct syt_place at)
{
	const struct syt_thread *t = o->places.threads[at.thread];
	uint32_t object = syt_thread_row(t, at.row)->object, row = at.row;

	while (row && syt_thread_row(t, --row)->object != object)
		;
	return row;
}

/* Adds the cause of a barrier for SIZE threads. Its NR_ROUNDS rounds have the arrivals ALL, and ENDS[R] is the
 * index of the first arrival after round R. Each round is sorted by time. WAITS is an example of a wait. */
static void add_barrier(const struct syt_cause_search *s, uint32_t object,
                        const struct arrival *all, const size_t *ends, size_t nr_rounds,
                        size_t size, struct syt_place waits)
{
	size_t nr_arrivers = 0, nr = nr_rounds ? ends[nr_rounds - 1] : 0;
	struct arriver *arrivers;
	uint32_t *number; /* [thread]: index in ARRIVERS + 1 */
	syt_time lost = 0, wall = 0;

	if (nr_rounds < LEAST_ROUNDS)
		return;
	arrivers = syt_calloc(nr, sizeof(*arrivers));
	number = syt_calloc(s->order->places.nr_threads, sizeof(*number));
	for (size_t i = 0; i < nr; i++) {
		uint32_t thread = all[i].at.thread;

		if (number[thread])
			continue;
		arrivers[nr_arrivers++].thread = thread;
		number[thread] = (uint32_t)nr_arrivers;
		wall += syt_cause_life(s->order, thread);
	}
	for (size_t r = 0, first = 0; r < nr_rounds; first = ends[r++]) {
		const struct arrival *last = &all[ends[r] - 1];
		struct arriver *a = &arrivers[number[last->at.thread] - 1];
		syt_time wait = 0;

		for (size_t i = first; i < ends[r]; i++)
			wait += last->in - all[i].in;
		a->nr_last++;
		a->cost += wait;
		a->at = last->at;
		lost += wait;
	}
	qsort(arrivers, nr_arrivers, sizeof(*arrivers), most_last_first);
	if (syt_cause_is_large(s->causes, lost, wall)) {
		/* with two threads, one of them is last in half of the rounds by chance */
		bool is_one = arrivers[0].nr_last * 4 >= nr_rounds * (size == 2 ? 3 : 2) &&
		              arrivers[0].cost >= lost / 2 &&
		              syt_cause_is_large(s->causes, arrivers[0].cost, wall);
		struct syt_cause c = {.kind = SYT_CAUSE_LATE_ARRIVAL,
		                      .object = object,
		                      .waiter = syt_label_side(s->labels, waits),
		                      .origin = SYT_NONE,
		                      .thread = is_one ? arrivers[0].thread : SYT_NONE,
		                      .nr_threads = (uint32_t)size - 1,
		                      .nr = is_one ? arrivers[0].nr_last : nr_rounds,
		                      .of = nr_rounds,
		                      .limit = size,
		                      .cost = is_one ? arrivers[0].cost : lost,
		                      .of_wall = wall,
		                      .at = waits,
		                      .by = arrivers[0].at};
		struct syt_cause_tally t = {0};

		c.mean = c.cost / c.nr / (size - 1);
		for (size_t r = 0; r < nr_rounds; r++) {
			struct syt_place at = all[ends[r] - 1].at;

			if (!is_one || at.thread == c.thread)
				syt_cause_spend(s, &t, at.thread, previous_use(s->order, at),
				                at.row);
		}
		syt_cause_set_inside(&c, &t);
		/* with more threads than CPUs, chance decides which running thread arrives last; in a barrier
		 * that is none by its type, the last thread may work for all others */
		if (is_one || (syt_object_kind(&s->order->objects, object) == SYT_KIND_BARRIER &&
		               c.inside != SYT_NONE && lost / 4 >= wall / size / 2))
			syt_causes_add(s->causes, c);
	}
	free(arrivers);
	free(number);
}

/* A wake-up of a thread that waited for a condition or futex. Threads also meet at these objects: the last
 * thread that arrives wakes the others. */
struct meeting {
	uint32_t object;
	syt_time at;               /* begin of the wake-up */
	struct syt_place from, to; /* wake-up, and wait */
};

static int by_wake(const void *a_, const void *b_)
{
	const struct meeting *a = a_, *b = b_;
	int result;

	SYT_ORDER_BY(object);
	SYT_ORDER_BY(at);
	result = syt_place_compare(a->from, b->from);
	return result ? result : syt_place_compare(a->to, b->to);
}

/* The innermost function of a call path that does not belong to the library of its language. */
struct own {
	const char *name, *file;
};

static void see_frame(void *arg, const char *name, const struct syt_location *at,
                      const struct syt_symbol *symbol)
{
	struct own *own = arg;
	if (at && !syt_symbol_is_library(name, symbol))
		*own = (struct own){name, symbol ? symbol->file : NULL};
}

/* Returns ";FUNCTION;" with the innermost function that the two call paths have in common, or NULL if they come from
 * different functions of the program. The caller frees it. */
static char *meeting_function(const struct syt_cause_search *s, struct syt_place a,
                              struct syt_place b)
{
	uint32_t side_a = syt_label_side(s->labels, a), side_b = syt_label_side(s->labels, b);
	const char *text = syt_label_side_text(s->labels, side_a);
	const char *other = syt_label_side_text(s->labels, side_b), *name;
	struct own x = {NULL, NULL}, y = {NULL, NULL};
	size_t same = 0, end = 0, begin = 0, bytes;

	syt_label_side_frames(s->labels, side_a, see_frame, &x);
	syt_label_side_frames(s->labels, side_b, see_frame, &y);
	if (!x.name || !y.name || strcmp(x.name, y.name) || !x.file != !y.file ||
	    (x.file && strcmp(x.file, y.file)))
		return NULL;
	for (; text[same] && text[same] == other[same]; same++)
		if (text[same] == ';') {
			begin = end;
			end = same + 1;
		}
	name = text + begin;
	bytes = end ? end - 1 - begin : 0;
	/* threads with different start functions have fewer functions in common */
	if (!bytes || (memmem(text + end, strlen(text + end), x.name, strlen(x.name)))) {
		name = x.name;
		bytes = strlen(x.name);
	}
	return syt_asprintf(";%.*s;", (int)bytes, name);
}

/* Returns the time at which the thread entered FUNCTION for the wait or wake-up AT, after its previous use of the
 * object. A thread that works in this function for the others has arrived before its work. */
static syt_time entered(const struct syt_cause_search *s, struct syt_place at, const char *function)
{
	const struct syt_thread *t = s->order->places.threads[at.thread];
	uint32_t object = syt_thread_row(t, at.row)->object;
	syt_time since = syt_thread_row(t, at.row)->in;

	while (at.row--) {
		const struct syt_row *r = syt_thread_row(t, at.row);

		if (r->object == object ||
		    !strstr(syt_label_side_text(s->labels, syt_label_side(s->labels, at)),
		            function))
			break;
		since = r->in;
	}
	return since;
}

/* Examines the wake-ups ALL at one object. The threads meet in rounds if at least three threads take part, all but
 * one were created at one place, and a wake-up wakes half of the others or more on average: a thread that arrives
 * just before the last one may not sleep. */
static void see_meetings(const struct syt_cause_search *s, const struct meeting *all, size_t nr,
                         uint8_t *is_in, const uint32_t *created, const char *function)
{
	size_t nr_foreign = 0; /* number of threads that were created elsewhere */
	struct arrival *arrivals = syt_alloc(nr * 2, sizeof(*arrivals));
	size_t *ends = syt_alloc(nr, sizeof(*ends)), nr_arrivals = 0, nr_rounds = 0, size = 0;

	for (size_t i = 0, next; i < nr; i = next) {
		size_t first = nr_arrivals;

		for (next = i; next < nr && !syt_place_compare(all[next].from, all[i].from);
		     next++) {
			arrivals[nr_arrivals++] =
				(struct arrival){entered(s, all[next].to, function), all[next].to};
			size += !is_in[all[next].to.thread];
			is_in[all[next].to.thread] = 1;
		}
		size += !is_in[all[i].from.thread];
		is_in[all[i].from.thread] = 1;
		arrivals[nr_arrivals++] =
			(struct arrival){entered(s, all[i].from, function), all[i].from};
		syt_sort(&arrivals[first], nr_arrivals - first, sizeof(*arrivals), by_arrival);
		ends[nr_rounds++] = nr_arrivals;
	}
	for (size_t i = 0; i < nr_arrivals; i++) {
		uint32_t thread = arrivals[i].at.thread;

		nr_foreign += is_in[thread] && created[thread] != created[all[0].to.thread];
		is_in[thread] = 0;
	}
	if (nr_foreign <= 1 && size >= 3 && nr * 2 >= nr_rounds * (size - 1))
		add_barrier(s, all[0].object, arrivals, ends, nr_rounds, size, all[0].to);
	free(arrivals);
	free(ends);
}

/* Finds barriers that consist of a condition variable, or of a futex: std::barrier. The thread that arrives last
 * makes the wake-up in the function in which the others wait. A thread that gives work to others makes it
 * elsewhere. */
static void find_meetings(const struct syt_cause_search *s)
{
	const struct syt_edges *edges = &s->order->edges;
	struct meeting *all = NULL;
	uint8_t *is_in = syt_calloc(s->order->places.nr_threads, 1);
	/* [thread]: call path of its creation + 1, or 0 */
	uint32_t *created = syt_calloc(s->order->places.nr_threads, sizeof(*created));
	size_t nr = 0, room = 0;
	char *function;

	SYT_EACH(i, 0, edges->nr) {
		const struct syt_edge *e = &edges->all[i];
		uint8_t shape;

		if (e->kind == SYT_EDGE_CREATE && e->from.thread != SYT_NONE &&
		    e->to.thread != SYT_NONE)
			created[e->to.thread] = syt_label_side(s->labels, e->from) + 1;
		if ((e->kind != SYT_EDGE_COND && e->kind != SYT_EDGE_FUTEX) ||
		    e->from.thread == SYT_NONE || e->to.thread == SYT_NONE ||
		    e->from.thread == e->to.thread)
			continue;
		shape = syt_place_call(&s->order->places, e->from)->shape;
		if (shape != SYT_SHAPE_COND_BROADCAST && shape != SYT_SHAPE_FUTEX_WAKE)
			continue;
		*SYT_ADD(all, nr, room) = (struct meeting){
			e->object, syt_place_row(&s->order->places, e->from)->in, e->from, e->to};
	}
	if (nr)
		syt_sort(all, nr, sizeof(*all), by_wake);
	for (size_t i = 0, next; i < nr; i = next) {
		for (next = i; next < nr && all[next].object == all[i].object; next++)
			;
		function = next - i >= (size_t)2 * LEAST_ROUNDS
		                   ? meeting_function(s, all[i].from, all[i].to)
		                   : NULL;
		if (function)
			see_meetings(s, &all[i], next - i, is_in, created, function);
		free(function);
	}
	free(all);
	free(is_in);
	free(created);
}

void syt_cause_find_barriers(const struct syt_cause_search *s)
{
	const struct syt_order *o = s->order;
	struct arrival *all = NULL;
	size_t room = 0, room_ends = 0;
	size_t *ends = NULL;

	for (uint32_t object = 0; object < o->objects.nr; object++) {
		struct syt_history h = syt_history_of(&o->histories, object);
		uint64_t size = 0;
		size_t nr = 0, nr_rounds = 0;

		if (syt_object_kind(&o->objects, object) != SYT_KIND_BARRIER)
			continue;
		SYT_EACH(i, 0, h.nr) {
			const struct syt_touch *t = &h.touches[i];

			if (!syt_touch_is(t, SYT_SHAPE_BARRIER_WAIT))
				continue;
			if (!size)
				size = syt_place_extra(&o->places, t->place)->count;
			syt_grow(&all, &room, nr + 1, sizeof(*all));
			all[nr++] =
				(struct arrival){syt_place_row(&o->places, t->place)->in, t->place};
		}
		if (size < 2 || size > nr)
			continue;
		syt_sort(all, nr, sizeof(*all), by_arrival);
		while ((nr_rounds + 1) * size <= nr) {
			syt_grow(&ends, &room_ends, nr_rounds + 1, sizeof(*ends));
			ends[nr_rounds] = (nr_rounds + 1) * (size_t)size;
			nr_rounds++;
		}
		add_barrier(s, object, all, ends, nr_rounds, (size_t)size, all[0].at);
	}
	free(all);
	free(ends);
	find_meetings(s);
}

/* ---- semaphores ---- */

/* The tokens of one semaphore that threads hold. */
struct tokens {
	const struct syt_cause_search *s;
	uint32_t *taken,
		*tag; /* [thread]: row of its last take + 1; number + 1 of the object of `taken` */
	struct syt_cause_tally spent, waited;
	uint64_t nr_own,
		nr_foreign; /* tokens given back by the thread that took them, and by other threads */
	uint64_t nr_waits, nr_threads;
	syt_time cost, wall;
};

static void see_token(struct tokens *k, uint32_t object, const struct syt_touch *t)
{
	const struct syt_row *r = syt_place_row(&k->s->order->places, t->place);
	uint32_t thread = t->place.thread;

	if (k->tag[thread] != object + 1) {
		k->tag[thread] = object + 1;
		k->taken[thread] = 0;
		k->nr_threads++;
		k->wall += syt_cause_life(k->s->order, thread);
	}
	if (t->shape == SYT_SHAPE_SEM_POST) {
		k->nr_own += k->taken[thread] != 0;
		k->nr_foreign += !k->taken[thread];
		if (k->taken[thread])
			syt_cause_spend(k->s, &k->spent, thread, k->taken[thread] - 1,
			                t->place.row);
		k->taken[thread] = 0;
		return;
	}
	k->taken[thread] = t->place.row + 1;
	if (r->in < r->out) {
		k->nr_waits++;
		k->cost += r->out - r->in;
		syt_cause_spend_at(k->s, &k->waited, t->place, r->out - r->in);
	}
}

bool syt_cause_first_value(const struct syt_order *o, uint32_t object, uint64_t *value)
{
	const struct syt_object_info *info = o->objects.all[object].info;
	struct syt_history h = syt_history_of(&o->histories, object);

	if (h.nr && (h.touches[0].shape == SYT_SHAPE_INIT ||
	             !strcmp(syt_place_call(&o->places, h.touches[0].place)->name, "sem_open"))) {
		*value = syt_place_extra(&o->places, h.touches[0].place)->arg;
		return true;
	}
	*value = info->value;
	return info->flags & SYT_OBJECT_VALUE;
}

/* Returns true if a larger semaphore may help: threads wait much longer for a token than they use it, and spend most of
 * the time with a token in calls. Threads that compute need a CPU, and more tokens do not give them one. */
static bool is_too_small(const struct tokens *k)
{
	syt_time in_calls = 0;

	for (unsigned i = 0; i < k->spent.nr; i++)
		in_calls += k->spent.all[i].time;
	return in_calls >= k->spent.total / 2 && k->cost / LEAST_TOKEN_WAIT >= k->spent.total / 10;
}

static void see_semaphore(struct tokens *k, uint32_t object)
{
	struct syt_history h = syt_history_of(&k->s->order->histories, object);
	const struct syt_cause_part *at;
	struct syt_cause c = {.kind = SYT_CAUSE_SEMAPHORE_LIMIT,
	                      .object = object,
	                      .origin = SYT_NONE,
	                      .thread = SYT_NONE};

	if (!syt_cause_first_value(k->s->order, object, &c.limit) || !c.limit)
		return;
	SYT_EACH(i, 0, h.nr)
		if (syt_touch_is(&h.touches[i], SYT_SHAPE_SEM_WAIT) ||
		    syt_touch_is(&h.touches[i], SYT_SHAPE_SEM_POST))
			see_token(k, object, &h.touches[i]);
	at = syt_cause_most(&k->waited);
	if (!at || !k->nr_own || k->nr_foreign * 10 > k->nr_own || k->nr_threads <= c.limit ||
	    !is_too_small(k) || !syt_cause_is_large(k->s->causes, k->cost, k->wall))
		return;
	c.waiter = at->side;
	c.at = at->at;
	c.by = (struct syt_place){SYT_NONE, 0};
	c.nr_threads = (uint32_t)k->nr_threads;
	c.nr = k->nr_waits;
	c.of = k->nr_own;
	c.cost = k->cost;
	c.mean = k->cost / k->nr_waits;
	c.of_wall = k->wall;
	syt_cause_set_inside(&c, &k->spent);
	syt_causes_add(k->s->causes, c);
}

void syt_cause_find_semaphores(const struct syt_cause_search *s)
{
	uint32_t nr_threads = s->order->places.nr_threads;
	struct tokens k = {.s = s,
	                   .taken = syt_calloc(nr_threads, sizeof(*k.taken)),
	                   .tag = syt_calloc(nr_threads, sizeof(*k.tag))};

	for (uint32_t i = 0; i < s->order->objects.nr; i++) {
		/* a semaphore used as a lock is examined as a lock */
		if (syt_object_kind(&s->order->objects, i) != SYT_KIND_SEM ||
		    syt_lockset_has(&s->blamer->locks, i))
			continue;
		k = (struct tokens){.s = s, .taken = k.taken, .tag = k.tag};
		see_semaphore(&k, i);
	}
	free(k.taken);
	free(k.tag);
}
