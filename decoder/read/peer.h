/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * The file `peers` of a trace directory: pairs of connected unix sockets, as the kernel told
 * `syntrace record`. The reader ignores records with a wrong checksum.
 */
#ifndef SYT_DECODER_PEER_H
#define SYT_DECODER_PEER_H

#include <stddef.h>

#include "decoder/read/trace.h"

/* Adds the records of the directory's file, if there is one. Reports errors in the file. */
void syt_peers_read(struct syt_peers_info *p, const char *directory);
/* Adds the records of a file in memory. NAME appears in messages. */
void syt_peers_add(struct syt_peers_info *p, const char *name, const void *bytes, size_t nr_bytes);

void syt_peers_fini(struct syt_peers_info *p);

#endif
