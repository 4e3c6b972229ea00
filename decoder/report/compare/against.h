/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Runs held against a baseline: what diff and check --against have in common. */
#ifndef SYT_DECODER_REPORT_COMPARE_AGAINST_H
#define SYT_DECODER_REPORT_COMPARE_AGAINST_H

#include "decoder/report/compare/difference.h"
#include "decoder/command/command.h"

/* Prints COMPARISON in C's format; SYT_EXIT_FINDINGS when there are some. HAS_ALL: also what follows
 * from others. */
enum syt_exit syt_against_print(struct syt_command *c, const struct syt_comparison *comparison,
                                bool has_all);

/* C's trace, one run, against the baseline in the file at PATH. */
enum syt_exit syt_against_check(struct syt_command *c, const char *path, bool has_all);

#endif
