/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Finds threads that poll: they sleep and check, wait with short timeouts, or try without waiting; and
 * readiness calls that return without work. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "base/err.h"
#include "decoder/analysis/cause.h"

#define NS(ns_) ((syt_time)(ns_) << SYT_TIME_SHIFT)
#define SHORT NS(50000)          /* a shorter call did not give up its CPU */
#define LONGEST_BARE NS(5000000) /* longer sleeps without a check are not polls */
#define LEAST_BARE_RUN 16u       /* sleeps in a row without any other call */
#define LONGEST_CHECK NS(200000) /* a thread that runs for longer between two sleeps does work */
#define LEAST_IN_VAIN 5u
#define LEAST_OFTEN 40u /* least number of useless calls of a frequent poll */
#define LEAST_RATE 50u  /* least number of useless calls per second */
#define LEAST_TRY_RATE 500u

/* The sleeps or other calls at one call path. */
struct site {
	uint64_t nr;      /* number of calls */
	uint64_t nr_vain; /* number of useless calls */
	uint64_t nr_work; /* number of sleeps after which the thread did other calls */
	uint64_t
		nr_found; /* ... because another thread had used the checked object during the sleep */
	uint64_t nr_tried; /* number of useless sleeps after an attempt that failed */
	uint64_t nr_stolen;
	syt_time time,
		delay; /* time of useless calls; time that work waited for the end of a sleep */
	uint32_t thread; /* the only thread, or SYT_NONE */
	uint32_t last_thread, nr_threads;
	syt_time of_wall; /* lifetime of the threads */
	uint32_t object, checked;
	uint32_t check; /* call path of the attempt that failed, or of the lock around the check */
	struct syt_place at;
};

struct sites {
	const struct syt_cause_search *s;
	size_t nr, room;
	struct site *all; /* [call path] */
};

static struct site *site_of(struct sites *w, struct syt_place at)
{
	uint32_t side = syt_label_side(w->s->labels, at);

	if (side >= w->nr) {
		syt_grow(&w->all, &w->room, side + (size_t)1, sizeof(*w->all));
		memset(w->all + w->nr, 0, (side + (size_t)1 - w->nr) * sizeof(*w->all));
		w->nr = side + (size_t)1;
	}
	struct site *x = &w->all[side];

	if (!x->nr) {
		x->at = at;
		x->checked = x->object = x->check = SYT_NONE;
	}
	/* the search visits one thread after the other */
	if (!x->nr || x->last_thread != at.thread) {
		x->thread = x->nr ? SYT_NONE : at.thread;
		x->last_thread = at.thread;
		x->nr_threads++;
		x->of_wall += syt_cause_life(w->s->order, at.thread);
	}
	return x;
}

static struct syt_cause cause_of(const struct sites *w, enum syt_cause_kind kind, uint32_t side)
{
	const struct site *x = &w->all[side];

	return (struct syt_cause){.kind = (uint8_t)kind,
	                          .object = x->checked != SYT_NONE ? x->checked : x->object,
	                          .waiter = side,
	                          .origin = x->check,
	                          .inside = SYT_NONE,
	                          .thread = x->thread,
	                          .nr_threads = x->nr_threads,
	                          .nr = x->nr_vain,
	                          .of = x->nr,
	                          .of_wall = x->of_wall,
	                          .at = x->at,
	                          .by = {SYT_NONE, 0}};
}

/* ---- sleeps ---- */

enum gap {
	GAP_BARE,  /* no call between two sleeps */
	GAP_CHECK, /* only attempts that failed, or locks taken and released */
	GAP_WORK,
};

/* The state of the walk over one thread. */
struct walk {
	struct sites *w;
	uint32_t thread;
	const struct syt_thread *of;
	uint32_t last; /* row of the last sleep, or SYT_NONE */
	uint32_t nr_bare;
};

static bool is_try_failed(const struct syt_call_info *c, const struct syt_row *r)
{
	if (r->out - r->in >= SHORT)
		return false;
	if (c->shape == SYT_SHAPE_READY || c->shape == SYT_SHAPE_REAP)
		return r->result == 0;
	return !syt_row_succeeded(c, r) &&
	       (c->shape == SYT_SHAPE_LOCK || c->shape == SYT_SHAPE_RDLOCK ||
	        c->shape == SYT_SHAPE_SEM_WAIT || c->shape == SYT_SHAPE_RECV ||
	        c->shape == SYT_SHAPE_ACCEPT || c->shape == SYT_SHAPE_FILE_LOCK);
}

/* Returns the time between the events FROM and TO outside of calls. */
static syt_time ran_between(const struct walk *k, uint32_t from, uint32_t to)
{
	syt_time ran = 0;

	for (uint32_t i = from; i < to; i++) {
		syt_time end = syt_thread_row(k->of, i)->out,
			 next = syt_thread_row(k->of, i + 1)->in;

		ran += next > end ? next - end : 0;
	}
	return ran;
}

/* Returns true if the thread was on a CPU for long between the sleeps FROM and TO. A thread that waited for a CPU did no
 * work. */
static bool has_computed(const struct walk *k, uint32_t from, uint32_t to)
{
	struct syt_cpu_use u = syt_cpu_used(&k->w->s->blamer->cpu, k->thread,
	                                    syt_thread_row(k->of, from)->out,
	                                    syt_thread_row(k->of, to)->in);

	return !syt_cpu_is_known(&u) || u.least / 2 + u.most / 2 > LONGEST_CHECK;
}

/* Returns how the thread spent the time between the sleeps FROM and TO. *TRIED gets the row of a failed attempt
 * or of a lock. */
static enum gap gap_of(const struct walk *k, uint32_t from, uint32_t to, uint32_t *tried,
                       bool *has_failed)
{
	uint32_t nr_locks = 0;

	*tried = SYT_NONE;
	*has_failed = false;
	if (ran_between(k, from, to) > LONGEST_CHECK && has_computed(k, from, to))
		return GAP_WORK;
	if (from + 1 == to)
		return GAP_BARE;
	for (uint32_t i = from + 1; i < to; i++) {
		const struct syt_row *r = syt_thread_row(k->of, i);
		const struct syt_call_info *c = syt_row_call(k->of->image, r);

		if (is_try_failed(c, r) || (c->shape == SYT_SHAPE_READY && r->result == 0)) {
			*tried = i;
			*has_failed = true;
		} else if (c->shape == SYT_SHAPE_LOCK || c->shape == SYT_SHAPE_RDLOCK) {
			if (*tried == SYT_NONE)
				*tried = i;
			nr_locks++;
		} else if (c->shape != SYT_SHAPE_UNLOCK) {
			return GAP_WORK;
		}
	}
	/* a thread that only released locks held them while it slept */
	return nr_locks > 1 || *tried == SYT_NONE ? GAP_WORK : GAP_CHECK;
}

/* Returns how long work waited at least for the end of the event SLEEP: since another thread used the object of
 * event NEXT last. Threads with the same call stack as NEXT take work, too, so they do not count. Returns 0 if no
 * thread used the object. */
static syt_time delay_of(const struct walk *k, uint32_t sleep, uint32_t next)
{
	const struct syt_order *o = k->w->s->order;
	const struct syt_row *r = syt_thread_row(k->of, sleep), *n = syt_thread_row(k->of, next);
	uint32_t object = syt_cause_object(o, (struct syt_place){k->thread, next});
	struct syt_history h;

	if (object == SYT_NONE)
		return 0;
	h = syt_history_of(&o->histories, object);
	for (uint64_t i = SYT_BISECT(m, 0, h.nr, h.touches[m].at < r->out);
	     i && h.touches[i - 1].at > r->in; i--) {
		const struct syt_touch *t = &h.touches[i - 1];

		if (t->place.thread != k->thread && t->shape != SYT_SHAPE_UNLOCK &&
		    (syt_place_image(&o->places, t->place) != k->of->image ||
		     syt_place_row(&o->places, t->place)->stack != n->stack))
			return r->out - t->at;
	}
	return 0;
}

static void see_sleep(struct walk *k, uint32_t row)
{
	struct site *x = site_of(k->w, (struct syt_place){k->thread, row});
	const struct syt_row *r = syt_thread_row(k->of, row);
	uint32_t last = k->last, tried;
	syt_time delay;
	bool has_failed;

	x->nr++;
	x->time += r->out - r->in;
	k->last = row;
	if (last == SYT_NONE || syt_thread_row(k->of, last)->stack != r->stack) {
		k->nr_bare = 0;
		/* the thread sleeps because the attempt before the sleep failed */
		if (row && is_try_failed(syt_row_call(k->of->image, syt_thread_row(k->of, row - 1)),
		                         syt_thread_row(k->of, row - 1))) {
			x->nr_tried++;
			x->delay += row + 1 < k->of->nr_rows ? delay_of(k, row, row + 1) : 0;
		}
		return;
	}
	switch (gap_of(k, last, row, &tried, &has_failed)) {
	case GAP_BARE:
		x->nr_vain += k->nr_bare >= LEAST_BARE_RUN ? 1 : 0;
		if (++k->nr_bare == LEAST_BARE_RUN)
			x->nr_vain += LEAST_BARE_RUN;
		return;
	case GAP_CHECK:
		x->check = syt_label_side(k->w->s->labels, (struct syt_place){k->thread, tried});
		x->checked = syt_cause_object(k->w->s->order, (struct syt_place){k->thread, tried});
		if (has_failed) {
			x->nr_vain++;
			x->nr_tried++;
			x->delay += delay_of(k, row, row + 1 < k->of->nr_rows ? row + 1 : row);
		} else if (!delay_of(k, last, tried)) {
			x->nr_vain++;
		}
		break;
	case GAP_WORK:
		delay = last + 1 < row ? delay_of(k, last, last + 1) : 0;
		x->nr_work++;
		x->nr_found += delay != 0;
		x->delay += delay;
		if (is_try_failed(syt_row_call(k->of->image, syt_thread_row(k->of, row - 1)),
		                  syt_thread_row(k->of, row - 1)))
			x->nr_tried++;
		break;
	}
	k->nr_bare = 0;
}

static void add_sleeps(const struct sites *w, uint32_t side)
{
	const struct site *x = &w->all[side];
	struct syt_cause c = cause_of(w, SYT_CAUSE_POLLING, side);
	bool is_often = x->nr_vain >= LEAST_OFTEN &&
	                syt_cause_is_frequent(w->s->causes, x->nr_vain, LEAST_RATE) &&
	                x->nr_vain * 5 >= x->nr * 3;

	c.mean = x->time / x->nr;
	c.limit = x->nr_found;
	c.cost = x->delay;
	if (x->check == SYT_NONE && !x->nr_tried) {
		if (!is_often || c.mean > LONGEST_BARE)
			return;
	} else if (!((x->nr_tried >= LEAST_IN_VAIN ||
	              (x->nr_vain >= LEAST_IN_VAIN && x->nr_found >= 2 &&
	               x->nr_found * 3 >= x->nr_work * 2)) &&
	             ((is_often && (x->nr_tried || x->nr_found >= 2)) ||
	              syt_cause_is_large(w->s->causes, c.cost, c.of_wall)))) {
		return;
	}
	if (c.nr < x->nr_tried)
		c.nr = x->nr_tried;
	c.cost += c.nr * NS(SYT_CAUSE_SWITCH_NS);
	syt_causes_add(w->s->causes, c);
}

/* ---- short timeouts and attempts that fail ---- */

bool syt_cause_has_timed_out(const struct syt_call_info *c, const struct syt_row *r)
{
	if (r->out - r->in < SHORT)
		return false;
	switch (c->shape) {
	case SYT_SHAPE_READY:
		return r->result == 0;
	case SYT_SHAPE_COND_WAIT:
		return r->result != 0 && r->result != EOWNERDEAD && syt_row_gave_mutex(c, r);
	case SYT_SHAPE_SEM_WAIT:
	case SYT_SHAPE_RECV:
	case SYT_SHAPE_FUTEX_WAIT:
		return r->result < 0 && (r->err == ETIMEDOUT || r->err == EAGAIN);
	default:
		return false;
	}
}

static bool may_fail(uint8_t shape)
{
	return shape == SYT_SHAPE_READY || shape == SYT_SHAPE_COND_WAIT ||
	       shape == SYT_SHAPE_SEM_WAIT || shape == SYT_SHAPE_RECV ||
	       shape == SYT_SHAPE_FUTEX_WAIT || shape == SYT_SHAPE_LOCK ||
	       shape == SYT_SHAPE_RDLOCK || shape == SYT_SHAPE_ACCEPT || shape == SYT_SHAPE_REAP;
}

static void add_fails(const struct sites *timed, const struct sites *tries)
{
	for (uint32_t side = 0; side < timed->nr; side++) {
		const struct site *x = &timed->all[side];
		struct syt_cause c = cause_of(timed, SYT_CAUSE_TIMEOUTS, side);

		if (x->nr_vain < LEAST_OFTEN || x->nr_vain * 2 < x->nr ||
		    !syt_cause_is_frequent(timed->s->causes, x->nr_vain, LEAST_RATE))
			continue;
		c.mean = x->time / x->nr_vain;
		c.cost = x->nr_vain * NS(SYT_CAUSE_SWITCH_NS);
		syt_causes_add(timed->s->causes, c);
	}
	for (uint32_t side = 0; side < tries->nr; side++) {
		const struct site *x = &tries->all[side];
		struct syt_cause c = cause_of(tries, SYT_CAUSE_BUSY_TRY, side);

		if (x->nr_vain < LEAST_OFTEN || x->nr_vain * 5 < x->nr * 4 ||
		    !syt_cause_is_frequent(tries->s->causes, x->nr_vain, LEAST_TRY_RATE))
			continue;
		c.cost = x->time;
		c.mean = x->time / x->nr_vain;
		syt_causes_add(tries->s->causes, c);
	}
}

void syt_cause_find_polls(const struct syt_cause_search *s)
{
	struct sites sleeps = {.s = s}, timed = {.s = s}, tries = {.s = s};
	const struct syt_places *p = &s->order->places;

	for (uint32_t thread = 0; thread < p->nr_threads; thread++) {
		struct walk k = {
			.w = &sleeps, .thread = thread, .of = p->threads[thread], .last = SYT_NONE};

		SYT_EACH(row, 0, (uint32_t)k.of->nr_rows) {
			const struct syt_row *r = syt_thread_row(k.of, row);
			const struct syt_call_info *c = syt_row_call(k.of->image, r);
			struct syt_place at = {thread, row};

			if (c->shape == SYT_SHAPE_PAUSE && r->in < r->out)
				see_sleep(&k, row);
			if (!may_fail(c->shape))
				continue;
			if (syt_cause_has_timed_out(c, r) || r->out - r->in >= SHORT) {
				struct site *x = site_of(&timed, at);

				x->nr++;
				x->object = syt_cause_object(s->order, at);
				if (syt_cause_has_timed_out(c, r)) {
					x->nr_vain++;
					x->time += r->out - r->in;
				}
			} else if (is_try_failed(c, r)) {
				struct site *x = site_of(&tries, at);
				const struct syt_row *next = row + 1 < k.of->nr_rows
				                                     ? syt_thread_row(k.of, row + 1)
				                                     : NULL;

				x->nr++;
				x->object = syt_cause_object(s->order, at);
				/* the thread tries again at once */
				if (next && next->stack == r->stack && next->call == r->call) {
					x->nr_vain++;
					x->time += next->out - r->out;
				}
			}
		}
	}
	for (uint32_t side = 0; side < sleeps.nr; side++)
		if (sleeps.all[side].nr)
			add_sleeps(&sleeps, side);
	add_fails(&timed, &tries);
	free(sleeps.all);
	free(timed.all);
	free(tries.all);
}

/* ---- readiness calls ---- */

/* Returns true if a thread used OBJECT after FROM, and before UNTIL. */
static bool is_used(const struct syt_order *o, uint32_t object, syt_time from, syt_time until)
{
	struct syt_history h = syt_history_of(&o->histories, object);

	for (uint64_t i = SYT_BISECT(n, 0, h.nr, h.touches[n].at < from);
	     i < h.nr && h.touches[i].at <= until; i++)
		if (h.touches[i].role != SYT_ROLE_READY)
			return true;
	return false;
}

static bool reports(const struct syt_thread *t, const struct syt_extra *x, uint32_t object)
{
	for (uint32_t i = 0; i < x->nr_ready; i++)
		if (t->ready[x->ready + i].object == object)
			return true;
	return false;
}

/* Returns an object that the readiness call ROW reported, that no thread used, and that the next readiness call
 * NEXT reported again; or SYT_NONE. Returns SYT_NONE if the thread used another reported object. */
static uint32_t unused(const struct syt_order *o, const struct syt_thread *t, uint32_t image,
                       uint32_t row, uint32_t next)
{
	const struct syt_row *r = syt_thread_row(t, row), *n = syt_thread_row(t, next);
	const struct syt_extra *x = syt_thread_extra(t, r), *y = syt_thread_extra(t, n);
	uint32_t found = SYT_NONE;

	for (uint32_t i = 0; i < x->nr_ready; i++) {
		uint32_t local = t->ready[x->ready + i].object;
		uint32_t object = syt_object_of(&o->objects, image, local);

		if (object == SYT_NONE || !reports(t, y, local) ||
		    is_used(o, object, r->out, n->out))
			return SYT_NONE;
		found = object;
	}
	return found;
}

/* Returns true if the thread's first use of a reported object after ROW failed, because another thread had
 * taken the work. */
static bool is_stolen(const struct syt_thread *t, uint32_t row)
{
	const struct syt_extra *x = syt_thread_extra(t, syt_thread_row(t, row));

	for (uint32_t i = row + 1; i < t->nr_rows && i < row + 4; i++) {
		const struct syt_row *r = syt_thread_row(t, i);
		const struct syt_call_info *c = syt_row_call(t->image, r);
		uint32_t object = c->shape == SYT_SHAPE_ACCEPT && !syt_row_succeeded(c, r)
		                          ? syt_thread_extra(t, r)->object2
		                          : r->object;

		if (c->shape != SYT_SHAPE_ACCEPT && c->shape != SYT_SHAPE_RECV)
			continue;
		if (object == SYT_NONE)
			object = r->object;
		return r->result < 0 && r->err == EAGAIN && object != SYT_NONE &&
		       reports(t, x, object);
	}
	return false;
}

static void see_ready(struct sites *w, uint32_t thread, uint32_t row, uint32_t next)
{
	const struct syt_order *o = w->s->order;
	const struct syt_thread *t = o->places.threads[thread];
	const struct syt_row *r = syt_thread_row(t, row);
	uint32_t image = (uint32_t)(t->image - o->places.trace->images), object;
	struct site *x = site_of(w, (struct syt_place){thread, row});

	x->nr++;
	if (r->result <= 0)
		return;
	object = next == SYT_NONE ? SYT_NONE : unused(o, t, image, row, next);
	if (object != SYT_NONE) {
		x->nr_vain++;
		x->object = object;
		x->time += r->out - r->in < SHORT ? syt_thread_row(t, next)->out - r->out
		                                  : NS(SYT_CAUSE_SWITCH_NS);
	} else if (is_stolen(t, row)) {
		x->nr_stolen++;
		if (x->object == SYT_NONE)
			x->object = syt_object_of(&o->objects, image,
			                          t->ready[syt_thread_extra(t, r)->ready].object);
	}
}

void syt_cause_find_readiness(const struct syt_cause_search *s)
{
	const struct syt_places *p = &s->order->places;
	struct sites w = {.s = s};

	for (uint32_t thread = 0; thread < p->nr_threads; thread++) {
		const struct syt_thread *t = p->threads[thread];
		uint32_t last = SYT_NONE;

		SYT_EACH(row, 0, (uint32_t)t->nr_rows) {
			if (syt_row_call(t->image, syt_thread_row(t, row))->shape !=
			    SYT_SHAPE_READY)
				continue;
			if (last != SYT_NONE)
				see_ready(&w, thread, last, row);
			last = row;
		}
		if (last != SYT_NONE)
			see_ready(&w, thread, last, SYT_NONE);
	}
	for (uint32_t side = 0; side < w.nr; side++) {
		const struct site *x = &w.all[side];
		bool is_stolen_mostly = x->nr_stolen > x->nr_vain;
		struct syt_cause c = cause_of(
			&w, is_stolen_mostly ? SYT_CAUSE_STOLEN_READY : SYT_CAUSE_BUSY_READY, side);

		if (is_stolen_mostly)
			c.nr = x->nr_stolen;
		c.cost = is_stolen_mostly ? c.nr * NS(SYT_CAUSE_SWITCH_NS) : x->time;
		if (c.nr < LEAST_OFTEN || c.nr * 2 < c.of ||
		    !syt_cause_is_frequent(s->causes, c.nr, LEAST_RATE))
			continue;
		c.mean = c.cost / c.nr;
		syt_causes_add(s->causes, c);
	}
	free(w.all);
}
