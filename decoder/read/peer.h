/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * The file `peers` of a trace directory: which unix sockets belong together, as the kernel told
 * `syntrace record`.  Never trusted: a record with a wrong checksum is left out.
 */
#ifndef SYT_DECODER_PEER_H
#define SYT_DECODER_PEER_H

#include <stddef.h>

#include "decoder/read/trace.h"

/* Adds what the directory's file holds, if there is one; tells what is wrong with it. */
void syt_peers_read(struct syt_peers_info *p, const char *directory);
/* The same for a file in memory that is called NAME. */
void syt_peers_add(struct syt_peers_info *p, const char *name, const void *bytes, size_t nr_bytes);

void syt_peers_fini(struct syt_peers_info *p);

#endif
