/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Sorts an array of times, and counts the times before a given time. */
#ifndef SYT_DECODER_INSTANTS_H
#define SYT_DECODER_INSTANTS_H

#include "decoder/read/trace.h"

void syt_instants_sort(syt_time *all, size_t nr);

/* Return how many of the NR sorted times are before T. syt_instants_until() also counts times equal to T. */
uint64_t syt_instants_before(const syt_time *all, size_t nr, syt_time t);
uint64_t syt_instants_until(const syt_time *all, size_t nr, syt_time t);

#endif
