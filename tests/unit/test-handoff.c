/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * decoder/order/handoff.c and decoder/order/section.c: queues run at random, know which thread took
 * which item, and write the trace that a recorder would have written. Critical sections of one
 * mutex exclude each other, so they are made one by one.
 */
#include "decoder/order/handoff.h"
#include "decoder/read/symbol.h"
#include "tests/lib/random.h"
#include "tests/unit/order-check.h"

#define NR_PRODUCERS 2u
#define NR_WORKERS 3u
#define NR_THREADS (NR_PRODUCERS + NR_WORKERS)
#define MOST_EVENTS 4096u
#define MOST_ITEMS 2048u
#define NO_ITEM UINT32_MAX

/* Call stacks, as ids, by caller. */
enum { STACK_NONE, STACK_PUT, STACK_TAKE, STACK_WRAPPER_PUT, STACK_WRAPPER_TAKE, NR_STACKS };

struct way {
	bool is_lifo, wakes_seldom, has_wrapper, is_lock;
	bool has_own_conds; /* each worker waits for one of its own */
	bool is_counted;    /* by a semaphore */
	unsigned takes_two; /* a worker takes two items once in so many times; 0: never */
	/* the room of the queue; 0: no limit. A put waits for room, and a worker that takes an item wakes the put. */
	uint32_t room;
};

static struct {
	struct syt_builder *b;
	struct syt_stack_node stacks[NR_STACKS];
	struct syt_random random;
	uint64_t time;
	uint32_t mutex, cond[2], cond_room, sem, tokens;
	uint32_t queue[MOST_ITEMS], nr, nr_items;
	uint32_t events[NR_THREADS];
	uint32_t put[NR_THREADS][MOST_EVENTS], taken[NR_THREADS][MOST_EVENTS]; /* items, by event */
	uint64_t waits_since[NR_THREADS];                                      /* 0: no wait */
	bool has[NR_THREADS];
} Q;

static uint64_t below(uint64_t n)
{
	return syt_random_below(&Q.random, n);
}

static void event(uint32_t t, struct syt_made e, uint32_t stack)
{
	assert_true(Q.events[t] < MOST_EVENTS);
	e.stack = stack;
	syt_builder_event(Q.b, 0, t, e);
	Q.put[t][Q.events[t]] = Q.taken[t][Q.events[t]] = NO_ITEM;
	Q.events[t]++;
	Q.time += 1 + below(3);
}

static uint32_t stack_of(const struct way *w, bool is_put)
{
	if (w->has_wrapper)
		return is_put ? STACK_WRAPPER_PUT : STACK_WRAPPER_TAKE;
	return is_put ? STACK_PUT : STACK_TAKE;
}

static void put(uint32_t t, const struct way *w)
{
	uint32_t stack = stack_of(w, true), item;
	uint64_t since = Q.waits_since[t];

	if (since)
		event(t,
		      (struct syt_made){SYT_SHAPE_COND_WAIT, Q.cond_room, .in = since,
		                        .out = Q.time, .object2 = Q.mutex},
		      stack);
	else
		event(t, (struct syt_made){SYT_SHAPE_LOCK, Q.mutex, .out = Q.time}, stack);
	Q.waits_since[t] = 0;
	if (w->room && Q.nr == w->room) {
		Q.waits_since[t] = Q.time++;
		return;
	}
	item = Q.nr_items++;
	Q.queue[Q.nr++] = item;
	if (!w->is_counted && (!w->wakes_seldom || below(4) == 0))
		event(t,
		      (struct syt_made){SYT_SHAPE_COND_SIGNAL,
		                        Q.cond[w->has_own_conds ? below(2) : 0], .in = Q.time},
		      stack);
	event(t, (struct syt_made){SYT_SHAPE_UNLOCK, Q.mutex, .in = Q.time}, stack);
	Q.put[t][Q.events[t] - 1] = item;
	if (w->is_counted)
		event(t, (struct syt_made){SYT_SHAPE_SEM_POST, Q.sem, .in = Q.time}, stack);
	Q.tokens++;
}

static void take(uint32_t t, const struct way *w)
{
	uint32_t stack = stack_of(w, false), at;
	uint64_t since = Q.waits_since[t];

	if ((w->is_counted && !Q.tokens) || (w->room && !Q.nr))
		return;
	Q.tokens--;
	if (w->is_counted)
		event(t, (struct syt_made){SYT_SHAPE_SEM_WAIT, Q.sem, .out = Q.time}, stack);
	if (since)
		event(t,
		      (struct syt_made){SYT_SHAPE_COND_WAIT, Q.cond[w->has_own_conds ? t % 2 : 0],
		                        .in = since, .out = Q.time, .object2 = Q.mutex},
		      stack);
	else
		event(t, (struct syt_made){SYT_SHAPE_LOCK, Q.mutex, .out = Q.time}, stack);
	Q.waits_since[t] = 0;
	if (!Q.nr) {
		Q.waits_since[t] = Q.time++;
		return;
	}
	at = w->is_lifo ? Q.nr - 1 : 0;
	Q.taken[t][Q.events[t] - 1] = Q.queue[at];
	memmove(Q.queue + at, Q.queue + at + 1, (--Q.nr - at) * sizeof(*Q.queue));
	if (w->takes_two && Q.nr && below(w->takes_two) == 0)
		Q.nr--;
	if (w->room)
		event(t, (struct syt_made){SYT_SHAPE_COND_SIGNAL, Q.cond_room, .in = Q.time},
		      stack);
	event(t, (struct syt_made){SYT_SHAPE_UNLOCK, Q.mutex, .in = Q.time}, stack);
}

/* A pool with a single item: each thread takes the item and puts it back. */
static void pass_lock(uint32_t t, const struct way *w)
{
	if (Q.has[t])
		put(t, w);
	else
		take(t, w);
	Q.has[t] = Q.waits_since[t] ? false : !Q.has[t];
}

static struct syt_trace_data *run(uint64_t seed, unsigned nr_steps, const struct way *w)
{
	memset(&Q, 0, sizeof(Q));
	Q.random.state = seed;
	Q.time = 100;
	Q.b = syt_builder_create();
	syt_builder_image(Q.b, 100);
	for (uint32_t t = 0; t < NR_THREADS; t++)
		syt_builder_thread(Q.b, 0);
	Q.mutex = syt_builder_object(Q.b, 0, SYT_KIND_MUTEX, 1, 0, 0);
	for (uint32_t i = 0; i < 2; i++)
		Q.cond[i] = syt_builder_object(Q.b, 0, SYT_KIND_COND, 2 + i, 0, 0);
	Q.sem = syt_builder_object(Q.b, 0, SYT_KIND_SEM, 9, 0, 0);
	Q.cond_room = syt_builder_object(Q.b, 0, SYT_KIND_COND, 10, 0, 0);
	if (w->is_lock)
		Q.nr = Q.nr_items = 1;
	for (unsigned i = 0; i < nr_steps; i++) {
		uint32_t t = (uint32_t)below(NR_THREADS);
		bool may_put = i < nr_steps * 3 / 4 && (i / 64 % 2 || below(4) == 0);

		if (w->is_lock)
			pass_lock(t, w);
		else if (t >= NR_PRODUCERS && !(w->room && i < nr_steps / 2 && below(4)))
			take(t, w);
		else if (t >= NR_PRODUCERS)
			continue; /* slow workers, so that the queue is often full */
		else if (w->room ? i < nr_steps / 2 || Q.waits_since[t] : may_put)
			put(t, w);
	}
	struct syt_trace_data *trace = syt_builder_trace(Q.b);

	/* the caller of the call is the wrapper, or else the function that puts or takes */
	for (uint32_t i = 1; i < NR_STACKS; i++)
		Q.stacks[i] = (struct syt_stack_node){.offset = 0x1000 * i};
	Q.stacks[STACK_WRAPPER_PUT] =
		(struct syt_stack_node){.parent = STACK_PUT, .offset = 0x9000};
	Q.stacks[STACK_WRAPPER_TAKE] =
		(struct syt_stack_node){.parent = STACK_TAKE, .offset = 0x9000};
	trace->images[0].stacks = Q.stacks;
	trace->images[0].nr_stacks = NR_STACKS;
	return trace;
}

struct count {
	unsigned nr, nr_right, nr_alone, nr_alone_right;
	unsigned least, most; /* confidence */
	struct syt_queue queue;
};

static struct count infer(struct syt_trace_data *trace)
{
	struct syt_symbols *symbols = syt_symbols_create(false);
	struct count n = {.least = 1000};
	struct syt_verdict v;
	struct syt_order o;

	assert_int_equal(syt_order_open(&o, trace), 0);
	syt_handoffs_infer(&o, symbols);
	assert_true(syt_verify(&o.edges, &v));
	/* objects of the builder count from 1 */
	uint32_t room = syt_object_of(&o.objects, 0, Q.cond_room - 1);

	for (uint64_t i = 0; i < o.edges.nr; i++) {
		const struct syt_edge *e = &o.edges.all[i];

		if (e->kind != SYT_EDGE_HANDOFF ||
		    o.handoffs.queues[SYT_HANDOFF_QUEUE(e->bytes)].through == room)
			continue;
		uint64_t from = e->from.row + o.places.threads[e->from.thread]->base;
		uint64_t to = e->to.row + o.places.threads[e->to.thread]->base;
		uint32_t among = SYT_HANDOFF_AMONG(e->bytes);
		unsigned confidence = syt_handoff_confidence(
			&o.handoffs.queues[SYT_HANDOFF_QUEUE(e->bytes)], among);
		bool is_right = Q.put[e->from.thread][from] != NO_ITEM &&
		                Q.put[e->from.thread][from] == Q.taken[e->to.thread][to];

		assert_int_equal(e->class, SYT_CLASS_INFERRED);
		n.nr++;
		n.nr_right += is_right;
		n.nr_alone += among == 1;
		n.nr_alone_right += among == 1 && is_right;
		n.least = confidence < n.least ? confidence : n.least;
		n.most = confidence > n.most ? confidence : n.most;
	}
	for (size_t i = 0; i < o.handoffs.nr; i++) {
		if (o.handoffs.queues[i].through == room)
			continue;
		assert_int_equal(n.queue.nr_put, 0);
		n.queue = o.handoffs.queues[i];
	}
	syt_order_close(&o);
	syt_symbols_destroy(symbols);
	return n;
}

#define NR_SEEDS 100u

static void first_in_first_out(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= NR_SEEDS; seed++) {
		struct way w = {.wakes_seldom = seed % 2,
		                .has_wrapper = seed % 3 == 0,
		                .has_own_conds = seed % 5 == 0};
		struct count n = infer(run(seed, 600, &w));

		assert_int_equal(n.nr, Q.nr_items);
		assert_int_equal(n.nr_right, n.nr);
		assert_int_equal(n.queue.nr_put, Q.nr_items);
		assert_true(n.queue.is_balanced);
		assert_int_equal(n.queue.nr_disagree, 0);
		assert_int_equal(n.queue.nr_agree, 2 * Q.nr_items);
		assert_int_equal(n.queue.depth, w.has_wrapper ? 2 : 1);
		assert_in_range(n.most, 990, 1000);
		assert_in_range(n.least, 780, 900);
		syt_builder_destroy(Q.b);
	}
}

static void without_the_beginning(void **state)
{
	unsigned nr = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= NR_SEEDS; seed++) {
		struct way w = {.wakes_seldom = seed % 2};
		struct syt_trace_data *trace = run(seed, 1500, &w);

		for (uint32_t t = 0; t < NR_THREADS; t++)
			if (below(3))
				syt_builder_drop(Q.b, 0, t, below(Q.events[t] / 2 + 1));
		struct count n = infer(trace);

		assert_int_equal(n.nr_right, n.nr);
		nr += n.nr;
		syt_builder_destroy(Q.b);
	}
	assert_true(nr > 1000);
}

/*
 * An item among several is uncertain; an item that was alone in the queue is certain in any order.
 */
static void last_in_first_out(void **state)
{
	unsigned nr = 0, nr_right = 0, nr_alone = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= NR_SEEDS; seed++) {
		struct count n = infer(run(seed, 600, &(struct way){.is_lifo = true}));

		assert_int_equal(n.nr_alone_right, n.nr_alone);
		assert_true(n.least < 900);
		nr += n.nr;
		nr_right += n.nr_right;
		nr_alone += n.nr_alone;
		syt_builder_destroy(Q.b);
	}
	assert_true(nr_alone > 100);
	assert_true(nr_right < nr);
}

static void counted_by_a_semaphore(void **state)
{
	struct way w = {.is_counted = true};

	(void)state;
	for (uint64_t seed = 1; seed <= NR_SEEDS; seed++) {
		struct count n = infer(run(seed, 600, &w));

		assert_int_equal(n.nr, Q.nr_items);
		assert_int_equal(n.nr_right, n.nr);
		syt_builder_destroy(Q.b);
	}
	/* The number of items at the first event that is left is unknown. */
	for (uint64_t seed = 1; seed <= NR_SEEDS; seed++) {
		struct syt_trace_data *trace = run(seed, 600, &w);

		for (uint32_t t = 0; t < NR_THREADS; t++)
			syt_builder_drop(Q.b, 0, t, Q.events[t] / 4);
		struct count n = infer(trace);

		assert_int_equal(n.nr, 0);
		syt_builder_destroy(Q.b);
	}
}

/* Between two instants at which the queue was empty, as many items must be put in as taken out. */
static void sometimes_two_at_once(void **state)
{
	unsigned nr = 0;
	uint64_t nr_disagree = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= NR_SEEDS; seed++) {
		struct count n = infer(run(seed, 3000, &(struct way){.takes_two = 40}));

		assert_int_equal(n.nr_right, n.nr);
		nr += n.nr;
		nr_disagree += n.queue.nr_disagree;
		syt_builder_destroy(Q.b);
	}
	assert_true(nr > 1000);
	assert_true(nr_disagree > 100);
}

static void several_items_per_section(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= NR_SEEDS; seed++) {
		struct count n = infer(run(seed, 1000, &(struct way){.takes_two = 1}));

		assert_int_equal(n.nr, 0);
		syt_builder_destroy(Q.b);
	}
}

static void a_lock_in_disguise(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= NR_SEEDS; seed++) {
		struct count n = infer(run(seed, 600, &(struct way){.is_lock = true}));

		assert_int_equal(n.nr, 0);
		syt_builder_destroy(Q.b);
	}
}

/* A queue with limited room. Its workers always find an item, so no thread waits for items. The decoder finds all
 * hand-offs or, if too few threads waited for room, none. */
static void workers_that_never_wait(void **state)
{
	unsigned nr_found = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= NR_SEEDS; seed++) {
		struct way w = {.has_wrapper = seed % 3 == 0, .room = 1 + seed % 4};
		struct count n = infer(run(seed, 600, &w));

		assert_int_equal(Q.nr, 0);
		assert_true(!n.nr || n.nr == Q.nr_items);
		assert_int_equal(n.nr_right, n.nr);
		assert_int_equal(n.queue.nr_agree, 2 * n.nr);
		assert_int_equal(n.queue.nr_disagree, 0);
		nr_found += n.nr > 0;
		syt_builder_destroy(Q.b);
	}
	assert_true(nr_found >= 95);
}

int main(void)
{
	/* clang-format off */
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(first_in_first_out),
		cmocka_unit_test(without_the_beginning),
		cmocka_unit_test(last_in_first_out),
		cmocka_unit_test(counted_by_a_semaphore),
		cmocka_unit_test(sometimes_two_at_once),
		cmocka_unit_test(several_items_per_section),
		cmocka_unit_test(a_lock_in_disguise),
		cmocka_unit_test(workers_that_never_wait),
	};
	/* clang-format on */

	return cmocka_run_group_tests(tests, NULL, NULL);
}
