/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Finds the differences that follow from other differences, and the tasks in which the calls of a difference occur. */
#ifndef SYT_DECODER_REPORT_COMPARE_CONSEQUENCE_H
#define SYT_DECODER_REPORT_COMPARE_CONSEQUENCE_H

#include "decoder/report/compare/comparison.h"

/* Adds the call path of the difference F, if F is about calls, to C->changed. */
void syt_consequence_mark(struct syt_comparison *c, const struct syt_difference *f);
/* Returns true if C->changed contains the call path of the fact NAME of type PART. */
bool syt_consequence_has_calls(const struct syt_comparison *c, const char *name);
/* Returns true if timing may explain a difference of the fact NAME about a task: the numbers of calls do not differ, and the
 * part starts from other threads only. Timing decides from which wake-up work arrives. If a change of the program gives
 * work to another thread, the facts of the edges or the parts of the giving thread differ. IS_GROWTH: there are more parts. */
bool syt_consequence_may_be_chance(const struct syt_comparison *c, enum syt_fact_type type,
                                   const char *name, bool is_growth);

/* Sets the members `follows`, `is_moved` and `task` of all differences of C. */
void syt_consequence_find(struct syt_comparison *c);

#endif
