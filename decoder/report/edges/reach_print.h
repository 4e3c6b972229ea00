/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Prints whether one event happened before another, with the chain of edges, and the nearest event of each thread. */
#ifndef SYT_DECODER_REPORT_EDGES_REACH_PRINT_H
#define SYT_DECODER_REPORT_EDGES_REACH_PRINT_H

#include "decoder/command/command.h"

/* Prints whether event FROM happened before event TO. Returns SYT_EXIT_OK if it certainly did. FLAGS are
 * SYT_REACH_*. */
enum syt_exit syt_reach_print_before(struct syt_command *c, const struct syt_order *o,
                                     struct syt_place from, struct syt_place to, unsigned flags);

/* Prints the nearest event of each thread, in the order of time: the first event that AT happened before or, with
 * IS_BACK, the last event that happened before AT. */
enum syt_exit syt_reach_print_nearest(struct syt_command *c, const struct syt_order *o,
                                      struct syt_place at, bool is_back, unsigned flags);

#endif
