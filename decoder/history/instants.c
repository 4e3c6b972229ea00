/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/history/instants.h"
#include "base/bisect.h"
#include "base/sort.h"

static int compare(const void *a_, const void *b_)
{
	const syt_time *a = a_, *b = b_;

	return *a < *b ? -1 : *a > *b;
}

void syt_instants_sort(syt_time *all, size_t nr)
{
	syt_sort(all, nr, sizeof(*all), compare);
}

uint64_t syt_instants_before(const syt_time *all, size_t nr, syt_time t)
{
	return SYT_BISECT(i, 0, nr, all[i] < t);
}

uint64_t syt_instants_until(const syt_time *all, size_t nr, syt_time t)
{
	return t == UINT64_MAX ? nr : syt_instants_before(all, nr, t + 1);
}
