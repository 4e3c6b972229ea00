/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Asks the kernel for the peers of unix sockets (sock_diag) in all network namespaces that this tool may
 * enter. Only one thread at a time may use it. */
#ifndef SYT_TOOL_DIAG_H
#define SYT_TOOL_DIAG_H

#include <stdbool.h>

#include "format/format.h"

struct syt_diag;

struct syt_diag *syt_diag_create(void);
void syt_diag_destroy(struct syt_diag *d);

/* Stores the peer of the unix socket of REQUEST in PEER, without magic and checksum. Returns false if the socket
 * has no peer or the kernel does not return the peer. */
bool syt_diag_peer(struct syt_diag *d, const struct syt_request *request, struct syt_peer *peer);

#endif
