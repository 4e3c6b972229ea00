/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Selects the longest of many time spans. The memory holds at most twice the number of selected spans. */
#ifndef SYT_DECODER_LONGEST_H
#define SYT_DECODER_LONGEST_H

#include "decoder/history/place.h"

struct syt_html_span {
	syt_time from, to;
	/* index of the thread, and of the event in the thread; row SYT_NONE: the span is a call
	 * that had not returned */
	uint32_t thread, row;
	uint8_t state;
};

struct syt_longest {
	size_t most, nr;
	syt_time least; /* a new span must be longer than this to be selected */
	struct syt_html_span *all;
};

void syt_longest_open(struct syt_longest *l, size_t most);
void syt_longest_add(struct syt_longest *l, struct syt_html_span s);
/* Returns the selected spans, sorted by thread, then by time. The caller frees them with syt_store_free(). */
struct syt_html_span *syt_longest_take(struct syt_longest *l, uint64_t *nr);

/* Compares two spans by thread, then by time. */
int syt_html_span_compare(const void *a, const void *b);

#endif
