/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/read/peer.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/err.h"
#include "decoder/read/input.h"

void syt_peers_add(struct syt_peers_info *p, const char *name, const void *bytes, size_t nr_bytes)
{
	const uint8_t *at = bytes;
	struct syt_peers header;
	uint64_t nr_bad = 0;

	if (nr_bytes < sizeof(header))
		return; /* `syntrace record` was stopped before it wrote the header of the file */
	memcpy(&header, at, sizeof(header));
	if (header.magic != SYT_PEERS_MAGIC || header.major != SYT_FORMAT_MAJOR ||
	    header.header_bytes < sizeof(header) || header.header_bytes > nr_bytes) {
		syt_warn("%s: not a list of connected sockets that this decoder can read; the list "
		         "is ignored",
		         name);
		return;
	}
	for (size_t n = header.header_bytes; nr_bytes - n >= sizeof(struct syt_peer);
	     n += sizeof(struct syt_peer)) {
		struct syt_peer_info info;
		struct syt_peer r;

		memcpy(&r, at + n, sizeof(r));
		if (r.magic != SYT_PEER_MAGIC ||
		    r.checksum != XXH32((const uint8_t *)&r + 8, sizeof(r) - 8, 0)) {
			nr_bad++;
			continue;
		}
		info = (struct syt_peer_info){.cookie = r.cookie,
		                              .inode = r.inode,
		                              .peer_cookie = r.peer_cookie,
		                              .peer_inode = r.peer_inode};
		memcpy(info.boot_id, header.boot_id, sizeof(info.boot_id));
		memcpy(info.trace_id, header.trace_id, sizeof(info.trace_id));
		*SYT_ADD(p->all, p->nr, p->room) = info;
	}
	if (nr_bad)
		syt_warn("%s: %" PRIu64 " damaged records were ignored", name, nr_bad);
}

void syt_peers_read(struct syt_peers_info *p, const char *directory)
{
	char *path = syt_asprintf("%s/%s", directory, SYT_PEERS_NAME);
	struct syt_input in;
	int rv = syt_input_open(&in, path);

	if (!rv) {
		syt_peers_add(p, path, in.data, in.bytes);
		syt_input_close(&in);
	} else if (rv != -ENOENT) {
		syt_warn("%s: %s", path, strerror(-rv));
	}
	free(path);
}

void syt_peers_fini(struct syt_peers_info *p)
{
	free(p->all);
	*p = (struct syt_peers_info){0};
}
