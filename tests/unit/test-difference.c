/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * decoder/report/: work_unit.c and fact.c on histories made by hand; count_model.c, baseline.c and difference.c on
 * runs made by hand.
 */
#include <errno.h>
#include <unistd.h>

#include "base/err.h"
#include "decoder/report/compare/match.h"
#include "tests/unit/order-check.h"

/* ---- the facts of a run ---- */

#define NS 16u /* of a syt_time */

static struct syt_builder *b;
static uint32_t p;

static void on(uint32_t thread, enum syt_shape shape, uint32_t object, int64_t result, syt_time at)
{
	syt_builder_event(b, p, thread,
	                  (struct syt_made){shape, object, .out = at * NS, .result = result});
}

static struct syt_run look(void)
{
	struct syt_order order;
	struct syt_run run;

	assert_int_equal(syt_order_open_for(&order, syt_builder_trace(b), syt_run_edges), 0);
	syt_run_open(&run, "run", &order, NULL, NULL);
	syt_order_close(&order);
	return run;
}

static uint64_t count(const struct syt_run *run, enum syt_fact_type type, const char *name)
{
	const struct syt_fact *f = syt_run_find(run, type, name);

	return f ? f->nr : 0;
}

/* A request in two reads, an answer, a request, and a request on a connection without an accept. */
static void exchanges(void **state)
{
	struct syt_run run;

	(void)state;
	b = syt_builder_create();
	p = syt_builder_image(b, 100);
	uint32_t t = syt_builder_thread(b, p);
	uint32_t listening = syt_builder_object(b, p, SYT_KIND_LISTEN, 1, 0, SYT_OBJECT_SHARED);
	uint32_t accepted = syt_builder_object(b, p, SYT_KIND_STREAM, 2, 0, SYT_OBJECT_SHARED);
	uint32_t connected = syt_builder_object(b, p, SYT_KIND_STREAM, 3, 0, SYT_OBJECT_SHARED);

	syt_builder_event(b, p, t,
	                  (struct syt_made){SYT_SHAPE_ACCEPT, accepted, .out = NS, .result = 5,
	                                    .object2 = listening});
	on(t, SYT_SHAPE_RECV, accepted, 3, 2);
	on(t, SYT_SHAPE_RECV, accepted, 4, 3);
	on(t, SYT_SHAPE_RECV, accepted, -1, 4);
	on(t, SYT_SHAPE_SEND, accepted, 9, 5);
	on(t, SYT_SHAPE_SEND, accepted, 9, 6);
	on(t, SYT_SHAPE_RECV, accepted, 7, 7);
	on(t, SYT_SHAPE_SEND, accepted, 9, 8);
	on(t, SYT_SHAPE_RECV, accepted, 0, 9); /* the end */
	on(t, SYT_SHAPE_SEND, connected, 1, 10);
	on(t, SYT_SHAPE_RECV, connected, 1, 11);
	run = look();
	assert_int_equal(run.nr_exchanges, 2);
	assert_int_equal(count(&run, SYT_FACT_CALL, "?: send"), 4);
	assert_int_equal(count(&run, SYT_FACT_WAIT, "?: recv"), 4);
	assert_int_equal(count(&run, SYT_FACT_OBJECT, "stream\t?: accept"), 1);
	syt_run_close(&run);
	syt_builder_destroy(b);
}

static void locks(void **state)
{
	struct syt_run run;

	(void)state;
	b = syt_builder_create();
	p = syt_builder_image(b, 100);
	uint32_t t = syt_builder_thread(b, p);
	uint32_t m1 = syt_builder_object(b, p, SYT_KIND_MUTEX, 1, 0, 0);
	uint32_t m2 = syt_builder_object(b, p, SYT_KIND_MUTEX, 2, 0, 0);
	uint32_t sem = syt_builder_object(b, p, SYT_KIND_SEM, 3, 0, 0);

	on(t, SYT_SHAPE_LOCK, m1, 0, 1);
	on(t, SYT_SHAPE_LOCK, m2, EBUSY, 2); /* a try */
	on(t, SYT_SHAPE_SEM_POST, sem, 0, 3);
	on(t, SYT_SHAPE_UNLOCK, m1, 0, 4);
	on(t, SYT_SHAPE_LOCK, m2, 0, 5);
	on(t, SYT_SHAPE_UNLOCK, m2, 0, 6);
	on(t, SYT_SHAPE_SEM_POST, sem, 0, 7);
	run = look();
	assert_int_equal(count(&run, SYT_FACT_CALL, "?: lock"), 2);
	assert_int_equal(count(&run, SYT_FACT_HELD, "?: sem-post\t?: lock"), 1);
	assert_int_equal(count(&run, SYT_FACT_OBJECT, "mutex\t?: lock"), 2);
	assert_int_equal(count(&run, SYT_FACT_OBJECT, "sem\t?: sem-post"), 1);
	assert_int_equal(count(&run, SYT_FACT_NEXT, "?: lock\t?: sem-post"), 1);
	assert_int_equal(count(&run, SYT_FACT_NEXT, "?: lock\t?: unlock"), 1);
	syt_run_close(&run);
	syt_builder_destroy(b);
}

/* Only the newest 256 locks that are never released are remembered: the others cost no memory. */
static void locks_for_ever(void **state)
{
	const uint32_t nr = 300, most = 256;
	struct syt_run run;
	syt_time at = 0;

	(void)state;
	b = syt_builder_create();
	p = syt_builder_image(b, 100);
	uint32_t t = syt_builder_thread(b, p);
	uint32_t sem = syt_builder_object(b, p, SYT_KIND_SEM, 1, 0, 0);
	uint32_t first = syt_builder_object(b, p, SYT_KIND_MUTEX, 2, 0, 0);

	for (uint32_t i = 1; i < nr; i++)
		assert_int_equal(syt_builder_object(b, p, SYT_KIND_MUTEX, 2 + i, 0, 0), first + i);
	for (uint32_t i = 0; i < nr; i++)
		on(t, SYT_SHAPE_LOCK, first + i, 0, ++at);
	on(t, SYT_SHAPE_SEM_POST, sem, 0, ++at);
	for (uint32_t i = 0; i < most; i++)
		on(t, SYT_SHAPE_UNLOCK, first + nr - 1 - i, 0, ++at);
	on(t, SYT_SHAPE_SEM_POST, sem, 0, ++at);
	run = look();
	assert_int_equal(count(&run, SYT_FACT_HELD, "?: lock\t?: lock"), nr - 1);
	assert_int_equal(count(&run, SYT_FACT_HELD, "?: sem-post\t?: lock"), 1);
	syt_run_close(&run);
	syt_builder_destroy(b);
}

/* ---- runs against runs ---- */

#define NR_BEFORE 5u
#define NR_FACTS 12u

/* Returns a run with UNITS exchanges (request and answer). */
static struct syt_run made(uint64_t units)
{
	return (struct syt_run){.name = syt_asprintf("run"),
	                        .nr_exchanges = units,
	                        .seconds = 1,
	                        .facts = syt_calloc(NR_FACTS, sizeof(struct syt_fact))};
}

/* Adds a fact to the run; facts must be added in order. */
static void has(struct syt_run *r, enum syt_fact_type type, const char *name, uint64_t nr)
{
	assert_true(r->nr < NR_FACTS);
	if (nr)
		r->facts[r->nr++] =
			(struct syt_fact){.type = type,
		                          .name = syt_asprintf("%s", name),
		                          .nr = nr,
		                          .most = (nr + SYT_SLICES - 1) / SYT_SLICES,
		                          .nr_slices = nr < SYT_SLICES ? (uint32_t)nr : SYT_SLICES,
		                          .ns = nr * 1000};
}

static struct syt_run before[NR_BEFORE];
static struct syt_baseline baseline;

/*
 * Runs of a server: a thread for each run, two locks for each of 1000 exchanges, a queue whose
 * batches vary, an event that is not always there, a timer, and readiness.
 */
static void learn(void)
{
	static const uint64_t varying[NR_BEFORE] = {520, 480, 505, 490, 515};

	for (unsigned i = 0; i < NR_BEFORE; i++) {
		before[i] = made(1000);
		has(&before[i], SYT_FACT_MAKE, "s: main;pthread_create", 4);
		has(&before[i], SYT_FACT_CALL, "s: batch;lock", varying[i]);
		has(&before[i], SYT_FACT_CALL, "s: serve;lock", 2000);
		has(&before[i], SYT_FACT_CALL, "s: sometimes;lock", i ? 300 * i : 0);
		has(&before[i], SYT_FACT_CALL, "s: start;lock", 2);
		has(&before[i], SYT_FACT_WAIT, "s: epoll_wait", 300 + 100 * i);
		has(&before[i], SYT_FACT_NEXT, "s: serve;lock\ts: serve;unlock", 2000);
		has(&before[i], SYT_FACT_EDGE, "stream\ts: a;send\ts: b;recv", 500 + i);
	}
	syt_baseline_learn(&baseline, before, NR_BEFORE, NULL);
}

static void forget(void)
{
	syt_baseline_close(&baseline);
	for (unsigned i = 0; i < NR_BEFORE; i++)
		syt_run_close(&before[i]);
}

static const struct syt_count_models *models(enum syt_fact_type type, const char *name)
{
	const struct syt_norm *n = syt_baseline_find(&baseline, type, name);

	return n ? &n->models : NULL;
}

static char *text_of(const struct syt_baseline *of)
{
	char *text;
	size_t bytes;
	FILE *f = open_memstream(&text, &bytes);

	syt_baseline_write(f, of);
	fclose(f);
	return text;
}

static void runs_give_a_model(void **state)
{
	(void)state;
	learn();
	assert_int_equal(baseline.rule, SYT_WORK_UNIT_EXCHANGE);
	char *text = text_of(&baseline);

	assert_string_equal(text, "syntrace-baseline 2\n"
	                          "unit exchange\n"
	                          "runs 5\n"
	                          "units 1000\n"
	                          "events 0\n"
	                          "lost 0\n"
	                          "blind 0\n"
	                          "unattributed 0\n"
	                          "unmatched 0\n"
	                          "wakes 0..0\n"
	                          "recorded ?\n"
	                          "host ?\n"
	                          "recorder ?\n"
	                          "program ?\n"
	                          "seconds 1..1\n"
	                          "make\t4/run\ts: main;pthread_create\n"
	                          "call\t+\ts: batch;lock\n"
	                          "call\t2/unit 2000/run 2000/s\ts: serve;lock\n"
	                          "call\t*\ts: sometimes;lock\n"
	                          "wait\t+\ts: epoll_wait\n"
	                          "next\t2/unit 2000/run 2000/s\ts: serve;lock\ts: serve;unlock\n"
	                          "edge\t+\tstream\ts: a;send\ts: b;recv\n");
	assert_null(models(SYT_FACT_CALL, "s: start;lock"));
	free(text);
	forget();
}

/* A written model reads back as the same model. */
static void a_written_model_reads_back(void **state)
{
	char path[] = "/tmp/syntrace-test-difference.XXXXXX";
	int fd = mkstemp(path);
	struct syt_baseline again;
	char *text, *and;

	(void)state;
	learn();
	text = text_of(&baseline);
	assert_true(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
	assert_true(syt_baseline_is_file(path));
	assert_true(syt_baseline_read(&again, path));
	and = text_of(&again);
	assert_string_equal(text, and);
	free(and);
	free(text);
	close(fd);
	unlink(path);
	syt_baseline_close(&again);
	forget();
}

/* Checks the differences of NR runs, which are lines "change type name[ follows][ undecided]\n". */
static void expect(struct syt_run *after, unsigned nr, const char *expected)
{
	struct syt_comparison c;
	char *text;
	size_t bytes;
	FILE *f = open_memstream(&text, &bytes);

	syt_comparison_open(&c, &baseline, after, nr);
	for (size_t i = 0; i < c.nr; i++)
		fprintf(f, "%s %s %s%s%s\n", syt_change_text(c.all[i].change),
		        syt_fact_type_text(c.all[i].type), c.all[i].name,
		        c.all[i].follows ? " follows" : "",
		        c.all[i].is_undecided ? " undecided" : "");
	fclose(f);
	assert_string_equal(text, expected);
	assert_int_equal(c.nr, c.nr_findings + c.nr_following + c.nr_undecided);
	free(text);
	syt_comparison_close(&c);
	for (unsigned i = 0; i < nr; i++)
		syt_run_close(&after[i]);
}

/* Returns a run of a server with UNITS exchanges and LOCKS lock operations. */
static struct syt_run server(uint64_t units, uint64_t threads, uint64_t locks)
{
	struct syt_run r = made(units);

	has(&r, SYT_FACT_MAKE, "s: main;pthread_create", threads);
	has(&r, SYT_FACT_CALL, "s: batch;lock", 500);
	has(&r, SYT_FACT_CALL, "s: serve;lock", locks);
	has(&r, SYT_FACT_WAIT, "s: epoll_wait", 1);
	has(&r, SYT_FACT_NEXT, "s: serve;lock\ts: serve;unlock", locks);
	has(&r, SYT_FACT_EDGE, "stream\ts: a;send\ts: b;recv", 50);
	return r;
}

static void differences_are_found(void **state)
{
	struct syt_run r;

	(void)state;
	learn();
	/* as before; twice the work, by per unit; twice the exchanges of the same work, by per run */
	r = server(1000, 4, 2000);
	expect(&r, 1, "");
	r = server(2000, 4, 4000);
	expect(&r, 1, "");
	r = server(2000, 4, 2000);
	expect(&r, 1, "");
	/*
	 * between the two: a mixture; a difference that may be chance; a difference of a twentieth
	 * of the units
	 */
	r = server(2000, 4, 3000);
	expect(&r, 1, "");
	r = server(1000, 4, 2040);
	expect(&r, 1, "");
	r = server(1000, 5, 3000);
	expect(&r, 1, "more make s: main;pthread_create\nmore call s: serve;lock\n");
	r = server(1000, 4, 1000);
	expect(&r, 1,
	       "less call s: serve;lock\n"
	       "less next s: serve;lock\ts: serve;unlock follows\n");
	r = server(1000, 4, 0);
	expect(&r, 1,
	       "gone call s: serve;lock\n"
	       "gone next s: serve;lock\ts: serve;unlock follows\n");
	forget();
}

static void new_facts_are_found(void **state)
{
	struct syt_run r;

	(void)state;
	learn();
	/* 49 times in 1000 units, and as a wait 249 times: less than a share of them */
	r = server(1000, 4, 2000);
	has(&r, SYT_FACT_OBJECT, "mutex\ts: x;lock", 49);
	expect(&r, 1, "");
	r = server(1000, 4, 2000);
	has(&r, SYT_FACT_OBJECT, "mutex\ts: x;lock", 50);
	expect(&r, 1, "new object mutex\ts: x;lock\n");
	r = server(1000, 4, 2000);
	has(&r, SYT_FACT_EDGE, "stream\ts: c;send\ts: d;recv", 249);
	expect(&r, 1, "");
	r = server(1000, 4, 2000);
	has(&r, SYT_FACT_EDGE, "stream\ts: c;send\ts: d;recv", 250);
	expect(&r, 1, "new edge stream\ts: c;send\ts: d;recv\n");
	forget();
}

/* Events that come in bursts: many events in few time slices say less than in many time slices. */
static void bursts(void **state)
{
	struct syt_run r;

	(void)state;
	learn();
	r = server(1000, 4, 3000);
	r.facts[2].most = 600; /* 1000 events are too many */
	expect(&r, 1, "");
	r = server(1000, 4, 3000);
	r.facts[2].most = 400;
	expect(&r, 1, "more call s: serve;lock\n");
	r = server(1000, 4, 2000);
	has(&r, SYT_FACT_OBJECT, "mutex\ts: x;lock", 300);
	r.facts[r.nr - 1].nr_slices = 7;
	expect(&r, 1, "");
	r = server(1000, 4, 2000);
	has(&r, SYT_FACT_OBJECT, "mutex\ts: x;lock", 300);
	r.facts[r.nr - 1].nr_slices = 8;
	expect(&r, 1, "new object mutex\ts: x;lock\n");
	forget();
}

/* After a wake without work, a thread makes some calls; the number of these wakes depends on time. */
static void wakes_explain_calls(void **state)
{
	struct syt_run r;

	(void)state;
	learn();
	r = server(1000, 4, 2600);
	expect(&r, 1, "more call s: serve;lock\n");
	r = server(1000, 4, 2600);
	r.nr_wakes = 550;
	expect(&r, 1, "");
	r = server(1000, 4, 2600);
	r.nr_wakes = 400; /* too few of them */
	expect(&r, 1, "more call s: serve;lock\n");
	r = server(1000, 4, 3000); /* one more in each unit */
	r.nr_wakes = 2000;
	expect(&r, 1, "more call s: serve;lock\n");
	baseline.wakes_low = baseline.wakes_high = 1;
	r = server(1000, 4, 1400);
	r.nr_wakes = 400;
	expect(&r, 1, "");
	r = server(1000, 4, 1400);
	r.nr_wakes = 1000;
	expect(&r, 1,
	       "less call s: serve;lock\nless next s: serve;lock\ts: serve;unlock follows\n");
	forget();
}

/* Returns a run of 1000 exchanges with a timer, and with connections that end in bursts of at most MOST calls. */
static struct syt_run timer(double seconds, uint64_t ticks, uint64_t ends, uint64_t most)
{
	struct syt_run r = made(1000);

	r.seconds = seconds;
	has(&r, SYT_FACT_MAKE, "s: main;pthread_create", 4);
	has(&r, SYT_FACT_CALL, "s: end;lock", ends);
	r.facts[r.nr - 1].most = most;
	has(&r, SYT_FACT_CALL, "s: serve;lock", 1000);
	has(&r, SYT_FACT_CALL, "s: tick;lock", ticks);
	return r;
}

static void time_explains_calls(void **state)
{
	struct syt_run r;

	(void)state;
	for (unsigned i = 0; i < NR_BEFORE; i++)
		before[i] = timer(1, 40, 400, 100);
	syt_baseline_learn(&baseline, before, NR_BEFORE, NULL);
	r = timer(8, 300, 400, 100);
	expect(&r, 1, "");
	r = timer(1.1, 300, 400, 100); /* not longer than the other runs */
	expect(&r, 1, "more call s: tick;lock\n");
	r = timer(8, 3000, 400, 100); /* more than the time explains */
	expect(&r, 1, "more call s: tick;lock\n");
	r = timer(8, 40, 400, 100);
	r.facts[0].nr = 6;
	expect(&r, 1, "more make s: main;pthread_create\n");
	forget();
}

/* One of several bursts may be missing. */
static void bursts_explain_missing_calls(void **state)
{
	struct syt_run r;

	(void)state;
	for (unsigned i = 0; i < NR_BEFORE; i++)
		before[i] = timer(1, 40, 400, 100);
	syt_baseline_learn(&baseline, before, NR_BEFORE, NULL);
	r = timer(1, 40, 300, 100);
	expect(&r, 1, "");
	r = timer(1, 40, 300, 5);
	expect(&r, 1, "less call s: end;lock\n");
	r = timer(1, 40, 100, 100); /* a single burst remains */
	expect(&r, 1, "less call s: end;lock\n");
	forget();
}

/* ---- two builds ---- */

static int by_fact(const void *x, const void *y)
{
	const struct syt_fact *f = x, *g = y;

	return syt_fact_compare(f->type, f->name, g->type, g->name);
}

/* Compares runs of a build with the calls BEFORE and of a build with the calls AFTER, each a list "NR path" that ends
 * with NULL. Checks the renames, "old>new ", and the differences. */
static void builds(const char *const *old, const char *const *new, const char *renames,
                   const char *differences)
{
	struct syt_run after = made(1000);
	struct syt_sides sides = {.before = &baseline, .after = &after, .nr_after = 1};
	struct syt_matches m;
	char *text, *path;
	size_t bytes;
	FILE *f;

	for (unsigned i = 0; i < NR_BEFORE; i++) {
		before[i] = made(1000);
		for (const char *const *c = old; *c; c++)
			has(&before[i], SYT_FACT_CALL, strchr(*c, ' ') + 1,
			    strtoull(*c, NULL, 10) * 1000);
		qsort(before[i].facts, before[i].nr, sizeof(*before[i].facts), by_fact);
	}
	syt_baseline_learn(&baseline, before, NR_BEFORE, NULL);
	for (const char *const *c = new; *c; c++) {
		unsigned long long nr = strtoull(*c, &path, 10);

		has(&after, SYT_FACT_CALL, path + 1, nr * 1000);
	}
	qsort(after.facts, after.nr, sizeof(*after.facts), by_fact);
	syt_match(&m, &sides);
	f = open_memstream(&text, &bytes);
	for (size_t i = 0; i < m.nr; i++)
		fprintf(f, "%s>%s ", m.renames[i].before, m.renames[i].after);
	fclose(f);
	assert_string_equal(text, renames);
	free(text);
	syt_matches_close(&m);
	expect(&after, 1, differences);
	forget();
}

#define CALLS(...) ((const char *const[]){__VA_ARGS__, NULL})

static void call_paths_of_two_builds_match(void **state)
{
	(void)state;
	/* an inlined function; a tail call; both, with two call paths that become one */
	builds(CALLS("1 s: main;f;g;lock"), CALLS("1 s: main;f;lock"), "", "");
	builds(CALLS("1 s: main;f;lock"), CALLS("1 s: main;f;g;lock"), "", "");
	builds(CALLS("1 s: main;f;g;lock", "2 s: main;f;h;lock"), CALLS("3 s: main;f;lock"), "",
	       "");
	builds(CALLS("1 s: main;f;g;lock", "2 s: main;f;h;lock"), CALLS("4 s: main;f;lock"), "",
	       "more call s: main;f;lock\n");
	builds(CALLS("1 s: main;f;g;lock", "1 s: main;f;lock"), CALLS("2 s: main;f;lock"), "", "");
	/* another call, another program among several, another way */
	builds(CALLS("1 s: main;f;g;lock"), CALLS("1 s: main;f;unlock"), "",
	       "new call s: main;f;unlock\ngone call s: main;f;g;lock\n");
	builds(CALLS("1 s: main;f;lock", "1 s: main;g;post"),
	       CALLS("1 s: main;g;lock", "1 s: main;f;post"), "",
	       "new call s: main;f;post\nnew call s: main;g;lock\n"
	       "gone call s: main;f;lock\ngone call s: main;g;post\n");
	/* renamed functions; if the counts differ, they are two functions */
	builds(CALLS("1 s: main;f;lock", "1 s: main;f;unlock"),
	       CALLS("1 s: main;new;lock", "1 s: main;new;unlock"), "f>new ", "");
	builds(CALLS("1 s: main;f;lock"), CALLS("2 s: main;new;lock"), "",
	       "new call s: main;new;lock\ngone call s: main;f;lock\n");
	builds(CALLS("1 s: main;f;lock", "3 s: main;g;post"),
	       CALLS("1 s2: main;f;lock", "3 s2: main;new;post"), "g>new s>s2 ", "");
	/* main() is in most programs, so it does not make two programs one, but equal counts of all calls do */
	builds(CALLS("1 s: main;f;lock"), CALLS("1 s2: main;new;lock"), "",
	       "new call s2: main;new;lock\ngone call s: main;f;lock\n");
	builds(CALLS("1 s: main;lock", "3 s: main;post"), CALLS("1 s2: main;lock", "3 s2: main;post"),
	       "s>s2 ", "");
	builds(CALLS("1 s: main;lock"), CALLS("2 s2: main;lock"), "",
	       "new call s2: main;lock\ngone call s: main;lock\n");
	/* functions without names do not make two programs one */
	builds(CALLS("1 s: s+0x12;lock"), CALLS("1 t: t+0x34;lock"), "",
	       "new call t: t+0x34;lock\ngone call s: s+0x12;lock\n");
	/* functions without names */
	builds(CALLS("1 s: main;f;lock", "2 s: main;g;lock"), CALLS("3 s: s+0x12;s+0x34;lock"), "",
	       "");
	builds(CALLS("1 s: main;f;lock", "2 s: main;g;lock"), CALLS("4 s: s+0x12;s+0x34;lock"), "",
	       "more call s: main;f;lock\n");
	builds(CALLS("1 s: s+0x11;s+0x22;lock"), CALLS("1 s: s+0x12;s+0x34;lock"), "", "");
}

static void waits_are_compared_only_by_presence(void **state)
{
	struct syt_run r = made(1000);

	(void)state;
	learn();
	has(&r, SYT_FACT_MAKE, "s: main;pthread_create", 4);
	has(&r, SYT_FACT_CALL, "s: batch;lock", 9000);
	has(&r, SYT_FACT_CALL, "s: serve;lock", 2000);
	has(&r, SYT_FACT_NEXT, "s: serve;lock\ts: serve;unlock", 2000);
	has(&r, SYT_FACT_EDGE, "stream\ts: a;send\ts: b;recv", 1);
	expect(&r, 1, "gone wait s: epoll_wait\n");
	forget();
}

static void several_runs_agree(void **state)
{
	struct syt_run several[2];

	(void)state;
	learn();
	several[0] = server(1000, 4, 3000);
	several[1] = server(1000, 4, 2000);
	expect(several, 2, "");
	several[0] = server(1000, 4, 3000);
	several[1] = server(500, 4, 1500);
	expect(several, 2, "");
	several[0] = server(1000, 4, 3000);
	several[1] = server(900, 4, 2700);
	expect(several, 2, "more call s: serve;lock\n");
	forget();
}

/* Lost events can only make counts smaller. */
static void lost_events(void **state)
{
	struct syt_run r;

	(void)state;
	learn();
	r = server(1000, 4, 1000);
	r.nr_lost = 1;
	expect(&r, 1,
	       "less call s: serve;lock undecided\n"
	       "less next s: serve;lock\ts: serve;unlock follows undecided\n");
	r = server(1000, 4, 3000);
	r.nr_lost = 1;
	expect(&r, 1, "more call s: serve;lock\n");
	baseline.nr_lost = 1;
	r = server(1000, 4, 3000);
	expect(&r, 1, "more call s: serve;lock undecided\n");
	forget();
}

/* A call took 1000 ns before and takes 2000 ns after the change; with fewer runs, diff reports nothing. */
static void times(void **state)
{
	struct syt_run after[4];
	struct syt_comparison c;

	(void)state;
	learn();
	for (unsigned i = 0; i < 4; i++) {
		after[i] = server(1000, 4, 2000);
		for (size_t k = 0; k < after[i].nr; k++)
			after[i].facts[k].ns *= 2;
	}
	for (unsigned nr = 3; nr <= 4; nr++) {
		syt_comparison_open(&c, &baseline, after, nr);
		syt_comparison_times(&c, before, NR_BEFORE);
		assert_int_equal(c.nr, 0);
		assert_int_equal(c.nr_slower, nr == 4);
		if (nr == 4) {
			assert_true(c.slower[0].before_ns == 2000);
			assert_true(c.slower[0].after_ns == 4000);
		}
		syt_comparison_close(&c);
	}
	for (unsigned i = 0; i < 4; i++)
		syt_run_close(&after[i]);
	forget();
}

static void ranges_and_chance(void **state)
{
	static const struct syt_size sizes[3] = {{{1000, 1, 1}}, {{1000, 1, 2}}, {{1000, 1, 3}}};
	static const uint64_t near[3] = {3000, 3020, 2980}, one[1] = {3000}, odd[1] = {2900};
	struct syt_count_models l;

	(void)state;
	assert_true(syt_count_model_chance(5) == 8);
	assert_true(syt_count_model_chance(1) == 20);
	assert_true(syt_count_model_rounded(0.37, true) == 0.5 &&
	            syt_count_model_rounded(370, false) == 200);
	assert_true(syt_count_model_rounded(1, true) == 1 && syt_count_model_rounded(0, true) == 0);
	/* two thirds of a percent apart: no exact model, and three runs make a wide range */
	syt_count_models_learn(&l, SYT_FACT_CALL, near, sizes, 3, true);
	assert_int_equal(l.of[SYT_PER_UNIT].kind, SYT_COUNT_MODEL_NONE);
	assert_true(l.must_occur);
	/* a single run gives a model only with a whole number per unit */
	syt_count_models_learn(&l, SYT_FACT_CALL, one, sizes, 1, true);
	assert_int_equal(l.of[SYT_PER_UNIT].kind, SYT_COUNT_MODEL_EXACT);
	assert_int_equal(l.of[SYT_PER_RUN].kind, SYT_COUNT_MODEL_NONE);
	syt_count_models_learn(&l, SYT_FACT_CALL, odd, sizes, 1, true);
	assert_int_equal(l.of[SYT_PER_UNIT].kind, SYT_COUNT_MODEL_NONE);
	assert_true(l.must_occur);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(exchanges),
		cmocka_unit_test(locks),
		cmocka_unit_test(locks_for_ever),
		cmocka_unit_test(runs_give_a_model),
		cmocka_unit_test(a_written_model_reads_back),
		cmocka_unit_test(differences_are_found),
		cmocka_unit_test(new_facts_are_found),
		cmocka_unit_test(bursts),
		cmocka_unit_test(wakes_explain_calls),
		cmocka_unit_test(time_explains_calls),
		cmocka_unit_test(bursts_explain_missing_calls),
		cmocka_unit_test(call_paths_of_two_builds_match),
		cmocka_unit_test(waits_are_compared_only_by_presence),
		cmocka_unit_test(several_runs_agree),
		cmocka_unit_test(lost_events),
		cmocka_unit_test(times),
		cmocka_unit_test(ranges_and_chance),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
