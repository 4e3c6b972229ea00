/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Aligns two call paths, function by function: doc/reports.md, "Two builds". */
#ifndef SYT_DECODER_REPORT_COMPARE_ALIGNMENT_H
#define SYT_DECODER_REPORT_COMPARE_ALIGNMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SYT_ALIGN_NEVER 100000u /* cost of two call paths that do not match */

struct syt_call_part {
	const char *text;
	size_t bytes;
	bool is_unnamed; /* an address instead of a function */
	bool is_known;   /* the function occurs on both sides of the comparison */
};

/* The parts of a call path: the program, the functions with the outermost first, and the intercepted call. */
struct syt_call_parts {
	struct syt_call_part *all;
	unsigned nr; /* at least 2 */
};

/* Returns true if the function at TEXT is an address: "?" or "module+0x12". */
bool syt_call_is_address(const char *text, size_t bytes);
bool syt_call_parts_equal(const struct syt_call_part *a, const struct syt_call_part *b);

/* Returns the cost of the cheapest alignment of the functions of A and B, or SYT_ALIGN_NEVER if they do not match. */
uint32_t syt_align_cost(const struct syt_call_parts *a, const struct syt_call_parts *b);

/* Calls TELL with CONTEXT for each two functions that the cheapest alignment matches although their names differ. */
void syt_align_renames(const struct syt_call_parts *a, const struct syt_call_parts *b,
                       void (*tell)(void *context, const struct syt_call_part *a,
                                    const struct syt_call_part *b),
                       void *context);

#endif
