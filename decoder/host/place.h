/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Places the clocks of hosts on the axis of a reference host (doc/clocks.md).
 *
 * Hosts whose clocks messages relate form a component, with one reference and one axis. The axis of a component is cut into
 * segments. The clock of each host is a line in each segment, and the lines of neighbouring segments meet. The result does
 * not depend on the number of workers.
 */
#ifndef SYT_DECODER_HOST_PLACE_H
#define SYT_DECODER_HOST_PLACE_H

#include <stdint.h>

#include "decoder/host/placement.h"
#include "decoder/host/thinning.h"

/* PAIRS: from syt_thinning_end(). The caller frees the result with syt_placement_free(). */
struct syt_placement *syt_hosts_place(uint32_t nr_hosts, const struct syt_host_pair *pairs,
                                      uint64_t nr_pairs, const struct syt_host_options *options);

#endif
