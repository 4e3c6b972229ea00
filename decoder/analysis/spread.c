/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/analysis/spread.h"

static syt_time nth(const syt_time *first, uint64_t n, size_t stride)
{
	return *(const syt_time *)(const void *)((const char *)first + n * stride);
}

/* Returns the index of the smallest value that at least PERCENT percent of all NR values do not exceed. */
static uint64_t rank(uint64_t nr, unsigned percent)
{
	return (nr / 100) * percent + (nr % 100 * percent + 99) / 100 - 1;
}

struct syt_spread syt_spread_of(const syt_time *first, uint64_t nr, size_t stride)
{
	struct syt_spread s = {.nr = nr};

	if (!nr)
		return s;
	for (uint64_t i = 0; i < nr; i++)
		s.total += nth(first, i, stride);
	s.p50 = nth(first, rank(nr, 50), stride);
	s.p99 = nth(first, rank(nr, 99), stride);
	s.max = nth(first, nr - 1, stride);
	return s;
}
