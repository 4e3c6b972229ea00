/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The certain order between events of different hosts (doc/clocks.md): event A on host a is certainly before event B on
 * host b if and only if ts(B) - ts(A) > d(a -> b). The bound d is the length of the shortest path over the bounds of pairs. */
#ifndef SYT_DECODER_HOST_CERTAIN_H
#define SYT_DECODER_HOST_CERTAIN_H

#include <stdbool.h>

#include "decoder/host/placement.h"

#define SYT_CERTAIN_ROWS_BYTES (UINT64_C(64) << 20) /* memory for paths that were found */

/* Keeps the paths that were found. Any thread may use it. A path that is already known is read without a lock. */
struct syt_certain;

struct syt_certain *syt_certain_create(const struct syt_placement *p);
void syt_certain_destroy(struct syt_certain *c);

/* Returns the least difference of joined times that makes the order certain, for an event on host A at the joined time AT_NS
 * before an event on host B. Before the first and after the last segment, the bounds grow with the distance. Returns
 * INFINITY if no bound is known: hosts of different components, or a bound above 1 s. */
double syt_certain_needed(struct syt_certain *c, uint32_t a, int64_t at_ns, uint32_t b);
/* Returns true if the event on host A at A_NS is certainly before the event on host B at B_NS (joined times). */
bool syt_certain_before(struct syt_certain *c, uint32_t a, int64_t a_ns, uint32_t b, int64_t b_ns);

#endif
