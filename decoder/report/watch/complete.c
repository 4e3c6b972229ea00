/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/report/watch/complete.h"

/* Each window measures the clock again, so the time of an event may differ by less than this between two windows. */
#define CLOCK_ERROR_NS UINT64_C(1000000)

struct syt_complete syt_complete_of(const struct syt_trace_data *trace, uint64_t oldest_ns)
{
	uint64_t least_ns = oldest_ns > CLOCK_ERROR_NS ? oldest_ns - CLOCK_ERROR_NS : 0;
	syt_time least = least_ns << SYT_TIME_SHIFT;
	struct syt_complete c = {0, false};

	for (uint32_t n = 0; n < trace->nr_images; n++) {
		syt_time from = syt_image_complete_from(&trace->images[n]);

		if (from > c.from)
			c.from = from;
	}
	c.is_short = c.from > least;
	if (c.from && c.from < least)
		c.from = least;
	return c;
}
