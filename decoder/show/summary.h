/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Counts per image, call, thread and object, for stat. */
#ifndef SYT_DECODER_SUMMARY_H
#define SYT_DECODER_SUMMARY_H

#include "decoder/read/trace.h"

struct syt_use {
	uint64_t nr;                   /* events */
	uint64_t nr_waited;            /* of them, with both instants */
	uint64_t wait_ns, max_wait_ns; /* out - in */
	uint64_t bytes;
};

struct syt_image_summary {
	struct syt_use *calls;   /* by call */
	struct syt_use *objects; /* by object */
	struct syt_use *threads; /* by T */
};

/* Owned by the caller. */
void syt_summary_make(struct syt_image_summary *s, const struct syt_image *i);
void syt_summary_fini(struct syt_image_summary *s);

#endif
