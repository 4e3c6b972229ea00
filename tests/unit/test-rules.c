/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* decoder/model/rules.c, parse.c and merge.c: the rules of a model, applied to other graphs, which are made by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/store.h"
#include "decoder/model/merge.h"
#include "decoder/model/rules.h"

#define NR_LABELS 8u
enum { NEW, READ, LOCK, PARSE, SEND, STORE, UNLOCK, WAIT };
/* sorted, as the miner requires */
static const char *const paths[NR_LABELS] = {
	"p: a;new",         "p: work;get;read",  "p: work;lock",        "p: work;parse",
	"p: work;put;send", "p: work;set;store", "p: work;unlock;lock", "p: work;wait"};

/* ---- graphs ---- */

static struct syt_model_input in;

static void open_graph(void)
{
	memset(&in, 0, sizeof(in));
	in.nr_labels = NR_LABELS;
	in.labels = syt_calloc(NR_LABELS, sizeof(*in.labels));
	for (unsigned i = 0; i < NR_LABELS; i++)
		in.labels[i] = (struct syt_model_label){.text = paths[i], .turn = SYT_TURN_OTHER};
	in.nr_threads = 2;
	in.roles = syt_calloc(in.nr_threads, sizeof(*in.roles));
}

/* Adds a leaf of thread 0 that follows the leaf before it, or no leaf. */
static uint32_t leaf(uint32_t label, bool is_first)
{
	syt_store_grow(&in.leaves, &in.room_leaves, in.nr_leaves, in.nr_leaves + 1,
	               sizeof(*in.leaves));
	in.leaves[in.nr_leaves] = (struct syt_model_leaf){
		.label = label,
		.start = is_first || !in.nr_leaves ? SYT_NONE : in.nr_leaves - 1,
		.kind = SYT_EDGE_PROGRAM};
	return in.nr_leaves++;
}

/* Adds a leaf for each letter of TEXT, in one thread. */
static void follow(const char *text)
{
	static const char letters[] = "nrlpsSuw";

	for (const char *at = text; *at; at++)
		leaf((uint32_t)(strchr(letters, *at) - letters), false);
}

/* ---- rules ---- */

static struct syt_rules rules;
static struct syt_rule_error error;

static bool add(enum syt_rule_type type, const char *text)
{
	return syt_rules_add(&rules, type, text, 7, 1, &error);
}

/* A job reads, locks and sends; a task `pair` locks and parses. The job begins after a wait. */
static void open_rules(void)
{
	memset(&rules, 0, sizeof(rules));
	assert_true(add(SYT_RULE_TASK, "job\t2\tp: work;get;read"));
	assert_true(add(SYT_RULE_TASK, "pair\t1\tp: work;lock"));
	assert_true(add(SYT_RULE_PART, "job\t@pair"));
	assert_true(add(SYT_RULE_PART, "job\tp: work;put;send"));
	assert_true(add(SYT_RULE_ARC, "job\tenter\tprogram\tp: work;wait\tp: work;get;read"));
	assert_true(add(SYT_RULE_ARC, "job\tstart\tprogram\t@pair\tp: work;put;send"));
	assert_true(add(SYT_RULE_ARC, "job\tstart\tprogram\tp: work;get;read\t@pair"));
	assert_true(add(SYT_RULE_ARC, "pair\tenter\tprogram\tp: work;get;read\tp: work;lock"));
	assert_true(add(SYT_RULE_ARC, "pair\tstart\tprogram\tp: work;lock\tp: work;parse"));
	assert_true(syt_rules_check(&rules, &error));
}

static char *counted;
static size_t counted_bytes;
static FILE *counts;

static void put(void *context, enum syt_rule_type type, char *text, uint64_t nr, uint64_t most)
{
	(void)context;
	(void)most;
	if (type != SYT_RULE_ARC)
		fprintf(counts, "%s %llu\n", text, (unsigned long long)nr);
	free(text);
}

static bool is_known(const void *context, const char *path)
{
	return path != context;
}

static void apply(void)
{
	struct syt_model_forest forest;

	counts = syt_memstream(&counted, &counted_bytes);
	syt_rules_apply(&forest, &rules, &in, is_known, paths[NEW]);
	syt_rules_count(&forest, &rules, &in, put, NULL);
	syt_model_forest_close(&forest);
	fclose(counts);
}

/* Applies the rules to a thread that executes TEXT. LINES are the counts: tasks first, then parts by first use. */
static void expect(const char *text, const char *lines)
{
	open_graph();
	open_rules();
	follow(text);
	apply();
	assert_string_equal(counted, lines);
	free(counted);
	syt_rules_close(&rules);
	syt_model_input_close(&in);
}

#define TWO_JOBS "job\t2\tp: work;get;read 2\npair\t1\tp: work;lock 2\n"
#define PAIRS "pair\tp: work;lock 2\npair\tp: work;parse 2\n"

static void the_same_work(void **state)
{
	(void)state;
	expect("wrlpswrlps",
	       TWO_JOBS PAIRS "job\tp: work;get;read 2\njob\t@pair 2\njob\tp: work;put;send 2\n");
	expect("", "");
	expect("wwww", "");
}

/* The second lock begins no task, because the tasks `pair` of other runs follow a read. */
static void a_part_twice(void **state)
{
	(void)state;
	expect("wrlpsswrlpss",
	       TWO_JOBS PAIRS "job\tp: work;get;read 2\njob\t@pair 2\njob\tp: work;put;send 4\n");
	expect("wrlppswrlpps",
	       TWO_JOBS "pair\tp: work;lock 2\npair\tp: work;parse 4\n"
	                "job\tp: work;get;read 2\njob\t@pair 2\njob\tp: work;put;send 2\n");
	expect("wrlplpswrlplps",
	       TWO_JOBS "pair\tp: work;lock 4\npair\tp: work;parse 4\n"
	                "job\tp: work;get;read 2\njob\t@pair 2\njob\tp: work;put;send 2\n");
	expect("wrrlpswrrlps", "job\t2\tp: work;get;read 2\npair\t1\tp: work;lock 2\n" PAIRS
	                       "job\tp: work;get;read 4\njob\t@pair 2\njob\tp: work;put;send 2\n");
}

static void a_part_less(void **state)
{
	(void)state;
	expect("wrswrlps", "job\t2\tp: work;get;read 2\npair\t1\tp: work;lock 1\n"
	                   "pair\tp: work;lock 1\npair\tp: work;parse 1\n"
	                   "job\tp: work;get;read 2\njob\tp: work;put;send 2\njob\t@pair 1\n");
}

/* A new call path becomes a part; a known call path outside of all tasks does not. */
static void new_work(void **state)
{
	(void)state;
	expect("wrnlpswrlpsn",
	       TWO_JOBS PAIRS "job\tp: work;get;read 2\njob\tp: a;new 2\njob\t@pair 2\n"
	                      "job\tp: work;put;send 2\n");
	expect("wrSlpswrlpsS",
	       TWO_JOBS PAIRS "job\tp: work;get;read 2\njob\t@pair 2\njob\tp: work;put;send 2\n");
}

/* ---- written rules ---- */

static void put_rule(void *context, enum syt_rule_type type, char *text, uint64_t nr, uint64_t most)
{
	(void)context;
	(void)nr;
	(void)most;
	assert_true(add(type, text));
	free(text);
}

static uint64_t nr_instances;

static void sum_tasks(void *context, enum syt_rule_type type, char *text, uint64_t nr,
                      uint64_t most)
{
	(void)context;
	(void)most;
	nr_instances += type == SYT_RULE_TASK ? nr : 0;
	free(text);
}

/* The rules of a mined model find as many instances as the miner, in the same graph and in a copy of it with two runs. At
 * the begin and end of a thread, a part of an instance may be an instance for one of them only. */
static void rules_of_a_model(void **state)
{
	struct syt_model_options options = {.least = SYT_MODEL_LEAST};
	const struct syt_model_input *twice[] = {&in, &in};
	struct syt_model_forest forest;
	struct syt_model_input both;
	struct syt_model model;
	uint64_t nr_mined = 0;

	(void)state;
	open_graph();
	memset(&rules, 0, sizeof(rules));
	for (unsigned i = 0; i < 40; i++)
		follow(i % 3 ? "wrlps" : "wrSus");
	assert_int_equal(syt_model_open(&model, &in, &options), 0);
	assert_true(model.nr_tasks >= 1);
	for (uint32_t i = 0; i < model.nr_tasks; i++)
		nr_mined += model.tasks[i].count;
	syt_rules_of_model(&model, 1, put_rule, NULL);
	assert_true(syt_rules_check(&rules, &error));
	syt_model_close(&model);
	assert_int_equal(syt_model_merge(&both, twice, 2), 0);
	assert_int_equal(both.nr_labels, in.nr_labels);
	for (unsigned i = 1; i <= 2; i++) {
		const struct syt_model_input *graph = i == 1 ? &in : &both;

		nr_instances = 0;
		syt_rules_apply(&forest, &rules, graph, is_known, NULL);
		syt_rules_count(&forest, &rules, graph, sum_tasks, NULL);
		syt_model_forest_close(&forest);
		assert_in_range(nr_instances, i * nr_mined - 2 * i, i * nr_mined + 2 * i);
	}
	syt_model_input_close(&both);
	syt_model_input_close(&in);
	syt_rules_close(&rules);
}

/* ---- hostile rules ---- */

static void wrong_rules(void **state)
{
	static const struct {
		enum syt_rule_type type;
		const char *text, *message;
		size_t column;
	} wrong[] = {
		{SYT_RULE_TASK, "", "a word is missing", 1},
		{SYT_RULE_TASK, "x", "words are missing", 1},
		{SYT_RULE_TASK, "x\t1\t", "a word is missing", 5},
		{SYT_RULE_TASK, "x\t1\tp: f\tmore", "too many words", 5},
		{SYT_RULE_TASK, "x\t0\tp: f", "expected a step from 1 to 64", 3},
		{SYT_RULE_TASK, "x\t65\tp: f", "expected a step from 1 to 64", 3},
		{SYT_RULE_TASK, "x\t18446744073709551617\tp: f", "expected a step from 1 to 64", 3},
		{SYT_RULE_TASK, "x\t-1\tp: f", "expected a step from 1 to 64", 3},
		{SYT_RULE_TASK, "job\t1\tp: f", "another task has this name", 1},
		{SYT_RULE_PART, "x\tp: f", "no line 'task' contains this name", 1},
		{SYT_RULE_PART, "job\t@x", "no line 'task' contains this name", 5},
		{SYT_RULE_PART, "job\t@job", "a task may only contain tasks with a lower step", 5},
		{SYT_RULE_PART, "pair\t@job", "a task may only contain tasks with a lower step", 6},
		{SYT_RULE_ARC, "job\tend\tprogram\tp: f\tp: g",
	         "expected 'start', 'inner' or 'enter'", 5},
		{SYT_RULE_ARC, "job\tstart\tx\tp: f\tp: g", "unknown kind of an arc", 11},
		{SYT_RULE_ARC, "job\tstart\tprogram\t@job\tp: g",
	         "a task may only contain tasks with a lower step", 19},
		{SYT_RULE_ARC, "job\tstart\tprogram\t@pair\tp: work;put;send",
	         "the arc appears twice", 1},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		open_rules();
		error = (struct syt_rule_error){NULL, 0, 0};
		assert_false(add(wrong[i].type, wrong[i].text));
		assert_string_equal(error.message, wrong[i].message);
		assert_int_equal(error.column, wrong[i].column);
		assert_int_equal(error.line, 7);
		syt_rules_close(&rules);
	}
	open_rules();
	assert_true(add(SYT_RULE_TASK, "x\t1\t@job"));
	assert_false(syt_rules_check(&rules, &error));
	assert_string_equal(error.message, "a task may only begin with a task of a lower step");
	assert_int_equal(error.line, 7);
	assert_int_equal(error.column, 5);
	syt_rules_close(&rules);
}

/* Random rules and random graphs: each leaf is a part of at most one instance, and parts have lower numbers. */
static void random_rules(void **state)
{
	static const char *const names[] = {
		"@a", "@b", "@c", "p: work;lock", "p: work;parse", "p: work;wait"};
	static const char *const types[] = {"start", "inner", "enter"};
	unsigned seed = 1;

	(void)state;
	for (unsigned round = 0; round < 2000; round++) {
		struct syt_model_forest forest;

		open_graph();
		memset(&rules, 0, sizeof(rules));
		for (unsigned i = 0; i < 3; i++) {
			char *text = syt_asprintf("%s\t%u\t%s", names[i] + 1,
			                          1 + (unsigned)rand_r(&seed) % 3,
			                          names[rand_r(&seed) % 6]);

			add(SYT_RULE_TASK, text);
			free(text);
		}
		for (unsigned i = 0; i < 12; i++) {
			char *text =
				syt_asprintf("%s\t%s\tprogram\t%s\t%s",
			                     names[rand_r(&seed) % 3] + 1, types[rand_r(&seed) % 3],
			                     names[rand_r(&seed) % 6], names[rand_r(&seed) % 6]);

			add(SYT_RULE_ARC, text);
			free(text);
		}
		for (unsigned i = 0; i < 40; i++)
			leaf((uint32_t)rand_r(&seed) % NR_LABELS, !(rand_r(&seed) % 9));
		for (unsigned i = 1; i < 40; i++)
			if (in.leaves[i].start != SYT_NONE && !(rand_r(&seed) % 4))
				in.leaves[i].start = (uint32_t)rand_r(&seed) % i;
		if (syt_rules_check(&rules, &error)) {
			syt_rules_apply(&forest, &rules, &in, is_known, paths[NEW]);
			for (uint32_t i = 0; i < forest.nr_nodes; i++)
				assert_true(forest.up[i] == SYT_NONE ||
				            (forest.up[i] > i && forest.up[i] < forest.nr_nodes));
			nr_instances = 0;
			syt_rules_count(&forest, &rules, &in, sum_tasks, NULL);
			assert_int_equal(nr_instances, forest.nr_nodes - in.nr_leaves);
			syt_model_forest_close(&forest);
		}
		syt_rules_close(&rules);
		syt_model_input_close(&in);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_same_work),    cmocka_unit_test(a_part_twice),
		cmocka_unit_test(a_part_less),      cmocka_unit_test(new_work),
		cmocka_unit_test(rules_of_a_model), cmocka_unit_test(wrong_rules),
		cmocka_unit_test(random_rules),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
