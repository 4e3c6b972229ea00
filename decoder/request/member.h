/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Compares and hashes the requests of a population by their contents. Results depend on texts and amounts, not on the
 * numbers of symbols, components, behaviours and members. */
#ifndef SYT_DECODER_REQUEST_MEMBER_H
#define SYT_DECODER_REQUEST_MEMBER_H

#include <stddef.h>

#include "base/random.h"
#include "decoder/request/population.h"

/* Returns the parts of a member, or NULL if it has none. */
static inline const struct syt_work_part *syt_member_parts(const struct syt_population *p,
                                                           uint64_t member)
{
	const struct syt_member *m = &p->members[member];

	return m->nr_parts ? p->parts + m->first_part : NULL;
}

/* Goes through the components of two requests at once. The amounts of a component that a request does not use are 0. */
struct syt_work_pair {
	const struct syt_work_part *a, *end_a, *b, *end_b; /* the rest */
	uint32_t component;
	const uint64_t *amounts_a, *amounts_b; /* [resource] */
};
struct syt_work_pair syt_work_pair(const struct syt_population *p, uint64_t a, uint64_t b);
/* Returns false after the last component. */
bool syt_work_pair_next(struct syt_work_pair *w);

/* Compares the work of two members: the amounts of the first component by text whose amounts differ. */
int syt_work_compare(const struct syt_population *p, uint64_t a, uint64_t b);
/* Compares two members by behaviour, then by work. */
int syt_member_compare(const struct syt_population *p, uint64_t a, uint64_t b);

/* Hashes of texts. Equal contents have equal hashes in all populations. */
struct syt_member_hashes {
	uint64_t *behaviours; /* [behaviour] */
	uint64_t *components; /* [component] */
};
void syt_member_hashes_open(struct syt_member_hashes *h, const struct syt_population *p);
void syt_member_hashes_close(struct syt_member_hashes *h);
uint64_t syt_member_hash(const struct syt_member_hashes *h, const struct syt_population *p,
                         uint64_t member);

#endif
