/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* decoder/request/alergia.c and automaton.c: known automata, a slow reference implementation of ALERGIA, limits and speed. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "base/err.h"
#include "decoder/request/automaton.h"
#include "tests/lib/reber.h"

static void learn(struct syt_automaton *a, const struct syt_population *p, double alpha)
{
	uint64_t *counts = syt_calloc(p->nr_behaviours, sizeof(*counts));

	for (uint32_t i = 0; i < p->nr_behaviours; i++)
		counts[i] = p->behaviours[i].count;
	syt_automaton_learn(a, p, counts, alpha);
	free(counts);
}

/* Returns the text of A: for each state "VISITS/ENDS", then "SYMBOL>STATE:COUNT" for each transition. */
static char *describe(const struct syt_automaton *a, const struct syt_population *p)
{
	char *text;
	size_t bytes;
	FILE *f = syt_memstream(&text, &bytes);

	for (uint32_t i = 0; i < a->nr_states; i++) {
		const struct syt_automaton_state *s = &a->states[i];

		fprintf(f, "%llu/%llu", (unsigned long long)s->visits, (unsigned long long)s->ends);
		for (uint32_t j = s->first; j < s->first + s->nr; j++)
			fprintf(f, " %s>%u:%llu", p->symbols.all[a->transitions[j].symbol],
			        a->transitions[j].to, (unsigned long long)a->transitions[j].count);
		fprintf(f, "\n");
	}
	fclose(f);
	return text;
}

static void expect(const struct syt_population *p, double alpha, const char *expected)
{
	struct syt_automaton a;
	char *text;

	learn(&a, p, alpha);
	text = describe(&a, p);
	assert_string_equal(text, expected);
	free(text);
	syt_automaton_close(&a);
}

static void add(struct syt_population *p, const char *text, unsigned times)
{
	while (times--)
		add_letters(p, text, (unsigned)strlen(text));
}

/* ---- known automata ---- */

static void test_small(void **state)
{
	struct syt_population p = {.nr_members = 0};

	(void)state;
	expect(&p, 0.01, "0/0\n");
	add(&p, "", 3);
	expect(&p, 0.01, "3/3\n");
	syt_population_close(&p);
	add(&p, "zb", 1000);
	add(&p, "za", 1000);
	expect(&p, 0.01, "2000/0 z>1:2000\n2000/0 a>2:1000 b>2:1000\n2000/2000\n");
	syt_population_close(&p);
	/* a loop that ends with a share of one half */
	add(&p, "", 512);
	add(&p, "a", 256);
	add(&p, "aa", 128);
	add(&p, "aaa", 128);
	expect(&p, 0.01, "1024/512 a>1:512\n512/256 a>2:256\n256/128 a>3:128\n128/128\n");
	add(&p, "aaaa", 64);
	syt_population_close(&p);
}

static void test_find(void **state)
{
	struct syt_population p = {.nr_members = 0};
	struct syt_automaton a;
	uint32_t b, c;

	(void)state;
	add(&p, "ab", 300);
	add(&p, "ac", 100);
	learn(&a, &p, 0.01);
	b = syt_text_set_find(&p.symbols, "b");
	c = syt_text_set_find(&p.symbols, "c");
	assert_int_equal(syt_automaton_find(&a, 0, b), SYT_AUTOMATON_NONE);
	assert_int_equal(a.transitions[syt_automaton_find(&a, 1, b)].count, 300);
	assert_int_equal(a.transitions[syt_automaton_find(&a, 1, c)].count, 100);
	assert_int_equal(a.by_count[a.states[1].first], syt_automaton_find(&a, 1, b));
	assert_true(fabs(a.states[1].entropy - 0.811278) < 1e-6);
	assert_true(a.states[0].entropy == 0);
	syt_automaton_close(&a);
	syt_population_close(&p);
}

/* ---- the reference: recursive, with matrices ---- */

#define MOST_NODES 3000
#define NR_LETTERS 4

static struct {
	char name[24]; /* the string that leads to the node in the prefix tree */
	int visits, ends, to[NR_LETTERS], count[NR_LETTERS], is_red, parent, letter;
} nodes[MOST_NODES];
static int nr_nodes, red[MOST_NODES], nr_red;
static double factor;

static int reference_node(const char *name, int parent, int letter)
{
	memset(&nodes[nr_nodes], 0, sizeof(nodes[0]));
	snprintf(nodes[nr_nodes].name, sizeof(nodes[0].name), "%s", name);
	for (int i = 0; i < NR_LETTERS; i++)
		nodes[nr_nodes].to[i] = -1;
	nodes[nr_nodes].parent = parent;
	nodes[nr_nodes].letter = letter;
	return nr_nodes++;
}

static void reference_add(const char *text, int count)
{
	int at = 0;

	nodes[0].visits += count;
	for (int i = 0; text[i]; i++) {
		int c = text[i] - 'a';
		char name[24];

		snprintf(name, sizeof(name), "%.*s", i + 1, text);
		if (nodes[at].to[c] < 0)
			nodes[at].to[c] = reference_node(name, at, c);
		nodes[at].count[c] += count;
		at = nodes[at].to[c];
		nodes[at].visits += count;
	}
	nodes[at].ends += count;
}

static bool is_far(double f1, double n1, double f2, double n2)
{
	return fabs(f1 / n1 - f2 / n2) > factor * (1 / sqrt(n1) + 1 / sqrt(n2));
}

static bool reference_compatible(int a, int b)
{
	if (is_far(nodes[a].ends, nodes[a].visits, nodes[b].ends, nodes[b].visits))
		return false;
	for (int c = 0; c < NR_LETTERS; c++) {
		if (is_far(nodes[a].count[c], nodes[a].visits, nodes[b].count[c], nodes[b].visits))
			return false;
		if (nodes[a].to[c] >= 0 && nodes[b].to[c] >= 0 &&
		    !reference_compatible(nodes[a].to[c], nodes[b].to[c]))
			return false;
	}
	return true;
}

static bool is_before(int a, int b)
{
	size_t one = strlen(nodes[a].name), other = strlen(nodes[b].name);

	return one < other || (one == other && strcmp(nodes[a].name, nodes[b].name) < 0);
}

static void reference_fold(int a, int b)
{
	nodes[a].visits += nodes[b].visits;
	nodes[a].ends += nodes[b].ends;
	if (is_before(b, a))
		memcpy(nodes[a].name, nodes[b].name, sizeof(nodes[a].name));
	for (int c = 0; c < NR_LETTERS; c++) {
		int from = nodes[b].to[c];

		nodes[a].count[c] += nodes[b].count[c];
		if (from >= 0 && nodes[a].to[c] >= 0) {
			reference_fold(nodes[a].to[c], from);
		} else if (from >= 0) {
			nodes[a].to[c] = from;
			nodes[from].parent = a;
		}
	}
}

/* Returns the first successor of a red state that is not red, or -1. */
static int reference_blue(void)
{
	int first = -1;

	for (int i = 0; i < nr_red; i++)
		for (int c = 0; c < NR_LETTERS; c++) {
			int n = nodes[red[i]].to[c];

			if (n >= 0 && !nodes[n].is_red && (first < 0 || is_before(n, first)))
				first = n;
		}
	return first;
}

static void reference_learn(void)
{
	int blue = 0;

	nr_red = 0;
	do {
		int i = 0;

		while (i < nr_red && !reference_compatible(red[i], blue))
			i++;
		if (i == nr_red) {
			red[nr_red++] = blue;
			nodes[blue].is_red = 1;
			continue;
		}
		nodes[nodes[blue].parent].to[nodes[blue].letter] = red[i];
		reference_fold(red[i], blue);
	} while ((blue = reference_blue()) >= 0);
}

static char *reference_describe(void)
{
	char *text;
	size_t bytes;
	FILE *f = syt_memstream(&text, &bytes);

	for (int i = 0; i < nr_red; i++) {
		fprintf(f, "%d/%d", nodes[red[i]].visits, nodes[red[i]].ends);
		for (int c = 0; c < NR_LETTERS; c++) {
			int to = 0;

			while (to < nr_red && red[to] != nodes[red[i]].to[c])
				to++;
			if (nodes[red[i]].to[c] >= 0)
				fprintf(f, " %c>%d:%d", 'a' + c, to, nodes[red[i]].count[c]);
		}
		fprintf(f, "\n");
	}
	fclose(f);
	return text;
}

/* Adds random strings of a random automaton to P and to the reference. */
static void add_random(struct syt_random *r, struct syt_population *p)
{
	unsigned nr_states = 1 + (unsigned)syt_random_below(r, 5);
	unsigned nr_strings = 1 + (unsigned)syt_random_below(r, 60);
	unsigned next[5][NR_LETTERS + 1];

	for (unsigned i = 0; i < 5; i++)
		for (unsigned c = 0; c <= NR_LETTERS; c++)
			next[i][c] = (unsigned)syt_random_below(r, nr_states);
	for (unsigned i = 0; i < nr_strings; i++) {
		unsigned nr = 0, at = 0, times = 1u << syt_random_below(r, 8);
		char text[24];

		while (nr < 20 && syt_random_below(r, 5)) {
			unsigned c = (unsigned)syt_random_below(r, 2);

			c = (c + at) % NR_LETTERS;
			text[nr++] = (char)('a' + c);
			at = next[at][c];
		}
		text[nr] = '\0';
		add(p, text, times);
		reference_add(text, (int)times);
	}
}

static void test_reference(void **state)
{
	static const double alphas[] = {0.01, 0.05, 0.3, 0.8};
	struct syt_random r = {7};

	(void)state;
	for (int round = 0; round < 1000; round++) {
		struct syt_population p = {.nr_members = 0};
		double alpha = alphas[round % 4];
		char *expected;

		nr_nodes = 0;
		reference_node("", -1, 0);
		factor = sqrt(log(2 / alpha) / 2);
		add_random(&r, &p);
		reference_learn();
		expected = reference_describe();
		expect(&p, alpha, expected);
		free(expected);
		syt_population_close(&p);
	}
}

/* ---- the Reber grammar ---- */

/* Returns true if A is the automaton of the grammar. */
static bool is_reber(const struct syt_automaton *a, const struct syt_population *p)
{
	int same[REBER_STATES] = {0};
	unsigned nr_edges = 0;

	if (a->nr_states != REBER_STATES)
		return false;
	/* states have the order of their shortest strings, so each state is known before it is read */
	for (uint32_t i = 0; i < a->nr_states; i++)
		for (uint32_t j = 0; j < a->states[i].nr; j++) {
			const struct syt_automaton_transition *t =
				&a->transitions[a->states[i].first + j];
			int next = reber_next(same[i], *p->symbols.all[t->symbol]);

			if (next < 0 || (same[t->to] && same[t->to] != next))
				return false;
			same[t->to] = next;
			nr_edges++;
		}
	for (uint32_t i = 0; i < a->nr_states; i++)
		if (!a->states[i].ends != (same[i] != REBER_END))
			return false;
	return nr_edges == 12;
}

struct reber_result {
	unsigned nr_exact;
	uint64_t nr_states;
};

static struct reber_result learn_reber(double alpha, unsigned nr_strings, unsigned nr_seeds)
{
	struct reber_result result = {0, 0};

	for (unsigned seed = 1; seed <= nr_seeds; seed++) {
		struct syt_random r = {seed * UINT64_C(1000003)};
		struct syt_population p = {.nr_members = 0};
		struct syt_automaton a;

		for (unsigned i = 0; i < nr_strings; i++) {
			char text[REBER_LONGEST];

			add_letters(&p, text, reber_draw(&r, text));
		}
		learn(&a, &p, alpha);
		result.nr_exact += is_reber(&a, &p);
		result.nr_states += a.nr_states;
		syt_automaton_close(&a);
		syt_population_close(&p);
	}
	return result;
}

static bool is_long(void)
{
	return getenv("SYNTRACE_TEST_LONG") != NULL;
}

/* The short form has a fifth of the seeds. */
static void test_reber(void **state)
{
	unsigned nr = is_long() ? 100 : 20;
	static const struct {
		double alpha;
		unsigned strings, least, most; /* percent of exact automata */
	} rows[] = {{0.01, 150, 100, 100},
	            {0.01, 400, 100, 100},
	            {0.05, 400, 95, 100},
	            {0.3, 400, 20, 80},
	            {0.8, 400, 0, 0}};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct reber_result x = learn_reber(rows[i].alpha, rows[i].strings, nr);

		print_message("alpha %.2f, %u strings: %u of %u seeds exact, %.1f states\n",
		              rows[i].alpha, rows[i].strings, x.nr_exact, nr,
		              (double)x.nr_states / nr);
		assert_in_range(x.nr_exact * 100, rows[i].least * nr, rows[i].most * nr);
	}
}

/* ---- order, limits, speed ---- */

/* The numbers of symbols and behaviours do not change the result. */
static void test_numbers(void **state)
{
	struct syt_population p = {.nr_members = 0}, other = {.nr_members = 0};
	struct syt_random r = {5};
	char texts[300][REBER_LONGEST], *expected;
	unsigned nr[300];
	struct syt_automaton a;

	(void)state;
	for (unsigned i = 0; i < 300; i++) {
		nr[i] = reber_draw(&r, texts[i]);
		add_letters(&p, texts[i], nr[i]);
	}
	for (unsigned i = 300; i--;)
		add_letters(&other, texts[i], nr[i]);
	learn(&a, &p, 0.8);
	expected = describe(&a, &p);
	expect(&other, 0.8, expected);
	free(expected);
	syt_automaton_close(&a);
	syt_population_close(&p);
	syt_population_close(&other);
}

/* The budget of the CPU time is 5 s. On a busy machine, the same instructions took 2.4 to 6.4 s, so the short form allows more. */
static double most_seconds(void)
{
#ifdef __SANITIZE_ADDRESS__
	return 60;
#else
	return is_long() ? 5 : 60;
#endif
}

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* The states satisfy: visits = ends + transitions = transitions that lead to the state. */
static void check_counts(const struct syt_automaton *a, uint64_t nr_requests)
{
	uint64_t *in = syt_calloc(a->nr_states, sizeof(*in));

	in[0] = nr_requests;
	for (uint32_t i = 0; i < a->nr_states; i++) {
		uint64_t out = a->states[i].ends;

		for (uint32_t j = 0; j < a->states[i].nr; j++) {
			out += a->transitions[a->states[i].first + j].count;
			in[a->transitions[a->states[i].first + j].to] +=
				a->transitions[a->states[i].first + j].count;
		}
		assert_int_equal(out, a->states[i].visits);
	}
	for (uint32_t i = 0; i < a->nr_states; i++)
		assert_int_equal(in[i], a->states[i].visits);
	free(in);
}

/* Returns the number of states that were not compared. */
static uint32_t learn_in_time(const struct syt_population *p, const char *what)
{
	double begin = seconds(), took;
	struct syt_automaton a;
	uint32_t nr_unmerged;
	uint64_t nr = 0;

	learn(&a, p, SYT_AUTOMATON_ALPHA);
	took = seconds() - begin;
	for (uint32_t i = 0; i < p->nr_behaviours; i++)
		nr += p->behaviours[i].count;
	print_message("%s: %.2f s, %u states, %llu left out, %u unmerged\n", what, took,
	              a.nr_states, (unsigned long long)a.nr_left_out, a.nr_unmerged);
	if (!a.nr_left_out)
		check_counts(&a, nr);
	assert_true(a.nr_states <= SYT_AUTOMATON_STATES && took < most_seconds());
	nr_unmerged = a.nr_unmerged;
	syt_automaton_close(&a);
	return nr_unmerged;
}

/* Adds NR behaviours of NR_LEAST to NR_MOST symbols; each begins like an earlier one. */
static void add_branches(struct syt_population *p, unsigned nr, unsigned least, unsigned most,
                         unsigned nr_symbols, uint64_t nr_times)
{
	struct syt_random r = {11};
	uint32_t *steps = syt_calloc(most, sizeof(*steps)), symbols[1000];

	for (unsigned i = 0; i < nr_symbols; i++) {
		char text[20];

		symbols[i] = syt_text_set_add(&p->symbols, text,
		                              (size_t)snprintf(text, sizeof(text), "s%u", i));
	}
	for (unsigned i = 0; i < nr; i++) {
		unsigned length = least + (unsigned)syt_random_below(&r, most - least + 1);
		unsigned keep = length - (unsigned)syt_random_below(&r, 10);
		uint32_t b;

		for (unsigned j = i ? keep : 0; j < length; j++)
			steps[j] = symbols[syt_random_below(&r, nr_symbols)];
		b = syt_population_behaviour(p, steps, length);
		p->behaviours[b].count += 1 + nr_times / (i + 1);
	}
	free(steps);
}

static void test_speed(void **state)
{
	static const struct {
		const char *what;
		unsigned nr, least, most, symbols;
		uint64_t times;
	} rows[] = {
		{"10,000 behaviours of 50 to 200 symbols", 10000, 50, 200, 50, 1000000},
		{"10,000 behaviours, 2 symbols", 10000, 50, 200, 2, 100000},
		{"10,000 behaviours of 15 symbols", 10000, 15, 15, 1000, 100000},
		{"2 behaviours of 40,000 symbols", 2, 40000, 40000, 300, 1000},
		{"4,000 frequent behaviours", 4000, 20, 60, 3, 100000000},
	};

	(void)state;
	/* The short form has the rows with the longest and with the most behaviours. */
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i += is_long() ? 1 : 3) {
		struct syt_population p = {.nr_members = 0};

		add_branches(&p, rows[i].nr, rows[i].least, rows[i].most, rows[i].symbols,
		             rows[i].times);
		learn_in_time(&p, rows[i].what);
		syt_population_close(&p);
	}
}

/* A loop compares each turn with each earlier turn, up to the limit of comparisons. A loop that is left out has no turns. */
static void test_loop(void **state)
{
	static const uint32_t lengths[] = {100, 1000, 99999, 100000};

	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		struct syt_population p = {.nr_members = 0};
		uint32_t *steps;

		if (i == 2 && !is_long())
			continue;
		steps = syt_calloc(lengths[i], sizeof(*steps));

		syt_text_set_add(&p.symbols, "a", 1);
		syt_population_behaviour(&p, steps, lengths[i]);
		p.behaviours[0].count = 1000;
		assert_int_equal(learn_in_time(&p, "a loop") > 0, i == 1 || i == 2);
		free(steps);
		syt_population_close(&p);
	}
}

/* The behaviours that are left out are the rarest that have no room. */
static void test_left_out(void **state)
{
	struct syt_population p = {.nr_members = 0};
	uint32_t *steps = syt_calloc(60000, sizeof(*steps)), long_one, short_one;
	uint64_t nr_ends = 0;
	struct syt_automaton a;

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		steps[0] = syt_text_set_add(&p.symbols, &"abc"[i], 1);
		long_one = syt_population_behaviour(&p, steps, 60000);
		p.behaviours[long_one].count = 1 + i;
	}
	short_one = syt_population_behaviour(&p, steps, 5);
	p.behaviours[short_one].count = 1;
	learn(&a, &p, SYT_AUTOMATON_ALPHA);
	assert_int_equal(a.nr_left_out, 2);
	assert_int_equal(a.nr_unmerged, 0);
	for (uint32_t i = 0; i < a.nr_states; i++)
		nr_ends += a.states[i].ends;
	assert_int_equal(nr_ends, 4);
	free(steps);
	syt_automaton_close(&a);
	syt_population_close(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_small),     cmocka_unit_test(test_find),
		cmocka_unit_test(test_reference), cmocka_unit_test(test_reber),
		cmocka_unit_test(test_numbers),   cmocka_unit_test(test_speed),
		cmocka_unit_test(test_loop),      cmocka_unit_test(test_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
