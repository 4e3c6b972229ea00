/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Segments to rows: decodes all threads of all dumps in parallel and merges each thread's lanes. */
#ifndef SYT_DECODER_ROWS_H
#define SYT_DECODER_ROWS_H

#include "decoder/read/image.h"

/* Fills rows, extras and ready lists of every thread, and nr_decoded and nr_missing of every image.
 * Requires clocks. The result does not depend on NR_WORKERS. */
void syt_rows_decode(struct syt_loading **loadings, size_t nr, unsigned nr_workers);

#endif
