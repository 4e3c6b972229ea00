/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/report/compare/alignment.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"

bool syt_call_is_address(const char *text, size_t bytes)
{
	size_t digits = 0;

	while (digits < bytes && strchr("0123456789abcdef", text[bytes - digits - 1]))
		digits++;
	return (bytes == 1 && *text == '?') ||
	       (digits && bytes > digits + 3 && !memcmp(text + bytes - digits - 3, "+0x", 3));
}

bool syt_call_parts_equal(const struct syt_call_part *a, const struct syt_call_part *b)
{
	return a->bytes == b->bytes && !memcmp(a->text, b->text, a->bytes);
}

enum { LAST_MATCH, LAST_SKIP_A, LAST_SKIP_B, NR_LASTS };

static uint32_t cost_of_parts(const struct syt_call_part *a, const struct syt_call_part *b)
{
	if (a->is_unnamed || b->is_unnamed)
		return 1;
	if (syt_call_parts_equal(a, b))
		return 0;
	/* a renamed function has neither name on both sides */
	return a->is_known || b->is_known ? SYT_ALIGN_NEVER : 3;
}

static uint32_t cost_of_skip(const struct syt_call_part *p)
{
	return p->is_unnamed ? 1 : 2;
}

static void improve(uint32_t *to, uint32_t cost)
{
	*to = cost < *to ? cost : *to;
}

/* Fills TABLE ([i][j][last]) with the costs of the alignments of the first I functions of A with the first J functions
 * of B. A function of A that stands beside a function of B, with no common function between them, does not match: the
 * thread went another way there. Functions without a name match any function. */
static void align(uint32_t *table, const struct syt_call_parts *a, const struct syt_call_parts *b)
{
	unsigned width = b->nr - 1;

	for (unsigned i = 0; i + 1 < a->nr; i++) {
		for (unsigned j = 0; j + 1 < b->nr; j++) {
			uint32_t *to = table + ((size_t)i * width + j) * NR_LASTS;

			for (unsigned last = 0; last < NR_LASTS; last++)
				to[last] = i || j || last ? SYT_ALIGN_NEVER : 0;
			if (i && j) {
				const uint32_t *from = to - ((size_t)width + 1) * NR_LASTS;
				uint32_t cost = cost_of_parts(&a->all[i], &b->all[j]);

				for (unsigned last = 0; last < NR_LASTS; last++)
					improve(&to[LAST_MATCH], from[last] + cost);
			}
			if (i) {
				const uint32_t *from = to - (size_t)width * NR_LASTS;
				uint32_t cost = cost_of_skip(&a->all[i]);

				improve(&to[LAST_SKIP_A], from[LAST_MATCH] + cost);
				improve(&to[LAST_SKIP_A], from[LAST_SKIP_A] + cost);
				if (a->all[i].is_unnamed)
					improve(&to[LAST_SKIP_A], from[LAST_SKIP_B] + cost);
			}
			if (j) {
				const uint32_t *from = to - NR_LASTS;
				uint32_t cost = cost_of_skip(&b->all[j]);

				improve(&to[LAST_SKIP_B], from[LAST_MATCH] + cost);
				improve(&to[LAST_SKIP_B], from[LAST_SKIP_B] + cost);
				if (b->all[j].is_unnamed)
					improve(&to[LAST_SKIP_B], from[LAST_SKIP_A] + cost);
			}
		}
	}
}

/* Returns the state before the state LAST, whose cost is COST, among the states FROM. STEP is the cost of LAST; IS_FREE:
 * the function of LAST has no name. */
static unsigned state_before(const uint32_t *from, unsigned last, uint32_t cost, uint32_t step,
                             bool is_free)
{
	for (unsigned n = 0; n < NR_LASTS; n++)
		if ((last == LAST_MATCH || n == LAST_MATCH || n == last || is_free) &&
		    from[n] + step == cost)
			return n;
	return LAST_MATCH;
}

/* Returns the number of functions of A that the cheapest alignment in TABLE matches with functions of B. Calls TELL for
 * each pair of them that has different names. */
static unsigned trace_back(const uint32_t *table, const struct syt_call_parts *a,
                           const struct syt_call_parts *b,
                           void (*tell)(void *context, const struct syt_call_part *a,
                                        const struct syt_call_part *b),
                           void *context)
{
	unsigned width = b->nr - 1, i = a->nr - 2, j = b->nr - 2, nr = 0, last = 0;
	const uint32_t *at = table + ((size_t)i * width + j) * NR_LASTS;

	for (unsigned n = 1; n < NR_LASTS; n++)
		last = at[n] < at[last] ? n : last;
	while (i || j) {
		const struct syt_call_part *x = &a->all[i], *y = &b->all[j];
		bool takes_a = i && last != LAST_SKIP_B, takes_b = j && last != LAST_SKIP_A;
		uint32_t cost = table[((size_t)i * width + j) * NR_LASTS + last];
		uint32_t step = !takes_b   ? cost_of_skip(x)
		                : !takes_a ? cost_of_skip(y)
		                           : cost_of_parts(x, y);

		if (takes_a && takes_b) {
			nr++;
			if (tell && !x->is_unnamed && !y->is_unnamed && !syt_call_parts_equal(x, y))
				tell(context, x, y);
		}
		i -= takes_a;
		j -= takes_b;
		last = state_before(table + ((size_t)i * width + j) * NR_LASTS, last, cost, step,
		                    takes_a ? x->is_unnamed : y->is_unnamed);
	}
	return nr;
}

static uint32_t *new_table(const struct syt_call_parts *a, const struct syt_call_parts *b)
{
	return syt_alloc((size_t)(a->nr - 1) * (b->nr - 1), NR_LASTS * sizeof(uint32_t));
}

uint32_t syt_align_cost(const struct syt_call_parts *a, const struct syt_call_parts *b)
{
	uint32_t *table = new_table(a, b), cost = SYT_ALIGN_NEVER;
	const uint32_t *end;

	align(table, a, b);
	end = table + ((size_t)(a->nr - 1) * (b->nr - 1) - 1) * NR_LASTS;
	for (unsigned last = 0; last < NR_LASTS; last++)
		improve(&cost, end[last]);
	if (cost < SYT_ALIGN_NEVER && !trace_back(table, a, b, NULL, NULL) &&
	    (a->nr > 2 || b->nr > 2))
		cost = SYT_ALIGN_NEVER;
	free(table);
	return cost;
}

void syt_align_renames(const struct syt_call_parts *a, const struct syt_call_parts *b,
                       void (*tell)(void *context, const struct syt_call_part *a,
                                    const struct syt_call_part *b),
                       void *context)
{
	uint32_t *table = new_table(a, b);

	align(table, a, b);
	trace_back(table, a, b, tell, context);
	free(table);
}
