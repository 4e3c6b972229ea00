/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Thundering herds: a broadcast wakes many threads, and only few of them find work. */
#ifndef SYT_DECODER_REPORT_CONTENTION_HERD_H
#define SYT_DECODER_REPORT_CONTENTION_HERD_H

#include "decoder/report/contention/contention.h"

/* Fills c->herds, worst first, and c->nr_ambiguous_wakeups. */
void syt_herds_find(struct syt_contention *c);

#endif
