/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * The budget of a sampled trace (doc/sampling.md, "Budget"): each second, the recorder changes lambda, rate or p of the sampler
 * by the quotient of the budget and the use. The state is in the shared file, so all processes of a trace follow one
 * budget. Like format/sampler.h, this file uses integers only and calls no function of libc.
 */
#ifndef SYT_FORMAT_BUDGET_H
#define SYT_FORMAT_BUDGET_H

#include "format/format.h"
#include "format/sampler_text.h"

/* At SYT_BUDGET_AT in the shared file of the trace. All members except the first two are live. */
struct syt_budget {
	uint64_t
		limit; /* bytes in a second, or millionths of the CPU time; 0: there is no budget */
	uint32_t is_share;    /* 1: of the CPU time */
	uint32_t has_skipped; /* 1: the sampler has skipped calls since at_ns */
	uint64_t value; /* lambda, rate or p in millionths; 0: as in the text of the sampler */
	uint64_t at_ns; /* CLOCK_MONOTONIC of the last change; 0: none */
	/* since then, of all events and of ghosts: bytes before the compression, or ns */
	uint64_t used, ghosts;
	uint64_t cpu_ns;      /* CPU time of the processes since then */
	uint64_t raw, packed; /* bytes of complete blocks before and after the compression */
	/* number of changes, of those after seconds in which the ghosts alone exceeded the budget, and of those after seconds
	 * in which the use exceeded it with the least value */
	uint32_t nr_seconds, nr_ghosts, nr_least, reserved;
};

#define SYT_BUDGET_AT offsetof(struct syt_trace, reserved4)
_Static_assert(SYT_BUDGET_AT % 8 == 0 &&
                       SYT_BUDGET_AT + sizeof(struct syt_budget) <= SYT_PAGE_BYTES,
               "the budget is in the first page");

static inline struct syt_budget *syt_budget_of(struct syt_trace *t)
{
	return (struct syt_budget *)(void *)t->reserved4;
}

/* Parses "64K/s" (K, M, G: powers of 1024) or "2%". Returns 0 if TEXT is no budget. */
static inline int syt_budget_parse(struct syt_budget *b, const char *text)
{
	static const struct syt_budget none = {.limit = 0};
	uint64_t most = UINT64_C(1) << 40;

	*b = none;
	if (!syt_sampler_number(&text, 1, most * SYT_SAMPLER_UNIT / 1024, &b->limit))
		return 0;
	if (*text == '%') {
		b->is_share = 1;
		b->limit /= 100;
		return !text[1] && b->limit && b->limit <= SYT_SAMPLER_UNIT;
	}
	b->limit /= SYT_SAMPLER_UNIT;
	for (unsigned u = 0; u < 3; u++)
		if (*text == "KMG"[u]) {
			b->limit <<= 10 * (u + 1);
			text++;
			break;
		}
	return b->limit && b->limit <= most && syt_sampler_word(&text, "/s") && !*text;
}

/* Returns the parameter of the sampler O that a budget changes. */
static inline uint64_t syt_budget_parameter(const struct syt_sampler_options *o)
{
	return o->kind == SYT_SAMPLER_P ? o->p : o->kind == SYT_SAMPLER_BUMP ? o->lambda : o->rate;
}

static inline uint64_t syt_budget_least(const struct syt_sampler_options *o)
{
	uint64_t least = SYT_SAMPLER_UNIT / 1000;

	if (o->kind == SYT_SAMPLER_P)
		return 1;
	/* `room` of a bucket has 32 bits */
	return o->kind == SYT_SAMPLER_BUCKET && o->size / 10000 > least ? o->size / 10000 : least;
}

static inline uint64_t syt_budget_most(const struct syt_sampler_options *o)
{
	return o->kind == SYT_SAMPLER_P ? SYT_SAMPLER_UNIT : SYT_SAMPLER_MOST;
}

/* Sets the parameter of O to VALUE. The floor of bump falls with lambda. */
static inline void syt_budget_apply(struct syt_sampler_options *o, uint64_t value)
{
	if (o->kind == SYT_SAMPLER_P) {
		o->p = value;
	} else if (o->kind == SYT_SAMPLER_BUMP) {
		if (value < o->lambda)
			o->floor = o->floor * value / o->lambda;
		o->lambda = value;
	} else {
		o->rate = value;
	}
}

/* Returns VALUE + (VALUE * clamp(ALLOWED / USED, 1/2, 2) - VALUE) / 2. */
static inline uint64_t syt_budget_step(uint64_t value, uint64_t allowed, uint64_t used)
{
	uint64_t quotient = (UINT64_C(2) << 16); /* 16 binary digits behind the point */

	if (allowed < used - used / 2)
		quotient = UINT64_C(1) << 15;
	else if (allowed / 2 < used)
		quotient = used >> 40 ? allowed / (used >> 16) : (allowed << 16) / used;
	return value * ((UINT64_C(1) << 16) + quotient) >> 17;
}

/* Changes the value of B for the sampler O after ELAPSED ns. USED, GHOSTS: as in B; CPU: ns. */
static inline void syt_budget_change(struct syt_budget *b, const struct syt_sampler_options *o,
                                     uint64_t elapsed, uint64_t used, uint64_t ghosts, uint64_t cpu)
{
	const uint64_t ms = elapsed / 1000000;
	uint64_t allowed = b->limit * (ms < 100000 ? ms : 100000) / 1000;
	uint64_t least = syt_budget_least(o), most = syt_budget_most(o), value = b->value;

	if (b->is_share) {
		allowed = cpu / 1000 * b->limit / 1000;
	} else if (b->raw >> 10) { /* as the blocks so far */
		uint64_t share = b->packed / (b->raw >> 10);

		used = used * share >> 10;
		ghosts = ghosts * share >> 10;
	}
	b->nr_seconds++;
	b->nr_ghosts += ghosts > allowed;
	b->nr_least += used > allowed && value == least;
	/* if the sampler has skipped no call, a greater value would have kept no more */
	if (used > allowed || b->has_skipped)
		value = syt_budget_step(value, allowed, used);
	b->has_skipped = 0;
	value = value < least ? least : value > most ? most : value;
	__atomic_store_n(&b->value, value, __ATOMIC_RELAXED);
}

#endif
