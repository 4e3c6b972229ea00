/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Describes an endpoint that received bytes without a recorded sender: its name, and its address or its writer. */
#ifndef SYT_DECODER_BLIND_EXAMPLE_H
#define SYT_DECODER_BLIND_EXAMPLE_H

#include "decoder/order/order.h"

/* Writes "stream:0x7#0 127.0.0.1:80" or, with IS_UNSEEN (a traced process wrote by unrecorded calls),
 * "pipe:0x9#0 /usr/bin/seq". BYTES should be SYT_BLIND_EXAMPLE. */
#define SYT_BLIND_EXAMPLE 256
void syt_blind_example(const struct syt_order *o, uint32_t object, bool is_unseen, char *text,
                       size_t bytes);

#endif
