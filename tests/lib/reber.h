/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The Reber grammar, an automaton with 8 states (Magpie, fig. 6). Tests draw random strings from it. */
#ifndef SYT_TESTS_LIB_REBER_H
#define SYT_TESTS_LIB_REBER_H

#include <stdbool.h>
#include <stdint.h>

#include "decoder/request/population.h"
#include "tests/lib/random.h"

#define REBER_STATES 8u
#define REBER_END 7 /* the state in which strings end */
#define REBER_SYMBOLS "BEPSTVX"
#define REBER_LONGEST 200u

/* A symbol, its share in percent and the next state. The symbol 0 ends the list. */
struct reber_step {
	char symbol;
	unsigned percent;
	int to;
};

static const struct reber_step reber[REBER_STATES][3] = {{{'B', 100, 1}},
                                                         {{'T', 50, 2}, {'P', 50, 3}},
                                                         {{'S', 60, 2}, {'X', 40, 4}},
                                                         {{'T', 70, 3}, {'V', 30, 5}},
                                                         {{'X', 50, 3}, {'S', 50, 6}},
                                                         {{'P', 50, 4}, {'V', 50, 6}},
                                                         {{'E', 100, 7}},
                                                         {{0, 0, 0}}};

/* Returns the state after STATE and SYMBOL, or -1. */
static inline int reber_next(int state, char symbol)
{
	for (unsigned i = 0; i < 3 && reber[state][i].symbol; i++)
		if (reber[state][i].symbol == symbol)
			return reber[state][i].to;
	return -1;
}

/* Writes a random string of the grammar. Returns its length. */
static inline unsigned reber_draw(struct syt_random *r, char text[REBER_LONGEST])
{
	unsigned nr = 0;

	for (int state = 0; state != REBER_END && nr < REBER_LONGEST;) {
		uint64_t chance = syt_random_below(r, 100);
		unsigned i = chance >= reber[state][0].percent;

		text[nr++] = reber[state][i].symbol;
		state = reber[state][i].to;
	}
	return nr;
}

/* Returns the first step at which the string leaves the grammar; NR stands for its end. Returns -1 for a string of the
 * grammar. */
static inline int reber_mistake(const char *text, unsigned nr)
{
	int state = 0;

	for (unsigned i = 0; i < nr; i++) {
		state = reber_next(state, text[i]);
		if (state < 0)
			return (int)i;
	}
	return state == REBER_END ? -1 : (int)nr;
}

/* Stores the numbers of the letters of TEXT as symbols of P. */
static inline void letters(struct syt_population *p, const char *text, unsigned nr, uint32_t *steps)
{
	for (unsigned i = 0; i < nr; i++)
		steps[i] = syt_text_set_add(&p->symbols, text + i, 1);
}

/* Adds a request whose symbols are the letters of TEXT. */
static inline void add_letters(struct syt_population *p, const char *text, unsigned nr)
{
	uint32_t steps[REBER_LONGEST];

	letters(p, text, nr, steps);
	syt_population_add(p, syt_population_behaviour(p, steps, nr), NULL, 0);
}

#endif
