/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Finds the best parameters of a sampler by simulated annealing (doc/sampling.md, "Tuner"). */
#ifndef SYT_DECODER_SAMPLE_TUNE_H
#define SYT_DECODER_SAMPLE_TUNE_H

#include "decoder/sample/input.h"
#include "format/sampler.h"

struct syt_sample_tuned {
	bool is_found; /* false: no parameters were found that satisfy the condition */
	struct syt_sampler_options options; /* the best parameters */
	double objective;                   /* SS/IEn */
	uint64_t least, most;               /* condition: the number of kept events */
	unsigned nr_replays;                /* number of points that were evaluated */
};

/* Tunes the parameters of O, which is a bump or a bucket. AT_MOST is the largest share of the events that may be kept; 1: the limit
 * is that of p:0.1 only. One SEED gives one result. */
void syt_sample_tune(struct syt_sample_tuned *tuned, const struct syt_sample_input *in,
                     const struct syt_sampler_options *o, double at_most, uint64_t seed);

/* Returns the objective SS/IEn; lower is better. Infinite if the sample has only one call path, and so no information. */
double syt_sample_objective(double similarity, double entropy);

#endif
