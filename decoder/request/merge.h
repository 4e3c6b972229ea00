/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Merges similar groups of requests until few are left (Ward, Hierarchical grouping to optimize an objective function, 1963).
 *
 * Each step merges the two groups whose union increases the sum of squares least. The sum of squares of a group is the sum over
 * its requests of the squared distance to the mean of the group. The coordinates are log(1 + x / mean x) for each component and
 * resource. Below the mean, they grow like the amount, so a few bytes more or less do not matter. Above the mean, they grow
 * like its logarithm, so a rare large request does not need a group of its own. To the squared distance of two groups, the
 * squared edit distance of their behaviours is added, as a share of the larger length.
 */
#ifndef SYT_DECODER_REQUEST_MERGE_H
#define SYT_DECODER_REQUEST_MERGE_H

#include "decoder/request/population.h"

/* Merges NR groups until at most MOST > 0 are left. OF[member] is the group of a member. Each group has a member;
 * REPRESENTATIVES[group] has the behaviour of the group. TO[group] becomes the number of the merged group. Returns the number of
 * merged groups. Equal costs: the groups with the lowest numbers. */
uint32_t syt_merge_groups(const struct syt_population *p, const uint32_t *of, uint32_t nr,
                          const uint64_t *representatives, uint32_t most, uint32_t *to);

#endif
