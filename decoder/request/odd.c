/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/request/odd.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "base/err.h"
#include "base/sort.h"
#include "base/store.h"

#define NR_AHEAD 6u      /* steps by which an explanation is judged */
#define MOST_INSTEAD 64u /* most frequent transitions of a state that explanations try */
#define ALLOWANCE 1.0    /* bits by which a step may exceed the entropy of its state */
#define NONE SYT_AUTOMATON_NONE

const char *syt_odd_change_word(enum syt_odd_change c)
{
	static const char *const words[] = {NULL, "extra", "other", "missing"};

	return words[c];
}

uint32_t syt_odd_score(double value)
{
	if (!(value > 0))
		return 0;
	return value * SYT_ODD_UNIT < SYT_ODD_MOST ? (uint32_t)lround(value * SYT_ODD_UNIT)
	                                           : SYT_ODD_MOST;
}

/* ---- steps ---- */

struct string {
	const struct syt_automaton *automaton;
	const uint32_t *steps, *novel;
	uint32_t nr;
	bool is_open;
};

/* A position in a string and in the automaton. */
struct position {
	uint32_t state, step;
};

/* Returns how many requests in the state went on like the string. Moves P behind the step, unless the step is the end or no
 * request went on like this. */
static uint64_t advance(const struct string *s, struct position *p)
{
	uint32_t t;

	if (p->step == s->nr)
		return s->automaton->states[p->state].ends;
	t = s->steps[p->step] == NONE
	            ? NONE
	            : syt_automaton_find(s->automaton, p->state, s->steps[p->step]);
	if (t == NONE)
		return 0;
	*p = (struct position){s->automaton->transitions[t].to, p->step + 1};
	return s->automaton->transitions[t].count;
}

static double bits_of(const struct string *s, uint32_t state, uint64_t count)
{
	const struct syt_automaton *a = s->automaton;
	uint64_t visits = a->states[state].visits;

	return log2((double)(visits ? visits : 1) / (count ? (double)count : a->unseen_count));
}

/* Returns the count of the step at P in all states. The more symbols of a class the model saw once, the
 * more often a step has a new symbol of this class (Good and Turing). */
static double count_of(const struct string *s, struct position p)
{
	const struct syt_automaton *a = s->automaton;
	double count, unseen = a->unseen_count;

	if (p.step == s->nr)
		return a->nr_ends ? (double)a->nr_ends : unseen;
	count = (double)syt_automaton_of_symbol(a, s->steps[p.step]);
	unseen += s->novel ? s->novel[p.step] : 0;
	return count > unseen ? count : unseen;
}

/* Returns the bits of the unseen step at P. Its probability is that of an unseen step in this state, times the share of its symbol
 * in the steps of all states: a call that no request made says more than a usual call at another place. */
static double bits_of_unseen(const struct string *s, struct position p)
{
	const struct syt_automaton *a = s->automaton;

	if (!a->nr_steps)
		return bits_of(s, p.state, 0);
	return bits_of(s, p.state, 0) + log2((double)a->nr_steps / count_of(s, p));
}

/* ---- explanations of unseen steps ---- */

struct explanation {
	enum syt_odd_change change;
	struct position position; /* where the walk continues */
	uint32_t instead;
	uint32_t nr_fit; /* number of the next steps that the model saw, at most NR_AHEAD */
	double bits;     /* of these steps, and of the step that the explanation assumes */
};

/* Judges X by the steps after the step AT. */
static void judge(const struct string *s, uint32_t at, struct explanation *x)
{
	struct position p = x->position;

	for (uint32_t step = p.step; step <= at + NR_AHEAD; step++) {
		uint32_t state = p.state;
		bool is_end = step == s->nr;
		uint64_t count = is_end && s->is_open ? 1 : advance(s, &p);

		if (!count)
			return;
		if (is_end) {
			x->bits += s->is_open ? 0 : bits_of(s, state, count);
			x->nr_fit = NR_AHEAD;
			return;
		}
		x->bits += bits_of(s, state, count);
		x->nr_fit += step > at;
	}
}

static void try(const struct string *s, uint32_t at, struct explanation x, struct explanation *best)
{
	judge(s, at, &x);
	if (!best->change || x.nr_fit > best->nr_fit ||
	    (x.nr_fit == best->nr_fit && x.bits < best->bits))
		*best = x;
}

/* Tries the explanations that the transition T of the state at P stands for: the string has another step instead, or the
 * string lacks this step. */
static void try_transition(const struct string *s, struct position p, uint32_t t,
                           struct explanation *best)
{
	const struct syt_automaton_transition *transition = &s->automaton->transitions[t];
	struct explanation x = {.change = SYT_ODD_OTHER,
	                        .position = {transition->to, p.step + 1},
	                        .instead = transition->symbol,
	                        .bits = bits_of(s, p.state, transition->count)};
	struct position next = {transition->to, p.step};

	if (p.step < s->nr)
		try(s, p.step, x, best);
	if (advance(s, &next)) {
		x.change = SYT_ODD_MISSING;
		x.position.step = p.step;
		try(s, p.step, x, best);
	}
}

/* Returns the best explanation of the unseen step at P. Its change is SYT_ODD_NONE if the string ends too early by more
 * than one step. */
static struct explanation explain(const struct string *s, struct position p)
{
	const struct syt_automaton_state *state = &s->automaton->states[p.state];
	struct explanation best = {.change = SYT_ODD_NONE, .instead = NONE}, extra = best;

	if (p.step < s->nr) {
		extra.change = SYT_ODD_EXTRA;
		extra.position = (struct position){p.state, p.step + 1};
		try(s, p.step, extra, &best);
	}
	for (uint32_t i = 0; i < state->nr && i < MOST_INSTEAD; i++)
		try_transition(s, p, s->automaton->by_count[state->first + i], &best);
	return best;
}

/* ---- the sum ---- */

/* The cumulative sum since it was 0. It joins the unseen steps that one change of the request causes. */
struct sum {
	double bits;
	double step_bits; /* the bits that the last step added */
	double most_bits; /* of a step, if no step is unseen */
	struct syt_odd_structure
		departs; /* the first unseen step, or the step with the most bits */
};

/* Adds a step to SUM. X explains an unseen step. */
static void add_step(const struct string *s, struct sum *sum, struct position p, uint64_t count,
                     const struct explanation *x)
{
	double bits = count ? bits_of(s, p.state, count) : bits_of_unseen(s, p);

	sum->step_bits = bits - s->automaton->states[p.state].entropy - ALLOWANCE;
	sum->bits += bits - s->automaton->states[p.state].entropy - ALLOWANCE;
	if (sum->bits <= 0) {
		*sum = (struct sum){.bits = 0};
		return;
	}
	if (sum->departs.change && (!sum->departs.seen || (count && bits <= sum->most_bits)))
		return;
	sum->most_bits = bits;
	sum->departs = (struct syt_odd_structure){.change = x->change ? x->change : SYT_ODD_MISSING,
	                                          .step = p.step,
	                                          .state = p.state,
	                                          .instead = x->instead,
	                                          .seen = count,
	                                          .of = s->automaton->states[p.state].visits};
}

struct syt_odd_structure syt_odd_structure(const struct syt_automaton *a, const uint32_t *steps,
                                           const uint32_t *novel, uint32_t nr, bool is_open)
{
	const struct string s = {a, steps, novel, nr, is_open};
	const struct explanation seen = {.change = SYT_ODD_OTHER, .instead = NONE};
	struct syt_odd_structure result = {.change = SYT_ODD_NONE, .instead = NONE};
	struct position p = {0, 0};
	struct sum sum = {.bits = 0};
	double most = 0;

	while (p.step < nr + !is_open) {
		struct position from = p;
		uint64_t count = advance(&s, &p);
		struct explanation x = count ? seen : explain(&s, p);

		add_step(&s, &sum, from, count, &x);
		if (sum.bits > 0 && sum.step_bits > most) {
			most = sum.step_bits;
			result = sum.departs;
		}
		if (from.step == nr && (count || !x.change))
			break;
		if (!count)
			p = x.position;
	}
	result.score = syt_odd_score(most);
	return result;
}

/* ---- calibration ---- */

static int ascending(const void *a, const void *b)
{
	uint32_t one = *(const uint32_t *)a, other = *(const uint32_t *)b;

	return one < other ? -1 : one > other;
}

void syt_odd_scores_add(struct syt_odd_scores *s, uint32_t score, uint64_t count)
{
	struct syt_odd_score new = {score, count, s->total};

	*SYT_ADD(s->all, s->nr, s->room) = new;
	s->total += count;
}

/* Merges the scores below the tail of S, so that about the same number of requests has each of the scores that remain. */
static void thin(struct syt_odd_scores *s)
{
	uint32_t nr = 0, nr_low = s->nr - SYT_ODD_TAIL;
	uint64_t low = 0, group, sum = 0;

	for (uint32_t i = 0; i < nr_low; i++)
		low += s->all[i].count;
	group = low / (SYT_ODD_SCORES - SYT_ODD_TAIL) + 1;
	for (uint32_t i = 0; i < nr_low; i++) {
		sum += s->all[i].count;
		if (sum < group && i + 1 < nr_low)
			continue;
		s->all[nr++] = (struct syt_odd_score){s->all[i].score, sum,
		                                      s->all[i].below + s->all[i].count - sum};
		sum = 0;
	}
	memmove(s->all + nr, s->all + nr_low, SYT_ODD_TAIL * sizeof(*s->all));
	s->nr = nr + SYT_ODD_TAIL;
}

void syt_odd_scores_open(struct syt_odd_scores *s, const uint32_t *all, uint64_t nr)
{
	uint32_t *sorted = syt_store_alloc(nr, sizeof(*sorted));

	memset(s, 0, sizeof(*s));
	SYT_EACH_FAR(i, UINT64_C(0), nr)
		sorted[i] = all[i];
	syt_sort(sorted, nr, sizeof(*sorted), ascending);
	for (uint64_t i = 0, first = 0; i < nr; i++)
		if (i + 1 == nr || sorted[i + 1] != sorted[i]) {
			syt_odd_scores_add(s, sorted[i], i + 1 - first);
			first = i + 1;
		}
	syt_store_free(sorted);
	if (s->nr > SYT_ODD_SCORES)
		thin(s);
}

void syt_odd_scores_close(struct syt_odd_scores *s)
{
	free(s->all);
	memset(s, 0, sizeof(*s));
}

uint64_t syt_odd_reach(const struct syt_odd_scores *s, uint32_t score)
{
	uint32_t i = SYT_BISECT(n, 0, s->nr, s->all[n].score < score);

	return i < s->nr ? s->total - s->all[i].below : 0;
}

double syt_odd_p(const struct syt_odd_scores *s, uint32_t score)
{
	return (1 + (double)syt_odd_reach(s, score)) / (1 + (double)s->total);
}

/* ---- ranks ---- */

/* Structure and work have equal shares of the findings. CPU time and the other amounts divide the share of work. */
static const uint64_t weights[SYT_ODD_NR_KINDS] = {
	[SYT_ODD_STRUCTURE] = 1,
	[SYT_ODD_AMOUNT] = 2,
	[SYT_ODD_CPU] = 2,
};

/* Returns the kind of the score with the smallest product of its weight and the number of calibration requests that reach the score,
 * and this product in *RANK. Equal products: the first kind. */
static enum syt_odd_score_kind rank_of(const struct syt_odd_calibration *c,
                                       const struct syt_odd_request *r, uint64_t *rank)
{
	enum syt_odd_score_kind kind = SYT_ODD_STRUCTURE;

	*rank = UINT64_MAX;
	for (unsigned i = 0; i < SYT_ODD_NR_KINDS; i++) {
		uint64_t reach = weights[i] * syt_odd_reach(&c->kinds[i], r->scores[i]);

		if (reach >= *rank)
			continue;
		*rank = reach;
		kind = (enum syt_odd_score_kind)i;
	}
	return kind;
}

static uint32_t joint_score(uint64_t rank)
{
	return rank < SYT_ODD_MOST ? SYT_ODD_MOST - (uint32_t)rank : 0;
}

void syt_odd_calibrate(struct syt_odd_calibration *c, const struct syt_odd_request *all,
                       uint64_t nr)
{
	uint32_t *scores = syt_store_alloc(nr, sizeof(*scores));
	uint64_t rank;

	for (unsigned kind = 0; kind < SYT_ODD_NR_KINDS; kind++) {
		SYT_EACH_FAR(i, UINT64_C(0), nr)
			scores[i] = all[i].scores[kind];
		syt_odd_scores_open(&c->kinds[kind], scores, nr);
	}
	/* the request itself is one of those that reach its score */
	SYT_EACH_FAR(i, UINT64_C(0), nr) {
		rank_of(c, &all[i], &rank);
		scores[i] = joint_score(rank);
	}
	syt_odd_scores_open(&c->joint, scores, nr);
	syt_store_free(scores);
}

void syt_odd_calibration_close(struct syt_odd_calibration *c)
{
	for (unsigned i = 0; i < SYT_ODD_NR_KINDS; i++)
		syt_odd_scores_close(&c->kinds[i]);
	syt_odd_scores_close(&c->joint);
}

/* Ranks a request by a model of an older version, which has two kinds of scores. Twice the smaller p is never too small. */
static struct syt_odd_rank old_rank(const struct syt_odd_calibration *c,
                                    const struct syt_odd_request *r)
{
	bool is_cpu = r->scores[SYT_ODD_CPU] > r->scores[SYT_ODD_AMOUNT];
	enum syt_odd_score_kind kind = is_cpu ? SYT_ODD_CPU : SYT_ODD_AMOUNT;
	double structure = syt_odd_p(&c->kinds[SYT_ODD_STRUCTURE], r->scores[SYT_ODD_STRUCTURE]);
	double p = syt_odd_p(&c->kinds[SYT_ODD_AMOUNT], r->scores[kind]);

	if (structure <= p) {
		p = structure;
		kind = SYT_ODD_STRUCTURE;
	}
	return (struct syt_odd_rank){kind, 2 * p < 1 ? 2 * p : 1};
}

struct syt_odd_rank syt_odd_rank(const struct syt_odd_calibration *c,
                                 const struct syt_odd_request *r)
{
	struct syt_odd_rank result;
	uint64_t rank;

	if (!c->joint.nr)
		return old_rank(c, r);
	result.kind = rank_of(c, r, &rank);
	result.p = syt_odd_p(&c->joint, joint_score(rank));
	return result;
}
