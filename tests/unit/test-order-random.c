/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * An oracle for ordering: a machine (tests/lib/random-machine.h) runs at random and knows which event
 * came before which, and why. Every edge must be true, every ambiguous set must contain the truth, and
 * every pair of events that an object has ordered must be found. If the first events of threads are
 * overwritten, every reported edge must still be true. If a trace is read while it is being recorded, the
 * streams keep the edges between the events that the reader surely has.
 */
#include "base/err.h"
#include "decoder/match/channel.h"
#include "tests/lib/random-machine.h"
#include "tests/unit/order-check.h"

struct found {
	const struct syt_order *o;
	uint64_t seed;
	bool is_killed;
};

static uint32_t event_of(const struct syt_order *o, struct syt_place at)
{
	return (uint32_t)o->places.threads[at.thread]->base + at.row;
}

static bool is_source(const struct truth *t, uint32_t thread, uint32_t event)
{
	for (uint32_t i = 0; i < t->nr; i++)
		if (t->sources[i].thread == thread && t->sources[i].event == event)
			return true;
	return false;
}

static void check(const struct found *f, bool condition, const struct syt_edge *e, const char *what)
{
	char from[SYT_NODE_TEXT] = "", to[SYT_NODE_TEXT] = "";

	if (condition)
		return;
	if (e) {
		syt_order_node_text(f->o, e->from, from, sizeof(from));
		syt_order_node_text(f->o, e->to, to, sizeof(to));
	}
	fail_msg("seed %llu: %s: %s > %s %s", (unsigned long long)f->seed, what, from, to,
	         e ? syt_edge_kind_text(e->kind) : "");
}

static void check_edge(const struct found *f, const struct syt_edge *e)
{
	const struct truth *t;
	uint32_t event;

	if (e->from.thread == SYT_NONE || e->to.thread == SYT_NONE) {
		struct syt_place at = e->from.thread == SYT_NONE ? e->to : e->from;

		t = machine_truth(at.thread, event_of(f->o, at));
		check(f, t->kind == SYT_EDGE_BARRIER, e, "not in a round");
		return;
	}
	event = event_of(f->o, e->from);
	t = machine_truth(e->to.thread, event_of(f->o, e->to));
	if (e->flags & SYT_EDGE_AMBIGUOUS)
		return;
	/* doc/happens-before.md: a call that had its effect, but was killed before it was recorded
	 */
	if (f->is_killed &&
	    (e->kind == SYT_EDGE_COND || e->kind == SYT_EDGE_SEM || e->kind == SYT_EDGE_STREAM ||
	     e->kind == SYT_EDGE_QUEUE || e->kind == SYT_EDGE_FUTEX))
		return;
	check(f, t->before.of[e->from.thread] > event, e, "did not happen before");
	if (e->kind != SYT_EDGE_MUTEX && e->kind != SYT_EDGE_RWLOCK &&
	    syt_place_call(&f->o->places, e->to)->shape != SYT_SHAPE_SEM_ZERO)
		check(f, t->kind == e->kind && is_source(t, e->from.thread, event), e,
		      "for another reason");
}

/* Checks that all members of a reported barrier round were in one round. */
static void check_rounds(const struct found *f)
{
	uint32_t *true_round = calloc(f->o->edges.nr_rounds + 1, sizeof(*true_round));

	for (uint64_t i = 0; i < f->o->edges.nr; i++) {
		const struct syt_edge *e = &f->o->edges.all[i];
		const struct truth *t;

		if (e->to.thread != SYT_NONE)
			continue;
		t = machine_truth(e->from.thread, event_of(f->o, e->from));
		check(f, !true_round[e->to.row] || true_round[e->to.row] == t->round, e,
		      "mixed rounds");
		true_round[e->to.row] = t->round;
	}
	free(true_round);
}

/* Returns whether an edge says that (THREAD, EVENT) happened before AT. Stores in *HAS_ANY whether any
 * edge of KIND leads to AT. */
static bool is_reported(const struct syt_order *o, struct syt_place at, enum syt_edge_kind kind,
                        struct source s, bool *has_any)
{
	uint64_t low = 0, high = o->edges.nr;
	syt_time out = syt_place_row(&o->places, at)->out;

	while (low < high) {
		uint64_t mid = low + (high - low) / 2;

		if (syt_edge_end(&o->edges, &o->edges.all[mid]) < out)
			low = mid + 1;
		else
			high = mid;
	}
	for (; low < o->edges.nr && syt_edge_end(&o->edges, &o->edges.all[low]) == out; low++) {
		const struct syt_edge *e = &o->edges.all[low];

		if (e->to.thread != at.thread || e->to.row != at.row || e->kind != kind)
			continue;
		*has_any = true;
		if (e->from.thread == SYT_NONE ||
		    (e->from.thread == s.thread && event_of(o, e->from) == s.event))
			return true;
	}
	return false;
}

static void check_completeness(const struct found *f, bool is_whole)
{
	const struct syt_order *o = f->o;

	for (uint32_t n = 0; n < NR_THREADS; n++) {
		const struct syt_thread *thread = o->places.threads[n];

		for (uint32_t row = 0; row < thread->nr_rows; row++) {
			struct syt_place at = {n, row};
			const struct truth *t = machine_truth(n, thread->base + row);

			for (uint32_t i = 0; i < t->nr; i++) {
				bool has_any = false;
				struct syt_edge e = {.to = at, .kind = (uint8_t)t->kind};
				bool has = is_reported(o, at, t->kind, t->sources[i], &has_any);
				const struct source *s = &t->sources[i];

				/* with missing events: an ambiguous set without the truth is false
				 */
				bool is_there = s->event >= o->places.threads[s->thread]->base;

				e.from = (struct syt_place){
					s->thread, is_there ? s->event - (uint32_t)o->places
										 .threads[s->thread]
										 ->base
							    : 0};
				if (is_whole ||
				    (has_any && is_there &&
				     (t->kind == SYT_EDGE_COND || t->kind == SYT_EDGE_SEM ||
				      t->kind == SYT_EDGE_QUEUE || t->kind == SYT_EDGE_FUTEX)))
					check(f, has, &e, "is not told");
			}
		}
	}
}

static void check_all(struct syt_builder *b, uint64_t seed, bool is_whole, bool is_killed)
{
	struct syt_verdict v;
	struct syt_order o;
	struct found f = {&o, seed, is_killed};

	assert_int_equal(syt_order_open(&o, syt_builder_trace(b)), 0);
	bool is_good = syt_verify(&o.edges, &v);

	check(&f, is_good, v.has_example ? &v.example : NULL, "backward or cyclic");
	for (uint64_t i = 0; i < o.edges.nr; i++)
		check_edge(&f, &o.edges.all[i]);
	check_rounds(&f);
	if (!is_killed)
		check_completeness(&f, is_whole);
	assert_int_equal(o.coverage.acquires, o.coverage.attributed + o.coverage.unneeded +
	                                              syt_coverage_unattributed(&o.coverage));
	if (is_whole)
		assert_int_equal(o.coverage.bytes_matched, o.coverage.bytes_received);
	syt_order_close(&o);
}

static uint64_t nr_seeds = 300;

static void whole_executions(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= nr_seeds; seed++) {
		struct syt_builder *b = machine_run(seed, 4000, 0);

		check_all(b, seed, true, false);
		syt_builder_destroy(b);
	}
}

static void executions_without_their_beginning(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= nr_seeds; seed++) {
		struct syt_builder *b = machine_run(seed, 4000, 0);

		syt_builder_trace(b);
		for (uint32_t t = 0; t < NR_THREADS; t++)
			if (machine_random(3))
				syt_builder_drop(b, 0, t, machine_random(machine_nr_events(t)));
		check_all(b, seed, false, false);
		syt_builder_destroy(b);
	}
}

static void killed_executions(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= nr_seeds; seed++) {
		struct syt_builder *b = machine_run(seed, 2000, MACHINE_KILLED);

		syt_builder_trace(b)->images[0].file.state = SYT_STATE_RUNNING;
		check_all(b, seed, false, true);
		syt_builder_destroy(b);
	}
}

/* ---- windows: each thread begins and ends at another time ---- */

/* A send and a receive of the whole execution that one edge connects, without an alternative. */
struct pair {
	struct source from, to;
	uint32_t object, sender;        /* the ends of the stream */
	uint64_t end_position;          /* after the received bytes */
	syt_time sent, received, until; /* begin of the send, limits of the receive */
};

struct pairs {
	size_t nr, room;
	struct pair *all;
};

static struct pairs pairs_of(const struct syt_order *o)
{
	struct pairs p = {0};

	for (uint64_t i = 0; i < o->edges.nr; i++) {
		const struct syt_edge *e = &o->edges.all[i];
		const struct syt_extra *x;

		if (e->kind != SYT_EDGE_STREAM || e->flags & SYT_EDGE_AMBIGUOUS)
			continue;
		x = syt_place_extra(&o->places, e->to);
		*SYT_ADD(p.all, p.nr, p.room) = (struct pair){
			.from = {e->from.thread, event_of(o, e->from)},
			.to = {e->to.thread, event_of(o, e->to)},
			.object = syt_place_row(&o->places, e->to)->object,
			.sender = syt_place_row(&o->places, e->from)->object,
			.end_position = x->offset + x->bytes,
			.sent = syt_place_row(&o->places, e->from)->in,
			.received = syt_place_earliest(&o->places, e->to),
			.until = syt_place_row(&o->places, e->to)->out,
		};
	}
	return p;
}

/* Removes the events of thread T that were recorded after AT. The call that T is in at AT leaves a note. */
static void cut(struct syt_builder *b, struct syt_trace_data *trace, uint32_t t, syt_time at)
{
	struct syt_image *image = &trace->images[0];
	const struct syt_thread *thread = &image->threads[t];
	uint64_t nr = 0;

	while (nr < thread->nr_rows && thread->rows[nr].out <= at)
		nr++;
	if (nr < thread->nr_rows) {
		const struct syt_row *r = &thread->rows[nr];
		enum syt_shape shape = syt_row_call(image, r)->shape;
		const struct truth *truth = machine_truth(t, (uint32_t)nr);

		if ((shape == SYT_SHAPE_SEND || shape == SYT_SHAPE_RECV) && truth->begin <= at &&
		    image->objects[r->object].kind == SYT_KIND_STREAM)
			syt_builder_moving(b, 0, r->object + 1, truth->position,
			                   shape == SYT_SHAPE_SEND);
	}
	syt_builder_cut(b, 0, t, nr);
}

/* Returns whether no other receive overlaps the receive AT, the target of P. */
static bool is_alone(const struct syt_order *o, const struct pair *p, struct syt_place at)
{
	struct syt_match m = {
		.places = &o->places, .objects = &o->objects, .histories = &o->histories};
	struct syt_channel c;
	bool is_alone = false;

	syt_channel_open(&c, &m, p->sender, p->object);
	for (uint32_t i = 0; i < c.nr_recvs; i++)
		if (!syt_place_compare(c.recvs[i].place, at))
			is_alone = syt_channel_received(&c, c.recvs[i].group).nr == 1;
	syt_channel_close(&c);
	return is_alone;
}

/* Returns whether the order of the window O must contain the edge of P. */
static bool is_due(const struct syt_order *o, const struct pair *p)
{
	syt_time from = o->places.complete_from[0];
	uint64_t sure = o->objects.all[p->sender].sure_out;

	if (sure > o->objects.all[p->object].sure_in)
		sure = o->objects.all[p->object].sure_in;
	return p->sent >= from && p->received >= from && p->until <= o->places.trace->read_at &&
	       p->end_position <= sure;
}

static uint64_t check_window(const struct found *f, const struct pairs *pairs)
{
	const struct syt_order *o = f->o;
	uint64_t nr = 0;

	for (uint64_t i = 0; i < o->edges.nr; i++)
		if (o->edges.all[i].kind == SYT_EDGE_STREAM)
			check_edge(f, &o->edges.all[i]);
	for (size_t i = 0; i < pairs->nr; i++) {
		const struct pair *p = &pairs->all[i];
		uint64_t base = o->places.threads[p->to.thread]->base;
		struct syt_place at = {p->to.thread, (uint32_t)(p->to.event - base)};
		bool has_any;

		if (!is_due(o, p) || !is_alone(o, p, at))
			continue;
		nr++;
		check(f, is_reported(o, at, SYT_EDGE_STREAM, p->from, &has_any),
		      &(struct syt_edge){.to = at, .from = at, .kind = SYT_EDGE_STREAM},
		      "has no source in the window");
	}
	return nr;
}

static void windows_of_running_executions(void **state)
{
	uint64_t nr = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= nr_seeds; seed++) {
		struct syt_builder *b = machine_run(seed, 4000, MACHINE_STREAMS);
		struct syt_trace_data *trace = syt_builder_trace(b);
		struct syt_order o;
		struct pairs pairs;

		assert_int_equal(syt_order_open(&o, trace), 0);
		pairs = pairs_of(&o);
		syt_order_close(&o);
		trace->images[0].file.state = SYT_STATE_RUNNING;
		trace->read_at = trace->end / 2 + machine_random(trace->end / 2);
		for (uint32_t t = 0; t < NR_THREADS; t++)
			cut(b, trace, t, trace->read_at + machine_random(1000));
		for (uint32_t t = 0; t < NR_THREADS; t++)
			syt_builder_drop(
				b, 0, t,
				machine_random(1 + trace->images[0].threads[t].nr_rows / 8));
		assert_int_equal(syt_order_open(&o, trace), 0);
		nr += check_window(&(struct found){&o, seed, false}, &pairs);
		syt_order_close(&o);
		syt_builder_destroy(b);
		free(pairs.all);
	}
	printf("%llu edges of windows\n", (unsigned long long)nr);
	assert_true(nr > nr_seeds);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole_executions),
		cmocka_unit_test(executions_without_their_beginning),
		cmocka_unit_test(killed_executions),
		cmocka_unit_test(windows_of_running_executions),
	};

	if (argc > 1)
		nr_seeds = strtoull(argv[1], NULL, 10);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
