/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Writes the sentences of the report contention: its sums, and the locks and thundering herds that stand out. */
#include <inttypes.h>
#include <stdlib.h>

#include "decoder/show/coverage_print.h"
#include "base/err.h"
#include "decoder/report/contention/contention.h"
#include "decoder/show/print.h"
#include "decoder/show/wrap.h"

#define MOST_CULPRITS 3u

void syt_contention_put_lock(struct syt_out *out, const struct syt_view *v,
                             const struct syt_contention_lock *l)
{
	syt_view_put_object(v, out, l->object);
	if (l->is_inferred)
		syt_out_string(out, ", used as a lock");
}

static void put_count(struct syt_out *out, uint64_t nr, const char *one, const char *several)
{
	if (nr)
		syt_out_printf(out, " %" PRIu64 " %s.", nr, nr == 1 ? one : several);
}

void syt_contention_headline(struct syt_out *out, const struct syt_view *v)
{
	const struct syt_contention *c = v->report;
	syt_time between = c->by_kind[SYT_BLAME_HANDOVER],
		 unknown = c->by_kind[SYT_BLAME_UNSEEN] + c->by_kind[SYT_BLAME_CUT] +
	                   c->by_kind[SYT_BLAME_NOT_SAMPLED];
	struct syt_out words;

	syt_wrap_begin(&words, out);
	syt_out_printf(&words,
	               "Threads acquired %zu lock%s %" PRIu64 " times and waited for locks %" PRIu64
	               " times",
	               c->nr_locks, c->nr_locks == 1 ? "" : "s", c->nr_acquired, c->nr_waits);
	if (c->waited) {
		syt_out_string(&words, ", for ");
		syt_print_span(&words, SYT_TIME_NS(c->waited));
		syt_out_printf(
			&words,
			" in all. For %.1f %% of the waiting time, another thread held the "
			"lock; %.1f %% passed between a release and the wake-up of the waiter",
			syt_percent(c->waited - between - unknown, c->waited),
			syt_percent(between, c->waited));
		if (unknown)
			syt_out_printf(&words, "; for %.1f %%, the lock holder is unknown",
			               syt_percent(unknown, c->waited));
	}
	syt_out_char(&words, '.');
	put_count(&words, c->nr_unknown_locks, "lock has holders that the trace does not show",
	          "locks have holders that the trace does not show");
	put_count(&words, c->nr_inferred, "of the locks is a semaphore that threads used as a lock",
	          "of the locks are semaphores that threads used as locks");
	put_count(&words, c->nr_unended, "acquisition of a lock has no recorded release",
	          "acquisitions of locks have no recorded release");
	put_count(&words, c->nr_timed_out,
	          "wait for a condition variable timed out and includes the wait for its mutex",
	          "waits for a condition variable timed out and include the wait for the mutex");
	put_count(&words, c->nr_untold - c->nr_timed_out,
	          "wait for a condition variable includes the wait for its mutex, because the "
	          "signalling thread is unknown",
	          "waits for a condition variable include the wait for its mutex, because the "
	          "signalling thread is unknown");
	put_count(&words, c->nr_others, "semaphore, file lock or futex was not examined for waits",
	          "semaphores, file locks and futexes were not examined for waits");
	syt_wrap_end(&words, out, 0);
}

/* Returns the causes of waits for lock L, summed over all waiters. The caller frees the array. */
static struct syt_contention_blame *culprits(const struct syt_contention_lock *l, size_t *nr)
{
	struct syt_contention_blame *all = syt_alloc(l->nr_blames + 1, sizeof(*all));

	for (size_t i = 0; i < l->nr_blames; i++) {
		all[i] = l->blames[i];
		all[i].waiter = SYT_NONE;
	}
	*nr = syt_contention_sum_blames(all, l->nr_blames);
	return all;
}

/* Writes the cause B of waits. Names the thread of the longest part of a wait, because several threads may have
 * held the lock by the same call path. */
static void put_culprit(struct syt_out *out, const struct syt_view *v, uint32_t object,
                        const struct syt_blame *b)
{
	if (b->direct == SYT_NONE || (b->kind == SYT_BLAME_HANDOVER && !b->is_passed_on)) {
		syt_out_string(out, syt_blame_text(b->kind));
		return;
	}
	syt_out_string(out, "the lock was held since ");
	syt_view_put_call(v, out, b->direct);
	switch ((enum syt_blame_kind)b->kind) {
	case SYT_BLAME_HELD:
		if (b->is_passed_on) {
			syt_out_string(out, " by a thread that waited for ");
			syt_view_put_object(v, out, b->object);
			syt_out_string(out, ", which was held since ");
			syt_view_put_call(v, out, b->side);
		}
		syt_out_string(out, ", for the longest time by ");
		syt_view_put_thread(v, out, b->at.thread);
		syt_out_string(out, ", between its calls");
		syt_view_put_cpu_use(out, &b->cpu);
		if (v->perf && !b->is_passed_on)
			syt_view_put_held_functions(v, out, object, b->direct);
		return;
	case SYT_BLAME_CALL:
		if (b->is_passed_on) {
			syt_out_string(out, " by a thread that waited for ");
			syt_view_put_thread(v, out, b->at.thread);
			syt_out_string(out, ", which was in ");
			syt_view_put_call_on(v, out, b->side, b->at);
			return;
		}
		syt_out_string(out, ", across ");
		syt_view_put_call_on(v, out, b->side, b->at);
		syt_out_string(out, ", for the longest time by ");
		syt_view_put_thread(v, out, b->at.thread);
		return;
	case SYT_BLAME_RUNNING:
		syt_out_string(out, " by a thread that waited for ");
		syt_view_put_thread(v, out, b->at.thread);
		syt_out_string(out, ", which was between its calls");
		syt_view_put_cpu_use(out, &b->cpu);
		syt_out_string(out, " until ");
		break;
	default:
		syt_out_string(out, " by a thread that waited itself: ");
		syt_out_string(out, syt_blame_text(b->kind));
		return;
	}
	syt_view_put_call(v, out, b->side);
}

static void lock_stands_out(struct syt_out *out, const struct syt_view *v, uint64_t number,
                            const struct syt_contention_lock *l)
{
	size_t nr;
	struct syt_contention_blame *all = culprits(l, &nr);
	struct syt_out words;

	syt_wrap_begin(&words, out);
	syt_out_printf(&words, "%" PRIu64 ". ", number);
	syt_contention_put_lock(&words, v, l);
	syt_out_printf(&words, ": %u of the %u threads that use this lock waited for it ",
	               l->nr_waiters, l->nr_threads);
	syt_print_span(&words, SYT_TIME_NS(l->wait.total));
	syt_out_string(&words, " in all");
	if (l->lifetime)
		syt_out_printf(&words, ", %.1f %% of the time of these threads",
		               100.0 * (double)l->wait.total / (double)l->lifetime);
	if (syt_contention_is_convoy(l))
		syt_out_printf(&words,
		               "; this is a lock convoy: on average, %.1f threads wait "
		               "when the lock is released",
		               (double)l->nr_queued / (double)l->nr_releases);
	syt_wrap_end(&words, out, 3);
	for (size_t i = 0; i < nr && i < MOST_CULPRITS; i++) {
		const struct syt_contention_blame *b = &all[i];

		if (i && b->blame.time < l->wait.total / 20)
			break;
		syt_wrap_begin(&words, out);
		syt_out_printf(&words, "   %5.1f %%  ", syt_percent(b->blame.time, l->wait.total));
		put_culprit(&words, v, l->object, &b->blame);
		syt_wrap_end(&words, out, 12);
		if (v->has_stacks) {
			syt_view_put_stack(v, out, "waited in", b->wait);
			syt_view_put_stack(v, out, "for", b->blame.at);
		}
	}
	free(all);
}

static void herd_stands_out(struct syt_out *out, const struct syt_view *v, uint64_t number,
                            const struct syt_contention_herd *h)
{
	struct syt_out words;

	syt_wrap_begin(&words, out);
	syt_out_printf(&words, "%" PRIu64 ". ", number);
	syt_view_put_object(v, &words, h->object);
	syt_out_printf(&words, ": a thundering herd: %" PRIu64 " broadcasts by ", h->nr_broadcasts);
	syt_view_put_call(v, &words, h->side);
	syt_out_printf(&words,
	               " woke %" PRIu64 " threads, and %" PRIu64 " of them found nothing to do",
	               h->nr_woken, h->nr_in_vain);
	syt_wrap_end(&words, out, 3);
	if (v->has_stacks)
		syt_view_put_stack(v, out, NULL, h->at);
}

void syt_contention_findings(struct syt_out *out, const struct syt_view *v)
{
	const struct syt_contention *c = v->report;
	uint64_t nr = 0;

	for (size_t i = 0; i < c->nr_herds; i++) {
		if (!syt_contention_is_herd(&c->herds[i]) || !syt_view_shows(v, c->herds[i].object))
			continue;
		herd_stands_out(out, v, ++nr, &c->herds[i]);
		if (nr == v->limit)
			break;
	}
	for (size_t i = 0; i < c->nr_locks && (!v->limit || nr < v->limit); i++) {
		if (!syt_contention_stands_out(&c->locks[i], v->least_thousandths) ||
		    !syt_view_shows(v, c->locks[i].object))
			continue;
		lock_stands_out(out, v, ++nr, &c->locks[i]);
	}
	if (!nr)
		syt_out_printf(
			out,
			"No lock %sstands out: threads waited less than %u.%u %% of their time for "
			"each lock.\n",
			v->object ? "with this name " : "", v->least_thousandths / 10,
			v->least_thousandths % 10);
}
