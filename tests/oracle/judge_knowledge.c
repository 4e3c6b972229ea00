/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Checks that the closure of the decoder's edges contains every pair that the program knows to be
 * ordered. The pair must be certain if no other thread used the object that carried the knowledge, else
 * at least possible.
 *
 * For each call, the log has the latest call of each other thread that happened before it. The earlier
 * calls of that other thread also happened before, by the order within the thread.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/oracle/judge.h"

static const unsigned certain = SYT_REACH_RUN_AFTER;
static const unsigned possible = SYT_REACH_RUN_AFTER | SYT_REACH_POSSIBLE;

/* Computes the vector clock at the end of call E from E's log entry and its sources. */
static void after(const struct judge *j, const struct log_entry *e, bool is_sure, uint32_t *known)
{
	memcpy(known, is_sure ? e->knows : e->may_know, sizeof(e->knows));
	for (unsigned n = 0; n < e->nr_sources; n++) {
		const struct log_source *s = &e->sources[n];
		const struct log_entry *from = judge_entry(j, s->slot, s->seq);

		if (!from || s->sureness > (is_sure ? LOG_SURE : LOG_SHARED))
			continue;
		for (unsigned k = 0; k < LOG_SLOTS; k++) {
			uint32_t theirs = is_sure ? from->knows[k] : from->may_know[k];

			known[k] = theirs > known[k] ? theirs : known[k];
		}
		known[s->slot] = s->seq > known[s->slot] ? s->seq : known[s->slot];
	}
}

struct pair {
	const struct log_entry *from, *to;
	bool is_sure;
};

struct pairs {
	size_t nr, room;
	struct pair *all;
};

static void add(struct pairs *p, struct pair one)
{
	if (p->nr == p->room) {
		p->room = p->room ? 2 * p->room : 1024;
		p->all = realloc(p->all, p->room * sizeof(*p->all));
	}
	p->all[p->nr++] = one;
}

static void add_known(const struct judge *j, struct pairs *p, const struct log_entry *e,
                      uint32_t slot)
{
	uint32_t known[LOG_SLOTS], may_be_known[LOG_SLOTS];

	after(j, e, true, known);
	after(j, e, false, may_be_known);
	for (uint32_t n = 0; n < LOG_SLOTS; n++) {
		const struct log_entry *from;

		if (n == slot)
			continue;
		from = known[n] ? judge_entry(j, n, known[n]) : NULL;
		if (from)
			add(p, (struct pair){from, e, true});
		from = may_be_known[n] > known[n] ? judge_entry(j, n, may_be_known[n]) : NULL;
		if (from)
			add(p, (struct pair){from, e, false});
	}
}

/* Adds each source separately, because the source may have its knowledge from a call that was still running. */
static void add_sources(const struct judge *j, struct pairs *p, const struct log_entry *e)
{
	for (unsigned n = 0; n < e->nr_sources; n++) {
		const struct log_source *s = &e->sources[n];
		const struct log_entry *from = judge_entry(j, s->slot, s->seq);

		if (from && s->sureness != LOG_HIDDEN)
			add(p, (struct pair){from, e, s->sureness == LOG_SURE});
	}
}

static int by_source(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return x->to < y->to ? -1 : x->to > y->to;
}

static bool is_reached(const struct judge *j, const struct syt_nearest *nearest,
                       const struct syt_place *from, const struct syt_place *to, unsigned flags)
{
	struct syt_place at = nearest[to->thread].place;
	struct syt_chain chain;
	bool is_found;

	if (at.thread != SYT_NONE && at.row <= to->row)
		return true;
	is_found = syt_reach_find(&j->reach, *from, *to, flags, &chain);
	syt_chain_close(&chain);
	return is_found;
}

static void look_for(struct judge *j, const struct pairs *p)
{
	size_t bytes = j->order->places.nr_threads * sizeof(struct syt_nearest);
	struct syt_nearest *sure = malloc(bytes), *perhaps = malloc(bytes);
	const struct log_entry *last = NULL;

	for (size_t n = 0; n < p->nr; n++) {
		const struct pair *one = &p->all[n];
		uint32_t slot = judge_slot(j, one->from), to_slot = judge_slot(j, one->to);
		const struct syt_place *from = judge_place(j, slot, judge_seq(j, one->from));
		const struct syt_place *to = judge_place(j, to_slot, judge_seq(j, one->to));

		if (!from || !to)
			continue;
		if (one->from != last) {
			syt_reach_nearest(&j->reach, *from, certain, sure);
			syt_reach_nearest(&j->reach, *from, possible, perhaps);
			last = one->from;
		}
		j->nr_pairs++;
		j->nr_implied += judge_seq(j, one->from);
		if (is_reached(j, sure, from, to, certain))
			continue;
		/* if the process was killed, calls that were running are possible sources, too */
		if (!is_reached(j, perhaps, from, to, possible))
			judge_miss(j,
			           "is before, but the decoder does not even report it as possibly "
			           "before",
			           one->from, one->to, "");
		else if (one->is_sure && j->mode == JUDGE_WHOLE)
			judge_miss(j,
			           "is before, but the decoder reports it only as possibly before",
			           one->from, one->to, "");
		else
			j->nr_perhaps++;
	}
	free(sure);
	free(perhaps);
}

void judge_knowledge(struct judge *j)
{
	struct pairs p = {0, 0, NULL};

	for (uint32_t slot = 0; slot < LOG_SLOTS; slot++) {
		const struct log_slot *s = &j->log->slots[slot];

		for (uint32_t n = 0; n < s->nr && n < LOG_ENTRIES; n++) {
			const struct log_entry *e = &s->entries[n];

			if (e->state != 2 || !e->nr_sources)
				continue;
			if (j->mode == JUDGE_KILLED)
				add_sources(j, &p, e);
			else
				add_known(j, &p, e, slot);
		}
	}
	qsort(p.all, p.nr, sizeof(*p.all), by_source);
	look_for(j, &p);
	free(p.all);
}
