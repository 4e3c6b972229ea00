/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Proves that a sampled trace is an exact part of the full trace of the same run (doc/sampling.md).
 *
 *	sampled [--seed=N] [--per-mille=N] [--length=N] [--mutant=half|crossed|ghost] TRACE
 *
 * Without a seed, TRACE is a shadow recording (SYNTRACE_SAMPLE_SHADOW=1), and the sampled trace is what --as-sampled reads. With a
 * seed, the full trace TRACE is marked at random (mark.h). The mutants are wrong recorders or rules, for which the comparison must
 * fail; the status is then 1. The program checks:
 *
 * - each event is an event of the full trace, with equal times, call, object, result, bytes and offset, and call stack unless it is a
 *   ghost; calls = whole + ghosts + left out, of each thread, and of each call and call stack (shadow recordings only);
 * - each certain causal edge is an edge of the full trace; each set of ambiguous edges has a source in common with the full
 *   trace, and the only source if this is certain in the full trace. An edge of bytes is not more certain than in the full trace
 *   if its send crossed other calls, or if the trace was marked, because mark.h compares times only, as the rules do;
 * - each run-after edge follows from the full trace;
 * - each leaf task is one of the full trace, and each holding of a lock lies in one of the full trace;
 * - no invariant of `check` is violated, if the full trace violates none.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/counts.h"
#include "base/err.h"
#include "decoder/analysis/holding.h"
#include "decoder/check/check.h"
#include "decoder/order/reach.h"
#include "decoder/order/task.h"
#include "decoder/read/reader.h"
#include "tests/oracle/mark.h"

#define MOST_SHOWN 10u

static uint64_t nr_wrong;

struct compared {
	const struct syt_order *full, *sampled;
	uint32_t **row_of; /* [thread][row of the sampled trace]: row of the full trace */
	struct syt_counts full_edges; /* (from, to and kind) -> 1: certain, 2: ambiguous */
	struct syt_counts
		full_sets; /* (to, kind and object) -> number of edges, certain ones in the high half */
	struct syt_counts crossed; /* as note_crossed() */
	struct syt_reach reach;
	bool is_marked;
	uint64_t nr_events, nr_causal, nr_sharper, nr_after, nr_tasks, nr_holdings;
};

static void wrong(const struct compared *c, const char *what, struct syt_place a,
                  struct syt_place b)
{
	char x[SYT_NODE_TEXT] = "", y[SYT_NODE_TEXT] = "";

	if (nr_wrong++ >= MOST_SHOWN)
		return;
	if (c->sampled && a.row != SYT_NONE)
		syt_order_node_text(c->sampled, a, x, sizeof(x));
	if (c->sampled && b.row != SYT_NONE)
		syt_order_node_text(c->sampled, b, y, sizeof(y));
	printf("%s: %s %s (events of the sampled trace)\n", what, x, y);
}

/* ---- events ---- */

/* Returns true if S is the event F. Closes have other numbers in their members `offset`. */
static bool is_event(const struct syt_thread *ts, const struct syt_row *s,
                     const struct syt_thread *tf, const struct syt_row *f)
{
	const struct syt_extra *xs = syt_thread_extra(ts, s), *xf = syt_thread_extra(tf, f);
	uint8_t shape = syt_row_call(tf->image, f)->shape;
	bool is_close = shape == SYT_SHAPE_CLOSE || shape == SYT_SHAPE_DUP;

	return s->in == f->in && s->out == f->out && s->call == f->call && s->object == f->object &&
	       s->result == f->result && s->err == f->err && xs->bytes == xf->bytes &&
	       xs->object2 == xf->object2 && (is_close || xs->offset == xf->offset) &&
	       s->stack == (syt_row_is_ghost(ts, s) ? 0 : f->stack);
}

static void compare_events(struct compared *c)
{
	const struct syt_places *ps = &c->sampled->places, *pf = &c->full->places;

	c->row_of = syt_calloc(ps->nr_threads, sizeof(*c->row_of));
	for (uint32_t n = 0; n < ps->nr_threads; n++) {
		const struct syt_thread *s = ps->threads[n], *f = pf->threads[n];
		uint64_t at = 0, gap = 0;

		c->row_of[n] = syt_calloc(s->nr_rows, sizeof(**c->row_of));
		for (uint64_t row = 0; row < s->nr_rows; row++, at++) {
			const struct syt_row *r = &s->rows[row];

			for (gap = at; at < f->nr_rows && !is_event(s, r, f, &f->rows[at]); at++)
				;
			c->row_of[n][row] = (uint32_t)at;
			if (at == f->nr_rows)
				wrong(c, "no such event", (struct syt_place){n, (uint32_t)row},
				      SYT_NOWHERE);
			else if (at - gap != syt_thread_extra(s, r)->left_out)
				wrong(c, "another number of calls left out before",
				      (struct syt_place){n, (uint32_t)row}, SYT_NOWHERE);
			c->nr_events++;
		}
		if (s->nr_rows + s->nr_left_out != f->nr_rows)
			wrong(c, "calls are not whole + ghosts + left out of a thread",
			      (struct syt_place){n, 0}, SYT_NOWHERE);
	}
}

/* Compares the numbers of calls, by process image, call stack and call. */
static void compare_sites(struct compared *c)
{
	const struct syt_places *ps = &c->sampled->places, *pf = &c->full->places;
	struct syt_counts full = {0}, sampled = {0};
	const struct syt_trace_data *trace = ps->trace;

	for (uint32_t n = 0; n < ps->nr_threads; n++) {
		const struct syt_thread *s = ps->threads[n], *f = pf->threads[n];
		uint64_t image = (uint64_t)(s->image - trace->images) << 32;

		for (uint64_t row = 0; row < f->nr_rows; row++)
			++*syt_counts_at(&full, image | f->rows[row].stack, f->rows[row].call);
		/* a ghost counts at its site, too */
		for (uint64_t row = 0; row < s->nr_rows; row++)
			++*syt_counts_at(&sampled, image | f->rows[c->row_of[n][row]].stack,
			                 s->rows[row].call);
	}
	for (uint32_t n = 0; n < trace->nr_images; n++)
		for (size_t k = 0; k < trace->images[n].nr_left_out; k++) {
			const struct syt_left_out_info *l = &trace->images[n].left_out[k];

			*syt_counts_at(&sampled, (uint64_t)n << 32 | l->stack, l->call) += l->nr;
		}
	for (size_t n = 0; n < full.nr; n++)
		if (syt_counts_of(&sampled, full.all[n].a, full.all[n].b) != full.all[n].nr)
			wrong(c, "another number of calls of a site", SYT_NOWHERE, SYT_NOWHERE);
	if (full.nr != sampled.nr)
		wrong(c, "calls of a site without calls", SYT_NOWHERE, SYT_NOWHERE);
	syt_counts_fini(&full);
	syt_counts_fini(&sampled);
}

/* ---- edges ---- */

static struct syt_place in_full(const struct compared *c, struct syt_place at)
{
	if (at.thread != SYT_NONE)
		at.row = c->row_of[at.thread][at.row];
	return at;
}

/* Returns a number of an event of the full trace or of a round, which has the same number in both traces. */
static uint64_t node(const struct syt_edges *edges, struct syt_place at)
{
	const struct syt_round *r;

	if (at.thread != SYT_NONE)
		return (uint64_t)at.thread << 32 | at.row;
	r = &edges->rounds[at.row];
	return UINT64_C(1) << 63 | (uint64_t)r->object << 32 | r->round;
}

static uint64_t set_of(const struct syt_edge *e)
{
	return (uint64_t)e->object << 8 | e->kind;
}

static void index_full(struct compared *c)
{
	const struct syt_edges *edges = &c->full->edges;

	for (uint64_t i = 0; i < edges->nr; i++) {
		const struct syt_edge *e = &edges->all[i];
		bool is_ambiguous = e->flags & SYT_EDGE_AMBIGUOUS;
		uint64_t to = node(edges, e->to), *known;

		if (e->class != SYT_CLASS_CAUSAL)
			continue;
		known = syt_counts_at(&c->full_edges, node(edges, e->from), to << 6 ^ e->kind);
		if (*known != 1)
			*known = is_ambiguous ? 2 : 1;
		*syt_counts_at(&c->full_sets, to, set_of(e)) +=
			is_ambiguous ? 1 : UINT64_C(1) << 32;
	}
}

static uint64_t in_full_edges(const struct compared *c, const struct syt_edge *e)
{
	const struct syt_edges *edges = &c->sampled->edges;
	uint64_t from = node(edges, e->from.thread == SYT_NONE ? e->from : in_full(c, e->from));
	uint64_t to = node(edges, e->to.thread == SYT_NONE ? e->to : in_full(c, e->to));

	return syt_counts_of(&c->full_edges, from, to << 6 ^ e->kind);
}

static bool follows(const struct compared *c, const struct syt_edge *e, unsigned flags)
{
	struct syt_chain chain;
	bool does =
		syt_reach_find(&c->reach, in_full(c, e->from), in_full(c, e->to), flags, &chain);

	syt_chain_close(&chain);
	return does;
}

/* Returns true for an edge from the last, or to the first, event of a thread. The sampler may have left out the calls
 * after or before this event; the edge then follows from that of the full trace. */
static bool is_of_life(const struct syt_edge *e)
{
	return e->kind == SYT_EDGE_CREATE || e->kind == SYT_EDGE_JOIN || e->kind == SYT_EDGE_FORK ||
	       e->kind == SYT_EDGE_EXEC || e->kind == SYT_EDGE_REAP;
}

/* Returns true if the event AT of the sampled trace has crossed other calls. */
static bool has_crossed(const struct compared *c, struct syt_place at)
{
	return at.thread != SYT_NONE &&
	       syt_counts_of(&c->crossed, at.thread, syt_place_row(&c->sampled->places, at)->in);
}

static void compare_certain(struct compared *c, const struct syt_edge *e)
{
	uint64_t known = in_full_edges(c, e);

	c->nr_causal++;
	c->nr_sharper += known == 2;
	if ((!known && !(is_of_life(e) && follows(c, e, SYT_REACH_RUN_AFTER))) ||
	    (known == 2 && e->kind == SYT_EDGE_STREAM && (c->is_marked || has_crossed(c, e->from))))
		wrong(c, syt_edge_kind_text((enum syt_edge_kind)e->kind), e->from, e->to);
}

static void wrong_edge(const struct compared *c, const char *what, const struct syt_edge *e)
{
	char text[80];

	snprintf(text, sizeof(text), "%s (%s)", what,
	         syt_edge_kind_text((enum syt_edge_kind)e->kind));
	wrong(c, text, e->from, e->to);
}

/* Compares the sets of ambiguous edges with those of the full trace, which must have a source in common. A receive has a set
 * for each send that it may have got bytes from, and the sampler may have left out some of these sends. So each ambiguous
 * edge of a stream must be in the full trace. */
static void compare_sets(struct compared *c)
{
	const struct syt_edges *edges = &c->sampled->edges;
	struct syt_counts common = {0}; /* of certain edges in the high half */

	for (uint64_t i = 0; i < edges->nr; i++) {
		const struct syt_edge *e = &edges->all[i];
		uint64_t known = e->class == SYT_CLASS_CAUSAL ? in_full_edges(c, e) : 0;

		if (known)
			*syt_counts_at(&common, node(edges, in_full(c, e->to)), set_of(e)) +=
				known == 2 ? 1 : UINT64_C(1) << 32;
	}
	for (uint64_t i = 0; i < edges->nr; i++) {
		const struct syt_edge *e = &edges->all[i];
		uint64_t to = node(edges, in_full(c, e->to)), of_full, of_both;

		if (e->class != SYT_CLASS_CAUSAL || !(e->flags & SYT_EDGE_AMBIGUOUS))
			continue;
		of_full = syt_counts_of(&c->full_sets, to, set_of(e));
		of_both = syt_counts_of(&common, to, set_of(e));
		c->nr_causal++;
		if (e->kind == SYT_EDGE_STREAM ? !in_full_edges(c, e)
		                               : !of_both || of_both >> 32 != of_full >> 32)
			wrong_edge(c, "no source of the set is one of the full trace", e);
	}
	syt_counts_fini(&common);
}

/* Returns true if the full trace has no edges of the lock, because a thread released it without holding it. */
static bool is_foreign(const struct compared *c, uint32_t object)
{
	struct syt_holdings h;
	bool is;

	syt_holdings_open(&h, c->full, object);
	is = h.state != SYT_HOLDINGS_GOOD;
	syt_holdings_close(&h);
	return is;
}

static void compare_edges(struct compared *c)
{
	const struct syt_edges *edges = &c->sampled->edges;

	index_full(c);
	if (syt_reach_open(&c->reach, &c->full->edges, false))
		exit(2);
	for (uint64_t i = 0; i < edges->nr; i++) {
		const struct syt_edge *e = &edges->all[i];

		if (e->class == SYT_CLASS_CAUSAL && !(e->flags & SYT_EDGE_AMBIGUOUS)) {
			compare_certain(c, e);
		} else if (e->class == SYT_CLASS_RUN_AFTER) {
			c->nr_after++;
			if (!follows(c, e, SYT_REACH_RUN_AFTER) &&
			    !(syt_holdings_has_kind(
				      syt_object_kind(&c->sampled->objects, e->object)) &&
			      is_foreign(c, e->object)))
				wrong(c, "run-after", e->from, e->to);
		}
	}
	compare_sets(c);
	syt_reach_close(&c->reach);
}

/* ---- tasks and invariants ---- */

static void compare_tasks(struct compared *c)
{
	struct syt_tasks full, sampled;

	syt_tasks_open(&full, &c->full->places, NULL);
	syt_tasks_open(&sampled, &c->sampled->places, NULL);
	for (uint64_t i = 0; i < sampled.nr; i++) {
		const struct syt_task *t = &sampled.all[i];
		struct syt_place begin = {t->thread, t->begin}, end = {t->thread, t->end};
		uint64_t of_full = syt_task_after(&full, in_full(c, begin));

		c->nr_tasks++;
		if (of_full == SYT_NO_TASK || full.all[of_full].end != in_full(c, end).row)
			wrong(c, "no leaf task of the full trace", begin, end);
	}
	syt_tasks_close(&full);
	syt_tasks_close(&sampled);
}

/* Returns true if H, a holding of the sampled trace, lies in a holding of the full trace. */
static bool is_held(const struct syt_holdings *full, const struct syt_holding *h)
{
	size_t near = 0;

	for (size_t i = syt_holdings_until(full, h->to - 1, &near); i < full->nr; i++)
		if (full->all[i].acquire.thread == h->acquire.thread)
			return full->all[i].from <= h->from && full->all[i].to >= h->to;
	for (size_t i = 0; i < full->nr_open; i++)
		if (full->open[i].acquire.thread == h->acquire.thread &&
		    full->open[i].from <= h->from)
			return true;
	return false;
}

static void compare_holdings(struct compared *c)
{
	for (uint32_t object = 0; object < c->sampled->objects.nr; object++) {
		struct syt_holdings full, sampled;

		if (!syt_holdings_has_kind(syt_object_kind(&c->sampled->objects, object)))
			continue;
		syt_holdings_open(&full, c->full, object);
		syt_holdings_open(&sampled, c->sampled, object);
		for (size_t i = 0; i < sampled.nr && full.state == SYT_HOLDINGS_GOOD; i++) {
			c->nr_holdings++;
			if (!is_held(&full, &sampled.all[i]))
				wrong(c, "no holding of the full trace", sampled.all[i].acquire,
				      sampled.all[i].release);
		}
		syt_holdings_close(&full);
		syt_holdings_close(&sampled);
	}
}

static uint64_t violations(const struct syt_order *o, unsigned n, const char **what)
{
	struct syt_check c;
	uint64_t nr;

	syt_check_run(&c, &syt_invariants[n], o, 1);
	nr = c.nr_violations;
	*what = nr && c.nr_findings ? c.findings[0].what : "";
	syt_check_close(&c);
	return nr;
}

static void check(const struct compared *c)
{
	for (unsigned n = 0; n < syt_nr_invariants; n++) {
		const char *what;
		uint64_t nr = violations(c->full, n, &what) ? 0 : violations(c->sampled, n, &what);

		if (!nr)
			continue;
		nr_wrong += nr;
		printf("%s: %" PRIu64 " violations, for example: %s\n", syt_invariants[n].name, nr,
		       what);
	}
}

/* ---- the program ---- */

static struct syt_trace_data *read_trace(const char *path, bool is_as_sampled)
{
	const struct syt_read_options options = {.problems_shown = 10,
	                                         .is_as_sampled = is_as_sampled};
	struct syt_read_report report;
	struct syt_trace_data *t = syt_read(&path, 1, &options, &report);

	if (!t->nr_images)
		syt_die(2, "%s: contains no trace", path);
	return t;
}

static const char *value_of(const char *arg, const char *name)
{
	size_t nr = strlen(name);

	return strncmp(arg, name, nr) ? NULL : arg + nr;
}

int main(int argc, char **argv)
{
	static const char *const mutants[] = {"none", "half", "crossed", "ghost"};
	unsigned per_mille = 100, length = 20;
	unsigned mutant = MUTANT_NONE;
	struct compared c = {0};
	struct syt_trace_data *full, *sampled;
	struct syt_order full_order, sampled_order;
	struct syt_calls calls;
	bool is_marked = false;
	uint64_t seed = 0;
	const char *v;
	int at = 1;

	syt_err_open("sampled", 2, "");
	for (; at < argc && !strncmp(argv[at], "--", 2); at++) {
		if ((v = value_of(argv[at], "--seed="))) {
			seed = strtoull(v, NULL, 10);
			is_marked = true;
		} else if ((v = value_of(argv[at], "--per-mille="))) {
			per_mille = (unsigned)strtoul(v, NULL, 10);
		} else if ((v = value_of(argv[at], "--length="))) {
			length = (unsigned)strtoul(v, NULL, 10);
		} else if ((v = value_of(argv[at], "--mutant="))) {
			for (mutant = 0; mutant < NR_MUTANTS && strcmp(mutants[mutant], v);)
				mutant++;
		}
	}
	if (at + 1 != argc || mutant == NR_MUTANTS)
		syt_die(2, "usage: sampled [--seed=N] [--per-mille=N] [--length=N] [--mutant=NAME] "
		           "TRACE");
	full = read_trace(argv[at], false);
	sampled = read_trace(argv[at], !is_marked);
	if (syt_order_open(&full_order, full))
		return 2;
	if (is_marked)
		mark(sampled, &full_order, seed, per_mille, length, (enum mutant)mutant);
	else
		note_crossed(&c.crossed, sampled, &full_order);
	if (!is_marked && mutant)
		spoil(sampled, &full_order, (enum mutant)mutant);
	if (syt_order_open(&sampled_order, sampled))
		return 2;
	c.is_marked = is_marked;
	c.full = &full_order;
	c.sampled = &sampled_order;
	compare_events(&c);
	if (!nr_wrong && !is_marked && !mutant)
		compare_sites(&c);
	if (!nr_wrong)
		compare_edges(&c);
	compare_holdings(&c);
	if (!mutant)
		compare_tasks(&c);
	check(&c);
	calls = syt_calls_of(sampled);
	printf("%" PRIu64 " calls: %" PRIu64 " whole, %" PRIu64 " ghosts, %" PRIu64
	       " left out; %" PRIu64 " causal edges, %" PRIu64 " sharper, %" PRIu64
	       " run-after; %" PRIu64 " tasks; %" PRIu64 " holdings; %" PRIu64 " of %" PRIu64
	       " acquires not sampled; %" PRIu64 " wrong\n",
	       syt_calls_sum(&calls), calls.whole, calls.ghosts, calls.left_out, c.nr_causal,
	       c.nr_sharper, c.nr_after, c.nr_tasks, c.nr_holdings,
	       sampled_order.coverage.unattributed[SYT_REASON_NOT_SAMPLED],
	       sampled_order.coverage.acquires, nr_wrong);
	for (uint32_t n = 0; n < sampled_order.places.nr_threads; n++)
		free(c.row_of[n]);
	free(c.row_of);
	syt_counts_fini(&c.full_edges);
	syt_counts_fini(&c.full_sets);
	syt_counts_fini(&c.crossed);
	syt_order_close(&sampled_order);
	syt_order_close(&full_order);
	syt_trace_destroy(sampled);
	syt_trace_destroy(full);
	return nr_wrong != 0;
}
