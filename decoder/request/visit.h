/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Visits of a function in the place of requests, for programs whose units of work do not come from sockets.
 *
 * A visit begins with an event of a thread inside the function, if the thread's event before was outside. A visit also begins if
 * the call stack that began the last visit occurs again (the same rule as in syntrace-decode diff --per).
 */
#ifndef SYT_DECODER_REQUEST_VISIT_H
#define SYT_DECODER_REQUEST_VISIT_H

#include "decoder/analysis/request.h"
#include "decoder/read/symbol.h"

/* Finds the visits of FUNCTION, sorted by their begins. The members `object` of the requests are SYT_NONE. ORDER must outlive
 * RS, which the caller closes with syt_requests_close(). */
void syt_visits_open(struct syt_requests *rs, const struct syt_order *order,
                     struct syt_symbols *symbols, const char *function);

#endif
