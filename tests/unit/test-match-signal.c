/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * decoder/match/match_signal.c: histories made by hand, and an oracle: processes send each other
 * signals at random, to processes, groups and threads, take them with and without handlers, and
 * know the sender of each signal.
 */
#include <signal.h>

#include "tests/unit/order-check.h"

#define STANDARD 10u
#define QUEUED 40u

static struct syt_builder *b;

/* Returns the pid of process image P, 100 * (P + 1). The tid of its thread T is the pid + T. */
static uint32_t pid_of(uint32_t p)
{
	return 100 * (p + 1);
}

/* The objects 1 and 2 of each process image. */
static uint32_t object_of(unsigned number)
{
	return number == STANDARD ? 1 : 2;
}

static void start(unsigned nr_images, unsigned nr_threads)
{
	b = syt_builder_create();
	for (unsigned p = 0; p < nr_images; p++) {
		syt_builder_image(b, pid_of(p));
		for (unsigned t = 0; t < nr_threads; t++)
			syt_builder_thread(b, p);
		syt_builder_object(b, p, SYT_KIND_SIGNAL, STANDARD, 0, SYT_OBJECT_SHARED);
		syt_builder_object(b, p, SYT_KIND_SIGNAL, QUEUED, 0, SYT_OBJECT_SHARED);
	}
}

static void kills(uint32_t p, uint32_t t, unsigned number, uint64_t target, syt_time in,
                  syt_time out)
{
	syt_builder_event(b, p, t,
	                  (struct syt_made){SYT_SHAPE_SIGNAL_SEND, object_of(number), .in = in,
	                                    .out = out, .pid = target});
}

static void takes(uint32_t p, uint32_t t, unsigned number, uint64_t sender, syt_time in,
                  syt_time out)
{
	syt_builder_event(b, p, t,
	                  (struct syt_made){SYT_SHAPE_SIGNAL_RECV, object_of(number), .in = in,
	                                    .out = out, .result = (int64_t)number, .pid = sender});
}

static void one_send_is_the_source(void **state)
{
	(void)state;
	start(2, 1);
	kills(0, 0, STANDARD, 200, 10, 12);
	takes(1, 0, STANDARD, 100, 5, 20);
	kills(0, 0, STANDARD, 200, 30, 32); /* too late for the first take */
	takes(1, 0, STANDARD, 100, 25, 40);
	expect_edges(b, "0.0.0>1.0.0 signal\n0.0.1>1.0.1 signal\n");
}

static void several_pending_standard_signals_are_one(void **state)
{
	(void)state;
	start(2, 1);
	kills(0, 0, STANDARD, 200, 10, 11);
	kills(0, 0, STANDARD, 200, 12, 13);
	takes(1, 0, STANDARD, 100, 20, 21);
	kills(0, 0, STANDARD, 200, 30, 31);
	takes(1, 0, STANDARD, 100, 40, 41); /* the signals before 20 are gone */
	expect_edges(b, "0.0.0>1.0.0 signal*\n0.0.1>1.0.0 signal*\n0.0.2>1.0.1 signal\n");
}

static void queued_signals_are_taken_in_their_order(void **state)
{
	(void)state;
	start(2, 1);
	kills(0, 0, QUEUED, 200, 10, 11);
	kills(0, 0, QUEUED, 200, 12, 13);
	takes(1, 0, QUEUED, 100, 20, 21);
	takes(1, 0, QUEUED, 100, 22, 23);
	expect_edges(b, "0.0.0>1.0.0 signal\n0.0.1>1.0.1 signal\n");
}

static void a_queued_signal_that_a_handler_got_makes_the_others_uncertain(void **state)
{
	(void)state;
	start(2, 1);
	kills(0, 0, QUEUED, 200, 10, 11);
	kills(0, 0, QUEUED, 200, 12, 13);
	takes(1, 0, QUEUED, 100, 20, 21);
	expect_edges(b, "0.0.0>1.0.0 signal*\n0.0.1>1.0.0 signal*\n");
}

/* A signalfd of image P: object 3 of it. */
static uint32_t signalfd_of(uint32_t p)
{
	return syt_builder_object(b, p, SYT_KIND_SIGNALFD, 7, 0, 0);
}

static void reports(uint32_t p, uint32_t t, uint32_t fd, syt_time in, syt_time out)
{
	syt_builder_event(b, p, t,
	                  (struct syt_made){SYT_SHAPE_READY, .in = in, .out = out, .result = 1,
	                                    .ready = {{fd, SYT_READY_IN}}});
}

static void reads(uint32_t p, uint32_t t, uint32_t fd, unsigned number, uint64_t sender,
                  syt_time in, syt_time out)
{
	syt_builder_event(b, p, t,
	                  (struct syt_made){SYT_SHAPE_RECV, fd, .in = in, .out = out, .result = 128,
	                                    .bytes = 128, .count = 1, .flags = SYT_EVENT_NOOFFSET});
	takes(p, t, number, sender, in, out);
}

/*
 * The send may end after the report: the signal read next was pending, because no other thread
 * takes it.
 */
static void a_signalfd_is_ready_because_of_the_signal_read_next(void **state)
{
	uint32_t fd;

	(void)state;
	start(2, 1);
	fd = signalfd_of(1);
	kills(0, 0, STANDARD, 200, 10, 30);
	reports(1, 0, fd, 5, 20);
	reads(1, 0, fd, STANDARD, 100, 21, 22);
	kills(0, 0, STANDARD, 200, 40, 41);
	reports(1, 0, fd, 45, 50);
	reports(1, 0, fd, 51, 52);
	reads(1, 0, fd, STANDARD, 100, 53, 54);
	expect_edges(b, "0.0.0>1.0.0 ready\n0.0.0>1.0.2 signal\n"
	                "0.0.1>1.0.3 ready\n0.0.1>1.0.4 ready\n0.0.1>1.0.6 signal\n");
}

/* The report may mean the other signal, or a signal that another thread took. */
static void a_signalfd_of_several_signals_or_takers_is_uncertain(void **state)
{
	struct syt_coverage v;
	uint32_t fd;

	(void)state;
	start(2, 1);
	fd = signalfd_of(1);
	kills(0, 0, STANDARD, 200, 10, 30);
	reports(1, 0, fd, 5, 20);
	reads(1, 0, fd, STANDARD, 100, 31, 32);
	kills(0, 0, QUEUED, 200, 33, 34);
	reports(1, 0, fd, 35, 36); /* the sent signal is reported here */
	reads(1, 0, fd, QUEUED, 100, 37, 38);
	expect_edges_and(b, "0.0.0>1.0.2 signal\n0.0.1>1.0.3 ready\n0.0.1>1.0.5 signal\n", &v);
	assert_int_equal(v.unattributed[SYT_REASON_UNCERTAIN], 1);

	start(2, 2);
	fd = signalfd_of(1);
	kills(0, 0, STANDARD, 200, 2, 3);
	takes(1, 1, STANDARD, 100, 12, 19);
	kills(0, 0, STANDARD, 200, 15, 30);
	reports(1, 0, fd, 5, 20);
	reads(1, 0, fd, STANDARD, 100, 31, 32);
	expect_edges_and(b, "0.0.0>1.1.0 signal\n0.0.1>1.0.2 signal\n", &v);
	assert_int_equal(v.unattributed[SYT_REASON_UNCERTAIN], 1);
}

static void a_signalfd_without_a_reader_is_uncertain(void **state)
{
	struct syt_coverage v;
	uint32_t fd;

	(void)state;
	start(2, 1);
	fd = signalfd_of(1);
	kills(0, 0, STANDARD, 200, 10, 11);
	reports(1, 0, fd, 5, 20);
	expect_edges_and(b, "", &v);
	assert_int_equal(v.unattributed[SYT_REASON_UNCERTAIN], 1);
}

/* SIGCHLD and its like. */
static void a_signalfd_may_be_ready_because_of_the_kernel(void **state)
{
	struct syt_coverage v;
	uint32_t fd;

	(void)state;
	start(1, 1);
	fd = signalfd_of(0);
	reports(0, 0, fd, 5, 20);
	syt_builder_event(b, 0, 0,
	                  (struct syt_made){SYT_SHAPE_RECV, fd, .in = 21, .out = 22, .result = 128,
	                                    .bytes = 128, .count = 1, .flags = SYT_EVENT_NOOFFSET});
	syt_builder_event(b, 0, 0,
	                  (struct syt_made){SYT_SHAPE_SIGNAL_RECV, object_of(STANDARD), .in = 21,
	                                    .out = 22, .result = STANDARD, .pid = 7,
	                                    .status = CLD_EXITED});
	expect_edges_and(b, "", &v);
	assert_int_equal(v.unattributed[SYT_REASON_KERNEL], 2);
}

static void only_the_sender_is_the_source(void **state)
{
	struct syt_coverage v;

	(void)state;
	start(3, 1);
	kills(0, 0, STANDARD, 200, 10, 11);
	kills(2, 0, STANDARD, 200, 10, 11);
	takes(1, 0, STANDARD, 300, 5, 20);
	takes(1, 0, STANDARD, 999, 21, 22);
	takes(1, 0, STANDARD, 0, 23, 24);
	expect_edges_and(b, "2.0.0>1.0.0 signal\n", &v);
	assert_int_equal(v.unattributed[SYT_REASON_UNTRACED_PEER], 2);
}

static void the_kind_of_send_distinguishes_signals(void **state)
{
	struct syt_coverage v;

	(void)state;
	start(2, 1);
	kills(0, 0, QUEUED, 200, 10, 11);
	syt_builder_event(b, 0, 0,
	                  (struct syt_made){SYT_SHAPE_SIGNAL_SEND, 2, .in = 12, .out = 13,
	                                    .pid = 200, .status = (uint32_t)SI_QUEUE});
	syt_builder_event(b, 1, 0,
	                  (struct syt_made){SYT_SHAPE_SIGNAL_RECV, 2, .in = 20, .out = 21,
	                                    .pid = 100, .status = (uint32_t)SI_QUEUE});
	syt_builder_event(b, 1, 0,
	                  (struct syt_made){SYT_SHAPE_SIGNAL_RECV, 2, .in = 22, .out = 23,
	                                    .pid = 100, .status = (uint32_t)SI_TKILL});
	syt_builder_event(b, 1, 0,
	                  (struct syt_made){SYT_SHAPE_SIGNAL_RECV, 2, .in = 24, .out = 25,
	                                    .status = (uint32_t)SI_TIMER});
	expect_edges_and(b, "0.0.1>1.0.0 signal\n0.0.0>1.0.1 signal\n", &v);
	assert_int_equal(v.unattributed[SYT_REASON_KERNEL], 1);
}

static void threads_have_queues_of_their_own(void **state)
{
	(void)state;
	start(1, 3);
	for (uint32_t t = 1; t <= 2; t++)
		syt_builder_event(b, 0, 0,
		                  (struct syt_made){SYT_SHAPE_SIGNAL_SEND, 1, .in = 10 * t,
		                                    .out = 10 * t + 1, .pid = 100, .arg = 1,
		                                    .thread1 = t + 1});
	takes(0, 2, STANDARD, 100, 5, 30);
	takes(0, 1, STANDARD, 100, 5, 31);
	expect_edges(b, "0.0.1>0.2.0 signal\n0.0.0>0.1.0 signal\n");
}

static void signals_to_the_process_and_to_a_thread_are_ambiguous(void **state)
{
	(void)state;
	start(1, 2);
	syt_builder_event(b, 0, 0,
	                  (struct syt_made){SYT_SHAPE_SIGNAL_SEND, 2, .in = 10, .out = 11,
	                                    .pid = 100, .arg = 101});
	kills(0, 0, QUEUED, 100, 12, 13);
	takes(0, 1, QUEUED, 100, 20, 21);
	takes(0, 1, QUEUED, 100, 22, 23);
	expect_edges(b, "0.0.0>0.1.0 signal*\n0.0.1>0.1.0 signal*\n"
	                "0.0.0>0.1.1 signal*\n0.0.1>0.1.1 signal*\n");
}

static void a_group_that_was_signalled_has_members(void **state)
{
	(void)state;
	start(3, 1);
	kills(0, 0, STANDARD, 0, 10, 11);
	takes(1, 0, STANDARD, 100, 5, 20);
	takes(2, 0, STANDARD, 100, 5, 20);
	expect_edges(b, "0.0.0>1.0.0 signal\n0.0.0>2.0.0 signal\n");
}

static void a_send_that_did_not_return_was_sent(void **state)
{
	(void)state;
	start(2, 1);
	syt_builder_event(b, 0, 0, (struct syt_made){SYT_SHAPE_SIGNAL_SENDING, 1, .in = 10});
	syt_builder_event(b, 0, 0,
	                  (struct syt_made){SYT_SHAPE_SIGNAL_SEND, 1, .in = 10, .out = 11,
	                                    .result = -1, .err = 3});
	syt_builder_event(b, 0, 0, (struct syt_made){SYT_SHAPE_SIGNAL_SENDING, 1, .in = 15});
	takes(1, 0, STANDARD, 100, 5, 20);
	expect_edges(b, "0.0.2>1.0.0 signal\n");
}

static void an_unexplained_signal_makes_later_ones_uncertain(void **state)
{
	struct syt_coverage v;

	(void)state;
	start(2, 1);
	takes(1, 0, QUEUED, 100, 5, 8);
	kills(0, 0, QUEUED, 200, 10, 11);
	takes(1, 0, QUEUED, 100, 20, 21);
	expect_edges_and(b, "", &v);
	assert_int_equal(v.unattributed[SYT_REASON_NO_RELEASE], 2);
}

static void the_last_send_of_the_killed_may_be_missing(void **state)
{
	struct syt_coverage v;

	(void)state;
	start(2, 1);
	kills(0, 0, QUEUED, 200, 10, 11);
	kills(0, 0, QUEUED, 200, 20, 21);
	takes(1, 0, QUEUED, 100, 12, 13);
	takes(1, 0, QUEUED, 100, 22, 23);
	takes(1, 0, QUEUED, 100, 30, 31);
	syt_builder_trace(b)->images[0].file.state = SYT_STATE_RUNNING;
	expect_edges_and(b, "0.0.0>1.0.0 signal\n0.0.1>1.0.1 signal\n", &v);
	assert_int_equal(v.unattributed[SYT_REASON_NO_RELEASE], 1);
}

static void a_missing_send_may_be_the_source(void **state)
{
	struct syt_coverage v;

	(void)state;
	start(2, 1);
	kills(0, 0, STANDARD, 200, 10, 11);
	kills(0, 0, STANDARD, 200, 12, 13);
	takes(1, 0, STANDARD, 100, 20, 21);
	syt_builder_trace(b);
	syt_builder_drop(b, 0, 0, 1);
	expect_edges_and(b, "", &v);
	assert_int_equal(v.unattributed[SYT_REASON_OVERWRITTEN], 1);
}

/* ---- the oracle ---- */

#define NR_IMAGES 2u
#define NR_THREADS 3u
#define MOST_EVENTS 512u
#define MOST_PENDING 4096u

enum phase { IDLE, SENDING, SENT, TAKING, TAKEN };

struct source {
	uint32_t image, thread, event;
	int32_t code;
};

struct queue { /* pending instances of one signal */
	uint32_t nr;
	struct source of[MOST_PENDING];
};

static struct {
	uint64_t seed;
	syt_time time;
	bool is_mixed;     /* signals are also sent to single threads */
	unsigned handlers; /* of 16 deliveries */
	struct queue shared[NR_IMAGES][2], own[NR_IMAGES][NR_THREADS][2];
	struct runner {
		enum phase phase;
		struct syt_made e;
		uint32_t target, thread; /* image; thread + 1, or 0 */
		unsigned tries;
		uint32_t nr_events;
		struct source truth[MOST_EVENTS]; /* of the takes */
		bool is_take[MOST_EVENTS];
	} runners[NR_IMAGES][NR_THREADS];
} M;

static uint64_t random_below(uint64_t n)
{
	M.seed ^= M.seed << 13;
	M.seed ^= M.seed >> 7;
	M.seed ^= M.seed << 17;
	return (M.seed >> 11) % n;
}

static void put(struct queue *q, struct source s, bool is_queued)
{
	if ((is_queued || !q->nr) && q->nr < MOST_PENDING)
		q->of[q->nr++] = s;
}

static bool get(struct queue *q, struct source *s)
{
	if (!q->nr)
		return false;
	*s = q->of[0];
	memmove(q->of, q->of + 1, --q->nr * sizeof(*q->of));
	return true;
}

static void send_one(uint32_t p, uint32_t t)
{
	struct runner *r = &M.runners[p][t];
	bool is_queued = r->e.object == 2;
	struct source s = {p, t, r->nr_events, (int32_t)r->e.status};

	if (r->thread)
		put(&M.own[r->target][r->thread - 1][is_queued], s, is_queued);
	else if (r->e.pid)
		put(&M.shared[r->target][is_queued], s, is_queued);
	else
		for (unsigned i = 0; i < NR_IMAGES; i++)
			put(&M.shared[i][is_queued], s, is_queued);
}

static void begin(uint32_t p, uint32_t t)
{
	struct runner *r = &M.runners[p][t];

	r->e = (struct syt_made){.in = ++M.time, .object = 1 + (uint32_t)random_below(2)};
	r->tries = 0;
	r->thread = 0;
	if (random_below(2)) {
		r->phase = TAKING;
		r->e.shape = SYT_SHAPE_SIGNAL_RECV;
		return;
	}
	r->phase = SENDING;
	r->e.shape = SYT_SHAPE_SIGNAL_SEND;
	r->target = (uint32_t)random_below(NR_IMAGES);
	r->e.pid = random_below(10) ? pid_of(r->target) : 0;
	r->e.status = random_below(4) ? SI_USER : (uint32_t)SI_QUEUE;
	if (M.is_mixed && random_below(2)) {
		r->thread = 1 + (uint32_t)random_below(NR_THREADS);
		r->e.pid = pid_of(r->target);
		r->e.arg = pid_of(r->target) + r->thread - 1;
	}
}

static void finish(uint32_t p, uint32_t t)
{
	struct runner *r = &M.runners[p][t];

	r->e.out = ++M.time;
	if (r->phase == TAKEN) {
		const struct source *s = &r->truth[r->nr_events];

		r->e.pid = pid_of(s->image);
		r->e.status = (uint32_t)s->code;
		r->e.result = 10;
		r->is_take[r->nr_events] = true;
	} else if (r->phase == TAKING) { /* timed out */
		r->e.object = 0;
		r->e.result = -1;
	}
	syt_builder_event(b, p, t, r->e);
	r->nr_events++;
	r->phase = IDLE;
}

static void step(uint32_t p, uint32_t t)
{
	struct runner *r = &M.runners[p][t];
	bool is_queued = r->e.object == 2;

	M.time += 1 + random_below(2);
	switch (r->phase) {
	case IDLE:
		if (r->nr_events < MOST_EVENTS)
			begin(p, t);
		break;
	case SENDING:
		send_one(p, t);
		r->phase = SENT;
		break;
	case TAKING:
		if (get(&M.own[p][t][is_queued], &r->truth[r->nr_events]) ||
		    get(&M.shared[p][is_queued], &r->truth[r->nr_events]))
			r->phase = TAKEN;
		else if (++r->tries > 20)
			finish(p, t);
		break;
	default:
		finish(p, t);
		break;
	}
	if (random_below(64) < M.handlers) { /* a signal handler accepts a pending signal */
		struct source nobody;

		get(random_below(2) ? &M.shared[p][random_below(2)] : &M.own[p][t][random_below(2)],
		    &nobody);
	}
}

static void run(uint64_t seed)
{
	memset(&M, 0, sizeof(M));
	M.seed = seed * 2654435769u + 88172645463325252u;
	M.time = 1000;
	M.is_mixed = seed % 3 == 0;
	M.handlers = seed % 2 ? 0 : 2;
	start(NR_IMAGES, NR_THREADS);
	for (unsigned i = 0; i < 3000; i++)
		step((uint32_t)random_below(NR_IMAGES), (uint32_t)random_below(NR_THREADS));
	for (unsigned p = 0; p < NR_IMAGES; p++)
		for (unsigned t = 0; t < NR_THREADS; t++)
			while (M.runners[p][t].phase != IDLE)
				step(p, t);
}

/* Checks that every certain edge is true, and that every set of ambiguous edges contains the true edge. */
static uint64_t check_all(uint64_t seed, uint64_t *nr_takes)
{
	struct syt_order o;
	struct syt_verdict v;
	uint64_t nr_certain = 0;

	assert_int_equal(syt_order_open(&o, syt_builder_trace(b)), 0);
	assert_true(syt_verify(&o.edges, &v));
	for (uint64_t i = 0; i < o.edges.nr;) {
		struct syt_place to = o.edges.all[i].to;
		uint32_t p = syt_place_image_idx(&o.places, to), t = to.thread - p * NR_THREADS;
		uint32_t base = (uint32_t)o.places.threads[to.thread]->base;
		const struct source *s = &M.runners[p][t].truth[base + to.row];
		bool has_truth = false, is_ambiguous = false;

		assert_true(M.runners[p][t].is_take[base + to.row]);
		for (; i < o.edges.nr && o.edges.all[i].to.thread == to.thread &&
		       o.edges.all[i].to.row == to.row;
		     i++) {
			const struct syt_edge *e = &o.edges.all[i];

			assert_int_equal(e->kind, SYT_EDGE_SIGNAL);
			has_truth |=
				e->from.thread == s->image * NR_THREADS + s->thread &&
				e->from.row + o.places.threads[e->from.thread]->base == s->event;
			is_ambiguous |= e->flags & SYT_EDGE_AMBIGUOUS;
		}
		if (!has_truth)
			fail_msg("seed %llu: %u.%u.%u: the source is another one",
			         (unsigned long long)seed, p, t, base + to.row);
		nr_certain += !is_ambiguous;
	}
	*nr_takes += o.coverage.acquires;
	assert_int_equal(o.coverage.defects, 0);
	assert_int_equal(o.coverage.acquires, o.coverage.attributed + o.coverage.unneeded +
	                                              syt_coverage_unattributed(&o.coverage));
	assert_int_equal(o.coverage.unattributed[SYT_REASON_NO_RELEASE], 0);
	syt_order_close(&o);
	return nr_certain;
}

static uint64_t nr_seeds = 200;

static void random_executions(void **state)
{
	uint64_t nr_takes = 0, nr_certain = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= nr_seeds; seed++) {
		run(seed);
		nr_certain += check_all(seed, &nr_takes);
		syt_builder_destroy(b);
	}
	print_message("%llu of %llu are certain\n", (unsigned long long)nr_certain,
	              (unsigned long long)nr_takes);
	assert_true(nr_certain > nr_takes / 20); /* the decoder must decide some of them */
}

static void random_executions_without_their_beginning(void **state)
{
	uint64_t nr_takes = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= nr_seeds; seed++) {
		run(seed);
		syt_builder_trace(b);
		for (uint32_t t = 0; t < NR_THREADS; t++)
			syt_builder_drop(b, 0, t, random_below(M.runners[0][t].nr_events + 1));
		check_all(seed, &nr_takes);
		syt_builder_destroy(b);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_send_is_the_source),
		cmocka_unit_test(several_pending_standard_signals_are_one),
		cmocka_unit_test(queued_signals_are_taken_in_their_order),
		cmocka_unit_test(a_queued_signal_that_a_handler_got_makes_the_others_uncertain),
		cmocka_unit_test(a_signalfd_is_ready_because_of_the_signal_read_next),
		cmocka_unit_test(a_signalfd_of_several_signals_or_takers_is_uncertain),
		cmocka_unit_test(a_signalfd_without_a_reader_is_uncertain),
		cmocka_unit_test(a_signalfd_may_be_ready_because_of_the_kernel),
		cmocka_unit_test(only_the_sender_is_the_source),
		cmocka_unit_test(the_kind_of_send_distinguishes_signals),
		cmocka_unit_test(threads_have_queues_of_their_own),
		cmocka_unit_test(signals_to_the_process_and_to_a_thread_are_ambiguous),
		cmocka_unit_test(a_group_that_was_signalled_has_members),
		cmocka_unit_test(a_send_that_did_not_return_was_sent),
		cmocka_unit_test(an_unexplained_signal_makes_later_ones_uncertain),
		cmocka_unit_test(the_last_send_of_the_killed_may_be_missing),
		cmocka_unit_test(a_missing_send_may_be_the_source),
		cmocka_unit_test(random_executions),
		cmocka_unit_test(random_executions_without_their_beginning),
	};

	if (argc > 1)
		nr_seeds = strtoull(argv[1], NULL, 10);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
