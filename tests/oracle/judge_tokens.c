/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Checks by counting, for objects whose tokens have no names.
 *
 * Semaphores with any number of users: the n-th wait takes the n-th token. The number n of a wait is
 * known if no other wait and no other post overlaps it.
 *
 * Condition variables: a wait was woken by a signal or broadcast that was running during the wait. If
 * both calls were made under the mutex, the signal lies in a critical section between the two sections
 * of the waiter.
 *
 * Futexes with one waiter: the n-th wait that was woken was woken by the n-th wake that woke a thread.
 */
#include <stdio.h>
#include <stdlib.h>

#include "tests/oracle/judge.h"

struct uses {
	size_t nr;
	const struct log_entry *all[LOG_SLOTS * LOG_ENTRIES];
};

/* quits are waits for condition variables that ended without a wake-up */
static struct uses posts, waits, quits;

/* Returns the process to which a private object belongs; 0: all processes share it. */
static uint32_t owner(const struct judge *j, const struct log_entry *e)
{
	return j->log->objects[e->object - 1].is_private ? j->log->slots[judge_slot(j, e)].pid : 0;
}

static bool is_same(const struct judge *j, const struct log_entry *a, const struct log_entry *b)
{
	return a->object == b->object && owner(j, a) == owner(j, b);
}

static bool is_post(const struct log_entry *e)
{
	return e->call == LOG_sem_post || e->call == LOG_pthread_cond_signal ||
	       e->call == LOG_pthread_cond_broadcast;
}

static bool is_take(const struct log_entry *e)
{
	return e->call == LOG_sem_trywait || e->call == LOG_sem_timedwait ||
	       e->call == LOG_pthread_cond_timedwait || e->call == LOG_pthread_cond_wait;
}

/*
 * A wait that timed out or was cancelled may have been woken before; then libc woke another thread
 * in its place.
 */
static bool has_quit(const struct log_entry *e)
{
	return e->call == LOG_cond_cancelled ||
	       (e->call == LOG_pthread_cond_timedwait && (e->state == 1 || e->result));
}

static void collect(struct judge *j)
{
	posts.nr = waits.nr = quits.nr = 0;
	for (uint32_t slot = 0; slot < LOG_SLOTS; slot++) {
		const struct log_slot *s = &j->log->slots[slot];

		for (uint32_t n = 0; n < s->nr && n < LOG_ENTRIES; n++) {
			const struct log_entry *e = &s->entries[n];

			if (e->state && is_post(e) && (e->state == 1 || !e->result))
				posts.all[posts.nr++] = e;
			if (e->state && is_take(e) && (e->state == 1 || !e->result))
				waits.all[waits.nr++] = e;
			if (e->state && has_quit(e))
				quits.all[quits.nr++] = e;
		}
	}
}

/* Return the earliest and the latest time at which the call E took effect. The clock of the program is
 * the most exact time. For a call that did not wait, the trace contains only one instant and the
 * neighbouring events of the thread (IS_LOOSE). */
static uint64_t from_of(const struct judge *j, const struct log_entry *e, bool is_loose)
{
	const struct syt_place *at = judge_place(j, judge_slot(j, e), judge_seq(j, e));

	if (!is_loose || is_post(e))
		return e->begin_ns;
	return at && at->row ? SYT_TIME_NS(syt_thread_row(j->order->places.threads[at->thread],
	                                                  at->row - 1)
	                                           ->in)
	                     : 0;
}

static uint64_t to_of(const struct judge *j, const struct log_entry *e, bool is_loose)
{
	const struct syt_place *at = judge_place(j, judge_slot(j, e), judge_seq(j, e));
	const struct syt_thread *t = at ? j->order->places.threads[at->thread] : NULL;

	if (!is_loose || !is_post(e))
		return e->state == 2 ? e->end_ns : UINT64_MAX;
	return t && at->row + 1 < t->nr_rows ? SYT_TIME_NS(syt_thread_row(t, at->row + 1)->out)
	                                     : UINT64_MAX;
}

/* Counts the calls on E's object that certainly, and that possibly, took effect before E. */
static void count_before(const struct judge *j, const struct uses *u, const struct log_entry *e,
                         bool is_loose, uint64_t *surely, uint64_t *possibly)
{
	uint64_t from = from_of(j, e, is_loose), to = to_of(j, e, is_loose);

	*surely = *possibly = 0;
	for (size_t n = 0; n < u->nr; n++) {
		const struct log_entry *other = u->all[n];

		if (other == e || !is_same(j, other, e))
			continue;
		*surely += to_of(j, other, is_loose) < from;
		*possibly += from_of(j, other, is_loose) <= to;
	}
}

/* Returns the number, counted from 0, of the token that E takes or gives; UINT64_MAX: unknown. */
static uint64_t rank_of(const struct judge *j, const struct log_entry *e, bool is_loose)
{
	uint64_t surely, possibly;

	count_before(j, is_post(e) ? &posts : &waits, e, is_loose, &surely, &possibly);
	return surely == possibly ? surely : UINT64_MAX;
}

static void check_token(struct judge *j, const struct log_entry *post, const struct log_entry *wait,
                        uint64_t initial)
{
	const struct syt_place *from = judge_place(j, judge_slot(j, post), judge_seq(j, post));
	const struct syt_place *to = judge_place(j, judge_slot(j, wait), judge_seq(j, wait));
	uint64_t rank = rank_of(j, wait, true);
	bool is_sure = rank != UINT64_MAX && rank_of(j, post, true) + initial == rank;
	uint64_t least, most;
	struct syt_chain chain;

	if (!from || !to || from->thread == to->thread)
		return;
	count_before(j, &waits, wait, true, &least, &most);
	if (!is_sure && least < initial) {
		j->nr_perhaps++; /* a token that no thread has given */
		return;
	}
	j->nr_pairs++;
	j->nr_named++;
	if (!syt_reach_find(&j->reach, *from, *to,
	                    SYT_REACH_RUN_AFTER | (is_sure ? 0 : SYT_REACH_POSSIBLE), &chain))
		judge_miss(j, "gave the token, but the decoder does not order it before", post,
		           wait, "");
	syt_chain_close(&chain);
}

/* Checks that the N-th token comes from the N-th post, after the INITIAL tokens of the semaphore. */
static void check_sem(struct judge *j, const struct log_entry *wait)
{
	uint64_t initial = j->log->objects[wait->object - 1].initial, begun = 0, surely, possibly;

	if (wait->state != 2)
		return;
	count_before(j, &waits, wait, false, &surely, &possibly);
	for (size_t n = 0; n < posts.nr; n++)
		begun += is_same(j, posts.all[n], wait) && posts.all[n]->begin_ns <= wait->end_ns;
	if (initial + begun <= surely)
		judge_fail(j, "took a token that is not in the log", wait, NULL, "");
	if (surely != possibly || surely < initial)
		return;
	for (size_t n = 0; n < posts.nr; n++)
		if (is_same(j, posts.all[n], wait) &&
		    rank_of(j, posts.all[n], false) == surely - initial)
			check_token(j, posts.all[n], wait, initial);
}

static bool finds_waiting(const struct judge *j, const struct log_entry *signal,
                          const struct log_entry *wait)
{
	if (!is_same(j, signal, wait) || signal->begin_ns > wait->end_ns ||
	    (signal->state == 2 && signal->end_ns < wait->begin_ns))
		return false;
	return !signal->serial || !signal->mate ||
	       (signal->serial > wait->serial && signal->serial < wait->serial_after);
}

static bool may_wake(const struct judge *j, const struct log_entry *signal,
                     const struct log_entry *wait)
{
	syt_time from = wait->begin_ns;
	bool is_further = true;

	if (finds_waiting(j, signal, wait))
		return true;
	if (!is_same(j, signal, wait) || signal->begin_ns > wait->end_ns)
		return false;
	while (is_further) {
		is_further = false;
		for (size_t n = 0; n < quits.nr; n++) {
			const struct log_entry *by = quits.all[n];

			if (!is_same(j, by, wait) || (by->state == 2 && by->end_ns < from) ||
			    by->begin_ns >= from)
				continue;
			if (finds_waiting(j, signal, by))
				return true;
			from = by->begin_ns;
			is_further = true;
		}
	}
	return false;
}

static void check_cond(struct judge *j, const struct log_entry *wait)
{
	const struct syt_place *to = judge_place(j, judge_slot(j, wait), judge_seq(j, wait));
	const struct log_entry *only = NULL;
	unsigned nr_possible = 0, nr_edges = 0, nr_true = 0;
	bool is_certain = true, has_only = false, may_be_own = false;

	if (!to || wait->state != 2)
		return;
	for (size_t n = 0; n < posts.nr; n++) {
		if (may_wake(j, posts.all[n], wait)) {
			may_be_own |= judge_slot(j, posts.all[n]) == judge_slot(j, wait);
			nr_possible++;
			only = posts.all[n];
		}
	}
	for (uint64_t n = 0; n < j->order->edges.nr; n++) {
		const struct syt_edge *edge = &j->order->edges.all[n];
		const struct log_entry *from;

		if (edge->kind != SYT_EDGE_COND || syt_place_compare(edge->to, *to))
			continue;
		nr_edges++;
		is_certain &= !(edge->flags & SYT_EDGE_AMBIGUOUS);
		from = judge_at(j, edge->from);
		nr_true += !from ? j->mode != JUDGE_WHOLE : may_wake(j, from, wait);
		has_only |= from && from == only;
		if (is_certain && from && !may_wake(j, from, wait))
			judge_fail(j, "cannot have woken", from, wait, "cond");
	}
	j->nr_named += nr_edges > 0;
	if (nr_edges && !nr_true)
		judge_fail(j, "no source of the ambiguous set is possible", NULL, wait, "cond");
	if (may_be_own)
		return; /* another waiter timed out and passed the token back to this waiter */
	if (nr_possible == 1 && !has_only &&
	    judge_place(j, judge_slot(j, only), judge_seq(j, only)))
		judge_miss(j, "is the only one that can have woken", only, wait, "cond");
	if (nr_possible && !nr_edges)
		judge_miss(j, "was woken by an unknown call", wait, NULL, "cond");
}

/*
 * Returns the N-th call of this kind on the object that returned at least LEAST; NULL: there are
 * fewer. All calls on a channel are made by one thread.
 */
static const struct log_entry *nth(const struct judge *j, enum log_call call, uint16_t object,
                                   int64_t least, uint64_t n)
{
	for (uint32_t slot = 0; slot < LOG_SLOTS; slot++) {
		const struct log_slot *s = &j->log->slots[slot];

		for (uint32_t k = 0; k < s->nr && k < LOG_ENTRIES; k++) {
			const struct log_entry *e = &s->entries[k];

			if (e->state == 2 && e->call == call && e->object == object &&
			    e->result >= least && !n--)
				return e;
		}
	}
	return NULL;
}

static void check_futex(struct judge *j, uint16_t object)
{
	const struct log_entry *wait, *wake;

	for (uint64_t n = 0; (wait = nth(j, LOG_futex_wait, object, 0, n)); n++) {
		const struct syt_place *from, *to;
		bool is_told = false, is_false = false;

		wake = nth(j, LOG_futex_wake, object, 1, n);
		to = judge_place(j, judge_slot(j, wait), judge_seq(j, wait));
		from = wake ? judge_place(j, judge_slot(j, wake), judge_seq(j, wake)) : NULL;
		for (uint64_t k = 0; k < j->order->edges.nr && to; k++) {
			const struct syt_edge *e = &j->order->edges.all[k];
			bool is_it = from && !syt_place_compare(e->from, *from);

			if (e->kind != SYT_EDGE_FUTEX || syt_place_compare(e->to, *to))
				continue;
			is_told |= is_it;
			is_false |= !is_it && !(e->flags & SYT_EDGE_AMBIGUOUS);
		}
		j->nr_named++;
		if (is_false && (from || j->mode == JUDGE_WHOLE))
			judge_fail(j, "has an edge, but did not wake", wake, wait, "futex");
		if (!is_told && from && to)
			judge_miss(j, "woke the wait, but the decoder does not order it before",
			           wake, wait, "futex");
	}
}

void judge_tokens(struct judge *j)
{
	collect(j);
	for (uint16_t object = 1; object <= j->log->nr_objects; object++)
		check_futex(j, object);
	for (size_t n = 0; n < waits.nr; n++) {
		const struct log_entry *e = waits.all[n];

		if (j->log->objects[e->object - 1].kind == LOG_IS_SEM)
			check_sem(j, e);
		else if (e->call == LOG_pthread_cond_timedwait || e->call == LOG_pthread_cond_wait)
			check_cond(j, e);
	}
}
