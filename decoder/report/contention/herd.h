/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Thundering herds: many are woken, few had something to do. */
#ifndef SYT_DECODER_REPORT_CONTENTION_HERD_H
#define SYT_DECODER_REPORT_CONTENTION_HERD_H

#include "decoder/report/contention/contention.h"

/* Fills the herds of C. */
void syt_herds_find(struct syt_contention *c);

#endif
