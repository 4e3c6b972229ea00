/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Sorts the rows of one thread by their stamps. */
#ifndef SYT_DECODER_SORT_ROWS_H
#define SYT_DECODER_SORT_ROWS_H

#include "decoder/read/trace.h"

/* Sorts ROWS stably by the ordering stamp. ROWS holds NR_RUNS runs, one per lane, of RUNS[k] rows
 * each. Nearly sorted runs are fast. Other input takes more memory, and time in the order of n log
 * n. */
void syt_sort_rows(const struct syt_image *i, struct syt_row *rows, const uint64_t *runs,
                   unsigned nr_runs);

#endif
