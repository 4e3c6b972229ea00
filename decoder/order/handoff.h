/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Hand-offs through queues: who put in what another took out.  Inferred, never known:
 * doc/happens-before.md tells from what, and when it is wrong.  So these edges are of class
 * inferred, and nobody gets them who has not asked.
 */
#ifndef SYT_DECODER_HANDOFF_H
#define SYT_DECODER_HANDOFF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct syt_order;
struct syt_symbols;

/* What speaks for a queue: a mutex, and what is waited for when there is nothing in it. */
struct syt_queue {
	uint32_t mutex, through;        /* trace-wide objects */
	uint64_t nr_put, nr_taken;      /* sections that put one in, and that took one out */
	uint64_t nr_agree, nr_disagree; /* those between two instants at which it was empty, where
	                                   the numbers agree, or do not */
	bool is_balanced;               /* as many were taken as put, in all */
	uint32_t depth; /* frames by which sections are told apart, from the innermost on */
};

struct syt_handoffs {
	size_t nr, room;
	struct syt_queue *queues;
};

/* Adds edges of kind handoff to O's, and their queues. `bytes` of such an edge is its evidence:
 * SYT_HANDOFF_*. */
void syt_handoffs_infer(struct syt_order *o, struct syt_symbols *symbols);
void syt_handoffs_close(struct syt_handoffs *h);

#define SYT_HANDOFF_EVIDENCE(queue_, among_) ((uint64_t)(queue_) << 32 | (among_))
#define SYT_HANDOFF_QUEUE(bytes_) ((uint32_t)((bytes_) >> 32)) /* index in the queues */
/* How many were in the queue when it was put in, or when it was taken out: the larger number. 1: it
 * was alone, and so is the one that was taken, in whatever order the queue gives them out. */
#define SYT_HANDOFF_AMONG(bytes_) ((uint32_t)(bytes_))

/* Of an edge from Q, of one AMONG so many: in thousandths. */
unsigned syt_handoff_confidence(const struct syt_queue *q, uint32_t among);

#endif
