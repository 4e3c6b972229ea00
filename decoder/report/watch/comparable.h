/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* A program file that is replaced while the program runs, as an upgrade does, has no names for the functions of the program any
 * more. All steps of its requests would then be unseen. */
#ifndef SYT_DECODER_REPORT_WATCH_COMPARABLE_H
#define SYT_DECODER_REPORT_WATCH_COMPARABLE_H

#include "decoder/read/symbol.h"
#include "decoder/request/workload.h"

/* Returns false if SYMBOL, a step that MODEL does not have, contains a function without a name, though MODEL has the names of
 * functions of the same file. */
bool syt_symbol_is_comparable(const struct syt_workload *model, const struct syt_symbols *symbols,
                              const char *symbol);

#endif
