/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Selects the longest of many spans of time, in memory for twice the number selected. */
#ifndef SYT_DECODER_LONGEST_H
#define SYT_DECODER_LONGEST_H

#include "decoder/history/place.h"

struct syt_html_span {
	syt_time from, to;
	uint32_t thread, row; /* row SYT_NONE: the span is a call that had not returned */
	uint8_t state;
};

struct syt_longest {
	size_t most, nr;
	syt_time least; /* only longer spans can be selected */
	struct syt_html_span *all;
};

void syt_longest_open(struct syt_longest *l, size_t most);
void syt_longest_add(struct syt_longest *l, struct syt_html_span s);
/* Returns the selected spans, by thread, then by time. Free them with syt_store_free(). */
struct syt_html_span *syt_longest_take(struct syt_longest *l, uint64_t *nr);

/* Compares by thread, then by time. */
int syt_html_span_compare(const void *a, const void *b);

#endif
