/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Printers of the report sampling, as text and as JSON lines. */
#ifndef SYT_DECODER_REPORT_SAMPLING_VIEW_H
#define SYT_DECODER_REPORT_SAMPLING_VIEW_H

#include "decoder/sample/input.h"
#include "decoder/sample/tune.h"
#include "decoder/show/listing.h"

/* Print the numbers of calls, of whole events, of ghosts and of left-out calls: by intercepted call, and by call path. */
void syt_sampling_print_counts(const struct syt_view *v, const struct syt_sample_input *in);

/* Replays NR samplers on IN, and prints one line for the whole trace and one for each sampler. */
void syt_sampling_print_replays(const struct syt_view *v, const struct syt_sample_input *in,
                                const struct syt_sampler_options *samplers, size_t nr,
                                uint64_t seed);

/* Prints the result of the tuner. */
void syt_sampling_print_tuned(const struct syt_view *v, const struct syt_sample_input *in,
                              const struct syt_sample_tuned *tuned, uint64_t seed);

/* Compares the run IN with the run FULL, by the texts of their call paths. */
void syt_sampling_print_against(const struct syt_view *v, const struct syt_sample_input *in,
                                const struct syt_sample_input *full);

#endif
