/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* decoder/request/odd.c: broken strings of the Reber grammar, explanations of unseen steps, and calibrated probabilities. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"
#include "decoder/request/novelty.h"
#include "decoder/request/odd.h"
#include "tests/lib/reber.h"

static struct syt_population p;
static struct syt_automaton automaton;

static void learn(void)
{
	uint64_t *counts = syt_calloc(p.nr_behaviours, sizeof(*counts));

	for (uint32_t i = 0; i < p.nr_behaviours; i++)
		counts[i] = p.behaviours[i].count;
	syt_automaton_learn(&automaton, &p, counts, SYT_AUTOMATON_ALPHA);
	free(counts);
}

static void end(void)
{
	syt_automaton_close(&automaton);
	syt_population_close(&p);
}

static struct syt_odd_structure score_part(const char *text, unsigned nr, bool is_open)
{
	uint32_t steps[2 * REBER_LONGEST];
	char one[2] = "";

	for (unsigned i = 0; i < nr; i++) {
		one[0] = text[i];
		steps[i] = syt_text_set_find(&p.symbols, one);
	}
	return syt_odd_structure(&automaton, steps, NULL, nr, is_open);
}

static struct syt_odd_structure score(const char *text)
{
	return score_part(text, (unsigned)strlen(text), false);
}

/* ---- explanations ---- */

static void add(const char *text, unsigned times)
{
	while (times--)
		add_letters(&p, text, (unsigned)strlen(text));
}

static void test_explanations(void **state)
{
	static const struct {
		const char *text;
		enum syt_odd_change change;
		unsigned step;
		const char *instead;
	} cases[] = {
		{"abcXdefgh", SYT_ODD_EXTRA, 3, NULL},  {"abXdefgh", SYT_ODD_OTHER, 2, "c"},
		{"abdefgh", SYT_ODD_MISSING, 2, "c"},   {"abcdefgg", SYT_ODD_OTHER, 7, "h"},
		{"abcdefghh", SYT_ODD_EXTRA, 8, NULL},  {"abcdefg", SYT_ODD_MISSING, 7, "h"},
		{"Xabcdefgh", SYT_ODD_EXTRA, 0, NULL},  {"bcdefgh", SYT_ODD_MISSING, 0, "a"},
		{"abcccdefgh", SYT_ODD_EXTRA, 3, NULL}, {"abc", SYT_ODD_MISSING, 3, NULL},
		{"abcdXefgYh", SYT_ODD_EXTRA, 4, NULL}, {"", SYT_ODD_MISSING, 0, NULL},
		{"bacdefgh", SYT_ODD_EXTRA, 0, NULL},   {"XY", SYT_ODD_EXTRA, 0, NULL},
	};

	(void)state;
	add("abcdefgh", 500);
	learn();
	assert_int_equal(score("abcdefgh").score, 0);
	assert_int_equal(score("abcdefgh").change, SYT_ODD_NONE);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct syt_odd_structure x = score(cases[i].text);

		print_message("%s: %s at %u, %u\n", cases[i].text, syt_odd_change_word(x.change),
		              x.step, x.score);
		assert_int_equal(x.change, cases[i].change);
		assert_int_equal(x.step, cases[i].step);
		assert_int_equal(x.seen, 0);
		assert_int_equal(x.of, 500);
		assert_true(x.score >= 12136); /* log2(2 * 500) + log2(9) - 1 */
		if (cases[i].instead)
			assert_string_equal(p.symbols.all[x.instead], cases[i].instead);
		else
			assert_int_equal(x.instead, SYT_AUTOMATON_NONE);
	}
	/* log2(2 * 500) + log2(2 * 500 * 9) - 1: no string of the model has an X; each has 9 steps with its end */
	assert_int_equal(score("abcXdefgh").score, 22101);
	assert_int_equal(score("abcadefgh").score, 12136);
	/* several unseen steps score like the most improbable one */
	assert_int_equal(score("abcXdefgYh").score, 22101);
	assert_int_equal(score("abcadeagbh").score, 12136);
	/* the rest of an open request is unknown */
	assert_int_equal(score_part("abc", 3, true).score, 0);
	assert_int_equal(score_part("abd", 3, true).step, 2);
	end();
}

/* A step that is rare, but not unseen. */
static void test_rare(void **state)
{
	struct syt_odd_structure x;

	(void)state;
	add("abcd", 1000);
	add("abxd", 20);
	learn();
	x = score("abxd");
	assert_int_equal(x.step, 2);
	assert_int_equal(x.change, SYT_ODD_OTHER);
	assert_int_equal(x.seen, 20);
	assert_int_equal(x.of, 1020);
	assert_in_range(x.score, 4500, 4600);
	assert_int_equal(score("abcd").score, 0);
	end();
}

static void test_empty(void **state)
{
	(void)state;
	learn();
	assert_int_equal(score("abc").score, 0);
	assert_int_equal(score("").score, 0);
	end();
	assert_int_equal(syt_odd_score(-1.0), 0);
	assert_int_equal(syt_odd_score((double)NAN), 0);
	assert_int_equal(syt_odd_score((double)INFINITY), SYT_ODD_MOST);
	assert_int_equal(syt_odd_score(1.2345), 1235);
}

/* ---- broken strings ---- */

/* Breaks the string TEXT of *NR letters: adds, replaces or removes a letter, or cuts the string. */
static enum syt_odd_change break_text(struct syt_random *r, char *text, unsigned *nr)
{
	unsigned at = (unsigned)syt_random_below(r, *nr);
	char letter = REBER_SYMBOLS[syt_random_below(r, sizeof(REBER_SYMBOLS) - 1)];

	switch (syt_random_below(r, 4)) {
	case 0:
		memmove(text + at + 1, text + at, *nr - at);
		text[at] = letter;
		++*nr;
		return SYT_ODD_EXTRA;
	case 1:
		text[at] = letter;
		return SYT_ODD_OTHER;
	case 2:
		memmove(text + at, text + at + 1, *nr - at - 1);
		--*nr;
		return SYT_ODD_MISSING;
	default:
		*nr = at;
		return SYT_ODD_NONE;
	}
}

static void learn_reber(struct syt_random *r, unsigned nr)
{
	for (unsigned i = 0; i < nr; i++) {
		char text[REBER_LONGEST];

		add_letters(&p, text, reber_draw(r, text));
	}
	learn();
}

/* The model reports each broken string at the first step that no string of the grammar has, and no intact string. */
static void test_broken(void **state)
{
	struct syt_random r = {3};
	unsigned nr_same[4] = {0}, nr_of[4] = {0};

	(void)state;
	learn_reber(&r, 400);
	assert_int_equal(automaton.nr_states, REBER_STATES);
	for (unsigned i = 0; i < 10000; i++) {
		char text[REBER_LONGEST];

		assert_int_equal(score_part(text, reber_draw(&r, text), false).score, 0);
	}
	for (unsigned i = 0; i < 4000;) {
		char text[REBER_LONGEST + 1];
		unsigned nr = reber_draw(&r, text);
		enum syt_odd_change change = break_text(&r, text, &nr);
		int mistake = reber_mistake(text, nr);
		struct syt_odd_structure x;

		if (mistake < 0)
			continue;
		x = score_part(text, nr, false);
		if (!x.score || (int)x.step != mistake)
			fail_msg("%.*s: step %d, not %u", (int)nr, text, mistake, x.step);
		assert_int_equal(x.seen, 0);
		nr_of[change]++;
		nr_same[change] += x.change == change;
		i++;
	}
	for (int c = SYT_ODD_EXTRA; c <= SYT_ODD_MISSING; c++)
		print_message("%s: %u of %u\n", syt_odd_change_word((enum syt_odd_change)c),
		              nr_same[c], nr_of[c]);
	/* several explanations often fit */
	for (int c = SYT_ODD_EXTRA; c <= SYT_ODD_MISSING; c++)
		assert_true(nr_same[c] * 2 > nr_of[c]);
	end();
}

/* A string that has only unseen steps ends in linear time. */
static void test_unknown(void **state)
{
	struct syt_random r = {3};
	uint32_t nr = 1000000, *steps = syt_alloc(nr, sizeof(*steps));
	struct syt_odd_structure x;

	(void)state;
	learn_reber(&r, 400);
	for (unsigned round = 0; round < 2; round++) {
		for (uint32_t i = 0; i < nr; i++)
			steps[i] = round ? syt_text_set_find(&p.symbols, "E") : SYT_AUTOMATON_NONE;
		x = syt_odd_structure(&automaton, steps, NULL, nr, false);
		assert_int_equal(x.step, 0);
		assert_true(x.score > 8000);
	}
	free(steps);
	end();
}

/* ---- novelty ---- */

static void add_path(const char *symbol, unsigned times)
{
	uint32_t steps[2];

	steps[0] = syt_text_set_add(&p.symbols, "db:serve;recv", 13);
	steps[1] = syt_text_set_add(&p.symbols, symbol, (uint32_t)strlen(symbol));
	while (times--)
		syt_population_add(&p, syt_population_behaviour(&p, steps, 2), NULL, 0);
}

/* Returns the score of a request whose second step has a symbol that the model never saw. */
static uint32_t score_novel(const struct syt_novelty *n, const char *symbol)
{
	const uint32_t steps[2] = {0, SYT_AUTOMATON_NONE},
		       novel[2] = {0, syt_novelty_of(n, symbol)};
	struct syt_odd_structure x = syt_odd_structure(&automaton, steps, novel, 2, false);

	assert_int_equal(x.step, 1);
	return x.score;
}

/* If the waits of a component have ever new call paths, a further one is less odd than the first call of another class. */
static void test_novelty(void **state)
{
	struct syt_novelty n;

	(void)state;
	add_path("db:serve;send", 100);
	add_path("db:a;wait", 1);
	add_path("db:b;lock;wait", 1);
	add_path("db:c;wait", 1);
	add_path("db:d;wait", 2);
	add_path("web:wait", 1);
	learn();
	syt_novelty_open(&n, &automaton, &p.symbols);
	assert_int_equal(syt_novelty_of(&n, "db:z;wait"), 3);
	assert_int_equal(syt_novelty_of(&n, "web:z;wait"), 1);
	assert_int_equal(syt_novelty_of(&n, "db:z;wait;read"), 0);
	assert_int_equal(syt_novelty_of(&n, "]"), 0);
	/* the count 3 1/2 instead of 1/2: log2(7) bits less */
	assert_in_range(score_novel(&n, "db:z;sleep") - score_novel(&n, "db:z;wait"), 2806, 2808);
	syt_novelty_close(&n);
	end();
}

/* ---- probabilities ---- */

static void test_p(void **state)
{
	uint32_t all[] = {7, 0, 9, 0, 7, 0, 0, 0, 0};
	struct syt_odd_scores s, none = {.nr = 0};

	(void)state;
	syt_odd_scores_open(&s, all, 9);
	assert_int_equal(s.nr, 3);
	assert_true(syt_odd_p(&s, 0) == 1.0);
	assert_true(syt_odd_p(&s, 1) == 0.4);
	assert_true(syt_odd_p(&s, 7) == 0.4);
	assert_true(syt_odd_p(&s, 8) == 0.2);
	assert_true(syt_odd_p(&s, 10) == 0.1);
	syt_odd_scores_close(&s);
	assert_true(syt_odd_p(&none, 10) == 1.0);
}

static int ascending(const void *a_, const void *b_)
{
	uint32_t a = *(const uint32_t *)a_, b = *(const uint32_t *)b_;

	return a < b ? -1 : a > b;
}

/* The tail of many scores is exact; lower scores give a p that is slightly too large, never too small. */
static void test_thin(void **state)
{
	const uint32_t nr = 1000000;
	uint32_t *all = syt_alloc(nr, sizeof(*all));
	struct syt_odd_scores s;
	struct syt_random r = {1};

	(void)state;
	for (uint32_t i = 0; i < nr; i++)
		all[i] = (uint32_t)syt_random_below(&r, 100000000);
	qsort(all, nr, sizeof(*all), ascending);
	syt_odd_scores_open(&s, all, nr);
	assert_true(s.nr <= SYT_ODD_SCORES && s.nr > SYT_ODD_SCORES * 9 / 10);
	assert_int_equal(s.total, nr);
	for (uint32_t i = 0; i < nr; i++) {
		double exact, p_of;

		if (i && all[i] == all[i - 1])
			continue;
		exact = (1 + (double)(nr - i)) / (1 + (double)nr);
		p_of = syt_odd_p(&s, all[i]);
		assert_true(i > nr - SYT_ODD_TAIL ? p_of == exact
		                                  : p_of >= exact && p_of < exact + 0.0005);
	}
	syt_odd_scores_close(&s);
	free(all);
}

/* The p of like requests is uniform: a share of at most x has a p of at most x. */
static void test_uniform(void **state)
{
	struct syt_random r = {23};
	unsigned nr_below[21] = {0};
	const unsigned nr_rounds = 400, nr = 199;

	(void)state;
	for (unsigned i = 0; i < nr_rounds; i++) {
		struct syt_odd_scores s;
		uint32_t all[200];

		for (unsigned j = 0; j < nr; j++)
			all[j] = (uint32_t)syt_random_below(&r, 1000000000);
		syt_odd_scores_open(&s, all, nr);
		for (unsigned j = 0; j < 100; j++) {
			double x = syt_odd_p(&s, (uint32_t)syt_random_below(&r, 1000000000));

			for (unsigned k = 1; k <= 20; k++)
				nr_below[k] += x <= k / 20.0;
		}
		syt_odd_scores_close(&s);
	}
	for (unsigned k = 1; k <= 20; k++)
		assert_true(fabs(nr_below[k] / (nr_rounds * 100.0) - k / 20.0) < 0.01);
}

/* ---- ranks ---- */

enum { NR_CALIBRATION = 199, NR_JUDGED = 100 };

/* The scores of a request. SHAPE 0: independent scores; 1: equal scores; 2: one of eight structures, few CPU times; 3: one
 * score that is not 0. */
static struct syt_odd_request draw_scores(struct syt_random *r, unsigned shape)
{
	struct syt_odd_request x;
	uint64_t only = syt_random_below(r, SYT_ODD_NR_KINDS);

	for (unsigned i = 0; i < SYT_ODD_NR_KINDS; i++) {
		x.scores[i] = (uint32_t)syt_random_below(r, 1000000000);
		if (shape == 1)
			x.scores[i] = x.scores[0];
		else if (shape == 3 && i != only)
			x.scores[i] = 0;
	}
	if (shape == 2) {
		x.scores[SYT_ODD_STRUCTURE] %= 8;
		x.scores[SYT_ODD_CPU] *= x.scores[SYT_ODD_CPU] < 100000000;
	}
	return x;
}

/* The p of like requests is uniform: the share of those with p <= k/(n+1) is k/(n+1), or larger by at most one request in n+1 for
 * each further score. With equal requests, p may be larger. */
static void test_joint(void **state)
{
	const double step = 1.0 / (NR_CALIBRATION + 1), most = (SYT_ODD_NR_KINDS - 1) * step;
	struct syt_random r = {31};
	const unsigned nr_rounds = 4000;

	(void)state;
	for (unsigned shape = 0; shape < 4; shape++) {
		unsigned nr_low[NR_CALIBRATION + 2] = {0};

		for (unsigned i = 0; i < nr_rounds; i++) {
			struct syt_odd_request all[NR_CALIBRATION], x;
			struct syt_odd_calibration c;

			for (unsigned j = 0; j < NR_CALIBRATION; j++)
				all[j] = draw_scores(&r, shape);
			syt_odd_calibrate(&c, all, NR_CALIBRATION);
			for (unsigned j = 0; j < NR_JUDGED; j++) {
				x = draw_scores(&r, shape);
				nr_low[lround(syt_odd_rank(&c, &x).p / step)]++;
			}
			syt_odd_calibration_close(&c);
		}
		for (unsigned k = 1; k <= NR_CALIBRATION + 1; k++) {
			double wanted = k * step, share, noise;

			nr_low[k] += nr_low[k - 1];
			share = (double)nr_low[k] / nr_rounds / NR_JUDGED;
			/* four standard deviations; the judged requests of a round share its calibration */
			noise = 4 * sqrt(wanted * (1 - wanted) / nr_rounds *
			                 (1.0 / NR_JUDGED + 1.0 / NR_CALIBRATION));
			if (k <= 4 || k == 20)
				print_message("shape %u: p <= %.3f: %.4f\n", shape, wanted, share);
			assert_true(share < wanted + most + noise);
			if (shape < 2)
				assert_true(share > wanted - most - noise);
		}
	}
}

/* Judges a request with the scores STRUCTURE, AMOUNT and CPU. */
static struct syt_odd_rank rank(const struct syt_odd_calibration *c, uint32_t structure,
                                uint32_t amount, uint32_t cpu)
{
	const struct syt_odd_request x = {{structure, amount, cpu}};

	return syt_odd_rank(c, &x);
}

/* The largest score so far gives the smallest possible p, whichever of the scores it is. */
static void test_largest(void **state)
{
	/* the ranks of these requests are 4, 2, 2, 1, 6 and 2 */
	const struct syt_odd_request all[] = {{{0, 3, 0}}, {{0, 8, 0}}, {{5, 0, 0}},
	                                      {{9, 0, 0}}, {{0, 1, 0}}, {{0, 0, 7}}};
	struct syt_odd_calibration c;
	struct syt_odd_rank x;

	(void)state;
	syt_odd_calibrate(&c, all, 6);
	x = rank(&c, 10, 0, 0);
	assert_true(x.kind == SYT_ODD_STRUCTURE && x.p == 1.0 / 7);
	x = rank(&c, 0, 9, 0);
	assert_true(x.kind == SYT_ODD_AMOUNT && x.p == 1.0 / 7);
	x = rank(&c, 0, 0, 8);
	assert_true(x.kind == SYT_ODD_CPU && x.p == 1.0 / 7);
	assert_true(rank(&c, 9, 0, 0).p == 2.0 / 7);
	assert_true(rank(&c, 0, 0, 7).p == 5.0 / 7);
	assert_true(rank(&c, 5, 3, 0).p == 5.0 / 7);
	assert_true(rank(&c, 0, 1, 0).p == 1.0);
	syt_odd_calibration_close(&c);
}

/* A model of an older version has no joint scores, and one score for all amounts. */
static void test_old(void **state)
{
	struct syt_odd_calibration c = {.joint = {.nr = 0}};
	struct syt_odd_rank x;

	(void)state;
	syt_odd_scores_add(&c.kinds[SYT_ODD_STRUCTURE], 0, 3);
	syt_odd_scores_add(&c.kinds[SYT_ODD_STRUCTURE], 5, 1);
	syt_odd_scores_add(&c.kinds[SYT_ODD_AMOUNT], 0, 2);
	syt_odd_scores_add(&c.kinds[SYT_ODD_AMOUNT], 8, 2);
	x = rank(&c, 6, 0, 0);
	assert_true(x.kind == SYT_ODD_STRUCTURE && x.p == 2.0 / 5);
	x = rank(&c, 5, 7, 9);
	assert_true(x.kind == SYT_ODD_CPU && x.p == 2.0 / 5);
	x = rank(&c, 5, 9, 7);
	assert_true(x.kind == SYT_ODD_AMOUNT && x.p == 2.0 / 5);
	assert_true(rank(&c, 5, 0, 8).p == 4.0 / 5);
	assert_true(rank(&c, 0, 0, 0).p == 1.0);
	syt_odd_calibration_close(&c);
}

/* The structure scores of strings from the same source are calibrated also if the automaton is wrong. */
static void test_calibrated(void **state)
{
	struct syt_random r = {29};
	unsigned nr_low[3] = {0};
	const unsigned one_in[3] = {20, 50, 100};
	const unsigned nr_rounds = 40, nr = 300;

	(void)state;
	for (unsigned i = 0; i < nr_rounds; i++) {
		struct syt_odd_scores s;
		uint32_t all[300];
		char text[REBER_LONGEST];

		learn_reber(&r, 20); /* too few strings: many steps of intact strings are unseen */
		for (unsigned j = 0; j < nr; j++)
			all[j] = score_part(text, reber_draw(&r, text), false).score;
		syt_odd_scores_open(&s, all, nr);
		for (unsigned j = 0; j < nr; j++) {
			unsigned length = reber_draw(&r, text);
			double x = syt_odd_p(&s, score_part(text, length, false).score);

			for (unsigned k = 0; k < 3; k++)
				nr_low[k] += x <= 1.0 / one_in[k];
		}
		syt_odd_scores_close(&s);
		end();
	}
	for (unsigned k = 0; k < 3; k++) {
		print_message("p <= 1/%u: %u of %u\n", one_in[k], nr_low[k], nr_rounds * nr);
		assert_true(nr_low[k] < 1.3 * nr_rounds * nr / one_in[k]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_explanations),
		cmocka_unit_test(test_rare),
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_broken),
		cmocka_unit_test(test_unknown),
		cmocka_unit_test(test_novelty),
		cmocka_unit_test(test_p),
		cmocka_unit_test(test_thin),
		cmocka_unit_test(test_uniform),
		cmocka_unit_test(test_joint),
		cmocka_unit_test(test_largest),
		cmocka_unit_test(test_old),
		cmocka_unit_test(test_calibrated),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
