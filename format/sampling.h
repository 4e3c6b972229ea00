/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The live state of the sampler of a thread, in the SLOT chunk of a sampled dump behind struct syt_slot (doc/format.md). */
#ifndef SYT_FORMAT_SAMPLING_H
#define SYT_FORMAT_SAMPLING_H

#include "format/format.h"
#include "format/sampler.h"

/* Number of calls that were left out at a site since the site got its entry: `left_out`, and the calls that the entry of the
 * function has skipped since (syt_site_left_out()). The recorder changes all members with one store. */
struct syt_site_count {
	uint32_t left_out;
	uint16_t call;
	uint8_t run; /* the countdown of the site when `left_out` was stored; 0: the entry skips no calls */
	uint8_t low; /* bits 0 to 7 of the number of the site */
} __attribute__((aligned(8)));

/* All members are live and belong to the thread of the slot. */
struct syt_sampling {
	struct syt_sites sites; /* `stack` of a site is the id of its call stack; 0: unknown */
	/* ticks of the begin of the first call that was left out since the thread's last event; 0: none */
	uint64_t gap_from;
	uint64_t left_out; /* number of calls that were left out since the thread's last event */
	uint32_t
		nr_flushed; /* number of the last struct syt_meta_left_out of this slot whose entry is empty again */
	uint32_t reserved;
	struct syt_site_count counts[SYT_NR_SITES];
	/* [bits 0 to 7 of the number of a site]: 2 * (1 + index) of the site whose calls the entry may skip; 0: none */
	uint8_t quick[256];
};

/* Returns the number of calls that were left out at SITE. */
static inline uint64_t syt_site_left_out(const struct syt_site_count *c,
                                         const struct syt_site *site)
{
	uint64_t left_out = c->left_out;

	return c->run > site->countdown ? left_out + c->run - site->countdown : left_out;
}

#define SYT_SAMPLING_AT 640 /* offset in the SLOT chunk */
_Static_assert(sizeof(struct syt_slot) + sizeof(struct syt_site) <= SYT_SAMPLING_AT &&
                       SYT_SAMPLING_AT % 64 == 0,
               "four sites have one cache line, and an empty one is before them");
_Static_assert(SYT_SAMPLING_AT + sizeof(struct syt_sampling) <= SYT_PAGE_BYTES,
               "the state is in the page of the slot");
_Static_assert(sizeof(struct syt_sites) == 2080, "sites");

#endif
