/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Asks the kernel about sockets of other processes (sock_diag). Covers the network namespace of this tool, and the
 * namespaces of the asking processes if this tool may enter them. One thread at a time. */
#ifndef SYT_TOOL_DIAG_H
#define SYT_TOOL_DIAG_H

#include <stdbool.h>

#include "format/format.h"

struct syt_diag;

struct syt_diag *syt_diag_create(void);
void syt_diag_destroy(struct syt_diag *d);

/* Fills PEER, except its magic and checksum, with the other end of the unix socket that REQUEST names. Returns
 * false if the socket has no peer (any more), or the kernel does not tell. */
bool syt_diag_peer(struct syt_diag *d, const struct syt_request *request, struct syt_peer *peer);

#endif
