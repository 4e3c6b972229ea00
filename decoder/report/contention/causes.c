/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Adds the locks and the wake-ups that stand out to the causes of diagnose (decoder/analysis/cause.h). */
#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "base/err.h"
#include "decoder/report/contention/contention.h"

#define LEAST_PASSED                                                                               \
	3u /* least mean number of holdings that end during the wait of a starved thread */
#define LEAST_PARKED 8u /* least number of waits for a lock that does not park idle threads */
#define LEAST_WAITED                                                                               \
	150u /* least wait for a lock, in thousandths of the lifetime of the waiting threads */
#define LEAST_FALSE 16u   /* least number of useless wake-ups */
#define MOST_SECTIONS 64u /* critical sections during one wait that are searched for a call */
#define LEAST_USEFUL 2u   /* least number of useful wake-ups of the same condition (nr_useful) */
#define LEAST_IN_VAIN 3u  /* least mean number of useless wake-ups of a broadcast */
#define FALSE_RATE 40u    /* least number of useless wake-ups per second */
/* a holder with less CPU time, in thousandths, waited for a CPU */
#define MOST_CPU 300u
/* ... even if many threads compete for the CPUs */
#define CERTAIN_CPU 100u
#define LEAST_HELD                                                                                 \
	((syt_time)1000000 << SYT_TIME_SHIFT) /* shorter holdings do not show the CPU share */

/* A woken thread runs after 50 to 200 us. If the mean is longer, the thread waits for a CPU, and not for the lock. */
#define MOST_HANDOVER ((syt_time)500000 << SYT_TIME_SHIFT)

static bool is_reader(const struct syt_contention *c, struct syt_place at)
{
	return at.thread != SYT_NONE &&
	       syt_place_call(&c->order->places, at)->shape == SYT_SHAPE_RDLOCK;
}

/* Returns the CPU share, in thousandths, of the time of the thread of ACQUIRE between its recorded measurements
 * of CPU time around this acquisition; or 1000 if it is unknown. */
static unsigned cpu_share(const struct syt_order *o, struct syt_place acquire, syt_time *length)
{
	const struct syt_thread *t = o->places.threads[acquire.thread];
	uint32_t from = acquire.row, to = acquire.row + 1;
	uint64_t cpu_from, cpu_to;
	syt_time ran, waited = 0, used;

	while (from && !syt_thread_extra(t, syt_thread_row(t, from))->cpu)
		from--;
	while (to < t->nr_rows && !syt_thread_extra(t, syt_thread_row(t, to))->cpu)
		to++;
	if (to >= t->nr_rows)
		return 1000;
	cpu_from = syt_thread_extra(t, syt_thread_row(t, from))->cpu;
	cpu_to = syt_thread_extra(t, syt_thread_row(t, to))->cpu;
	if (!cpu_from || cpu_to < cpu_from)
		return 1000;
	for (uint32_t i = from + 1; i < to; i++)
		waited += syt_thread_row(t, i)->out - syt_thread_row(t, i)->in;
	ran = syt_thread_row(t, to)->in - syt_thread_row(t, from)->out;
	*length = ran = ran > waited ? ran - waited : 0;
	used = (cpu_to - cpu_from) << SYT_TIME_SHIFT;
	return !ran || used >= ran ? 1000 : (unsigned)(used * 1000 / ran);
}

/* The waits for a lock, summed by the reason why the holder did not release it. */
struct reasons {
	syt_time call, wait, held, between, no_cpu, unknown;
	unsigned cpu_thousandths; /* CPU share of the holder of the longest `no_cpu` */
	struct syt_cause_tally inside;
	const struct syt_contention_blame *most[4]; /* of call, wait, held, between */
};

static void see_blame(struct reasons *s, const struct syt_order *o,
                      const struct syt_contention_blame *b)
{
	syt_time length = 0;
	unsigned i, cpu;

	switch ((enum syt_blame_kind)b->blame.kind) {
	case SYT_BLAME_CALL:
		i = b->blame.is_passed_on;
		if (i)
			s->wait += b->blame.time;
		else
			s->call += b->blame.time;
		break;
	case SYT_BLAME_RUNNING:
		i = 1;
		s->wait += b->blame.time;
		break;
	case SYT_BLAME_HELD:
		i = b->blame.is_passed_on ? 1 : 2;
		if (b->blame.is_passed_on)
			s->wait += b->blame.time;
		else
			s->held += b->blame.time;
		if (b->largest < LEAST_HELD)
			break;
		cpu = cpu_share(o, b->blame.at, &length);
		if (cpu >= MOST_CPU || length < LEAST_HELD)
			break;
		if (!s->no_cpu)
			s->cpu_thousandths = cpu;
		s->no_cpu += b->blame.time;
		break;
	case SYT_BLAME_HANDOVER:
		i = 3;
		s->between += b->blame.time;
		break;
	default:
		s->unknown += b->blame.time;
		return;
	}
	if (!s->most[i])
		s->most[i] = b; /* the causes come longest first */
}

/* Returns the call path at which threads starve: other threads take and release the lock several times during
 * each wait, and the waits of these other threads are short. Returns NULL if there is none. */
static const struct syt_contention_path *starved(const struct syt_causes *to,
                                                 const struct syt_contention *c,
                                                 const struct syt_contention_lock *l)
{
	syt_time life = l->nr_threads ? l->lifetime / l->nr_threads : 0;
	const struct syt_contention_path *found = NULL;

	for (size_t i = 0; i < l->nr_paths; i++) {
		const struct syt_contention_path *p = &l->paths[i];

		if (p->wait.nr && p->nr_passed >= LEAST_PASSED * p->wait.nr &&
		    syt_cause_is_large(to, p->wait.total, life) &&
		    (!found || p->wait.total / p->wait.nr > found->wait.total / found->wait.nr))
			found = p;
	}
	for (size_t i = 0; found && i < l->nr_paths; i++) {
		const struct syt_contention_path *p = &l->paths[i];

		if (p->wait.nr && is_reader(c, p->at) != is_reader(c, found->at) &&
		    p->wait.total > found->wait.total / 2 &&
		    p->wait.total / p->wait.nr > found->wait.total / found->wait.nr / 2)
			return NULL;
	}
	return found;
}

/* Returns true if threads waited for L for a large part of their time. Excludes a few waits while the holder
 * waited for clients: the lock then parks threads that have no work. */
static bool stands_out(const struct syt_causes *to, const struct syt_contention *c,
                       const struct syt_contention_lock *l)
{
	const struct syt_blame *b = l->nr_blames ? &l->blames[0].blame : NULL;
	syt_time life = l->nr_threads ? l->lifetime / l->nr_threads : 0;
	uint8_t shape = b && b->kind == SYT_BLAME_CALL && b->at.thread != SYT_NONE
	                        ? syt_place_call(&c->order->places, b->at)->shape
	                        : SYT_SHAPE_INFO;

	/* a semaphore with one wait is no lock, but an event: Python waits in this way for the end of a thread */
	if (l->wait.nr < 2 && syt_object_kind(&c->order->objects, l->object) == SYT_KIND_SEM)
		return false;
	if (l->wait.nr < LEAST_PARKED && (shape == SYT_SHAPE_READY || shape == SYT_SHAPE_ACCEPT))
		return false;
	return (syt_cause_is_large(to, l->wait.total, life * l->nr_waiters) &&
	        l->wait.total / LEAST_WAITED >= life * l->nr_waiters / 1000) ||
	       starved(to, c, l);
}

/* Finds the longest call of a holder in the critical section that RELEASE ends, if the call is longer than
 * *MOST. */
static void see_section(const struct syt_order *o, uint32_t object, struct syt_place release,
                        syt_time *most, struct syt_place *found)
{
	for (struct syt_place at = release; at.row;) {
		const struct syt_row *r;

		at.row--;
		r = syt_place_row(&o->places, at);
		if (syt_cause_object(o, at) == object)
			return;
		if (r->out - r->in > *most) {
			*most = r->out - r->in;
			*found = at;
		}
	}
}

/* Returns the longest call of the holders in the critical sections for which WAIT waited, or thread SYT_NONE.
 * */
static struct syt_place holder_call(const struct syt_order *o, uint32_t object,
                                    struct syt_place wait)
{
	struct syt_history h = syt_history_of(&o->histories, object);
	const struct syt_row *r = syt_place_row(&o->places, wait);
	uint64_t i = SYT_BISECT(n, 0, h.nr, h.touches[n].at < r->out);
	struct syt_place found = {SYT_NONE, 0};
	syt_time most = 0;

	for (unsigned nr = 0; nr < MOST_SECTIONS && i && h.touches[i - 1].at > r->in; i--) {
		if (h.touches[i - 1].shape != SYT_SHAPE_UNLOCK ||
		    h.touches[i - 1].place.thread == wait.thread)
			continue;
		see_section(o, object, h.touches[i - 1].place, &most, &found);
		nr++;
	}
	return found;
}

static void add_lock(struct syt_causes *to, const struct syt_contention *c,
                     const struct syt_contention_lock *l)
{
	struct syt_contention_blame *all = syt_alloc(l->nr_blames + 1, sizeof(*all));
	const struct syt_contention_path *path = &l->paths[0];
	const struct syt_contention_blame *b;
	const struct syt_contention_path *victim = starved(to, c, l);
	struct reasons s = {0};
	syt_time most;
	struct syt_cause cause = {.object = l->object,
	                          .waiter = path->side,
	                          .origin = SYT_NONE,
	                          .inside = SYT_NONE,
	                          .ender = SYT_NONE,
	                          .thread = SYT_NONE,
	                          .is_convoy = syt_contention_is_convoy(l),
	                          .nr = l->wait.nr,
	                          .of = l->nr_acquired,
	                          .nr_threads = l->nr_waiters,
	                          .limit = l->hold.nr,
	                          .cost = l->wait.total,
	                          .mean = l->wait.total / l->wait.nr,
	                          .of_wall = l->lifetime,
	                          .at = path->at,
	                          .by = {SYT_NONE, 0}};
	unsigned i = 0;
	size_t nr;

	for (size_t n = 0; n < l->nr_blames; n++) {
		all[n] = l->blames[n];
		all[n].waiter = SYT_NONE;
	}
	nr = syt_contention_sum_blames(all, l->nr_blames);
	for (size_t n = 0; n < nr; n++)
		see_blame(&s, c->order, &all[n]);
	most = s.call;
	cause.kind = SYT_CAUSE_HELD_ACROSS_CALL;
	if (s.wait > most) {
		most = s.wait;
		cause.kind = SYT_CAUSE_HELD_ACROSS_WAIT;
		i = 1;
	}
	if (s.held > most) {
		most = s.held;
		cause.kind = s.no_cpu * 4 > s.held * 3 &&
		                             (!cause.is_convoy || s.cpu_thousandths < CERTAIN_CPU)
		                     ? SYT_CAUSE_HELD_WITHOUT_CPU
		                     : SYT_CAUSE_HELD_LONG;
		i = 2;
	}
	if (s.between > most) {
		most = s.between;
		cause.kind = SYT_CAUSE_HANDOVER;
		i = 3;
	}
	if ((cause.kind == SYT_CAUSE_HANDOVER || cause.kind == SYT_CAUSE_HELD_WITHOUT_CPU) &&
	    s.between / l->wait.nr > MOST_HANDOVER) {
		to->nr_late_wakes += l->wait.nr;
		to->late_wakes += s.between;
		free(all);
		return;
	}
	b = s.most[i];
	if (b) {
		cause.origin = b->blame.direct;
		cause.inside =
			b->blame.kind == SYT_BLAME_HELD || b->blame.kind == SYT_BLAME_HANDOVER
				? SYT_NONE
				: b->blame.side;
		cause.thread = b->blame.at.thread;
		cause.by = cause.in = b->blame.at;
		cause.inside_thousandths = (unsigned)(b->blame.time / (l->wait.total / 1000 + 1));
	}
	if (cause.kind == SYT_CAUSE_HELD_ACROSS_WAIT && b) {
		cause.in = holder_call(c->order, l->object, b->wait);
		cause.ender = cause.inside;
		cause.inside = cause.in.thread == SYT_NONE ? SYT_NONE
		                                           : syt_label_side(c->labels, cause.in);
	}
	/* writers that keep the lock during a long call keep readers out even if each reader gets its turn */
	if (syt_object_kind(&c->order->objects, l->object) == SYT_KIND_RWLOCK && victim &&
	    !(is_reader(c, victim->at) && most > l->wait.total / 2 &&
	      cause.kind <= SYT_CAUSE_HELD_ACROSS_WAIT)) {
		cause.kind = SYT_CAUSE_STARVED;
		cause.is_shared = !is_reader(c, victim->at);
		cause.waiter = victim->side;
		cause.at = victim->at;
		cause.nr = victim->wait.nr;
		cause.cost = victim->wait.total;
		cause.mean = victim->wait.total / victim->wait.nr;
		cause.limit = victim->nr_passed / victim->wait.nr;
		cause.nr_threads = 0;
	}
	cause.busy_thousandths = (unsigned)(l->hold.total / (to->observed / 1000 + 1));
	if (cause.kind == SYT_CAUSE_HELD_WITHOUT_CPU)
		cause.busy_thousandths = s.cpu_thousandths;
	syt_causes_add(to, cause);
	free(all);
}

static bool is_false(const struct syt_causes *to, const struct syt_contention_herd *h)
{
	/* without useful wake-ups, the woken threads may do their work without another synchronization */
	return h->nr_in_vain >= LEAST_FALSE && h->nr_in_vain * 2 >= h->nr_woken &&
	       h->nr_useful >= LEAST_USEFUL &&
	       syt_cause_is_frequent(to, h->nr_in_vain, FALSE_RATE);
}

/* Returns true if the broadcasts H are a cause. A small pool that is woken for each batch of short tasks is not: few
 * of its threads wake in vain. One thread that each broadcast woke may have done a task without a synchronization. */
static bool is_large_herd(const struct syt_contention_herd *h)
{
	return syt_contention_is_herd(h) && h->nr_in_vain >= LEAST_FALSE &&
	       h->nr_in_vain >= LEAST_IN_VAIN * h->nr_broadcasts &&
	       h->nr_woken >= (LEAST_IN_VAIN + 1) * h->nr_broadcasts;
}

static void add_wakeups(struct syt_causes *to, const struct syt_contention_herd *h,
                        enum syt_cause_kind kind, syt_time wait)
{
	syt_causes_add(
		to, (struct syt_cause){.kind = (uint8_t)kind,
	                               .object = h->object,
	                               .waiter = SYT_NONE,
	                               .origin = h->side,
	                               .inside = SYT_NONE,
	                               .thread = h->at.thread,
	                               .nr = h->nr_in_vain,
	                               .of = h->nr_woken,
	                               .limit = h->nr_broadcasts,
	                               .cost = wait + h->nr_in_vain * ((syt_time)SYT_CAUSE_SWITCH_NS
	                                                               << SYT_TIME_SHIFT),
	                               .at = h->at,
	                               .by = h->at});
}

/* Returns the useless wake-ups that explain the waits for L: woken threads that take the mutex back. Returns
 * NULL if there are none. */
static const struct syt_contention_herd *herd_of(const struct syt_contention *c,
                                                 const struct syt_contention_lock *l)
{
	const struct syt_contention_path *p = &l->paths[0];
	const struct syt_row *r = syt_place_row(&c->order->places, p->at);

	if (syt_place_call(&c->order->places, p->at)->shape != SYT_SHAPE_COND_WAIT ||
	    p->wait.total < l->wait.total / 2)
		return NULL;
	for (size_t i = 0; i < c->nr_herds; i++) {
		const struct syt_contention_herd *h = &c->herds[i];

		if (h->object == syt_object_of(&c->order->objects,
		                               syt_place_image_idx(&c->order->places, p->at),
		                               r->object) &&
		    is_large_herd(h))
			return h;
	}
	return NULL;
}

void syt_contention_add_causes(struct syt_causes *to, const struct syt_contention *c)
{
	for (size_t i = 0; i < c->nr_herds; i++) {
		const struct syt_contention_herd *h = &c->herds[i];
		syt_time wait = 0;

		for (size_t n = 0; n < c->nr_locks; n++)
			if (c->locks[n].wait.nr && herd_of(c, &c->locks[n]) == h)
				wait += c->locks[n].wait.total;
		if (is_large_herd(h))
			add_wakeups(to, h, SYT_CAUSE_HERD, wait);
	}
	for (size_t i = 0; i < c->nr_locks; i++)
		if (c->locks[i].wait.nr && stands_out(to, c, &c->locks[i]) &&
		    !herd_of(c, &c->locks[i]))
			add_lock(to, c, &c->locks[i]);
	for (size_t i = 0; i < c->nr_signals; i++)
		if (is_false(to, &c->signals[i]))
			add_wakeups(to, &c->signals[i], SYT_CAUSE_FALSE_WAKEUP, 0);
}
