/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Finds strongly connected components by Tarjan's algorithm, without recursion. */
#include "base/component.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/err.h"

struct tarjan {
	const size_t *first;
	const uint32_t *to;
	uint32_t *component;
	uint32_t *index, *low, *stack; /* index: order of visit from 1; 0: not visited */
	size_t *next;                  /* [node]: the next arc of the node to follow */
	uint32_t *calls;               /* the nodes being visited, in place of recursion */
	bool *is_on_stack;
	uint32_t nr, nr_stack, nr_calls, nr_components;
};

static void enter(struct tarjan *t, uint32_t node)
{
	t->index[node] = t->low[node] = ++t->nr;
	t->next[node] = t->first[node];
	t->stack[t->nr_stack++] = node;
	t->is_on_stack[node] = true;
	t->calls[t->nr_calls++] = node;
}

static void leave(struct tarjan *t, uint32_t node)
{
	uint32_t member;

	t->nr_calls--;
	if (t->nr_calls && t->low[node] < t->low[t->calls[t->nr_calls - 1]])
		t->low[t->calls[t->nr_calls - 1]] = t->low[node];
	if (t->low[node] != t->index[node])
		return;
	do {
		member = t->stack[--t->nr_stack];
		t->is_on_stack[member] = false;
		t->component[member] = t->nr_components;
	} while (member != node);
	t->nr_components++;
}

static void visit(struct tarjan *t, uint32_t root)
{
	enter(t, root);
	while (t->nr_calls) {
		uint32_t at = t->calls[t->nr_calls - 1], to;

		if (t->next[at] == t->first[at + 1]) {
			leave(t, at);
			continue;
		}
		to = t->to[t->next[at]++];
		if (!t->index[to])
			enter(t, to);
		else if (t->is_on_stack[to] && t->index[to] < t->low[at])
			t->low[at] = t->index[to];
	}
}

void syt_components_find(uint32_t nr, const size_t *first, const uint32_t *to, uint32_t *component)
{
	struct tarjan t = {
		.first = first,
		.to = to,
		.component = component,
		.index = syt_calloc(nr, sizeof(*t.index)),
		.low = syt_calloc(nr, sizeof(*t.low)),
		.stack = syt_calloc(nr, sizeof(*t.stack)),
		.next = syt_calloc(nr, sizeof(*t.next)),
		.calls = syt_calloc(nr, sizeof(*t.calls)),
		.is_on_stack = syt_calloc(nr, sizeof(*t.is_on_stack)),
	};

	for (uint32_t root = 0; root < nr; root++)
		if (!t.index[root])
			visit(&t, root);
	free(t.index);
	free(t.low);
	free(t.stack);
	free(t.next);
	free(t.calls);
	free(t.is_on_stack);
}
