/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* An endpoint whose bytes have no sender, for people: which it is, its address, who wrote into it.
 */
#ifndef SYT_DECODER_BLIND_EXAMPLE_H
#define SYT_DECODER_BLIND_EXAMPLE_H

#include "decoder/order/order.h"

/* "stream:0x7#0 127.0.0.1:80", "pipe:0x9#0 /usr/bin/seq" (IS_UNSEEN: it is traced, its writing is
 * not seen). BYTES should be SYT_BLIND_EXAMPLE. */
#define SYT_BLIND_EXAMPLE 256
void syt_blind_example(const struct syt_order *o, uint32_t object, bool is_unseen, char *text,
                       size_t bytes);

#endif
