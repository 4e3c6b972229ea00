/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/match/wakeup.h"

void syt_wakeup_init(struct syt_wakeup *w, uint32_t i, uint64_t nr)
{
	w[i] = (struct syt_wakeup){.live = i + 1, .group = i, .next = i, .left = nr};
}

uint32_t syt_wakeup_last(struct syt_wakeup *w, uint32_t end)
{
	uint32_t root = end;

	while (root && w[root - 1].live != root)
		root = w[root - 1].live;
	while (end != root) {
		uint32_t next = w[end - 1].live;

		w[end - 1].live = root;
		end = next;
	}
	return root;
}

static void join(struct syt_wakeup *w, uint32_t a, uint32_t b)
{
	uint32_t ga = w[a].group, gb = w[b].group, i = gb, next;

	if (ga == gb)
		return;
	do {
		w[i].group = ga;
		i = w[i].next;
	} while (i != gb);
	w[ga].left += w[gb].left;
	next = w[ga].next;
	w[ga].next = w[gb].next;
	w[gb].next = next;
}

static void use_up(struct syt_wakeup *w, uint32_t group)
{
	uint32_t i = group;

	do {
		w[i].live = i; /* searches go on at the element before it */
		i = w[i].next;
	} while (i != group);
}

void syt_wakeup_take(struct syt_wakeup *w, const uint32_t *of, uint32_t nr)
{
	for (uint32_t i = 1; i < nr; i++)
		join(w, of[0], of[i]);

	uint32_t group = w[of[0]].group;

	if (!--w[group].left)
		use_up(w, group);
}
