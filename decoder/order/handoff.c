/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Infers hand-offs of items between threads through a queue that a mutex protects.
 *
 * For each mutex, the code examines each object that some of its critical sections wake (by a signal, post or
 * write) and other sections wait for. All critical sections with the same call path have the same role, put or
 * take, which depends on whether some of these sections wait or wake. The code then replays the critical sections
 * in the order in which threads took the mutex: a section with the role put adds an item to a simulated queue, and
 * a section with the role take removes the oldest item. A thread that waits has found the program's queue empty, so
 * the simulated queue must be empty at this time too. The critical sections between two such times (a stretch)
 * agree or disagree with the roles. A stretch that disagrees gives no happens-before edges.
 *
 * The code tries several numbers of stack frames per call path, from few to many. With too few frames, sections
 * that put and sections that take look alike, because both call the same wrapper of pthread_mutex_lock. With too
 * many frames, each call path is rare.
 */
#include "decoder/order/handoff.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/compare.h"
#include "base/counts.h"
#include "base/err.h"
#include "decoder/order/label.h"
#include "decoder/order/section.h"

/* Minimum evidence for a queue: the number of critical sections that agree with a simulated queue, and the share of
 * the sections that agree, in thousandths. */
#define LEAST_AGREE 4u
#define LEAST_OF_LOCK                                                                              \
	85u /* percentage of puts and takes that alternate in a thread if a queue is a lock */
#define LEAST_SHARE 750u

/* Maximum number of objects examined per mutex: the objects that its critical sections wake or wait for most
 * often. */
#define MOST_OBJECTS 16u

/* The assumed probability, in thousandths, that a program's queue is first in, first out. The value is a
 * convention, because a trace cannot show the order. In a queue with another order, each item is equally likely to
 * be taken. */
#define FIRST_IN_FIRST_OUT 800u

static const uint32_t depths[] = {1, 2, 3, 4, 6, 8, 12, 0};
#define NR_DEPTHS (sizeof(depths) / sizeof(depths[0]))

enum role { ROLE_NONE, ROLE_PUT, ROLE_TAKE, ROLE_CLOSE };

/* How many critical sections have one call path, and how many of these woke or waited for an object. */
struct path {
	uint32_t nr, nr_wakes, nr_wakes_all, nr_waits;
};

struct pair {
	uint32_t put, hold; /* the section that put the item; the holding that took it */
	uint32_t among;
};

struct inference {
	struct syt_order *o;
	struct syt_handoffs *h;
	struct syt_labels *labels[NR_DEPTHS];
	struct syt_symbols *symbols;
	bool *has_taken; /* [thread]: scratch memory, all false between uses */
	/* the following members describe the mutex that is examined now */
	uint32_t mutex;
	struct syt_sections s;
	uint32_t *labels_of[NR_DEPTHS]; /* [section]: its label's number, or NULL: not computed */
	uint32_t nr_labels_of[NR_DEPTHS];
	uint8_t *roles; /* [section]: enum role */
	struct item {
		uint32_t put, among;
	} * fifo;           /* simulated queue; room for all sections */
	struct pair *pairs; /* array with room for all critical sections */
	/* hashes of the roles of queues already reported, and of their opposite queues */
	XXH64_hash_t reported[2 * MOST_OBJECTS];
	unsigned nr_reported;
};

/* The state and result of one replay of critical sections through a simulated queue (`fifo`). */
struct replay {
	struct syt_queue q;
	size_t nr_pairs;
	uint32_t head, tail; /* begin and end of the simulated queue in `fifo` */
	size_t first_pair;   /* first put/take pair since the simulated queue was last empty */
	uint64_t nr_in_stretch;
	bool is_wrong, is_closed;
};

/* ---- roles of critical sections ---- */

/* Renumbers the NR labels of the critical sections of one mutex from 0. A label SYT_NONE stays. Returns how many
 * different labels there are. */
static uint32_t renumber(uint32_t *labels, size_t nr)
{
	struct syt_counts numbers = {0}; /* numbers from 1 */
	uint32_t nr_labels;

	for (size_t i = 0; i < nr; i++) {
		if (labels[i] == SYT_NONE)
			continue;
		uint64_t *number = syt_counts_at(&numbers, labels[i], 0);

		if (!*number)
			*number = numbers.nr;
		labels[i] = (uint32_t)*number - 1;
	}
	nr_labels = (uint32_t)numbers.nr;
	syt_counts_fini(&numbers);
	return nr_labels;
}

static const uint32_t *label_sections(struct inference *f, unsigned depth)
{
	if (!f->labels[depth])
		f->labels[depth] = syt_labels_create(&f->o->places, f->symbols, depths[depth]);
	if (f->labels_of[depth])
		return f->labels_of[depth];
	f->labels_of[depth] = syt_store_alloc(f->s.nr, sizeof(**f->labels_of));
	for (size_t i = 0; i < f->s.nr; i++)
		f->labels_of[depth][i] = f->s.all[i].end.thread == SYT_NONE
		                                 ? SYT_NONE
		                                 : syt_label_of(f->labels[depth], f->s.all[i].begin,
		                                                f->s.all[i].end);
	f->nr_labels_of[depth] = renumber(f->labels_of[depth], f->s.nr);
	return f->labels_of[depth];
}

static void count_uses(const struct inference *f, const uint32_t *labels, struct path *paths,
                       const struct syt_section_use *uses, size_t nr)
{
	for (size_t i = 0; i < f->s.nr; i++)
		if (labels[i] != SYT_NONE)
			paths[labels[i]].nr++;
	for (size_t i = 0; i < nr; i++) {
		struct path *p = &paths[labels[uses[i].section]];

		if (i && uses[i].section == uses[i - 1].section && uses[i].use == uses[i - 1].use)
			continue;
		p->nr_wakes += uses[i].use == SYT_USE_WAKE;
		p->nr_wakes_all += uses[i].use == SYT_USE_WAKE_ALL;
		p->nr_waits += uses[i].use == SYT_USE_WAIT;
	}
}

/* Returns true if the critical sections with the call path P may close the queue without putting an item in: P
 * broadcasts where other call paths signal, or P ran only once. The workers then find the queue empty and leave. */
static bool may_close(const struct path *p, bool others_wake_one, uint32_t most_of_one)
{
	return (p->nr_wakes_all && !p->nr_wakes && others_wake_one) ||
	       (p->nr == 1 && most_of_one > 1);
}

/* Changes ROLE_CLOSE to ROLE_PUT for each critical section that precedes a section with ROLE_PUT. */
static void undo_closing(struct inference *f)
{
	bool is_put_behind = false;

	for (size_t i = f->s.nr; i--;) {
		is_put_behind |= f->roles[i] == ROLE_PUT;
		if (f->roles[i] == ROLE_CLOSE && is_put_behind)
			f->roles[i] = ROLE_PUT;
	}
}

/* Assigns a role to each critical section. If some sections with a call path wait, all sections with this path have
 * ROLE_TAKE, even if some of them also wake. Returns false if no section puts, or no section takes, an item. */
static bool assign_roles(struct inference *f, unsigned depth, const struct syt_section_use *uses,
                         size_t nr)
{
	const uint32_t *labels = label_sections(f, depth);
	uint32_t nr_labels = f->nr_labels_of[depth], most_of_one = 0;
	struct path *paths = syt_calloc(nr_labels, sizeof(*paths));
	bool has_put = false, has_take = false, wakes_one = false;

	count_uses(f, labels, paths, uses, nr);
	for (uint32_t i = 0; i < nr_labels; i++) {
		const struct path *p = &paths[i];

		wakes_one |= !p->nr_waits && p->nr_wakes > 0;
		if (!p->nr_waits && (p->nr_wakes || p->nr_wakes_all) && p->nr > most_of_one)
			most_of_one = p->nr;
	}
	for (size_t i = 0; i < f->s.nr; i++) {
		const struct path *p = labels[i] == SYT_NONE ? NULL : &paths[labels[i]];

		f->roles[i] = ROLE_NONE;
		if (p && p->nr_waits)
			f->roles[i] = ROLE_TAKE;
		else if (p && (p->nr_wakes || p->nr_wakes_all))
			f->roles[i] = may_close(p, wakes_one, most_of_one) ? ROLE_CLOSE : ROLE_PUT;
		has_put |= f->roles[i] == ROLE_PUT;
		has_take |= f->roles[i] == ROLE_TAKE;
	}
	free(paths);
	undo_closing(f);
	return has_put && has_take;
}

/* Returns true if nearly every thread puts back only an item that it took before, and puts back what it took. The presumed
 * queue is then a lock, such as the global lock of an interpreter. There may be exceptions: a lock may begin locked, and call
 * paths of a certain depth do not always tell the two kinds of critical sections apart. */
static bool is_lock(const struct inference *f)
{
	uint64_t nr_put = 0, nr_taken = 0, nr_back = 0;

	for (size_t i = 0; i < f->s.nr; i++) {
		bool *mine = &f->has_taken[f->s.all[i].begin.thread];

		if (f->roles[i] == ROLE_PUT) {
			nr_put++;
			nr_back += *mine;
		}
		nr_taken += f->roles[i] == ROLE_TAKE;
		if (f->roles[i] != ROLE_NONE)
			*mine = f->roles[i] == ROLE_TAKE;
	}
	for (size_t i = 0; i < f->s.nr; i++)
		f->has_taken[f->s.all[i].begin.thread] = false;
	return nr_put - nr_back <= 1 || (100 * nr_back >= nr_put * LEAST_OF_LOCK &&
	                                 100 * nr_back >= nr_taken * LEAST_OF_LOCK);
}

/* ---- replay of critical sections ---- */

/* Ends a stretch (the critical sections between two times at which the program's queue is empty). With IS_END, the
 * trace ends here, and items that remain in the simulated queue prove nothing. */
static void end_stretch(struct replay *p, bool is_end)
{
	bool is_even = p->head == p->tail;

	if (is_even && !p->is_wrong) {
		p->q.nr_agree += p->nr_in_stretch;
	} else {
		p->q.nr_disagree += is_end && !p->is_wrong ? 0 : p->nr_in_stretch;
		p->nr_pairs = p->first_pair;
	}
	p->first_pair = p->nr_pairs;
	p->head = p->tail;
	p->nr_in_stretch = 0;
	p->is_wrong = false;
}

static void take(struct inference *f, struct replay *p, uint32_t hold)
{
	bool may_find_empty = p->is_closed || f->s.holds[hold].is_after_failed_wait;

	if (p->head == p->tail && may_find_empty)
		return;
	p->q.nr_taken++;
	p->nr_in_stretch++;
	if (p->head == p->tail) {
		p->is_wrong = true;
		return;
	}
	const struct item *oldest = &f->fifo[p->head];
	uint32_t nr = p->tail - p->head;

	f->pairs[p->nr_pairs++] =
		(struct pair){oldest->put, hold, nr > oldest->among ? nr : oldest->among};
	p->head++;
}

static struct replay replay(struct inference *f, uint32_t through, uint32_t depth)
{
	struct replay p = {.q = {.mutex = f->mutex, .through = through, .depth = depth}};
	bool is_begun = !f->o->objects.all[f->mutex].complete_from;

	for (uint32_t i = 0; i < f->s.nr_holds; i++) {
		const struct syt_hold *hold = &f->s.holds[i];
		uint8_t role = f->roles[hold->section];

		if (role == ROLE_TAKE && !hold->is_last && hold->waits_for == through) {
			if (is_begun)
				end_stretch(&p, false);
			is_begun = true;
		}
		if (!is_begun || !hold->is_last)
			continue;
		if (role == ROLE_PUT) {
			p.q.nr_put++;
			p.nr_in_stretch++;
			f->fifo[p.tail] = (struct item){hold->section, p.tail + 1 - p.head};
			p.tail++;
		} else if (role == ROLE_TAKE) {
			take(f, &p, i);
		} else if (role == ROLE_CLOSE) {
			p.is_closed = true;
		}
	}
	end_stretch(&p, true);
	p.q.is_balanced = p.q.nr_put == p.q.nr_taken;
	return p;
}

static uint64_t share(const struct syt_queue *q)
{
	return 1000 * (q->nr_agree + 1) / (q->nr_agree + q->nr_disagree + 2);
}

unsigned syt_handoff_confidence(const struct syt_queue *q, uint32_t among)
{
	return (unsigned)(share(q) * (FIRST_IN_FIRST_OUT + (1000 - FIRST_IN_FIRST_OUT) / among) /
	                  1000);
}

/* ---- all queues of the program ---- */

static void report(struct inference *f, const struct replay *p)
{
	for (size_t i = 0; i < p->nr_pairs; i++) {
		struct syt_place from = f->s.all[f->pairs[i].put].end;
		struct syt_place to = f->s.holds[f->pairs[i].hold].acquire;

		if (from.thread == to.thread) /* the thread's own order implies the edge */
			continue;
		syt_edges_add(&f->o->edges, (struct syt_edge){.from = from,
		                                              .to = to,
		                                              .bytes = SYT_HANDOFF_EVIDENCE(
								      f->h->nr, f->pairs[i].among),
		                                              .object = f->mutex,
		                                              .kind = SYT_EDGE_HANDOFF,
		                                              .class = SYT_CLASS_INFERRED});
	}
	*SYT_ADD(f->h->queues, f->h->nr, f->h->room) = p->q;
}

/* Returns true if a queue with the same roles of critical sections was already reported. Threads may wait for one
 * queue with several objects, such as one condition variable per worker. */
static bool was_reported(struct inference *f)
{
	XXH64_hash_t roles = XXH3_64bits(f->roles, f->s.nr * sizeof(*f->roles));

	for (unsigned i = 0; i < f->nr_reported; i++)
		if (f->reported[i] == roles)
			return true;
	f->reported[f->nr_reported++] = roles;
	return false;
}

/* The wakes of one object, and the waits for it, by the critical sections of one mutex. */
struct uses {
	const struct syt_section_use *first;
	size_t nr;
};

/* Swaps the roles of the critical sections that put items in, and of the sections that take items. Returns true if the
 * sections that now put are the sections that wake the object of U. */
static bool swap_roles(struct inference *f, struct uses u)
{
	uint64_t nr_put = 0, nr_wake = 0, nr_other = 0;

	for (size_t i = 0; i < f->s.nr; i++) {
		nr_put += f->roles[i] == ROLE_TAKE;
		f->roles[i] = f->roles[i] == ROLE_TAKE  ? ROLE_PUT
		              : f->roles[i] == ROLE_PUT ? ROLE_TAKE
		                                        : ROLE_NONE;
	}
	for (size_t i = 0; i < u.nr; i++) {
		if (i && u.first[i].section == u.first[i - 1].section)
			continue;
		nr_wake += f->roles[u.first[i].section] == ROLE_PUT;
		nr_other += f->roles[u.first[i].section] == ROLE_TAKE;
	}
	return !nr_other && nr_wake == nr_put;
}

/* Infers the opposite queue of the queue that was reported last, as in a buffer with limited room. Threads wait for room
 * and wake the threads that wait for items. By timing alone, no thread may ever wait for an item; then this queue is known
 * only by the wakes of the object of U. */
static void infer_opposite(struct inference *f, struct uses u, uint32_t depth)
{
	if (swap_roles(f, u) && !is_lock(f)) {
		struct replay p = replay(f, u.first->object, depth);

		if (p.q.nr_agree >= LEAST_AGREE && !p.q.nr_disagree && !was_reported(f))
			report(f, &p);
	}
	swap_roles(f, u); /* back */
}

/* Returns true if no critical section waits for the object of U. */
static bool is_only_woken(struct uses u)
{
	for (size_t i = 0; i < u.nr; i++)
		if (u.first[i].use == SYT_USE_WAIT)
			return false;
	return true;
}

/* Returns the uses of the next object after the first I uses, and adds their number to I. */
static struct uses next_object(const struct inference *f, size_t *i)
{
	struct uses u = {f->s.uses + *i, 0};

	while (*i < f->s.nr_uses && f->s.uses[*i].object == u.first->object)
		u.nr++, ++*i;
	return u;
}

static void infer_queue(struct inference *f, struct uses u)
{
	struct replay best = {0};
	bool was_lock = false;

	for (unsigned d = 0; d < NR_DEPTHS; d++) {
		if (!assign_roles(f, d, u.first, u.nr))
			continue;
		if (is_lock(f)) {
			was_lock = true;
			continue;
		}
		struct replay p = replay(f, u.first->object, depths[d]);

		if (p.q.nr_agree > best.q.nr_agree && share(&p.q) >= LEAST_SHARE)
			best = p;
		if (best.q.nr_agree && best.q.nr_agree == best.q.nr_put + best.q.nr_taken)
			break; /* all sections agree with the simulated queue: the best result */
	}
	if (best.q.nr_agree < LEAST_AGREE) {
		if (was_lock)
			*SYT_ADD(f->h->locks, f->h->nr_locks, f->h->room_locks) = f->mutex;
		return;
	}
	for (unsigned d = 0; d < NR_DEPTHS; d++)
		if (depths[d] == best.q.depth && assign_roles(f, d, u.first, u.nr))
			best = replay(f, u.first->object, depths[d]);
	if (was_reported(f))
		return;
	report(f, &best);
	for (size_t i = 0, nr = 0; i < f->s.nr_uses && nr < MOST_OBJECTS;) {
		struct uses other = next_object(f, &i);

		if (!is_only_woken(other))
			continue;
		infer_opposite(f, other, best.q.depth);
		nr++;
	}
}

static int most_first(const void *a_, const void *b_)
{
	const struct uses *a = a_, *b = b_;

	SYT_ORDER(b->nr, a->nr);
	SYT_ORDER_BY(first);
	return 0;
}

/* Returns true if some critical section wakes the object and some critical section waits for it. */
static bool may_be_queue(struct uses u)
{
	bool wakes = false;

	for (size_t i = 0; i < u.nr && !wakes; i++)
		wakes = u.first[i].use != SYT_USE_WAIT;
	return wakes && !is_only_woken(u);
}

static void infer_mutex(struct inference *f)
{
	struct uses *all = NULL;
	size_t nr = 0, room = 0;

	for (size_t i = 0; i < f->s.nr_uses;) {
		struct uses u = next_object(f, &i);

		if (!may_be_queue(u))
			continue;
		*SYT_ADD(all, nr, room) = u;
	}
	if (!nr)
		return;
	qsort(all, nr, sizeof(*all), most_first);
	f->roles = syt_store_alloc(f->s.nr, sizeof(*f->roles));
	f->fifo = syt_store_alloc(f->s.nr, sizeof(*f->fifo));
	f->pairs = syt_store_alloc(f->s.nr, sizeof(*f->pairs));
	f->nr_reported = 0;
	for (size_t i = 0; i < nr && i < MOST_OBJECTS; i++)
		infer_queue(f, all[i]);
	free(all);
	syt_store_free(f->roles);
	syt_store_free(f->fifo);
	syt_store_free(f->pairs);
	for (unsigned d = 0; d < NR_DEPTHS; d++) {
		syt_store_free(f->labels_of[d]);
		f->labels_of[d] = NULL;
	}
}

void syt_handoffs_infer(struct syt_order *o, struct syt_symbols *symbols)
{
	struct inference f = {.o = o, .h = &o->handoffs, .symbols = symbols};

	/* the queue of a mutex shows itself by the critical sections between two waits: no section may be missing */
	if (syt_trace_is_sampled(o->places.trace))
		return;
	f.has_taken = syt_calloc(o->places.nr_threads, sizeof(*f.has_taken));
	for (uint32_t i = 0; i < o->objects.nr; i++) {
		if (syt_object_kind(&o->objects, i) != SYT_KIND_MUTEX ||
		    o->objects.all[i].info->flags & SYT_OBJECT_PRESHARED)
			continue;
		f.mutex = i;
		if (syt_sections_open(&f.s, o, i))
			infer_mutex(&f);
		syt_sections_close(&f.s);
	}
	for (unsigned d = 0; d < NR_DEPTHS; d++)
		if (f.labels[d])
			syt_labels_destroy(f.labels[d]);
	free(f.has_taken);
	syt_edges_sort(&o->edges);
}
