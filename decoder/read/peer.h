/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Reads the file `peers` of a trace directory. The file contains pairs of connected unix sockets, which the kernel
 * reported to `syntrace record`. The reader ignores records with a wrong checksum. */
#ifndef SYT_DECODER_PEER_H
#define SYT_DECODER_PEER_H

#include <stddef.h>

#include "decoder/read/trace.h"

/* Adds to P the socket pairs in the file `peers` of DIRECTORY, if there is one. Reports errors in the file. */
void syt_peers_read(struct syt_peers_info *p, const char *directory);
/* Adds to P the socket pairs of a `peers` file in memory. NAME is its name in messages. */
void syt_peers_add(struct syt_peers_info *p, const char *name, const void *bytes, size_t nr_bytes);

void syt_peers_fini(struct syt_peers_info *p);

#endif
