/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Compares runs with a baseline: the common part of diff and check --against. */
#ifndef SYT_DECODER_REPORT_COMPARE_AGAINST_H
#define SYT_DECODER_REPORT_COMPARE_AGAINST_H

#include "decoder/report/compare/difference.h"
#include "decoder/command/command.h"

/* Prints COMPARISON in C's format. Returns SYT_EXIT_FINDINGS if there are findings. HAS_ALL: also prints differences
 * that follow from others. */
enum syt_exit syt_against_print(struct syt_command *c, const struct syt_comparison *comparison,
                                bool has_all);

/* Compares C's trace, one run, with the baseline in the file at PATH. */
enum syt_exit syt_against_check(struct syt_command *c, const char *path, bool has_all);

#endif
