/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/request/prefix.h"

#include <string.h>

#define NONE SYT_AUTOMATON_NONE

static uint32_t symbol_of(const struct syt_workload *model, const char *text)
{
	uint32_t n = syt_text_set_find(&model->known.symbols, text);

	return n == SYT_HASH_NONE ? NONE : n;
}

static bool has(const struct syt_automaton *a, uint32_t state, uint32_t symbol)
{
	return symbol != NONE && syt_automaton_find(a, state, symbol) != NONE;
}

/* Returns true if in some string a bracket opens behind one that closes. */
static bool has_siblings(const struct syt_prefixes *p)
{
	const struct syt_automaton *a = &p->model->automaton;

	for (uint32_t i = 0; i < a->nr_transitions; i++)
		if (a->transitions[i].symbol == p->close && has(a, a->transitions[i].to, p->open))
			return true;
	return false;
}

void syt_prefixes_open(struct syt_prefixes *p, const struct syt_workload *model)
{
	*p = (struct syt_prefixes){
		.model = model, .open = symbol_of(model, "["), .close = symbol_of(model, "]")};
	p->has_siblings = has_siblings(p);
}

/* Returns true if the model learnt a behaviour that begins with STEPS at least twice: the automaton lacks rare behaviours. */
static bool is_learnt(const struct syt_workload *w, const uint32_t *steps, uint32_t nr)
{
	for (uint32_t i = 0; i < w->nr_learnt; i++) {
		uint32_t b = w->learnt[i].behaviour;

		if (w->known.behaviours[b].nr >= nr &&
		    !memcmp(syt_behaviour_steps(&w->known, b), steps, nr * sizeof(*steps)))
			return true;
	}
	return false;
}

struct syt_prefix syt_prefix_of(const struct syt_prefixes *p, const uint32_t *steps, uint32_t nr)
{
	const struct syt_automaton *a = &p->model->automaton;
	uint32_t state = 0;

	for (uint32_t i = 0; i < nr && state < a->nr_states; i++) {
		bool is_open = p->open != NONE && steps[i] == p->open;
		uint32_t t;

		if ((p->close != NONE && steps[i] == p->close) || (is_open && p->has_siblings) ||
		    (!is_open && has(a, state, p->open)))
			return (struct syt_prefix){i, false};
		t = steps[i] == NONE ? NONE : syt_automaton_find(a, state, steps[i]);
		if (t == NONE)
			return (struct syt_prefix){i + 1, !is_learnt(p->model, steps, i + 1)};
		state = a->transitions[t].to;
	}
	return (struct syt_prefix){nr, false};
}
