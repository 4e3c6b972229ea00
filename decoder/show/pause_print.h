/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The times during which recording was paused, as the coverage line and its JSON tell them. */
#ifndef SYT_DECODER_PAUSE_PRINT_H
#define SYT_DECODER_PAUSE_PRINT_H

#include "base/json.h"
#include "base/out.h"
#include "decoder/read/trace.h"

/* "paused 2 times for 3.1 s, "; nothing where recording was not. */
void syt_pauses_line(struct syt_out *out, const struct syt_trace_data *t);

/* "pauses": [{"from": ns, "to": ns}, ...]; no "to" where it went on to the end. */
void syt_pauses_json(struct syt_json *j, const struct syt_trace_data *t);

#endif
