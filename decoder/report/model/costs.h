/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Where the latency of a task goes, as text. One thread at a time may use an output. */
#ifndef SYT_DECODER_REPORT_MODEL_COSTS_H
#define SYT_DECODER_REPORT_MODEL_COSTS_H

#include "base/out.h"
#include "decoder/model/latency.h"

/* Write the end of a call path, with functions that have a symbol: "usleep of SendPacket in RpcAsyncCallChain", and
 * "SendPacket;usleep". */
void syt_model_put_path(struct syt_out *out, const char *path);
void syt_model_put_call(struct syt_out *out, const char *path);

/* Writes where the latency L of a task of M goes, in percent of this latency, at most MOST items: "72 % in usleep of SendPacket
 * (40 % while its thread did other work), 20 % running". Writes no text if the latency is 0. */
void syt_model_put_costs(struct syt_out *out, const struct syt_model *m,
                         const struct syt_model_latency *l, unsigned most);

#endif
