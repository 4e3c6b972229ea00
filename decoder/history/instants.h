/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Many instants, to count those that come before another one. */
#ifndef SYT_DECODER_INSTANTS_H
#define SYT_DECODER_INSTANTS_H

#include "decoder/read/trace.h"

void syt_instants_sort(syt_time *all, size_t nr);

/* How many of the NR sorted ones are before T; with _until: or at T. */
uint64_t syt_instants_before(const syt_time *all, size_t nr, syt_time t);
uint64_t syt_instants_until(const syt_time *all, size_t nr, syt_time t);

#endif
