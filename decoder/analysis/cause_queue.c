/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Finds queues that are full, because their consumers are slow, and pools whose workers are all busy while work
 * waits. */
#include <stdlib.h>

#include "base/bisect.h"
#include "base/err.h"
#include "base/sort.h"
#include "decoder/analysis/cause.h"
#include "decoder/history/instants.h"

#define LEAST_ROOM_WAIT                                                                            \
	((syt_time)100000 << SYT_TIME_SHIFT) /* a shorter send may not have waited */
#define LEAST_WAITS 5u
#define LEAST_PUTS 20u
#define LEAST_QUEUED                                                                               \
	6u /* least time for which a task waits for a worker, in times for which it runs */
#define MOST_SCANNED (UINT64_C(1) << 28) /* rows that are searched for the workers of all pools */
#define MOST_PER_WORKER 20u /* items that wait for each worker, if all come at the same time */

struct queue_search {
	const struct syt_cause_search *s;
	uint64_t nr_received;
	struct syt_place *received; /* signals that woke a thread, or may have woken one, sorted */
	uint32_t *tag;              /* [thread]: number + 1 of the last object that counted it */
	struct next_signal *next;   /* [thread]: of its last examined waits */
	syt_time *first_gift;       /* [object]: the first event that gives; 0: not known yet */
	uint64_t nr_rows, nr_scanned; /* rows of the trace, and rows that were searched for pools */
	uint32_t *held;               /* [thread]: tokens that it took and did not post, else 0 */
	struct syt_blames pieces;
};

static int by_place(const void *a, const void *b)
{
	return syt_place_compare(*(const struct syt_place *)a, *(const struct syt_place *)b);
}

static bool is_first_use(struct queue_search *w, uint32_t thread, uint32_t object)
{
	bool is_first = w->tag[thread] != object + 1;

	w->tag[thread] = object + 1;
	return is_first;
}

/* ---- full queues ---- */

/* The waits for free places in one queue. */
struct full {
	struct syt_cause cause;
	struct syt_cause_tally waited, spent;
	struct syt_cpu_use ran; /* CPU time of the threads that ran during the waits */
	uint64_t nr_fit;        /* number of waits that fit a wait for a free place */
};

/* Adds the wait AT, and the calls and threads for which it waited. */
static void see_full(struct queue_search *w, struct full *f, uint32_t object, struct syt_place at)
{
	const struct syt_row *r = syt_place_row(&w->s->order->places, at);

	if (is_first_use(w, at.thread, object)) {
		f->cause.nr_threads++;
		f->cause.of_wall += syt_cause_life(w->s->order, at.thread);
	}
	f->cause.nr++;
	f->cause.cost += r->out - r->in;
	syt_cause_spend_at(w->s, &f->waited, at, r->out - r->in);
	w->pieces.nr = 0;
	syt_blame_call(w->s->blamer, at, r->in, r->out, &w->pieces);
	for (size_t i = 0; i < w->pieces.nr; i++) {
		const struct syt_blame *b = &w->pieces.all[i];

		bool is_known = b->at.thread != at.thread && b->at.thread != SYT_NONE;

		if (is_known)
			f->cause.thread = b->at.thread;
		if (is_known && b->kind == SYT_BLAME_CALL) {
			syt_cause_spend_at(w->s, &f->spent, b->at, b->time);
		} else {
			/* a wait with an unknown end says nothing about the consumer, and a consumer
			 * without a CPU does not work */
			if (is_known)
				f->spent.total += b->time - (b->cpu.of - b->cpu.most);
			syt_cpu_add(&f->ran, b->cpu);
		}
	}
}

static bool gives(const struct syt_touch *t)
{
	return t->role == SYT_ROLE_SELF &&
	       (t->shape == SYT_SHAPE_COND_SIGNAL || t->shape == SYT_SHAPE_COND_BROADCAST ||
	        t->shape == SYT_SHAPE_SEM_POST);
}

static bool takes_token(const struct syt_touch *t)
{
	return syt_touch_is(t, SYT_SHAPE_SEM_WAIT);
}

/* Returns the number of threads with two or more touches of OBJECT for which IS_USE returns true. One touch may belong
 * to the end of the program, for example a last signal to all threads. */
static uint32_t nr_users(const struct syt_order *o, uint32_t object,
                         bool (*is_use)(const struct syt_touch *))
{
	struct syt_history h = syt_history_of(&o->histories, object);
	uint8_t *nr_uses = syt_calloc(o->places.nr_threads, 1);
	uint32_t nr = 0;

	SYT_EACH(i, 0, h.nr) {
		uint32_t thread = h.touches[i].place.thread;

		if (nr_uses[thread] < 2 && is_use(&h.touches[i]))
			nr += ++nr_uses[thread] == 2;
	}
	free(nr_uses);
	return nr;
}

/* Returns true if the consumers of F worked: in one call, or on a CPU. A consumer that waits for another thread, or for a
 * CPU, is not slow. */
static bool has_worked(const struct queue_search *w, const struct full *f)
{
	if (f->cause.inside != SYT_NONE)
		return !syt_cause_is_lock_call(w->s->order, f->cause.in);
	return !syt_cpu_is_known(&f->ran) || f->ran.least / 2 + f->ran.most / 2 >= f->ran.of / 2;
}

/* Adds the cause F of a queue. Its consumers make the uses IS_TAKE of the object TAKEN, and its producers make the uses
 * IS_PUT of the object PUT. With more consumers than producers, a full queue is normal: it keeps the producers from
 * running ahead. */
static void add_full(struct queue_search *w, struct full *f, uint32_t taken,
                     bool (*is_take)(const struct syt_touch *), uint32_t put,
                     bool (*is_put)(const struct syt_touch *))
{
	const struct syt_cause_part *at = syt_cause_most(&f->waited);

	if (!at || f->cause.nr < LEAST_WAITS || f->nr_fit * 2 < f->cause.nr ||
	    f->cause.cost < f->cause.of_wall / 10 * 3 ||
	    !syt_cause_is_large(w->s->causes, f->cause.cost, f->cause.of_wall) ||
	    nr_users(w->s->order, taken, is_take) > nr_users(w->s->order, put, is_put))
		return;
	f->cause.kind = SYT_CAUSE_SLOW_CONSUMER;
	f->cause.waiter = at->side;
	f->cause.at = at->at;
	f->cause.mean = f->cause.cost / f->cause.nr;
	syt_cause_set_inside(&f->cause, &f->spent);
	if (has_worked(w, f))
		syt_causes_add(w->s->causes, f->cause);
}

/* The waits of a thread for one condition variable in the rows FROM to UNTIL - 1, and the other condition variable that the
 * thread signals after all of them, or SYT_NONE. */
struct next_signal {
	uint32_t object, from, until; /* object: index in the process image */
	uint32_t other;
};

/* Finds another condition that the thread signals after the wait AT, and before it releases the mutex or directly
 * after: a wait for a free place, and then the thread puts an item. */
static struct next_signal find_signal(const struct syt_order *o, struct syt_place at)
{
	const struct syt_thread *t = o->places.threads[at.thread];
	struct next_signal found = {syt_thread_row(t, at.row)->object, at.row, at.row + 1,
	                            SYT_NONE};
	bool is_unlocked = false;

	for (uint32_t i = at.row + 1; i < t->nr_rows; i++) {
		const struct syt_row *r = syt_thread_row(t, i);
		uint8_t shape = syt_row_call(t->image, r)->shape;
		bool is_signal =
			shape == SYT_SHAPE_COND_SIGNAL || shape == SYT_SHAPE_COND_BROADCAST;

		found.until = i;
		if (is_signal && r->object != found.object)
			found.other = syt_cause_object(o, (struct syt_place){at.thread, i});
		if (is_signal || is_unlocked ||
		    (shape == SYT_SHAPE_COND_WAIT && r->object != found.object))
			return found;
		is_unlocked = shape == SYT_SHAPE_UNLOCK; /* the signal may follow the unlock */
	}
	found.until = (uint32_t)t->nr_rows;
	return found;
}

/* Returns the condition variable that the thread signals after the wait AT, as find_signal() describes, or SYT_NONE. The
 * waits of one critical section have the same signal. */
static uint32_t signalled_after(struct queue_search *w, struct syt_place at)
{
	const struct syt_order *o = w->s->order;
	struct next_signal *n = &w->next[at.thread];

	if (syt_place_row(&o->places, at)->object != n->object || at.row < n->from ||
	    at.row >= n->until)
		*n = find_signal(o, at);
	return n->other;
}

/* Returns the time of the first signal or broadcast of OBJECT, or UINT64_MAX. */
static syt_time first_gift(struct queue_search *w, uint32_t object)
{
	struct syt_history h = syt_history_of(&w->s->order->histories, object);
	syt_time *first = &w->first_gift[object];

	if (*first)
		return *first;
	*first = UINT64_MAX;
	SYT_EACH(i, 0, h.nr)
		if (h.touches[i].role == SYT_ROLE_SELF &&
		    (h.touches[i].shape == SYT_SHAPE_COND_SIGNAL ||
		     h.touches[i].shape == SYT_SHAPE_COND_BROADCAST) &&
		    h.touches[i].at < *first)
			*first = h.touches[i].at;
	return *first;
}

static struct full full_of(uint32_t object)
{
	return (struct full){.cause = {.object = object,
	                               .origin = SYT_NONE,
	                               .inside = SYT_NONE,
	                               .thread = SYT_NONE,
	                               .by = {SYT_NONE, 0}}};
}

static uint64_t nr_waits(const struct syt_order *o, uint32_t object)
{
	struct syt_history h = syt_history_of(&o->histories, object);
	uint64_t nr = 0;

	SYT_EACH(i, 0, h.nr)
		nr += syt_touch_is(&h.touches[i], SYT_SHAPE_COND_WAIT);
	return nr;
}

/* Examines the waits for OBJECT, a condition variable: do threads wait until a queue has a free place? The
 * queue has had a first item before the first place became free, and its consumers seldom wait for items. */
static void see_condition(struct queue_search *w, uint32_t object)
{
	const struct syt_order *o = w->s->order;
	struct syt_history h = syt_history_of(&o->histories, object);
	syt_time first = first_gift(w, object);
	uint32_t items = SYT_NONE;
	struct full f = full_of(object);

	SYT_EACH(i, 0, h.nr) {
		const struct syt_touch *t = &h.touches[i];
		uint32_t other;

		if (!syt_touch_is(t, SYT_SHAPE_COND_WAIT))
			continue;
		see_full(w, &f, object, t->place);
		other = signalled_after(w, t->place);
		if (other == SYT_NONE)
			continue;
		if (items != other && first_gift(w, other) < first)
			items = other;
		f.nr_fit += items == other;
	}
	if (items != SYT_NONE && nr_waits(o, items) * 5 <= f.cause.nr)
		add_full(w, &f, object, gives, items, gives);
}

/* Examines the waits for OBJECT, a semaphore. A semaphore counts free places if its first value is not 0, and
 * other threads than those that took a token give it back. */
static void see_semaphore(struct queue_search *w, uint32_t object)
{
	const struct syt_order *o = w->s->order;
	struct syt_history h = syt_history_of(&o->histories, object);
	struct full f = full_of(object);
	uint32_t nr_other = 0, nr_posts = 0;

	if (!syt_cause_first_value(o, object, &f.cause.limit) || !f.cause.limit)
		return;
	SYT_EACH(i, 0, h.nr) {
		const struct syt_touch *t = &h.touches[i];
		const struct syt_row *r = syt_place_row(&o->places, t->place);

		if (syt_touch_is(t, SYT_SHAPE_SEM_POST)) {
			nr_posts++;
			if (w->held[t->place.thread])
				w->held[t->place.thread]--;
			else
				nr_other++;
		} else if (syt_touch_is(t, SYT_SHAPE_SEM_WAIT)) {
			w->held[t->place.thread]++;
			if (r->in < r->out)
				see_full(w, &f, object, t->place);
		}
	}
	SYT_EACH(i, 0, h.nr)
		w->held[h.touches[i].place.thread] = 0;
	f.nr_fit = nr_other * 10 >= nr_posts * 9 ? f.cause.nr : 0;
	add_full(w, &f, object, gives, object, takes_token);
}

#define LEAST_ROOM 4096u /* number of bytes for which every pipe and socket has space */

/* Returns true if the send AT may have waited until the receive GOT made room in its channel. A message queue
 * counts messages, not bytes. */
static bool is_for_room(const struct syt_order *o, uint32_t object, struct syt_place at,
                        struct syt_place got)
{
	const struct syt_extra sent = *syt_place_extra(&o->places, at),
			       *received = syt_place_extra(&o->places, got);

	if (syt_object_kind(&o->objects, object) == SYT_KIND_QUEUE)
		return true;
	return !(sent.flags & SYT_EVENT_NOOFFSET) && !(received->flags & SYT_EVENT_NOOFFSET) &&
	       received->bytes && received->offset + received->bytes <= sent.offset &&
	       sent.offset - received->offset + sent.bytes > LEAST_ROOM;
}

/* Returns the first touch of END that receives, after FROM and by UNTIL, or NULL. */
static const struct syt_touch *next_receive(const struct syt_order *o, uint32_t end, syt_time from,
                                            syt_time until)
{
	struct syt_history h = syt_history_of(&o->histories, end);

	for (uint64_t i = SYT_BISECT(n, 0, h.nr, h.touches[n].at <= from);
	     i < h.nr && h.touches[i].at <= until; i++)
		if (syt_touch_receives(&h.touches[i]) && h.touches[i].has_succeeded)
			return &h.touches[i];
	return NULL;
}

/* Examines the sends on OBJECT, a pipe, connection or message queue: do they wait until the receiver made room?
 * */
static void see_channel(struct queue_search *w, uint32_t object, uint32_t end)
{
	const struct syt_order *o = w->s->order;
	struct syt_history h = syt_history_of(&o->histories, object);
	struct full f = full_of(object);

	SYT_EACH(i, 0, h.nr) {
		const struct syt_touch *t = &h.touches[i], *got;
		const struct syt_row *r;

		if (!syt_touch_sends(t) || !t->has_succeeded)
			continue;
		r = syt_place_row(&o->places, t->place);
		if (r->out - r->in < LEAST_ROOM_WAIT)
			continue;
		got = next_receive(o, end, r->in, r->out);
		if (!got || got->place.thread == t->place.thread ||
		    !is_for_room(o, object, t->place, got->place))
			continue;
		if (is_first_use(w, t->place.thread, object)) {
			f.cause.nr_threads++;
			f.cause.of_wall += syt_cause_life(o, t->place.thread);
		}
		f.cause.nr++;
		f.cause.cost += r->out - r->in;
		f.cause.thread = got->place.thread;
		syt_cause_spend_at(w->s, &f.waited, t->place, r->out - r->in);
		for (uint32_t row = got->place.row; row--;)
			if (syt_cause_object(o, (struct syt_place){got->place.thread, row}) ==
			    end) {
				syt_cause_spend(w->s, &f.spent, got->place.thread, row,
				                got->place.row);
				break;
			}
	}
	f.nr_fit = f.cause.nr;
	add_full(w, &f, end, syt_touch_receives, object, syt_touch_sends);
}

/* ---- pools ---- */

/* The threads that take work at one object, and the work that waits for them. */
struct pool {
	struct syt_cause cause;
	uint64_t nr_puts, nr_unreceived;
	syt_time first, last; /* first and last put */
	syt_time idle;        /* time of the workers between them in waits for work */
	struct syt_cause_tally spent;
};

static void see_worker(struct queue_search *w, struct pool *p, uint32_t thread, uint32_t object)
{
	const struct syt_order *o = w->s->order;
	const struct syt_thread *t = o->places.threads[thread];

	p->cause.limit++;
	SYT_EACH(row, 0, (uint32_t)t->nr_rows) {
		const struct syt_row *r = syt_thread_row(t, row);
		struct syt_place at = {thread, row};

		if (r->in >= r->out || r->out <= p->first)
			continue;
		if (syt_cause_object(o, at) == object) {
			if (r->in < p->last)
				p->idle += (r->out < p->last ? r->out : p->last) -
				           (r->in > p->first ? r->in : p->first);
			continue;
		}
		syt_cause_spend_at(w->s, &p->spent, at, r->out - r->in);
	}
}

struct instants {
	size_t nr, room;
	syt_time *all;
};

static void add_instant(struct instants *t, syt_time at)
{
	syt_grow(&t->all, &t->room, t->nr + 1, sizeof(*t->all));
	t->all[t->nr++] = at;
}

/* Adds the begins of THREAD's calls at the call path SIDE. */
static void add_begins(const struct queue_search *w, struct instants *begins, uint32_t thread,
                       uint32_t side)
{
	const struct syt_thread *t = w->s->order->places.threads[thread];

	SYT_EACH(row, 0, (uint32_t)t->nr_rows) {
		const struct syt_row *r = syt_thread_row(t, row);

		if (r->in < r->out &&
		    syt_label_side(w->s->labels, (struct syt_place){thread, row}) == side)
			add_instant(begins, r->in);
	}
}

/* Returns the mean time for which a task waits for a worker, if workers begin tasks in the order of their puts:
 * the worker begins a task with its call at the call path SIDE. Returns 0 if the numbers of puts and of calls
 * differ. */
static syt_time queue_time(const struct queue_search *w, uint32_t object, struct instants *begins)
{
	const struct syt_order *o = w->s->order;
	struct syt_history h = syt_history_of(&o->histories, object);
	struct instants puts = {0};
	syt_time sum = 0, mean = 0;

	SYT_EACH(i, 0, h.nr) {
		const struct syt_touch *t = &h.touches[i];

		if (t->role == SYT_ROLE_SELF &&
		    (t->shape == SYT_SHAPE_COND_SIGNAL || t->shape == SYT_SHAPE_SEM_POST))
			add_instant(&puts, t->at);
	}
	if (begins->nr && begins->nr * 10 >= puts.nr * 9 && puts.nr * 10 >= begins->nr * 9) {
		size_t nr = begins->nr < puts.nr ? begins->nr : puts.nr;

		syt_instants_sort(puts.all, puts.nr);
		syt_instants_sort(begins->all, begins->nr);
		for (size_t i = 0; i < nr; i++)
			sum += begins->all[i] > puts.all[i] ? begins->all[i] - puts.all[i] : 0;
		mean = sum / nr;
	}
	free(puts.all);
	return mean;
}

/* Examines OBJECT, a condition variable or semaphore at which workers wait for work. */
static void see_pool(struct queue_search *w, uint32_t object)
{
	const struct syt_order *o = w->s->order;
	struct syt_history h = syt_history_of(&o->histories, object);
	bool is_semaphore = syt_object_kind(&o->objects, object) == SYT_KIND_SEM;
	struct pool p = {.cause = {.kind = SYT_CAUSE_SMALL_POOL,
	                           .object = object,
	                           .waiter = SYT_NONE,
	                           .origin = SYT_NONE,
	                           .inside = SYT_NONE,
	                           .thread = SYT_NONE,
	                           .by = {SYT_NONE, 0}},
	                 .first = UINT64_MAX};
	const struct syt_cause_part *most;
	struct instants begins = {0};
	uint64_t nr_taken_at_once = 0, nr_taken = 0;
	uint32_t tag = o->objects.nr + object; /* see_full() uses the object as the tag */

	if (is_semaphore && h.nr &&
	    (h.touches[0].shape != SYT_SHAPE_INIT ||
	     syt_place_extra(&o->places, h.touches[0].place)->arg))
		return;
	SYT_EACH(i, 0, h.nr) {
		const struct syt_touch *t = &h.touches[i];
		uint64_t received;

		if (t->role != SYT_ROLE_SELF)
			continue;
		if (t->shape == SYT_SHAPE_SEM_WAIT && t->has_succeeded) {
			const struct syt_row *r = syt_place_row(&o->places, t->place);

			nr_taken++;
			nr_taken_at_once += r->in == r->out;
		}
		if (t->shape != SYT_SHAPE_COND_SIGNAL && t->shape != SYT_SHAPE_SEM_POST)
			continue;
		received = SYT_BISECT(n, 0, w->nr_received,
		                      syt_place_compare(w->received[n], t->place) < 0);
		p.nr_unreceived += received == w->nr_received ||
		                   syt_place_compare(w->received[received], t->place);
		p.nr_puts++;
		if (p.first == UINT64_MAX)
			p.first = t->at;
		p.last = t->at;
		p.cause.at = t->place;
	}
	if (is_semaphore)
		p.nr_unreceived = nr_taken ? p.nr_puts * nr_taken_at_once / nr_taken : 0;
	if (p.nr_puts < LEAST_PUTS || p.nr_unreceived * 10 < p.nr_puts * 7 ||
	    w->nr_scanned > MOST_SCANNED)
		return;
	w->nr_scanned += w->nr_rows;
	SYT_EACH(i, 0, h.nr)
		if (h.touches[i].role == SYT_ROLE_SELF &&
		    (h.touches[i].shape == SYT_SHAPE_COND_WAIT ||
		     h.touches[i].shape == SYT_SHAPE_SEM_WAIT) &&
		    is_first_use(w, h.touches[i].place.thread, tag))
			see_worker(w, &p, h.touches[i].place.thread, object);
	most = syt_cause_most(&p.spent);
	/* a worker that is always busy never waits: it makes the same calls as the others */
	for (uint32_t thread = 0; most && thread < o->places.nr_threads; thread++) {
		size_t before = begins.nr;

		add_begins(w, &begins, thread, most->side);
		if (begins.nr > before && is_first_use(w, thread, tag))
			see_worker(w, &p, thread, object);
	}
	p.cause.queued = queue_time(w, object, &begins);
	free(begins.all);
	if (!p.cause.limit || !most || syt_cause_is_lock_call(o, most->at) ||
	    p.idle / p.cause.limit > (p.last - p.first) / 10)
		return;
	if ((p.last - p.first) * 3 < w->s->causes->observed &&
	    p.nr_unreceived < MOST_PER_WORKER * p.cause.limit)
		return;
	p.cause.nr = p.nr_unreceived;
	p.cause.of = p.nr_puts;
	p.cause.waiter = syt_label_side(w->s->labels, p.cause.at);
	p.cause.cost = p.spent.total / p.cause.limit;
	p.cause.mean = p.spent.total / p.nr_puts;
	p.cause.of_wall = w->s->causes->observed;
	p.cause.busy_thousandths =
		(unsigned)(p.spent.total / (w->s->causes->observed / 1000 * p.cause.limit + 1));
	syt_cause_set_inside(&p.cause, &p.spent);
	/* more threads help only if the workers wait in calls, and if tasks wait longer than they run */
	if (p.cause.inside == SYT_NONE || p.cause.cost < w->s->causes->observed / 2)
		return;
	if (p.cause.queued < LEAST_QUEUED * p.cause.mean)
		return;
	/* more workers only wait for the same disk: one flush can serve all waiting tasks */
	if (p.cause.limit == 1 && syt_cause_is_flush(syt_place_call(&o->places, most->at))) {
		p.cause.kind = SYT_CAUSE_FLUSHES;
		p.cause.waiter = p.cause.inside;
		p.cause.object = syt_cause_object(o, most->at);
		p.cause.thread = most->at.thread;
		p.cause.nr_threads = 1;
		p.cause.mean = most->time / p.cause.of;
		p.cause.limit = 0;
	}
	syt_causes_add(w->s->causes, p.cause);
}

void syt_cause_find_queues(const struct syt_cause_search *s)
{
	const struct syt_order *o = s->order;
	struct queue_search w = {.s = s,
	                         .received = syt_store_alloc(o->edges.nr, sizeof(*w.received)),
	                         .tag = syt_calloc(o->places.nr_threads, sizeof(*w.tag)),
	                         .next = syt_calloc(o->places.nr_threads, sizeof(*w.next)),
	                         .first_gift = syt_store_alloc(o->objects.nr, sizeof(syt_time)),
	                         .held = syt_calloc(o->places.nr_threads, sizeof(*w.held))};

	for (uint32_t thread = 0; thread < o->places.nr_threads; thread++)
		w.nr_rows += o->places.threads[thread]->nr_rows;

	SYT_EACH(i, 0, o->edges.nr)
		if (o->edges.all[i].kind == SYT_EDGE_COND)
			w.received[w.nr_received++] = o->edges.all[i].from;
	syt_sort(w.received, w.nr_received, sizeof(*w.received), by_place);
	for (uint32_t i = 0; i < o->objects.nr; i++) {
		switch (syt_object_kind(&o->objects, i)) {
		case SYT_KIND_COND:
			see_condition(&w, i);
			see_pool(&w, i);
			break;
		case SYT_KIND_SEM:
			see_semaphore(&w, i);
			see_pool(&w, i);
			break;
		case SYT_KIND_PIPE:
		case SYT_KIND_QUEUE:
			see_channel(&w, i, i);
			break;
		case SYT_KIND_STREAM:
			if (o->objects.all[i].peer != SYT_NONE)
				see_channel(&w, i, o->objects.all[i].peer);
			break;
		default:
			break;
		}
	}
	syt_store_free(w.received);
	syt_store_free(w.first_gift);
	syt_blames_close(&w.pieces);
	free(w.next);
	free(w.tag);
	free(w.held);
}
