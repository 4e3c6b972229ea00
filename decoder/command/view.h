/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The order, the labels and the view that a report works on. */
#ifndef SYT_DECODER_COMMAND_VIEW_H
#define SYT_DECODER_COMMAND_VIEW_H

#include "decoder/command/command.h"

/* Opens ORDER with the WANTED edges, and V on it. Returns 0, or -1 after a message (syt_warn). */
int syt_command_view_open(struct syt_view *v, struct syt_order *order, const struct syt_command *c,
                          struct syt_edges_wanted wanted);
void syt_command_view_close(struct syt_view *v, struct syt_order *order);

#endif
