/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/html/longest.h"

#include "base/compare.h"
#include "base/sort.h"

int syt_html_span_compare(const void *a_, const void *b_)
{
	const struct syt_html_span *a = a_, *b = b_;

	SYT_ORDER_BY(thread);
	SYT_ORDER_BY(from);
	SYT_ORDER_BY(row);
	return 0;
}

static int longest_first(const void *a_, const void *b_)
{
	const struct syt_html_span *a = a_, *b = b_;

	SYT_ORDER(b->to - b->from, a->to - a->from);
	return syt_html_span_compare(a, b);
}

void syt_longest_open(struct syt_longest *l, size_t most)
{
	*l = (struct syt_longest){.most = most, .all = syt_store_alloc(2 * most, sizeof(*l->all))};
}

static void cut(struct syt_longest *l)
{
	if (l->nr <= l->most)
		return;
	syt_sort(l->all, l->nr, sizeof(*l->all), longest_first);
	l->nr = l->most;
	l->least = l->all[l->nr - 1].to - l->all[l->nr - 1].from;
}

void syt_longest_add(struct syt_longest *l, struct syt_html_span s)
{
	if (l->least && s.to - s.from <= l->least)
		return;
	l->all[l->nr++] = s;
	if (l->nr == 2 * l->most)
		cut(l);
}

struct syt_html_span *syt_longest_take(struct syt_longest *l, uint64_t *nr)
{
	cut(l);
	syt_sort(l->all, l->nr, sizeof(*l->all), syt_html_span_compare);
	*nr = l->nr;
	return l->all;
}
