/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Semaphores: a sem_post happens before the sem_wait that took its token. Waits take tokens in the order in which
 * posts gave them, initial tokens first: the n-th wait takes the n-th token. A System V wait for several tokens
 * follows every post that gave some of these tokens.
 *
 * The rule is sound because the n-th token can be taken only after it was given. A post takes effect in [in,
 * latest], a wait in [earliest, out]. If these intervals overlap, each operation has a range of ranks
 * (decoder/history/rank.h). A busy period ends when the waits that have returned (out) have used up all tokens of
 * the posts begun (in) so far. Ranks count from the begin of the busy period. A wait gets an edge from every post
 * with an overlapping range of ranks. If a wait may have got its token from several posts, the edges are ambiguous,
 * except if the wait took several tokens that no other posts can have given.
 *
 * Setting the value (sem_init, semctl) begins a new count. A call that sets the value may overlap waits only if the
 * value was surely 0 before, so that the waits found the new value. In other cases of overlap, the value is unknown
 * from then on.
 *
 * A wait for zero follows every wait of a busy period, if all posts of this period had ended before the wait for
 * zero.
 *
 * The exit of a process posts the tokens that it took with SEM_UNDO. If the process was killed, or if its undo
 * takes tokens away, the value is unknown from then on.
 *
 * The class is run-after if every thread only posts tokens that it has taken, which means that the semaphore is
 * used as a lock. For any other semaphore, the class is causal.
 *
 * The recorder stores the value of a private semaphore before the first operation of each process, so the value is
 * known in a forked child. The tokens of this value were given before recording began, or before the fork by any
 * thread of an ancestor. The source of such tokens is unknown, unless no ancestor had a second thread: then the
 * fork already orders them.
 *
 * Missing events: counting starts where the value is set or stored, or at a sem_open before which no process is
 * known to have used the semaphore. If this event or a later one may be missing, counting starts at a wait for one
 * token that found the value 0 (it blocked) while no other operation was in progress. Earlier waits are
 * unattributed.
 */
#include "decoder/match/match.h"

#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/err.h"
#include "base/sort.h"
#include "decoder/history/rank.h"

#define MOST_AMOUNT 65536u             /* maximum for one operation; the kernel uses 16 bits */
#define MOST_VALUE (UINT64_C(1) << 32) /* a damaged dump must not overflow sums */
#define MOST_STEPS (UINT64_C(1) << 28) /* maximum of work for all waits for zero */

enum step { STEP_SET, STEP_POST, STEP_ZERO, STEP_WAIT };

struct op {
	struct syt_ranked r; /* first member: a pointer to it points to the op */
	enum step step;
	uint64_t value;    /* for STEP_SET: the new value */
	bool has_blocked;  /* for STEP_WAIT for one token: it blocked */
	bool is_undone;    /* undone when its process ends (SEM_UNDO) */
	bool is_birth;     /* for STEP_SET: no operation can precede it */
	bool is_inherited; /* for STEP_SET: the sources of these tokens are unknown */
};

struct sem {
	struct syt_match *m;
	uint32_t object;
	enum syt_edge_class class;
	uint64_t nr;
	struct op *ops;             /* sorted by key(); sets and posts first */
	bool is_complete, is_alone; /* no event is missing; only one thread uses the semaphore */
	syt_time lost_from;         /* time after which an unrecorded call changed the value */
	/* the call that set the first tokens of this period, or thread SYT_NONE */
	struct syt_place setter;
	/* the semaphore had the first tokens of this period when the process first used it */
	bool is_inherited;
	struct syt_rank_sum *sums;          /* scratch memory for ranking */
	struct syt_ranked **posts, **waits; /* scratch memory for one busy period */
	uint64_t *lowest; /* scratch memory: lowest rank of this and all later waits */
	/* the last two busy periods since the value was set, for the matching of waits for zero */
	struct period {
		struct op *ops;
		uint64_t nr;
		bool is_closed;
		syt_time from;     /* begin of the first post or wait; UINT64_MAX: there is none */
		syt_time posts_to; /* time at which all posts had ended */
		syt_time waits_from; /* time at which all waits had begun */
	} now, before;
	uint64_t nr_steps; /* work done for waits for zero */
};

/* ---- collecting the operations ---- */

static void collect(struct sem *s, const struct syt_history *h)
{
	const struct syt_places *p = s->m->places;

	for (uint64_t i = 0; i < h->nr; i++) {
		const struct syt_touch *t = &h->touches[i];
		struct syt_place at = t->place;
		const struct syt_row *r = syt_place_row(p, at);
		const struct syt_extra *x = syt_place_extra(p, at);
		uint64_t amount = x->count < MOST_AMOUNT ? x->count : MOST_AMOUNT;
		struct op op = {.r = {.place = at, .amount = amount ? amount : 1},
		                .is_undone = x->arg == 1};

		if (syt_touch_is(t, SYT_SHAPE_SEM_POST)) {
			op.step = STEP_POST;
			op.r.from = r->in;
			op.r.to = syt_place_latest(p, at);
		} else if (syt_touch_is(t, SYT_SHAPE_SEM_WAIT) ||
		           syt_touch_is(t, SYT_SHAPE_SEM_ZERO)) {
			op.step = t->shape == SYT_SHAPE_SEM_WAIT ? STEP_WAIT : STEP_ZERO;
			op.r.from = syt_place_earliest(p, at);
			op.r.to = r->out;
			op.has_blocked = x->flags & SYT_EVENT_BLOCKED && op.r.amount == 1;
		} else if (syt_touch_is(t, SYT_SHAPE_INIT)) {
			op.step = STEP_SET;
			op.r.from = r->in;
			op.r.to = r->out;
			op.value = x->arg < MOST_VALUE ? x->arg : MOST_VALUE;
			op.is_birth = x->count || r->in == r->out;
			op.is_undone = false;
		} else {
			continue;
		}
		s->ops[s->nr++] = op;
	}
}

/* Starts counting at the sem_open of a named semaphore. If no process is known to have used the semaphore before
 * sem_open() returned, the value recorded there is right, because no later event can have changed it by then. */
static void start_where_opened(struct sem *s, const struct syt_history *h)
{
	const struct syt_places *p = s->m->places;
	struct syt_place at = h->touches[0].place;
	const struct syt_row *r = syt_place_row(p, at);
	uint64_t value = syt_place_extra(p, at)->arg;

	if (strcmp(syt_place_call(p, at)->name, "sem_open") || !syt_place_succeeded(p, at))
		return;
	for (uint64_t i = 0; i < s->nr; i++)
		if (s->ops[i].r.from < r->out)
			return;
	s->ops[s->nr++] = (struct op){
		.r = {.place = at, .from = r->out, .to = r->out, .amount = 1},
		.step = STEP_SET,
		.value = value < MOST_VALUE ? value : MOST_VALUE,
		.is_birth = true,
	};
}

#define MOST_ANCESTORS 64u

/* Returns true if no ancestor of the process of IMAGE had a second thread when it forked. */
static bool has_lone_ancestors(const struct syt_trace_data *trace, uint32_t image)
{
	for (unsigned n = 0; n < MOST_ANCESTORS; n++) {
		if (trace->images[image].file.parent_index == UINT32_MAX)
			return n > 0;
		image = syt_image_parent(trace, image);
		if (image == SYT_NONE || trace->images[image].nr_threads != 1)
			return false;
	}
	return false;
}

/* Starts counting with the value that the recorder stored before the process's first operation. */
static void start_where_met(struct sem *s, const struct syt_history *h)
{
	const struct syt_object *o = &s->m->objects->all[s->object];
	uint64_t value = o->info->value;

	if (!(o->info->flags & SYT_OBJECT_VALUE))
		return;
	s->ops[s->nr++] = (struct op){
		.r = {.place = h->touches[0].place, .from = 0, .to = o->info->first, .amount = 1},
		.step = STEP_SET,
		.value = value < MOST_VALUE ? value : MOST_VALUE,
		.is_birth = true,
		.is_inherited = value && !has_lone_ancestors(s->m->places->trace, o->image),
	};
}

static syt_time key(const struct op *op)
{
	return op->step == STEP_WAIT || op->step == STEP_ZERO ? op->r.to : op->r.from;
}

SYT_COMPARATOR(by_key, struct op)
{
	SYT_ORDER(key(a), key(b));
	SYT_ORDER(a->step, b->step);
	return syt_place_compare(a->r.place, b->r.place);
}

/* ---- tokens that are given back at the end of a process (SEM_UNDO) ---- */

static void lose_from(struct sem *s, syt_time t)
{
	if (s->lost_from > t)
		s->lost_from = t;
}

/* Adds a post for each process that gives tokens back at its end. s->ops has room for one more post per process
 * image. */
static void add_undone(struct sem *s)
{
	uint32_t nr_images = s->m->places->trace->nr_images;
	int64_t *owed = NULL; /* [process image]: number of tokens to give back */
	uint64_t nr = s->nr;

	for (uint64_t i = 0; i < nr; i++) {
		const struct op *op = &s->ops[i];
		uint32_t image = syt_place_image_idx(s->m->places, op->r.place);

		if (op->step == STEP_SET && owed)
			memset(owed, 0, nr_images * sizeof(*owed));
		if (!op->is_undone)
			continue;
		if (!owed)
			owed = syt_calloc(nr_images, sizeof(*owed));
		/* events are missing: the number of tokens to give back is unknown */
		if (s->m->places->complete_from[image])
			lose_from(s, syt_place_image_end(s->m->places, image));
		owed[image] +=
			op->step == STEP_WAIT ? (int64_t)op->r.amount : -(int64_t)op->r.amount;
	}
	for (uint32_t image = 0; owed && image < nr_images; image++) {
		struct syt_place at;

		if (!owed[image] || s->m->places->complete_from[image])
			continue;
		if (owed[image] > 0 && syt_match_find_end(s->m, image, SYT_SHAPE_EXIT, &at))
			s->ops[s->nr++] =
				(struct op){.r = {.from = syt_place_row(s->m->places, at)->in,
			                          .to = UINT64_MAX,
			                          .place = at,
			                          .amount = (uint64_t)owed[image]},
			                    .step = STEP_POST};
		else
			lose_from(s, syt_place_image_end(s->m->places, image));
	}
	free(owed);
	if (s->nr > nr)
		syt_sort(s->ops, s->nr, sizeof(*s->ops), by_key);
}

#define SEEN 0x80000000u /* flag in of_thread[thread], beside its number of tokens */

/* Returns run-after if every post gives back a token that its thread has taken. In a thread whose first events are
 * missing, the first post may give back a token that was taken before. */
static enum syt_edge_class classify(const struct sem *s)
{
	uint32_t *held = s->m->of_thread;
	bool is_lock = true;

	for (uint64_t i = 0; i < s->nr && is_lock; i++) {
		const struct op *op = &s->ops[i];
		uint32_t *of_thread = &held[op->r.place.thread];
		uint32_t amount = (uint32_t)op->r.amount & ~SEEN;

		if (op->step == STEP_ZERO)
			is_lock = false;
		if (op->step != STEP_POST && op->step != STEP_WAIT)
			continue;
		if (op->step == STEP_WAIT)
			*of_thread += amount;
		else if ((*of_thread & ~SEEN) >= amount)
			*of_thread -= amount;
		else
			is_lock = !*of_thread && syt_match_is_missing_before(s->m, op->r.place);
		*of_thread |= SEEN;
	}
	for (uint64_t i = 0; i < s->nr; i++)
		held[s->ops[i].r.place.thread] = 0;
	return is_lock ? SYT_CLASS_RUN_AFTER : SYT_CLASS_CAUSAL;
}

static int by_begin(const void *a_, const void *b_)
{
	const struct op *const *a = a_, *const *b = b_;

	SYT_ORDER((*a)->r.from, (*b)->r.from);
	return SYT_COMPARE(*a, *b);
}

/* Finds a start of counting in OPS if the value is unknown: the first wait that blocked, after COMPLETE_FROM, when
 * no post and no other wait was in progress. The first wait that blocked found the value 0 between its thread's
 * previous event and its own begin. Operations that began earlier had then ended, and later operations count from
 * 0. Returns the index of this wait, or of the first operation after that time, or NR if there is no start. */
static uint64_t find_start(struct sem *s, struct op *ops, uint64_t nr, syt_time complete_from)
{
	struct op **by = (struct op **)s->posts; /* scratch memory */
	syt_time busy_until = 0;
	uint32_t busy_thread = SYT_NONE; /* the only thread with an operation in progress */

	if (complete_from == UINT64_MAX)
		return nr;
	for (uint64_t i = 0; i < nr; i++)
		by[i] = &ops[i];
	syt_sort(by, nr, sizeof(*by), by_begin);
	for (uint64_t i = 0; i < nr; i++) {
		const struct syt_ranked *r = &by[i]->r;
		struct syt_place before = r->place;
		syt_time seen_from = 0;

		if (by[i]->step == STEP_WAIT && by[i]->has_blocked && before.row--)
			seen_from = syt_place_row(s->m->places, before)->out;
		if (seen_from > complete_from &&
		    (seen_from > busy_until ||
		     (seen_from == busy_until && busy_thread == r->place.thread))) {
			uint64_t start = 0;

			while (key(&ops[start]) < r->from)
				start++;
			return start;
		}
		if (r->to >= busy_until) {
			bool is_tie = r->to == busy_until && busy_thread != r->place.thread;

			busy_thread = is_tie ? SYT_NONE : r->place.thread;
			busy_until = r->to;
		}
	}
	return nr;
}

/* ---- happens-before edges ---- */

static void edge(struct sem *s, struct syt_place from, struct syt_place to, bool is_ambiguous)
{
	syt_match_edge(s->m, SYT_EDGE_SEM, s->class, from, to, s->object,
	               is_ambiguous ? SYT_EDGE_AMBIGUOUS : 0);
}

/* Returns true if WAIT surely took tokens of each of the posts FOUND. */
static bool is_certain(const struct syt_ranked *wait, struct syt_ranked **found, uint32_t nr)
{
	if (wait->high - wait->low != wait->amount)
		return false;
	for (uint32_t i = 0; i < nr; i++)
		if (found[i]->high - found[i]->low != found[i]->amount)
			return false;
	return true;
}

/* Matches WAIT with the posts from index FROM on. The busy period of WAIT began with FREE tokens that no post of
 * the period gave. */
static void match_wait(struct sem *s, const struct syt_ranked *wait, uint32_t nr_posts,
                       uint32_t from, uint64_t free)
{
	struct syt_ranked *found[SYT_AMBIGUOUS_MAX];
	uint32_t nr = 0;
	bool may_be_free = wait->low < free, has_setter = s->setter.thread != SYT_NONE;
	bool is_ambiguous;

	for (uint32_t i = from; i < nr_posts && s->posts[i]->low < wait->high; i++) {
		if (!syt_ranked_may_meet(s->posts[i], wait))
			continue;
		if (nr == SYT_AMBIGUOUS_MAX) {
			syt_match_unattributed(s->m, SYT_REASON_TOO_MANY);
			return;
		}
		found[nr++] = s->posts[i];
	}
	is_ambiguous = nr + may_be_free > 1 && !is_certain(wait, found, nr);
	if (may_be_free && !nr && s->is_inherited) {
		syt_match_unattributed(s->m, SYT_REASON_BEFORE);
	} else if (may_be_free && !nr && (!has_setter || s->setter.thread == wait->place.thread)) {
		syt_match_unneeded(s->m);
	} else if ((may_be_free && !has_setter && is_ambiguous) || (!may_be_free && !nr)) {
		syt_match_unattributed(s->m, nr ? SYT_REASON_UNCERTAIN : SYT_REASON_NO_RELEASE);
	} else if (nr == 1 && !may_be_free && s->class == SYT_CLASS_RUN_AFTER &&
	           found[0]->place.thread == wait->place.thread) {
		syt_match_unneeded(s->m); /* the thread's own order implies it, as for a mutex */
	} else {
		if (may_be_free && has_setter)
			edge(s, s->setter, wait->place, is_ambiguous);
		for (uint32_t i = 0; i < nr; i++)
			edge(s, found[i]->place, wait->place, is_ambiguous);
		syt_match_attributed(s->m, is_ambiguous);
	}
}

/* Matches a busy period, whose first FREE tokens existed at its beginning. */
static void match_period(struct sem *s, struct op *ops, uint64_t nr, uint64_t free)
{
	uint32_t nr_posts = 0, nr_waits = 0, from = 0;
	uint64_t lowest = UINT64_MAX;

	for (uint64_t i = 0; i < nr; i++) {
		if (ops[i].step == STEP_POST)
			s->posts[nr_posts++] = &ops[i].r;
		else if (ops[i].step == STEP_WAIT)
			s->waits[nr_waits++] = &ops[i].r;
	}
	syt_rank(s->posts, nr_posts, free, s->sums, s->m->of_thread);
	syt_rank(s->waits, nr_waits, 0, s->sums, s->m->of_thread);
	for (uint32_t i = nr_waits; i--;) {
		lowest = s->waits[i]->low < lowest ? s->waits[i]->low : lowest;
		s->lowest[i] = lowest;
	}
	for (uint32_t i = 0; i < nr_waits; i++) {
		while (from < nr_posts && s->posts[from]->high <= s->lowest[i])
			from++;
		match_wait(s, s->waits[i], nr_posts, from, free);
	}
}

static struct period period_of(struct op *ops, uint64_t nr, bool is_closed)
{
	struct period p = {ops, nr, is_closed, UINT64_MAX, 0, 0};

	for (uint64_t i = 0; i < nr; i++) {
		if (ops[i].step == STEP_ZERO)
			continue;
		if (ops[i].r.from < p.from)
			p.from = ops[i].r.from;
		if (ops[i].step == STEP_POST && ops[i].r.to > p.posts_to)
			p.posts_to = ops[i].r.to;
		if (ops[i].step == STEP_WAIT && ops[i].r.from > p.waits_from)
			p.waits_from = ops[i].r.from;
	}
	return p;
}

/* Returns true if every post of the busy period P had ended when the wait ZERO began, and all its tokens were used
 * up. */
static bool is_over(const struct period *p, const struct op *zero)
{
	return p->nr && p->is_closed && p->posts_to <= zero->r.from && p->waits_from <= zero->r.to;
}

/* Adds edges to the wait for zero ZERO from the last wait of each thread in P. A wait whose begin was not stamped
 * may have begun after ZERO. The edge then comes from the thread's previous wait. */
static void match_zero(struct sem *s, const struct period *p, const struct op *zero)
{
	uint32_t *seen = s->m->of_thread;
	bool has_edge = false, is_open = false;

	s->nr_steps += p->nr;
	if (s->nr_steps > MOST_STEPS) {
		syt_match_unattributed(s->m, SYT_REASON_TOO_MANY);
		return;
	}
	for (uint64_t i = p->nr; i--;) {
		const struct syt_ranked *r = &p->ops[i].r;

		if (p->ops[i].step != STEP_WAIT || seen[r->place.thread])
			continue;
		if (syt_place_row(s->m->places, r->place)->in > zero->r.to) {
			is_open = true;
			continue;
		}
		seen[r->place.thread] = 1;
		if (r->place.thread != zero->r.place.thread) {
			edge(s, r->place, zero->r.place, false);
			has_edge = true;
		}
	}
	for (uint64_t i = 0; i < p->nr; i++)
		seen[p->ops[i].r.place.thread] = 0;
	if (has_edge)
		syt_match_attributed(s->m, false);
	else if (is_open)
		syt_match_unattributed(s->m, SYT_REASON_UNCERTAIN);
	else
		syt_match_unneeded(s->m);
}

/* Matches the waits for zero between FROM and TO. TO is the end of the busy period after the current one. */
static void match_zeros(struct sem *s, const struct op *from, const struct op *to)
{
	for (const struct op *z = from; z < to; z++) {
		if (z->step != STEP_ZERO)
			continue;
		if (is_over(&s->now, z))
			match_zero(s, &s->now, z);
		else if (s->before.nr && is_over(&s->before, z))
			match_zero(s, &s->before, z);
		else if (!s->before.nr && s->now.from > z->r.to)
			syt_match_unneeded(s->m);
		else
			syt_match_unattributed(s->m, SYT_REASON_UNCERTAIN);
	}
}

/* Counts the waits from before the value was known as unattributed. If only one thread uses the semaphore, they
 * need no other thread. */
static void give_up(struct sem *s, const struct op *ops, uint64_t nr)
{
	for (uint64_t i = 0; i < nr; i++) {
		if (ops[i].step != STEP_WAIT && ops[i].step != STEP_ZERO)
			continue;
		if (s->is_complete && s->is_alone)
			syt_match_unneeded(s->m);
		else
			syt_match_unattributed(s->m, s->is_complete ? SYT_REASON_BEFORE
			                                            : SYT_REASON_OVERWRITTEN);
	}
}

static void end_period(struct sem *s, struct op *ops, uint64_t nr, uint64_t free, bool is_closed)
{
	match_period(s, ops, nr, free);
	s->before = s->now;
	s->now = period_of(ops, nr, is_closed);
	match_zeros(s, ops, ops + nr);
	if (free) {
		s->setter.thread = SYT_NONE;
		s->is_inherited = false;
	}
}

/* Matches the operations OPS after the value was set to VALUE. Returns true if the value is surely 0 at their
 * end. */
static bool match_epoch(struct sem *s, struct op *ops, uint64_t nr, uint64_t value)
{
	uint64_t begin = 0, free = value;

	s->now = s->before = period_of(NULL, 0, false);
	for (uint64_t i = 0; i < nr; i++) {
		if (ops[i].step == STEP_POST) {
			value += ops[i].r.amount;
			continue;
		}
		if (ops[i].step != STEP_WAIT)
			continue;
		value -= ops[i].r.amount < value ? ops[i].r.amount : value;
		if (!value) {
			uint64_t end = i + 1;

			/* the waits for zero that this operation released come directly after it */
			while (end < nr && ops[end].step == STEP_ZERO)
				end++;
			end_period(s, &ops[begin], end - begin, free, true);
			begin = i = end;
			i--;
			free = 0;
		}
	}
	if (begin < nr)
		end_period(s, &ops[begin], nr - begin, free, !value);
	return !value;
}

/* Returns true if SET, which sets the value, does not overlap operations that it may have affected. If the value
 * was 0 before (WAS_ZERO), SET may overlap waits, which then found the new value. SET may never overlap another
 * change of the value. EARLIER has the operations that are sorted before SET but may have ended after its begin. */
static bool is_unambiguous(const struct op *set, const struct op *earlier, uint64_t nr_earlier,
                           const struct op *ops, uint64_t nr, bool was_zero)
{
	if (set->is_birth)
		return true;
	for (uint64_t i = 0; i < nr_earlier; i++)
		if (earlier[i].r.to >= set->r.from && earlier[i].step != STEP_ZERO)
			return false;
	for (uint64_t i = 0; i < nr; i++) {
		if (ops[i].r.from > set->r.to)
			continue;
		if (ops[i].step == STEP_POST || !was_zero)
			return false;
	}
	return true;
}

static void match_all(struct sem *s, syt_time complete_from)
{
	bool is_zero = false;

	for (uint64_t i = 0, before = 0; i < s->nr;) {
		const struct op *set = s->ops[i].step == STEP_SET ? &s->ops[i] : NULL;
		uint64_t begin = set ? i + 1 : i, end = begin, start = begin, value = 0;

		while (end < s->nr && s->ops[end].step != STEP_SET)
			end++;
		s->setter = (struct syt_place){SYT_NONE, 0};
		s->is_inherited = false;
		if (set && set->r.to >= complete_from &&
		    is_unambiguous(set, &s->ops[before], i - before, &s->ops[begin], end - begin,
		                   is_zero)) {
			value = set->value;
			s->is_inherited = set->is_inherited;
			if (!set->is_birth)
				s->setter = set->r.place;
		} else {
			start += find_start(s, &s->ops[begin], end - begin, complete_from);
		}
		while (start < end && key(&s->ops[end - 1]) >= s->lost_from)
			end--;
		if (start > end)
			start = end;
		give_up(s, &s->ops[begin], start - begin);
		is_zero = match_epoch(s, &s->ops[start], end - start, value);
		before = begin;
		i = end;
		while (i < s->nr && s->ops[i].step != STEP_SET) {
			give_up(s, &s->ops[i++], 1);
			is_zero = false;
		}
	}
}

void syt_match_sem(struct syt_match *m, uint32_t object)
{
	struct syt_history h = syt_history_of(m->histories, object);
	struct sem s = {.m = m, .object = object, .lost_from = UINT64_MAX};
	uint64_t room = h.nr + 1 + m->places->trace->nr_images;

	if (!h.nr || room >= SYT_NONE)
		return;
	s.ops = syt_store_alloc(room, sizeof(*s.ops));
	s.sums = syt_store_alloc(room + 1, sizeof(*s.sums));
	s.posts = syt_store_alloc(room, sizeof(*s.posts));
	s.waits = syt_store_alloc(room, sizeof(*s.waits));
	s.lowest = syt_store_alloc(room, sizeof(*s.lowest));
	collect(&s, &h);
	start_where_opened(&s, &h);
	start_where_met(&s, &h);
	syt_sort(s.ops, s.nr, sizeof(*s.ops), by_key);
	s.class = classify(&s);
	add_undone(&s);
	s.is_complete = !syt_match_complete_from(m, object);
	s.is_alone = true;
	for (uint64_t i = 1; i < s.nr; i++)
		s.is_alone &= s.ops[i].r.place.thread == s.ops[0].r.place.thread;
	if (m->objects->all[object].info->flags & SYT_OBJECT_PRESHARED) {
		for (uint64_t i = 0; i < s.nr; i++)
			if (s.ops[i].step == STEP_WAIT || s.ops[i].step == STEP_ZERO)
				syt_match_unattributed(m, SYT_REASON_PRESHARED);
	} else {
		match_all(&s, syt_match_complete_from(m, object));
	}
	syt_store_free(s.ops);
	syt_store_free(s.sums);
	syt_store_free(s.posts);
	syt_store_free(s.waits);
	syt_store_free(s.lowest);
}
