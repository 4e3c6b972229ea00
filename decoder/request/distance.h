/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The distance between two requests: Levenshtein distance of their behaviours plus normalized Euclidean distance of their work
 * (Magpie, section 4; doc/requests.md). The functions have no state, so any thread may call them. */
#ifndef SYT_DECODER_REQUEST_DISTANCE_H
#define SYT_DECODER_REQUEST_DISTANCE_H

#include "decoder/request/population.h"

/* Returns the number of insertions, deletions and substitutions that turn A into B (Levenshtein distance), or MOST + 1 if
 * this number is larger than MOST. */
uint32_t syt_edit_distance(const uint32_t *a, uint32_t nr_a, const uint32_t *b, uint32_t nr_b,
                           uint32_t most);

#define SYT_CLUSTER_WORK_WEIGHT                                                                    \
	0.25 /* weight of the distance of the work in the distance of two requests */

/* Returns log(1 + AMOUNT / unit), or a negative value if AMOUNT is unknown. The unit of CPU time is 0.1 ms, because interrupts and
 * caches change CPU times by less than that; the units of the other resources are 1. */
double syt_amount_log(enum syt_resource resource, uint64_t amount);
/* Returns the amount with the logarithm U. */
uint64_t syt_amount_of_log(enum syt_resource resource, double u);

/* Returns the standard deviation of log(1 + amount) for each component and resource over the members of P. Element
 * [component * SYT_NR_RESOURCES + resource]; 0 if the amounts are equal or unknown, otherwise at least 0.1. The caller frees the
 * array. */
double *syt_work_scale(const struct syt_population *p);
/* Returns a copy of SCALE with which CPU times do not count. The caller frees the array. */
double *syt_work_scale_without_cpu(const double *scale, uint32_t nr_components);

/* Returns sqrt(mean of ((u_a - u_b) / s)^2) over all components and resources with a scale s > 0 and known amounts. u is
 * log(1 + amount); a component that a request does not use has the amounts 0. */
double syt_work_distance(const double *scale, uint32_t nr_components, const struct syt_work_part *a,
                         uint32_t nr_a, const struct syt_work_part *b, uint32_t nr_b);

/* The work of a request as a sparse vector: u / s for each amount that is not 0, by component and resource. */
struct syt_work_value {
	uint32_t at;  /* component * SYT_NR_RESOURCES + resource */
	double value; /* negative: unknown */
};

/* Stores the values of PARTS in VALUES, which has room for NR_PARTS * SYT_NR_RESOURCES values. Leaves out amounts with the
 * scale 0. Returns the number of values. */
uint32_t syt_work_values(const double *scale, const struct syt_work_part *parts, uint32_t nr_parts,
                         struct syt_work_value *values);
/* Returns the number of amounts with a scale > 0. */
uint32_t syt_work_dimensions(const double *scale, uint32_t nr_components);
/* Returns syt_work_distance() of two vectors, or HUGE_VAL if it is larger than LIMIT. */
double syt_work_values_distance(uint32_t nr_dimensions, const struct syt_work_value *a,
                                uint32_t nr_a, const struct syt_work_value *b, uint32_t nr_b,
                                double limit);

/* Returns the distance of two members: the edit distance divided by the larger length, plus SYT_CLUSTER_WORK_WEIGHT times
 * the distance of the work. */
double syt_member_distance(const struct syt_population *p, const double *scale, uint64_t a,
                           uint64_t b);

#endif
