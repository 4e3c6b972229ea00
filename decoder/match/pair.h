/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Finds the two endpoints of each connection and sets the member `peer` of their objects (struct syt_object).
 *
 * - socketpair: one call returned both endpoints of the connection.
 * - TCP and connected UDP: the local address of one end is the remote address of the other end, in one network
 *   namespace of one host. v4-mapped addresses count as v4 addresses. Connections that used the same ports one
 *   after the other are paired in order of time.
 * - TCP between two hosts or network namespaces: decoder/host/connect.h has paired the sockets.
 * - unix sockets, exact: the kernel reported the peers to `syntrace record` (decoder/read/peer.h).
 * - unix sockets, by order: accept calls return the connections of a listening address in the order of the connect
 *   calls, and an accepted socket knows the client's pid. The decoder pairs two ends if only one candidate remains,
 *   if neither the connect calls nor the accept calls in question overlap, and if no event of the client's process
 *   is missing.
 * - unix sockets, by traffic: where connect or accept calls overlap, the decoder considers all ways to pair them in
 *   which no end receives bytes before they were sent. The decoder reports a pair of sockets that is in all these
 *   ways (pair_traffic.c).
 *
 * Socket pairs found by order or by traffic are inferred, because a connect that was never accepted leaves no
 * event.
 *
 * An endpoint without a peer counts as having an untraced peer. If its peer is one of several candidates, it counts
 * as unpaired instead.
 */
#ifndef SYT_DECODER_PAIR_H
#define SYT_DECODER_PAIR_H

#include "decoder/history/history.h"

void syt_pair(struct syt_objects *objects, const struct syt_places *places,
              const struct syt_histories *histories);

/* ---- functions shared by the files that pair endpoints ---- */

/* The arguments of syt_pair(). */
struct syt_pairs {
	struct syt_objects *objects;
	const struct syt_places *places;
	const struct syt_histories *histories;
};

/* Makes the sockets A and B, which may be one socket, each other's peers. */
void syt_pair_join(struct syt_objects *objects, uint32_t a, uint32_t b, enum syt_pairing pairing);

/* Finds the successful call of SHAPE (connect, accept, listen) on OBJECT. Returns false if OBJECT has no successful
 * call of SHAPE. */
bool syt_pair_maker(const struct syt_pairs *p, uint32_t object, enum syt_shape shape,
                    struct syt_place *found);

/* Pairs the unix sockets that have no peer yet (pair_unix.c). */
void syt_pair_unix(const struct syt_pairs *p);

/* Pairs NR accepted unix sockets with NR connected ones by their traffic (pair_traffic.c). */
#define SYT_TRAFFIC_MAX 64u
void syt_pair_by_traffic(const struct syt_pairs *p, const uint32_t *accepted,
                         const uint32_t *connected, unsigned nr);

#endif
