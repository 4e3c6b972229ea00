/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/order/distinguish.h"

#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/err.h"

const char *syt_label_short(const char *side, unsigned components)
{
	const char *p = side + strlen(side);

	/* the name of a function in a call path contains no ';' (syt_label_put_name) */
	while (p > side) {
		if (p[-1] == ';' && !--components)
			break;
		p--;
	}
	return p;
}

/* Returns the begin of the function name that precedes END in the call path SIDE ("main;serve;read"), or NULL. */
static const char *component_before(const char *side, const char *end)
{
	if (end == side)
		return NULL;
	for (end--; end > side && end[-1] != ';'; end--)
		;
	return end;
}

/* Returns how many bytes two call paths have in common at their ends, counting only whole function names. */
static size_t common_end(const char *a, const char *b)
{
	const char *x = a + strlen(a), *y = b + strlen(b), *from = x, *end = x;

	while (x > a && y > b && x[-1] == y[-1]) {
		x--;
		y--;
		if (*x == ';')
			from = x + 1;
	}
	if ((x == a || x[-1] == ';') && (y == b || y[-1] == ';'))
		from = x;
	return (size_t)(end - from);
}

/* The point at which another call path differs: its last `shared` bytes are equal, and the name `caller` precedes
 * them. */
struct divergence {
	size_t shared;
	const char *caller;
	size_t bytes;
};

static int in_order(const void *a_, const void *b_)
{
	const struct divergence *a = a_, *b = b_;
	int order;

	SYT_ORDER_BY(shared);
	order = memcmp(a->caller, b->caller, a->bytes < b->bytes ? a->bytes : b->bytes);
	if (order)
		return order;
	SYT_ORDER_BY(bytes);
	return 0;
}

static struct divergence *divergences(char *const *sides, size_t nr_sides, const char *side,
                                      size_t least, size_t *nr)
{
	struct divergence *all = syt_alloc(nr_sides + 1, sizeof(*all));

	*nr = 0;
	for (size_t i = 0; i < nr_sides; i++) {
		const char *candidate = sides[i], *from, *caller;
		size_t shared = candidate == side ? 0 : common_end(side, candidate);

		if (shared < least)
			continue;
		from = candidate + strlen(candidate) - shared;
		caller = component_before(candidate, from);
		if (caller)
			all[(*nr)++] =
				(struct divergence){shared, caller, (size_t)(from - 1 - caller)};
	}
	if (*nr)
		qsort(all, *nr, sizeof(*all), in_order);
	return all;
}

char *syt_distinguish(char *const *sides, size_t nr_sides, const char *side, unsigned components)
{
	const char *end = syt_label_short(side, components), *frame, *from;
	size_t nr, bytes = strlen(side), most = 0, shared = 0;
	struct divergence *all =
		divergences(sides, nr_sides, side, bytes - (size_t)(end - side), &nr);

	for (size_t i = 0, next; i < nr; i = next) {
		size_t callers = 0;

		for (next = i; next < nr && all[next].shared == all[i].shared; next++)
			callers += next == i || in_order(&all[next - 1], &all[next]);
		if (callers > most && all[i].shared < bytes) {
			most = callers;
			shared = all[i].shared;
		}
	}
	free(all);
	if (!most)
		return NULL;
	from = side + bytes - shared;
	frame = component_before(side, from);
	return syt_asprintf("%.*s;%s%s", (int)(from - 1 - frame), frame, from == end ? "" : "..;",
	                    end);
}
