/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Tests decoder/check/ with executions of a machine that keeps the rules. No execution has a violation,
 * if it is whole, if its begin is overwritten, or if it was killed in the middle of calls. If one event
 * is removed from a whole execution or moved in time, the responsible check detects this as often as
 * possible. */
#include "decoder/check/check.h"
#include "tests/lib/random-machine.h"
#include "tests/unit/order-check.h"

#define NR_STEPS 8000u

static uint64_t nr_seeds = 100;

/* Threads that end leave no call unrecorded. */
static void end_threads(struct syt_builder *b)
{
	for (uint32_t t = 0; t < NR_THREADS; t++)
		syt_builder_event(b, 0, t,
		                  (struct syt_made){t ? SYT_SHAPE_THREAD_END : SYT_SHAPE_EXIT,
		                                    .in = UINT32_MAX});
}

static const struct syt_invariant *find(const char *name)
{
	for (unsigned i = 0; i < syt_nr_invariants; i++)
		if (!strcmp(syt_invariants[i].name, name))
			return &syt_invariants[i];
	fail();
	return NULL;
}

static uint64_t violations(struct syt_trace_data *trace, const struct syt_invariant *invariant,
                           uint64_t *checked, uint64_t *unproven)
{
	struct syt_order o;
	struct syt_check c;
	uint64_t nr;

	assert_int_equal(syt_order_open(&o, trace), 0);
	syt_check_run(&c, invariant, &o, 1);
	nr = c.nr_violations;
	*checked += c.nr_checked;
	*unproven += syt_check_unproven(&c);
	syt_check_close(&c);
	syt_order_close(&o);
	return nr;
}

/* Returns true for checks that need complete dumps. */
static bool is_of_dumps(const char *name)
{
	return !strcmp(name, "losses") || !strcmp(name, "sequence");
}

enum way { WHOLE, BEHEADED, KILLED };

static void expect_none(enum way way)
{
	for (unsigned i = 0; i < syt_nr_invariants; i++) {
		uint64_t checked = 0, unproven = 0, found = 0;

		for (uint64_t seed = 1; seed <= nr_seeds && !is_of_dumps(syt_invariants[i].name);
		     seed++) {
			struct syt_builder *b =
				machine_run(seed, NR_STEPS, way == KILLED ? MACHINE_KILLED : 0);

			if (way == WHOLE)
				end_threads(b);
			struct syt_trace_data *trace = syt_builder_trace(b);

			for (uint32_t t = 0; way == BEHEADED && t < NR_THREADS; t++)
				syt_builder_drop(
					b, 0, t,
					machine_random(trace->images[0].threads[t].nr_rows));
			uint64_t nr = violations(trace, &syt_invariants[i], &checked, &unproven);

			if (nr)
				print_message("%s: %llu violations, seed %llu\n",
				              syt_invariants[i].name, (unsigned long long)nr,
				              (unsigned long long)seed);
			found += nr;
			syt_builder_destroy(b);
		}
		assert_int_equal(found, 0);
		if (checked)
			print_message("%-12s %llu checked, %llu unproven\n", syt_invariants[i].name,
			              (unsigned long long)checked, (unsigned long long)unproven);
		if (way == WHOLE && !strcmp(syt_invariants[i].name, "mutex"))
			assert_true(checked > nr_seeds && !unproven);
	}
}

static void whole_executions(void **state)
{
	(void)state;
	expect_none(WHOLE);
}

static void executions_without_their_beginning(void **state)
{
	(void)state;
	expect_none(BEHEADED);
}

static void killed_executions(void **state)
{
	(void)state;
	expect_none(KILLED);
}

/* ---- changes that every check must notice ---- */

/* Chooses an event of SHAPE in the middle half of a thread, with a duration if HAS_TIME. Returns false
 * if there is no such event. */
static bool choose(struct syt_thread *t, enum syt_shape shape, enum syt_kind kind, bool has_time,
                   uint64_t *row)
{
	uint64_t from = t->nr_rows / 4, nr = t->nr_rows / 2;
	uint64_t first = nr ? machine_random(nr) : 0;

	for (uint64_t i = 0; i < nr; i++) {
		const struct syt_row *r = &t->rows[from + (first + i) % nr];

		if (syt_row_call(t->image, r)->shape == shape && r->object != SYT_NONE &&
		    t->image->objects[r->object].kind == kind && !r->err &&
		    (!has_time || r->in < r->out)) {
			*row = from + (first + i) % nr;
			return true;
		}
	}
	return false;
}

static void take_out(struct syt_thread *t, uint64_t row)
{
	memmove(&t->rows[row], &t->rows[row + 1], (t->nr_rows - row - 1) * sizeof(*t->rows));
	t->nr_rows--;
}

/* Shortens the call as if it had not waited. */
static void hasten(struct syt_thread *t, uint64_t row)
{
	t->rows[row].out = t->rows[row].in;
}

/* Returns the percentage of the changed executions in which the check NAME finds a violation. */
static unsigned percent_found(const char *name, enum syt_shape shape, enum syt_kind kind,
                              bool has_time, void (*spoil)(struct syt_thread *t, uint64_t row))
{
	unsigned nr_spoiled = 0, nr_found = 0;

	for (uint64_t seed = 1; seed <= nr_seeds; seed++) {
		struct syt_builder *b = machine_run(seed, NR_STEPS, 0);
		uint64_t row, checked = 0, unproven = 0;

		end_threads(b);
		struct syt_trace_data *trace = syt_builder_trace(b);
		struct syt_thread *t = &trace->images[0].threads[machine_random(NR_THREADS)];

		if (choose(t, shape, kind, has_time, &row)) {
			spoil(t, row);
			nr_spoiled++;
			nr_found += violations(trace, find(name), &checked, &unproven) != 0;
		}
		syt_builder_destroy(b);
	}
	print_message("%-12s %u of %u found\n", name, nr_found, nr_spoiled);
	assert_true(nr_spoiled >= nr_seeds / 10);
	return 100 * nr_found / nr_spoiled;
}

static void an_event_is_missing(void **state)
{
	(void)state;
	/* the last event of a direction may be missing without a violation */
	assert_true(percent_found("stream", SYT_SHAPE_SEND, SYT_KIND_STREAM, false, take_out) >=
	            95);
	assert_true(percent_found("stream", SYT_SHAPE_RECV, SYT_KIND_STREAM, false, take_out) >=
	            95);
	assert_true(percent_found("stream", SYT_SHAPE_SEND, SYT_KIND_QUEUE, false, take_out) >= 90);
	assert_int_equal(
		percent_found("barrier", SYT_SHAPE_BARRIER_WAIT, SYT_KIND_BARRIER, false, take_out),
		100);
	/* the check detects this if the remaining tokens are needed later */
	assert_true(percent_found("sem", SYT_SHAPE_SEM_POST, SYT_KIND_SEM, false, take_out) >= 30);
}

static void a_wait_is_stamped_too_early(void **state)
{
	(void)state;
	assert_true(percent_found("mutex", SYT_SHAPE_LOCK, SYT_KIND_MUTEX, true, hasten) >= 30);
	assert_true(percent_found("rwlock", SYT_SHAPE_LOCK, SYT_KIND_RWLOCK, true, hasten) >= 30);
	assert_true(percent_found("barrier", SYT_SHAPE_BARRIER_WAIT, SYT_KIND_BARRIER, true,
	                          hasten) >= 50);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole_executions),
		cmocka_unit_test(executions_without_their_beginning),
		cmocka_unit_test(killed_executions),
		cmocka_unit_test(an_event_is_missing),
		cmocka_unit_test(a_wait_is_stamped_too_early),
	};

	if (argc > 1)
		nr_seeds = strtoull(argv[1], NULL, 10);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
