/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Sets the clocks of the hosts of a component at the limits of its segments, while place.h places the hosts. */
#ifndef SYT_DECODER_HOST_AXIS_H
#define SYT_DECODER_HOST_AXIS_H

#include "decoder/host/cut.h"

/* Drops a connection of each pair without a line between its points. Returns true if it has dropped one. */
bool syt_host_axis_drop_contradictions(struct syt_host_axis *c);
/* Sets the clocks along the shortest paths, fits them to all pairs (network effect), and moves them until all messages run
 * forward in time. If that is impossible, halves the segment with the largest violation and tries again. Returns false if
 * it cannot be halved; then a connection or a pair is dropped. */
bool syt_host_axis_turn_forward(struct syt_host_axis *c);

#endif
