/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Replays a sampler on a full trace: finds the events that a recorder with this sampler would keep (doc/sampling.md). */
#ifndef SYT_DECODER_SAMPLE_REPLAY_H
#define SYT_DECODER_SAMPLE_REPLAY_H

#include "decoder/sample/input.h"
#include "format/sampler.h"

/* Replays the sampler O on IN. KEPT has an element for each event. The element is 0 if the sampler leaves the event out, otherwise
 * 1 plus the number of threads that the event may still pass sampling on to, one after the other. Stops when more than MOST events are
 * kept. Returns the number of kept events. One SEED gives one result. */
uint64_t syt_sample_replay(const struct syt_sample_input *in, const struct syt_sampler_options *o,
                           uint64_t seed, uint64_t most, uint8_t *kept);

#endif
