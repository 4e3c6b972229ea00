/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The tasks of a baseline: learns them from runs, and counts them in later runs (doc/models.md, "The rules of a
 * baseline"). The facts of the types TASK, PART and ARC are the rules of the model (decoder/model/rules.h). */
#ifndef SYT_DECODER_REPORT_COMPARE_TASK_RULES_H
#define SYT_DECODER_REPORT_COMPARE_TASK_RULES_H

#include "decoder/report/compare/baseline.h"

/* Adds the tasks of NR runs to B, which contains all other facts. B keeps the tasks of KEEP that occur in the runs; KEEP
 * may be NULL. The other tasks get the names in the file RENAME (decoder/model/rename.h), unless it is NULL. Returns false after
 * a message if the file is wrong. */
bool syt_task_rules_learn(struct syt_baseline *b, const struct syt_run *runs, size_t nr,
                          const struct syt_baseline *keep, const char *rename);

/* Adds the tasks of each run to its facts, if B has rules. */
void syt_task_rules_count(const struct syt_baseline *b, struct syt_run *runs, size_t nr);

/* Finds the instances of the tasks of B in the graph IN, with their names. Returns false if B has no tasks, or if the graph
 * contains none of them. */
bool syt_task_rules_apply(const struct syt_baseline *b, const struct syt_model_input *in,
                          struct syt_model_forest *forest);

/* Returns the number of instances of the task of a fact with the name NAME in the run. */
uint64_t syt_task_rules_instances(const struct syt_run *run, const char *name);

#endif
