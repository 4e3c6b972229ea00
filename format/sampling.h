/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The live state of the sampler of a thread, in the SLOT chunk of a sampled dump behind struct syt_slot (doc/format.md). */
#ifndef SYT_FORMAT_SAMPLING_H
#define SYT_FORMAT_SAMPLING_H

#include "format/format.h"
#include "format/sampler.h"

/* Number of calls that were left out at a site since the site got its entry. */
struct syt_site_count {
	uint32_t left_out;
	uint16_t call;
	uint16_t reserved;
};

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
};

#define SYT_SAMPLING_AT 640 /* offset in the SLOT chunk */
_Static_assert(sizeof(struct syt_slot) <= SYT_SAMPLING_AT && SYT_SAMPLING_AT % 64 == 0,
               "four sites have one cache line");
_Static_assert(SYT_SAMPLING_AT + sizeof(struct syt_sampling) <= SYT_PAGE_BYTES,
               "the state is in the page of the slot");
_Static_assert(sizeof(struct syt_sites) == 2080, "sites");

#endif
