/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Names the client of a request. */
#ifndef SYT_DECODER_SHOW_CLIENT_H
#define SYT_DECODER_SHOW_CLIENT_H

#include "decoder/analysis/request.h"

/* Stores the client's address, or the name of the server's socket, in TEXT, which has SYT_ADDRESS_TEXT bytes.
 * Returns TEXT. */
char *syt_request_client(const struct syt_requests *rs, const struct syt_request_info *r,
                         char *text, size_t bytes);

#endif
