/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Parses right, wrong and hostile expectations, and compares expectations with a synthetic model. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/lines.h"
#include "base/store.h"
#include "decoder/model/expect.h"
#include "tests/lib/random.h"

/* ---- the parser ---- */

static struct syt_expectation only(struct syt_expect *e, const char *text)
{
	struct syt_expect_error error;

	if (!syt_expect_parse(e, text, strlen(text), &error))
		fail_msg("%s: %u:%u: %s", text, error.line, error.column, error.message);
	assert_int_equal(e->nr, 1);
	return e->all[0];
}

static void test_right(void **state)
{
	static const struct {
		const char *text;
		enum syt_expect_what what;
		const char *subject, *name, *later;
		uint64_t least, most;
		uint32_t share;
	} cases[] = {
		{"commit: Rpc = 1\n", SYT_EXPECT_COUNT, "commit", "Rpc", NULL, 1, 1,
	         SYT_EXPECT_ALL},
		{"\tcommit:  Rpc  =  1  # why", SYT_EXPECT_COUNT, "commit", "Rpc", NULL, 1, 1,
	         SYT_EXPECT_ALL},
		{"* : f(int, char) <= 7 in 12.5 %", SYT_EXPECT_COUNT, NULL, "f(int, char)", NULL, 0,
	         7, 12500000},
		{"a::b<c>: x >= 2", SYT_EXPECT_COUNT, "a::b<c>", "x", NULL, 2, UINT64_MAX,
	         SYT_EXPECT_ALL},
		{"t: x > 2", SYT_EXPECT_COUNT, "t", "x", NULL, 3, UINT64_MAX, SYT_EXPECT_ALL},
		{"t: x < 2", SYT_EXPECT_COUNT, "t", "x", NULL, 0, 1, SYT_EXPECT_ALL},
		{"t: x = 1..3", SYT_EXPECT_COUNT, "t", "x", NULL, 1, 3, SYT_EXPECT_ALL},
		{"t: x 1..3 in 50%", SYT_EXPECT_COUNT, "t", "x", NULL, 1, 3, 50000000},
		{"\"a: \\\"b\": \"latency\" = 0", SYT_EXPECT_COUNT, "a: \"b", "latency", NULL, 0, 0,
	         SYT_EXPECT_ALL},
		{"t: \"operator <\" < 2", SYT_EXPECT_COUNT, "t", "operator <", NULL, 0, 1,
	         SYT_EXPECT_ALL},
		{"t: lambda#1 = 1", SYT_EXPECT_COUNT, "t", "lambda#1", NULL, 1, 1, SYT_EXPECT_ALL},
		{"t: a before b c in 3 %", SYT_EXPECT_BEFORE, "t", "a", "b c", 1, 1, 3000000},
		{"t: before before in", SYT_EXPECT_BEFORE, "t", "before", "in", 1, 1,
	         SYT_EXPECT_ALL},
		{"get: latency <= 5ms in 99 %", SYT_EXPECT_LATENCY, "get", NULL, NULL, 0, 5000000,
	         99000000},
		{"t: latency < 1.5 us", SYT_EXPECT_LATENCY, "t", NULL, NULL, 0, 1499,
	         SYT_EXPECT_ALL},
		{"t: ran 1..20 ms", SYT_EXPECT_RAN, "t", NULL, NULL, 1000000, 20000000,
	         SYT_EXPECT_ALL},
		{"t: cpu = 900us..1ms", SYT_EXPECT_CPU, "t", NULL, NULL, 900000, 1000000,
	         SYT_EXPECT_ALL},
		{"t: wait = 0 in 9%", SYT_EXPECT_WAIT, "t", NULL, NULL, 0, 0, 9000000},
		{"t: wait:lock <= 1s", SYT_EXPECT_WAIT, "t", NULL, NULL, 0, 1000000000,
	         SYT_EXPECT_ALL},
		{"t: sent <= 2 KiB", SYT_EXPECT_SENT, "t", NULL, NULL, 0, 2048, SYT_EXPECT_ALL},
		{"t: received >= 10 in 1 %", SYT_EXPECT_RECEIVED, "t", NULL, NULL, 10, UINT64_MAX,
	         1000000},
		{"t: threads = 2", SYT_EXPECT_THREADS, "t", NULL, NULL, 2, 2, SYT_EXPECT_ALL},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct syt_expect e;
		struct syt_expectation x = only(&e, cases[i].text);

		print_message("%s\n", x.text);
		assert_int_equal(x.what, cases[i].what);
		assert_string_equal(x.subject ? x.subject : "*",
		                    cases[i].subject ? cases[i].subject : "*");
		assert_string_equal(x.name ? x.name : "", cases[i].name ? cases[i].name : "");
		assert_string_equal(x.later ? x.later : "", cases[i].later ? cases[i].later : "");
		assert_int_equal(x.least, cases[i].least);
		assert_int_equal(x.most, cases[i].most);
		assert_int_equal(x.share, cases[i].share);
		syt_expect_close(&e);
	}
}

static void test_wrong(void **state)
{
	static const struct {
		const char *text;
		uint32_t line, column;
	} cases[] = {
		{"commit", 1, 7},
		{": x = 1", 1, 1},
		{"# first\n\nt: x = 1\nt x = 1\n", 4, 8},
		{"t:", 1, 3},
		{"t: x", 1, 5},
		{"t: = 1", 1, 7},
		{"t: x = ", 1, 7},
		{"t: x = y", 1, 8},
		{"t: x = 1ms", 1, 9},
		{"t: x = 1 2", 1, 10},
		{"t: x = 3..1", 1, 11},
		{"t: x < 1..3", 1, 9},
		{"t: x < 0", 1, 8},
		{"t: x = 1..", 1, 11},
		{"t: x = 1.5", 1, 8},
		{"t: x = 99999999999999999999", 1, 8},
		{"t: x = 18446744073709551617", 1, 8},
		{"t: latency <= 5", 1, 16},
		{"t: latency <= 5 in 9 %", 1, 16},
		{"t: latency <= 5 hours", 1, 17},
		{"t: latency <= 0.0000000001 s", 1, 26},
		{"t: latency <= 0.1 ns", 1, 15},
		{"t: latency <= 9999999999 s", 1, 15},
		{"t: sent <= 1 XB", 1, 14},
		{"t: wait:nothing = 0", 1, 9},
		{"t: x = 1 in", 1, 12},
		{"t: x = 1 in 5", 1, 14},
		{"t: x = 1 in 0 %", 1, 13},
		{"t: x = 1 in 101 %", 1, 13},
		{"t: x = 1 in 5 % y", 1, 17},
		{"t: x = 1 on 5 %", 1, 10},
		{"t: a before", 1, 12},
		{"t: a before b in x", 1, 18},
		{"t: \"a = 1", 1, 4},
		{"\"t: a = 1", 1, 1},
		{"t: \"a\"b = 1", 1, 7},
		{"t: \"a\" b = 1", 1, 8},
		{"t: \"\" = 1", 1, 4},
		{"t: x\001 = 1", 1, 5},
		{"t: x = 1\r\n", 1, 9},
		{"t: x = 1\nt: \xc3\xa4\xe4 = 1", 2, 6},
		{"# \xff", 1, 3},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct syt_expect_error error;
		struct syt_expect e;

		print_message("%s\n", cases[i].text);
		assert_false(syt_expect_parse(&e, cases[i].text, strlen(cases[i].text), &error));
		print_message("%u:%u: %s\n", error.line, error.column, error.message);
		assert_int_equal(e.nr, 0);
		assert_int_equal(error.line, cases[i].line);
		assert_int_equal(error.column, cases[i].column);
	}
}

/* Lines that are too long, too many lines, and random text. */
static void test_hostile(void **state)
{
	static const char *const words[] = {"t",      ":",  " ",       "=",     "..", "1",
	                                    "ms",     "in", "%",       "\"",    "\\", "#",
	                                    "before", "\n", "*",       "wait:", "<=", "lat",
	                                    "ency",   "\t", "latency", ".",     "9",  "\xff"};
	size_t bytes = SYT_LINE_MOST + 10;
	struct syt_random random = {1};
	struct syt_expect_error error;
	struct syt_expect e;
	char *text = malloc(bytes);

	(void)state;
	memset(text, '#', bytes);
	assert_true(syt_expect_parse(&e, text, SYT_LINE_MOST, &error));
	assert_false(syt_expect_parse(&e, text, bytes, &error));
	assert_int_equal(error.column, SYT_LINE_MOST + 1);
	memset(text, '\n', bytes);
	assert_true(syt_expect_parse(&e, text, SYT_LINES_MOST, &error));
	assert_false(syt_expect_parse(&e, text, SYT_LINES_MOST + 1, &error));
	assert_int_equal(error.line, SYT_LINES_MOST + 1);
	assert_false(syt_expect_parse(&e, "\0", 1, &error));
	free(text);
	for (unsigned i = 0; i < 100000; i++) {
		unsigned nr = (unsigned)syt_random_below(&random, 16);
		char line[256] = "", *copy;

		if (syt_random_below(&random, 2))
			strcpy(line, "t: x ");
		for (unsigned k = 0; k < nr; k++)
			strcat(line,
			       words[syt_random_below(&random, sizeof(words) / sizeof(words[0]))]);
		/* no byte behind the text, so that a read behind it is seen */
		copy = malloc(strlen(line) + !*line);
		memcpy(copy, line, strlen(line));
		if (syt_expect_parse(&e, copy, strlen(line), &error)) {
			for (size_t k = 0; k < e.nr; k++) {
				assert_true(e.all[k].least <= e.all[k].most);
				assert_true(e.all[k].share && e.all[k].share <= SYT_EXPECT_ALL);
			}
			syt_expect_close(&e);
		} else {
			assert_true(error.line && error.column && error.message);
			assert_true(error.column <= strlen(line) + 1);
		}
		free(copy);
	}
}

/* ---- the check ---- */

#define NR_INSTANCES 10u

/* An instance: a thread A runs main;commit;Mutate;lock, main;commit;Mutate;unlock, main;commit;Send;write twice; a thread B
 * gets the first write and runs main;Reply;read, main;Reply;write, whose answer A reads in main;commit;recv. The instance 3
 * has no second write, and the instance 7 has no edge for the answer. */
enum { LOCK, UNLOCK, RECV, WRITE, READ, ANSWER, OTHER, NR_LABELS };
static const char *const labels[NR_LABELS] = {"s: main;commit(int);Mutate;lock",
                                              "s: main;commit(int);Mutate;unlock",
                                              "s: main;commit(int);recv",
                                              "s: main;commit(int);Send;write",
                                              "s: main;Reply;read",
                                              "s: main;Reply;write",
                                              "s: main;other;lock"};

static struct syt_model_input in;
static struct syt_model m;

static void add_leaf(uint32_t label, uint32_t thread, uint32_t start, uint8_t kind)
{
	in.leaves[in.nr_leaves++] = (struct syt_model_leaf){
		.label = label, .thread = thread, .start = start, .kind = kind};
}

static void open_model(void)
{
	struct syt_model_options options = {.least = 2};
	uint32_t first[NR_INSTANCES];

	memset(&in, 0, sizeof(in));
	in.nr_labels = NR_LABELS;
	in.nr_threads = 2;
	in.labels = calloc(NR_LABELS, sizeof(*in.labels));
	for (uint32_t i = 0; i < NR_LABELS; i++)
		in.labels[i] = (struct syt_model_label){.text = labels[i], .turn = SYT_TURN_OTHER};
	in.roles = calloc(2, sizeof(*in.roles));
	in.roles[1] = 1;
	in.leaves = syt_store_alloc((uint64_t)NR_INSTANCES * 7, sizeof(*in.leaves));
	in.inner = syt_store_alloc(NR_INSTANCES, sizeof(*in.inner));
	for (uint32_t i = 0; i < NR_INSTANCES; i++) {
		uint32_t begin = in.nr_leaves;

		first[i] = SYT_NONE;
		add_leaf(LOCK, 0, SYT_NONE, SYT_EDGE_PROGRAM);
		add_leaf(UNLOCK, 0, begin, SYT_EDGE_PROGRAM);
		add_leaf(WRITE, 0, begin + 1, SYT_EDGE_PROGRAM);
		first[i] = begin + 1; /* ends at the first write */
		if (i != 3)
			add_leaf(WRITE, 0, begin + 2, SYT_EDGE_PROGRAM);
		add_leaf(RECV, 0, in.nr_leaves - 1, SYT_EDGE_PROGRAM);
	}
	for (uint32_t i = 0; i < NR_INSTANCES; i++) {
		add_leaf(READ, 1, first[i], SYT_EDGE_STREAM);
		add_leaf(ANSWER, 1, in.nr_leaves - 1, SYT_EDGE_PROGRAM);
		/* the answer of the instance 7 never arrives */
		if (i != 7)
			in.inner[in.nr_inner++] =
				(struct syt_model_inner){.from = in.nr_leaves - 1,
			                                 .to = first[i] + (i == 3 ? 2 : 3),
			                                 .kind = SYT_EDGE_STREAM};
	}
	assert_int_equal(syt_model_open(&m, &in, &options), 0);
}

static void close_model(void)
{
	syt_model_close(&m);
	syt_model_input_close(&in);
}

/* Returns the name of the task that begins with the label LOCK and contains READ. */
static const char *task(void)
{
	for (uint32_t i = 0; i < m.nr_tasks; i++)
		if (m.tasks[i].is_top && m.tasks[i].root == LOCK && m.tasks[i].nr_threads == 2)
			return m.tasks[i].name;
	fail_msg("the model has no task");
	return NULL;
}

static struct syt_expect_result check(const char *test)
{
	char text[256];
	struct syt_expect e;
	struct syt_expect_result r;

	snprintf(text, sizeof(text), "\"%s\": %s", task(), test);
	only(&e, text);
	r = syt_expect_check(&e.all[0], &m, NULL);
	print_message("%s: verdict %d, %u of %u failed, value %u\n", text, (int)r.verdict,
	              (unsigned)r.nr_failed, (unsigned)r.nr, (unsigned)r.value);
	if (r.verdict == SYT_EXPECT_NO_PART)
		assert_string_equal(r.missing, "nothing");
	syt_expect_close(&e);
	return r;
}

static void test_check(void **state)
{
	static const struct {
		const char *test;
		enum syt_expect_verdict verdict;
		uint64_t nr_failed, value;
	} cases[] = {
		/* a function is counted once for its adjacent leaves, a call each time */
		{"Mutate = 1", SYT_EXPECT_HOLDS, 0, 0},
		{"Mutate = 2", SYT_EXPECT_FAILS, 10, 1},
		{"lock = 1", SYT_EXPECT_HOLDS, 0, 0},
		{"write = 3", SYT_EXPECT_FAILS, 1, 2},
		{"write = 3 in 90 %", SYT_EXPECT_HOLDS, 1, 2},
		{"write = 3 in 90.1 %", SYT_EXPECT_FAILS, 1, 2},
		{"write 2..3", SYT_EXPECT_HOLDS, 0, 0},
		{"Send;write >= 2", SYT_EXPECT_FAILS, 1, 1},
		/* the same leaf again is another visit of Send */
		{"Send = 2 in 90 %", SYT_EXPECT_HOLDS, 1, 1},
		{"commit = 1..2", SYT_EXPECT_HOLDS, 0, 0},
		{"commi = 0", SYT_EXPECT_HOLDS, 0, 0},
		{"nothing = 0", SYT_EXPECT_HOLDS, 0, 0},
		{"nothing > 0", SYT_EXPECT_FAILS, 10, 0},
		{"threads = 2", SYT_EXPECT_HOLDS, 0, 0},
		{"threads < 2", SYT_EXPECT_FAILS, 10, 2},
		{"Mutate before Reply", SYT_EXPECT_HOLDS, 0, 0},
		{"Reply before Mutate", SYT_EXPECT_FAILS, 10, 0},
		/* the second write and the answer have no order */
		{"Send before Reply", SYT_EXPECT_FAILS, 9, 0},
		{"recv before Reply", SYT_EXPECT_FAILS, 10, 0},
		{"Reply before recv", SYT_EXPECT_FAILS, 1, 0},
		{"Reply before recv in 90 %", SYT_EXPECT_HOLDS, 1, 0},
		{"Mutate before Mutate", SYT_EXPECT_FAILS, 10, 0},
		{"Mutate before nothing", SYT_EXPECT_NO_PART, 0, 0},
		{"latency < 1s", SYT_EXPECT_NO_VALUE, 0, 0},
	};

	(void)state;
	open_model();
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct syt_expect_result r = check(cases[i].test);

		assert_int_equal(r.verdict, cases[i].verdict);
		assert_int_equal(r.nr_failed, cases[i].nr_failed);
		if (r.nr_failed)
			assert_int_equal(r.value, cases[i].value);
		assert_int_equal(r.node == SYT_NONE, !r.nr_failed);
	}
	/* the first failing instance is the instance 3, which begins with the leaf 15 */
	assert_int_equal(syt_model_root(&m, check("write = 3").node), 15);
	close_model();
}

static void test_absent(void **state)
{
	struct syt_expect e;
	struct syt_expect_result r;

	(void)state;
	open_model();
	only(&e, "absent: x = 0");
	r = syt_expect_check(&e.all[0], &m, NULL);
	assert_int_equal(r.verdict, SYT_EXPECT_NO_TASK);
	syt_expect_close(&e);
	only(&e, "*: threads <= 2");
	r = syt_expect_check(&e.all[0], &m, NULL);
	assert_int_equal(r.verdict, SYT_EXPECT_HOLDS);
	assert_true(r.nr >= NR_INSTANCES);
	syt_expect_close(&e);
	close_model();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_right),   cmocka_unit_test(test_wrong),
		cmocka_unit_test(test_hostile), cmocka_unit_test(test_check),
		cmocka_unit_test(test_absent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
