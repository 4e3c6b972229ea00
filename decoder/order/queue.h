/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Queues of the program's own, through which it hands things off (decoder/order/handoff.h). */
#ifndef SYT_DECODER_ORDER_QUEUE_H
#define SYT_DECODER_ORDER_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

#define SYT_HANDOFF_EVIDENCE(queue_, among_) ((uint64_t)(queue_) << 32 | (among_))
#define SYT_HANDOFF_QUEUE(bytes_) ((uint32_t)((bytes_) >> 32)) /* index in the queues */
/* How many were in the queue when it was put in, or when it was taken out: the larger number. 1: it
 * was alone, and so is the one that was taken, in whatever order the queue gives them out. */
#define SYT_HANDOFF_AMONG(bytes_) ((uint32_t)(bytes_))

#endif
