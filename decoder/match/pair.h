/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Finds the two endpoints of each connection and sets syt_object.peer.
 *
 * - socketpair: the call returned both.
 * - TCP and connected UDP: the local address of one end is the remote address of the other, in one
 *   network namespace of one host. v4-mapped addresses count as v4 addresses. Connections that used
 *   the same ports one after the other are paired in order of time.
 * - unix sockets, exact: from the kernel, through `syntrace record` (decoder/read/peer.h).
 * - unix sockets, by order: an accept returns the connections of a listening address in the order
 *   of their connects, and the accepted end knows the client's pid. The decoder pairs two ends if
 *   one candidate remains, neither the connects nor the accepts in question overlap, and no event
 *   of the client's process is missing.
 * - unix sockets, by traffic: where connects or accepts overlap, the decoder considers all ways to
 *   pair them in which no end receives bytes before they were sent. It reports a pair that is in
 *   all these ways (pair_traffic.c).
 *
 * The last two are inferred, because a connect that was never accepted leaves no event.
 *
 * An endpoint without a peer counts as having an untraced peer, or as unpaired: its peer is one of
 * several candidates.
 */
#ifndef SYT_DECODER_PAIR_H
#define SYT_DECODER_PAIR_H

#include "decoder/history/history.h"

void syt_pair(struct syt_objects *objects, const struct syt_places *places,
              const struct syt_histories *histories);

/* ---- shared by the files that pair endpoints ---- */

/* The arguments of syt_pair(). */
struct syt_pairs {
	struct syt_objects *objects;
	const struct syt_places *places;
	const struct syt_histories *histories;
};

/* Makes A and B, which may be equal, each other's peers. */
void syt_pair_join(struct syt_objects *objects, uint32_t a, uint32_t b, enum syt_pairing pairing);

/* Finds the successful call of SHAPE on OBJECT. Returns false if there is none. */
bool syt_pair_maker(const struct syt_pairs *p, uint32_t object, enum syt_shape shape,
                    struct syt_place *found);

/* Pairs unix sockets that have no peer yet (pair_unix.c). */
void syt_pair_unix(const struct syt_pairs *p);

/* Pairs NR accepted unix sockets with as many connected ones by their traffic (pair_traffic.c). */
#define SYT_TRAFFIC_MAX 64u
void syt_pair_by_traffic(const struct syt_pairs *p, const uint32_t *accepted,
                         const uint32_t *connected, unsigned nr);

#endif
