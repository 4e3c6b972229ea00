/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/report/top/locks.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/err.h"
#include "decoder/analysis/holding.h"

/* Call stacks are read for all locks if there are not more than this. */
#define FEW_LOCKS 1000u

/* State of one process image. */
struct state {
	struct syt_live_holds holds;
	uint64_t from;  /* begin of the interval, in ticks; 0: not known yet */
	bool has_begun; /* a look has read all events, so each new event belongs to the interval */
	uint32_t nr_rows;
	size_t room_rows;
	uint64_t nr_recorded, nr_lost; /* see struct syt_top_locks */
	uint32_t *rows; /* [id of an object]: number of its lock in the locks, plus 1; 0: none */
};

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static uint64_t ns_of(const struct syt_tail_image *i, uint64_t ticks)
{
	return (uint64_t)((double)ticks * i->ns_per_tick);
}

/* Returns the part of the time from FROM to TO that lies after BEGIN. */
static uint64_t part_after(uint64_t from, uint64_t to, uint64_t begin)
{
	from = from > begin ? from : begin;
	return to > from ? to - from : 0;
}

/* ---- locks ---- */

/* Returns the number of the lock with index OBJECT in image I. Adds the lock if it is new. */
static uint32_t number_of(struct syt_top_locks *t, struct syt_tail_image *i, uint32_t object)
{
	const struct syt_object_info *info = &i->loading.image.objects[object];
	uint64_t *number = NULL, none = 0;

	if (info->flags & SYT_OBJECT_SHARED)
		number = syt_counts_at(&t->shared, info->identity,
		                       (uint64_t)info->kind << 32 | info->generation);
	number = number ? number : &none;
	if (!*number) {
		*SYT_ADD(t->all, t->nr, t->room) =
			(struct syt_top_lock){.image = i, .object = object};
		*number = t->nr;
	}
	return (uint32_t)(*number - 1);
}

/* Returns the lock with the id ID in the events of I, or NULL if it has no definition. */
static struct syt_top_lock *lock_of(struct syt_top_locks *t, struct syt_tail_image *i, uint32_t id)
{
	struct state *s = i->own;

	if (id < s->nr_rows && s->rows[id])
		return &t->all[s->rows[id] - 1];

	uint32_t object = syt_live_object(i, id);

	if (object == SYT_NONE)
		return NULL;
	if (id >= s->nr_rows) {
		syt_grow(&s->rows, &s->room_rows, (size_t)id + 1, sizeof(*s->rows));
		memset(s->rows + s->nr_rows, 0, ((size_t)id + 1 - s->nr_rows) * sizeof(*s->rows));
		s->nr_rows = id + 1;
	}
	s->rows[id] = number_of(t, i, object) + 1;
	return &t->all[s->rows[id] - 1];
}

static void raise_to(uint64_t *most, uint64_t value)
{
	if (value > *most)
		*most = value;
}

/* Adds a wait of TICKS to L. Its part in the interval has LAST ticks. */
static void add_wait(struct syt_top_lock *l, const struct syt_tail_image *i, uint64_t ticks,
                     uint64_t last, bool is_new)
{
	uint64_t ns = ns_of(i, ticks);

	l->total.by_key[SYT_TOP_WAITED] += ns;
	l->total.by_key[SYT_TOP_WAITS]++;
	raise_to(&l->total.by_key[SYT_TOP_LONGEST], ns);
	if (!is_new)
		return;
	l->last.by_key[SYT_TOP_WAITED] += ns_of(i, last);
	l->last.by_key[SYT_TOP_WAITS]++;
	raise_to(&l->last.by_key[SYT_TOP_LONGEST], ns);
}

static void add_acquisition(struct syt_top_lock *l, const struct syt_event *e, bool is_new)
{
	l->total.by_key[SYT_TOP_ACQUIRED]++;
	l->last.by_key[SYT_TOP_ACQUIRED] += is_new;
	if (!l->first_stack)
		l->first_stack = e->stack;
}

/* ---- new events ---- */

static void on_image(void *context, struct syt_tail_image *i)
{
	(void)context;
	i->own = syt_calloc(1, sizeof(struct state));
}

static void on_released(void *context, struct syt_tail_image *i, uint32_t thread,
                        const struct syt_live_hold *was, uint64_t at)
{
	const struct state *s = i->own;
	struct syt_top_lock *l = lock_of(context, i, was->object);

	(void)thread;
	if (!l)
		return;
	l->total.by_key[SYT_TOP_HELD] += ns_of(i, at - was->since);
	l->last.by_key[SYT_TOP_HELD] += ns_of(i, part_after(was->since, at, s->from));
}

/* Begins the first interval of I. It has the length of an interval before the first look. */
static void begin_interval(const struct syt_top_locks *t, struct syt_tail_image *i)
{
	struct state *s = i->own;
	double ticks = (double)t->interval_ns / i->ns_per_tick;

	if (!s->from)
		s->from = (double)i->now > ticks ? i->now - (uint64_t)ticks : 1;
}

static void on_event(void *context, struct syt_tail_image *i, uint32_t thread,
                     const struct syt_event *e)
{
	struct syt_top_locks *t = context;
	struct state *s = i->own;
	struct syt_live_thread *lt = syt_live_thread_at(&s->holds, thread);
	const struct syt_call_info *info = syt_live_call(i, e->call);
	uint64_t in = e->stamp, out = e->stamp;
	struct syt_top_lock *l = NULL;
	enum syt_live_step step;
	bool is_new, is_lock;

	begin_interval(t, i);
	if (!info) {
		syt_tail_define(i);
		info = syt_live_call(i, e->call);
	}
	if (info && info->stamp_in)
		out += e->dur;
	else
		in -= e->dur;
	if (out > lt->last)
		lt->last = out;
	is_new = s->has_begun || out > s->from;
	t->nr_events++;
	t->nr_last += is_new;
	step = info ? syt_live_step_of(info) : SYT_LIVE_NONE;
	if (step == SYT_LIVE_NONE || in > out || e->flags & SYT_EVENT_VFORK)
		return;

	const struct syt_row row = {.result = e->result, .err = (uint16_t)e->err};

	is_lock = step == SYT_LIVE_TAKE || step == SYT_LIVE_SHARE;
	if (is_lock && e->object)
		l = lock_of(t, i, e->object);
	else if (step == SYT_LIVE_COND && e->object2 && syt_row_gave_mutex(info, &row))
		l = lock_of(t, i, e->object2);
	if (l && is_lock && e->dur)
		add_wait(l, i, e->dur, part_after(in, out, s->from), is_new);
	if (l && (!is_lock || syt_row_succeeded(info, &row)))
		add_acquisition(l, e, is_new);
	syt_live_step(&s->holds, i, thread, e, step, in, out, on_released, t);
}

static void on_gap(void *context, struct syt_tail_image *i, uint32_t thread, uint64_t ticks)
{
	struct syt_top_locks *t = context;

	/* in a sampled process image, most gaps are calls that the sampler left out */
	t->nr_gaps += i->loading.image.file.major != SYT_FORMAT_MAJOR_SAMPLED;
	syt_live_gap(&((struct state *)i->own)->holds, thread, ticks);
}

/* ---- waits and holds in progress ---- */

static void add_waiting(struct syt_top_locks *t, struct syt_tail_image *i,
                        const struct syt_waiting *w)
{
	const struct state *s = i->own;
	const struct syt_call_info *info = syt_live_call(i, w->call);
	enum syt_live_step step = info ? syt_live_step_of(info) : SYT_LIVE_NONE;
	struct syt_top_lock *l =
		step == SYT_LIVE_TAKE || step == SYT_LIVE_SHARE ? lock_of(t, i, w->object) : NULL;

	if (!l)
		return;
	l->nr_waiting++;
	l->waiting_ns += ns_of(i, i->now - w->since);
	l->last.by_key[SYT_TOP_WAITED] += ns_of(i, part_after(w->since, i->now, s->from));
	raise_to(&l->last.by_key[SYT_TOP_LONGEST], ns_of(i, i->now - w->since));
	if (!l->first_stack)
		l->first_stack = w->stack;
}

static void add_holds(struct syt_top_locks *t, struct syt_tail_image *i, uint32_t thread,
                      const struct syt_waiting *w)
{
	const struct state *s = i->own;
	const struct syt_live_thread *lt = &s->holds.threads[thread];

	for (size_t n = 0; n < lt->nr; n++) {
		const struct syt_live_hold *hold = &lt->holds[n];
		struct syt_top_lock *l = syt_live_is_held(&s->holds, i, hold, w)
		                                 ? lock_of(t, i, hold->object)
		                                 : NULL;
		uint64_t ns = l ? ns_of(i, i->now - hold->since) : 0;

		if (!l)
			continue;
		l->holding_ns += ns;
		l->last.by_key[SYT_TOP_HELD] += ns_of(i, part_after(hold->since, i->now, s->from));
		if (ns <= l->held_ns)
			continue;
		l->held_ns = ns;
		l->holder_image = i;
		l->holder = thread;
		l->has_holder_ended = lt->has_ended;
		l->holder_stack = hold->stack;
	}
}

static void add_pending(struct syt_top_locks *t, struct syt_tail_image *i)
{
	struct state *s = i->own;
	size_t nr = i->nr_threads;
	const struct syt_waiting **waiting = syt_calloc(nr, sizeof(const struct syt_waiting *));
	bool *is_unknown = syt_calloc(nr, sizeof(*is_unknown));

	for (size_t n = 0; n < i->nr_slots; n++) {
		const struct syt_waiting *w = &i->slots[n].page.waiting;

		const struct syt_slot *slot = &i->slots[n].page;

		if (i->slots[n].has_more && slot->thread < nr)
			is_unknown[slot->thread] = true;
		if (i->slots[n].has_more || !syt_live_is_waiting(&s->holds, i, w))
			continue;
		waiting[w->thread] = w;
		add_waiting(t, i, w);
	}
	for (uint32_t n = 0; n < s->holds.nr_threads && n < nr; n++)
		if (!is_unknown[n])
			add_holds(t, i, n, waiting[n]);
	free(is_unknown);
	free(waiting);
}

/* ---- one look ---- */

/* Reads the frames of the call stacks of locks that the next screen may show, and those that name the locks. */
static void read_stacks(const struct syt_top_locks *t, struct syt_tail_image *i)
{
	const struct syt_top_lock **sorted = syt_top_sorted(t);
	size_t nr = t->nr <= FEW_LOCKS ? t->nr : t->nr_wanted;

	for (size_t n = 0; n < nr && n < t->nr; n++) {
		struct syt_top_lock *l = &t->all[sorted[n] - t->all];

		if (l->image == i && !l->first_read)
			l->first_read = syt_tail_stack(i, l->first_stack);
		if (l->held_ns && l->holder_image == i)
			l->holder_read = syt_tail_stack(i, l->holder_stack);
	}
	free(sorted);
	syt_tail_origins(i);
}

static void on_looked(void *context, struct syt_tail_image *i)
{
	struct syt_top_locks *t = context;
	struct state *s = i->own;

	begin_interval(t, i);
	s->nr_lost = s->nr_recorded = 0;
	for (unsigned n = 0; n < SYT_NR_LOSSES; n++)
		s->nr_lost += i->loading.image.file.lost[n];
	for (size_t n = 0; n < i->nr_slots; n++) {
		const struct syt_slot *slot = &i->slots[n].page;

		s->nr_recorded += slot->sealed - slot->overwritten;
		for (unsigned lane = 0; lane < SYT_NR_LANES; lane++)
			s->nr_recorded += slot->lanes[lane].committed >> 32;
	}
	if (t->is_final) {
		if (i->is_live && i->resumed != UINT64_MAX)
			add_pending(t, i);
		s->from = i->now;
		s->has_begun = true;
	}
	read_stacks(t, i);
}

/* Resets the facts of the previous reading. */
static void forget_looked(struct syt_top_locks *t)
{
	for (size_t n = 0; n < t->nr; n++) {
		struct syt_top_lock *l = &t->all[n];

		l->waiting_ns = l->holding_ns = l->held_ns = 0;
		l->nr_waiting = 0;
		l->holder_read = 0;
	}
}

/* Resets the sums of the last interval. */
static void forget_last(struct syt_top_locks *t)
{
	for (size_t n = 0; n < t->nr; n++)
		t->all[n].last = (struct syt_top_sum){{0}};
	t->nr_last = 0;
}

/* Adds up the facts of the process images. An image that is over was not read again. */
static void sum_up(struct syt_top_locks *t)
{
	t->nr_threads = t->nr_live = 0;
	t->nr_recorded = t->nr_lost = 0;
	for (size_t n = 0; n < t->tail.nr_images; n++) {
		const struct syt_tail_image *i = t->tail.images[n];
		const struct state *s = i->own;

		if (!s)
			continue;
		t->nr_threads += (unsigned)i->nr_threads;
		t->nr_live += i->is_live;
		t->nr_recorded += s->nr_recorded;
		t->nr_lost += s->nr_lost;
	}
}

bool syt_top_open(struct syt_top_locks *t, const char *dir)
{
	return syt_tail_open(&t->tail, dir);
}

bool syt_top_look(struct syt_top_locks *t, uint64_t most_ns)
{
	const struct syt_tail_eye eye = {t, on_image, on_event, on_gap, on_looked};

	/* Decoding many events takes long, and threads continue meanwhile. The second reading decodes few events, so it
	 * sees all threads at nearly one instant. */
	t->tail.until_ns = most_ns ? now_ns() + most_ns : 0;
	for (unsigned n = 0; n < 2; n++) {
		forget_looked(t);
		if (!n && !t->tail.is_behind)
			forget_last(t);
		t->is_final = n;
		if (!syt_tail_look(&t->tail, &eye))
			return false;
		if (t->tail.is_behind)
			break;
		t->tail.until_ns = 0;
	}
	sum_up(t);
	if (!t->tail.is_behind) {
		uint64_t now = now_ns();

		t->last_ns = t->looked_ns ? now - t->looked_ns : t->interval_ns;
		t->looked_ns = now;
	}
	return true;
}

uint64_t syt_top_value(const struct syt_top_lock *l, struct syt_top_order order)
{
	uint64_t value = (order.is_total ? &l->total : &l->last)->by_key[order.key];

	if (order.is_total && order.key == SYT_TOP_WAITED)
		value += l->waiting_ns;
	if (order.is_total && order.key == SYT_TOP_HELD)
		value += l->holding_ns;
	if (order.is_total && order.key == SYT_TOP_LONGEST)
		raise_to(&value, l->last.by_key[SYT_TOP_LONGEST]);
	return value;
}

static int by_order(const void *a_, const void *b_, void *context)
{
	const struct syt_top_lock *a = *(const struct syt_top_lock *const *)a_;
	const struct syt_top_lock *b = *(const struct syt_top_lock *const *)b_;
	struct syt_top_order order = *(const struct syt_top_order *)context;
	uint64_t x = syt_top_value(a, order), y = syt_top_value(b, order);

	/* locks without a difference in the interval are in the order of their totals */
	if (x == y) {
		order.is_total = true;
		x = syt_top_value(a, order);
		y = syt_top_value(b, order);
	}
	if (x == y) {
		order.key = SYT_TOP_HELD;
		x = syt_top_value(a, order);
		y = syt_top_value(b, order);
	}
	return x != y ? (x < y) - (x > y) : (a > b) - (a < b);
}

const struct syt_top_lock **syt_top_sorted(const struct syt_top_locks *t)
{
	const struct syt_top_lock **sorted = syt_calloc(t->nr, sizeof(const struct syt_top_lock *));
	struct syt_top_order order = t->order;

	for (size_t n = 0; n < t->nr; n++)
		sorted[n] = &t->all[n];
	qsort_r(sorted, t->nr, sizeof(const struct syt_top_lock *), by_order, &order);
	return sorted;
}

void syt_top_close(struct syt_top_locks *t)
{
	for (size_t n = 0; n < t->tail.nr_images; n++) {
		struct state *s = t->tail.images[n]->own;

		if (!s)
			continue;
		syt_live_fini(&s->holds);
		free(s->rows);
		free(s);
	}
	syt_counts_fini(&t->shared);
	free(t->all);
	syt_tail_close(&t->tail);
}
