/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* All datagrams sent in a trace, by destination address. Once opened, it is read-only for any thread. */
#ifndef SYT_DECODER_DATAGRAM_H
#define SYT_DECODER_DATAGRAM_H

#include "decoder/match/match.h"

struct syt_datagram {
	uint64_t target; /* syt_address_hash() of the destination address, or 0 if unknown */
	syt_time in;
	uint64_t bytes, count; /* total bytes, and number of datagrams sent in one call */
	struct syt_place place;
	uint64_t netns; /* cookie of the network namespace of the sending socket; 0: unknown */
	uint32_t object, host;
	bool is_local; /* a socket of this namespace has the destination address */
};

/* An address of a datagram socket. */
struct syt_datagram_address {
	uint64_t hash, netns;
	uint32_t host;
};

struct syt_datagrams {
	uint64_t nr, nr_addresses;
	size_t room;
	struct syt_datagram *sends;             /* sorted by target, then by host, then by `in` */
	struct syt_datagram_address *addresses; /* sorted by hash, host and network namespace */
};

void syt_datagrams_open(struct syt_datagrams *d, const struct syt_places *places,
                        const struct syt_objects *objects, const struct syt_histories *histories);
void syt_datagrams_close(struct syt_datagrams *d);

#endif
