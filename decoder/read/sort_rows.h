/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Rows of one thread into the order of their stamps. */
#ifndef SYT_DECODER_SORT_ROWS_H
#define SYT_DECODER_SORT_ROWS_H

#include "decoder/read/trace.h"

/* ROWS holds NR_RUNS runs, one per lane, of RUNS[k] rows each. Sorts stably by the ordering stamp;
 * runs are expected to be nearly sorted, anything else takes more time and memory, not longer than
 * n log n. */
void syt_sort_rows(const struct syt_image *i, struct syt_row *rows, const uint64_t *runs,
                   unsigned nr_runs);

#endif
