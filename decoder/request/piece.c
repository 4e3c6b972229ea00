/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/request/piece.h"

#include "decoder/read/trace.h"

/* Returns how many pieces the link `far` of the piece P passes. */
static uint32_t reach_of(const struct syt_piece *all, uint32_t p)
{
	return all[p].far == SYT_NONE ? all[p].number + 1 : all[p].number - all[all[p].far].number;
}

/* If the last two links have the same reach, the new link passes both of them. */
void syt_piece_link(const struct syt_piece *all, struct syt_piece *p)
{
	uint32_t before = p->before, far;

	p->far = before;
	p->number = 0;
	if (before == SYT_NONE)
		return;
	p->number = all[before].number + 1;
	far = all[before].far;
	if (far != SYT_NONE && reach_of(all, before) == reach_of(all, far))
		p->far = all[far].far;
}

uint32_t syt_piece_back(const struct syt_piece *all, uint32_t p, uint32_t row)
{
	uint32_t far = all[p].far;

	return far != SYT_NONE && all[far].first > row ? far : all[p].before;
}

uint32_t syt_piece_find(const struct syt_piece *all, uint32_t last, uint32_t row)
{
	uint32_t p = last;

	while (p != SYT_NONE && all[p].first > row)
		p = syt_piece_back(all, p, row);
	return p == SYT_NONE || row >= all[p].end ? SYT_NONE : p;
}
