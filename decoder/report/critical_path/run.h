/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* What critical-path and why share: a path is searched, printed and forgotten. */
#ifndef SYT_DECODER_REPORT_CRITICAL_PATH_RUN_H
#define SYT_DECODER_REPORT_CRITICAL_PATH_RUN_H

#include "decoder/report/critical_path/view.h"
#include "decoder/command/command.h"

/* The event ID, P.T.N; false after it has said that there is none. */
bool syt_path_find_event(const struct syt_order *order, const char *id, struct syt_place *at);

typedef void syt_path_printer(struct syt_out *out, const struct syt_path_view *v);

/* The path from the instant FROM to the end of V->to. */
enum syt_exit syt_path_run(struct syt_command *c, const struct syt_order *order,
                           struct syt_path_view *v, syt_time from, syt_path_printer *text,
                           syt_path_printer *json);

#endif
