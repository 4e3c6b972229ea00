/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The sentences of the report contention: what is known, and what stands out. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/base/compare.h"
#include "decoder/show/coverage_print.h"
#include "decoder/base/err.h"
#include "decoder/report/contention/view.h"
#include "decoder/show/print.h"

#define MOST_CULPRITS 3u

void syt_contention_put_lock(struct syt_out *out, const struct syt_view *v,
                             const struct syt_contention_lock *l)
{
	syt_view_put_object(v, out, l->object);
	if (l->is_inferred)
		syt_out_string(out, ", used as a lock");
}

/* ---- what is known and what is not ---- */

void syt_contention_headline(struct syt_out *out, const struct syt_view *v)
{
	const struct syt_contention *c = v->report;
	syt_time nobody = c->by_kind[SYT_BLAME_HANDOVER],
		 unknown = c->by_kind[SYT_BLAME_UNSEEN] + c->by_kind[SYT_BLAME_CUT];

	syt_out_printf(out, "Locks: %zu, %" PRIu64 " acquisitions, %" PRIu64 " waits", c->nr_locks,
	               c->nr_acquired, c->nr_waits);
	if (c->waited) {
		syt_out_string(out, " of ");
		syt_print_span(out, SYT_TIME_NS(c->waited));
		syt_out_printf(
			out,
			" in all: %.1f %% charged to holders, %.1f %% to the way from a release to "
			"the next holder, %.1f %% not known",
			syt_percent(c->waited - nobody - unknown, c->waited),
			syt_percent(nobody, c->waited), syt_percent(unknown, c->waited));
	}
	if (c->nr_unknown_locks)
		syt_out_printf(out, "; %" PRIu64 " locks of unknown holders", c->nr_unknown_locks);
	if (c->nr_inferred)
		syt_out_printf(out, "; %" PRIu64 " semaphores that were used as locks among them",
		               c->nr_inferred);
	if (c->nr_unended)
		syt_out_printf(out, "; %" PRIu64 " holdings without an end", c->nr_unended);
	if (c->nr_untold)
		syt_out_printf(out,
		               "; %" PRIu64
		               " waits for a condition not told apart from the wait for its mutex",
		               c->nr_untold);
	if (c->nr_others)
		syt_out_printf(out,
		               "; %" PRIu64 " semaphores, files' locks and futexes not looked at",
		               c->nr_others);
	syt_out_char(out, '\n');
}

/* ---- what stands out ---- */

static int same_culprit(const void *a_, const void *b_)
{
	const struct syt_contention_blame *a = a_, *b = b_;

	SYT_ORDER_BY(blame.kind);
	SYT_ORDER_BY(blame.side);
	SYT_ORDER_BY(blame.direct);
	SYT_ORDER_BY(blame.object);
	SYT_ORDER_BY(blame.is_passed_on);
	SYT_ORDER(b->largest, a->largest);
	return syt_place_compare(a->wait, b->wait);
}

static int longest_first(const void *a_, const void *b_)
{
	const struct syt_contention_blame *a = a_, *b = b_;

	SYT_ORDER(b->blame.time, a->blame.time);
	return same_culprit(a, b);
}

/* The lock's blames without who waited; of a culprit `wait` is the one that it cost most. */
static struct syt_contention_blame *culprits(const struct syt_contention_lock *l, size_t *nr)
{
	struct syt_contention_blame *all = syt_alloc(l->nr_blames + 1, sizeof(*all));

	*nr = 0;
	if (!l->nr_blames)
		return all;
	memcpy(all, l->blames, l->nr_blames * sizeof(*all));
	qsort(all, l->nr_blames, sizeof(*all), same_culprit);
	for (size_t i = 0; i < l->nr_blames; i++) {
		struct syt_contention_blame *last = *nr ? &all[*nr - 1] : NULL;
		const struct syt_blame *b = &all[i].blame;

		if (last && last->blame.kind == b->kind && last->blame.side == b->side &&
		    last->blame.direct == b->direct && last->blame.object == b->object &&
		    last->blame.is_passed_on == b->is_passed_on) {
			last->blame.time += b->time;
			last->nr_waits += all[i].nr_waits;
		} else {
			all[(*nr)++] = all[i];
		}
	}
	qsort(all, *nr, sizeof(*all), longest_first);
	return all;
}

static void put_culprit(struct syt_out *out, const struct syt_view *v, const struct syt_blame *b)
{
	if (b->direct == SYT_NONE || (b->kind == SYT_BLAME_HANDOVER && !b->is_passed_on)) {
		syt_out_string(out, syt_blame_text((enum syt_blame_kind)b->kind));
		return;
	}
	syt_out_string(out, "held since ");
	syt_view_put_path(v, out, b->direct);
	switch ((enum syt_blame_kind)b->kind) {
	case SYT_BLAME_HELD:
		if (!b->is_passed_on)
			return;
		syt_out_string(out, ", by one who waited for ");
		syt_view_put_object(v, out, b->object);
		syt_out_string(out, ", held since ");
		break;
	case SYT_BLAME_CALL:
		syt_out_string(out, b->is_passed_on ? ", by one who waited for a thread in "
		                                    : ", by one who was in ");
		break;
	case SYT_BLAME_RUNNING:
		syt_out_string(out, ", by one who waited for what came from ");
		break;
	default:
		syt_out_string(out, ", by one who waited; ");
		syt_out_string(out, syt_blame_text((enum syt_blame_kind)b->kind));
		return;
	}
	syt_view_put_path(v, out, b->side);
}

static void put_stacks(struct syt_out *out, const struct syt_view *v,
                       const struct syt_contention_blame *b)
{
	const struct syt_places *p = &v->order->places;

	syt_out_string(out, "       waited in\n");
	syt_print_stack(out, v->symbols, syt_place_image(p, b->wait),
	                syt_place_row(p, b->wait)->stack, "         ");
	if (b->blame.at.thread == SYT_NONE)
		return;
	syt_out_string(out, "       for\n");
	syt_print_stack(out, v->symbols, syt_place_image(p, b->blame.at),
	                syt_place_row(p, b->blame.at)->stack, "         ");
}

static void lock_stands_out(struct syt_out *out, const struct syt_view *v,
                            const struct syt_contention_lock *l)
{
	size_t nr;
	struct syt_contention_blame *all = culprits(l, &nr);

	syt_contention_put_lock(out, v, l);
	syt_out_printf(out, ": %u of %u threads waited ", l->nr_waiters, l->nr_threads);
	syt_print_span(out, SYT_TIME_NS(l->wait.total));
	if (l->lifetime)
		syt_out_printf(out, ", %.1f %% of their time",
		               100.0 * (double)l->wait.total / (double)l->lifetime);
	if (syt_contention_is_convoy(l))
		syt_out_printf(out, "; a convoy: %.1f threads wait at each release",
		               (double)l->nr_queued / (double)l->nr_releases);
	syt_out_char(out, '\n');
	for (size_t i = 0; i < nr && i < MOST_CULPRITS; i++) {
		const struct syt_contention_blame *b = &all[i];

		if (i && b->blame.time < l->wait.total / 20)
			break;
		syt_out_printf(out, "   %5.1f %%  ", syt_percent(b->blame.time, l->wait.total));
		put_culprit(out, v, &b->blame);
		syt_out_char(out, '\n');
		if (v->has_stacks)
			put_stacks(out, v, b);
	}
	free(all);
}

static void herd_stands_out(struct syt_out *out, const struct syt_view *v,
                            const struct syt_contention_herd *h)
{
	const struct syt_places *p = &v->order->places;

	syt_view_put_object(v, out, h->object);
	syt_out_printf(out,
	               ": a thundering herd: %" PRIu64 " broadcasts woke %" PRIu64
	               " threads, %" PRIu64 " of them in vain\n            woken by ",
	               h->nr_broadcasts, h->nr_woken, h->nr_in_vain);
	syt_view_put_path(v, out, h->side);
	syt_out_char(out, '\n');
	if (v->has_stacks)
		syt_print_stack(out, v->symbols, syt_place_image(p, h->at),
		                syt_place_row(p, h->at)->stack, "         ");
}

void syt_contention_findings(struct syt_out *out, const struct syt_view *v)
{
	const struct syt_contention *c = v->report;
	uint64_t nr = 0;

	for (size_t i = 0; i < c->nr_herds; i++) {
		if (!syt_contention_is_herd(&c->herds[i]) || !syt_view_shows(v, c->herds[i].object))
			continue;
		syt_out_color(out, SYT_COLOR_BOLD);
		syt_out_printf(out, "%" PRIu64 ". ", ++nr);
		syt_out_color(out, SYT_COLOR_NONE);
		herd_stands_out(out, v, &c->herds[i]);
		if (nr == v->limit)
			break;
	}
	for (size_t i = 0; i < c->nr_locks && (!v->limit || nr < v->limit); i++) {
		if (!syt_contention_stands_out(&c->locks[i], v->least_thousandths) ||
		    !syt_view_shows(v, c->locks[i].object))
			continue;
		syt_out_color(out, SYT_COLOR_BOLD);
		syt_out_printf(out, "%" PRIu64 ". ", ++nr);
		syt_out_color(out, SYT_COLOR_NONE);
		lock_stands_out(out, v, &c->locks[i]);
	}
	if (!nr)
		syt_out_printf(
			out,
			"Nothing stands out: no lock cost the threads that use it %u.%u %% of "
			"their time.\n",
			v->least_thousandths / 10, v->least_thousandths % 10);
}
