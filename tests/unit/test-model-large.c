/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Mines and parses graphs with 10^5 of one thing: labels, tasks with equal names, parts of a task, threads, steps of one
 * chain, leaves that one leaf starts, inner arcs. A pass that takes quadratic time exceeds the time limit.
 *
 *	test-model-large [NUMBER]    NUMBER instead of 10^5
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/store.h"
#include "decoder/model/detour.h"
#include "decoder/model/join.h"
#include "decoder/model/model.h"
#include "decoder/model/rules.h"
#include "decoder/report/model/boxes.h"

#define SECONDS 60u /* a graph takes about a second */
#define REPEATS 6u  /* occurrences of each task */

static uint32_t many = 100000;
static struct syt_model_input in;

/* ---- graphs ---- */

/* Makes NR labels, each with the text FORMAT for its number. */
static void open_graph(uint32_t nr, const char *format)
{
	memset(&in, 0, sizeof(in));
	in.nr_labels = nr;
	in.labels = syt_calloc(nr, sizeof(*in.labels));
	in.owns_texts = true;
	in.nr_workers = 2;
	for (uint32_t i = 0; i < nr; i++)
		in.labels[i] = (struct syt_model_label){.text = syt_asprintf(format, i),
		                                        .turn = SYT_TURN_OTHER};
}

static uint32_t add(uint32_t label, uint32_t thread, uint32_t start, uint8_t kind)
{
	struct syt_model_leaf leaf = {
		.label = label, .thread = thread, .start = start, .kind = kind};

	syt_store_grow(&in.leaves, &in.room_leaves, in.nr_leaves, in.nr_leaves + 1,
	               sizeof(*in.leaves));
	in.leaves[in.nr_leaves] = leaf;
	in.nr_threads = thread >= in.nr_threads ? thread + 1 : in.nr_threads;
	return in.nr_leaves++;
}

/* Adds a leaf that follows the leaf before it. */
static uint32_t follow(uint32_t label, uint32_t thread)
{
	return add(label, thread, in.nr_leaves - 1, SYT_EDGE_PROGRAM);
}

static void add_inner(uint32_t from, uint32_t to)
{
	struct syt_model_inner arc = {.from = from, .to = to, .kind = SYT_EDGE_STREAM};

	*SYT_STORE_ADD(in.inner, in.nr_inner, in.room_inner) = arc;
}

/* ---- rules ---- */

static struct syt_rules rules;

struct text {
	enum syt_rule_type type;
	char *text;
};
static size_t nr_texts, room_texts;
static struct text *texts;

static void keep(void *context, enum syt_rule_type type, char *text, uint64_t nr, uint64_t most)
{
	(void)context;
	(void)nr;
	(void)most;
	*SYT_ADD(texts, nr_texts, room_texts) = (struct text){type, text};
}

static void drop(void *context, enum syt_rule_type type, char *text, uint64_t nr, uint64_t most)
{
	uint64_t *nr_tasks = context;

	(void)most;
	*nr_tasks += type == SYT_RULE_TASK ? nr : 0;
	free(text);
}

static bool is_known(const void *context, const char *path)
{
	(void)context;
	(void)path;
	return true;
}

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Mines the graph, and applies the rules of the model to it. Both must find at least LEAST instances. */
static void check(const char *name, uint64_t least)
{
	struct syt_model_options options = {.least = SYT_MODEL_LEAST};
	double begin = seconds(), mined, parsed;
	struct syt_model_forest forest;
	struct syt_rule_error error;
	uint64_t nr_parsed = 0, nr_mined = 0;
	struct syt_model_boxes boxes;
	struct syt_model m;

	alarm(SECONDS);
	syt_model_find_roles(&in);
	syt_model_detours(&in);
	assert_int_equal(syt_model_open(&m, &in, &options), 0);
	for (uint32_t i = 0; i < m.nr_tasks; i++)
		nr_mined += m.tasks[i].count;
	syt_model_boxes_open(&boxes, &(struct syt_model_view){
					     .m = &m, .task = SYT_NONE, .depth = SYT_MODEL_DEPTH});
	assert_true(boxes.nr <= SYT_MODEL_BOXES);
	if (m.nr_tasks && m.tasks[0].nr_parts > SYT_MODEL_BOXES)
		assert_true(boxes.nr_closed > 0);
	syt_model_boxes_close(&boxes);
	mined = seconds();
	syt_rules_of_model(&m, 0, keep, NULL);
	for (size_t i = 0; i < nr_texts; i++) {
		assert_true(syt_rules_add(&rules, texts[i].type, texts[i].text, i + 1, 1, &error));
		free(texts[i].text);
	}
	assert_true(syt_rules_check(&rules, &error));
	syt_rules_apply(&forest, &rules, &in, is_known, NULL);
	syt_rules_count(&forest, &rules, &in, drop, &nr_parsed);
	parsed = seconds();
	printf("# %-8s %u tasks, %llu instances, %.2f s; parsed %llu, %.2f s\n", name, m.nr_tasks,
	       (unsigned long long)nr_mined, mined - begin, (unsigned long long)nr_parsed,
	       parsed - mined);
	assert_true(nr_mined >= least);
	assert_true(nr_parsed >= least);
	alarm(0);
	free(texts);
	texts = NULL;
	nr_texts = room_texts = 0;
	syt_model_forest_close(&forest);
	syt_rules_close(&rules);
	syt_model_close(&m);
	syt_model_input_close(&in);
}

/* ---- tests ---- */

static bool add_rule(enum syt_rule_type type, const char *format, uint32_t number)
{
	char *text = syt_asprintf(format, number);
	struct syt_rule_error error;
	bool is_good = syt_rules_add(&rules, type, text, number + 1, 1, &error);

	free(text);
	return is_good;
}

/* Applies rules of NR tasks with one root and one other part. HAS_ARC: an arc leads from the root to the part. */
static void check_rules(uint32_t nr, bool has_arc)
{
	static const char arc[] = "t%u\tstart\tprogram\tp: f0;read\tp: f1;read";
	static const char enter[] = "t%u\tenter\tprogram\tp: f2;read\tp: f1;read";
	double begin = seconds();
	struct syt_model_forest forest;
	struct syt_rule_error error;
	uint64_t nr_parsed = 0;

	alarm(SECONDS);
	open_graph(2, "p: f%u;read");
	for (uint32_t i = 0; i < many; i++)
		add(i % 2, 0, i % 2 ? i - 1 : SYT_NONE, SYT_EDGE_PROGRAM);
	for (uint32_t i = 0; i <= nr; i++)
		assert_true(add_rule(SYT_RULE_TASK, "t%u\t1\tp: f0;read", i));
	for (uint32_t i = 0; i < nr; i++) {
		assert_true(add_rule(SYT_RULE_PART, "t%u\tp: f1;read", i));
		assert_true(add_rule(SYT_RULE_ARC, has_arc ? arc : enter, i));
	}
	assert_int_equal(add_rule(SYT_RULE_ARC, arc, nr), !has_arc || nr < SYT_RULE_ALIKE);
	assert_true(syt_rules_check(&rules, &error));
	syt_rules_apply(&forest, &rules, &in, is_known, NULL);
	syt_rules_count(&forest, &rules, &in, drop, &nr_parsed);
	printf("# rules    %u tasks, %u leaves, %.2f s\n", nr, many, seconds() - begin);
	assert_int_equal(nr_parsed, many / 2);
	alarm(0);
	syt_model_forest_close(&forest);
	syt_rules_close(&rules);
	syt_model_input_close(&in);
}

static void test_rules(void **state)
{
	(void)state;
	check_rules(SYT_RULE_ALIKE, true);
	check_rules(many, false);
}

/* Tasks of two leaves; all of them begin in one function, so they have the same name. */
static void test_tasks(void **state)
{
	uint32_t nr = many / REPEATS / 2;

	(void)state;
	open_graph(2 * nr, "p: main;serve;f%06u;read");
	for (uint32_t n = 0; n < nr * REPEATS; n++) {
		add(2 * (n % nr), 0, SYT_NONE, SYT_EDGE_PROGRAM);
		follow(2 * (n % nr) + 1, 0);
	}
	check("tasks", nr * REPEATS);
}

/* Tasks with the same root, which differ only in their second leaf. */
static void test_roots(void **state)
{
	uint32_t nr = many / REPEATS / 2;

	(void)state;
	open_graph(nr + 1, "p: main;f%06u;read");
	for (uint32_t n = 0; n < nr * REPEATS; n++) {
		add(0, 0, SYT_NONE, SYT_EDGE_PROGRAM);
		follow(1 + n % nr, 0);
	}
	check("roots", 0);
}

/* One task with all labels. */
static void test_parts(void **state)
{
	(void)state;
	open_graph(many, "p: main;f%06u;read");
	for (uint32_t n = 0; n < REPEATS; n++)
		for (uint32_t i = 0; i < many; i++)
			add(i, 0, i ? in.nr_leaves - 1 : SYT_NONE, SYT_EDGE_PROGRAM);
	check("parts", REPEATS);
}

/* A task of two leaves in each thread. */
static void test_threads(void **state)
{
	(void)state;
	open_graph(2, "p: main;f%u;read");
	for (uint32_t i = 0; i < many; i++) {
		add(0, i, SYT_NONE, SYT_EDGE_PROGRAM);
		follow(1, i);
	}
	check("threads", many);
}

/* One chain of messages from thread to thread, with few labels. */
static void test_chain(void **state)
{
	(void)state;
	open_graph(3, "p: main;f%u;read");
	for (uint32_t i = 0; i < many; i++)
		add(i % 3, i, i ? i - 1 : SYT_NONE, SYT_EDGE_STREAM);
	check("chain", 0);
}

/* A few leaves start many others. */
static void test_fan(void **state)
{
	(void)state;
	open_graph(many / REPEATS + 1, "p: main;f%06u;read");
	for (uint32_t n = 0; n < REPEATS; n++) {
		uint32_t from = add(0, 0, n ? in.nr_leaves - 1 : SYT_NONE, SYT_EDGE_PROGRAM);

		for (uint32_t i = 1; i < in.nr_labels; i++)
			add(i, 1 + i, from, SYT_EDGE_STREAM);
	}
	check("fan", REPEATS);
}

/* A few leaves start many others with one label. */
static void test_broadcast(void **state)
{
	(void)state;
	open_graph(2, "p: main;f%06u;read");
	for (uint32_t n = 0; n < REPEATS; n++) {
		uint32_t from = add(0, 0, n ? in.nr_leaves - 1 : SYT_NONE, SYT_EDGE_PROGRAM);

		for (uint32_t i = 0; i < many / REPEATS; i++)
			add(1, 1 + i, from, SYT_EDGE_STREAM);
	}
	check("broadcast", REPEATS);
}

/* Each label follows each other label somewhere: as many keys as leaves. */
static void test_keys(void **state)
{
	uint64_t at = 1;

	(void)state;
	open_graph(many / 10, "p: main;f%06u;read");
	for (uint32_t i = 0; i < many; i++) {
		at = at * UINT64_C(6364136223846793005) + 1442695040888963407u;
		add((uint32_t)(at >> 33) % in.nr_labels, 0, i ? i - 1 : SYT_NONE, SYT_EDGE_PROGRAM);
	}
	check("keys", 0);
}

/* Inner arcs between all occurrences of a task and the first one. */
static void test_inner(void **state)
{
	(void)state;
	open_graph(2, "p: main;f%u;read");
	for (uint32_t i = 0; i < many; i++) {
		add(0, 0, SYT_NONE, SYT_EDGE_PROGRAM);
		follow(1, 0);
		add_inner(2 * i, 2 * i + 1);
		add_inner(0, 2 * i + 1);
	}
	check("inner", many);
}

/* Call paths of many functions, which several tasks call. */
static void test_functions(void **state)
{
	uint32_t nr = many / 1000, nr_functions = getenv("SYNTRACE_TEST_LONG") ? 4000 : 1000;

	(void)state;
	open_graph(2 * nr, "p: main;f%06u");
	for (uint32_t i = 0; i < 2 * nr; i++) {
		size_t bytes;
		char *text;
		FILE *f = syt_memstream(&text, &bytes);

		fprintf(f, "p: f%06u", i / 2);
		for (uint32_t n = 0; n < nr_functions; n++)
			fprintf(f, ";g%06u", n);
		fprintf(f, ";%s", i % 2 ? "read" : "write");
		fclose(f);
		free((char *)(uintptr_t)in.labels[i - i % 2 + !(i % 2)].text);
		in.labels[i - i % 2 + !(i % 2)].text = text;
	}
	for (uint32_t n = 0; n < nr * REPEATS; n++) {
		add(2 * (n % nr), 0, SYT_NONE, SYT_EDGE_PROGRAM);
		follow(2 * (n % nr) + 1, 0);
	}
	check("functions", nr * REPEATS);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tasks),     cmocka_unit_test(test_roots),
		cmocka_unit_test(test_parts),     cmocka_unit_test(test_threads),
		cmocka_unit_test(test_chain),     cmocka_unit_test(test_fan),
		cmocka_unit_test(test_broadcast), cmocka_unit_test(test_keys),
		cmocka_unit_test(test_inner),     cmocka_unit_test(test_functions),
		cmocka_unit_test(test_rules),
	};

	if (argc > 1)
		many = (uint32_t)strtoul(argv[1], NULL, 10);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
