/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Which two endpoints are the ends of one connection: fills syt_object.peer.
 *
 *  - socketpair: the call said so.
 *  - TCP and connected UDP: the one's local and remote address are the other's remote and local, in
 *    one network namespace of one host; v4-mapped addresses are v4 ones.  A port that is used again
 *    makes a later connection of the same addresses: ends are paired in order of time.
 *  - unix sockets: what the kernel told `syntrace record` (decoder/read/peer.h).
 *  - unix sockets of which it told nothing: an accept returns the connections of a listening
 *    address in the order of their connects; the accepted end knows its peer's pid.  Taken only
 *    where that leaves one candidate, neither the connects nor the accepts in question overlap, and
 *    no event of the client's process is missing; where they overlap, the pair that all ways have in
 *    common in which no end receives what has not been sent (pair_traffic.c).  Said to be inferred,
 *    because a connect that was never accepted leaves no event.
 *
 * An endpoint without a peer is said to have an untraced one, or to be unpaired: the other end is
 * one of several.
 */
#ifndef SYT_DECODER_PAIR_H
#define SYT_DECODER_PAIR_H

#include "decoder/history/history.h"

void syt_pair(struct syt_objects *objects, const struct syt_places *places,
              const struct syt_histories *histories);

/* ---- for its parts ---- */

/* A and B, which may be one, are each other's ends. */
void syt_pair_join(struct syt_objects *objects, uint32_t a, uint32_t b, enum syt_pairing pairing);

/* The call that made OBJECT one end of a connection. */
bool syt_pair_maker(const struct syt_places *places, const struct syt_histories *h, uint32_t object,
                    uint8_t shape, struct syt_place *found);

/* pair_unix.c: those of unix sockets that have no peer yet. */
void syt_pair_unix(struct syt_objects *objects, const struct syt_places *places,
                   const struct syt_histories *histories);

/* pair_traffic.c: NR accepted and as many connected unix sockets, which are each other's ends. */
#define SYT_TRAFFIC_MAX 64u
void syt_pair_by_traffic(struct syt_objects *objects, const struct syt_places *places,
                         const struct syt_histories *histories, const uint32_t *accepted,
                         const uint32_t *connected, unsigned nr);

#endif
