/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The answers of fleet/query.c that have a file of their own. They return 0, or -1 after a message. */
#ifndef SYT_FLEET_ANSWERS_H
#define SYT_FLEET_ANSWERS_H

#include "base/out.h"
#include "fleet/selection.h"
#include "fleet/store.h"

/* Compares the call paths of two versions. */
int syt_answer_versions(struct syt_fleet_store *s, const struct syt_fleet_query *q,
                        struct syt_out *out);
/* Compares the days: the entropy of the call paths, and the distance to the day before. */
int syt_answer_stability(struct syt_fleet_store *s, const struct syt_fleet_query *q,
                         struct syt_out *out);
/* Sums the waits by source line. */
int syt_answer_lines(struct syt_fleet_store *s, const struct syt_fleet_query *q,
                     struct syt_out *out);

#endif
