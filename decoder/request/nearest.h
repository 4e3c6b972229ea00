/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Finds the nearest of many requests (the centres) by the distance of distance.h.
 *
 * Centres are grouped by the length of their behaviours. Two lower bounds of the edit distance avoid most computations:
 * the difference of the lengths, and the difference of the multisets of symbols. The bounds do not affect the result.
 */
#ifndef SYT_DECODER_REQUEST_NEAREST_H
#define SYT_DECODER_REQUEST_NEAREST_H

#include "decoder/request/distance.h"

#define SYT_SYMBOL_BUCKETS 64u

/* The multiset of symbols. A bucket counts several symbols, up to 255. */
struct syt_symbol_counts {
	uint8_t of[SYT_SYMBOL_BUCKETS];
	uint32_t sum;
};

/* A request, ready to be compared. */
struct syt_point {
	const uint32_t *steps;
	uint32_t nr, nr_values;
	struct syt_work_value *values;
	struct syt_symbol_counts counts;
};
void syt_point_open(struct syt_point *a, const struct syt_population *p, const double *scale,
                    uint64_t member);
void syt_point_close(struct syt_point *a);
/* Returns the distance, or HUGE_VAL if it is larger than LIMIT. At least LEAST_EDITS turn one behaviour into the other. */
double syt_point_distance(const struct syt_point *a, const struct syt_point *b,
                          uint32_t nr_dimensions, double limit, uint32_t least_edits);

struct syt_centres {
	uint32_t nr_dimensions;
	uint32_t nr;
	size_t room;
	struct syt_point *all; /* [centre] */
	uint32_t nr_shelves;
	struct syt_shelf {
		uint32_t length; /* of the behaviours */
		uint32_t nr;
		size_t room;
		struct syt_shelf_entry {
			struct syt_symbol_counts counts;
			uint32_t centre;
		} * entries;
	} * shelves; /* for each length of a behaviour of the population, shortest first */
};
void syt_centres_open(struct syt_centres *c, const struct syt_population *p, const double *scale);
void syt_centres_close(struct syt_centres *c);
/* Adds A, which then belongs to C, as the last centre. The length of A is the length of a behaviour of the population. */
void syt_centres_add(struct syt_centres *c, const struct syt_point *a);

/* Returns the nearest centre of A: NEAREST at *DISTANCE, or a centre that is nearer or that is as near and has a lower number.
 * NEAREST may be SYT_HASH_NONE: then the result is at most *DISTANCE away, or SYT_HASH_NONE. Sets *DISTANCE. */
uint32_t syt_centres_nearest(const struct syt_centres *c, const struct syt_point *a,
                             uint32_t nearest, double *distance);

#endif
