/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/request/automaton.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/sort.h"
#include "base/store.h"

#define UNSEEN_COUNT 0.5 /* count of a step that no request made, in a model of all requests */

void syt_automaton_close(struct syt_automaton *a)
{
	free(a->states);
	free(a->transitions);
	free(a->by_count);
	free(a->of_symbol);
	syt_hash_close(&a->index);
	memset(a, 0, sizeof(*a));
}

void syt_automaton_add_state(struct syt_automaton *a, uint64_t visits, uint64_t ends)
{
	struct syt_automaton_state s = {.visits = visits, .ends = ends, .first = a->nr_transitions};

	*SYT_ADD(a->states, a->nr_states, a->room_states) = s;
}

void syt_automaton_add_transition(struct syt_automaton *a, uint32_t symbol, uint32_t to,
                                  uint64_t count)
{
	struct syt_automaton_transition t = {symbol, to, count};

	a->states[a->nr_states - 1].nr++;
	*SYT_ADD(a->transitions, a->nr_transitions, a->room_transitions) = t;
}

/* stable, so transitions with equal counts keep the order of their texts */
static int by_count(const void *a, const void *b, void *transitions_)
{
	const struct syt_automaton_transition *transitions = transitions_;
	uint64_t one = transitions[*(const uint32_t *)a].count;
	uint64_t other = transitions[*(const uint32_t *)b].count;

	return one > other ? -1 : one < other;
}

static double bits_of(uint64_t count, uint64_t visits)
{
	double share = (double)count / (double)visits;

	return count ? -share * log2(share) : 0;
}

static void complete_state(struct syt_automaton *a, uint32_t state)
{
	struct syt_automaton_state *s = &a->states[state];

	s->entropy = bits_of(s->ends, s->visits);
	for (uint32_t i = s->first; i < s->first + s->nr; i++) {
		s->entropy += bits_of(a->transitions[i].count, s->visits);
		a->by_count[i] = i;
	}
	syt_sort_with(a->by_count + s->first, s->nr, sizeof(*a->by_count), by_count,
	              a->transitions);
}

static void make_index(struct syt_automaton *a)
{
	syt_hash_close(&a->index);
	for (uint32_t i = 0; i < a->nr_states; i++) {
		const struct syt_automaton_state *s = &a->states[i];

		for (uint32_t j = s->first; j < s->first + s->nr; j++)
			syt_hash_add(&a->index, syt_hash_words(i, a->transitions[j].symbol), j);
	}
}

static void add_up(struct syt_automaton *a)
{
	a->nr_symbols = 0;
	a->nr_ends = 0;
	a->nr_steps = 0;
	for (uint32_t i = 0; i < a->nr_transitions; i++)
		if (a->transitions[i].symbol >= a->nr_symbols)
			a->nr_symbols = a->transitions[i].symbol + 1;
	free(a->of_symbol);
	a->of_symbol = syt_calloc(a->nr_symbols, sizeof(*a->of_symbol));
	for (uint32_t i = 0; i < a->nr_states; i++)
		a->nr_ends += a->states[i].ends;
	for (uint32_t i = 0; i < a->nr_transitions; i++) {
		a->of_symbol[a->transitions[i].symbol] += a->transitions[i].count;
		a->nr_steps += a->transitions[i].count;
	}
	a->nr_steps += a->nr_ends;
}

void syt_automaton_rename(struct syt_automaton *a, const uint32_t *symbols)
{
	for (uint32_t i = 0; i < a->nr_transitions; i++)
		a->transitions[i].symbol = symbols[a->transitions[i].symbol];
	make_index(a);
	add_up(a);
}

void syt_automaton_complete(struct syt_automaton *a)
{
	a->by_count = syt_alloc(a->nr_transitions, sizeof(*a->by_count));
	for (uint32_t i = 0; i < a->nr_states; i++)
		complete_state(a, i);
	make_index(a);
	add_up(a);
	a->unseen_count = UNSEEN_COUNT;
}

uint32_t syt_automaton_find(const struct syt_automaton *a, uint32_t state, uint32_t symbol)
{
	const struct syt_automaton_state *s = &a->states[state];

	return SYT_HASH_FIND(&a->index, syt_hash_words(state, symbol), i,
	                     i - s->first < s->nr && a->transitions[i].symbol == symbol);
}
