/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Prints the times during which recording was paused, for the coverage line and its JSON. */
#ifndef SYT_DECODER_PAUSE_PRINT_H
#define SYT_DECODER_PAUSE_PRINT_H

#include "base/json.h"
#include "base/out.h"
#include "decoder/read/trace.h"

/* Prints ", paused 2 times for 3.1 s". Prints no text if recording was never paused. */
void syt_pauses_line(struct syt_out *out, const struct syt_trace_data *t);

/* Puts "pauses": [{"from": ns, "to": ns}, ...]. A pause that lasted to the end of the trace has no "to". */
void syt_pauses_json(struct syt_json *j, const struct syt_trace_data *t);

#endif
