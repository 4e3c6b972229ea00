/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Opens the data that a report reads: the happens-before order, the labels of leaf tasks and the view. */
#ifndef SYT_DECODER_COMMAND_VIEW_H
#define SYT_DECODER_COMMAND_VIEW_H

#include "decoder/command/command.h"

/* Computes ORDER with the WANTED edges, and opens the view V on it. Returns 0, or -1 after a message (syt_warn). */
int syt_command_view_open(struct syt_view *v, struct syt_order *order, const struct syt_command *c,
                          struct syt_edges_wanted wanted);
/* Reads the samples of perf in the file PERF for the view V; NULL: there is none. Returns 0, or -1 after a message. */
int syt_command_view_perf(struct syt_view *v, const char *perf);
void syt_command_view_close(struct syt_view *v, struct syt_order *order);

#endif
