/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Answers questions about a fleet: the locks and the call paths for which its threads wait, and how sure each answer is
 * (fleet/statistics.h). Sums over hosts come from SQL; the values of the user are bound, never part of its text. */
#ifndef SYT_FLEET_QUERY_H
#define SYT_FLEET_QUERY_H

#include "base/out.h"
#include "fleet/selection.h"
#include "fleet/store.h"

bool syt_query_is_question(const char *text);

/* Prints the answer. Returns 0, or -1 after a message. */
int syt_fleet_query(struct syt_fleet_store *s, const struct syt_fleet_query *q,
                    struct syt_out *out);

#endif
