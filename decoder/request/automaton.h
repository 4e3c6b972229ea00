/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * A probabilistic automaton that accepts the behaviours of a population, learnt with the algorithm ALERGIA (Carrasco and
 * Oncina, 1994; Magpie, section 4; doc/requests.md). Each transition has a symbol and the number of requests that took it.
 * A request that leaves a state either takes a transition or ends. The result depends on the texts and counts of the
 * behaviours, but not on their numbers.
 */
#ifndef SYT_DECODER_REQUEST_AUTOMATON_H
#define SYT_DECODER_REQUEST_AUTOMATON_H

#include "decoder/request/population.h"

#define SYT_AUTOMATON_ALPHA 0.01      /* confidence level of the test for equal shares */
#define SYT_AUTOMATON_STATES 100000u  /* maximum number of states, also of the prefix tree */
#define SYT_AUTOMATON_NONE UINT32_MAX /* no transition, no state, or an unknown symbol */

struct syt_automaton_transition {
	uint32_t symbol; /* the number of the symbol in the population or in the model */
	uint32_t to;
	uint64_t count;
};

struct syt_automaton_state {
	uint64_t visits, ends; /* visits = ends + sum of the counts of the transitions */
	uint32_t first, nr;    /* transitions[first] up to transitions[first + nr], by text */
	double entropy;        /* expected number of bits of the next step or end */
};

struct syt_automaton {
	uint32_t nr_states, nr_transitions;
	size_t room_states, room_transitions;
	struct syt_automaton_state *states; /* state 0 is the initial state */
	struct syt_automaton_transition *transitions;
	uint32_t *by_count;    /* for each state: its transitions, most frequent first */
	struct syt_hash index; /* (state, symbol) -> transition */
	/* sums of the counts of all transitions with a symbol, [symbol] up to `nr_symbols`, and of all ends */
	uint32_t nr_symbols;
	uint64_t *of_symbol, nr_ends;
	uint64_t nr_steps;    /* sum of all these counts */
	double unseen_count;  /* count of a step that no request made */
	uint64_t nr_left_out; /* behaviours for which the prefix tree had no room */
	uint32_t
		nr_unmerged; /* states that were not compared, because the comparisons took too long */
};

/* Learns the behaviours of P. COUNTS[behaviour] is the number of requests with a behaviour; the automaton does not learn
 * behaviours with the count 0. */
void syt_automaton_learn(struct syt_automaton *a, const struct syt_population *p,
                         const uint64_t *counts, double alpha);
void syt_automaton_close(struct syt_automaton *a);

/* Adds a state without transitions, or a transition to the last state. The parser of models uses these functions. */
void syt_automaton_add_state(struct syt_automaton *a, uint64_t visits, uint64_t ends);
void syt_automaton_add_transition(struct syt_automaton *a, uint32_t symbol, uint32_t to,
                                  uint64_t count);
/* Computes the entropies, `by_count`, `index` and the sums, once all states and transitions are there. */
void syt_automaton_complete(struct syt_automaton *a);

/* Replaces each symbol S by SYMBOLS[S]. The order of the texts must remain. */
void syt_automaton_rename(struct syt_automaton *a, const uint32_t *symbols);

/* Returns how many steps of all states have SYMBOL, which may be unknown. */
static inline uint64_t syt_automaton_of_symbol(const struct syt_automaton *a, uint32_t symbol)
{
	return symbol < a->nr_symbols ? a->of_symbol[symbol] : 0;
}

/* Returns the transition of STATE with SYMBOL, or SYT_AUTOMATON_NONE. */
uint32_t syt_automaton_find(const struct syt_automaton *a, uint32_t state, uint32_t symbol);

#endif
