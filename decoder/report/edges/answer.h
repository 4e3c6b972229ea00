/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* What edges answers about single events: whether one came before another and by which chain, and
 * what is nearest to one in every thread. */
#ifndef SYT_DECODER_REPORT_EDGES_ANSWER_H
#define SYT_DECODER_REPORT_EDGES_ANSWER_H

#include "decoder/command/command.h"
#include "decoder/order/order.h"

/* Whether FROM happened before TO; SYT_EXIT_OK when it certainly did. FLAGS: SYT_REACH_*. */
enum syt_exit syt_answer_before(struct syt_command *c, const struct syt_order *o,
                                struct syt_place from, struct syt_place to, unsigned flags);

/* Of each thread the first event that AT led to or, IS_BACK, the last one that led to it, in the
 * order of time. */
enum syt_exit syt_answer_nearest(struct syt_command *c, const struct syt_order *o,
                                 struct syt_place at, bool is_back, unsigned flags);

#endif
