/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Checks that no edge contradicts the program's knowledge. A happens-before edge must not run backwards
 * on the program's own clock, nor from a later critical section of a lock to an earlier one, nor from
 * another call than the sender named in the received words. Of a set of ambiguous edges (alternatives),
 * one must be true. Conversely, each source known by name must have its edge.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/oracle/judge.h"

/* LOG_NR_WHYS: no reason names a source of an edge of this kind. */
static bool is_why(enum syt_edge_kind kind, enum log_why why)
{
	switch (kind) {
	case SYT_EDGE_STREAM:
	case SYT_EDGE_DATAGRAM:
	case SYT_EDGE_QUEUE:
	case SYT_EDGE_SEM:
	case SYT_EDGE_SIGNAL:
		return why == LOG_BY_BYTES || why == LOG_BY_TOKEN;
	case SYT_EDGE_READY:
		return why == LOG_BY_READY;
	case SYT_EDGE_CONNECT:
		return why == LOG_BY_CONNECT;
	case SYT_EDGE_ONCE:
		return why == LOG_BY_ONCE;
	default:
		return false;
	}
}

static bool names_sources(const struct log_entry *e, enum syt_edge_kind kind)
{
	if (!(e->flags & LOG_EXACT))
		return false;
	for (unsigned n = 0; n < e->nr_sources; n++)
		if (is_why(kind, (enum log_why)e->sources[n].why))
			return true;
	return false;
}

static bool has_source(const struct judge *j, const struct log_entry *e, enum syt_edge_kind kind,
                       const struct log_entry *from)
{
	for (unsigned n = 0; n < e->nr_sources; n++) {
		const struct log_source *s = &e->sources[n];

		if (is_why(kind, (enum log_why)s->why) && judge_entry(j, s->slot, s->seq) == from)
			return true;
	}
	return false;
}

static bool is_reader(const struct log_entry *e)
{
	return e->call == LOG_pthread_rwlock_rdlock || e->call == LOG_pthread_rwlock_tryrdlock;
}

static bool is_wait(const struct log_entry *e)
{
	return e->call == LOG_pthread_cond_wait || e->call == LOG_pthread_cond_timedwait ||
	       e->call == LOG_cond_cancelled;
}

/* Checks a lock's edges: the critical sections are numbered in their true order. */
static void check_sections(struct judge *j, const struct syt_edge *edge,
                           const struct log_entry *from, const struct log_entry *to)
{
	uint64_t begun = is_wait(to) ? to->serial_after : to->serial;

	if (edge->kind != SYT_EDGE_MUTEX && edge->kind != SYT_EDGE_SPIN &&
	    edge->kind != SYT_EDGE_RWLOCK && edge->kind != SYT_EDGE_FILELOCK)
		return;
	if (!from->serial || !begun)
		return;
	j->nr_named++;
	if (is_reader(to) ? from->serial > begun : from->serial >= begun)
		judge_fail(j, "has a false edge from its critical section to", from, to,
		           syt_edge_kind_text((enum syt_edge_kind)edge->kind));
}

static void check_edge(struct judge *j, const struct syt_edge *edge)
{
	const struct log_entry *from = judge_at(j, edge->from), *to = judge_at(j, edge->to);
	const char *kind = syt_edge_kind_text((enum syt_edge_kind)edge->kind);

	if (!to)
		return;
	j->nr_edges++;
	if (from && to->state == 2 && from->begin_ns > to->end_ns)
		judge_fail(j, "began when the other had ended", from, to, kind);
	if (from)
		check_sections(j, edge, from, to);
	if (edge->flags & SYT_EDGE_AMBIGUOUS || !names_sources(to, edge->kind))
		return;
	j->nr_named++;
	/* an event without a log entry cannot be a source that the log names; in lossy mode this is not
	 * certain */
	if (!from && j->mode == JUDGE_LOSSY)
		return;
	if (!from || !has_source(j, to, edge->kind, from))
		judge_fail(j, "has a false edge to", from, to, kind);
}

/* Checks the ambiguous edges of one kind into one event: one must be true. */
static void check_group(struct judge *j, const struct syt_edge *edges, uint64_t nr)
{
	const struct log_entry *to = judge_at(j, edges[0].to);
	bool is_true = false;

	if (!to || !names_sources(to, edges[0].kind))
		return;
	for (uint64_t n = 0; n < nr; n++) {
		const struct log_entry *from = judge_at(j, edges[n].from);

		is_true |= from ? has_source(j, to, edges[n].kind, from) : j->mode == JUDGE_LOSSY;
	}
	j->nr_named++;
	if (!is_true)
		judge_fail(j, "the true source is not in the ambiguous set", NULL, to,
		           syt_edge_kind_text((enum syt_edge_kind)edges[0].kind));
}

static int by_target(const void *a, const void *b)
{
	const struct syt_edge *x = a, *y = b;
	int order = syt_place_compare(x->to, y->to);

	if (order)
		return order;
	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	return syt_place_compare(x->from, y->from);
}

/* Checks that all threads that meet in a round have the same number for it. */
static void check_rounds(struct judge *j, const struct syt_edge *all, uint64_t nr)
{
	uint64_t *serial = calloc(j->order->edges.nr_rounds + 1, sizeof(*serial));

	for (uint64_t n = 0; n < nr; n++) {
		bool is_arrival = all[n].to.thread == SYT_NONE;
		struct syt_place round = is_arrival ? all[n].to : all[n].from;
		const struct log_entry *e = judge_at(j, is_arrival ? all[n].from : all[n].to);

		if (round.thread != SYT_NONE || !e)
			continue;
		j->nr_named++;
		if (serial[round.row] && serial[round.row] != e->serial)
			judge_fail(j, "is in the round of other threads", e, NULL, "barrier");
		serial[round.row] = e->serial;
	}
	free(serial);
}

/* Checks that each named source has a happens-before edge of the kind. */
static void check_named(struct judge *j, const struct syt_edge *all, uint64_t nr,
                        const struct log_entry *e, struct syt_place at)
{
	struct syt_edge key = {.to = at};
	uint64_t low = 0, high = nr;

	while (low < high) {
		uint64_t mid = low + (high - low) / 2;

		if (syt_place_compare(all[mid].to, key.to) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	for (unsigned n = 0; n < e->nr_sources; n++) {
		const struct log_source *s = &e->sources[n];
		const struct syt_place *from = judge_place(j, s->slot, s->seq);
		bool is_found = false, is_named = false;

		for (unsigned kind = 0; kind < SYT_NR_EDGE_KINDS; kind++)
			is_named |= is_why((enum syt_edge_kind)kind, (enum log_why)s->why);
		if (!is_named || !from || from->thread == at.thread || s->sureness == LOG_HIDDEN)
			continue;
		for (uint64_t k = low; k < nr && !syt_place_compare(all[k].to, at); k++)
			is_found |= is_why((enum syt_edge_kind)all[k].kind, (enum log_why)s->why) &&
			            !syt_place_compare(all[k].from, *from);
		if (!is_found)
			judge_miss(j, "has no edge to", judge_entry(j, s->slot, s->seq), e, "");
	}
}

void judge_edges(struct judge *j)
{
	uint64_t nr = j->order->edges.nr;
	struct syt_edge *all = malloc((nr + 1) * sizeof(*all));

	memcpy(all, j->order->edges.all, nr * sizeof(*all));
	qsort(all, nr, sizeof(*all), by_target);
	for (uint64_t n = 0; n < nr; n++)
		check_edge(j, &all[n]);
	for (uint64_t n = 0, end; n < nr; n = end) {
		for (end = n; end < nr && all[end].kind == all[n].kind &&
		              !syt_place_compare(all[end].to, all[n].to);
		     end++)
			;
		if (all[n].flags & SYT_EDGE_AMBIGUOUS)
			check_group(j, &all[n], end - n);
	}
	check_rounds(j, all, nr);
	for (uint32_t slot = 0; slot < LOG_SLOTS; slot++)
		for (uint32_t seq = 1; seq <= j->log->slots[slot].nr; seq++) {
			const struct syt_place *at = judge_place(j, slot, seq);

			if (at)
				check_named(j, all, nr, judge_entry(j, slot, seq), *at);
		}
	free(all);
}
