/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Asks the kernel about sockets of other processes (sock_diag): in our network namespace, and in
 * those of the processes that ask, where we may enter them.  One thread at a time.
 */
#ifndef SYT_TOOL_DIAG_H
#define SYT_TOOL_DIAG_H

#include <stdbool.h>

#include "format/format.h"

struct syt_diag;

struct syt_diag *syt_diag_create(void);
void syt_diag_destroy(struct syt_diag *d);

/* Fills PEER, but for its magic and checksum, with the other end of the unix socket that REQUEST
 * names. False: it has none (any more), or we may not know. */
bool syt_diag_peer(struct syt_diag *d, const struct syt_request *request, struct syt_peer *peer);

#endif
